// Small tokenizer files: letters a, b, c, digits and a few pieces made of them.
#pragma once

#include <string>
#include <string_view>

namespace txvm::neural::llm {

/// A SentencePiece BPE model with byte fallback and a dummy prefix.
std::string SentencePieceFile();

/// tokenizer.json of a byte-level vocabulary, and of one on characters with byte fallback.
extern const std::string kByteTokenizer, kCharacterTokenizer;

}  // namespace txvm::neural::llm
