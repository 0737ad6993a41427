#include "neural/llm/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "isa/support/json.h"
#include "isa/support/safetensors.h"
#include "isa/support/text.h"
#include "neural/llm/mapped_file.h"

namespace txvm::neural::llm {
namespace {

namespace fs = std::filesystem;
using isa::ErrorCode;
using isa::Fail;
using isa::Json;
using isa::Result;

using Names = std::pair<std::string_view, std::string_view>;  // safetensors, GGUF
constexpr auto kModelNames = std::to_array<Names>({
#define TXVM_MODEL_TENSOR(hf, gguf) {hf, gguf},
#define TXVM_LAYER_TENSOR(hf, gguf)
#include "neural/llm/tensor_names.def"
#undef TXVM_MODEL_TENSOR
#undef TXVM_LAYER_TENSOR
});
constexpr auto kLayerNames = std::to_array<Names>({
#define TXVM_MODEL_TENSOR(hf, gguf)
#define TXVM_LAYER_TENSOR(hf, gguf) {hf, gguf},
#include "neural/llm/tensor_names.def"
#undef TXVM_MODEL_TENSOR
#undef TXVM_LAYER_TENSOR
});

constexpr std::string_view kSafetensorsLayer = "model.layers.", kGgufLayer = "blk.";
constexpr std::string_view kWeight = ".weight";
constexpr std::string_view kRopeFrequencies = "rope_freqs.weight";

/// `name` with its parts taken from one column of the tables and put together from the other.
std::optional<std::string> Translate(std::string_view name, std::string_view Names::* from,
                                     std::string_view from_layer, std::string_view Names::* to,
                                     std::string_view to_layer) {
  if (!name.ends_with(kWeight)) return std::nullopt;
  name.remove_suffix(kWeight.size());
  if (!name.starts_with(from_layer)) {
    const auto* row = std::ranges::find(kModelNames, name, from);
    if (row == kModelNames.end()) return std::nullopt;
    return fmt::format("{}{}", (*row).*to, kWeight);
  }
  name.remove_prefix(from_layer.size());
  std::size_t layer = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
  if (error != std::errc() || rest == name.data() + name.size() || *rest != '.') {
    return std::nullopt;
  }
  name.remove_prefix(static_cast<std::size_t>(rest - name.data()) + 1);
  const auto* row = std::ranges::find(kLayerNames, name, from);
  if (row == kLayerNames.end()) return std::nullopt;
  return fmt::format("{}{}.{}{}", to_layer, layer, (*row).*to, kWeight);
}

std::optional<Element> ElementOfSafetensors(std::string_view dtype) {
  const auto elements = Elements();
  const auto row = std::ranges::find(elements, dtype, &ElementInfo::safetensors);
  if (row == elements.end()) return std::nullopt;
  return static_cast<Element>(row - elements.begin());
}

using TensorMap = std::map<std::string, StoredTensor, std::less<>>;

Result<TensorMap> OpenSafetensors(const std::string& path) {
  TXVM_TRY(const auto file, MappedFile::Open(path));
  auto tensors = SafetensorsByName(file->bytes(), file);
  if (!tensors) return std::unexpected(In(path, tensors.error()));
  return tensors;
}

/// A shard's name is a file beside the index, not a path that leads elsewhere, and can be shown.
bool IsPlainName(const std::string& name) {
  const bool is_control =
      std::ranges::any_of(name, [](unsigned char c) { return c < ' ' || c == '\x7F'; });
  return !name.empty() && name != "." && name != ".." && !name.contains('/') && !is_control;
}

Result<TensorMap> OpenIndex(const std::string& path) {
  TXVM_TRY(const std::string text, ReadText(path, kMaxIndexBytes));
  auto root = isa::ParseJson(text, {.fractions = true});
  if (!root) return std::unexpected(In(path, root.error()));
  const Json* map = root->Find("weight_map");
  if (map == nullptr || map->kind != Json::Kind::kObject) {
    return Fail(ErrorCode::kCorrupt, fmt::format("'{}' has no weight_map", path));
  }
  std::map<std::string, TensorMap> shards;
  TensorMap tensors;
  for (std::size_t i = 0; i < map->items.size(); ++i) {
    const std::string& file = map->items[i].text;
    if (map->items[i].kind != Json::Kind::kString || !IsPlainName(file)) {
      return Fail(ErrorCode::kCorrupt, fmt::format("'{}': tensor '{}' is in no file of the folder",
                                                   path, isa::Printable(map->keys[i])));
    }
    auto shard = shards.find(file);
    if (shard == shards.end()) {
      if (shards.size() == kMaxShards) {
        return Fail(ErrorCode::kLimit, fmt::format("'{}': more than {} files", path, kMaxShards));
      }
      TXVM_TRY(TensorMap opened, OpenSafetensors((fs::path(path).parent_path() / file).string()));
      shard = shards.emplace(file, std::move(opened)).first;
    }
    const auto tensor = shard->second.find(map->keys[i]);
    if (tensor == shard->second.end()) {
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("'{}': '{}' holds no tensor '{}'", path, isa::Printable(file),
                              isa::Printable(map->keys[i])));
    }
    tensors.insert(*tensor);
  }
  return tensors;
}

Result<Checkpoint> OpenWithConfig(const std::string& tensor_path, bool index) {
  Checkpoint checkpoint;
  checkpoint.directory = fs::path(tensor_path).parent_path().string();
  if (checkpoint.directory.empty()) checkpoint.directory = ".";
  const std::string config_path = (fs::path(checkpoint.directory) / "config.json").string();
  TXVM_TRY(const std::string text, ReadText(config_path, kMaxConfigBytes));
  auto config = ConfigFromJson(text);
  if (!config) return std::unexpected(In(config_path, config.error()));
  checkpoint.config = *std::move(config);
  TXVM_TRY(checkpoint.tensors, index ? OpenIndex(tensor_path) : OpenSafetensors(tensor_path));
  return checkpoint;
}

/// Why a folder without safetensors is refused, or a file that is no GGUF: weights that are
/// pickled.
std::unexpected<isa::Error> Pickled(const std::string& path) {
  return Fail(ErrorCode::kUnsupported,
              fmt::format("'{}' holds pickled weights, safetensors and GGUF are read", path));
}

/// Whether a file is an archive, as PyTorch pickles weights.
bool IsArchive(std::span<const std::uint8_t> file) {
  constexpr std::array<std::uint8_t, 4> kMagic = {'P', 'K', 3, 4};
  return file.size() >= kMagic.size() && std::ranges::equal(file.first(kMagic.size()), kMagic);
}

/// The names of a folder's first tensor files, in order.
std::vector<std::string> TensorFilesOf(const fs::path& folder) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    const fs::path& path = file->path();
    if (path.extension() == ".safetensors" || path.extension() == ".gguf") {
      names.push_back(isa::Printable(path.filename().string()));
    }
  }
  std::ranges::sort(names);
  names.resize(std::min(names.size(), kMost));
  return names;
}

Result<Checkpoint> OpenFolder(const fs::path& folder) {
  std::error_code error;
  const auto has = [&](std::string_view name) { return fs::exists(folder / name, error); };
  constexpr std::string_view kIndex = "model.safetensors.index.json", kFile = "model.safetensors";
  // Of both the file, as transformers has it: parts that it replaced may have stayed.
  if (has(kFile)) return OpenWithConfig((folder / kFile).string(), false);
  if (has(kIndex)) return OpenWithConfig((folder / kIndex).string(), true);
  for (const std::string_view name : {"pytorch_model.bin", "pytorch_model.bin.index.json"}) {
    if (has(name)) return Pickled((folder / name).string());
  }
  const std::vector<std::string> others = TensorFilesOf(folder);
  if (others.empty()) return OpenWithConfig((folder / kFile).string(), false);
  return Fail(ErrorCode::kIo, fmt::format("'{}' has no {}: give one of its files, {}",
                                          folder.string(), kFile, fmt::join(others, ", ")));
}

/// Large models come as several files, each with some of the tensors.
Result<void> CheckIsWhole(const Gguf& gguf) {
  const auto number = [&](std::string_view key) -> std::uint64_t {
    const GgufValue* value = gguf.Find(key);
    return value == nullptr ? 0 : value->Unsigned().value_or(0);
  };
  const std::uint64_t parts = number("split.count");
  if (parts <= 1) return {};
  return Fail(ErrorCode::kUnsupported,
              fmt::format("GGUF: part {} of the {} files of a model, which are to be merged first",
                          number("split.no") + 1, parts));
}

/// Size of the vocabulary where the metadata leave it to the tensors or the token list.
Result<void> CompleteConfig(Checkpoint& checkpoint) {
  Config& config = checkpoint.config;
  const auto embedding = checkpoint.tensors.find("model.embed_tokens.weight");
  if (config.vocab == 0 && embedding != checkpoint.tensors.end() &&
      !embedding->second.shape.empty()) {
    config.vocab = embedding->second.shape[0];
  }
  config.tied = !checkpoint.tensors.contains("lm_head.weight");
  TXVM_CHECK_OK(CheckConfig(config));
  DropForeignTokens(config);
  return {};
}

}  // namespace

std::optional<std::string> GgufName(std::string_view name) {
  return Translate(name, &Names::first, kSafetensorsLayer, &Names::second, kGgufLayer);
}
std::optional<std::string> SafetensorsName(std::string_view name) {
  return Translate(name, &Names::second, kGgufLayer, &Names::first, kSafetensorsLayer);
}

Result<TensorMap> SafetensorsByName(std::span<const std::uint8_t> file,
                                    const std::shared_ptr<const void>& owner) {
  TXVM_TRY(const auto entries, isa::ReadSafetensorsEntries(file, kMaxModelHeader));
  TensorMap tensors;
  for (const isa::TensorEntry& entry : entries) {
    const std::optional<Element> type = ElementOfSafetensors(entry.dtype);
    if (!type) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("tensor '{}' has element type {}: F32, F16 and BF16 are supported",
                              isa::Printable(entry.name), isa::Printable(entry.dtype)));
    }
    tensors.emplace(entry.name, StoredTensor{*type, entry.shape, entry.bytes, owner});
  }
  return tensors;
}

Result<Checkpoint> CheckpointFromSafetensors(std::string_view config_json,
                                             std::span<const std::uint8_t> file) {
  Checkpoint checkpoint;
  TXVM_TRY(checkpoint.config, ConfigFromJson(config_json));
  TXVM_TRY(checkpoint.tensors, SafetensorsByName(file, nullptr));
  return checkpoint;
}

Result<Checkpoint> CheckpointFromGguf(std::span<const std::uint8_t> file,
                                      std::shared_ptr<const void> owner) {
  Checkpoint checkpoint;
  TXVM_TRY(Gguf gguf, ReadGguf(file));
  TXVM_CHECK_OK(CheckIsWhole(gguf));
  TXVM_TRY(checkpoint.config, ConfigFromGguf(gguf));
  for (const GgufTensor& tensor : gguf.tensors) {
    if (tensor.name == kRopeFrequencies && tensor.type == Element::kF32) {
      checkpoint.rope_divisors.resize(tensor.bytes.size() / sizeof(float));
      DecodeRow(Element::kF32, tensor.bytes.data(), checkpoint.rope_divisors.size(),
                checkpoint.rope_divisors.data());
      continue;
    }
    const std::optional<std::string> name = SafetensorsName(tensor.name);
    if (!name) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("GGUF: tensor '{}' is no part of a llama model",
                              isa::Printable(tensor.name)));
    }
    checkpoint.tensors.emplace(*name, StoredTensor{tensor.type, tensor.shape, tensor.bytes, owner});
  }
  TXVM_CHECK_OK(CompleteConfig(checkpoint));
  checkpoint.gguf = std::move(gguf);
  checkpoint.gguf_file = std::move(owner);
  return checkpoint;
}

Result<Checkpoint> OpenCheckpoint(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return OpenFolder(path);
  if (path.ends_with(".index.json")) return OpenWithConfig(path, true);
  if (path.ends_with(".safetensors")) return OpenWithConfig(path, false);
  TXVM_TRY(const auto file, MappedFile::Open(path));
  if (IsArchive(file->bytes())) return Pickled(path);
  auto checkpoint = CheckpointFromGguf(file->bytes(), file);
  if (!checkpoint) return std::unexpected(In(path, checkpoint.error()));
  return checkpoint;
}

}  // namespace txvm::neural::llm
