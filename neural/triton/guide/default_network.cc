#include "neural/triton/guide/default_network.h"

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

#include "neural/triton/guide/network_file.h"

namespace txvm::triton::guide {

std::span<const std::uint8_t> DefaultNetworkFile() {
  const std::string_view bytes = EmbeddedNetwork("tir-optimizer.safetensors");
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

const Network& DefaultNetwork() {
  static const Network network = [] {
    isa::Result<Network> read = ReadNetwork(DefaultNetworkFile(), true);
    if (!read) std::abort();  // a test reads the file that is built in
    return std::move(*read);
  }();
  return network;
}

}  // namespace txvm::triton::guide
