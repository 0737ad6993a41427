#include "neural/llm/adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <set>

#include "isa/support/json.h"
#include "isa/support/output_file.h"
#include "isa/support/safetensors.h"
#include "isa/support/sha256.h"
#include "isa/support/text.h"
#include "neural/llm/mapped_file.h"

namespace txvm::neural::llm {
namespace {

namespace fs = std::filesystem;
using isa::ErrorCode;
using isa::Fail;
using isa::Json;
using isa::Result;

constexpr std::string_view kBaseKey = "txvm_base_norms";
constexpr std::string_view kPeftPrefix = "base_model.model.";

/// How an adapter's tensors are named and laid out.
struct Layout {
  std::string_view file, prefix, a, b;
  bool transposed;  // a is (in, r), b (r, out)
};
constexpr Layout kPeft{"adapter_model.safetensors", kPeftPrefix, ".lora_A.weight", ".lora_B.weight",
                       false};
constexpr Layout kMlx{"adapters.safetensors", "", ".lora_a", ".lora_b", true};

std::unexpected<isa::Error> Invalid(std::string_view name, std::string_view what) {
  return Fail(ErrorCode::kInvalid,
              fmt::format("adapter tensor '{}': {}", isa::Printable(name), what));
}

std::optional<double> Number(const Json& object, std::string_view key) {
  const Json* value = object.Find(key);
  const bool number =
      value != nullptr && (value->kind == Json::Kind::kInteger || value->kind == Json::Kind::kReal);
  return number ? std::optional(value->real) : std::nullopt;
}

/// Where the configuration has rank and scale: mlx's in an object of their own.
const Json& Parameters(const Json& config) {
  const Json* nested = config.Find("lora_parameters");
  return nested == nullptr ? config : *nested;
}

/// The factor of b * a: a given scale, or alpha over the rank (or its root).
Result<float> ScaleOf(const Json& config, std::size_t rank) {
  const Json& values = Parameters(config);
  const bool nested = &values != &config;
  if (const auto scale = Number(values, "scale")) return static_cast<float>(*scale);
  const auto alpha = Number(values, nested ? "alpha" : "lora_alpha");
  if (!alpha) return Fail(ErrorCode::kInvalid, "adapter_config.json has no alpha or scale");
  const Json* rooted = config.Find("use_rslora");
  const bool root = rooted != nullptr && rooted->integer != 0;
  const auto r = static_cast<double>(rank);
  return static_cast<float>(*alpha / (root ? std::sqrt(r) : r));
}

Result<void> CheckKind(const Json& config) {
  for (const std::string_view key : {"peft_type", "fine_tune_type"}) {
    const Json* type = config.Find(key);
    if (type == nullptr || type->text == "LORA" || type->text == "lora") continue;
    return Fail(ErrorCode::kUnsupported, fmt::format("adapter of {} '{}', LoRA is supported", key,
                                                     isa::Printable(type->text)));
  }
  for (const auto& [key, problem] :
       {std::pair("rank_pattern", "a rank_pattern: one rank for all is supported"),
        {"alpha_pattern", "an alpha_pattern: one alpha for all is supported"}}) {
    const Json* pattern = config.Find(key);
    if (pattern == nullptr || pattern->items.empty()) continue;
    return Fail(ErrorCode::kUnsupported, fmt::format("adapter with {}", problem));
  }
  const Json* stack = config.Find("layer_replication");
  if (stack != nullptr && !stack->items.empty()) {
    return Fail(ErrorCode::kUnsupported,
                "adapter with a layer_replication: it is for a model of repeated layers");
  }
  // Those that are not listed take from the base weights what the adapter starts with (pissa,
  // olora, corda, loftq, lora_ga): on the weights as they were it counts twice.
  constexpr std::string_view kOnWeightsAsTheyAre[] = {"gaussian", "eva", "orthogonal"};
  const Json* init = config.Find("init_lora_weights");
  if (init != nullptr && init->kind == Json::Kind::kString &&
      std::ranges::none_of(kOnWeightsAsTheyAre, [init](std::string_view name) {
        return isa::EqualsIgnoreCase(name, init->text);
      })) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("adapter with init_lora_weights '{}': true, false, gaussian, eva and "
                            "orthogonal leave the base's weights as they are",
                            isa::Printable(init->text)));
  }
  const Json* invocation = config.Find("alora_invocation_tokens");
  if (invocation != nullptr && !invocation->items.empty()) {
    return Fail(ErrorCode::kUnsupported,
                "adapter with alora_invocation_tokens: it is for the tokens behind these alone");
  }
  const Json* dora = config.Find("use_dora");
  if (dora != nullptr && dora->integer != 0) {
    return Fail(ErrorCode::kUnsupported, "adapter with weight decomposition (DoRA)");
  }
  return {};
}

/// The values of a tensor of rank 2 as (rows, cols), turned if they are stored the other way.
std::vector<float> ReadTurned(const StoredTensor& tensor, bool turned) {
  const std::size_t rows = tensor.shape[0], cols = tensor.shape[1];
  std::vector<float> values(rows * cols), result(values.size());
  DecodeRow(tensor.type, tensor.bytes.data(), values.size(), values.data());
  if (!turned) return values;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) result[c * rows + r] = values[r * cols + c];
  }
  return result;
}

using TensorMap = std::map<std::string, StoredTensor, std::less<>>;

/// The name of b, from that of a.
std::string PartnerOf(const std::string& name, const Layout& layout) {
  return name.substr(0, name.size() - layout.a.size()) + std::string(layout.b);
}

Result<LowRank> ReadPair(const std::string& name, const StoredTensor& a, const TensorMap& tensors,
                         const Layout& layout, const Json& config) {
  const std::string b_name = PartnerOf(name, layout);
  const auto b = tensors.find(b_name);
  if (b == tensors.end()) return Invalid(b_name, "is missing");
  if (a.shape.size() != 2 || b->second.shape.size() != 2) return Invalid(name, "is no matrix");
  const std::size_t rank = a.shape[layout.transposed ? 1 : 0];
  if (rank == 0) return Invalid(name, "has rank 0");
  if (rank != b->second.shape[layout.transposed ? 0 : 1]) {
    return Invalid(name, fmt::format("rank {} differs from its partner's", rank));
  }
  const bool is_mlx = &Parameters(config) != &config;
  if (const auto given = Number(Parameters(config), is_mlx ? "rank" : "r");
      given && *given != static_cast<double>(rank)) {
    return Invalid(name,
                   fmt::format("rank {} differs from adapter_config.json's {}", rank, *given));
  }
  TXVM_TRY(const float scale, ScaleOf(config, rank));
  return LowRank{rank, scale, ReadTurned(a, layout.transposed),
                 ReadTurned(b->second, layout.transposed)};
}

Result<Adapter> ReadAdapter(const TensorMap& tensors, const Layout& layout, const Json& config) {
  Adapter adapter;
  std::set<std::string> paired;
  for (const auto& [name, tensor] : tensors) {
    if (!name.ends_with(layout.a) || !name.starts_with(layout.prefix)) continue;
    std::string weight = name.substr(0, name.size() - layout.a.size()) + ".weight";
    weight.erase(0, layout.prefix.size());
    const bool linear = weight.ends_with("_proj.weight") || weight == "lm_head.weight";
    if (!linear || !GgufName(weight)) {
      return Fail(ErrorCode::kUnsupported, fmt::format("adapter tensor '{}' is for no linear layer "
                                                       "of a llama model",
                                                       isa::Printable(name)));
    }
    TXVM_TRY(LowRank delta, ReadPair(name, tensor, tensors, layout, config));
    adapter.deltas.emplace(std::move(weight), std::move(delta));
    paired.insert(name);
    paired.insert(PartnerOf(name, layout));
  }
  for (const auto& [name, tensor] : tensors) {
    if (paired.contains(name)) continue;
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("adapter tensor '{}': is of no pair of low rank", isa::Printable(name)));
  }
  if (adapter.deltas.empty()) return Fail(ErrorCode::kUnsupported, "adapter without tensors");
  return adapter;
}

/// The matrix of a weight's name, or nullptr. `rotated` is set for q and k.
Matrix* FindMatrix(Model& model, std::string_view name, bool& rotated) {
  rotated = name.ends_with(".q_proj.weight") || name.ends_with(".k_proj.weight");
  if (name == "lm_head.weight") return model.config.tied ? nullptr : &model.head;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const std::string prefix = fmt::format("model.layers.{}.", i);
    if (!name.starts_with(prefix)) continue;
    const std::string_view part = name.substr(prefix.size());
    Layer& layer = model.layers[i];
    if (part == "self_attn.q_proj.weight") return &layer.q;
    if (part == "self_attn.k_proj.weight") return &layer.k;
    if (part == "self_attn.v_proj.weight") return &layer.v;
    if (part == "self_attn.o_proj.weight") return &layer.o;
    if (part == "mlp.gate_proj.weight") return &layer.gate;
    if (part == "mlp.up_proj.weight") return &layer.up;
    if (part == "mlp.down_proj.weight") return &layer.down;
  }
  return nullptr;
}

std::string_view ModuleOf(std::string_view weight) {
  return weight.substr(0, weight.size() - std::string_view(".weight").size());
}

/// An adapter's adapter_config.json, which has one rank and one scale for all modules.
Result<std::string> PeftConfig(const Adapter& adapter) {
  std::size_t rank = 0;
  float scale = 1;
  std::set<std::string_view> targets;
  for (const auto& [name, delta] : adapter.deltas) {
    if (targets.empty()) {
      rank = delta.rank;
      scale = delta.scale;
    }
    if (delta.rank != rank || delta.scale != scale) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("adapter delta '{}' has rank {} and scale {}, '{}' has {} and {}: "
                              "adapter_config.json holds one of each",
                              isa::Printable(name), delta.rank, delta.scale,
                              isa::Printable(adapter.deltas.begin()->first), rank, scale));
    }
    const std::string_view module = ModuleOf(name);
    targets.insert(module.substr(module.rfind('.') + 1));
  }
  std::string list;
  for (const std::string_view target : targets) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", isa::JsonString(target));
  }
  return fmt::format(
      "{{\"peft_type\": \"LORA\", \"task_type\": \"CAUSAL_LM\", \"r\": {}, \"lora_alpha\": {}, "
      "\"bias\": \"none\", \"target_modules\": [{}]{}}}\n",
      rank, scale * static_cast<float>(rank), list,
      adapter.base.empty() ? "" : fmt::format(", \"{}\": \"{}\"", kBaseKey, adapter.base));
}

}  // namespace

Result<Adapter> OpenAdapter(const std::string& path) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(path, error);
  const fs::path folder = is_file ? fs::path(path).parent_path() : fs::path(path);
  const std::string config_path = (folder / "adapter_config.json").string();
  TXVM_TRY(const std::string text, ReadText(config_path, kMaxConfigBytes));
  const auto config = isa::ParseJson(text, {.fractions = true});
  if (!config) return std::unexpected(In(config_path, config.error()));
  const auto kind = CheckKind(*config);
  if (!kind) return std::unexpected(In(config_path, kind.error()));
  const bool has_mlx = !is_file && fs::exists(folder / kMlx.file, error);
  const fs::path tensor_file = is_file ? fs::path(path) : folder / (has_mlx ? kMlx : kPeft).file;
  TXVM_TRY(const auto file, MappedFile::Open(tensor_file.string()));
  const auto tensors = SafetensorsByName(file->bytes(), file);
  if (!tensors) return std::unexpected(In(tensor_file.string(), tensors.error()));
  const bool mlx = std::ranges::any_of(
      *tensors, [](const auto& tensor) { return tensor.first.ends_with(kMlx.a); });
  auto adapter = ReadAdapter(*tensors, mlx ? kMlx : kPeft, *config);
  if (!adapter) return std::unexpected(In(tensor_file.string(), adapter.error()));
  if (const Json* base = config->Find(kBaseKey)) adapter->base = base->text;
  return adapter;
}

std::string NormsHash(const Model& model) {
  std::vector<float> norms = model.final_norm;
  for (const Layer& layer : model.layers) {
    norms.insert(norms.end(), layer.attention_norm.begin(), layer.attention_norm.end());
    norms.insert(norms.end(), layer.mlp_norm.begin(), layer.mlp_norm.end());
  }
  return isa::Sha256(
      {reinterpret_cast<const std::uint8_t*>(norms.data()), norms.size() * sizeof(float)});
}

Result<void> SaveAdapter(const Adapter& adapter, const std::string& directory, Element type) {
  TXVM_ASSERT(CanEncode(type) && Info(type).block == 1);
  TXVM_TRY(const std::string config, PeftConfig(adapter));
  std::vector<isa::TensorEntry> entries;
  std::deque<std::vector<std::uint8_t>> values;
  const auto add = [&](std::string name, std::size_t rows, const std::vector<float>& from) {
    EncodeRow(type, from, values.emplace_back(from.size() * Info(type).bytes).data());
    entries.push_back({std::move(name),
                       std::string(Info(type).safetensors),
                       {rows, from.size() / rows},
                       values.back()});
  };
  for (const auto& [name, delta] : adapter.deltas) {
    const std::string_view module = ModuleOf(name);
    const std::size_t r = delta.rank;
    add(fmt::format("{}{}{}", kPeftPrefix, module, kPeft.a), r, delta.a);
    add(fmt::format("{}{}{}", kPeftPrefix, module, kPeft.b), delta.b.size() / r, delta.b);
  }
  TXVM_CHECK_OK(MakeFolder(directory));
  std::deque<isa::OutputFile> files;
  isa::OutputFile& file = files.emplace_back((fs::path(directory) / kPeft.file).string());
  file.Write(isa::SafetensorsHeader(entries));
  for (const isa::TensorEntry& entry : entries) file.Write(entry.bytes.data(), entry.bytes.size());
  files.emplace_back((fs::path(directory) / "adapter_config.json").string()).Write(config);
  return isa::FinishAll(files);
}

Result<std::shared_ptr<const Model>> ApplyAdapter(const Model& model, const Adapter& adapter,
                                                  float strength) {
  if (!adapter.base.empty() && adapter.base != NormsHash(model)) {
    return Fail(ErrorCode::kInvalid,
                "the adapter was made for another model: the norms of its base are not this one's");
  }
  auto result = std::make_shared<Model>(model);
  for (const auto& [name, from] : adapter.deltas) {
    bool rotated = false;
    const auto is_finite = [](float value) { return std::isfinite(value); };
    if (!std::ranges::all_of(from.a, is_finite) || !std::ranges::all_of(from.b, is_finite) ||
        !std::isfinite(from.scale)) {
      return Invalid(name, "has a value or a scale that is no number");
    }
    Matrix* matrix = FindMatrix(*result, name, rotated);
    if (matrix == nullptr) return Invalid(name, "the model has no such layer");
    if (from.a.size() != from.rank * matrix->cols || from.b.size() != matrix->rows * from.rank) {
      return Invalid(
          name, fmt::format("does not fit {} rows and {} columns", matrix->rows, matrix->cols));
    }
    auto delta = std::make_shared<LowRank>(from);
    delta->scale *= strength;
    if (rotated && model.config.rope_layout == RopeLayout::kPairs) {
      for (std::size_t row = 0; row < matrix->rows; ++row) {
        std::copy_n(from.b.data() + row * from.rank, from.rank,
                    delta->b.data() + PairsRow(row, model.config.head_dim) * from.rank);
      }
    }
    matrix->deltas.push_back(std::move(delta));
  }
  return result;
}

Result<std::shared_ptr<const Model>> WithAdapter(const Model& model, const std::string& path) {
  TXVM_TRY(const Adapter adapter, OpenAdapter(path));
  auto applied = ApplyAdapter(model, adapter);
  if (!applied) return std::unexpected(In(path, applied.error()));
  return applied;
}

std::shared_ptr<const Model> MergeDeltas(const Model& model) {
  auto result = std::make_shared<Model>(model);
  const auto merge = [](Matrix& matrix) {
    if (matrix.deltas.empty()) return;
    matrix = Converted(matrix, CanEncode(matrix.type) ? matrix.type : Element::kF32);
  };
  if (!result->config.tied) merge(result->head);
  for (Layer& layer : result->layers) {
    for (Matrix* matrix :
         {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down}) {
      merge(*matrix);
    }
  }
  return result;
}

}  // namespace txvm::neural::llm
