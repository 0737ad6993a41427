#include "frontends/nl/model_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "frontends/nl/grammar.h"
#include "neural/llm/context.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;

// The likeliest allowed token, and the logarithm of its probability among all.
struct Choice {
  Token token = Token::kEnd;
  double log_probability = 0;
};

Choice Choose(std::span<const float> logits, const TokenSet& allowed, const Codec& codec) {
  Choice choice;
  float best = -std::numeric_limits<float>::infinity();
  for (std::size_t id = 0; id < kTokenCount; ++id) {
    if (!allowed[id]) continue;
    const float logit = logits[static_cast<std::size_t>(codec.IdOf(TokenOf(id)))];
    if (logit <= best) continue;
    best = logit;
    choice.token = TokenOf(id);
  }
  const float largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit - largest));
  choice.log_probability = static_cast<double>(best - largest) - std::log(sum);
  return choice;
}

}  // namespace

isa::Result<ModelReader> ModelReader::Make(std::shared_ptr<const llm::Model> model,
                                           const llm::Tokenizer& tokenizer,
                                           const ModelReaderOptions& options) {
  if (model->config.vocab < tokenizer.size()) {
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("the tokenizer has {} tokens, the model {}", tokenizer.size(),
                                 model->config.vocab));
  }
  TXVM_TRY(Codec codec, Codec::Of(tokenizer));
  return ModelReader(std::move(model), std::move(codec), options);
}

ModelReader::ModelReader(std::shared_ptr<const llm::Model> model, Codec codec,
                         const ModelReaderOptions& options)
    : model_(std::move(model)),
      codec_(std::move(codec)),
      options_(options),
      workers_(std::make_unique<llm::Workers>(options.threads)) {}

isa::Result<Reading> ModelReader::Read(std::string_view question) {
  TXVM_TRY(Lexed lexed, Lex(question));
  CanonicalGrammar grammar({.slots = lexed.numbers.size(),
                            .max_tokens = options_.max_tokens,
                            .allow_abstention = options_.allow_abstention});
  llm::Context context(model_, *workers_);
  TXVM_CHECK_OK(context.Feed(codec_.Prompt(lexed)));
  Reading reading;
  double log_probability = 0;
  while (!grammar.finished()) {
    const Choice choice = Choose(context.logits(), grammar.Allowed(), codec_);
    log_probability += choice.log_probability;
    reading.tokens.push_back(choice.token);
    grammar.Advance(choice.token);
    if (grammar.finished()) break;
    const llm::Token id = codec_.IdOf(choice.token);
    TXVM_CHECK_OK(context.Feed(std::span(&id, 1)));
  }
  reading.numbers = std::move(lexed.numbers);
  reading.confidence = std::exp(log_probability);
  if (options_.allow_abstention && *reading.confidence < options_.least_confidence) {
    reading.tokens = {Token::kNoSense, Token::kEnd};
  }
  return reading;
}

}  // namespace txvm::frontends::nl
