#include "neural/llm/generate.h"

#include <fmt/format.h>

#include <algorithm>

namespace txvm::neural::llm {

using isa::ErrorCode;
using isa::Fail;

isa::Result<Generated> Generate(Context& context, const GenerateOptions& options) {
  if (context.logits().empty()) {
    return Fail(ErrorCode::kInvalid, "nothing has been read that could be continued");
  }
  Sampler sampler(options.sampler);
  Generated generated;
  std::vector<float> logits;
  while (generated.tokens.size() < options.most_tokens) {
    logits.assign(context.logits().begin(), context.logits().end());
    if (options.mask) options.mask(generated.tokens, logits);
    const std::optional<Choice> choice = sampler.Choose(logits, context.tokens());
    if (!choice) {
      return Fail(ErrorCode::kInvalid,
                  fmt::format("no token can follow the {} generated: the mask forbids all, or the "
                              "scores are no numbers",
                              generated.tokens.size()));
    }
    if (std::ranges::find(options.stop, choice->token) != options.stop.end()) {
      generated.stop_log_probability = choice->log_probability;
      generated.reason = StopReason::kStopToken;
      return generated;
    }
    generated.tokens.push_back(choice->token);
    generated.log_probabilities.push_back(choice->log_probability);
    if (options.on_token && !options.on_token(choice->token)) {
      generated.reason = StopReason::kCaller;
      return generated;
    }
    if (generated.tokens.size() == options.most_tokens) break;
    if (context.tokens().size() == context.model().config.positions) {
      generated.reason = StopReason::kPositions;
      return generated;
    }
    TXVM_CHECK_OK(context.Feed({&choice->token, 1}));
  }
  return generated;
}

}  // namespace txvm::neural::llm
