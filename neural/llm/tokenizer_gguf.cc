// The tokenizer in a GGUF file's metadata: "llama" is SentencePiece BPE, "gpt2" byte-level BPE.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <unordered_map>

#include "isa/support/text.h"
#include "neural/llm/pre_tokenizer.h"
#include "neural/llm/tokenizer.h"
#include "neural/llm/unicode.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;

constexpr std::string_view kPrefix = "tokenizer.ggml.";

const GgufValue* Find(const Gguf& gguf, std::string_view key) {
  return gguf.Find(fmt::format("{}{}", kPrefix, key));
}
std::string_view TextOf(const Gguf& gguf, std::string_view key) {
  const GgufValue* value = Find(gguf, key);
  return value == nullptr ? "" : value->Text().value_or("");
}
bool Flag(const Gguf& gguf, std::string_view key, bool fallback) {
  const GgufValue* value = Find(gguf, key);
  return value == nullptr ? fallback : value->Bool().value_or(fallback);
}
std::optional<Token> TokenOf(const Gguf& gguf, std::string_view key, std::size_t size) {
  const GgufValue* value = Find(gguf, key);
  const std::uint64_t id = value == nullptr ? size : value->Unsigned().value_or(size);
  if (id >= size) return std::nullopt;
  return static_cast<Token>(id);
}
/// The token of `role`, bos or eos. A file that neither names one nor says that none is put around
/// a text has the one that llama.cpp takes then, `fallback`.
std::optional<Token> RoleOf(const Gguf& gguf, std::string_view role, std::optional<Token> fallback,
                            std::size_t size) {
  const std::string key = fmt::format("{}_token_id", role);
  const bool silent =
      Find(gguf, key) == nullptr && Flag(gguf, fmt::format("add_{}_token", role), true);
  if (!silent || !fallback) return TokenOf(gguf, key, size);
  return static_cast<std::size_t>(*fallback) < size ? fallback : std::nullopt;
}
std::unexpected<isa::Error> Invalid(std::string_view what) {
  return Fail(ErrorCode::kInvalid, fmt::format("GGUF tokenizer: {}", what));
}
std::unexpected<isa::Error> Unsupported(std::string_view what, std::string_view name) {
  return Fail(ErrorCode::kUnsupported,
              fmt::format("GGUF tokenizer: {} '{}' is not supported", what, isa::Printable(name)));
}

Result<void> ReadPieces(const Gguf& gguf, TokenizerSpec& spec) {
  const GgufValue* tokens = Find(gguf, "tokens");
  if (tokens != nullptr && tokens->count > kMaxVocab) {
    return Invalid(fmt::format("{} tokens, at most {}", tokens->count, kMaxVocab));
  }
  const auto texts = tokens == nullptr ? std::nullopt : tokens->Texts();
  if (!texts) return Invalid("no list of tokens");
  const GgufValue* score_list = Find(gguf, "scores");
  const GgufValue* kind_list = Find(gguf, "token_type");
  for (const GgufValue* list : {score_list, kind_list}) {
    if (list == nullptr || list->type != GgufType::kArray || list->count == texts->size()) continue;
    return Invalid(fmt::format("{} tokens, but other numbers of scores or types", texts->size()));
  }
  const auto scores = score_list == nullptr ? std::nullopt : score_list->Reals();
  const auto kinds = kind_list == nullptr ? std::nullopt : kind_list->Integers();
  for (std::size_t i = 0; i < texts->size(); ++i) {
    Piece piece{std::string((*texts)[i]), 0, PieceKind::kNormal};
    if (scores) piece.score = static_cast<float>((*scores)[i]);
    if (kinds && (*kinds)[i] >= 1 && (*kinds)[i] <= 6) {
      piece.kind = static_cast<PieceKind>((*kinds)[i]);
    }
    const bool special = piece.kind == PieceKind::kControl;
    spec.byte_fallback = spec.byte_fallback || piece.kind == PieceKind::kByte;
    if (piece.kind == PieceKind::kUnknown && !spec.unknown) spec.unknown = static_cast<Token>(i);
    if (special || piece.kind == PieceKind::kUser) {
      spec.added.push_back(
          {piece.text, static_cast<Token>(i), special, false, false, false, false});
    }
    spec.pieces.push_back(std::move(piece));
  }
  DropPadding(spec.pieces);
  return {};
}

Result<void> ReadMerges(const Gguf& gguf, TokenizerSpec& spec) {
  const GgufValue* value = Find(gguf, "merges");
  const auto merges = value == nullptr ? std::nullopt : value->Texts();
  if (!merges) return Invalid("no list of merges");
  std::unordered_map<std::string_view, Token> ids;
  for (std::size_t i = 0; i < spec.pieces.size(); ++i) {
    ids.emplace(spec.pieces[i].text, static_cast<Token>(i));
  }
  for (const std::string_view merge : *merges) {
    // The alphabet has no space, so the first one after the first letter divides.
    const std::size_t space = merge.find(' ', 1);
    const bool divided = space != std::string_view::npos;
    const std::string left(merge.substr(0, space));
    const std::string right(divided ? merge.substr(space + 1) : "");
    const auto a = ids.find(left), b = ids.find(right), whole = ids.find(left + right);
    if (!divided || a == ids.end() || b == ids.end() || whole == ids.end()) {
      return Invalid(fmt::format("merge {} '{}' is not in the vocabulary", spec.merges.size(),
                                 isa::Printable(merge)));
    }
    spec.merges.push_back({a->second, b->second, whole->second});
  }
  return {};
}

/// The cutting rules a "gpt2" vocabulary names.
Result<void> ReadByteLevel(const Gguf& gguf, TokenizerSpec& spec) {
  using Kind = SplitStep::Kind;
  const std::string_view name = TextOf(gguf, "pre");
  const auto add = [&](Kind kind) {
    spec.splits.push_back({kind, SplitStep::Prepend::kNever, false});
  };
  spec.algorithm = Algorithm::kRanks;
  spec.byte_level = true;
  spec.byte_fallback = false;
  spec.unknown.reset();
  if (name == "llama-bpe" || name == "llama3" || name == "llama-v3") {
    add(Kind::kLlama3);
    spec.whole_pieces = true;
  } else if (name == "qwen2") {
    add(Kind::kQwen2);
  } else if (name == "smollm") {
    add(Kind::kDigits);
    add(Kind::kGpt2);
  } else if (name == "gpt-2" || name == "gpt2" || name.empty()) {
    add(Kind::kGpt2);
  } else {
    return Unsupported("pre-tokenizer", name);
  }
  return ReadMerges(gguf, spec);
}

/// The value of "pre" that makes ReadByteLevel choose these steps; nullopt for others.
std::optional<std::string_view> NameOfSteps(const TokenizerSpec& spec) {
  using Kind = SplitStep::Kind;
  std::vector<Kind> kinds;
  for (const SplitStep& step : spec.splits) kinds.push_back(step.kind);
  if (kinds == std::vector{Kind::kLlama3} && spec.whole_pieces) return "llama-bpe";
  if (spec.whole_pieces) return std::nullopt;
  if (kinds == std::vector{Kind::kQwen2}) return "qwen2";
  if (kinds == std::vector{Kind::kDigits, Kind::kGpt2}) return "smollm";
  if (kinds == std::vector{Kind::kGpt2}) return "gpt-2";
  return std::nullopt;
}

/// Ranks as scores: a piece's score is the rank of the first merge that makes it, negative. Pieces
/// of several characters that no merge makes must not form: they become unused, unless they
/// are added tokens.
std::vector<Piece> ScoredPieces(const TokenizerSpec& spec) {
  std::vector<Piece> pieces = spec.pieces;
  std::vector<bool> made(pieces.size());
  for (std::size_t rank = 0; rank < spec.merges.size(); ++rank) {
    const auto result = static_cast<std::size_t>(spec.merges[rank].result);
    if (made[result]) continue;
    made[result] = true;
    pieces[result].score = -static_cast<float>(rank);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    if (made[i] || piece.kind != PieceKind::kNormal || piece.text.empty()) continue;
    if (FirstCodePoint(piece.text).size < piece.text.size()) piece.kind = PieceKind::kUnused;
  }
  return pieces;
}

/// Whether scores join what ranks join. A score joins every pair that makes a piece, at the piece's
/// first rank; a rank joins one pair. That differs where the pair can stand in a text when the
/// score would join it and the rank not yet, or never.
class RankOrder {
 public:
  explicit RankOrder(const TokenizerSpec& spec) : spec_(spec), formed_(spec.pieces.size(), kNever) {
    for (std::size_t i = 0; i < spec.pieces.size(); ++i) {
      const Piece& piece = spec.pieces[i];
      if (piece.kind != PieceKind::kNormal || piece.text.empty()) continue;
      ids_.emplace(piece.text, static_cast<Token>(i));
      if (FirstCodePoint(piece.text).size == piece.text.size()) formed_[i] = 0;
    }
    for (std::size_t rank = 0; rank < spec.merges.size(); ++rank) {
      const Merge& merge = spec.merges[rank];
      ranks_.emplace(std::pair(merge.left, merge.right), rank);
      std::size_t& formed = formed_[static_cast<std::size_t>(merge.result)];
      formed = std::min(formed, rank + 1);
      const bool goes_on = rank > 0 && spec.merges[rank - 1].result == merge.result;
      groups_.push_back(goes_on ? groups_.back() : rank);
    }
  }

  bool IsOfScores() const {
    for (std::size_t i = 0; i < spec_.pieces.size(); ++i) {
      const std::string_view text = spec_.pieces[i].text;
      if (formed_[i] == 0 || formed_[i] == kNever) continue;
      for (std::size_t at = FirstCodePoint(text).size; at < text.size();
           at += FirstCodePoint(text.substr(at)).size) {
        if (JoinsEarlier(text, at, formed_[i] - 1)) return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::size_t kNever = ~std::size_t{0};
  static constexpr std::size_t kLongest = 128;  // bytes: Joined takes their square; real ones 48

  /// Whether the halves of a piece of first rank `rank` can stand side by side before their own.
  bool JoinsEarlier(std::string_view text, std::size_t at, std::size_t rank) const {
    const auto left = ids_.find(text.substr(0, at)), right = ids_.find(text.substr(at));
    if (left == ids_.end() || right == ids_.end()) return false;
    const std::size_t formed = std::max(formed_[static_cast<std::size_t>(left->second)],
                                        formed_[static_cast<std::size_t>(right->second)]);
    if (formed == kNever) return false;
    const std::size_t from = std::max(rank, formed);
    const auto own = ranks_.find({left->second, right->second});
    if (own != ranks_.end() && from >= groups_[own->second]) return false;
    return text.size() > kLongest || Joined(text, from) == std::vector{left->second, right->second};
  }

  /// What the merges of ranks below `end` make of a text.
  std::vector<Token> Joined(std::string_view text, std::size_t end) const {
    std::vector<Token> tokens;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = FirstCodePoint(text.substr(at)).size;
      const auto letter = ids_.find(text.substr(at, size));
      if (letter == ids_.end()) return {};
      tokens.push_back(letter->second);
      at += size;
    }
    for (;;) {
      std::size_t best = end, where = 0;
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const auto rank = ranks_.find({tokens[i], tokens[i + 1]});
        if (rank == ranks_.end() || rank->second >= best) continue;
        best = rank->second;
        where = i;
      }
      if (best == end) return tokens;
      tokens[where] = spec_.merges[best].result;
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(where) + 1);
    }
  }

  const TokenizerSpec& spec_;
  std::vector<std::size_t> formed_;  // by piece: the rank after its first merge; 0: a character
  std::vector<std::size_t> groups_;  // by rank: where the merges to the same piece begin
  std::unordered_map<std::string_view, Token> ids_;
  std::map<std::pair<Token, Token>, std::size_t> ranks_;
};

Result<void> CheckScoresCanSay(const TokenizerSpec& spec) {
  const bool prefixed =
      spec.splits.size() <= 1 && std::ranges::all_of(spec.splits, [](const SplitStep& step) {
        return step.kind == SplitStep::Kind::kMetaspace && !step.split;
      });
  const bool plain = std::ranges::none_of(spec.normalization, [](const NormalStep& step) {
    return step.kind == NormalStep::Kind::kCollapseSpaces ||
           (step.kind == NormalStep::Kind::kReplace &&
            (step.from != " " || step.to != kSpaceMark)) ||
           (step.kind == NormalStep::Kind::kPrepend && step.to != kSpaceMark);
  });
  // Metaspace was seen to be the only cutting step.
  const bool marks =
      !spec.splits.empty() || std::ranges::any_of(spec.normalization, [](const NormalStep& step) {
        return step.kind == NormalStep::Kind::kReplace;
      });
  const bool ordered = spec.algorithm != Algorithm::kRanks || RankOrder(spec).IsOfScores();
  const std::string_view problem = spec.algorithm == Algorithm::kUnigram ? "unigrams"
                                   : spec.whole_pieces                   ? "ignore_merges"
                                   : !prefixed || !plain                 ? "its normalisation"
                                   : !marks                              ? "spaces as they are"
                                   : !ordered ? "merges that no scores order"
                                              : "";
  if (problem.empty()) return {};
  return Unsupported("writing a tokenizer with", problem);
}

/// The first of the added tokens that have to be looked for after normalisation; nullptr if all can
/// be looked for before, at once. GGUF has no such flag.
const AddedToken* FirstThatNeedsNormalization(const TokenizerSpec& spec) {
  const auto flagged = std::ranges::find(spec.added, true, &AddedToken::normalized);
  if (flagged == spec.added.end()) return nullptr;
  // A prefix is put before what lies between tokens, so it matters when they are found.
  const bool prefix = std::ranges::any_of(spec.normalization, [](const NormalStep& step) {
    return step.kind == NormalStep::Kind::kPrepend;
  });
  if (prefix) return &*flagged;
  for (const AddedToken& added : spec.added) {
    const bool spaced = added.text.contains(' ') || added.text.contains(kSpaceMark);
    if (added.normalized && spaced && !spec.normalization.empty()) return &added;
  }
  if (std::ranges::all_of(spec.added, &AddedToken::normalized)) return nullptr;
  // Some are looked for first. That makes no difference where no two tokens overlap: no letter that
  // begins one lies inside another, and none begins another.
  std::vector<std::string_view> texts;
  std::array<bool, 256> begins = {};
  for (const AddedToken& added : spec.added) {
    texts.push_back(added.text);
    if (!added.text.empty()) begins[static_cast<unsigned char>(added.text[0])] = true;
  }
  std::ranges::sort(texts);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0 && texts[i].starts_with(texts[i - 1])) return &*flagged;
    const bool inside = std::ranges::any_of(texts[i].substr(texts[i].empty() ? 0 : 1), [&](char c) {
      return begins[static_cast<unsigned char>(c)];
    });
    if (inside) return &*flagged;
  }
  return nullptr;
}

/// Whether every byte has a piece, so that no character is unknown.
bool HasEveryByte(const TokenizerSpec& spec) {
  if (!spec.byte_level) {
    return spec.byte_fallback && std::ranges::count(spec.pieces, PieceKind::kByte, &Piece::kind) ==
                                     std::ssize(ByteAlphabet());
  }
  return std::ranges::all_of(ByteAlphabet(), [&](const std::string& letter) {
    return std::ranges::find(spec.pieces, letter, &Piece::text) != spec.pieces.end();
  });
}

/// The type of piece that says that a token is an added one.
PieceKind KindOf(const AddedToken& added) {
  return added.special ? PieceKind::kControl : PieceKind::kUser;
}

/// What neither model of a GGUF file can say.
Result<void> CheckGgufCanSay(const TokenizerSpec& spec) {
  for (const AddedToken& added : spec.added) {
    const std::string_view flag = added.strip_left    ? "lstrip"
                                  : added.strip_right ? "rstrip"
                                  : added.whole_word  ? "single_word"
                                                      : "";
    if (!flag.empty()) {
      return Unsupported(fmt::format("writing the {} of added token", flag), added.text);
    }
    // After normalisation a mark may be a space of the text: then the piece cuts it by its own
    // type, which is not to change.
    const Piece& piece = spec.pieces[static_cast<std::size_t>(added.id)];
    const bool marked = !spec.byte_level && added.text.contains(kSpaceMark);
    // A token has one text there, so that of a piece which texts are cut into would be lost.
    const bool cuts = piece.kind == PieceKind::kNormal || piece.kind == PieceKind::kUser ||
                      piece.kind == PieceKind::kByte;
    if ((marked && piece.kind != KindOf(added)) || (cuts && piece.text != added.text)) {
      return Unsupported("writing as an added token the piece", piece.text);
    }
  }
  if (const AddedToken* added = FirstThatNeedsNormalization(spec)) {
    return Unsupported("writing the normalized of added token", added->text);
  }
  if (spec.unknown && !spec.fuse_unknown && !HasEveryByte(spec)) {
    return Unsupported("writing a tokenizer with", "unknown characters one by one");
  }
  const auto piece = std::ranges::find(spec.pieces, PieceKind::kUnknown, &Piece::kind);
  if (!spec.unknown && piece != spec.pieces.end() && !HasEveryByte(spec)) {
    return Unsupported("writing a tokenizer with", "unknown characters left out");
  }
  if (spec.byte_level && !spec.normalization.empty()) {
    return Unsupported("writing a tokenizer with", "its normalisation");
  }
  const auto is_only = [](const std::vector<Token>& tokens, std::optional<Token> token) {
    return tokens.empty() || (tokens.size() == 1 && tokens[0] == token);
  };
  if (!is_only(spec.before, spec.bos)) {
    return Unsupported("writing a template that begins with other tokens than", "bos");
  }
  if (!is_only(spec.after, spec.eos)) {
    return Unsupported("writing a template that ends with other tokens than", "eos");
  }
  return {};
}

bool PrependsSpace(const TokenizerSpec& spec) {
  return std::ranges::any_of(
             spec.normalization,
             [](const NormalStep& step) { return step.kind == NormalStep::Kind::kPrepend; }) ||
         std::ranges::any_of(spec.splits, [](const SplitStep& step) {
           return step.prepend != SplitStep::Prepend::kNever;
         });
}

}  // namespace

Result<TokenizerSpec> SpecFromGguf(const Gguf& gguf) {
  const std::string_view model = TextOf(gguf, "model");
  TokenizerSpec spec;
  TXVM_CHECK_OK(ReadPieces(gguf, spec));
  const std::size_t size = spec.pieces.size();
  const bool scores = model == "llama";
  if (scores) {
    spec.algorithm = Algorithm::kScores;
    if (Flag(gguf, "add_space_prefix", true)) {
      spec.normalization.push_back({NormalStep::Kind::kPrepend, "", std::string(kSpaceMark)});
      spec.drop_first_space = true;
    }
    spec.normalization.push_back({NormalStep::Kind::kReplace, " ", std::string(kSpaceMark)});
  } else if (model == "gpt2") {
    TXVM_CHECK_OK(ReadByteLevel(gguf, spec));
  } else {
    return Unsupported("model", model);
  }
  // Byte-level vocabularies leave out a byte that is no piece, whatever is named here.
  if (const auto named = TokenOf(gguf, "unknown_token_id", size); named && !spec.byte_level) {
    spec.unknown = named;
  }
  if (spec.unknown) {
    PieceKind& kind = spec.pieces[static_cast<std::size_t>(*spec.unknown)].kind;
    if (kind == PieceKind::kControl || kind == PieceKind::kUser) kind = PieceKind::kUnknown;
  }
  spec.bos = RoleOf(gguf, "bos", scores ? std::optional<Token>(1) : std::nullopt, size);
  spec.eos = RoleOf(gguf, "eos", scores ? std::optional<Token>(2) : std::nullopt, size);
  if (spec.bos && Flag(gguf, "add_bos_token", scores || spec.whole_pieces)) {
    spec.before = {*spec.bos};
  }
  if (spec.eos && Flag(gguf, "add_eos_token", false)) spec.after = {*spec.eos};
  return spec;
}

Result<GgufHeader> GgufEndTokens(std::span<const Token> ends) {
  if (ends.size() > kGgufEnds.size()) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("GGUF tokenizer: {} tokens end a text, at most {} can be written",
                            ends.size(), kGgufEnds.size()));
  }
  GgufHeader header;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    header.Add(fmt::format("{}{}_token_id", kPrefix, kGgufEnds[i]),
               static_cast<std::uint32_t>(ends[i]));
  }
  return header;
}

Result<GgufHeader> GgufMetadata(const TokenizerSpec& spec, std::string_view chat_template,
                                std::span<const Token> ends) {
  TXVM_CHECK_OK(CheckGgufCanSay(spec));
  std::vector<Token> all_ends;
  if (spec.eos) all_ends.push_back(*spec.eos);
  std::ranges::copy_if(ends, std::back_inserter(all_ends),
                       [&](Token end) { return end != spec.eos; });
  TXVM_TRY(GgufHeader header, GgufEndTokens(all_ends));
  const auto add = [&](std::string_view key, const auto& value) {
    header.Add(fmt::format("{}{}", kPrefix, key), value);
  };
  std::vector<Piece> pieces = spec.pieces;
  if (spec.byte_level) {
    const std::optional<std::string_view> name = NameOfSteps(spec);
    if (!name) return Unsupported("writing", "pre-tokenizer");
    add("model", std::string_view("gpt2"));
    add("pre", *name);
  } else {
    TXVM_CHECK_OK(CheckScoresCanSay(spec));
    if (spec.algorithm == Algorithm::kRanks) pieces = ScoredPieces(spec);
    add("model", std::string_view("llama"));
    add("pre", std::string_view("default"));
    add("add_space_prefix", PrependsSpace(spec));
  }
  std::vector<std::string_view> texts;
  std::vector<float> scores;
  std::vector<std::int32_t> kinds;
  // The type of an added token says that it is one; that it is the unknown one its key says.
  for (const AddedToken& added : spec.added) {
    Piece& piece = pieces[static_cast<std::size_t>(added.id)];
    piece.text = added.text;
    piece.kind = KindOf(added);
  }
  for (const Piece& piece : pieces) {
    texts.push_back(piece.text);
    scores.push_back(piece.score);
    kinds.push_back(static_cast<std::int32_t>(piece.kind));
  }
  add("tokens", std::span<const std::string_view>(texts));
  add("scores", std::span<const float>(scores));
  add("token_type", std::span<const std::int32_t>(kinds));
  if (spec.byte_level) {
    std::vector<std::string> merges;
    for (const Merge& merge : spec.merges) {
      merges.push_back(fmt::format("{} {}", pieces[static_cast<std::size_t>(merge.left)].text,
                                   pieces[static_cast<std::size_t>(merge.right)].text));
    }
    const std::vector<std::string_view> views(merges.begin(), merges.end());
    add("merges", std::span<const std::string_view>(views));
  }
  const auto id = [&](std::string_view key, std::optional<Token> token) {
    if (token) add(key, static_cast<std::uint32_t>(*token));
  };
  id("bos_token_id", spec.bos);
  id("unknown_token_id", spec.unknown);
  add("add_bos_token", !spec.before.empty());
  add("add_eos_token", !spec.after.empty());
  if (!chat_template.empty()) header.Add("tokenizer.chat_template", chat_template);
  return header;
}

}  // namespace txvm::neural::llm
