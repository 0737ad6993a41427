#include "frontends/provable/layout.h"

#include <algorithm>
#include <numeric>

namespace txvm::frontends::provable {
namespace {

using triton::TirCode;

constexpr std::uint32_t kBatch = 5;  // words that write_mem takes
// Values that are moved on the stack when more words than this lie on top of what is dropped: above
// it a way through RAM is shorter.
constexpr std::uint32_t kMostKept = 8;

/// Whether dup and swap reach every local of `order` (deepest first) at its worst use.
bool Reachable(const Tree& tree, const std::vector<std::uint32_t>& order) {
  const auto size = static_cast<std::uint32_t>(order.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t above = size - 1 - i;
    if (above + tree.locals[order[i]].reach >= kRegisters) return false;
  }
  return true;
}

/// Parameters in their order, then the others, those used under the most operands on top.
std::vector<std::uint32_t> WithLocal(const Tree& tree, std::uint32_t params,
                                     std::vector<std::uint32_t> order, std::uint32_t local) {
  order.push_back(local);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const auto key = [&](std::uint32_t i) {
      return i < params ? std::pair(0u, i) : std::pair(1 + tree.locals[i].reach, i);
    };
    return key(a) < key(b);
  });
  return order;
}

std::vector<std::uint32_t> ChooseStackLocals(const Tree& tree, std::uint32_t params) {
  std::vector<std::uint32_t> by_weight;
  for (std::uint32_t i = 0; i < tree.locals.size(); ++i) {
    const bool reachable_param = i >= params || params < kRegisters;
    if (tree.locals[i].weight > 0 && reachable_param) by_weight.push_back(i);
  }
  std::ranges::stable_sort(by_weight, std::ranges::greater{},
                           [&](std::uint32_t i) { return tree.locals[i].weight; });
  std::vector<std::uint32_t> order;
  for (const std::uint32_t local : by_weight) {
    if (order.size() == kRegisters - 1) break;
    std::vector<std::uint32_t> with = WithLocal(tree, params, order, local);
    if (Reachable(tree, with)) order = std::move(with);
  }
  return order;
}

/// Moves the frame's cells to the save stack. The pointer is on top meanwhile.
void Save(Code& code, const Frame& frame, const Layout& layout) {
  code.Load(layout.save_cell);
  for (std::uint32_t i = 0; i < frame.cell_count; ++i) {
    code.Load(frame.cells + i);
    code.Swap(1);
    code.Op(TirCode::kWriteMem, 1);
  }
  code.Store(layout.save_cell);
}

/// Moves them back, last first.
void Restore(Code& code, const Frame& frame, const Layout& layout) {
  code.Load(layout.save_cell);
  code.Push(1);
  code.Op(TirCode::kSub);
  for (std::uint32_t i = frame.cell_count; i-- > 0;) {
    code.Op(TirCode::kReadMem, 1);
    code.Swap(1);
    code.Store(frame.cells + i);
  }
  code.Push(1);
  code.Op(TirCode::kAdd);
  code.Store(layout.save_cell);
}

}  // namespace

Frame PlaceLocals(const Tree& tree, std::uint32_t params, bool recursive, bool in_ram,
                  Layout& layout) {
  Frame frame;
  frame.params = params;
  frame.locals.resize(tree.locals.size());
  if (!in_ram) frame.order = ChooseStackLocals(tree, params);
  for (std::uint32_t i = 0; i < frame.order.size(); ++i) {
    frame.locals[frame.order[i]].above = frame.stack_locals() - 1 - i;
  }
  frame.cells = layout.next_cell;
  for (std::uint32_t i = 0; i < frame.locals.size(); ++i) {
    if (tree.locals[i].weight == 0 || std::ranges::find(frame.order, i) != frame.order.end()) {
      continue;
    }
    frame.locals[i].address = layout.Allocate(1);
    ++frame.cell_count;
  }
  frame.saves = recursive && frame.cell_count > 0;
  if (frame.saves && layout.save_cell == 0) layout.save_cell = layout.Allocate(1);
  return frame;
}

Code EnterFrame(const Frame& frame, const Layout& layout) {
  Code code;
  if (frame.saves) Save(code, frame, layout);
  std::uint32_t kept = 0;  // parameters that stay, above the one looked at
  for (std::uint32_t i = frame.params; i-- > 0;) {
    const LocalPlace& place = frame.locals[i];
    const bool stays = std::ranges::find(frame.order, i) != frame.order.end();
    if (stays) {
      ++kept;
    } else if (place.address) {
      code.Pick(kept);
      code.Store(*place.address);
    } else {
      code.DropUnder(1, kept);
    }
  }
  for (const std::uint32_t local : frame.order) {
    if (local >= frame.params) code.Push(0);
  }
  std::uint64_t zeros = 0;  // cells at the end that are no parameters
  for (std::uint32_t i = frame.params; i < frame.locals.size(); ++i) {
    zeros += frame.locals[i].address ? 1 : 0;
  }
  code.Append(ZeroCells(frame.cells + frame.cell_count - zeros, zeros));
  return code;
}

Code LeaveFrame(const Frame& frame, const Layout& layout, std::uint32_t results) {
  Code code;
  if (results > kMostKept && frame.stack_locals() > 0) {
    code.StoreMany(layout.carry, results);
    code.Pop(frame.stack_locals());
    code.LoadMany(layout.carry, results);
  } else {
    code.DropUnder(frame.stack_locals(), results);
  }
  if (frame.saves) Restore(code, frame, layout);
  return code;
}

Code ZeroRound() {
  Code code;
  code.Swap(1);
  for (std::uint32_t run = 0; run < kZeroRuns; ++run) {
    for (std::uint32_t i = 0; i < kRunWords; ++i) code.Push(0);
    code.Dup(kRunWords);
    for (std::uint32_t i = 0; i < kRunWords; i += kBatch) code.Op(TirCode::kWriteMem, kBatch);
    code.Swap(1);
    code.Pop(1);
  }
  code.Swap(1);
  return code;
}

Code ZeroCells(std::uint64_t address, std::uint64_t count) {
  Code code;
  while (count > 0) {
    const auto words = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, kBatch));
    for (std::uint32_t i = 0; i < words; ++i) code.Push(0);
    code.StoreMany(address, words);
    address += words;
    count -= words;
  }
  return code;
}

}  // namespace txvm::frontends::provable
