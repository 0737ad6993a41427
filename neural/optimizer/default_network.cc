#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "neural/optimizer/network_file.h"

// The assembler takes the file as it is: no source text of a hundred thousand numbers.
asm(".section .rodata\n.balign 64\n"
    ".global txvm_optimizer_network\n"
    "txvm_optimizer_network:\n"
    ".incbin \"" TXVM_OPTIMIZER_FILE
    "\"\n"
    ".global txvm_optimizer_network_end\n"
    "txvm_optimizer_network_end:\n.byte 0\n.previous\n");
extern "C" const std::uint8_t txvm_optimizer_network[], txvm_optimizer_network_end[];

namespace txvm::neural::optimizer {

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

}  // namespace txvm::neural::optimizer
