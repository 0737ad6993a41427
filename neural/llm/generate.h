// Continuing a sequence token by token, under a mask.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/context.h"
#include "neural/llm/sampler.h"

namespace txvm::neural::llm {

/// Edits the scores of the next token after those generated so far; -infinity forbids one.
using LogitMask = std::function<void(std::span<const Token> generated, std::span<float> logits)>;

struct GenerateOptions {
  std::size_t most_tokens = 256;
  std::vector<Token> stop = {};  // end the sequence and are not part of it
  SamplerOptions sampler = {};
  LogitMask mask = {};  // may be empty
  /// Called with every token; false ends the sequence. May be empty.
  std::function<bool(Token)> on_token = {};
};

enum class StopReason : std::uint8_t { kStopToken, kMostTokens, kCaller, kPositions };

struct Generated {
  std::vector<Token> tokens;
  std::vector<float> log_probabilities;  // of each, under the mask
  float stop_log_probability = 0;        // of the stop token
  StopReason reason = StopReason::kMostTokens;
};

/// Continues a context that has logits, that is, one that has just been fed. The context has then
/// read all tokens but the last. kInvalid: no logits; a mask that allows nothing; scores that are
/// no numbers.
isa::Result<Generated> Generate(Context& context, const GenerateOptions& options);

}  // namespace txvm::neural::llm
