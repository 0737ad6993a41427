// Models written as safetensors or GGUF.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "isa/support/result.h"
#include "neural/llm/gguf.h"
#include "neural/llm/model.h"

namespace txvm::neural::llm {

struct SaveOptions {
  /// The type of all matrices; nullopt keeps each as it is where the format has its type, F32
  /// elsewhere. Rows that do not fit the type's blocks are F32 too, and norms always are.
  std::optional<Element> type = {};
  /// Asked before every tensor: true ends the writing with kInterrupted, and no file is left of it.
  std::function<bool()> stopped = {};
};

/// A further file of a model's folder.
struct FolderFile {
  std::string name, bytes;
};

/// Writes `directory`/model.safetensors and config.json, rows in kHalves order, low-rank deltas
/// merged, and the files `beside` them; no file is replaced before all are whole. Makes the
/// directory. kUsage: a type safetensors does not have; kUnsupported: rotation divisors that
/// config.json cannot express; kHost: what cannot be written; kInterrupted.
isa::Result<void> SaveSafetensors(const Model& model, const std::string& directory,
                                  const SaveOptions& options = {},
                                  std::span<const FolderFile> beside = {});

/// Writes a GGUF file, rows in kPairs order, deltas merged. `tokenizer` holds the metadata of the
/// tokenizer, or nothing; the model's own are added. kUsage: a type CanEncode refuses;
/// kUnsupported: a rotation base or factor that is 0 or infinite as a float; kHost: what cannot be
/// written; kInterrupted.
isa::Result<void> SaveGguf(const Model& model, GgufHeader tokenizer, const std::string& path,
                           const SaveOptions& options = {});

}  // namespace txvm::neural::llm
