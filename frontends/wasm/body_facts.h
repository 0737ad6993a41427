// What the passes over whole modules need to know of bodies that are not kept.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// Collects BodyFacts body by body.
class FactCollector {
 public:
  /// `wants_calls`: BodyFacts::calls is filled. Only jumps.h asks for it.
  explicit FactCollector(bool wants_calls) : wants_calls_(wants_calls) {}

  /// Instructions of the body of function `index`: all, or some after the other. Cost
  /// O(instructions).
  void Add(std::uint32_t index, std::span<const Instr> body);
  /// Whether a body has an instruction whose pass needs every body at once.
  bool needs_whole() const { return needs_whole_; }
  const BodyFacts& facts() const { return facts_; }

 private:
  using Key = std::tuple<InstrKind, std::uint32_t, std::uint32_t>;

  bool wants_calls_;
  bool needs_whole_ = false;
  std::set<Key> known_;
  std::vector<CallEdge> calls_;  // of one body
  BodyFacts facts_;
};

}  // namespace txvm::frontends::wat
