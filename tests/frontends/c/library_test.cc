// What programs take from the C library beside text, numbers and memory: errors, streams' modes.
#include <gtest/gtest.h>

#include <string>

#include "isa/support/text.h"
#include "tests/frontends/c/c_runner.h"

namespace txvm::tests {
namespace {

TEST(CLibrary, ErrorsHaveNumbersAndTexts) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  static const int numbers[] = {
      0, EPERM, ENOENT, EINTR, EIO, E2BIG, EBADF, EAGAIN, EWOULDBLOCK, ENOMEM, EACCES, EFAULT, EBUSY,
      EEXIST, ENODEV, ENOTDIR, EISDIR, EINVAL, ENFILE, EMFILE, ENOTTY, EFBIG, ENOSPC, ESPIPE, EROFS,
      EMLINK, EPIPE, EDOM, ERANGE, EDEADLK, ENAMETOOLONG, ENOSYS, ENOTEMPTY, EOVERFLOW, EILSEQ,
      ENOTSUP, ETIMEDOUT, -1, 4000};
  for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    printf("%d %s\n", numbers[i], strerror(numbers[i]));
  }
  printf("%d\n", errno);
  errno = ENOENT;
  perror("file");
  errno = EDOM;
  perror(NULL);
  errno = EACCES;
  perror("");
  errno = 0;
  free(malloc(100));
  void* volatile block = malloc(0xF0000000u);
  if (sizeof(void*) == 8) free(block), errno = ENOMEM; /* which has room for it */
  perror("malloc");
  return errno;
}
)");
}

TEST(CLibrary, NumbersOutOfRangeSetErrno) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
static void number(const char* text, int base) {
  char* end = NULL;
  errno = 0;
  const long long value = strtoll(text, &end, base);
  printf("%s %d: %lld %d %d, ", text, base, value, end == NULL ? 0 : (int)(end - text), errno);
  errno = 0;
  end = NULL;
  const unsigned long long other = strtoull(text, &end, base);
  printf("%llu %d %d\n", other, end == NULL ? 0 : (int)(end - text), errno);
}
int main(void) {
  static const char* const texts[] = {
      "0", "-1", "", "x", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
      "-9223372036854775809", "18446744073709551615", "18446744073709551616", "99999999999999999999999",
      "-18446744073709551616", "zz", "0x", "08"};
  static const int bases[] = {0, 2, 10, 16, 36, 1, 37, -1};
  for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    for (unsigned k = 0; k < sizeof bases / sizeof bases[0]; ++k) number(texts[i], bases[k]);
  }
  errno = EDOM;
  printf("%d %d\n", atoi("12"), errno);
  return 0;
}
)");
  // gcc's long has 64 bits, the machine's 32.
  const Outcome outcome = RunOnBoth(Compile(R"(#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  static const char* const texts[] = {"2147483647", "2147483648", "-2147483648", "-2147483649",
                                      "4294967295", "4294967296"};
  for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    errno = 0;
    printf("%ld ", strtol(texts[i], NULL, 10));
    printf("%d ", errno);
    errno = 0;
    printf("%lu ", strtoul(texts[i], NULL, 10));
    printf("%d\n", errno);
  }
  errno = 0;
  void* volatile block = calloc(0x10000, 0x10000);
  printf("%d ", errno == ENOMEM && block == NULL);
  errno = 0;
  block = realloc(malloc(8), 0xF0000000u);
  printf("%d ", errno == ENOMEM && block == NULL);
  errno = 0;
  while ((block = malloc(0x40000000u)) != NULL) {}
  printf("%d\n", errno == ENOMEM);
  return 0;
})",
                                            {}));
  EXPECT_EQ(outcome.out,
            "2147483647 0 2147483647 0\n2147483647 34 2147483648 0\n"
            "-2147483648 0 2147483648 0\n-2147483648 34 2147483647 0\n"
            "2147483647 34 4294967295 0\n2147483647 34 4294967295 34\n1 1 1\n");
}

TEST(CLibrary, TextIsComparedAndCopied) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
static int sign(int x) { return (x > 0) - (x < 0); }
int main(void) {
  printf("%d %d %d %d\n", strcasecmp("Hello", "hELLO"), sign(strcasecmp("a", "B")),
         sign(strcasecmp("_", "A")), sign(strcasecmp("\xe4", "z")));
  printf("%d %d %d\n", strncasecmp("ABCx", "abcy", 3), sign(strncasecmp("ABCx", "abcy", 4)),
         strncasecmp("a", "b", 0));
  printf("%zu %zu %zu\n", strnlen("text", 2), strnlen("text", 9), strnlen("", 3));
  char* copy = strndup("a long text", 6);
  printf("[%s]", copy);
  free(copy);
  copy = strndup("short", 60);
  printf("[%s]\n", copy);
  free(copy);
  const char* bytes = "one\0two\0two";
  printf("%d ", (int)((const char*)memmem(bytes, 11, "two", 3) - bytes));
  printf("%d ", (int)((const char*)memmem(bytes, 11, "", 0) - bytes));
  printf("%d ", memmem(bytes, 6, "two", 3) == NULL);
  printf("%d %d\n", memmem(bytes, 0, "x", 1) == NULL, memmem(bytes, 11, "e\0tx", 4) == NULL);
  char to[4] = "..";
  printf("%d ", sign(strcoll("a", "b")));
  printf("%zu ", strxfrm(to, "abc", sizeof to));
  printf("%s %zu\n", to, strxfrm(NULL, "a longer one", 0));
  return 0;
}
)");
}

TEST(CLibrary, WideNumbersOfInttypes) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
int main(void) {
  char* end;
  const char* text = "-123456789012 rest";
  const intmax_t value = strtoimax(text, &end, 10);
  printf("%" PRIdMAX " %s %" PRIdMAX "\n", value, end, imaxabs(value));
  const imaxdiv_t both = imaxdiv(value, 1000);
  printf("%" PRIdMAX " %" PRIdMAX "\n", both.quot, both.rem);
  printf("%" PRIxMAX " ", strtoumax("ffffffffffffffff", NULL, 16));
  printf("%d\n", errno);
  printf("%" PRIxMAX " ", strtoumax("10000000000000000", NULL, 16));
  printf("%d\n", errno);
  return 0;
}
)");
}

TEST(CLibrary, StreamsForgetTheirEndAndTheirBuffers) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
int main(void) {
  static char buffer[BUFSIZ];
  printf("%d", setvbuf(stdout, NULL, _IONBF, 0));
  printf("%d\n", setvbuf(stdin, buffer, _IOFBF, sizeof buffer));
  setbuf(stderr, NULL);
  while (getchar() != EOF) {}
  printf("%d ", feof(stdin) != 0);
  clearerr(stdin);
  printf("%d %d\n", feof(stdin) != 0, ferror(stdin) != 0);
  printf("%d\n", setvbuf(stdin, NULL, 77, 0) != 0);
  return 0;
}
)",
                    "a line\n");
  // What is not buffered comes before what ends the run.
  const Outcome outcome = RunOnBoth(Compile(R"(#include <stdio.h>
int main(void) {
  printf("kept");
  setbuf(stdout, NULL);
  printf(" and written");
  __builtin_trap();
})",
                                            {}));
  EXPECT_EQ(outcome.out, "kept and written");
}

TEST(CLibrary, LinesOfAnyLength) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char* line = NULL;
  size_t size = 77;
  ssize_t count = getdelim(&line, &size, ';', stdin);
  printf("%d %d [%s]\n", (int)count, size > 2, line);
  while ((count = getline(&line, &size, stdin)) != -1) {
    printf("%d %d %s|", (int)count, size > (size_t)count, line);
  }
  printf("%d %d\n", feof(stdin) != 0, ferror(stdin) != 0);
  free(line);
  printf("%d ", (int)getline(NULL, &size, stdin));
  printf("%d\n", errno == EINVAL);
  return 0;
}
)",
                    "a;b;\n\n" + std::string(118, 'x') + "\n" + std::string(119, 'y') + "\n" +
                        std::string(1000, 'z') + "\nthe last");
}

TEST(CLibrary, FunctionsThatRunBeforeAndBehindMain) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
#include <stdlib.h>
static void last(void) { puts("last"); }
static void first(void) { puts("first"); atexit(last); }
__attribute__((constructor)) static void before(void) { puts("before"); }
__attribute__((destructor)) static void behind(void) { puts("behind"); }
int main(void) {
  atexit(last);
  atexit(first);
  puts("main");
  return 3;
}
)");
}

TEST(CLibrary, ConstructorsOfASourceWithoutMainRunOnce) {
  SKIP_WITHOUT_C();
  const std::string plain = R"(static int seen;
__attribute__((constructor)) static void up(void) { seen += 5; }
int get(void) { return seen; }
int add(int more) { return seen += more; }
)";
  // Linked with the runtime, too.
  const std::string with_library =
      "#include <stdlib.h>\n" + isa::Replaced(plain, "seen += 5", "seen += atoi(\"5\")");
  for (const std::string& source : {plain, with_library}) {
    for (const int level : {0, 2}) {
      frontends::c::CompileOptions options;
      options.level = level;
      const auto program = Compile(source, options);
      ASSERT_NE(program, nullptr);
      ASSERT_EQ(program->exports.size(), 2u);
      EXPECT_EQ(program->entry, program->exports.front().start);
      vm::Machine machine = vm::Machine::Load(program, {}).value();
      machine.RunInit();
      const auto call = [&](std::string_view name, const std::vector<isa::Word>& args) {
        return machine.Call(*program->FindExport(name), args).value().results;
      };
      EXPECT_EQ(call("get", {}), std::vector<isa::Word>{5});
      EXPECT_EQ(call("add", {2}), std::vector<isa::Word>{7});
      EXPECT_EQ(call("get", {}), std::vector<isa::Word>{7});
    }
  }
}

TEST(CLibrary, TimeIsTheHosts) {
  SKIP_WITHOUT_C();
  const auto program = Compile(R"(#include <errno.h>
#include <stdio.h>
#include <time.h>
int main(void) {
  struct timespec first, second;
  printf("%d ", clock_gettime(CLOCK_MONOTONIC, &first) | clock_gettime(CLOCK_MONOTONIC, &second));
  const long long passed =
      (second.tv_sec - first.tv_sec) * 1000000000LL + (second.tv_nsec - first.tv_nsec);
  printf("%d ", passed >= 0);
  time_t kept = 5;
  const time_t now = time(&kept);
  printf("%d ", now == kept);
  printf("%d %d ", timespec_get(&first, TIME_UTC), timespec_get(&first, 9));
  printf("%d %d ", clock_gettime(99, &first), errno);
  const clock_t before = clock();
  const clock_t spent = clock() - before;
  printf("%d\n", spent >= 0 && spent / CLOCKS_PER_SEC < 100);
  fprintf(stderr, "%lld %lld %lld\n", passed, (long long)now, (long long)spent);
  return 0;
})",
                               {});
  const Outcome virtual_clock = RunOnBoth(program);
  EXPECT_EQ(virtual_clock.out, "0 1 1 1 0 -1 22 1\n");
  EXPECT_EQ(virtual_clock.err, "1000000 0 1000\n");  // a ms passes with each look
  frontends::wasi::Options wasi;
  wasi.real_clock = true;
  const Outcome real = RunProgram(program, vm::EngineKind::kNative, wasi);
  EXPECT_EQ(real.out, virtual_clock.out);
  EXPECT_NE(real.err, virtual_clock.err);
}

TEST(CLibrary, TimeAndClockMayBeAProgramsOwn) {
  SKIP_WITHOUT_C();
  const auto compilation = frontends::c::CompileC("", R"(#include <stdlib.h>
int time(int x, int y) { return x + y; }
void clock(int x) { exit(time(x, 2)); }
int main(int count, char** words) { clock(count); })",
                                                  "x.c", {});
  EXPECT_TRUE(compilation.program);
  EXPECT_EQ(compilation.diagnostics, "");  // no word of the linker on the types
}

TEST(CLibrary, HeadersOfClang) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <assert.h>
#include <iso646.h>
#include <limits.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
static noreturn void end(int code) { exit(code); }
int main(void) {
  alignas(16) char bytes[3] = {0};
  static_assert(alignof(int) == 4, "four bytes");
  const bool is_both = true and not false;
  assert(is_both);
  printf("%d %d %d %d\n", INT_MAX, CHAR_BIT, is_both, (int)((uintptr_t)bytes % 16));
  printf("%d %lld %d\n", INT32_MAX, (long long)INT64_MIN, UCHAR_MAX);
  printf("%zu\n", offsetof(struct { int a; char b; }, b));
  end(7);
}
)");
}

}  // namespace
}  // namespace txvm::tests
