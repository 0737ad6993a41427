// The network in a file: safetensors, each matrix of parameters.h as int32 numerators of 2^-16, and
// the Poseidon2 hash of all of them, as field elements in their order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/guide/network.h"

namespace txvm::triton::guide {

/// The hash of all weights: it identifies a network.
std::array<std::uint64_t, 4> HashOf(const Network& network);

/// The file's bytes. Deterministic.
std::vector<std::uint8_t> WriteNetwork(const Network& network);

/// Reads a network. Errors: kCorrupt for a file that is no safetensors, lacks a matrix or has one
/// of another shape or type, or whose hash is not that of its weights; kUnsupported for an element
/// type or a rank that no reader here knows; kLimit for a weight beyond kMostWeight. The hash takes
/// most of the time, some 0.1 s: `trusted` leaves it out.
isa::Result<Network> ReadNetwork(std::span<const std::uint8_t> file, bool trusted = false);

}  // namespace txvm::triton::guide
