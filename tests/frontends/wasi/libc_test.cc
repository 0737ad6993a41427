// Programs linked with wasi-libc run unmodified.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "frontends/c/temp_folder.h"
#include "frontends/c/toolchain.h"
#include "frontends/wat/load.h"
#include "isa/support/system/child_process.h"
#include "tests/frontends/c/c_runner.h"

namespace txvm::tests {
namespace {

namespace fs = std::filesystem;
using frontends::c::TempFolder;

constexpr double kSeconds = 60;

/// Debian's packages wasi-libc and libclang-rt-14-dev-wasm32, which clang finds by itself.
constexpr const char* kLibrary = "/usr/lib/wasm32-wasi/libc.a";

std::string MissingForWasi() {
  if (const std::string missing = MissingForC(); !missing.empty()) return missing;
  return fs::exists(kLibrary) ? "" : fmt::format("no {} (package wasi-libc)", kLibrary);
}

#define SKIP_WITHOUT_WASI()                                             \
  if (const std::string missing = MissingForWasi(); !missing.empty()) { \
    GTEST_SKIP() << "wasi-libc is not tested: " << missing;             \
  }

/// The program clang makes of a source for wasm32-wasi; nullptr when that fails.
std::shared_ptr<const isa::Program> BuildWithLibc(const std::string& source, int level) {
  const auto folder = TempFolder::Create();
  if (!folder || !folder->Write("prog.c", source)) return nullptr;
  // Its compiler support library comes with one version of clang.
  std::string clang = isa::FindProgram("clang-14");
  if (clang.empty()) clang = isa::FindProgram("clang");
  const auto child =
      isa::RunChild({clang, "--target=wasm32-wasi", "--sysroot=/usr", fmt::format("-O{}", level),
                     "-w", "-o", folder->PathOf("prog.wasm"), folder->PathOf("prog.c")},
                    "", kSeconds);
  if (!child || child->exit_code != 0) {
    ADD_FAILURE() << (child ? child->err : child.error().message);
    return nullptr;
  }
  const std::string bytes = ReadText(folder->PathOf("prog.wasm"));
  auto program =
      frontends::wat::LoadWasm({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                               "prog.wasm", {.optimize = true, .lower_i64 = true});
  if (!program) {
    ADD_FAILURE() << program.error().ToString();
    return nullptr;
  }
  return std::make_shared<const isa::Program>(*std::move(program));
}

constexpr const char* kSortLines = R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int order(const void* a, const void* b) { return strcmp(*(char**)a, *(char**)b); }
int main(int count, char** words) {
  char line[100];
  char** lines = NULL;
  int n = 0;
  while (fgets(line, sizeof line, stdin)) {
    lines = realloc(lines, (n + 1) * sizeof *lines);
    lines[n++] = strdup(line);
  }
  qsort(lines, n, sizeof *lines, order);
  for (int i = 0; i < n; ++i) fputs(lines[i], stdout);
  for (int i = 1; i < count; ++i) puts(words[i]);
  long long product = 1;
  for (int i = 1; i <= 20; ++i) product *= i;
  printf("%d lines, %lld, %s\n", n, product, getenv("HOME") ? "a home" : "no home");
  fprintf(stderr, "done\n");
  return n;
}
)";

TEST(WasiLibc, SortsLinesAtEveryLevel) {
  SKIP_WITHOUT_WASI();
  const std::string input = "pear\napple\nfig\nquince\n";
  frontends::wasi::Options wasi;
  wasi.arguments = {"sort", "one", "two words"};
  for (const int level : {0, 2}) {
    const Outcome outcome = RunOnBoth(BuildWithLibc(kSortLines, level), wasi, input);
    EXPECT_EQ(outcome.out,
              "apple\nfig\npear\nquince\none\ntwo words\n4 lines, 2432902008176640000, no home\n");
    EXPECT_EQ(outcome.err, "done\n");
    EXPECT_EQ(outcome.end, "exited 4");
  }
}

TEST(WasiLibc, EqualsGccOnTheExamples) {
  SKIP_WITHOUT_WASI();
  const std::string source = ReadText(std::string(TXVM_SOURCE_DIR) + "/examples/c/json.c");
  const std::string input = ReadText(std::string(TXVM_SOURCE_DIR) + "/examples/c/tokens.json");
  EXPECT_EQ(RunOnBoth(BuildWithLibc(source, 2), {}, input).out, RunNatively(source, {}, input).out);
}

TEST(WasiLibc, FilesBelowGrantedFoldersOnly) {
  SKIP_WITHOUT_WASI();
  const auto folder = TempFolder::Create();
  ASSERT_TRUE(folder && folder->Write("inside/in.txt", "42 from a file\n") &&
              folder->Write("secret.txt", "secret"));
  const auto program = BuildWithLibc(R"(#include <stdio.h>
int main(void) {
  FILE* in = fopen("/data/in.txt", "r");
  char line[50] = "";
  if (in == NULL || fgets(line, sizeof line, in) == NULL) puts("cannot read");
  fputs(line, stdout);
  FILE* out = fopen("/data/out.txt", "w");
  if (out != NULL) fputs("written\n", out), fclose(out);
  puts(fopen("/data/../secret.txt", "r") == NULL ? "kept out" : "got out");
  puts(fopen("/etc/passwd", "r") == NULL ? "kept out" : "got out");
  return 0;
}
)",
                                     1);
  frontends::wasi::Options wasi;
  wasi.directories = {{folder->PathOf("inside"), "/data"}};
  const Outcome outcome = RunOnBoth(program, wasi);
  EXPECT_EQ(outcome.out, "42 from a file\nkept out\nkept out\n");
  EXPECT_EQ(ReadText(folder->PathOf("inside/out.txt")), "written\n");
  EXPECT_EQ(RunOnBoth(program).out, "cannot read\nkept out\nkept out\n");
}

TEST(WasiLibc, TimeAndRandomNumbersAreTheSameEveryTime) {
  SKIP_WITHOUT_WASI();
  const auto program = BuildWithLibc(R"(#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  unsigned char bytes[4];
  getentropy(bytes, sizeof bytes);
  printf("%lld %ld %u\n", (long long)now.tv_sec, now.tv_nsec, bytes[0] * 256u + bytes[1]);
  return 0;
}
)",
                                     2);
  const Outcome first = RunOnBoth(program), second = RunOnBoth(program);
  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(first.out.substr(0, 10), "0 1000000 ");
}

TEST(WasiLibc, FloatsArePrinted) {
  SKIP_WITHOUT_WASI();
  const auto program = BuildWithLibc(R"(#include <stdio.h>
int main(int count, char** words) {
  printf("%d\n", 7);
  printf("%f %.17g %a\n", (count + 1) * 0.5, (count + 1) * 0.1, (count + 1) / 3.0);
  return 0;
}
)",
                                     1);
  const Outcome outcome = RunOnBoth(program);
  EXPECT_EQ(outcome.out, "7\n0.500000 0.10000000000000001 0x1.5555555555555p-2\n");
  EXPECT_EQ(outcome.end, "halted");
}

}  // namespace
}  // namespace txvm::tests
