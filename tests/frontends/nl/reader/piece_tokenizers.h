// Tokenizers to write canonical programs with.
#pragma once

#include <string>
#include <vector>

#include "neural/llm/tokenizer.h"

namespace txvm::frontends::nl {

/// Pieces as texts ("\u2581" for the blank of SentencePiece), one for every byte, and the ends of
/// text; `byte_level` writes them in the byte alphabet instead. `eos` is the last but one piece,
/// "<unk>" the last.
neural::llm::Tokenizer PieceTokenizer(std::vector<std::string> pieces, bool byte_level);

/// Pieces that meet canonical text in awkward places: blanks in front, after and both, signs and
/// digits together, tokens that begin or end in the middle of a word.
std::vector<std::string> AwkwardPieces(bool byte_level);

/// The token of a text, which must be one piece.
neural::llm::Token PieceId(const neural::llm::Tokenizer& tokenizer, const std::string& text);

}  // namespace txvm::frontends::nl
