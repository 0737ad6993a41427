// The most probable programs that a model would write, found best-first: a longer beginning is
// never more probable, so programs come out in the order of their probabilities.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "frontends/nl/reader/ask.h"
#include "isa/support/result.h"
#include "neural/llm/context.h"
#include "neural/llm/sampler.h"

namespace txvm::frontends::nl {

/// How far a search goes.
struct SearchLimits {
  std::size_t readings = 4;     // most that are found
  std::size_t expansions = 96;  // tokens read while looking for others
};

/// A Writer is a beginning of a program, cheap to copy. It has
///   Step                  one way on
///   Allowed()             all of them, std::vector<Step>; none only where finished()
///   IdOf(step)            the model's token for it
///   Advance(step)         takes it
///   finished(), tokens()  whether it is whole, and its canonical tokens
template <class Writer>
class BestFirst {
 public:
  /// `context` has read the question.
  BestFirst(Writer root, std::shared_ptr<const neural::llm::Context> context,
            const SearchLimits& limits)
      : limits_(limits) {
    queue_.push_back({0, std::move(root), std::nullopt, std::move(context)});
  }

  /// At least one program; others while they are at least a fiftieth as probable as the first, and
  /// none after one that is certain. kInvalid: scores that are no numbers; errors of Feed.
  isa::Result<std::vector<Alternative>> Run() {
    std::size_t expansions = 0;
    while (!queue_.empty() && found_.size() < limits_.readings) {
      std::pop_heap(queue_.begin(), queue_.end());
      Prefix prefix = std::move(queue_.back());
      queue_.pop_back();
      if (!found_.empty() && prefix.log_probability < Least()) break;
      if (prefix.writer.finished()) {
        found_.push_back({prefix.writer.tokens(), std::exp(prefix.log_probability)});
        if (found_.front().probability >= kCertain) break;
        continue;
      }
      // Lost among many improbable beginnings, only the first found way on counts.
      if (++expansions > limits_.expansions) {
        if (!found_.empty()) break;
        queue_.clear();
      }
      TXVM_CHECK_OK(Expand(std::move(prefix)));
    }
    return std::move(found_);
  }

 private:
  using Step = typename Writer::Step;

  static constexpr double kLeastShare = 0.02;  // of the most probable reading's probability
  static constexpr double kCertain = 0.99;     // no other reading is looked for

  // The context is its parent's: the last token is yet to be read, and is only if the beginning
  // turns out to be among the most probable.
  struct Prefix {
    double log_probability = 0;
    Writer writer;
    std::optional<Step> last;
    std::shared_ptr<const neural::llm::Context> context;

    bool operator<(const Prefix& other) const { return log_probability < other.log_probability; }
  };

  // Below it, a logarithm of a probability is not worth a look.
  double Least() const {
    const double best = found_.empty() ? 1e-6 : found_.front().probability;
    return std::log(best * kLeastShare);
  }

  isa::Result<void> Expand(Prefix prefix) {
    if (prefix.last) {
      auto context = std::make_shared<neural::llm::Context>(prefix.context->Fork());
      const neural::llm::Token id = prefix.writer.IdOf(*prefix.last);
      TXVM_CHECK_OK(context->Feed(std::span(&id, 1)));
      prefix.context = std::move(context);
    }
    const std::span<const float> logits = prefix.context->logits();
    const neural::llm::LogSoftmax log_softmax(logits);
    if (!log_softmax.valid()) {
      return isa::Fail(isa::ErrorCode::kInvalid,
                       fmt::format("the model's scores after {} tokens are no numbers",
                                   prefix.context->tokens().size()));
    }
    // The likeliest goes on whatever its probability: there is always a reading.
    std::vector<std::pair<double, Step>> choices;
    for (const Step& step : prefix.writer.Allowed()) {
      const float logit = logits[static_cast<std::size_t>(prefix.writer.IdOf(step))];
      choices.emplace_back(log_softmax(logit), step);
    }
    std::ranges::stable_sort(choices, std::greater<>(), &std::pair<double, Step>::first);
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const double log_probability = prefix.log_probability + choices[i].first;
      if (i > 0 && log_probability < Least()) break;
      Prefix next = prefix;
      next.log_probability = log_probability;
      next.last = choices[i].second;
      next.writer.Advance(choices[i].second);
      queue_.push_back(std::move(next));
      std::push_heap(queue_.begin(), queue_.end());
    }
    return {};
  }

  SearchLimits limits_;
  std::vector<Prefix> queue_;  // a heap
  std::vector<Alternative> found_;
};

}  // namespace txvm::frontends::nl
