// The middle end: what a model's residual stream already says about the operation, read after
// every block with the model's own final norm and head (the logit lens).
//
// Goals: the original's measurement, at the prompt's last token, with the classes of lens_label.h;
// the lens's operation checked against the program that the model writes. Non-goals: deciding
// anything: `txvm ask` does not look at it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/nl/reader/codec.h"
#include "frontends/nl/reader/model_reader.h"
#include "isa/support/result.h"
#include "neural/llm/model.h"
#include "neural/llm/tokenizer.h"
#include "neural/llm/workers.h"

namespace txvm::frontends::nl {

/// The block after which the operation is read: int(0.55 * layers), from 0; 12 of 22, 2 of 5.
constexpr std::size_t DecisionLayer(std::size_t layers) { return layers * 11 / 20; }

/// The likeliest operator of a row of logits, by LensClasses or `among`.
struct LensChoice {
  Token operation = Token::kEnd;
  double probability = 0;  // in the whole vocabulary
};
LensChoice ChooseOperation(std::span<const float> logits, const Codec& codec,
                           std::span<const Token> among);
/// Softmax in double precision, (vocab,).
std::vector<double> Probabilities(std::span<const float> logits);

/// The residual stream at the last of `tokens`, after every block: (layers, hidden). Errors of
/// Context::Feed.
isa::Result<std::vector<std::vector<float>>> ResidualRows(
    const std::shared_ptr<const neural::llm::Model>& model, neural::llm::Workers& workers,
    std::span<const neural::llm::Token> tokens);

/// A token of the vocabulary with its probability.
struct LensToken {
  std::string text;
  double probability = 0;
};

struct LensLayer {
  std::vector<LensToken> top;  // likeliest first
  LensChoice choice;           // among LensClasses
};

/// One question through the lens.
struct LensReport {
  std::string question;
  std::vector<LensLayer> layers;
  std::size_t decision = 0;
  Reading reading;             // the program that the model writes
  std::optional<Token> label;  // its LensLabel; none: nothing to compare

  const LensChoice& decided() const { return layers[decision].choice; }
  /// Whether the lens and the program name the same operation; none where there is no label.
  std::optional<bool> Agrees() const;
};

/// Not thread-safe.
class LensReader {
 public:
  /// Errors as ModelReader::Make's.
  static isa::Result<LensReader> Make(std::shared_ptr<const neural::llm::Model> model,
                                      const neural::llm::Tokenizer& tokenizer);

  /// Errors as ModelReader::Read's. `top` tokens a layer are listed.
  isa::Result<LensReport> Read(std::string_view question, std::size_t top);

 private:
  LensReader(std::shared_ptr<const neural::llm::Model> model, neural::llm::Tokenizer tokenizer,
             Codec codec, ModelReader reader);

  std::shared_ptr<const neural::llm::Model> model_;
  neural::llm::Tokenizer tokenizer_;
  Codec codec_;
  ModelReader reader_;
  std::unique_ptr<neural::llm::Workers> workers_;
};

}  // namespace txvm::frontends::nl
