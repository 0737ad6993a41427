#include "frontends/cli/step/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/disassemble.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
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
  for (std::uint32_t slot = state.sp; slot != 0 && state.sp - slot < most; --slot) {
    text += Row("slot", slot, state.slots[slot]);
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
  for (std::uint32_t i = 0; i < locals && base + i < state.locals.size(); ++i) {
    text += Row("local", i, state.locals[base + i]);
  }
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
