#include "tests/vm/folded/compiled_c.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "isa/support/system/child_process.h"
#include "isa/support/system/temp_file.h"
#include "vm/folded/attached.h"
#include "vm/folded/c_text.h"
#include "vm/prepared.h"

namespace txvm::vm {
namespace {

constexpr double kMostCompilerSeconds = 600;

std::string Compiler() { return isa::FindProgram("cc"); }

}  // namespace

std::string WhyNoCompiler() {
#ifdef TXVM_FOLDED_SANITIZED
  return "a sanitizer does not know frames that longjmp leaves";
#else
  return Compiler().empty() ? "no cc on PATH" : "";
#endif
}

isa::Result<CompiledC> CompiledC::Compile(
    const std::vector<std::shared_ptr<const isa::Program>>& programs, const std::string& level) {
  TXVM_TRY(const isa::TempFile object, isa::TempFile::Create("", ".so"));
  std::vector<isa::TempFile> texts;
  std::vector<std::string> command = {
      Compiler(), "-std=c99",   "-Wall", "-Wextra", "-Werror",
      level,      "-shared",    "-fPIC", "-I",      TXVM_SOURCE_DIR "/vm",
      "-o",       object.path()};
  for (std::size_t i = 0; i < programs.size(); ++i) {
    TXVM_TRY(const std::string text, folded::CText(*programs[i], fmt::format("program{}", i)));
    TXVM_TRY(isa::TempFile file, isa::TempFile::Create(text, ".c"));
    command.push_back(file.path());
    texts.push_back(std::move(file));
  }
  TXVM_TRY(const isa::ChildResult run, isa::RunChild(command, "", kMostCompilerSeconds));
  if (run.exit_code != 0) return isa::Fail(isa::ErrorCode::kHost, run.err);
  void* const library = dlopen(object.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return isa::Fail(isa::ErrorCode::kHost, dlerror());
  CompiledC compiled;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const void* const found = dlsym(library, fmt::format("program{}", i).c_str());
    if (found == nullptr) return isa::Fail(isa::ErrorCode::kHost, "no table in the object");
    compiled.folded_.push_back(static_cast<const txvm_folded_program*>(found));
  }
  return compiled;
}

std::string CompiledDiffers(const std::vector<Work>& works, const std::string& level) {
  constexpr int kPiecesOfCompiled = 60;
  std::vector<std::shared_ptr<const isa::Program>> programs;
  for (const Work& work : works) programs.push_back(work.program);
  const isa::Result<CompiledC> compiled = CompiledC::Compile(programs, level);
  if (!compiled) return compiled.error().message;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const auto prepared = Prepared::Create(works[i].program).value();
    const isa::Result<void> attached = folded::Attach(*prepared, compiled->Folded(i));
    if (!attached) return attached.error().message;
    std::string difference = PiecesDiffer(prepared, works[i], i, kPiecesOfCompiled);
    if (!difference.empty()) return difference;
  }
  return {};
}

}  // namespace txvm::vm
