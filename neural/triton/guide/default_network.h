// The network that comes with txvm.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "neural/triton/guide/network.h"

namespace txvm::triton::guide {

/// The network built into txvm. The first call reads its file. Thread-safe.
const Network& DefaultNetwork();

/// The bytes of that file, models/tir-optimizer.safetensors.
std::span<const std::uint8_t> DefaultNetworkFile();

/// That file by its name, "tir-optimizer.safetensors"; empty for other names. Generated when txvm
/// is built.
std::string_view EmbeddedNetwork(std::string_view name);

}  // namespace txvm::triton::guide
