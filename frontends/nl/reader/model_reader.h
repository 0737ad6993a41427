// A language model as a reader of questions: it continues the question with a canonical program,
// and only ever with tokens that the grammar allows.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "frontends/nl/reader/ask.h"
#include "frontends/nl/reader/codec.h"
#include "neural/llm/model.h"
#include "neural/llm/tokenizer.h"
#include "neural/llm/workers.h"

namespace txvm::frontends::nl {

/// How far a story's wording counts. One that is unlike all that the model has learnt from it may
/// misread without being unsure of its program, but it predicts its words badly: the question's
/// surprise, in nats a token, tells (Ren et al., Out-of-Distribution Detection and Selective
/// Generation for Conditional Language Models, ICLR 2023). Short commands are left alone: their few
/// words surprise by themselves.
struct WordingOptions {
  std::size_t least_tokens = 18;  // of a question that counts as a story
  double usual = 4.7;             // the surprise at which a confidence stays what it is
  double doubt = 2;               // log-odds that a nat more takes, and one less adds
};

struct ModelReaderOptions {
  bool allow_abstention = true;  // false: the best program, whatever its probability
  double least_confidence = 0;   // below it the answer becomes the abstention kNoSense
  WordingOptions wording = {};
  std::size_t readings = 4;     // most that are found; 1: the most probable alone
  std::size_t max_tokens = 96;  // of a program
  std::size_t threads = 1;
};

/// The most probable programs under CanonicalGrammar, found best-first: all of them parse. Not
/// thread-safe.
class ModelReader {
 public:
  /// kInvalid: as Codec::Of; a vocabulary that is not the model's.
  static isa::Result<ModelReader> Make(std::shared_ptr<const neural::llm::Model> model,
                                       const neural::llm::Tokenizer& tokenizer,
                                       const ModelReaderOptions& options = {});

  /// Confidence: the probability of the program, the product of its tokens' in the whole
  /// vocabulary; the doubt is WordingOptions'. Others follow while they are at least a fiftieth as
  /// probable, for Rank.
  /// kLimit: a question longer than the model's positions; kInvalid: scores that are no numbers;
  /// errors of Lex.
  isa::Result<Reading> Read(std::string_view question);

 private:
  ModelReader(std::shared_ptr<const neural::llm::Model> model, Codec codec,
              const ModelReaderOptions& options);

  std::shared_ptr<const neural::llm::Model> model_;
  Codec codec_;
  ModelReaderOptions options_;
  std::unique_ptr<neural::llm::Workers> workers_;
};

}  // namespace txvm::frontends::nl
