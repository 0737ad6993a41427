// The network that comes with txvm.
#pragma once

#include <cstdint>
#include <span>

#include "neural/triton/guide/network.h"

namespace txvm::triton::guide {

/// The network built into txvm. The first call reads its file. Thread-safe.
const Network& DefaultNetwork();

/// The bytes of that file, models/tir-optimizer.safetensors.
std::span<const std::uint8_t> DefaultNetworkFile();

}  // namespace txvm::triton::guide
