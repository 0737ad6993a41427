// The cells of a stopped machine as values, where their types are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/value_type.h"
#include "vm/machine.h"
#include "vm/state.h"

namespace txvm::frontends::cli {

/// A value with the number of its first cell; a word whose type is not known is an i32.
struct NumberedValue {
  std::uint32_t number = 0;
  isa::Value value;
};

/// ip of frame `frame`, 0 being the innermost: the next instruction, or the CALL that is waited
/// for. REQUIRES: frame <= state.depth, here and below.
std::uint32_t FrameIp(const vm::State& state, std::uint32_t frame);
/// The slot of the frame's local 0.
std::uint32_t FrameBase(const vm::State& state, std::uint32_t frame);

/// The operand stack, top first, `most` values of it. Types are known of the arguments of a
/// function that is about to begin and of the results of an export that has ended. A value of two
/// slots has the number of the deeper one, its low word.
std::vector<NumberedValue> Operands(const vm::Machine& machine, std::size_t most);
/// The locals of a frame, numbered within it.
std::vector<NumberedValue> Locals(const vm::Machine& machine, std::uint32_t frame);
/// The globals, a word each.
std::vector<NumberedValue> Globals(const vm::Machine& machine);

}  // namespace txvm::frontends::cli
