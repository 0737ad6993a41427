#include "neural/llm/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "isa/support/json.h"
#include "isa/support/text.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Json;
using isa::Result;

constexpr double kDefaultBase = 10000.0;
constexpr float kDefaultEpsilon = 1e-6f;

std::unexpected<isa::Error> Unsupported(std::string_view what) {
  return Fail(ErrorCode::kUnsupported, fmt::format("config.json: {}", what));
}

bool IsNumber(const Json& value) {
  return value.kind == Json::Kind::kInteger || value.kind == Json::Kind::kReal;
}
bool IsPresent(const Json* value) { return value != nullptr && value->kind != Json::Kind::kNull; }

/// A member that is a size; `fallback` when it is absent or null.
Result<std::size_t> Size(const Json& root, std::string_view key, std::size_t fallback) {
  const Json* value = root.Find(key);
  if (!IsPresent(value)) return fallback;
  if (value->kind != Json::Kind::kInteger || value->integer < 0) {
    return Fail(ErrorCode::kInvalid, fmt::format("config.json: {} is not a size", key));
  }
  return static_cast<std::size_t>(value->integer);
}

Result<double> Real(const Json& root, std::string_view key, double fallback) {
  const Json* value = root.Find(key);
  if (!IsPresent(value)) return fallback;
  if (!IsNumber(*value)) {
    return Fail(ErrorCode::kInvalid, fmt::format("config.json: {} is not a number", key));
  }
  return value->real;
}

std::string TextOf(const Json& root, std::string_view key) {
  const Json* value = root.Find(key);
  return value != nullptr && value->kind == Json::Kind::kString ? value->text : "";
}

/// One id or a list of them; anything else counts as unknown.
std::vector<Token> Tokens(const Json& root, std::string_view key) {
  std::vector<Token> tokens;
  const Json* value = root.Find(key);
  if (!IsPresent(value)) return tokens;
  const auto add = [&](const Json& item) {
    if (item.kind != Json::Kind::kInteger) return;
    if (item.integer < 0 || item.integer >= static_cast<std::int64_t>(kMaxVocab)) return;
    tokens.push_back(static_cast<Token>(item.integer));
  };
  add(*value);
  if (value->kind == Json::Kind::kArray) {
    for (const Json& item : value->items) add(item);
  }
  return tokens;
}

Result<void> CheckArchitecture(const Json& root) {
  const std::string type = TextOf(root, "model_type");
  if (type != "llama" && type != "mistral") {
    return Unsupported(
        fmt::format("model_type '{}', llama and mistral are supported", isa::Printable(type)));
  }
  for (const std::string_view key : {"attention_bias", "mlp_bias"}) {
    if (!root.Flag(key)) continue;
    return Unsupported(fmt::format("{} is true, models without biases are supported", key));
  }
  const std::string activation = TextOf(root, "hidden_act");
  if (!activation.empty() && activation != "silu") {
    return Unsupported(
        fmt::format("activation '{}', silu is supported", isa::Printable(activation)));
  }
  return {};
}

std::string WindowText(std::size_t window, std::size_t positions) {
  return fmt::format("a sliding window of {} tokens in {} positions", window, positions);
}

/// A window as long as the longest sequence leaves nothing out.
Result<void> CheckWindow(const Json& root, std::size_t positions) {
  constexpr std::size_t kMistralWindow = 4'096;  // of a mistral whose configuration has no such key
  const bool silent =
      root.Find("sliding_window") == nullptr && TextOf(root, "model_type") == "mistral";
  TXVM_TRY(const std::size_t window,
           Size(root, "sliding_window", silent ? kMistralWindow : positions));
  if (window >= positions) return {};
  return Unsupported(WindowText(window, positions) +
                     (silent ? ": a mistral's, if sliding_window is not null" : ""));
}

Result<void> ReadScaling(const Json& root, Config& config) {
  const Json* scaling = root.Find("rope_scaling");
  if (!IsPresent(scaling)) scaling = root.Find("rope_parameters");
  if (!IsPresent(scaling)) return {};
  if (scaling->kind != Json::Kind::kObject) return Unsupported("rope_scaling that is no object");
  std::string type = TextOf(*scaling, "rope_type");
  if (type.empty()) type = TextOf(*scaling, "type");
  TXVM_TRY(config.rope_base, Real(*scaling, "rope_theta", config.rope_base));
  if (type.empty() && IsPresent(scaling->Find("factor"))) {
    return Unsupported("rope_scaling with a factor and no rope_type");
  }
  if (type == "default" || type.empty()) return {};
  if (type != "linear" && type != "llama3") {
    return Unsupported(
        fmt::format("rope_scaling '{}', linear and llama3 are supported", isa::Printable(type)));
  }
  // There is no number that all models without one mean.
  constexpr std::string_view kNumbers[] = {"factor", "low_freq_factor", "high_freq_factor",
                                           "original_max_position_embeddings"};
  for (const std::string_view key : std::span(kNumbers).first(type == "linear" ? 1 : 4)) {
    if (IsPresent(scaling->Find(key))) continue;
    return Unsupported(fmt::format("rope_scaling '{}' without {}", type, key));
  }
  TXVM_TRY(config.rope_factor, Real(*scaling, "factor", 0));
  if (type == "linear") {
    config.rope_scaling = RopeScaling::kLinear;
    return {};
  }
  config.rope_scaling = RopeScaling::kLlama3;
  TXVM_TRY(config.rope_low, Real(*scaling, "low_freq_factor", 0));
  TXVM_TRY(config.rope_high, Real(*scaling, "high_freq_factor", 0));
  TXVM_TRY(config.rope_original, Size(*scaling, "original_max_position_embeddings", 0));
  return {};
}

/// A GGUF key "llama.<key>" that is a size.
Result<std::size_t> GgufSize(const Gguf& gguf, std::string_view key, std::size_t fallback) {
  const GgufValue* value = gguf.Find(fmt::format("llama.{}", key));
  if (value == nullptr) return fallback;
  const std::optional<std::uint64_t> size = value->Unsigned();
  if (!size) return Fail(ErrorCode::kInvalid, fmt::format("GGUF: llama.{} is not a size", key));
  return static_cast<std::size_t>(*size);
}

Result<double> GgufReal(const Gguf& gguf, std::string_view key, double fallback) {
  const GgufValue* value = gguf.Find(fmt::format("llama.{}", key));
  if (value == nullptr) return fallback;
  const std::optional<double> real = value->Real();
  if (!real) return Fail(ErrorCode::kInvalid, fmt::format("GGUF: llama.{} is no number", key));
  return *real;
}

/// As in config.json; a window of 0 is none, as ggml has it.
Result<void> CheckGgufWindow(const Gguf& gguf, std::size_t positions) {
  TXVM_TRY(const std::size_t window, GgufSize(gguf, "attention.sliding_window", 0));
  if (window == 0 || window >= positions) return {};
  return Fail(ErrorCode::kUnsupported, fmt::format("GGUF: {}", WindowText(window, positions)));
}

/// The tokens that these keys "tokenizer.ggml.<key>_token_id" name, each once.
std::vector<Token> GgufTokens(const Gguf& gguf, std::span<const std::string_view> keys) {
  std::vector<Token> tokens;
  for (const std::string_view key : keys) {
    const GgufValue* value = gguf.Find(fmt::format("tokenizer.ggml.{}_token_id", key));
    const std::uint64_t id = value == nullptr ? kMaxVocab : value->Unsigned().value_or(kMaxVocab);
    if (id >= kMaxVocab) continue;
    const auto token = static_cast<Token>(id);
    if (std::ranges::find(tokens, token) == tokens.end()) tokens.push_back(token);
  }
  return tokens;
}

Result<void> ReadGgufScaling(const Gguf& gguf, Config& config) {
  // As ggml has it: linear where no type is stated; a factor of 0 is none.
  const GgufValue* value = gguf.Find("llama.rope.scaling.type");
  const std::string_view type = value == nullptr ? "linear" : value->Text().value_or("");
  if (type == "none") return {};
  if (type != "linear") {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("GGUF: rope scaling '{}', linear is supported", isa::Printable(type)));
  }
  TXVM_TRY(const double older, GgufReal(gguf, "rope.scale_linear", 0));
  TXVM_TRY(const double factor, GgufReal(gguf, "rope.scaling.factor", older));
  if (factor == 0) return {};
  config.rope_scaling = RopeScaling::kLinear;
  config.rope_factor = factor;
  return {};
}

/// A number that no reader takes for an integer, which transformers up to 4.42 refuses as a factor.
std::string RealText(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace

void DropForeignTokens(Config& config) {
  const auto is_foreign = [&config](Token id) {
    return static_cast<std::size_t>(id) >= config.vocab;
  };
  std::erase_if(config.bos, is_foreign);
  std::erase_if(config.eos, is_foreign);
}

Result<void> CheckConfig(const Config& config) {
  struct Row {
    std::string_view name;
    std::size_t value, most;
  };
  for (const auto& [name, value, most] :
       {Row{"vocab_size", config.vocab, kMaxVocab},
        {"hidden_size", config.hidden, kMaxWidth},
        {"intermediate_size", config.feed_forward, kMaxWidth},
        {"num_hidden_layers", config.layers, kMaxLayers},
        {"num_attention_heads", config.heads, kMaxHeads},
        {"num_key_value_heads", config.kv_heads, kMaxHeads},
        {"head_dim", config.head_dim, kMaxHeadDim},
        {"max_position_embeddings", config.positions, kMaxPositions}}) {
    if (value == 0 || value > most) {
      return Fail(ErrorCode::kInvalid, fmt::format("model {} is {}, 1 to {}", name, value, most));
    }
  }
  if (config.heads % config.kv_heads != 0) {
    return Fail(ErrorCode::kInvalid, fmt::format("model has {} heads for {} key heads: no multiple",
                                                 config.heads, config.kv_heads));
  }
  if (config.head_dim % 2 != 0) {
    return Fail(ErrorCode::kInvalid, fmt::format("model head_dim {} is odd", config.head_dim));
  }
  struct Bound {
    std::string_view name;
    double value, above, below;
  };
  constexpr double kAny = std::numeric_limits<double>::infinity();
  for (const auto& [name, value, above, below] :
       {Bound{"rope_theta", config.rope_base, 0, kAny},
        {"rope_scaling factor", config.rope_factor, 0, kAny},
        {"rope_scaling low_freq_factor", config.rope_low, 0, kAny},
        {"rope_scaling high_freq_factor", config.rope_high, config.rope_low, kAny},
        {"rms_norm_eps", config.epsilon, 0, 1}}) {
    if (!(value > above && value < below)) {
      return Fail(
          ErrorCode::kInvalid,
          below == kAny
              ? fmt::format("model {} is {}, above {} and finite", name, value, above)
              : fmt::format("model {} is {}, between {} and {}", name, value, above, below));
    }
  }
  if (config.rope_scaling == RopeScaling::kLlama3 && config.rope_original == 0) {
    return Fail(ErrorCode::kInvalid,
                "model rope_scaling original_max_position_embeddings is 0, from 1 on");
  }
  return {};
}

Result<Config> ConfigFromJson(std::string_view text) {
  TXVM_TRY(const Json root, isa::ParseJson(text, {.fractions = true}));
  if (root.kind != Json::Kind::kObject) {
    return Fail(ErrorCode::kCorrupt, "config.json is not an object");
  }
  TXVM_CHECK_OK(CheckArchitecture(root));
  Config config;
  TXVM_TRY(config.vocab, Size(root, "vocab_size", 0));
  TXVM_TRY(config.hidden, Size(root, "hidden_size", 0));
  TXVM_TRY(config.feed_forward, Size(root, "intermediate_size", 0));
  TXVM_TRY(config.layers, Size(root, "num_hidden_layers", 0));
  TXVM_TRY(config.heads, Size(root, "num_attention_heads", 0));
  TXVM_TRY(config.kv_heads, Size(root, "num_key_value_heads", config.heads));
  const std::size_t head_dim = config.heads == 0 ? 0 : config.hidden / config.heads;
  TXVM_TRY(config.head_dim, Size(root, "head_dim", head_dim));
  TXVM_TRY(config.positions, Size(root, "max_position_embeddings", 2048));
  TXVM_CHECK_OK(CheckWindow(root, config.positions));
  TXVM_TRY(const double epsilon, Real(root, "rms_norm_eps", kDefaultEpsilon));
  config.epsilon = static_cast<float>(epsilon);
  TXVM_TRY(config.rope_base, Real(root, "rope_theta", kDefaultBase));
  TXVM_CHECK_OK(ReadScaling(root, config));
  config.tied = root.Flag("tie_word_embeddings");
  config.bos = Tokens(root, "bos_token_id");
  config.eos = Tokens(root, "eos_token_id");
  TXVM_CHECK_OK(CheckConfig(config));
  DropForeignTokens(config);
  return config;
}

Result<Config> ConfigFromGguf(const Gguf& gguf) {
  const GgufValue* architecture = gguf.Find("general.architecture");
  const std::string_view name = architecture == nullptr ? "" : architecture->Text().value_or("");
  if (name != "llama") {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("GGUF: architecture '{}', llama is supported", isa::Printable(name)));
  }
  Config config;
  config.rope_layout = RopeLayout::kPairs;
  TXVM_TRY(config.vocab, GgufSize(gguf, "vocab_size", 0));
  TXVM_TRY(config.hidden, GgufSize(gguf, "embedding_length", 0));
  TXVM_TRY(config.feed_forward, GgufSize(gguf, "feed_forward_length", 0));
  TXVM_TRY(config.layers, GgufSize(gguf, "block_count", 0));
  TXVM_TRY(config.heads, GgufSize(gguf, "attention.head_count", 0));
  TXVM_TRY(config.kv_heads, GgufSize(gguf, "attention.head_count_kv", config.heads));
  const std::size_t head_dim = config.heads == 0 ? 0 : config.hidden / config.heads;
  TXVM_TRY(config.head_dim, GgufSize(gguf, "attention.key_length", head_dim));
  TXVM_TRY(const std::size_t rotated, GgufSize(gguf, "rope.dimension_count", config.head_dim));
  if (rotated != config.head_dim) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("GGUF: rotation of {} of {} elements of a head", rotated, config.head_dim));
  }
  TXVM_TRY(config.positions, GgufSize(gguf, "context_length", 2048));
  TXVM_CHECK_OK(CheckGgufWindow(gguf, config.positions));
  TXVM_TRY(const double epsilon,
           GgufReal(gguf, "attention.layer_norm_rms_epsilon", kDefaultEpsilon));
  config.epsilon = static_cast<float>(epsilon);
  TXVM_TRY(config.rope_base, GgufReal(gguf, "rope.freq_base", kDefaultBase));
  TXVM_CHECK_OK(ReadGgufScaling(gguf, config));
  config.bos = GgufTokens(gguf, std::array{std::string_view("bos")});
  config.eos = GgufTokens(gguf, kGgufEnds);
  return config;
}

std::string ConfigToJson(const Config& config, std::string_view torch_dtype) {
  const auto ids = [](const std::vector<Token>& tokens) {
    if (tokens.empty()) return std::string("null");
    if (tokens.size() == 1) return std::to_string(tokens[0]);
    return fmt::format("[{}]", fmt::join(tokens, ", "));
  };
  std::string scaling = "null";
  if (config.rope_scaling == RopeScaling::kLinear) {
    scaling = fmt::format(R"({{"type": "linear", "factor": {}}})", RealText(config.rope_factor));
  } else if (config.rope_scaling == RopeScaling::kLlama3) {
    scaling = fmt::format(
        R"({{"rope_type": "llama3", "factor": {}, "low_freq_factor": {}, "high_freq_factor": {}, )"
        R"("original_max_position_embeddings": {}}})",
        RealText(config.rope_factor), RealText(config.rope_low), RealText(config.rope_high),
        config.rope_original);
  }
  return fmt::format(
      R"({{
  "architectures": ["LlamaForCausalLM"],
  "model_type": "llama",
  "hidden_size": {},
  "intermediate_size": {},
  "num_hidden_layers": {},
  "num_attention_heads": {},
  "num_key_value_heads": {},
  "head_dim": {},
  "vocab_size": {},
  "max_position_embeddings": {},
  "rms_norm_eps": {},
  "rope_theta": {},
  "rope_scaling": {},
  "hidden_act": "silu",
  "attention_bias": false,
  "mlp_bias": false,
  "tie_word_embeddings": {},
  "bos_token_id": {},
  "eos_token_id": {},
  "torch_dtype": "{}"
}}
)",
      config.hidden, config.feed_forward, config.layers, config.heads, config.kv_heads,
      config.head_dim, config.vocab, config.positions, config.epsilon, RealText(config.rope_base),
      scaling, config.tied, ids(config.bos), ids(config.eos), torch_dtype);
}

std::vector<double> RopeFrequencies(const Config& config) {
  std::vector<double> frequencies(config.head_dim / 2);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    double f = std::pow(config.rope_base,
                        -2.0 * static_cast<double>(i) / static_cast<double>(config.head_dim));
    if (config.rope_scaling == RopeScaling::kLinear) f /= config.rope_factor;
    if (config.rope_scaling == RopeScaling::kLlama3) {
      // Short wavelengths stay, long ones are stretched, those between are blended.
      const double turns = static_cast<double>(config.rope_original) * f / (2 * std::numbers::pi);
      const double blend = (turns - config.rope_low) / (config.rope_high - config.rope_low);
      if (turns < config.rope_low) {
        f /= config.rope_factor;
      } else if (turns <= config.rope_high) {
        f = (1 - blend) * f / config.rope_factor + blend * f;
      }
    }
    frequencies[i] = f;
  }
  return frequencies;
}

}  // namespace txvm::neural::llm
