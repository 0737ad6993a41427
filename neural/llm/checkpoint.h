// A checkpoint on disk or in memory: configuration and named tensors, found but not copied.
//
// Goals: safetensors (one file or shards with an index) and GGUF look alike; nothing a file says
// is believed before it is checked; no allocation beyond the headers. Non-goals: pickled files.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/config.h"
#include "neural/llm/element.h"
#include "neural/llm/gguf.h"

namespace txvm::neural::llm {

/// A tensor where it lies.
struct StoredTensor {
  Element type = Element::kF32;
  std::vector<std::size_t> shape;       // outermost first
  std::span<const std::uint8_t> bytes;  // any alignment
  std::shared_ptr<const void> owner;    // keeps the bytes; null: the caller does
};

struct Checkpoint {
  Config config;
  std::map<std::string, StoredTensor, std::less<>> tensors;  // by their safetensors names
  std::vector<float> rope_divisors;  // (head_dim / 2,) or empty: GGUF's rope_freqs
  std::string directory;             // of config.json; empty for GGUF and memory
  std::optional<Gguf> gguf;          // what the file holds besides, the tokenizer for one
  std::shared_ptr<const void> gguf_file;
};

/// Opens a directory with config.json and model.safetensors or, without that,
/// model.safetensors.index.json; one of those tensor files itself; or a .gguf file. kIo: a file
/// that cannot be read. kCorrupt, kInvalid, kUnsupported: as ReadGguf, ReadSafetensorsEntries and
/// ConfigFromJson say; an index that names a file outside its folder, or a tensor its file does not
/// hold; pickled weights; one of the files of a split GGUF.
isa::Result<Checkpoint> OpenCheckpoint(const std::string& path);

/// The same from bytes that outlive the checkpoint.
isa::Result<Checkpoint> CheckpointFromSafetensors(std::string_view config_json,
                                                  std::span<const std::uint8_t> file);
isa::Result<Checkpoint> CheckpointFromGguf(std::span<const std::uint8_t> file,
                                           std::shared_ptr<const void> owner = nullptr);

/// The tensors of one safetensors file, by name. `file` is what `owner` keeps. kUnsupported: one of
/// another type than elements.def's.
isa::Result<std::map<std::string, StoredTensor, std::less<>>> SafetensorsByName(
    std::span<const std::uint8_t> file, const std::shared_ptr<const void>& owner);

/// "blk.3.attn_q.weight" of "model.layers.3.self_attn.q_proj.weight" and back; nullopt for names
/// that are no part of a llama model.
std::optional<std::string> GgufName(std::string_view safetensors_name);
std::optional<std::string> SafetensorsName(std::string_view gguf_name);

inline constexpr std::size_t kMaxConfigBytes = 1u << 20;
inline constexpr std::size_t kMaxIndexBytes = 16u << 20;
inline constexpr std::size_t kMaxModelHeader = 16u << 20;  // of a safetensors file
inline constexpr std::size_t kMaxShards = 1024;

}  // namespace txvm::neural::llm
