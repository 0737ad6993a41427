// Index spaces of a text: which index a $name has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace txvm::frontends::wat {

/// The first and the last eight bytes of a name, zeros for what it lacks: with the size, all of one
/// that has at most sixteen.
struct NameEnds {
  std::uint64_t front = 0, back = 0;
  friend bool operator==(const NameEnds&, const NameEnds&) = default;
};

inline constexpr std::size_t kNameEndsBytes = 16;

inline NameEnds EndsOf(std::string_view name) {
  NameEnds ends;
  if (name.size() >= sizeof ends.front) {
    std::memcpy(&ends.front, name.data(), sizeof ends.front);
    std::memcpy(&ends.back, name.data() + name.size() - sizeof ends.back, sizeof ends.back);
  } else {
    for (std::size_t i = 0; i < name.size(); ++i) {
      ends.front |= std::uint64_t{static_cast<std::uint8_t>(name[i])} << (8 * i);
    }
  }
  return ends;
}

/// A hash of a name. A long one costs O(name).
inline std::uint64_t HashName(std::string_view name, const NameEnds& ends) {
  constexpr std::uint64_t kFirst = 0x9E37'79B9'7F4A'7C15, kSecond = 0xC2B2'AE3D'27D4'EB4F;
  constexpr int kShift = 29;
  std::uint64_t hash = (ends.front ^ name.size()) * kFirst ^ ends.back * kSecond;
  for (std::size_t i = sizeof ends.front; i + kNameEndsBytes < name.size() + sizeof ends.front;
       i += sizeof ends.front) {
    std::uint64_t word = 0;
    std::memcpy(&word, name.data() + i, sizeof word);
    hash = (hash ^ word ^ hash >> kShift) * kSecond;
  }
  return (hash ^ hash >> kShift) * kFirst;
}

/// The names of one index space. Names must outlive it.
class NameTable {
 public:
  /// False when the name is there already.
  bool Add(std::string_view name, std::uint32_t index) {
    if (slots_.size() < 2 * (entries_.size() + 1)) Grow();
    const NameEnds ends = EndsOf(name);
    std::size_t slot = HashName(name, ends) & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      if (IsOf(entries_[slots_[slot] - 1], name, ends)) return false;
    }
    entries_.push_back({name, ends, index});
    slots_[slot] = static_cast<std::uint32_t>(entries_.size());
    return true;
  }
  std::optional<std::uint32_t> Find(std::string_view name) const {
    if (slots_.empty()) return std::nullopt;
    const NameEnds ends = EndsOf(name);
    std::size_t slot = HashName(name, ends) & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const Entry& entry = entries_[slots_[slot] - 1];
      if (IsOf(entry, name, ends)) return entry.index;
    }
    return std::nullopt;
  }
  /// Cost O(names), not O(the most names there ever were).
  void Clear() {
    constexpr std::size_t kKept = 64;
    if (entries_.empty()) return;
    const std::size_t kept = slots_.size() <= kKept ? slots_.size() : 0;
    slots_.assign(kept, 0);
    entries_.clear();
  }
  std::vector<std::string_view> All() const {
    std::vector<std::string_view> names;
    names.reserve(entries_.size());
    for (const Entry& entry : entries_) names.push_back(entry.name);
    return names;
  }

 private:
  struct Entry {
    std::string_view name;
    NameEnds ends;
    std::uint32_t index = 0;
  };

  static bool IsOf(const Entry& entry, std::string_view name, const NameEnds& ends) {
    return entry.name.size() == name.size() && entry.ends == ends &&
           (name.size() <= kNameEndsBytes || entry.name == name);
  }
  void Grow() {
    constexpr std::size_t kLeast = 16;
    slots_.assign(slots_.empty() ? kLeast : 2 * slots_.size(), 0);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      std::size_t slot = HashName(entry.name, entry.ends) & (slots_.size() - 1);
      while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::uint32_t>(i + 1);
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // number of an entry from 1; a power of two of them
};

}  // namespace txvm::frontends::wat
