// The sentences of the suffix study. See lens_suffix.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "frontends/nl/reader/codec.h"
#include "isa/support/result.h"
#include "neural/llm/config.h"
#include "neural/train/llama.h"

namespace txvm::frontends::nl {

/// A sentence without its suffix: "so 15 > 10". Slots N0 and N1.
struct SuffixBody {
  std::string text;
  Token value = Token::kMinus;    // the operator when a value is asked
  Token claim = Token::kGreater;  // when a claim is judged; of arithmetic: the value's
  bool held_out = false;
};

/// All bodies, comparisons then arithmetic; the latter are never held out.
std::vector<SuffixBody> SuffixBodies();

/// The body's prompt with a suffix, if any; `after_program` puts the token <program> last.
isa::Result<std::vector<neural::llm::Token>> SuffixPrompt(const Codec& codec,
                                                          const std::string& body,
                                                          std::string_view suffix,
                                                          bool after_program);

/// Prompt, then "N0 operation N1", the operation being the lens's label.
neural::train::Sequence SuffixSequence(const Codec& codec, std::vector<neural::llm::Token> prompt,
                                       Token operation);

}  // namespace txvm::frontends::nl
