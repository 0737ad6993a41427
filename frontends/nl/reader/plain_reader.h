// A language model with an adapter of `txvm train adapter` as a reader of questions: it needs no
// examples, and writes the program in its own pieces, numbers as figures.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "frontends/nl/reader/ask.h"
#include "frontends/nl/reader/piece_mask.h"
#include "isa/support/result.h"
#include "neural/llm/bundle.h"
#include "neural/llm/workers.h"

namespace txvm::frontends::nl {

struct PlainReaderOptions {
  bool allow_abstention = true;  // false: the best program, whatever its probability
  double least_confidence = 0;   // below it the answer becomes the abstention kNoSense
  std::size_t readings = 3;      // most that are found; 1: the most probable alone
  std::size_t max_tokens = 96;   // of a program
  std::size_t threads = 1;
};

/// The most probable programs under PieceMask, found best-first: all of them parse, and their
/// numbers are the question's. Not thread-safe.
class PlainReader {
 public:
  /// `bundle` has the adapter applied. kInvalid: no tokenizer; errors of CanonicalPieces::Of.
  static isa::Result<PlainReader> Make(const neural::llm::Bundle& bundle,
                                       const PlainReaderOptions& options = {});

  /// Confidence: the probability of the program, the product of its pieces' in the whole
  /// vocabulary; others for Rank. kLimit: a question longer than the model's positions; kInvalid:
  /// scores that are no numbers; errors of Lex.
  isa::Result<Reading> Read(std::string_view question);

 private:
  PlainReader(const neural::llm::Bundle& bundle, CanonicalPieces pieces,
              const PlainReaderOptions& options);

  std::shared_ptr<const neural::llm::Model> model_;
  neural::llm::Tokenizer tokenizer_;
  CanonicalPieces pieces_;
  PlainReaderOptions options_;
  std::unique_ptr<neural::llm::Workers> workers_;
};

}  // namespace txvm::frontends::nl
