// Putting pieces together: the three algorithms on one cut of text.
#pragma once

#include <array>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "neural/llm/piece_table.h"
#include "neural/llm/tokenizer.h"

namespace txvm::neural::llm {

/// What the algorithms look up, built once from a spec, which must stay where it is.
struct PieceIndex {
  explicit PieceIndex(const TokenizerSpec& spec);

  struct Ranked {
    std::size_t rank = 0;
    Token result = 0;
  };
  const TokenizerSpec* spec;
  std::unordered_map<std::string_view, Token> by_text;   // every piece; the first of equal ones
  std::unordered_map<std::string_view, Token> joinable;  // normal, user-defined and unused ones
  std::unordered_map<std::uint64_t, Ranked> merges;      // left << 32 | right
  std::array<Token, 256> byte_pieces;                    // -1: none
  PieceTable user_defined;                               // kept whole by kScores
  PieceTable unigrams;                                   // kUnigram
  float least_score = 0;                                 // of normal pieces
  // Of normal pieces and the smallest float: the reference starts there, and log-probabilities stay
  // below, so user-defined pieces nearly always win.
  float most_score = std::numeric_limits<float>::min();
};

/// Appends the tokens of a cut of valid UTF-8 (of any bytes, for a byte-level vocabulary).
void SegmentByScores(const PieceIndex& index, std::string_view text, std::vector<Token>& tokens);
void SegmentByRanks(const PieceIndex& index, std::string_view text, std::vector<Token>& tokens);
void SegmentByUnigrams(const PieceIndex& index, std::string_view text, std::vector<Token>& tokens);

}  // namespace txvm::neural::llm
