// The input of the network: the values of a run as nodes, and a state of the search as 16 words of
// 8 numbers. All numbers are integers in units of 2^-16, the same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "neural/triton/superopt/guide.h"
#include "neural/triton/superopt/model.h"

namespace txvm::triton::guide {

/// Sizes of the network's input, and its unit: kOne is the number 1.
inline constexpr std::size_t kNodes = 32;       // of a run, at most; values beyond have none
inline constexpr std::size_t kWidth = 64;       // of a node
inline constexpr std::size_t kScalars = 4;      // numbers of a node that are projected
inline constexpr std::size_t kWords = 16;       // of the stack that the network sees
inline constexpr std::size_t kLanes = 8;        // numbers of each
inline constexpr std::size_t kLearntLanes = 3;  // those that the encoder gives for the node
inline constexpr std::size_t kState = kWords * kLanes;
inline constexpr std::uint8_t kNoNode = 0xFF;
inline constexpr std::int32_t kOne = 1 << 16;

/// The values of a run as a graph. Node i has kWidth fixed numbers and kScalars more:
///   0..15   signs of what makes the value: an instruction, or a kind of source
///   16..31  its own number, as a Walsh code; 32..47 and 48..63 those of its first two operands
///   scalars when it is made and when it is used last (by the operations in their order, then the
///           events, then all else at once), how often, where it ends in the stack
struct RunNodes {
  std::size_t count = 0;
  std::array<std::array<std::int32_t, kWidth>, kNodes> codes{};
  std::array<std::array<std::int32_t, kScalars>, kNodes> scalars{};
  std::vector<std::uint8_t> of_value;  // node by value, or kNoNode
};

/// The nodes of a run. A value of the start stack has no node when nothing uses or moves it. Of
/// more than kNodes values, the last have none.
RunNodes NodesOf(const BlockModel& model);

/// A state: word i is the i-th from the top, and has
///   0..2  what the encoder says of its node (filled in by the network)
///   3     words still needed of its value less those there are
///   4     whether the word is somewhere else at the end
///   5     whether the next instruction that could run takes it (1), the one after that (1/2), ..
///   6     as which operand
///   7     one number of the whole state: the work left of one kind
struct StateInput {
  std::array<std::uint8_t, kWords> nodes{};
  std::array<std::int32_t, kState> lanes{};  // word by word
};

/// A state as the network sees it; lanes 0..2 of each word are left 0.
StateInput Describe(const BlockModel& model, const RunNodes& nodes, const GuidedState& state);

/// A move as two choices of the network: the instruction, and its argument.
struct MoveCode {
  std::uint8_t op;  // row of ops.def
  std::uint8_t
      arg;  // 0..15: register, count, or number of a constant among the model's, 15 at most
  bool has_arg;
};
/// The choices for a move.
MoveCode CodeOf(const BlockModel& model, const TasmInstruction& instruction);

}  // namespace txvm::triton::guide
