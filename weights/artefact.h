// The model as files anyone can read: config.json, model.safetensors, and a program as tokens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/limits.h"
#include "isa/program.h"
#include "isa/support/result.h"
#include "isa/support/safetensors.h"
#include "weights/model.h"

namespace txvm::weights {

inline constexpr std::string_view kConfigFile = "config.json";
inline constexpr std::string_view kTensorFile = "model.safetensors";
inline constexpr std::string_view kProgramFile = "program.json";

/// The model's matrices as dense tensors, named and shaped as docs/WEIGHTS.md lists them.
std::vector<isa::Tensor> ToTensors(const Model& model);

/// config.json: sizes, heads per layer, lane names and ranges, and the SHA-256 of the tensor file.
std::string ToConfig(const Model& model, std::string_view tensor_sha256);

/// The model of these two files. kCorrupt or kInvalid: what the readers refuse, a missing,
/// misshapen or surplus tensor, a weight that is not an integer within kMaxWeight, a file that does
/// not match its SHA-256, a size or field index that is stated and not the model's, a model that
/// CheckModel or CheckFloat32Exact refuses.
isa::Result<Model> FromFiles(std::string_view config, std::span<const std::uint8_t> tensors);

/// A run as the independent runners read it: {"state": [...], "tokens": [[...], ...]}, the fields
/// of tokens.h in their order.
std::string ToProgramJson(const StateRecord& state, std::span<const MemoryRecord> tokens);

/// Writes config.json and model.safetensors into `directory`, which is created; a file is replaced
/// when the new one is whole, the tensors first. kHost names the file and the reason.
isa::Result<void> ExportModel(const Model& model, const std::filesystem::path& directory);
/// Writes model.onnx (onnx.h) into `directory`. kHost as ExportModel.
isa::Result<void> ExportOnnx(const Model& model, const std::filesystem::path& directory);
/// Writes program.json for a run of `program` on `model` from `start` with `args`, and nothing
/// else. kLimit when the globals and the largest frame exceed max_locals; kHost as ExportModel.
isa::Result<void> ExportProgram(const Model& model, const isa::Program& program,
                                const isa::Limits& limits, std::uint32_t start,
                                std::span<const std::uint32_t> args,
                                const std::filesystem::path& directory);
/// Reads what ExportModel wrote. kIo names the file and the reason; else as FromFiles, with the
/// directory for a place.
isa::Result<Model> ImportModel(const std::filesystem::path& directory);

}  // namespace txvm::weights
