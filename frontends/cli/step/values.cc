#include "frontends/cli/step/values.h"

#include <algorithm>
#include <span>

#include "isa/opcode.h"

namespace txvm::frontends::cli {
namespace {

NumberedValue AsWord(std::uint32_t number, isa::Word word) {
  return {number, isa::Value::I32(isa::Signed(word))};
}

/// The first types, those of `words` words. REQUIRES: they have as many.
std::vector<isa::ValueType> FirstTypes(const std::vector<isa::ValueType>& types,
                                       std::uint32_t words) {
  std::vector<isa::ValueType> first;
  for (std::uint32_t left = words; left != 0 && first.size() < types.size();) {
    const isa::ValueType type = types[first.size()];
    if (isa::WordsOf(type) > left) return {};
    left -= isa::WordsOf(type);
    first.push_back(type);
  }
  return first;
}

/// The types of the topmost operands before the next instruction: the arguments of a function or an
/// export that begins there, or the results that an export has returned. Empty: not known.
std::vector<isa::ValueType> TopTypes(const vm::Machine& machine) {
  const isa::Program& program = machine.program();
  const std::uint32_t ip = machine.ip();
  const isa::Function* function = program.FunctionAt(ip);
  if (function == nullptr) return {};
  const auto found = std::ranges::find(program.exports, function->first, &isa::Export::start);
  std::vector<isa::ValueType> types;
  if (found != program.exports.end()) {
    const bool is_over = ip < program.code.size() && program.code[ip].op() == isa::Opcode::kHalt;
    if (is_over) types = found->result_types;
    if (ip == function->first) types = found->param_types;
  } else if (ip == function->first) {
    types = FirstTypes(function->local_types, function->params);
  }
  return isa::WordsOf(types) <= machine.state().sp ? types : std::vector<isa::ValueType>();
}

}  // namespace

std::uint32_t FrameIp(const vm::State& state, std::uint32_t frame) {
  if (frame == 0) return state.ip;
  return state.frames[state.depth - frame + 1].return_ip - 1;
}

std::uint32_t FrameBase(const vm::State& state, std::uint32_t frame) {
  if (frame == 0) return state.locals_base;
  return state.frames[state.depth - frame + 1].locals_base;
}

std::vector<NumberedValue> Operands(const vm::Machine& machine, std::size_t most) {
  const vm::State& state = machine.state();
  const std::vector<isa::ValueType> types = TopTypes(machine);
  const auto typed = static_cast<std::uint32_t>(isa::WordsOf(types));
  std::vector<isa::Value> values =
      isa::ValuesOfWords(types, {state.slots.data() + state.sp - typed + 1, typed});
  std::vector<NumberedValue> operands;
  for (std::uint32_t slot = state.sp; slot != 0 && operands.size() < most;) {
    if (values.empty()) {
      operands.push_back(AsWord(slot, state.slots[slot]));
      --slot;
      continue;
    }
    slot -= isa::WordsOf(values.back().type);
    operands.push_back({slot + 1, values.back()});
    values.pop_back();
  }
  return operands;
}

std::vector<NumberedValue> Locals(const vm::Machine& machine, std::uint32_t frame) {
  const vm::State& state = machine.state();
  const isa::Function* function = machine.program().FunctionAt(FrameIp(state, frame));
  std::vector<NumberedValue> locals;
  if (function == nullptr) return locals;
  const std::uint32_t base = FrameBase(state, frame);
  const auto there = std::min<std::uint64_t>(
      function->locals, state.locals.size() - std::min<std::uint64_t>(base, state.locals.size()));
  std::uint32_t at = 0;
  for (const isa::ValueType type : function->local_types) {
    const std::uint32_t words = isa::WordsOf(type);
    if (at + words > there) break;
    locals.push_back(
        {at, isa::ValuesOfWords(std::span(&type, 1), {state.locals.data() + base + at, words})
                 .front()});
    at += words;
  }
  for (; at < there; ++at) locals.push_back(AsWord(at, state.locals[base + at]));
  return locals;
}

std::vector<NumberedValue> Globals(const vm::Machine& machine) {
  std::vector<NumberedValue> globals;
  for (std::uint32_t i = 0; i < machine.program().globals.size(); ++i) {
    globals.push_back(AsWord(i, machine.state().locals[i]));
  }
  return globals;
}

}  // namespace txvm::frontends::cli
