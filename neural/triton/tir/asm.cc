#include "neural/triton/tir/asm.h"

#include <fmt/format.h>

#include <algorithm>

#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/tasm_step.h"
#include "neural/triton/tir/validate.h"

namespace txvm::triton {
namespace {

// Turns a place in the joined lines into one in the file they come from.
void ToFile(isa::Error& error, const TirOp& op) {
  if (error.place.line == 0 || op.line_places.empty()) return;
  const std::size_t count = op.line_places.size();
  const std::size_t line = std::min<std::size_t>(error.place.line, count);
  // What is missing at the end of the text is missing after its last line.
  if (error.place.line > count) {
    error.place.column = static_cast<std::uint32_t>(op.lines.back().size() + 1);
  }
  error.place.line = op.line_places[line - 1].line;
  error.place.column += op.line_places[line - 1].column - 1;
  error.source_line.clear();  // it is a part of the file's line, and would misplace the caret
}

}  // namespace

isa::Result<TasmProgram> AssembleAsm(const TirOp& op) {
  std::string text;
  for (const std::string& line : op.lines) text += line + "\n";
  auto program = AssembleTasm(text, TasmIsa::kDot, "asm");
  if (!program) {
    isa::Error error = std::move(program).error();
    ToFile(error, op);
    return std::unexpected(std::move(error));
  }
  if (!program->labels.empty()) {
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("asm defines label '{}'; it may only hold straight-line code",
                                 program->labels[0].name));
  }
  for (const TasmInstruction& instruction : program->code) {
    if (IsStraight(instruction.op)) continue;
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("asm holds '{}'; it may only hold straight-line code",
                                 Info(instruction.op).text));
  }
  return program;
}

isa::Result<StackEffect> CheckAsm(const TirOp& op) {
  auto code = AssembleAsm(op);
  if (!code) {
    isa::Error error = std::move(code).error();
    if (error.place.line == 0) error.place = {{}, op.line, op.column};
    error.code = isa::ErrorCode::kInvalid;
    return std::unexpected(std::move(error));
  }
  StackEffect effect;
  for (const TasmInstruction& instruction : code->code) {
    // TASM always has 16 registers; on a TIR stack the words that are read must be there.
    const std::int64_t reads = TasmReads(instruction.op, instruction.arg);
    effect.needs = std::max(effect.needs, reads - effect.net);
    effect.net += TasmNet(instruction.op, instruction.arg);
    effect.needs = std::max(effect.needs, -effect.net);
  }
  if (effect.net != op.count) {
    return std::unexpected(
        isa::Error{isa::ErrorCode::kInvalid,
                   fmt::format("asm declares effect={} but its lines change the stack by {}",
                               op.count, effect.net),
                   {{}, op.line, op.column},
                   {}});
  }
  return effect;
}

}  // namespace txvm::triton
