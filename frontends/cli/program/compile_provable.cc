#include "frontends/cli/program/compile_provable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <utility>
#include <vector>

#include "frontends/cli/triton/inputs.h"
#include "frontends/provable/lower.h"
#include "frontends/wasm/reader.h"
#include "frontends/wat/legalize.h"
#include "frontends/wat/reader.h"
#include "isa/support/file.h"
#include "isa/support/number.h"
#include "isa/support/text.h"
#include "neural/triton/lower/lower.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/printer.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::uint64_t kMostMemoryWords = std::uint64_t{1} << 30;  // 4 GiB

isa::Result<wat::Module> ReadModule(const Source& source) {
  if (source.format == Format::kWat) return wat::ReadText(source.bytes, source.name);
  if (source.format == Format::kWasm) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(source.bytes.data());
    return wasm::ReadModule(std::span(bytes, source.bytes.size()), source.name);
  }
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("{} is a .{} program; provable code is made from .wat and .wasm, "
                               "whose control flow is structured",
                               source.name, FormatName(source.format)));
}

/// Comments at the head of the output: its source, sizes, input and trust.
std::string Header(const Source& source, const ProvableOptions& options,
                   const std::vector<std::uint64_t>& input, const provable::Lowered& lowered) {
  std::string text =
      fmt::format("// made from {}: {} of input, {}, {} of memory\n", isa::Printable(source.name),
                  isa::CountText(lowered.params, "word"), isa::CountText(lowered.results, "result"),
                  isa::CountText(lowered.layout.memory_words, "word"));
  if (!input.empty()) text += fmt::format("// input: {}\n", fmt::join(input, ","));
  if (options.assume_zero_ram) {
    text +=
        "// --assume-zero-ram: proves nothing unless unwritten RAM is known to be 0; a "
        "prover "
        "chooses it\n";
  }
  return text;
}

}  // namespace

void ProvableOptions::AddTo(Arguments& arguments) {
  arguments.Text("-i,--invoke", "NAME",
                 "Export that a tir or tasm program runs (default: _start, main or the only one)",
                 invoke);
  arguments.Option("--memory-words", "N",
                   "Words of memory a tir or tasm program may use (default: the memory's initial "
                   "size)",
                   [this](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(memory_words,
                              isa::ParseCount("--memory-words", text, kMostMemoryWords));
                     return {};
                   });
  arguments.Flag("--assume-zero-ram", "Do not write the zeros a tir or tasm program expects in RAM",
                 assume_zero_ram);
  arguments.Flag("--locals-in-ram",
                 "Keep no local of a tir or tasm program on the stack, to compare", locals_in_ram);
  arguments.Text("--input", "N,...",
                 "Declare this input in a tir or tasm program, for tir optimize and tir cost",
                 input);
}

std::string_view ProvableOptions::Given() const {
  if (invoke) return "--invoke";
  if (memory_words) return "--memory-words";
  if (!input.empty()) return "--input";
  if (locals_in_ram) return "--locals-in-ram";
  return assume_zero_ram ? "--assume-zero-ram" : "";
}

isa::Result<void> CompileProvable(const Source& source, const ProvableOptions& options,
                                  bool assembly, bool peepholes, const std::string& out,
                                  isa::Console& console) {
  TXVM_TRY(wat::Module module, ReadModule(source));
  TXVM_TRY(module, wat::Legalize(std::move(module)));
  TXVM_TRY(const provable::Lowered lowered,
           provable::LowerModule(module, {options.invoke, options.memory_words,
                                          options.assume_zero_ram, options.locals_in_ram}));
  TXVM_TRY(const std::vector<std::uint64_t> input, ParseElements("--input", options.input));
  std::string text = Header(source, options, input, lowered);
  if (assembly) {
    TXVM_TRY(const triton::TasmProgram program,
             triton::LowerTir(lowered.module, {.peepholes = peepholes}));
    text += triton::DisassembleTasm(program);
  } else {
    text += triton::PrintTir(lowered.module);
  }
  if (options.assume_zero_ram) {
    console.Note(
        "--assume-zero-ram: the program trusts that unwritten RAM is 0, which a prover "
        "may choose otherwise");
  }
  return isa::ReplaceFile(out, text);
}

}  // namespace txvm::frontends::cli
