// Any chat model as a reader of questions: it is shown examples and continues with a canonical
// program in its own pieces, and only ever with pieces that the grammar allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/nl/reader/ask.h"
#include "frontends/nl/reader/chat_prompts.h"
#include "frontends/nl/reader/piece_mask.h"
#include "neural/llm/bundle.h"
#include "neural/llm/context.h"
#include "neural/llm/workers.h"

namespace txvm::frontends::nl {

/// How the examples are laid out: as the original system did, or by the model's own chat template.
enum class PromptVariant : std::uint8_t { kSeed, kTemplate };

struct ChatReaderOptions {
  Pipeline pipeline = Pipeline::kAuto;
  /// nullopt: kTemplate where the model has a template of a known family, else kSeed.
  std::optional<PromptVariant> variant;
  bool allow_abstention = true;  // false: the best program, whatever its probability
  double least_confidence = 0;   // below it the answer becomes the abstention kNoSense
  std::size_t threads = 1;
};

/// Greedy decoding under PieceMask: every reading parses, and its numbers are the question's. The
/// examples are read once; later questions start after them. Not thread-safe.
class ChatReader {
 public:
  /// kInvalid: a bundle without tokenizer, and as CanonicalPieces::Of; kUnsupported: kTemplate for
  /// a model that has none of a known family.
  static isa::Result<ChatReader> Make(const neural::llm::Bundle& bundle,
                                      const ChatReaderOptions& options = {});

  /// Confidence: the probability of the program, the product of its pieces' in the whole
  /// vocabulary. kInvalid: a question that contains a special token; kLimit: prompt and program are
  /// longer than the model's positions; errors of Lex.
  isa::Result<Reading> Read(std::string_view question);

  /// The prompt of a question, beginning-of-text included. Errors as Read's.
  isa::Result<std::vector<neural::llm::Token>> Prompt(std::string_view question) const;
  PromptVariant variant() const { return variant_; }
  Pipeline pipeline() const { return options_.pipeline; }

 private:
  ChatReader(const neural::llm::Bundle& bundle, CanonicalPieces pieces, PromptVariant variant,
             const ChatReaderOptions& options);

  std::shared_ptr<const neural::llm::Model> model_;
  neural::llm::Tokenizer tokenizer_;
  std::optional<neural::llm::ChatFamily> family_;
  CanonicalPieces pieces_;
  PromptVariant variant_;
  ChatReaderOptions options_;
  std::unique_ptr<neural::llm::Workers> workers_;
  neural::llm::PrefixCache prefix_{1};  // the examples, with whatever question came first
  bool prefix_is_known_ = false;
};

/// "seed", "template".
std::string_view VariantName(PromptVariant variant);

}  // namespace txvm::frontends::nl
