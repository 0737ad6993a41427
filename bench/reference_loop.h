// The yardstick: how fast a plain interpreter of this machine can be on this computer.
// Goals: computed goto, decoded code, top of the stack in a register; nothing else.
// Non-goals: fuel, limits, interrupts, traces, bounds checks, host functions. It may run only what
// an engine has run to `halted` before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/program.h"
#include "isa/support/result.h"
#include "isa/word_ops.h"

namespace txvm::bench {

/// One decoded instruction.
struct DecodedInstruction {
  const void* handler = nullptr;
  std::uint32_t arg = 0;
  std::uint32_t aux = 0;
};

/// What CALL saves.
struct ReferenceFrame {
  const DecodedInstruction* ip = nullptr;
  isa::Word* locals = nullptr;
};

/// A program decoded for the loop, with its memory and locals, which persist from run to run.
class ReferenceLoop {
 public:
  /// kUnsupported for a program with imports, kInvalid for one with an unknown opcode.
  static isa::Result<ReferenceLoop> Load(const isa::Program& program);

  /// Runs from the stub `start` with `args` as the operand stack; returns the whole stack at HALT.
  /// REQUIRES: an engine halts on the same calls in the same order within kSlots operand slots,
  /// kFrames frames and kLocals locals. kInvalid at TRAP.
  isa::Result<std::vector<isa::Word>> Run(std::uint32_t start, std::span<const isa::Word> args);

  static constexpr std::size_t kSlots = 1u << 20;
  static constexpr std::size_t kFrames = 200'000;
  static constexpr std::size_t kLocals = 4u << 20;

 private:
  std::vector<DecodedInstruction> code_;
  std::vector<isa::Word> slots_;
  std::vector<isa::Word> locals_;
  std::vector<ReferenceFrame> frames_;
  std::vector<std::uint8_t> memory_;
  std::uint32_t globals_ = 0;
};

}  // namespace txvm::bench
