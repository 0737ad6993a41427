#include "frontends/cli/step/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/disassemble.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
#include "isa/value_text.h"
#include "vm/state.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::uint32_t kAround = 4;  // lines and instructions shown on either side

std::string Word(isa::Word word) {
  return word > 9 ? fmt::format("{} (0x{:x})", isa::Signed(word), word) : fmt::format("{}", word);
}

/// "" or "name", aligned after an index.
std::string Row(std::string_view what, std::uint64_t index, isa::Word word) {
  return fmt::format("  {} {:>6}  {}\n", what, index, Word(word));
}

/// The same for a value of a type that is known: "2.5 (f64)", an i32 as a word.
std::string Row(std::string_view what, std::uint64_t index, const isa::Value& value) {
  if (value.type == isa::ValueType::kI32) {
    return Row(what, index, static_cast<isa::Word>(value.AsI32()));
  }
  return fmt::format("  {} {:>6}  {} ({})\n", what, index, isa::ValueText(value),
                     isa::TypeText(value.type));
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

/// ip of frame `frame`: the next instruction, or the CALL that is waited for.
std::uint32_t FrameIp(const vm::State& state, std::uint32_t frame) {
  if (frame == 0) return state.ip;
  return state.frames[state.depth - frame + 1].return_ip - 1;
}

std::uint32_t FrameBase(const vm::State& state, std::uint32_t frame) {
  if (frame == 0) return state.locals_base;
  return state.frames[state.depth - frame + 1].locals_base;
}

}  // namespace

std::string NextText(const vm::Machine& machine) {
  constexpr std::size_t kShown = 6;  // slots
  const vm::State& state = machine.state();
  const isa::Program& program = machine.program();
  std::string text = fmt::format("step {:<8} ip {:<6} ", state.steps, state.ip);
  if (state.ip < program.code.size()) {
    text += fmt::format("{:<22} {}", isa::InstructionText(program, program.code[state.ip]),
                        PlaceAndLine(program, state.ip));
  } else {
    text += "outside the program";
  }
  text += fmt::format("  stack {}:", state.sp);
  const std::uint32_t shown = std::min<std::uint32_t>(state.sp, kShown);
  if (shown < state.sp) text += " ...";
  for (std::uint32_t slot = state.sp - shown + 1; slot <= state.sp; ++slot) {
    text += fmt::format(" {}", isa::Signed(state.slots[slot]));
  }
  return text + "\n";
}

std::string StackText(const vm::Machine& machine, std::size_t most) {
  const vm::State& state = machine.state();
  std::string text = isa::CountText(state.sp, "operand") + "\n";
  const std::vector<isa::ValueType> types = TopTypes(machine);
  const auto typed = static_cast<std::uint32_t>(isa::WordsOf(types));
  std::vector<isa::Value> values =
      isa::ValuesOfWords(types, {state.slots.data() + state.sp - typed + 1, typed});
  std::size_t rows = 0;
  for (std::uint32_t slot = state.sp; slot != 0 && rows < most; ++rows) {
    if (values.empty()) {
      text += Row("slot", slot, state.slots[slot]);
      --slot;
      continue;
    }
    slot -= isa::WordsOf(values.back().type);
    text += Row("slot", slot + 1, values.back());
    values.pop_back();
  }
  return text;
}

std::string LocalsText(const vm::Machine& machine, std::uint32_t frame) {
  const vm::State& state = machine.state();
  const isa::Program& program = machine.program();
  const std::uint32_t ip = FrameIp(state, frame);
  const isa::Function* function = program.FunctionAt(ip);
  const std::uint32_t base = FrameBase(state, frame);
  const std::uint32_t locals = function == nullptr ? 0 : function->locals;
  std::string text = fmt::format("frame {} in {}: {} at slot {}\n", frame, PlaceText(program, ip),
                                 isa::CountText(locals, "local"), base);
  const auto there = std::min<std::uint64_t>(
      locals, state.locals.size() - std::min<std::uint64_t>(base, state.locals.size()));
  std::uint32_t at = 0;
  for (const isa::ValueType type :
       function == nullptr ? std::vector<isa::ValueType>() : function->local_types) {
    const std::uint32_t words = isa::WordsOf(type);
    if (at + words > there) break;
    const isa::Value value =
        isa::ValuesOfWords(std::span(&type, 1), {state.locals.data() + base + at, words}).front();
    text += Row("local", at, value);
    at += words;
  }
  for (; at < there; ++at) text += Row("local", at, state.locals[base + at]);
  return text;
}

std::string GlobalsText(const vm::Machine& machine) {
  const std::size_t globals = machine.program().globals.size();
  std::string text = isa::CountText(globals, "global") + "\n";
  for (std::size_t i = 0; i < globals; ++i) text += Row("global", i, machine.state().locals[i]);
  return text;
}

std::string MemoryText(const vm::Machine& machine, std::uint64_t address, std::uint64_t count) {
  constexpr std::uint64_t kPerLine = 16;
  const vm::LinearMemory& memory = machine.memory();
  const std::uint64_t end = std::min(memory.size_bytes(), address + count);
  std::string text;
  if (address >= end) {
    return fmt::format("address {} is outside the memory of {} bytes\n", address,
                       isa::Grouped(memory.size_bytes()));
  }
  for (std::uint64_t at = address; at < end; at += kPerLine) {
    text += fmt::format("  {:>8x} ", at);
    std::string letters;
    for (std::uint64_t i = at; i < at + kPerLine; ++i) {
      text += i < end ? fmt::format(" {:02x}", memory.data()[i]) : "   ";
      if (i >= end) continue;
      const char letter = static_cast<char>(memory.data()[i]);
      letters += letter >= ' ' && letter <= '~' ? letter : '.';
    }
    text += fmt::format("  {}\n", letters);
  }
  return text;
}

std::string BacktraceText(const vm::Machine& machine, std::size_t most) {
  const vm::State& state = machine.state();
  std::string text;
  for (std::uint32_t frame = 0; frame <= state.depth && frame < most; ++frame) {
    text +=
        fmt::format("  #{:<5} {}\n", frame, PlaceAndLine(machine.program(), FrameIp(state, frame)));
  }
  if (state.depth >= most) {
    text += fmt::format("  ... {} more\n", isa::Grouped(state.depth + 1 - most));
  }
  return text;
}

std::string SourceListing(const SourceText& source, std::uint32_t line) {
  if (line == 0 || line > source.lines()) return "no source for this instruction\n";
  std::string text;
  const std::uint32_t first = line > kAround ? line - kAround : 1;
  for (std::uint32_t i = first; i <= std::min(source.lines(), line + kAround); ++i) {
    text += fmt::format("{} {:>5}  {}\n", i == line ? ">" : " ", i, source.Line(i));
  }
  return text;
}

std::string CodeListing(const vm::Machine& machine) {
  const isa::Program& program = machine.program();
  const std::uint32_t ip = machine.ip();
  std::string text;
  for (std::uint64_t i = ip > kAround ? ip - kAround : 0;
       i <= std::uint64_t{ip} + kAround && i < program.code.size(); ++i) {
    const auto at = static_cast<std::uint32_t>(i);
    text += fmt::format("{} {:>6}  {:<24} {}\n", at == ip ? ">" : " ", at,
                        isa::InstructionText(program, program.code[at]), PlaceAndLine(program, at));
  }
  return text;
}

}  // namespace txvm::frontends::cli
