// The headers and functions C programs are given, against those of the native library.
#include "frontends/c/runtime.h"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "frontends/c/temp_folder.h"
#include "isa/verify.h"
#include "tests/frontends/c/c_runner.h"
#include "tests/frontends/c/random_c.h"

namespace txvm::tests {
namespace {

using frontends::c::CompileOptions;

TEST(CRuntime, EveryFileIsEmbedded) {
  int files = 0;
  const std::string root = std::string(TXVM_SOURCE_DIR) + "/frontends/c/";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "runtime")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string name = entry.path().string().substr(root.size());
    EXPECT_EQ(frontends::c::RuntimeText(name), ReadText(entry.path().string())) << name;
  }
  EXPECT_EQ(static_cast<std::size_t>(files), frontends::c::kRuntimeFiles.size());
  EXPECT_EQ(frontends::c::RuntimeText("no such file"), "");
}

/// A table of formats: every flag, size and letter between `%` and the end.
std::string FormatTable(const std::string& name, const std::vector<std::string>& letters) {
  std::string table = "static const char* const " + name + "[] = {";
  for (const char* flags : {"", "-", "+", " ", "0", "#", "-0", "+0", "#0", "- "}) {
    for (const char* size : {"", "1", "8", ".0", ".1", ".5", "12.7", "3.9"}) {
      for (const std::string& letter : letters) {
        table += std::string("\"|%") + flags + size + letter + "|\\n\",\n";
      }
    }
  }
  return table + "};\n";
}

TEST(CRuntime, PrintfFormatsIntegersAsEverywhere) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput("#include <stdio.h>\n#include <limits.h>\n" +
                    FormatTable("words", {"d", "i", "u", "x", "X", "o", "hd", "hhu"}) +
                    FormatTable("wides", {"lld", "llx", "llu"}) +
                    FormatTable("sizes", {"ld", "zu"}) + R"(
#define COUNT(table) (int)(sizeof table / sizeof table[0])
int main(void) {
  static const int values[] = {0, 1, -1, 42, 123456789, INT_MIN, INT_MAX};
  int n = 0;
  for (int v = 0; v < COUNT(values); ++v) {
    for (int i = 0; i < COUNT(words); ++i) n += printf(words[i], values[v]);
    for (int i = 0; i < COUNT(wides); ++i) n += printf(wides[i], (long long)values[v] << 9);
    for (int i = 0; i < COUNT(sizes); ++i) n += printf(sizes[i], (long)(unsigned)values[v] & 0xFFFFFF);
  }
  printf("%lld %llu %llo\n", LLONG_MIN, ULLONG_MAX, ULLONG_MAX);
  printf("%d\n", n);
  return 0;
}
)");
}

TEST(CRuntime, PrintfFormatsText) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
int main(void) {
  char text[16];
  int seen = -1;
  printf("%s|%10s|%-10s|%.3s|%5.1s|%*s|%-*s|%.*s|\n", "text", "right", "left", "cut", "x", 6, "star",
         -6, "neg", 2, "precise");
  printf("%c%5c%-5c|%%|%n\n", 'a', 'b', 'c', &seen);
  printf("%d\n", seen);
  printf("%d %s|\n", snprintf(text, sizeof text, "%s %d", "a long text that is cut", 12345), text);
  printf("%d %s|\n", snprintf(text, 1, "abc"), text);
  printf("%d\n", snprintf(NULL, 0, "%d", 123456));
  printf("%d %s\n", sprintf(text, "%x-%o", 255, 8), text);
  fprintf(stdout, "%s\n", "to a stream");
  fputs("no newline", stdout);
  fputc('\n', stdout);
  fwrite("bytes\n", 1, 6, stdout);
  return 0;
}
)");
}

TEST(CRuntime, PrintfCountsIntoObjectsOfEverySize) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
int main(void) {
  signed char bytes[4] = {-1, -1, -1, -1};
  short halves[4] = {-1, -1, -1, -1};
  int words[3] = {-1, -1, -1};
  long long wides[3] = {-1, -1, -1};
  printf("a%hhnb%hnc%nd%lln\n", &bytes[1], &halves[1], &words[1], &wides[1]);
  printf("%d %d %d %d\n", bytes[0], bytes[1], bytes[2], bytes[3]);
  printf("%d %d %d %d\n", halves[0], halves[1], halves[2], halves[3]);
  printf("%d %d %d\n", words[0], words[1], words[2]);
  printf("%lld %lld %lld\n", wides[0], wides[1], wides[2]);
  return 0;
}
)");
}

TEST(CRuntime, StringsSortAndNumbers) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int order(const void* a, const void* b) {
  const int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}
static int sign(int x) { return (x > 0) - (x < 0); }
static void number(const char* text) {
  char* end;
  printf("%lld ", strtoll(text, &end, 0));
  printf("%d ", (int)(end - text));
  printf("%llu ", strtoull(text, &end, 10));
  printf("%d\n", (int)(end - text));
}
int main(void) {
  char buffer[64] = "hello";
  printf("%s %zu\n", strcat(strcpy(buffer + 20, "one,"), "two"), strlen(buffer));
  printf("%d %d %d %d\n", sign(strcmp("a", "b")), sign(strcmp("ab", "a")), strcmp("", ""),
         sign(strncmp("abc", "abd", 2)));
  printf("%s %s %d\n", strchr("path/to/file", '/'), strrchr("path/to/file", '/'),
         strchr("x", 'y') == NULL);
  printf("%s %d\n", strstr("needle in haystack", "in"), strstr("abc", "abcd") == NULL);
  printf("%zu %zu %s\n", strspn("aabbc", "ab"), strcspn("aabbc", "c"), strpbrk("key=value", "=:"));
  char list[] = ",,a,bb,,c,";
  for (char* part = strtok(list, ","); part != NULL; part = strtok(NULL, ",")) printf("[%s]", part);
  strncpy(buffer, "xy", 8);
  printf("%s %d %d\n", buffer, buffer[7], sign(memcmp("ab\0c", "ab\0d", 4)));
  memmove(buffer + 1, buffer, 3);
  memset(buffer + 10, '!', 3);
  printf("%s %.3s %d\n", buffer, buffer + 10, memchr("abc", 'c', 2) == NULL);
  for (int c = 0; c < 256; ++c) {
    printf("%d%d%d%d%d%d%d%d%d%d%d%d", !!isalnum(c), !!isalpha(c), !!isdigit(c), !!isspace(c),
           !!isupper(c), !!islower(c), !!isxdigit(c), !!ispunct(c), !!isprint(c), !!isgraph(c),
           !!iscntrl(c), !!isblank(c));
    printf(" %d %d\n", tolower(c), toupper(c));
  }
  int values[100];
  unsigned x = 1;
  for (int i = 0; i < 100; ++i) values[i] = (int)((x = x * 1664525u + 1013904223u) >> 20) - 2000;
  qsort(values, 100, sizeof values[0], order);
  for (int i = 0; i < 100; ++i) printf("%d ", values[i]);
  const int key = values[37], absent = 100000;
  printf("%d %d\n", *(int*)bsearch(&key, values, 100, sizeof key, order),
         bsearch(&absent, values, 100, sizeof absent, order) == NULL);
  number("42");
  number(" -17x");
  number("0x1F");
  number("0777");
  number("9223372036854775808");
  number("-9223372036854775808");
  number("+");
  number("0x");
  printf("%d %d\n", atoi("-123xyz"), atoi(" 77"));
  printf("%d %lld %d\n", abs(-3), llabs(-5000000000LL), div(-7, 2).rem);
  return 0;
}
)");
}

// The compiler makes a call of stpcpy of the first two.
TEST(CRuntime, TextIsAppendedByItsLength) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
#include <string.h>
int main(int count, char** words) {
  volatile int all = 1;
  char text[40], *end = text;
  end += sprintf(end, "%s", all ? "one" : "no");
  end += sprintf(end, "%s", all ? " and two" : "no");
  end = stpcpy(end, " and three");
  printf("%s %d\n", text, (int)(end - text));
  return 0;
}
)");
}

TEST(CRuntime, AProgramMayDefineFunctionsOfTheLibraryItself) {
  SKIP_WITHOUT_C();
  const Outcome outcome = RunOnBoth(Compile(R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int calls;
size_t strlen(const char* text) {
  size_t count = 0;
  ++calls;
  while (text[count] != '\0') ++count;
  return count;
}
char* strdup(const char* text) {
  const size_t count = strlen(text) + 1;
  char* copy = malloc(count);
  for (size_t i = 0; i < count; ++i) copy[i] = text[i] == 'a' ? 'A' : text[i];
  return copy;
}
int main(void) {
  char* copy = strdup("banana");
  printf("%s %d\n", copy, (int)strlen(copy));
  printf("%d\n", calls >= 2);
  free(copy);
  return 0;
}
)",
                                            {}));
  EXPECT_EQ(outcome.out, "bAnAnA 6\n1\n");
  EXPECT_EQ(outcome.end, "halted");
}

TEST(CRuntime, VariablesMayHaveNamesOfFunctionsOfTheLibrary) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
int div = 3;
int qsort = 4;
unsigned char getenv[20] = {5};
int main(void) {
  printf("%d %d %d %s\n", div, qsort, getenv[0], "text");
  return 0;
}
)");
}

TEST(CRuntime, InputLineByLine) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
int main(void) {
  char line[8];
  while (fgets(line, sizeof line, stdin) != NULL) printf("[%s]", line);
  printf("%d %d %d\n", feof(stdin) != 0, ferror(stdin), getchar());
  return 0;
}
)",
                    "short\na line that is long\n\nno end");
  ExpectEqualOutput(R"(#include <stdio.h>
int main(void) {
  int c = getchar();
  ungetc(c, stdin);
  char bytes[5];
  const size_t count = fread(bytes, 2, 2, stdin);
  printf("%c %d %.4s %d\n", c, (int)count, bytes, getchar());
  return 0;
}
)",
                    "abcdef");
}

TEST(CRuntime, LinesOfNoRoomAreEmpty) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
int main(void) {
  char line[4] = "old";
  printf("%d", fgets(line, 1, stdin) == line);
  printf("[%s]", line);
  printf("%d", fgets(line, sizeof line, stdin) == line);
  printf("[%s]\n", line);
  return 0;
}
)",
                    "ab");
}

TEST(CRuntime, ProgramsEndInEveryWay) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
#include <stdlib.h>
static void last(void) { puts("last"); }
static void first(void) { puts("first"); }
int main(void) {
  atexit(last);
  atexit(first);
  printf("no newline");
  exit(5);
}
)");
  const Outcome failed = RunOnBoth(Compile(R"(#include <assert.h>
int main(int count, char** words) { assert(count == 7); return 0; })",
                                           {}));
  EXPECT_EQ(failed.err, "<stdin>:2: main: assertion 'count == 7' failed\n");
  EXPECT_EQ(failed.end, "exited 134");
  const Outcome deep = RunOnBoth(Compile(R"(
__attribute__((noinline)) int down(volatile int n) { return n == 0 ? 0 : down(n - 1) + n; }
int main(void) { volatile int n = 100000000; return down(n); })",
                                         {}));
  // The C stack lies below everything else: running out of it is no silent damage.
  EXPECT_TRUE(deep.end.starts_with("trapped out of bounds memory access") ||
              deep.end.starts_with("trapped call stack exhausted"))
      << deep.end;
}

TEST(CRuntime, MainMayDeclareItsParametersAsBeforeC89) {
  SKIP_WITHOUT_C();
  const std::string source = R"(#include <stdio.h>
int main(argc, argv) int argc; char* argv[]; {
  printf("%d %s\n", argc, argv[1]);
  return argc;
})";
  const Outcome native = RunNatively(source, {"word"});
  frontends::wasi::Options wasi;
  wasi.arguments = {"test.c", "word"};
  const Outcome outcome = RunOnBoth(Compile(source, {}), wasi);
  EXPECT_EQ(outcome.out, native.out);
  EXPECT_EQ(outcome.end, native.end);
}

TEST(CRuntime, OptionsReachClang) {
  SKIP_WITHOUT_C();
  const auto folder = frontends::c::TempFolder::Create();
  ASSERT_TRUE(folder && folder->Write("own.h", "#define OWN 30\n"));
  CompileOptions options;
  options.includes = {folder->PathOf("")};
  options.defines = {"TEN=10", "TWO=2"};
  const Outcome outcome = RunOnBoth(
      Compile("#include <own.h>\n#include <txvm.h>\nint main(void) { print_i32(OWN + TEN + TWO); "
              "print_i64(1LL << 40); return 0; }",
              options));
  EXPECT_EQ(outcome.out, "42\n1099511627776\n");
}

TEST(CRuntime, FunctionsOfASourceWithoutMainAreExports) {
  SKIP_WITHOUT_C();
  const auto program = Compile(R"(#include <string.h>
static int hidden(int x) { return x + 1; }
int twice(int x) { return 2 * hidden(x); }
long long wide(long long a, int b) { return a * b; }
unsigned length(void) { char text[40]; memset(text, 'x', 39); text[39] = 0; return strlen(text); })",
                               {});
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(program->FindExport("_start"), nullptr);
  EXPECT_EQ(program->FindExport("hidden"), nullptr);
  EXPECT_EQ(program->FindExport("memset"), nullptr);
  ASSERT_NE(program->FindExport("wide"), nullptr);
  EXPECT_EQ(program->FindExport("wide")->params, 3u);
  auto machine = vm::Machine::Load(program, {});
  ASSERT_TRUE(machine);
  const auto call = [&](const char* name, std::vector<vm::Word> args) {
    return machine->Call(*program->FindExport(name), args)->results;
  };
  EXPECT_EQ(call("twice", {20}), std::vector<vm::Word>{42});
  EXPECT_EQ(call("wide", {0, 1, 3}), (std::vector<vm::Word>{0, 3}));  // 2^32 * 3
  EXPECT_EQ(call("length", {}), std::vector<vm::Word>{39});
}

// Nothing of a source without main runs at the end: what it writes must not wait for a newline.
TEST(CRuntime, OutputOfASourceWithoutMainIsWrittenAtOnce) {
  SKIP_WITHOUT_C();
  const auto program = Compile(R"(#include <stdio.h>
int show(int x) { printf("x=%d", x); putchar('!'); fputs(" end", stdout); return x; })",
                               {});
  ASSERT_NE(program, nullptr);
  std::string out;
  frontends::wasi::Options wasi;
  wasi.streams.output = [&out](std::span<const std::uint8_t> bytes) {
    out.append(bytes.begin(), bytes.end());
    return static_cast<std::int64_t>(bytes.size());
  };
  vm::Linker linker;
  ASSERT_TRUE(frontends::wasi::Define(linker, std::move(wasi)));
  auto machine = vm::Machine::Load(program, linker);
  ASSERT_TRUE(machine);
  const auto result = machine->Call(*program->FindExport("show"), std::vector<vm::Word>{3});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->results, std::vector<vm::Word>{3});
  EXPECT_EQ(out, "x=3! end");
}

TEST(CRuntime, EveryIntegerTypeHasItsFormats) {
  SKIP_WITHOUT_C();
  std::string source = "#include <inttypes.h>\n#include <stdio.h>\nint main(void) {\n";
  for (const char* width : {"8", "16", "32", "64", "_least8", "_least16", "_least32", "_least64",
                            "_fast8", "_fast16", "_fast32", "_fast64", "max", "ptr"}) {
    std::string name;
    for (const char* c = width; *c != '\0'; ++c) {
      if (*c != '_') name += static_cast<char>(std::toupper(*c));
    }
    const std::string type = std::string("int") + width + "_t)100";
    source += "  printf(\"%\" PRId" + name + " \" %\" PRIi" + name + " \" \", (" + type + ", (" +
              type + ");\n";
    for (const char* letter : {"o", "u", "x", "X"}) {
      source += std::string("  printf(\"%\" PRI") + letter + name + " \" \", (u" + type + ");\n";
    }
  }
  ExpectEqualOutput(source + "  puts(\"\");\n  return 0;\n}\n");
}

TEST(CRuntime, UnsignedNumbersOutOfRangeAreTheGreatest) {
  SKIP_WITHOUT_C();
  // gcc's long has 64 bits, the machine's 32: the expected words are C's, not gcc's.
  const Outcome outcome = RunOnBoth(Compile(R"(#include <stdio.h>
#include <stdlib.h>
int main(void) {
  printf("%lu %lu %lu %lu\n", strtoul("-99999999999", NULL, 10), strtoul("99999999999", NULL, 10),
         strtoul("-4294967295", NULL, 10), strtoul("4294967295", NULL, 10));
  printf("%lu %lu\n", strtoul("-4294967296", NULL, 10), strtoul("-1", NULL, 10));
  printf("%llu %llu\n", strtoull("-18446744073709551616", NULL, 10),
         strtoull("-18446744073709551615", NULL, 10));
  printf("%ld %ld\n", strtol("-99999999999", NULL, 10), strtol("-2147483648", NULL, 10));
  return 0;
})",
                                            {}));
  EXPECT_EQ(outcome.out,
            "4294967295 4294967295 1 4294967295\n4294967295 4294967295\n"
            "18446744073709551615 1\n-2147483648 -2147483648\n");
}

TEST(CRuntime, BinaryenLowersOnlyWhatKeepsItsInterface) {
  SKIP_WITHOUT_C();
  if (!HasWasmOpt()) GTEST_SKIP() << "no wasm-opt on PATH";
  const auto used = [](std::string_view source, bool allowed, int level = 2) {
    CompileOptions options;
    options.level = level;
    options.use_wasm_opt = allowed;
    return frontends::c::LinkC("", source, "x.c", options).used_wasm_opt;
  };
  const std::string_view inside = "int f(int a) { return (int)((long long)a * a >> 20); }";
  EXPECT_TRUE(used(inside, true));
  EXPECT_FALSE(used(inside, false));
  EXPECT_FALSE(used("long long f(long long a) { return a * a; }", true));
  EXPECT_FALSE(used("int f(int a) { return a + 1; }", true));
  // For the bits of a double it would call functions of its own host.
  EXPECT_FALSE(
      used("int f(double a) { long long bits; __builtin_memcpy(&bits, &a, 8); "
           "return (int)(bits >> 52); }",
           true));
  // A program that prints has the floats of the runtime, which binaryen never gets.
  EXPECT_FALSE(used(ReadText(TXVM_SOURCE_DIR "/tests/frontends/c/matrix.c"), true));
  // Of a large module it would make minutes.
  const std::string large = RandomC(1, 12);
  EXPECT_FALSE(used(large, true, 0));
}

}  // namespace
}  // namespace txvm::tests
