// Index spaces of a text: which index a $name has.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace txvm::frontends::wat {

/// The names of one index space. Names must outlive it.
class NameTable {
 public:
  /// False when the name is there already.
  bool Add(std::string_view name, std::uint32_t index) {
    return indices_.try_emplace(name, index).second;
  }
  std::optional<std::uint32_t> Find(std::string_view name) const {
    const auto found = indices_.find(name);
    if (found == indices_.end()) return std::nullopt;
    return found->second;
  }
  /// Cost O(names), not O(the most names there ever were).
  void Clear() {
    constexpr std::size_t kKept = 64;
    if (indices_.empty()) return;
    if (indices_.bucket_count() > kKept) {
      indices_ = {};
    } else {
      indices_.clear();
    }
  }
  std::vector<std::string_view> All() const {
    std::vector<std::string_view> names;
    names.reserve(indices_.size());
    for (const auto& [name, index] : indices_) names.push_back(name);
    return names;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> indices_;
};

}  // namespace txvm::frontends::wat
