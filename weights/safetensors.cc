#include "weights/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstring>
#include <set>

#include "weights/json.h"

namespace txvm::weights {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;

static_assert(std::endian::native == std::endian::little, "tensor bytes are copied as they are");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kAlignment = 8;  // of the data, as the format recommends

std::unexpected<isa::Error> Corrupt(std::string_view tensor, std::string_view what) {
  return Fail(ErrorCode::kCorrupt, fmt::format("safetensors tensor '{}': {}", tensor, what));
}

/// A tensor's entry in the header, checked.
struct Header {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t begin = 0, end = 0;  // bytes, from the start of the data
};

Result<std::size_t> Size(std::string_view tensor, const Json& value) {
  if (value.kind != Json::Kind::kInteger || value.integer < 0) {
    return Corrupt(tensor, "a shape or offset is not a size");
  }
  return static_cast<std::size_t>(value.integer);
}

Result<Header> ReadHeader(const std::string& name, const Json& value, std::size_t expected_begin,
                          std::size_t data_size) {
  const Json* dtype = value.Find("dtype");
  const Json* shape = value.Find("shape");
  const Json* offsets = value.Find("data_offsets");
  if (dtype == nullptr || shape == nullptr || offsets == nullptr ||
      shape->kind != Json::Kind::kArray || offsets->kind != Json::Kind::kArray ||
      offsets->items.size() != 2) {
    return Corrupt(name, "dtype, shape or data_offsets missing");
  }
  if (dtype->text != "F32" || shape->items.size() > kMaxTensorRank) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("safetensors tensor '{}': dtype '{}' with {} dimensions, F32 with at "
                            "most {} is supported",
                            name, dtype->text, shape->items.size(), kMaxTensorRank));
  }
  Header header{name, {}, 0, 0};
  TXVM_TRY(header.begin, Size(name, offsets->items[0]));
  TXVM_TRY(header.end, Size(name, offsets->items[1]));
  if (header.begin != expected_begin || header.end < header.begin || header.end > data_size) {
    return Corrupt(name, fmt::format("data_offsets {}..{} do not follow byte {} of {}",
                                     header.begin, header.end, expected_begin, data_size));
  }
  std::size_t left = (header.end - header.begin) / sizeof(float);
  std::size_t product = 1;
  for (const Json& item : shape->items) {
    TXVM_TRY(const std::size_t size, Size(name, item));
    header.shape.push_back(size);
    if (size != 0 && product > left / size) return Corrupt(name, "the shape exceeds the data");
    product *= size;
  }
  if (product * sizeof(float) != header.end - header.begin) {
    return Corrupt(name, "the shape does not fill the data");
  }
  return header;
}

Tensor CopyTensor(const Header& header, std::span<const std::uint8_t> data) {
  Tensor tensor{header.name, header.shape, {}};
  tensor.values.resize((header.end - header.begin) / sizeof(float));
  if (!tensor.values.empty()) {
    std::memcpy(tensor.values.data(), data.data() + header.begin, header.end - header.begin);
  }
  return tensor;
}

}  // namespace

std::vector<std::uint8_t> WriteSafetensors(std::span<const Tensor> tensors) {
  std::string header = "{";
  std::size_t at = 0;
  for (const Tensor& tensor : tensors) {
    const std::size_t end = at + tensor.values.size() * sizeof(float);
    header += fmt::format("{}{}:{{\"dtype\":\"F32\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          at == 0 && header.size() == 1 ? "" : ",", JsonString(tensor.name),
                          fmt::join(tensor.shape, ","), at, end);
    at = end;
  }
  header += "}";
  while ((kLengthBytes + header.size()) % kAlignment != 0) header += ' ';
  std::vector<std::uint8_t> file(kLengthBytes + header.size() + at);
  const std::uint64_t length = header.size();
  std::memcpy(file.data(), &length, kLengthBytes);
  std::memcpy(file.data() + kLengthBytes, header.data(), header.size());
  std::uint8_t* to = file.data() + kLengthBytes + header.size();
  for (const Tensor& tensor : tensors) {
    if (tensor.values.empty()) continue;
    std::memcpy(to, tensor.values.data(), tensor.values.size() * sizeof(float));
    to += tensor.values.size() * sizeof(float);
  }
  return file;
}

Result<std::vector<Tensor>> ReadSafetensors(std::span<const std::uint8_t> file) {
  std::uint64_t length = 0;
  if (file.size() < kLengthBytes) {
    return Fail(ErrorCode::kCorrupt, fmt::format("safetensors file of {} bytes", file.size()));
  }
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > file.size() - kLengthBytes || length > kMaxSafetensorsHeader) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("safetensors header of {} bytes in a file of {}, at most {}", length,
                            file.size(), kMaxSafetensorsHeader));
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + kLengthBytes, length);
  TXVM_TRY(const Json root, ParseJson(text));
  if (root.kind != Json::Kind::kObject) {
    return Fail(ErrorCode::kCorrupt, "safetensors header is not an object");
  }
  const auto data = file.subspan(kLengthBytes + length);
  std::vector<Tensor> tensors;
  std::set<std::string> names;
  std::size_t at = 0;
  for (std::size_t i = 0; i < root.items.size(); ++i) {
    if (root.keys[i] == "__metadata__") continue;
    TXVM_TRY(const Header header, ReadHeader(root.keys[i], root.items[i], at, data.size()));
    if (!names.insert(header.name).second) return Corrupt(header.name, "named twice");
    tensors.push_back(CopyTensor(header, data));
    at = header.end;
  }
  if (at != data.size()) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("safetensors data of {} bytes, tensors cover {}", data.size(), at));
  }
  return tensors;
}

}  // namespace txvm::weights
