// GGUF files, versions 2 and 3: typed metadata, then tensors.
//
// Goals: everything is checked against the file before it is believed; strings and tensors are
// views of the file. Non-goals: version 1, big-endian files, element types outside elements.def.
// Source: the format's description, ggml docs/gguf.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/element.h"

namespace txvm::neural::llm {

inline constexpr std::uint32_t kGgufAlignment = 32;  // bytes, unless general.alignment says else
inline constexpr std::size_t kMaxGgufRank = 4;

/// Types of metadata values, numbered as in the file.
enum class GgufType : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kText,
  kArray,
  kU64,
  kI64,
  kF64,
};

/// A metadata value; `raw` views the file. Reading as another type gives nullopt.
struct GgufValue {
  GgufType type = GgufType::kU8;
  GgufType item = GgufType::kU8;      // of an array
  std::uint64_t count = 1;            // items of an array
  std::span<const std::uint8_t> raw;  // the value, or the items one after the other

  std::optional<std::uint64_t> Unsigned() const;  // any integer type, not negative
  std::optional<double> Real() const;             // any number
  std::optional<bool> Bool() const;
  std::optional<std::string_view> Text() const;
  /// The items of an array; nullopt when it is none or holds other things.
  std::optional<std::vector<std::string_view>> Texts() const;
  std::optional<std::vector<double>> Reals() const;
  std::optional<std::vector<std::int64_t>> Integers() const;
};

struct GgufTensor {
  std::string_view name;
  Element type = Element::kF32;
  std::vector<std::size_t> shape;  // outermost first: the reverse of the file's order
  std::span<const std::uint8_t> bytes;
};

struct Gguf {
  std::uint32_t version = 3;
  std::vector<std::pair<std::string_view, GgufValue>> metadata;
  std::vector<GgufTensor> tensors;  // in file order

  /// The value of this key, or nullptr.
  const GgufValue* Find(std::string_view key) const;
};

/// Reads a file that begins with "GGUF". kCorrupt: truncated, a count, string, shape or offset that
/// leaves the file, tensors that overlap or share a name, a bad alignment. kUnsupported: other
/// versions and element types. Allocates in proportion to the header.
isa::Result<Gguf> ReadGguf(std::span<const std::uint8_t> file);

/// Writes metadata; finish with the tensors' bytes, each padded to kGgufAlignment.
class GgufHeader {
 public:
  void Add(std::string_view key, std::string_view text);
  void Add(std::string_view key, std::uint32_t value);
  void Add(std::string_view key, float value);
  void Add(std::string_view key, bool value);
  void Add(std::string_view key, std::span<const std::string_view> texts);
  void Add(std::string_view key, std::span<const float> values);
  void Add(std::string_view key, std::span<const std::int32_t> values);

  /// All metadata of another header, after this one's.
  void Append(const GgufHeader& other) {
    values_ += other.values_;
    count_ += other.count_;
  }
  /// The file up to the data, for tensors that follow in this order; `bytes` is read for its size.
  std::string Bytes(std::span<const GgufTensor> tensors) const;

 private:
  void Key(std::string_view key, GgufType type);
  void ArrayOf(GgufType item, std::size_t count);
  std::string values_;
  std::uint64_t count_ = 0;
};

}  // namespace txvm::neural::llm
