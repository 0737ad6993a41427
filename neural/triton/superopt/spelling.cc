#include "neural/triton/superopt/spelling.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "neural/triton/superopt/moves.h"

namespace txvm::triton {
namespace {

constexpr std::size_t kRate = 10;  // words that a permutation takes in

// The starts of blocks that may stand in any order, and the end of the program; the first block
// stays. Empty where the last block runs over the end.
std::vector<std::size_t> Blocks(const TasmProgram& program) {
  std::vector<std::size_t> starts = {0};
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    if (EndsBlock(program, i)) starts.push_back(i + 1);
  }
  return starts.back() == program.code.size() ? starts : std::vector<std::size_t>();
}

TasmProgram Reordered(const TasmProgram& program, const std::vector<std::size_t>& blocks,
                      TirRng& rng) {
  std::vector<std::size_t> order(blocks.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i-- > 2;) {
    std::swap(order[i], order[1 + rng.Below(i)]);
  }
  TasmProgram moved = program;
  moved.code.clear();
  moved.error_ids.clear();
  moved.lines.clear();
  for (const std::size_t block : order) {
    const std::size_t start = blocks[block], end = blocks[block + 1];
    const std::size_t at = moved.code.size();
    for (std::size_t i = 0; i < program.labels.size(); ++i) {
      const std::size_t index = program.labels[i].index;
      if (index >= start && index < end) moved.labels[i].index = at + index - start;
    }
    for (const TasmErrorId& id : program.error_ids) {
      if (id.index >= start && id.index < end) {
        moved.error_ids.push_back({at + id.index - start, id.id});
      }
    }
    moved.code.insert(moved.code.end(), program.code.begin() + static_cast<std::ptrdiff_t>(start),
                      program.code.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return moved;
}

}  // namespace

TasmProgram Respelled(const TasmProgram& program, TirRng& rng) {
  const std::vector<std::size_t> blocks = Blocks(program);
  const bool at_end = std::ranges::any_of(
      program.labels, [&](const TasmLabel& label) { return label.index == program.code.size(); });
  TasmProgram spelled = blocks.empty() || at_end ? program : Reordered(program, blocks, rng);
  for (TasmInstruction& instruction : spelled.code) {
    const bool exchanges = instruction.arg == 1 &&
                           (instruction.op == TasmOp::kSwap || instruction.op == TasmOp::kPick ||
                            instruction.op == TasmOp::kPlace);
    constexpr TasmOp kNames[] = {TasmOp::kSwap, TasmOp::kPick, TasmOp::kPlace};
    if (exchanges) instruction.op = kNames[rng.Below(3)];
  }
  if (blocks.empty() || at_end) return spelled;
  // The words and one more for their padding fill tens.
  std::size_t room = kRate - 1 - TasmWordCount(spelled.code) % kRate;
  for (; room >= 2; room -= 2) spelled.code.push_back({TasmOp::kPush, rng.Element()});
  return spelled;
}

}  // namespace txvm::triton
