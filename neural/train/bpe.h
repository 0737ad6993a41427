// Byte-pair encoding learnt from words and their counts: the vocabulary of a small model.
// Source: Sennrich, Haddow, Birch, ACL 2016; SentencePiece's conventions for spaces and bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"

namespace txvm::neural::train {

/// How often each word occurs, the mark of a space (U+2581) included where one precedes it.
using WordCounts = std::map<std::string, std::uint64_t, std::less<>>;

/// Counts the words of a text. Letters stay together; every other character is a word of its own,
/// so that no piece joins a word and its punctuation.
void CountWords(std::string_view text, WordCounts& counts);

struct BpeOptions {
  std::size_t vocabulary = 2'048;  // in all: 3 control tokens, 256 bytes, added, characters, merges
  std::vector<std::string> added;  // tokens that are never part of a text
};

/// A Hugging Face tokenizer.json: <unk>, <s>, </s>, <0x00>.., `added`, the characters of the words,
/// then a piece for each merge, the most frequent pair first and ties by text. Fewer pieces when no
/// pair occurs twice. kUsage: a vocabulary too small for what it must hold.
isa::Result<std::string> TrainBpe(const WordCounts& words, const BpeOptions& options);

}  // namespace txvm::neural::train
