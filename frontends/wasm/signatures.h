// The function types of a module, each once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "frontends/wasm/module.h"

namespace txvm::frontends::wasm {

/// Finds or adds signatures, so that equal indices mean equal types. Cost O(log size); nobody else
/// may change `signatures` while it is used.
class SignatureTable {
 public:
  explicit SignatureTable(std::vector<wat::Signature>& signatures)
      : signatures_(signatures), order_(Less{&signatures}) {}

  std::uint32_t Intern(wat::Signature signature) {
    const auto next = static_cast<std::uint32_t>(signatures_.size());
    signatures_.push_back(std::move(signature));
    const auto [found, is_new] = order_.insert(next);
    if (!is_new) signatures_.pop_back();
    return *found;
  }

  /// That of a block without parameters, with one result or none.
  std::uint32_t OfBlock(std::optional<wat::ValueType> result) {
    if (result && *result > wat::ValueType::kOther) return Intern({{}, {*result}});
    const std::size_t slot = result ? static_cast<std::size_t>(*result) + 1 : 0;
    if (!blocks_[slot]) {
      wat::Signature signature;
      if (result) signature.results.push_back(*result);
      blocks_[slot] = Intern(std::move(signature));
    }
    return *blocks_[slot];
  }

 private:
  struct Less {
    const std::vector<wat::Signature>* signatures;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      const wat::Signature &left = (*signatures)[a], &right = (*signatures)[b];
      if (left.params != right.params) return left.params < right.params;
      return left.results < right.results;
    }
  };
  static constexpr std::size_t kSlots = 1 + static_cast<std::size_t>(wat::ValueType::kOther) + 1;

  std::vector<wat::Signature>& signatures_;
  std::set<std::uint32_t, Less> order_;
  std::array<std::optional<std::uint32_t>, kSlots> blocks_;
};

}  // namespace txvm::frontends::wasm
