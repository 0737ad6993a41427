// The shape of a llama-architecture model, from config.json or GGUF metadata.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/gguf.h"

namespace txvm::neural::llm {

using Token = std::int32_t;

/// Which elements of a head a rotation pairs: i with i + head_dim / 2, or 2i with 2i + 1. The rows
/// of q and k are stored in the order that goes with it.
enum class RopeLayout : std::uint8_t { kHalves, kPairs };

/// How positions beyond the trained ones are reached.
enum class RopeScaling : std::uint8_t { kNone, kLinear, kLlama3 };

struct Config {
  std::size_t vocab = 0;
  std::size_t hidden = 0;
  std::size_t feed_forward = 0;
  std::size_t layers = 0;
  std::size_t heads = 0;
  std::size_t kv_heads = 0;
  std::size_t head_dim = 0;   // even
  std::size_t positions = 0;  // the longest sequence
  float epsilon = 0;
  double rope_base = 0;
  bool tied = false;  // the output head is the embedding
  RopeLayout rope_layout = RopeLayout::kHalves;
  RopeScaling rope_scaling = RopeScaling::kNone;
  double rope_factor = 1, rope_low = 1, rope_high = 4;  // kLlama3 uses all, kLinear the first
  std::size_t rope_original = 0;                        // positions before scaling, kLlama3
  std::vector<Token> bos, eos;                          // empty: unknown

  std::size_t q_rows() const { return heads * head_dim; }
  std::size_t kv_rows() const { return kv_heads * head_dim; }
  friend bool operator==(const Config&, const Config&) = default;
};

/// Forgets ids of bos and eos that are none of the vocabulary's.
void DropForeignTokens(Config& config);

/// Each dimension's limit, far above any model and far below what could overflow.
inline constexpr std::size_t kMaxVocab = 1u << 22, kMaxWidth = 1u << 20, kMaxLayers = 1u << 10,
                             kMaxHeads = 1u << 12, kMaxHeadDim = 1u << 12, kMaxPositions = 1u << 24;

/// The GGUF keys "tokenizer.ggml.<name>_token_id" of the tokens that end a text.
inline constexpr std::array<std::string_view, 3> kGgufEnds = {"eos", "eot", "eom"};

/// Checks that the dimensions are positive, in range and fit each other. kInvalid names the first
/// that is not.
isa::Result<void> CheckConfig(const Config& config);

/// From the text of a config.json of model_type "llama" or "mistral". kUnsupported: another
/// architecture, activation, biases or RoPE scaling; a sliding window shorter than the positions,
/// which in a mistral without sliding_window is 4,096.
isa::Result<Config> ConfigFromJson(std::string_view text);
/// From the metadata of a file of architecture "llama"; the vocabulary's size is 0 when it is not
/// stated, `tied` is left to the tensors. kUnsupported as above, with a window only where it is
/// stated.
isa::Result<Config> ConfigFromGguf(const Gguf& gguf);

/// As a config.json that ConfigFromJson and Hugging Face's loaders read.
std::string ConfigToJson(const Config& config, std::string_view torch_dtype);

/// The angle per position of each of the head_dim / 2 pairs, scaling included.
std::vector<double> RopeFrequencies(const Config& config);

}  // namespace txvm::neural::llm
