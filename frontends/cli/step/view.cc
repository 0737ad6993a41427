#include "frontends/cli/step/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/cli/step/values.h"
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

/// "2.5 (f64)", an i32 as a word.
std::string Row(std::string_view what, std::uint64_t index, const isa::Value& value) {
  if (value.type == isa::ValueType::kI32) {
    return fmt::format("  {} {:>6}  {}\n", what, index,
                       Word(static_cast<isa::Word>(value.AsI32())));
  }
  return fmt::format("  {} {:>6}  {} ({})\n", what, index, isa::ValueText(value),
                     isa::TypeText(value.type));
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
  for (const auto& [slot, value] : Operands(machine, most)) text += Row("slot", slot, value);
  return text;
}

std::string LocalsText(const vm::Machine& machine, std::uint32_t frame) {
  const isa::Program& program = machine.program();
  const std::uint32_t ip = FrameIp(machine.state(), frame);
  const isa::Function* function = program.FunctionAt(ip);
  std::string text =
      fmt::format("frame {} in {}: {} at slot {}\n", frame, PlaceText(program, ip),
                  isa::CountText(function == nullptr ? 0 : function->locals, "local"),
                  FrameBase(machine.state(), frame));
  for (const auto& [number, value] : Locals(machine, frame)) text += Row("local", number, value);
  return text;
}

std::string GlobalsText(const vm::Machine& machine) {
  std::string text = isa::CountText(machine.program().globals.size(), "global") + "\n";
  for (const auto& [number, value] : Globals(machine)) text += Row("global", number, value);
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
