#include "frontends/nl/lens/lens.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "frontends/nl/language/lens_label.h"
#include "neural/llm/context.h"
#include "neural/llm/sampler.h"

namespace txvm::frontends::nl {

namespace llm = neural::llm;

std::vector<double> Probabilities(std::span<const float> logits) {
  const llm::LogSoftmax log_softmax(logits);
  std::vector<double> probabilities;
  probabilities.reserve(logits.size());
  for (const float logit : logits) probabilities.push_back(std::exp(log_softmax(logit)));
  return probabilities;
}

LensChoice ChooseOperation(std::span<const float> logits, const Codec& codec,
                           std::span<const Token> among) {
  const auto logit = [&](Token token) {
    return logits[static_cast<std::size_t>(codec.IdOf(token))];
  };
  const Token best = *std::ranges::max_element(among, {}, logit);
  return {best, Probabilities(logits)[static_cast<std::size_t>(codec.IdOf(best))]};
}

isa::Result<std::vector<std::vector<float>>> ResidualRows(
    const std::shared_ptr<const llm::Model>& model, llm::Workers& workers,
    std::span<const llm::Token> tokens) {
  const std::size_t hidden = model->config.hidden;
  std::vector<std::vector<float>> rows(model->config.layers);
  llm::Context context(model, workers);
  // Long prompts come in batches; the last call of a layer holds the last token.
  context.Observe([&](std::size_t layer, std::size_t, std::span<const float> residual) {
    const auto row = residual.last(hidden);
    rows[layer].assign(row.begin(), row.end());
  });
  TXVM_CHECK_OK(context.Feed(tokens));
  return rows;
}

std::optional<bool> LensReport::Agrees() const {
  if (!label) return std::nullopt;
  return decided().operation == *label;
}

LensReader::LensReader(std::shared_ptr<const llm::Model> model, llm::Tokenizer tokenizer,
                       Codec codec, ModelReader reader)
    : model_(std::move(model)),
      tokenizer_(std::move(tokenizer)),
      codec_(std::move(codec)),
      reader_(std::move(reader)),
      workers_(std::make_unique<llm::Workers>(1)) {}

isa::Result<LensReader> LensReader::Make(std::shared_ptr<const llm::Model> model,
                                         const llm::Tokenizer& tokenizer) {
  TXVM_TRY(ModelReader reader, ModelReader::Make(model, tokenizer));
  TXVM_TRY(Codec codec, Codec::Of(tokenizer));
  return LensReader(std::move(model), tokenizer, std::move(codec), std::move(reader));
}

isa::Result<LensReport> LensReader::Read(std::string_view question, std::size_t top) {
  LensReport report;
  report.question = question;
  report.decision = DecisionLayer(model_->config.layers);
  TXVM_TRY(report.reading, reader_.Read(question));
  TXVM_TRY(report.label, LensLabel(report.reading.tokens));
  TXVM_TRY(const Lexed lexed, Lex(question));
  TXVM_TRY(const auto rows, ResidualRows(model_, *workers_, codec_.Prompt(lexed)));
  const llm::Context context(model_, *workers_);
  for (const std::vector<float>& row : rows) {
    const std::vector<float> logits = context.Lens(row);
    const std::vector<double> probabilities = Probabilities(logits);
    std::vector<std::size_t> order(tokenizer_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t listed = std::min(top, order.size());
    std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(listed),
                              [&](std::size_t a, std::size_t b) {
                                return std::pair(-probabilities[a], a) <
                                       std::pair(-probabilities[b], b);
                              });
    LensLayer layer;
    layer.choice = ChooseOperation(logits, codec_, LensClasses());
    for (std::size_t i = 0; i < listed; ++i) {
      layer.top.push_back({tokenizer_.spec().pieces[order[i]].text, probabilities[order[i]]});
    }
    report.layers.push_back(std::move(layer));
  }
  return report;
}

}  // namespace txvm::frontends::nl
