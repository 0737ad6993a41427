#include "frontends/nl/reader/plain_reader.h"

#include <iterator>
#include <utility>
#include <vector>

#include "frontends/nl/reader/best_first.h"
#include "frontends/nl/reader/plain_prompt.h"
#include "neural/llm/chat.h"
#include "neural/llm/context.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;

/// A program in a model's own pieces.
struct PieceWriter {
  using Step = llm::Token;

  PieceMask mask;

  std::vector<Step> Allowed() const { return mask.Allowed(); }
  static llm::Token IdOf(Step step) { return step; }
  void Advance(Step step) { mask.Advance(step); }
  bool finished() const { return mask.finished(); }
  const std::vector<Token>& tokens() const { return mask.tokens(); }
};

}  // namespace

isa::Result<PlainReader> PlainReader::Make(const llm::Bundle& bundle,
                                           const PlainReaderOptions& options) {
  if (!bundle.tokenizer) {
    return isa::Fail(isa::ErrorCode::kInvalid, "the model has no tokenizer to read questions with");
  }
  const auto stop = llm::StopTokens(*bundle.tokenizer, bundle.model->config.eos);
  TXVM_TRY(CanonicalPieces pieces, CanonicalPieces::Of(*bundle.tokenizer, stop));
  return PlainReader(bundle, std::move(pieces), options);
}

PlainReader::PlainReader(const llm::Bundle& bundle, CanonicalPieces pieces,
                         const PlainReaderOptions& options)
    : model_(bundle.model),
      tokenizer_(*bundle.tokenizer),
      pieces_(std::move(pieces)),
      options_(options),
      workers_(std::make_unique<llm::Workers>(options.threads)) {}

isa::Result<Reading> PlainReader::Read(std::string_view question) {
  TXVM_TRY(const Lexed lexed, Lex(question));
  auto context = std::make_shared<llm::Context>(model_, *workers_);
  TXVM_CHECK_OK(context->Feed(PlainPrompt(tokenizer_, question)));
  PieceWriter root{PieceMask(
      pieces_, Magnitudes(lexed),
      {.max_tokens = options_.max_tokens, .allow_abstention = options_.allow_abstention})};
  Reading reading;
  reading.numbers = root.mask.numbers();
  BestFirst search(std::move(root), std::move(context), {.readings = options_.readings});
  TXVM_TRY(std::vector<Alternative> found, search.Run());
  reading.tokens = std::move(found.front().tokens);
  reading.confidence = found.front().probability;
  reading.others.assign(std::make_move_iterator(found.begin() + 1),
                        std::make_move_iterator(found.end()));
  if (options_.allow_abstention) reading.least_confidence = options_.least_confidence;
  return reading;
}

}  // namespace txvm::frontends::nl
