#include "neural/llm/segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>

#include "neural/llm/pre_tokenizer.h"
#include "neural/llm/unicode.h"

namespace txvm::neural::llm {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

std::uint64_t PairKey(Token left, Token right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

/// A stretch of text in a list that shrinks as neighbours are joined. A joined one has size 0.
struct Symbol {
  std::size_t begin = 0, size = 0;
  std::size_t previous = kNone, next = kNone;
  Token id = 0;
  bool frozen = false;  // never joined
};

void Link(std::vector<Symbol>& symbols) {
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    symbols[i].previous = i == 0 ? kNone : i - 1;
    symbols[i].next = i + 1 == symbols.size() ? kNone : i + 1;
  }
}

/// Joins symbol `left` with the one after it.
void Join(std::vector<Symbol>& symbols, std::size_t left) {
  const std::size_t right = symbols[left].next;
  symbols[left].size += symbols[right].size;
  symbols[left].next = symbols[right].next;
  symbols[right].size = 0;
  if (symbols[left].next != kNone) symbols[symbols[left].next].previous = left;
}

/// The tokens of text that is no piece: its bytes, or the unknown token.
class UnknownWriter {
 public:
  UnknownWriter(const PieceIndex& index, std::vector<Token>& tokens)
      : index_(index), tokens_(tokens) {}

  void Known(Token id) {
    tokens_.push_back(id);
    after_unknown_ = false;
  }
  void Unknown(std::string_view text) {
    const TokenizerSpec& spec = *index_.spec;
    const auto piece = [&](char c) { return index_.byte_pieces[static_cast<unsigned char>(c)]; };
    if (spec.byte_fallback && std::ranges::all_of(text, [&](char c) { return piece(c) >= 0; })) {
      for (const char c : text) Known(piece(c));
      return;
    }
    if (!spec.unknown || (spec.fuse_unknown && after_unknown_)) return;
    tokens_.push_back(*spec.unknown);
    after_unknown_ = true;
  }

 private:
  const PieceIndex& index_;
  std::vector<Token>& tokens_;
  bool after_unknown_ = false;
};

/// Joins by the score of the whole: highest first, then leftmost.
class ScoreMerger {
 public:
  ScoreMerger(const PieceIndex& index, std::string_view text) : index_(index), text_(text) {
    while (at_ < text.size()) {
      const std::string_view rest = text.substr(at_);
      const auto user = index.user_defined.Longest(rest);
      const std::size_t size = user ? user->size : FirstCodePoint(rest).size;
      symbols_.push_back({at_, size, kNone, kNone, 0, user.has_value()});
      at_ += size;
    }
    Link(symbols_);
    for (std::size_t i = 1; i < symbols_.size(); ++i) Propose(i - 1);
  }

  void Run(UnknownWriter& writer) {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const Symbol& left = symbols_[best.left];
      if (left.size == 0 || left.next == kNone) continue;
      if (left.size + symbols_[left.next].size != best.size || left.next != best.right) continue;
      Join(symbols_, best.left);
      if (left.previous != kNone) Propose(left.previous);
      Propose(best.left);
    }
    for (std::size_t i = symbols_.empty() ? kNone : 0; i != kNone; i = symbols_[i].next) {
      Write(text_.substr(symbols_[i].begin, symbols_[i].size), writer);
    }
  }

 private:
  struct Candidate {
    float score = 0;
    std::size_t left = 0, right = 0, size = 0;
    bool operator<(const Candidate& other) const {
      return score < other.score || (score == other.score && left > other.left);
    }
  };

  void Propose(std::size_t left) {
    const Symbol& a = symbols_[left];
    if (a.next == kNone || a.frozen || symbols_[a.next].frozen) return;
    const std::string_view whole = text_.substr(a.begin, a.size + symbols_[a.next].size);
    const auto found = index_.joinable.find(whole);
    if (found == index_.joinable.end()) return;
    const Piece& piece = index_.spec->pieces[static_cast<std::size_t>(found->second)];
    queue_.push({piece.score, left, a.next, whole.size()});
    if (piece.kind == PieceKind::kUnused) halves_[whole] = a.size;
  }

  /// Unused pieces help others to form, and fall into their halves in the end.
  void Write(std::string_view text, UnknownWriter& writer) {
    std::vector<std::string_view> left = {text};
    while (!left.empty()) {
      const std::string_view top = left.back();
      left.pop_back();
      const auto found = index_.by_text.find(top);
      if (found == index_.by_text.end()) {
        writer.Unknown(top);
        continue;
      }
      const auto half = halves_.find(top);
      if (half == halves_.end()) {
        writer.Known(found->second);
      } else {
        left.push_back(top.substr(half->second));
        left.push_back(top.substr(0, half->second));
      }
    }
  }

  const PieceIndex& index_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Symbol> symbols_;
  std::priority_queue<Candidate> queue_;
  std::unordered_map<std::string_view, std::size_t> halves_;  // size of the first
};

/// Joins by the rank of the pair: lowest first, then leftmost.
class RankMerger {
 public:
  RankMerger(const PieceIndex& index, const std::vector<Token>& tokens) : index_(index) {
    for (const Token id : tokens) symbols_.push_back({0, 1, kNone, kNone, id, false});
    Link(symbols_);
    for (std::size_t i = 1; i < symbols_.size(); ++i) Propose(i - 1);
  }

  void Run(std::vector<Token>& tokens) {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      Symbol& left = symbols_[best.left];
      if (left.size == 0 || left.next == kNone) continue;
      const auto merge = index_.merges.find(PairKey(left.id, symbols_[left.next].id));
      if (merge == index_.merges.end() || merge->second.result != best.result) continue;
      Join(symbols_, best.left);
      left.id = best.result;
      if (left.previous != kNone) Propose(left.previous);
      Propose(best.left);
    }
    for (std::size_t i = symbols_.empty() ? kNone : 0; i != kNone; i = symbols_[i].next) {
      tokens.push_back(symbols_[i].id);
    }
  }

 private:
  struct Candidate {
    std::size_t rank = 0, left = 0;
    Token result = 0;
    bool operator<(const Candidate& other) const {
      return rank > other.rank || (rank == other.rank && left > other.left);
    }
  };

  void Propose(std::size_t left) {
    const Symbol& a = symbols_[left];
    if (a.next == kNone) return;
    const auto merge = index_.merges.find(PairKey(a.id, symbols_[a.next].id));
    if (merge == index_.merges.end()) return;
    queue_.push({merge->second.rank, left, merge->second.result});
  }

  const PieceIndex& index_;
  std::vector<Symbol> symbols_;
  std::priority_queue<Candidate> queue_;
};

bool IsJoinable(PieceKind kind) {
  return kind == PieceKind::kNormal || kind == PieceKind::kUser || kind == PieceKind::kUnused;
}

}  // namespace

PieceIndex::PieceIndex(const TokenizerSpec& from) : spec(&from) {
  byte_pieces.fill(-1);
  std::vector<PieceTable::Entry> user, unigram;
  by_text.reserve(from.pieces.size());
  bool first_normal = true;
  for (std::size_t i = 0; i < from.pieces.size(); ++i) {
    const Piece& piece = from.pieces[i];
    const auto id = static_cast<Token>(i);
    by_text.emplace(piece.text, id);
    if (IsJoinable(piece.kind) && from.algorithm != Algorithm::kRanks) {
      joinable.emplace(piece.text, id);
      if (piece.kind != PieceKind::kUnused) unigram.push_back({piece.text, id});
    }
    if (piece.kind == PieceKind::kUser) user.push_back({piece.text, id});
    if (piece.kind == PieceKind::kNormal) {
      least_score = first_normal ? piece.score : std::min(least_score, piece.score);
      most_score = std::max(most_score, piece.score);
      first_normal = false;
    }
  }
  if (from.algorithm == Algorithm::kScores) user_defined = PieceTable(std::move(user));
  if (from.algorithm == Algorithm::kUnigram) unigrams = PieceTable(std::move(unigram));
  for (unsigned byte = 0; byte < byte_pieces.size(); ++byte) {
    const auto found =
        by_text.find(from.byte_level ? ByteAlphabet()[byte] : fmt::format("<0x{:02X}>", byte));
    if (found != by_text.end()) byte_pieces[byte] = found->second;
  }
  merges.reserve(from.merges.size());
  for (std::size_t rank = 0; rank < from.merges.size(); ++rank) {
    const Merge& merge = from.merges[rank];
    merges[PairKey(merge.left, merge.right)] = {rank, merge.result};
  }
}

void SegmentByScores(const PieceIndex& index, std::string_view text, std::vector<Token>& tokens) {
  UnknownWriter writer(index, tokens);
  ScoreMerger(index, text).Run(writer);
}

void SegmentByRanks(const PieceIndex& index, std::string_view text, std::vector<Token>& tokens) {
  const TokenizerSpec& spec = *index.spec;
  std::vector<Token> symbols;
  UnknownWriter writer(index, symbols);
  if (spec.byte_level) {
    std::string letters;  // only needed whole for the lookup
    if (spec.whole_pieces) {
      for (const char c : text) letters += ByteAlphabet()[static_cast<unsigned char>(c)];
      if (const auto whole = index.by_text.find(letters); whole != index.by_text.end()) {
        tokens.push_back(whole->second);
        return;
      }
    }
    for (const char c : text) {
      const Token id = index.byte_pieces[static_cast<unsigned char>(c)];
      if (id >= 0) {
        writer.Known(id);
      } else {
        writer.Unknown({});
      }
    }
    return RankMerger(index, symbols).Run(tokens);
  }
  if (const auto whole = index.by_text.find(text);
      spec.whole_pieces && whole != index.by_text.end()) {
    tokens.push_back(whole->second);
    return;
  }
  while (!text.empty()) {
    const std::string_view letter = text.substr(0, FirstCodePoint(text).size);
    const auto found = index.by_text.find(letter);
    if (found != index.by_text.end()) {
      writer.Known(found->second);
    } else {
      writer.Unknown(letter);
    }
    text.remove_prefix(letter.size());
  }
  RankMerger(index, symbols).Run(tokens);
}

// best[i] is the best way to reach byte i. All sums are floats, as in the reference: near ties
// depend on it.
void SegmentByUnigrams(const PieceIndex& index, std::string_view text, std::vector<Token>& tokens) {
  constexpr float kUnknownPenalty = 10;
  constexpr float kUserBonusLoss = 0.1f;
  struct Node {
    float score = 0;
    std::size_t from = kNone;
    Token id = -1;  // -1: unknown
  };
  std::vector<Node> best(text.size() + 1);
  const auto reach = [&](std::size_t from, std::size_t to, float score, Token id) {
    const float candidate = score + best[from].score;
    if (best[to].from != kNone && candidate <= best[to].score) return;
    best[to] = {candidate, from, id};
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t letter = FirstCodePoint(text.substr(at)).size;
    bool has_letter = false;
    index.unigrams.ForPrefixes(text.substr(at), [&](const PieceTable::Match& match) {
      const Piece& piece = index.spec->pieces[static_cast<std::size_t>(match.id)];
      const float score = piece.kind == PieceKind::kUser
                              ? static_cast<float>(match.size) * index.most_score - kUserBonusLoss
                              : piece.score;
      reach(at, at + match.size, score, match.id);
      has_letter = has_letter || match.size == letter;
    });
    if (!has_letter) {
      reach(at, at + letter, index.least_score - kUnknownPenalty, -1);
    }
    at += letter;
  }
  std::vector<std::size_t> ends;
  for (std::size_t at = text.size(); at > 0; at = best[at].from) ends.push_back(at);
  UnknownWriter writer(index, tokens);
  for (std::size_t i = ends.size(); i-- > 0;) {
    const Node& node = best[ends[i]];
    if (node.id >= 0) {
      writer.Known(node.id);
    } else {
      writer.Unknown(text.substr(node.from, ends[i] - node.from));
    }
  }
}

}  // namespace txvm::neural::llm
