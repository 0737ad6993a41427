#include "neural/triton/guide/network_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "isa/support/safetensors.h"
#include "isa/support/text.h"
#include "neural/triton/field/poseidon2.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton::guide {
namespace {

constexpr std::string_view kHashName = "poseidon2";

struct NamedPart {
  std::string name;
  Part part;
};

std::vector<NamedPart> Parts() {
  std::vector<NamedPart> parts = {{"input", kInput}};
  for (std::size_t l = 0; l < kLayers; ++l) {
    const LayerParts layer = LayerAt(l);
    const std::string prefix = fmt::format("layers.{}.", l);
    for (const auto& [name, part] :
         {std::pair("qkv", layer.qkv), std::pair("out", layer.out), std::pair("up", layer.up),
          std::pair("down", layer.down), std::pair("scale", layer.scale),
          std::pair("shift", layer.shift)}) {
      parts.push_back({prefix + name, part});
    }
  }
  parts.push_back({"decoder.first", kFirst});
  parts.push_back({"decoder.first_bias", kFirstBias});
  parts.push_back({"decoder.second", kSecond});
  parts.push_back({"decoder.second_bias", kSecondBias});
  return parts;
}

std::unexpected<isa::Error> Corrupt(std::string message) {
  return isa::Fail(isa::ErrorCode::kCorrupt, std::move(message));
}

template <typename T>
std::span<const std::uint8_t> BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

isa::Result<void> CheckEntry(const isa::TensorEntry& entry, std::string_view name,
                             std::string_view dtype, const std::vector<std::size_t>& shape) {
  if (entry.name == name && entry.dtype == dtype && entry.shape == shape) return {};
  return Corrupt(fmt::format("tensor '{}' is {} [{}], where '{}' of {} [{}] belongs",
                             isa::Printable(entry.name), isa::Printable(entry.dtype),
                             fmt::join(entry.shape, ", "), name, dtype, fmt::join(shape, ", ")));
}

}  // namespace

std::array<std::uint64_t, 4> HashOf(const Network& network) {
  std::vector<std::uint64_t> elements;
  for (const std::int32_t weight : network.weights()) {
    elements.push_back(vm::goldilocks::FromSigned(weight));
  }
  return Poseidon2HashFields(elements);
}

std::vector<std::uint8_t> WriteNetwork(const Network& network) {
  const std::array<std::uint64_t, 4> hash = HashOf(network);
  std::vector<isa::TensorEntry> entries;
  for (const NamedPart& named : Parts()) {
    entries.push_back({named.name,
                       "I32",
                       {named.part.inputs, named.part.outputs},
                       BytesOf(network.weights().subspan(named.part.offset, named.part.size()))});
  }
  entries.push_back({std::string(kHashName),
                     "U64",
                     {hash.size()},
                     BytesOf(std::span<const std::uint64_t>(hash))});
  const std::string header = isa::SafetensorsHeader(entries);
  std::vector<std::uint8_t> file(header.begin(), header.end());
  for (const isa::TensorEntry& entry : entries) {
    file.insert(file.end(), entry.bytes.begin(), entry.bytes.end());
  }
  return file;
}

isa::Result<Network> ReadNetwork(std::span<const std::uint8_t> file, bool trusted) {
  TXVM_TRY(const std::vector<isa::TensorEntry> entries, isa::ReadSafetensorsEntries(file));
  const std::vector<NamedPart> parts = Parts();
  if (entries.size() != parts.size() + 1) {
    return Corrupt(
        fmt::format("the network has {} tensors, the file {}", parts.size() + 1, entries.size()));
  }
  std::vector<std::int32_t> weights(kParameters);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i].part;
    TXVM_CHECK_OK(CheckEntry(entries[i], parts[i].name, "I32", {part.inputs, part.outputs}));
    std::memcpy(&weights[part.offset], entries[i].bytes.data(), entries[i].bytes.size());
  }
  std::array<std::uint64_t, 4> hash{};
  TXVM_CHECK_OK(CheckEntry(entries.back(), kHashName, "U64", {hash.size()}));
  std::memcpy(hash.data(), entries.back().bytes.data(), sizeof(hash));
  TXVM_TRY(Network network, Network::Make(std::move(weights)));
  if (!trusted && HashOf(network) != hash) {
    return Corrupt("the weights are not those that were written: their hash is another");
  }
  return network;
}

}  // namespace txvm::triton::guide
