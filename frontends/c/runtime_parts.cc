#include "frontends/c/runtime_parts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace txvm::frontends::c {
namespace {

struct Part {
  std::string_view name;
  std::string_view functions;  // " a b c ", of those that it defines
};

constexpr std::string_view kFloatText = "float_text", kFloatNumber = "float_number";

constexpr auto kParts = std::to_array<Part>({
    {kFloatNumber, " strtod strtof atof "},
    {"math_exact",
     " ceil ceilf fabs fabsf floor floorf nearbyint nearbyintf rint rintf trunc truncf sqrt sqrtf "
     "round roundf lround lroundf llround llroundf lrint lrintf llrint llrintf copysign copysignf "
     "fmax fmaxf fmin fminf fdim fdimf frexp frexpf ldexp ldexpf scalbn scalbnf scalbln scalblnf "
     "modf modff logb logbf ilogb ilogbf fmod fmodf remainder remainderf remquo fma fmaf nextafter "
     "nextafterf nexttoward nan nanf "},
    {"math_power",
     " acosh acoshf asinh asinhf atanh atanhf cbrt cbrtf cosh coshf exp expf exp10 exp10f exp2 "
     "exp2f "
     "expm1 expm1f log logf log10 log10f log1p log1pf log2 log2f sinh sinhf tanh tanhf pow powf "
     "hypot hypotf "},
    {"math_angle", " acos acosf asin asinf atan atanf atan2 atan2f cos cosf sin sinf tan tanf "},
    {"math_special", " erf erff erfc erfcf tgamma tgammaf lgamma lgammaf "},
    {"absent",
     " fork vfork execl execlp execv execvp execve pipe dup dup2 wait waitpid kill alarm pause "
     "link "
     "symlink readlink chown chdir setuid setgid getppid getuid geteuid getgid getegid getcwd "
     "gethostname sysconf "},
    {"thread",
     " pthread_create pthread_join pthread_detach pthread_self pthread_equal pthread_exit "
     "pthread_cancel pthread_attr_init pthread_attr_destroy pthread_attr_setdetachstate "
     "pthread_attr_setstacksize pthread_mutexattr_init pthread_mutexattr_destroy "
     "pthread_mutexattr_settype pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock "
     "pthread_mutex_trylock pthread_mutex_unlock pthread_cond_init pthread_cond_destroy "
     "pthread_cond_signal pthread_cond_broadcast pthread_cond_wait pthread_cond_timedwait "
     "pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock pthread_rwlock_wrlock "
     "pthread_rwlock_unlock pthread_barrier_init pthread_barrier_destroy pthread_barrier_wait "
     "pthread_once pthread_key_create pthread_key_delete pthread_getspecific pthread_setspecific "
     "sched_yield thrd_create thrd_join thrd_detach thrd_current thrd_equal thrd_exit thrd_sleep "
     "thrd_yield mtx_init mtx_destroy mtx_lock mtx_trylock mtx_timedlock mtx_unlock cnd_init "
     "cnd_destroy cnd_signal cnd_broadcast cnd_wait cnd_timedwait tss_create tss_delete tss_get "
     "tss_set call_once sem_init sem_destroy sem_wait sem_trywait sem_post sem_getvalue "},
    {"wide_scan", " wscanf fwscanf swscanf vwscanf vfwscanf vswscanf "},
    {"complex", " __muldc3 __divdc3 __mulsc3 __divsc3 "},
    {"cxx", " _Znwm _Znam _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm __cxa_pure_virtual "},
    {kCxxPart,
     " __cxa_allocate_exception __cxa_throw __cxa_rethrow __cxa_begin_catch __cxa_end_catch "
     "__cxa_get_exception_ptr __cxa_free_exception _Unwind_CallPersonality __dynamic_cast "
     "__cxa_bad_cast __cxa_bad_typeid __cxa_throw_bad_array_new_length _ZSt9terminatev "
     "_ZSt13set_terminatePFvvE _ZSt13get_terminatev _ZSt19uncaught_exceptionsv "
     "_ZTVN10__cxxabiv117__class_type_infoE _ZTVN10__cxxabiv120__si_class_type_infoE "
     "_ZTVN10__cxxabiv121__vmi_class_type_infoE _ZTVN10__cxxabiv119__pointer_type_infoE "
     "_ZNSt9exceptionD2Ev _ZNSt9exceptionD1Ev _ZNSt11logic_errorD2Ev _ZNSt13runtime_errorD2Ev "
     "_ZNSt13runtime_errorD1Ev _ZNSt11logic_errorD1Ev _ZNKSt9exception4whatEv "
     "_ZNSt6__textC1EPKc _ZNSt6__textD1Ev _ZTISt9exception _ZTIi "},
    {"jump",
     " saveSetjmp testSetjmp __wasm_setjmp __wasm_setjmp_test emscripten_longjmp getTempRet0 "
     "setTempRet0 "},
    {"file",
     " fopen freopen fclose fseek ftell rewind fgetpos fsetpos fileno remove rename tmpfile tmpnam "
     "access "
     "read write lseek close unlink rmdir isatty open creat stat fstat mkdir "},
    {"calendar",
     " difftime gmtime localtime gmtime_r localtime_r mktime timegm asctime ctime strftime "},
    {"process",
     " sleep usleep nanosleep _exit getopt optarg optind opterr optopt getpid system signal raise "
     "setlocale localeconv "},
    {"quad",
     " __addtf3 __subtf3 __multf3 __divtf3 __eqtf2 __netf2 __lttf2 __letf2 __gttf2 __getf2 "
     "__unordtf2 __extenddftf2 __extendsftf2 __floatsitf __floatunsitf __floatditf __floatunditf "
     "__trunctfdf2 __trunctfsf2 __fixtfsi __fixunstfsi __fixtfdi __fixunstfdi "},
    {"scan", " scanf fscanf sscanf vscanf vfscanf vsscanf "},
    {"sort", " qsort bsearch "},
    {"wide",
     " __multi3 __ashlti3 __lshrti3 __ashrti3 __udivti3 __umodti3 __divti3 __modti3 __muloti4 "},
    {"unicode", " mbrtoc16 c16rtomb mbrtoc32 c32rtomb "},
    {"wide_number", " wcstoll wcstoull wcstoul wcstod wcstof "},
    {"wide_search", " wcsspn wcscspn wcspbrk wcstok wmemchr wcscoll wcsxfrm "},
    {"wide_text",
     " wcslen wcsnlen wcscpy wcsncpy wcscat wcsncat wcscmp wcsncmp wcschr wcsrchr wcsstr wmemcpy "
     "wmemmove wmemset wmemcmp wcstol mbrlen mbrtowc wcrtomb mbsrtowcs wcsrtombs mbsinit btowc "
     "wctob fputwc putwc "
     "putwchar fputws fgetwc getwc getwchar fgetws wprintf fwprintf vfwprintf vwprintf swprintf "
     "vswprintf mblen mbtowc "
     "wctomb mbstowcs wcstombs iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph iswlower "
     "iswprint "
     "iswpunct iswspace iswupper iswxdigit towlower towupper "},
});

/// Whether " a b " has `name`, which has no space.
bool Lists(std::string_view functions, std::string_view name) {
  for (std::size_t at = 1; !name.empty() && (at = functions.find(name, at)) != functions.npos;
       ++at) {
    if (functions[at - 1] == ' ' && functions[at + name.size()] == ' ') return true;
  }
  return false;
}

/// The names that an object has of symbols of other objects: functions in its import section, with
/// the module "env" in front, variables in its symbol table. Text of another meaning may be among
/// them, which does no harm but for the time of a compilation.
std::vector<std::string_view> ImportedNames(std::string_view object) {
  constexpr std::string_view kModule = "\3env";
  std::vector<std::string_view> names;
  for (std::size_t at = 0; (at = object.find(kModule, at)) != object.npos;) {
    at += kModule.size();
    if (at == object.size()) break;
    const std::size_t size = static_cast<std::uint8_t>(object[at]);
    if (object.size() - at > size) names.push_back(object.substr(at + 1, size));
  }
  return names;
}

/// Whether there is a conversion of a float: %[flags][width][.precision][l or L]letter.
bool HasFloatConversion(std::string_view object) {
  for (std::size_t at = 0; (at = object.find('%', at)) != object.npos;) {
    ++at;
    const std::size_t letter = object.find_first_not_of("-+ #'0123456789.*lL", at);
    if (letter != object.npos && std::string_view("aAeEfFgG").contains(object[letter])) return true;
  }
  return false;
}

/// Whether the object's code stores a double, as a call of printf does, whatever its format. Bytes
/// of another meaning may look the same, which does no harm.
bool StoresDouble(std::string_view object) {
  constexpr std::string_view kStoreAligned = "\x39\x03";
  return object.contains(kStoreAligned);
}

}  // namespace

std::vector<std::string_view> PartsNeeded(std::string_view object) {
  std::vector<std::string_view> parts;
  const std::vector<std::string_view> names = ImportedNames(object);
  for (const Part& part : kParts) {
    const bool is_used = std::ranges::any_of(
        names, [&part](std::string_view name) { return Lists(part.functions, name); });
    if (is_used) parts.push_back(part.name);
  }
  if (HasFloatConversion(object) || StoresDouble(object)) {
    for (const std::string_view part : {kFloatText, kFloatNumber}) {
      if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
    }
  }
  return parts;
}

}  // namespace txvm::frontends::c
