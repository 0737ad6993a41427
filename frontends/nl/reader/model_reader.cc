#include "frontends/nl/reader/model_reader.h"

#include <fmt/format.h>

#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "frontends/nl/language/grammar.h"
#include "frontends/nl/reader/best_first.h"
#include "neural/llm/context.h"
#include "neural/llm/sampler.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;

/// A program in slots.
struct SlotWriter {
  using Step = Token;

  const Codec* codec;
  CanonicalGrammar grammar;
  std::vector<Token> taken;

  std::vector<Step> Allowed() const {
    const TokenSet allowed = grammar.Allowed();
    std::vector<Step> steps;
    for (std::size_t id = 0; id < kTokenCount; ++id) {
      if (allowed[id]) steps.push_back(TokenOf(id));
    }
    return steps;
  }
  llm::Token IdOf(Step step) const { return codec->IdOf(step); }
  void Advance(Step step) {
    taken.push_back(step);
    grammar.Advance(step);
  }
  bool finished() const { return grammar.finished(); }
  const std::vector<Token>& tokens() const { return taken; }
};

/// Of a prompt's question, which begin-of-text and the mark after it enclose: minus the mean
/// logarithm of its tokens' probabilities. `logits` (prompt tokens, vocab) are those after each.
double SurpriseOf(std::span<const llm::Token> prompt, std::span<const float> logits) {
  const std::size_t vocab = logits.size() / prompt.size(), tokens = prompt.size() - 2;
  double sum = 0;
  for (std::size_t i = 0; i < tokens; ++i) {
    const std::span<const float> row = logits.subspan(i * vocab, vocab);
    sum -= llm::LogSoftmax(row)(row[static_cast<std::size_t>(prompt[i + 1])]);
  }
  return sum / static_cast<double>(tokens);
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
  const CanonicalGrammar grammar({.slots = lexed.numbers.size(),
                                  .max_tokens = options_.max_tokens,
                                  .allow_abstention = options_.allow_abstention});
  auto context = std::make_shared<llm::Context>(model_, *workers_);
  const std::vector<llm::Token> prompt = codec_.Prompt(lexed);
  double doubt = 0;
  if (prompt.size() >= options_.wording.least_tokens + 2) {
    TXVM_TRY(const std::vector<float> logits, context->FeedForAll(prompt));
    doubt = options_.wording.doubt * (SurpriseOf(prompt, logits) - options_.wording.usual);
  } else {
    TXVM_CHECK_OK(context->Feed(prompt));
  }
  BestFirst search(SlotWriter{&codec_, grammar, {}}, std::move(context),
                   {.readings = options_.readings});
  TXVM_TRY(std::vector<Alternative> found, search.Run());
  Reading reading;
  reading.tokens = std::move(found.front().tokens);
  reading.confidence = found.front().probability;
  reading.doubt = doubt;
  reading.others.assign(std::make_move_iterator(found.begin() + 1),
                        std::make_move_iterator(found.end()));
  reading.numbers = std::move(lexed.numbers);
  if (options_.allow_abstention) reading.least_confidence = options_.least_confidence;
  return reading;
}

}  // namespace txvm::frontends::nl
