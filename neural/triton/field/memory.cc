#include "neural/triton/field/memory.h"

#include <algorithm>

namespace txvm::triton {
namespace {

constexpr std::size_t kFirstSlots = 16;  // slots of a map's first table

std::size_t NextSize(std::size_t slots) { return slots == 0 ? kFirstSlots : 2 * slots; }

}  // namespace

std::vector<std::pair<std::uint64_t, std::uint64_t>> TasmRam::Sorted() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> words;
  words.reserve(size_);
  for (const Slot& slot : slots_) {
    if (slot.address != kEmpty) words.emplace_back(slot.address, slot.value);
  }
  std::ranges::sort(words);
  return words;
}

bool TasmRam::Grow(MemoryBudget& budget) {
  const std::size_t size = NextSize(slots_.size());
  if (!budget.Take((size - slots_.size()) * sizeof(Slot))) return false;
  std::vector<Slot> old(size);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.address != kEmpty) slots_[Find(slot.address)] = slot;
  }
  return true;
}

bool U32Set::Grow(MemoryBudget& budget) {
  const std::size_t size = NextSize(slots_.size());
  if (!budget.Take((size - slots_.size()) * sizeof(Slot))) return false;
  std::vector<Slot> old(size);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.kind != U32Kind::kNone) slots_[Find(slot)] = slot;
  }
  return true;
}

}  // namespace txvm::triton
