#include "isa/support/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <utility>

#include "isa/support/json.h"
#include "isa/support/text.h"

namespace txvm::isa {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor bytes are copied as they are");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kAlignment = 8;  // of the data, as the format recommends

std::unexpected<Error> Corrupt(std::string_view tensor, std::string_view what) {
  return Fail(ErrorCode::kCorrupt,
              fmt::format("safetensors tensor '{}': {}", Printable(tensor), what));
}

struct ElementSize {
  std::string_view dtype;
  std::size_t bytes;
};
constexpr ElementSize kElementSizes[] = {{"F32", 4},  {"F16", 2},     {"BF16", 2},   {"F64", 8},
                                         {"I64", 8},  {"U64", 8},     {"I32", 4},    {"U32", 4},
                                         {"I16", 2},  {"U16", 2},     {"I8", 1},     {"U8", 1},
                                         {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};

Result<std::size_t> Size(std::string_view tensor, const Json& value) {
  if (value.kind != Json::Kind::kInteger || value.integer < 0) {
    return Corrupt(tensor, "a shape or offset is not a size");
  }
  return static_cast<std::size_t>(value.integer);
}

/// A tensor's entry in the header; begin and end count from the start of the data.
struct Placed {
  TensorEntry entry;
  std::size_t begin = 0, end = 0;
};

Result<Placed> ReadPlaced(const std::string& name, const Json& value) {
  const Json* dtype = value.Find("dtype");
  const Json* shape = value.Find("shape");
  const Json* offsets = value.Find("data_offsets");
  if (dtype == nullptr || dtype->kind != Json::Kind::kString || shape == nullptr ||
      offsets == nullptr || shape->kind != Json::Kind::kArray ||
      offsets->kind != Json::Kind::kArray || offsets->items.size() != 2) {
    return Corrupt(name, "dtype, shape or data_offsets missing");
  }
  if (shape->items.size() > kMaxForeignRank) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("safetensors tensor '{}': {} dimensions, at "
                            "most {} are supported",
                            Printable(name), shape->items.size(), kMaxForeignRank));
  }
  Placed placed{{name, dtype->text, {}, {}}, 0, 0};
  TXVM_TRY(placed.begin, Size(name, offsets->items[0]));
  TXVM_TRY(placed.end, Size(name, offsets->items[1]));
  for (const Json& item : shape->items) {
    TXVM_TRY(const std::size_t size, Size(name, item));
    placed.entry.shape.push_back(size);
  }
  return placed;
}

/// Checks that the shape fills begin..end.
Result<void> CheckExtent(const Placed& placed) {
  const TensorEntry& entry = placed.entry;
  const auto* element = std::ranges::find(kElementSizes, entry.dtype, &ElementSize::dtype);
  if (element == std::end(kElementSizes)) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("safetensors tensor '{}': unknown dtype '{}'", Printable(entry.name),
                            Printable(entry.dtype)));
  }
  const std::size_t elements = (placed.end - placed.begin) / element->bytes;
  // One size of 0, wherever it stands, makes a tensor without elements.
  std::size_t product = std::ranges::find(entry.shape, 0u) == entry.shape.end() ? 1 : 0;
  for (const std::size_t size : entry.shape) {
    if (size != 0 && product > elements / size) {
      return Corrupt(entry.name, "the shape exceeds the data");
    }
    product *= size;
  }
  if (product * element->bytes != placed.end - placed.begin) {
    return Corrupt(entry.name, "the shape does not fill the data");
  }
  return {};
}

Result<std::vector<Placed>> ReadHeader(std::string_view text) {
  const Result<Json> parsed = ParseJson(text);
  if (!parsed) {
    return Fail(parsed.error().code, fmt::format("safetensors header: {}", parsed.error().message));
  }
  const Json& root = *parsed;
  if (root.kind != Json::Kind::kObject) {
    return Fail(ErrorCode::kCorrupt, "safetensors header is not an object");
  }
  std::vector<Placed> placed;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < root.items.size(); ++i) {
    if (root.keys[i] == "__metadata__") continue;
    if (!names.insert(root.keys[i]).second) return Corrupt(root.keys[i], "named twice");
    TXVM_TRY(Placed one, ReadPlaced(root.keys[i], root.items[i]));
    placed.push_back(std::move(one));
  }
  std::ranges::stable_sort(placed, {}, [](const Placed& p) { return std::pair(p.begin, p.end); });
  return placed;
}

}  // namespace

Result<std::vector<TensorEntry>> ReadSafetensorsEntries(std::span<const std::uint8_t> file,
                                                        std::size_t most_header) {
  std::uint64_t length = 0;
  if (file.size() < kLengthBytes) {
    return Fail(ErrorCode::kCorrupt, fmt::format("safetensors file of {} bytes", file.size()));
  }
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > file.size() - kLengthBytes || length > most_header) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("safetensors header of {} bytes in a file of {}, at most {}", length,
                            file.size(), most_header));
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + kLengthBytes, length);
  TXVM_TRY(std::vector<Placed> placed, ReadHeader(text));
  const auto data = file.subspan(kLengthBytes + length);
  std::vector<TensorEntry> entries;
  std::size_t at = 0;
  for (Placed& one : placed) {
    if (one.begin != at || one.end < one.begin || one.end > data.size()) {
      return Corrupt(one.entry.name, fmt::format("data_offsets {}..{} do not follow byte {} of {}",
                                                 one.begin, one.end, at, data.size()));
    }
    TXVM_CHECK_OK(CheckExtent(one));
    one.entry.bytes = data.subspan(one.begin, one.end - one.begin);
    at = one.end;
    entries.push_back(std::move(one.entry));
  }
  if (at != data.size()) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("safetensors data of {} bytes, tensors cover {}", data.size(), at));
  }
  return entries;
}

std::string SafetensorsHeader(std::span<const TensorEntry> entries) {
  std::string header = "{";
  std::size_t at = 0;
  for (const TensorEntry& entry : entries) {
    const std::size_t end = at + entry.bytes.size();
    header += fmt::format("{}{}:{{\"dtype\":{},\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          header.size() == 1 ? "" : ",", JsonString(entry.name),
                          JsonString(entry.dtype), fmt::join(entry.shape, ","), at, end);
    at = end;
  }
  header += "}";
  while ((kLengthBytes + header.size()) % kAlignment != 0) header += ' ';
  const std::uint64_t length = header.size();
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &length, kLengthBytes);
  return bytes + header;
}

std::vector<std::uint8_t> WriteSafetensors(std::span<const Tensor> tensors) {
  std::vector<TensorEntry> entries;
  std::size_t data = 0;
  for (const Tensor& tensor : tensors) {
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(tensor.values.data()),
                          tensor.values.size() * sizeof(float));
    entries.push_back({tensor.name, "F32", tensor.shape, bytes});
    data += bytes.size();
  }
  const std::string header = SafetensorsHeader(entries);
  std::vector<std::uint8_t> file(header.begin(), header.end());
  file.reserve(header.size() + data);
  for (const TensorEntry& entry : entries) {
    file.insert(file.end(), entry.bytes.begin(), entry.bytes.end());
  }
  return file;
}

Result<std::vector<Tensor>> ReadSafetensors(std::span<const std::uint8_t> file) {
  TXVM_TRY(const std::vector<TensorEntry> entries, ReadSafetensorsEntries(file));
  std::vector<Tensor> tensors;
  for (const TensorEntry& entry : entries) {
    if (entry.dtype != "F32" || entry.shape.size() > kMaxTensorRank) {
      return Fail(
          ErrorCode::kUnsupported,
          fmt::format("safetensors tensor '{}': dtype '{}' with {} dimensions, F32 with "
                      "at most {} is supported",
                      Printable(entry.name), entry.dtype, entry.shape.size(), kMaxTensorRank));
    }
    Tensor tensor{entry.name, entry.shape, {}};
    tensor.values.resize(entry.bytes.size() / sizeof(float));
    if (!tensor.values.empty()) {
      std::memcpy(tensor.values.data(), entry.bytes.data(), entry.bytes.size());
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace txvm::isa
