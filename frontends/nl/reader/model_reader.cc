#include "frontends/nl/reader/model_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "frontends/nl/language/grammar.h"
#include "neural/llm/context.h"
#include "neural/llm/sampler.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;

constexpr double kLeastShare = 0.02;         // of the most probable reading's probability
constexpr double kCertain = 0.99;            // no other reading is looked for
constexpr std::size_t kMostExpansions = 96;  // tokens read while looking for others

// A beginning of a program. The context is its parent's: the last token is yet to be read, and is
// only if the beginning turns out to be among the most probable.
struct Prefix {
  double log_probability = 0;
  std::vector<Token> tokens;
  CanonicalGrammar grammar;
  std::shared_ptr<const llm::Context> context;

  bool operator<(const Prefix& other) const { return log_probability < other.log_probability; }
};

// Best-first search: a longer beginning is never more probable, so programs come out in the order
// of their probabilities.
class Search {
 public:
  Search(const Codec& codec, Prefix root) : codec_(codec) { queue_.push_back(std::move(root)); }

  isa::Result<std::vector<Alternative>> Run(std::size_t readings);

 private:
  isa::Result<void> Expand(Prefix prefix);
  double Least() const;
  void Push(Prefix prefix);

  const Codec& codec_;
  std::vector<Prefix> queue_;  // a heap
  std::vector<Alternative> found_;
};

// Below it, a logarithm of a probability is not worth a look.
double Search::Least() const {
  const double best = found_.empty() ? 1e-6 : found_.front().probability;
  return std::log(best * kLeastShare);
}

void Search::Push(Prefix prefix) {
  queue_.push_back(std::move(prefix));
  std::push_heap(queue_.begin(), queue_.end());
}

isa::Result<void> Search::Expand(Prefix prefix) {
  if (!prefix.tokens.empty()) {
    auto context = std::make_shared<llm::Context>(prefix.context->Fork());
    const llm::Token id = codec_.IdOf(prefix.tokens.back());
    TXVM_CHECK_OK(context->Feed(std::span(&id, 1)));
    prefix.context = std::move(context);
  }
  const std::span<const float> logits = prefix.context->logits();
  const llm::LogSoftmax log_softmax(logits);
  if (!log_softmax.valid()) {
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("the model's scores after {} tokens are no numbers",
                                 prefix.context->tokens().size()));
  }
  const TokenSet allowed = prefix.grammar.Allowed();
  // The likeliest goes on whatever its probability: there is always a reading.
  std::vector<std::pair<double, Token>> choices;
  for (std::size_t id = 0; id < kTokenCount; ++id) {
    if (!allowed[id]) continue;
    const float logit = logits[static_cast<std::size_t>(codec_.IdOf(TokenOf(id)))];
    choices.emplace_back(log_softmax(logit), TokenOf(id));
  }
  std::ranges::stable_sort(choices, std::greater<>(), &std::pair<double, Token>::first);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    Prefix next = prefix;
    next.log_probability += choices[i].first;
    if (i > 0 && next.log_probability < Least()) break;
    next.tokens.push_back(choices[i].second);
    next.grammar.Advance(choices[i].second);
    Push(std::move(next));
  }
  return {};
}

isa::Result<std::vector<Alternative>> Search::Run(std::size_t readings) {
  std::size_t expansions = 0;
  while (!queue_.empty() && found_.size() < readings) {
    std::pop_heap(queue_.begin(), queue_.end());
    Prefix prefix = std::move(queue_.back());
    queue_.pop_back();
    if (!found_.empty() && prefix.log_probability < Least()) break;
    if (prefix.grammar.finished()) {
      found_.push_back({std::move(prefix.tokens), std::exp(prefix.log_probability)});
      if (found_.front().probability >= kCertain) break;
      continue;
    }
    // Lost among many improbable beginnings, only the first found way on counts.
    if (++expansions > kMostExpansions) {
      if (!found_.empty()) break;
      queue_.clear();
    }
    TXVM_CHECK_OK(Expand(std::move(prefix)));
  }
  return std::move(found_);
}

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
  Search search(codec_, {0, {}, grammar, std::move(context)});
  TXVM_TRY(std::vector<Alternative> found, search.Run(options_.readings));
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
