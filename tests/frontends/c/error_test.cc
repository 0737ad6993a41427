// What a user reads when C cannot be compiled or run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "frontends/c/temp_folder.h"
#include "isa/support/system/child_process.h"
#include "isa/verify.h"
#include "tests/frontends/c/c_runner.h"

namespace txvm::tests {
namespace {

namespace fs = std::filesystem;
using frontends::c::Compilation;
using frontends::c::CompileC;
using frontends::c::CompileOptions;
using frontends::c::TempFolder;
using isa::ErrorCode;

/// Sets PATH while it lives.
class PathOnly {
 public:
  explicit PathOnly(const std::string& path) : before_(std::getenv("PATH")) {
    setenv("PATH", path.c_str(), 1);
  }
  ~PathOnly() { setenv("PATH", before_.c_str(), 1); }
  PathOnly(const PathOnly&) = delete;
  PathOnly& operator=(const PathOnly&) = delete;

 private:
  std::string before_;
};

/// A folder for temporary files that no other test uses, while it lives.
class OwnTemporaries {
 public:
  OwnTemporaries() : folder_(*TempFolder::Create()) {
    setenv("TMPDIR", folder_.PathOf("").c_str(), 1);
  }
  ~OwnTemporaries() { unsetenv("TMPDIR"); }
  OwnTemporaries(const OwnTemporaries&) = delete;
  OwnTemporaries& operator=(const OwnTemporaries&) = delete;

 private:
  TempFolder folder_;
};

/// Names of what txvm left in the folder for temporary files.
std::set<std::string> Leftovers() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("txvm-")) names.insert(name);
  }
  return names;
}

TEST(CError, ClangIsMissing) {
  const auto folder = TempFolder::Create();
  ASSERT_TRUE(folder && folder->Write("empty", ""));
  const PathOnly path(folder->PathOf(""));
  const Compilation compilation = CompileC("", "int f(void) { return 1; }", "x.c", {});
  ASSERT_FALSE(compilation.program);
  EXPECT_EQ(compilation.program.error().code, ErrorCode::kHost);
  EXPECT_EQ(compilation.program.error().message,
            "C needs clang 14 or later, and PATH has none (looked for clang and clang-22 to "
            "clang-14). Install it with its linker: apt-get install clang lld");
}

/// A folder with an executable shell script of that name.
void AddScript(const TempFolder& folder, const std::string& name, const std::string& text) {
  ASSERT_TRUE(folder.Write(name, "#!/bin/sh\n" + text));
  fs::permissions(folder.PathOf(name), fs::perms::owner_all);
}

TEST(CError, ClangIsTooOld) {
  const auto folder = TempFolder::Create();
  ASSERT_TRUE(folder);
  AddScript(*folder, "clang", "echo 13.0.1\n");
  const PathOnly path(folder->PathOf(""));
  const Compilation compilation = CompileC("", "int f(void) { return 1; }", "x.c", {});
  ASSERT_FALSE(compilation.program);
  EXPECT_NE(compilation.program.error().message.find("/clang is version 13"), std::string::npos)
      << compilation.program.error().message;
}

TEST(CError, LinkerIsMissing) {
  const auto folder = TempFolder::Create();
  ASSERT_TRUE(folder);
  AddScript(*folder, "clang-17", "exit 1\n");
  const PathOnly path(folder->PathOf(""));
  const Compilation compilation = CompileC("", "int f(void) { return 1; }", "x.c", {});
  ASSERT_FALSE(compilation.program);
  const std::string& message = compilation.program.error().message;
  EXPECT_NE(message.find("C needs wasm-ld, and PATH has none (looked for wasm-ld-17 and wasm-ld"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("apt-get install lld-17, or lld"), std::string::npos) << message;
}

TEST(CError, ToolsAreBoundedInTime) {
  const OwnTemporaries temporaries;
  const auto folder = TempFolder::Create();
  ASSERT_TRUE(folder);
  const std::string sleep = isa::FindProgram("sleep");
  ASSERT_FALSE(sleep.empty());
  AddScript(*folder, "clang-17", "exec " + sleep + " 20\n");
  AddScript(*folder, "wasm-ld", "exit 0\n");
  const PathOnly path(folder->PathOf(""));
  CompileOptions options;
  options.seconds = 0.2;
  const Compilation late = CompileC("", "int f(void) { return 1; }", "x.c", options);
  ASSERT_FALSE(late.program);
  EXPECT_EQ(late.program.error().message,
            folder->PathOf("") + "/clang-17 took more than 0.2 seconds for x.c");
  options.seconds = 20;
  options.stop = [] { return true; };
  const Compilation stopped = CompileC("", "int f(void) { return 1; }", "x.c", options);
  ASSERT_FALSE(stopped.program);
  EXPECT_EQ(stopped.program.error().message, folder->PathOf("") + "/clang-17 was stopped");
  EXPECT_EQ(Leftovers().size(), 1u);  // this test's own folder
}

TEST(CError, TheFolderForTemporariesIsNamed) {
  SKIP_WITHOUT_C();
  setenv("TMPDIR", "/no/such/folder", 1);
  const Compilation compilation = CompileC("", "int f(void) { return 1; }", "x.c", {});
  unsetenv("TMPDIR");
  ASSERT_FALSE(compilation.program);
  EXPECT_EQ(compilation.program.error().message,
            "cannot create a temporary folder in /no/such/folder: No such file or directory");
}

TEST(CError, ClangSpeaksForItself) {
  SKIP_WITHOUT_C();
  const OwnTemporaries temporaries;
  const auto folder = TempFolder::Create();
  ASSERT_TRUE(folder && folder->Write("bad.c", "int f(void) {\n  return y;\n}\n"));
  const std::string file = folder->PathOf("bad.c");
  const Compilation compilation = CompileC(file, "", "bad.c", {});
  ASSERT_FALSE(compilation.program);
  EXPECT_EQ(compilation.program.error().code, ErrorCode::kSyntax);
  EXPECT_NE(compilation.diagnostics.find(file + ":2:10: error: use of undeclared identifier 'y'"),
            std::string::npos)
      << compilation.diagnostics;
  const Compilation warned = CompileC("", "int f(void) { return 1 / 0; }", "w.c", {});
  EXPECT_TRUE(warned.program);
  EXPECT_NE(warned.diagnostics.find("<stdin>:1:24: warning: division by zero"), std::string::npos)
      << warned.diagnostics;
  EXPECT_EQ(Leftovers().size(), 1u);
}

TEST(CError, TheLinkerNamesWhatIsUndefined) {
  SKIP_WITHOUT_C();
  const Compilation compilation =
      CompileC("", "int absent(int); int main(void) { return absent(1); }", "x.c", {});
  ASSERT_FALSE(compilation.program);
  EXPECT_NE(compilation.diagnostics.find("undefined symbol: absent"), std::string::npos)
      << compilation.diagnostics;
}

TEST(CError, TheSizeOfACompiledProgramIsLimited) {
  SKIP_WITHOUT_C();
  const Compilation compilation =
      CompileC("", "char x[1 << 28]; int main(void) { return x[5]; }", "x.c", {});
  ASSERT_FALSE(compilation.program);
  EXPECT_EQ(compilation.program.error().code, ErrorCode::kLimit);
  const std::string& message = compilation.program.error().message;
  EXPECT_TRUE(message.starts_with("the compiled program has 2684")) << message;
  EXPECT_TRUE(message.ends_with(" bytes, with the zeroed variables (limit 268435456)")) << message;
  EXPECT_EQ(compilation.program.error().place.file, "");  // no temporary file
}

std::string LoadMessage(std::string_view source) {
  const auto program = Compile(source, {});
  if (program == nullptr) return "does not compile";
  vm::Linker linker;
  linker.Define("env", "print_i32", 1, 0,
                [](vm::HostContext&, auto, auto) { return vm::HostStatus::Continue(); });
  const auto machine = vm::Machine::Load(program, linker);
  return machine ? "loads" : machine.error().message;
}

TEST(CError, ImportsAreNamed) {
  SKIP_WITHOUT_C();
  const std::string unknown = LoadMessage(R"(#include <txvm.h>
TXVM_IMPORT("game", "spawn") void spawn(int kind);
void f(void) { spawn(3); })");
  EXPECT_NE(unknown.find("unknown import"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("game"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("spawn"), std::string::npos) << unknown;
  const std::string other = LoadMessage(R"(#include <txvm.h>
TXVM_IMPORT("env", "print_i32") int show(int a, long long b);
int f(void) { return show(3, 4); })");
  EXPECT_NE(other.find("env"), std::string::npos) << other;
  EXPECT_NE(other.find("3"), std::string::npos) << other;  // words: an int, a long long as two
  EXPECT_NE(other, "loads");
}

TEST(CError, AConversionOutOfRangeTraps) {
  SKIP_WITHOUT_C();
  const Outcome outcome = RunOnBoth(Compile(R"(#include <stdio.h>
int main(int count, char** words) {
  printf("%d\n", (int)((count + 1) * 5.5));
  fflush(stdout);
  return __builtin_wasm_trunc_s_i32_f64((count + 1) * 1e10);
})",
                                            {}));
  EXPECT_EQ(outcome.out, "5\n");
  EXPECT_EQ(outcome.end, "trapped integer overflow") << outcome.end;
}

TEST(CError, MainIsCalledMain) {
  SKIP_WITHOUT_C();
  for (const char* parameters : {"void", "int count, char** words"}) {
    const auto program = Compile(
        std::string("int main(") + parameters + ") { int volatile zero = 0; return 5 / zero; }",
        {});
    ASSERT_NE(program, nullptr);
    const auto is_main = [](const isa::Function& function) { return function.name == "main"; };
    EXPECT_EQ(std::ranges::count_if(program->functions, is_main), 1) << parameters;
    for (const isa::Function& function : program->functions) {
      EXPECT_NE(function.name, "__original_main");
    }
  }
}

TEST(CError, AnEmptyMacroOrFolderIsNoOption) {
  SKIP_WITHOUT_C();
  CompileOptions options;
  options.defines = {""};
  const Compilation macro = CompileC("", "int f(void) { return 1; }", "x.c", options);
  EXPECT_FALSE(macro.program);
  EXPECT_NE(macro.diagnostics.find("macro name"), std::string::npos) << macro.diagnostics;
  options.defines = {"ONE=1"};
  options.includes = {""};
  const Compilation folder = CompileC("", "int f(void) { return ONE; }", "x.c", options);
  EXPECT_TRUE(folder.program) << folder.diagnostics;
}

TEST(CError, UnknownConversionsAreNamed) {
  SKIP_WITHOUT_C();
  const auto error = [](const std::string& statement) {
    const Outcome outcome = RunOnBoth(
        Compile("#include <stdio.h>\nint main(void) { int i = 3; " + statement + "; }", {}));
    EXPECT_EQ(outcome.end, "exited 134");
    return outcome.err;
  };
  EXPECT_EQ(error("printf(\"%1$d\", i)"), "printf: unknown conversion '$'\n");
  EXPECT_EQ(error("printf(\"%y\", i)"), "printf: unknown conversion 'y'\n");
  EXPECT_EQ(error("printf(\"%l\", i)"), "printf: the format ends within a conversion\n");
  EXPECT_EQ(error("sscanf(\"3\", \"%1$d\", &i)"), "scanf: unknown conversion '$'\n");
}

TEST(CError, OfAMissingHeaderThereIsWhatElseThereIs) {
  SKIP_WITHOUT_C();
  const auto compilation =
      CompileC("", "#include <sys/socket.h>\nint main(void) { return 0; }", "x.c", {});
  ASSERT_FALSE(compilation.program);
  EXPECT_NE(compilation.diagnostics.find("txvm has no sys/socket.h: -I names a folder"),
            std::string::npos)
      << compilation.diagnostics;
  EXPECT_NE(compilation.diagnostics.find(" wchar.h"), std::string::npos);
}

}  // namespace
}  // namespace txvm::tests
