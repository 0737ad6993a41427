// The model as an ONNX graph: one pass over a whole history, for any ONNX runtime.
//
// Inputs   state (1, state fields), memory (tokens, memory fields), float32
// Output   out (1, output fields): the next state, then the write tokens
// Goals: standard operators only (MatMul, Add, Relu, Mul, Transpose, ArgMax, Gather), exact in
// float32. Non-goals: caching keys between passes, other element types.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "weights/model.h"

namespace txvm::weights {

inline constexpr std::string_view kOnnxFile = "model.onnx";

/// The bytes of a ModelProto (IR version 8, operator set 13). Deterministic; as large as the dense
/// parameters.
std::vector<std::uint8_t> WriteOnnx(const Model& model);

}  // namespace txvm::weights
