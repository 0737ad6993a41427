#include "frontends/cli/triton/files.h"

#include <fmt/format.h>

#include <utility>

#include "frontends/cli/triton/inputs.h"
#include "isa/support/file.h"
#include "isa/support/text.h"
#include "neural/triton/lower/lower.h"
#include "neural/triton/tasm/sections.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/inputs.h"
#include "neural/triton/tir/parser.h"
#include "neural/triton/tir/validate.h"

namespace txvm::frontends::cli {

namespace {

// Gives an error the line of text it is about, so that it shows a caret.
isa::Error WithSource(isa::Error error, const std::string& text, const std::string& name) {
  error.place.file = name;
  error.source_line = isa::ShownLine(text, error.place.line);
  return error;
}

isa::Result<TirFile> ParseProgram(const std::string& text, const std::string& name, bool is_tir,
                                  const TasmReading& reading) {
  TirFile file;
  file.is_tir = is_tir;
  if (file.is_tir) {
    TXVM_TRY(file.tir, triton::ParseTir(text, name));
    auto valid = triton::ValidateTir(file.tir);
    if (!valid) return std::unexpected(WithSource(std::move(valid).error(), text, name));
    file.summary = *std::move(valid);
  } else {
    TXVM_TRY(file.tasm, triton::AssembleTasm(text, reading.isa, name, reading.dialect()));
  }
  auto inputs = triton::DeclaredInputs(text);
  if (!inputs) {
    return std::unexpected(WithSource(std::move(inputs).error(), text, name));
  }
  file.inputs = *std::move(inputs);
  file.declarations = triton::DeclarationsOf(text);
  return file;
}

}  // namespace

void TasmReading::AddTo(Arguments& arguments) {
  arguments.Option("--isa", "NAME", kTasmIsaHelp,
                   [this](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(isa, ParseTasmIsa(text));
                     return {};
                   });
  AddStrictTo(arguments);
}

void TasmReading::AddStrictTo(Arguments& arguments) {
  arguments.Flag("--strict", "Take exactly the assembly that released versions of Triton VM take",
                 strict);
}

isa::Result<std::vector<TirFile>> ReadTirPrograms(const std::string& path,
                                                  const TasmReading& reading) {
  TXVM_TRY(const std::string text, isa::ReadFile(path));
  const std::string name = isa::DisplayName(path);
  TXVM_TRY(const auto sections, triton::SplitSections(text, name));
  std::vector<TirFile> programs;
  for (const triton::ProgramSection& section : sections) {
    TXVM_TRY(TirFile program,
             ParseProgram(triton::AtItsLine(section), name, path.ends_with(".tir"), reading));
    program.section = section.name;
    programs.push_back(std::move(program));
  }
  return programs;
}

isa::Result<std::string> ReadOneProgram(const std::string& path) {
  TXVM_TRY(const std::string text, isa::ReadFile(path));
  const std::string name = isa::DisplayName(path);
  TXVM_TRY(const auto sections, triton::SplitSections(text, name));
  if (sections.size() == 1) return triton::AtItsLine(sections.front());
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("{} holds {} programs, each after a line '=== name'; this command "
                               "takes a file of one",
                               name, sections.size()));
}

isa::Result<TirFile> ReadTirFile(const std::string& path, const TasmReading& reading) {
  TXVM_TRY(const std::string text, ReadOneProgram(path));
  return ParseProgram(text, isa::DisplayName(path), path.ends_with(".tir"), reading);
}

isa::Result<TirFile> ReadTirText(const std::string& path, std::string_view instead) {
  if (path.ends_with(".tir")) return ReadTirFile(path);
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("{} is not named *.tir; {}", isa::DisplayName(path), instead));
}

isa::Result<triton::TasmProgram> AsTasm(const TirFile& file, bool peepholes) {
  if (!file.is_tir) return file.tasm;
  return triton::LowerTir(file.tir, {.peepholes = peepholes});
}

isa::Result<triton::Subject> AsSubject(TirFile file) {
  if (!file.is_tir) return triton::Subject::FromTasm(std::move(file.tasm));
  const std::string name = file.tir.file;
  auto subject = triton::Subject::FromTir(std::move(file.tir));
  if (!subject) {
    isa::Error error = std::move(subject).error();
    error.place.file = name;
    return std::unexpected(std::move(error));
  }
  return subject;
}

}  // namespace txvm::frontends::cli
