#include "neural/triton/guide/default_network.h"

#include <cstdlib>
#include <span>
#include <utility>

#include "isa/support/embed_file.h"
#include "neural/triton/guide/network_file.h"

TXVM_EMBED_FILE(txvm_optimizer_network, TXVM_OPTIMIZER_FILE)

namespace txvm::triton::guide {

std::span<const std::uint8_t> DefaultNetworkFile() {
  return {txvm_optimizer_network, txvm_optimizer_network_end};
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
