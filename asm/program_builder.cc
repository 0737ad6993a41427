#include "asm/program_builder.h"

#include <fmt/format.h>

#include <utility>

#include "isa/limits.h"
#include "isa/opcode.h"

namespace txvm::assembler {

using isa::ErrorCode;
using isa::Instruction;
using isa::Opcode;

std::uint32_t ProgramBuilder::AddFunction(FunctionCode function) {
  functions_.push_back(std::move(function));
  return function_count() - 1;
}

void ProgramBuilder::Export(std::string_view name, std::uint32_t function) {
  exports_.push_back({std::string(name), function});
}

isa::Result<void> ProgramBuilder::PlaceFunctions() {
  std::uint64_t size = 0;
  for (const FunctionCode& function : functions_) {
    first_.push_back(static_cast<std::uint32_t>(size));
    size += function.code.size();
    if (size > isa::kMaxInstructions) {
      return isa::Fail(ErrorCode::kLimit, fmt::format("the program needs more than {} instructions",
                                                      isa::kMaxInstructions));
    }
  }
  program_.code.reserve(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    TXVM_CHECK_OK(PlaceFunction(functions_[i], first_[i]));
  }
  return {};
}

isa::Result<void> ProgramBuilder::PlaceFunction(const FunctionCode& function, std::uint32_t first) {
  if (function.locals > isa::kMaxAux) {
    return isa::Fail(ErrorCode::kLimit,
                     fmt::format("function {} has {} locals, at most {} are possible",
                                 function.name, function.locals, isa::kMaxAux));
  }
  for (Instruction instruction : function.code) {
    const bool is_jump = instruction.op() == Opcode::kJz || instruction.op() == Opcode::kJnz;
    if (is_jump) instruction.arg += first;
    program_.code.push_back(instruction);
  }
  for (const CallSite& call : function.calls) {
    if (call.callee >= functions_.size()) {
      return isa::Fail(ErrorCode::kInvalid,
                       fmt::format("function {} calls function {}, but there are {}", function.name,
                                   call.callee, functions_.size()));
    }
    program_.code[first + call.offset] =
        Instruction(Opcode::kCall, first_[call.callee], function.locals);
  }
  const auto last = static_cast<std::uint32_t>(program_.code.size() - 1);
  program_.functions.push_back({first, last, function.params, function.results, function.locals,
                                function.name, function.types.locals});
  // A function without marks must not inherit the last line of the one before it.
  const bool is_marked = !function.lines.empty() && function.lines.front().ip == 0;
  if (!is_marked) MarkLine(first, 0);
  for (const isa::LineMark& mark : function.lines) MarkLine(first + mark.ip, mark.line);
  for (const isa::TrapNote& note : function.notes) {
    program_.notes.push_back({first + note.ip, note.text});
  }
  return {};
}

void ProgramBuilder::MarkLine(std::uint32_t ip, std::uint32_t line) {
  const std::uint32_t current = program_.lines.empty() ? 0 : program_.lines.back().line;
  if (current != line) program_.lines.push_back({ip, line});
}

isa::Result<std::uint32_t> ProgramBuilder::StubOf(std::uint32_t function) {
  if (function >= functions_.size()) {
    return isa::Fail(
        ErrorCode::kInvalid,
        fmt::format("an entry names function {}, but there are {}", function, functions_.size()));
  }
  const auto known = stubs_.find(function);
  if (known != stubs_.end()) return known->second;
  if (program_.code.size() + 2 > isa::kMaxInstructions) {
    return isa::Fail(ErrorCode::kLimit, fmt::format("the program needs more than {} instructions",
                                                    isa::kMaxInstructions));
  }
  const auto stub = static_cast<std::uint32_t>(program_.code.size());
  MarkLine(stub, 0);
  program_.code.emplace_back(Opcode::kCall, first_[function]);
  program_.code.emplace_back(Opcode::kHalt);
  const FunctionCode& callee = functions_[function];
  program_.functions.push_back({stub, stub + 1, callee.params, callee.results, 0, {}, {}});
  stubs_.emplace(function, stub);
  return stub;
}

std::uint32_t ProgramBuilder::EntryFunction() const {
  if (entry_) return *entry_;
  for (const std::string_view name : {"_start", "main"}) {
    for (const NamedExport& exported : exports_) {
      if (exported.name == name) return exported.function;
    }
  }
  return exports_.empty() ? 0 : exports_.front().function;
}

isa::Result<isa::Program> ProgramBuilder::Finish() && {
  TXVM_CHECK_OK(PlaceFunctions());
  for (const NamedExport& exported : exports_) {
    TXVM_TRY(const std::uint32_t stub, StubOf(exported.function));
    const FunctionCode& callee = functions_[exported.function];
    program_.exports.push_back({exported.name, stub, callee.params, callee.results,
                                callee.types.params, callee.types.results});
  }
  TXVM_TRY(program_.entry, StubOf(EntryFunction()));
  if (init_) {
    TXVM_TRY(program_.init, StubOf(*init_));
  }
  return std::move(program_);
}

}  // namespace txvm::assembler
