#include "neural/llm/save.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <filesystem>
#include <functional>

#include "isa/support/output_file.h"
#include "isa/support/safetensors.h"
#include "neural/llm/mapped_file.h"

namespace txvm::neural::llm {
namespace {

namespace fs = std::filesystem;
using isa::ErrorCode;
using isa::Fail;
using isa::Result;

/// A tensor to write: a matrix, or a norm.
struct Item {
  std::string name;  // as in safetensors
  const Matrix* matrix = nullptr;
  const std::vector<float>* norm = nullptr;
  Element type = Element::kF32;
  std::function<std::size_t(std::size_t)> source_row;  // of a row written; empty: the same

  std::size_t rows() const { return matrix == nullptr ? 1 : matrix->rows; }
  std::size_t cols() const { return matrix == nullptr ? norm->size() : matrix->cols; }
  std::vector<std::size_t> shape() const {
    if (matrix == nullptr) return {norm->size()};
    return {matrix->rows, matrix->cols};
  }
  std::size_t row_bytes() const { return *RowBytes(type, cols()); }
};

std::size_t HalvesRow(std::size_t row, std::size_t head_dim) {
  const std::size_t head = row / head_dim, i = row % head_dim;
  return head * head_dim + i / 2 + (i % 2) * (head_dim / 2);
}

/// Every tensor in the order of the forward pass, rows in `layout`.
std::vector<Item> ItemsOf(const Model& model, RopeLayout layout) {
  std::vector<Item> items;
  const std::size_t dim = model.config.head_dim;
  std::function<std::size_t(std::size_t)> reorder;
  if (layout != model.config.rope_layout) {
    if (layout == RopeLayout::kPairs) {
      reorder = [dim](std::size_t row) { return HalvesRow(row, dim); };
    } else {
      reorder = [dim](std::size_t row) { return PairsRow(row, dim); };
    }
  }
  const auto add = [&](std::string name, const Matrix& matrix, bool rotated = false) {
    items.push_back({std::move(name), &matrix, nullptr, matrix.type,
                     rotated ? reorder : std::function<std::size_t(std::size_t)>()});
  };
  const auto norm = [&](std::string name, const std::vector<float>& values) {
    items.push_back({std::move(name), nullptr, &values, Element::kF32, {}});
  };
  add("model.embed_tokens.weight", model.embedding);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const auto name = [&](std::string_view part) {
      return fmt::format("model.layers.{}.{}.weight", i, part);
    };
    norm(name("input_layernorm"), layer.attention_norm);
    add(name("self_attn.q_proj"), layer.q, true);
    add(name("self_attn.k_proj"), layer.k, true);
    add(name("self_attn.v_proj"), layer.v);
    add(name("self_attn.o_proj"), layer.o);
    norm(name("post_attention_layernorm"), layer.mlp_norm);
    add(name("mlp.gate_proj"), layer.gate);
    add(name("mlp.up_proj"), layer.up);
    add(name("mlp.down_proj"), layer.down);
  }
  norm("model.norm.weight", model.final_norm);
  if (!model.config.tied) add("lm_head.weight", model.head);
  return items;
}

void ChooseTypes(const SaveOptions& options, bool safetensors, std::vector<Item>& items) {
  for (Item& item : items) {
    if (item.matrix == nullptr) continue;
    item.type = options.type.value_or(item.type);
    const bool has = !safetensors || !Info(item.type).safetensors.empty();
    const bool copied = item.type == item.matrix->type && item.matrix->deltas.empty();
    const bool fits = RowBytes(item.type, item.cols()).has_value();
    if (!has || !fits || (!copied && !CanEncode(item.type))) item.type = Element::kF32;
  }
}

void WriteItem(const Item& item, isa::OutputFile& output) {
  if (item.matrix == nullptr) {
    return output.Write(item.norm->data(), item.norm->size() * sizeof(float));
  }
  const Matrix& matrix = *item.matrix;
  std::vector<float> row(matrix.cols);
  std::vector<std::uint8_t> bytes(item.row_bytes());
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    const std::size_t from = item.source_row ? item.source_row(r) : r;
    if (item.type == matrix.type && matrix.deltas.empty()) {
      output.Write(matrix.data + from * matrix.row_bytes, matrix.row_bytes);
      continue;
    }
    ReadRow(matrix, from, row.data());
    EncodeRow(item.type, row, bytes.data());
    output.Write(bytes.data(), bytes.size());
  }
}

/// One after the other, each padded to `alignment`. kInterrupted: `options` said so.
Result<void> WriteItems(const std::vector<Item>& items, const SaveOptions& options,
                        std::size_t alignment, isa::OutputFile& output) {
  for (const Item& item : items) {
    if (options.stopped && options.stopped()) {
      return Fail(ErrorCode::kInterrupted, "stopped before the model was written");
    }
    WriteItem(item, output);
    output.PadTo(alignment);
  }
  return {};
}

/// A span that has this size and is never read.
std::span<const std::uint8_t> SizeOnly(std::size_t size) {
  return {static_cast<const std::uint8_t*>(nullptr), size};
}

std::string_view TorchType(const std::vector<Item>& items) {
  switch (items.front().type) {
    case Element::kF16:
      return "float16";
    case Element::kBF16:
      return "bfloat16";
    default:
      return "float32";
  }
}

void AddModelMetadata(const Model& model, Element type, GgufHeader& header) {
  const Config& c = model.config;
  const auto count = [](std::size_t size) { return static_cast<std::uint32_t>(size); };
  constexpr std::uint32_t kAllF32 = 0, kMostlyF16 = 1, kMostlyQ8 = 7, kMostlyBf16 = 32;
  header.Add("general.file_type", type == Element::kF16    ? kMostlyF16
                                  : type == Element::kQ8_0 ? kMostlyQ8
                                  : type == Element::kBF16 ? kMostlyBf16
                                                           : kAllF32);
  header.Add("llama.vocab_size", count(c.vocab));
  header.Add("llama.context_length", count(c.positions));
  header.Add("llama.embedding_length", count(c.hidden));
  header.Add("llama.block_count", count(c.layers));
  header.Add("llama.feed_forward_length", count(c.feed_forward));
  header.Add("llama.attention.head_count", count(c.heads));
  header.Add("llama.attention.head_count_kv", count(c.kv_heads));
  header.Add("llama.attention.key_length", count(c.head_dim));
  header.Add("llama.attention.value_length", count(c.head_dim));
  header.Add("llama.attention.layer_norm_rms_epsilon", c.epsilon);
  header.Add("llama.rope.dimension_count", count(c.head_dim));
  header.Add("llama.rope.freq_base", static_cast<float>(c.rope_base));
  if (c.rope_scaling == RopeScaling::kLinear) {
    header.Add("llama.rope.scaling.type", std::string_view("linear"));
    header.Add("llama.rope.scaling.factor", static_cast<float>(c.rope_factor));
  }
}

/// Another number would be read for one that is no float, and for a factor of 0 none. kUnsupported.
Result<void> CheckGgufFloats(const Config& config) {
  for (const auto& [name, value] :
       {std::pair("rope_theta", config.rope_base), {"rope_scaling factor", config.rope_factor}}) {
    const auto written = static_cast<float>(value);
    if (written > 0 && std::isfinite(written)) continue;
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("model {} is {}: GGUF holds it as a float, above 0 and finite", name, value));
  }
  return {};
}

/// What GGUF's rope_freqs has to hold: the divisors of a file, or those of llama3 scaling.
std::vector<float> Divisors(const Model& model) {
  if (!model.rope_divisors.empty()) return model.rope_divisors;
  if (model.config.rope_scaling != RopeScaling::kLlama3) return {};
  Config plain = model.config;
  plain.rope_scaling = RopeScaling::kNone;
  const std::vector<double> unscaled = RopeFrequencies(plain);
  std::vector<float> divisors;
  for (std::size_t i = 0; i < unscaled.size(); ++i) {
    divisors.push_back(static_cast<float>(unscaled[i] / model.frequencies[i]));
  }
  return divisors;
}

}  // namespace

Result<void> SaveSafetensors(const Model& model, const std::string& directory,
                             const SaveOptions& options, std::span<const FolderFile> beside) {
  if (options.type && Info(*options.type).safetensors.empty()) {
    return Fail(ErrorCode::kUsage,
                fmt::format("safetensors has no element type {}", Info(*options.type).name));
  }
  if (!model.rope_divisors.empty()) {
    return Fail(ErrorCode::kUnsupported,
                "the model's rope_freqs cannot be expressed in a config.json");
  }
  TXVM_CHECK_OK(MakeFolder(directory));
  std::vector<Item> items = ItemsOf(model, RopeLayout::kHalves);
  ChooseTypes(options, true, items);
  std::vector<isa::TensorEntry> entries;
  for (const Item& item : items) {
    entries.push_back({item.name, std::string(Info(item.type).safetensors), item.shape(),
                       SizeOnly(item.rows() * item.row_bytes())});
  }
  std::deque<isa::OutputFile> files;
  const auto add = [&](std::string_view name) -> isa::OutputFile& {
    return files.emplace_back((fs::path(directory) / name).string());
  };
  isa::OutputFile& tensors = add("model.safetensors");
  tensors.Write(isa::SafetensorsHeader(entries));
  TXVM_CHECK_OK(WriteItems(items, options, 1, tensors));
  add("config.json").Write(ConfigToJson(model.config, TorchType(items)));
  for (const FolderFile& file : beside) add(file.name).Write(file.bytes);
  return isa::FinishAll(files);
}

Result<void> SaveGguf(const Model& model, GgufHeader tokenizer, const std::string& path,
                      const SaveOptions& options) {
  if (options.type && !CanEncode(*options.type)) {
    return Fail(ErrorCode::kUsage,
                fmt::format("weights cannot be converted to {}", Info(*options.type).name));
  }
  TXVM_CHECK_OK(CheckGgufFloats(model.config));
  std::vector<Item> items = ItemsOf(model, RopeLayout::kPairs);
  ChooseTypes(options, false, items);
  const std::vector<float> divisors = Divisors(model);
  if (!divisors.empty())
    items.push_back({"rope_freqs.weight", nullptr, &divisors, Element::kF32, {}});
  GgufHeader header;
  header.Add("general.architecture", std::string_view("llama"));
  AddModelMetadata(model, items.front().type, header);
  header.Append(tokenizer);
  std::vector<std::string> names;
  for (const Item& item : items) names.push_back(GgufName(item.name).value_or(item.name));
  std::vector<GgufTensor> tensors;
  for (std::size_t i = 0; i < items.size(); ++i) {
    tensors.push_back({names[i], items[i].type, items[i].shape(),
                       SizeOnly(items[i].rows() * items[i].row_bytes())});
  }
  isa::OutputFile output(path);
  output.Write(header.Bytes(tensors));
  TXVM_CHECK_OK(WriteItems(items, options, kGgufAlignment, output));
  return output.Finish();
}

}  // namespace txvm::neural::llm
