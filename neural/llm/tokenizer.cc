#include "neural/llm/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "isa/support/json.h"
#include "neural/llm/mapped_file.h"
#include "neural/llm/pre_tokenizer.h"
#include "neural/llm/segment.h"
#include "neural/llm/unicode.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;

/// Part of a text: a token, or text still to be cut up.
struct Part {
  std::string text;
  std::optional<Token> token;
  bool at_start = false;
};

/// Added tokens of one stage, found leftmost, the longest of those that begin there.
class AddedMatcher {
 public:
  AddedMatcher() = default;
  AddedMatcher(const TokenizerSpec& spec, bool normalized, bool with_special,
               const std::vector<std::string>& texts) {
    std::vector<PieceTable::Entry> entries;
    for (std::size_t i = 0; i < spec.added.size(); ++i) {
      const AddedToken& added = spec.added[i];
      if (added.normalized != normalized || (added.special && !with_special)) continue;
      entries.push_back({texts[i], static_cast<Token>(i)});
      if (!texts[i].empty()) begins_[static_cast<unsigned char>(texts[i][0])] = true;
    }
    table_ = PieceTable(std::move(entries));
  }

  void Split(const TokenizerSpec& spec, std::string_view text, bool at_start,
             std::vector<Part>& parts) const {
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (!begins_[static_cast<unsigned char>(text[at])]) continue;
      const auto match = table_.Longest(text.substr(at));
      if (!match) continue;
      const AddedToken& added = spec.added[static_cast<std::size_t>(match->id)];
      std::size_t begin = at, end = at + match->size;
      at = end - 1;
      if (added.whole_word && !IsWholeWord(text, begin, end)) continue;
      if (added.strip_left) {
        while (begin > done && SpaceBefore(text, begin) != 0) begin -= SpaceBefore(text, begin);
      }
      if (added.strip_right) end += SpacesAt(text, end);
      if (begin > done) {
        parts.push_back({std::string(text.substr(done, begin - done)), {}, at_start && done == 0});
      }
      parts.push_back({"", added.id, false});
      done = end;
      at = std::max(at, end - 1);
    }
    if (done < text.size()) {
      parts.push_back({std::string(text.substr(done)), {}, at_start && done == 0});
    }
  }

 private:
  /// Bytes of the white space character that ends at `end`, or 0.
  static std::size_t SpaceBefore(std::string_view text, std::size_t end) {
    std::size_t at = end;
    while (at > 0) {
      --at;
      if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) break;
    }
    return at < end && IsSpace(FirstCodePoint(text.substr(at)).value) ? end - at : 0;
  }
  static std::size_t SpacesAt(std::string_view text, std::size_t at) {
    const std::size_t start = at;
    while (at < text.size() && IsSpace(FirstCodePoint(text.substr(at)).value)) {
      at += FirstCodePoint(text.substr(at)).size;
    }
    return at - start;
  }
  static bool IsWholeWord(std::string_view text, std::size_t begin, std::size_t end) {
    if (end < text.size() && IsWordPart(FirstCodePoint(text.substr(end)).value)) return false;
    if (begin == 0) return true;
    std::size_t last = begin - 1;
    while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    return !IsWordPart(FirstCodePoint(text.substr(last)).value);
  }

  PieceTable table_;
  std::array<bool, 256> begins_ = {};
};

std::string CollapseSpaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' || (!result.empty() && result.back() != ' ')) result += c;
  }
  // At the end the reference takes the marks of spaces too, whatever they came from.
  while (true) {
    if (result.ends_with(' ')) {
      result.pop_back();
    } else if (result.ends_with(kSpaceMark)) {
      result.resize(result.size() - kSpaceMark.size());
    } else {
      return result;
    }
  }
}

std::string Normalize(const std::vector<NormalStep>& steps, std::string text) {
  for (const NormalStep& step : steps) {
    switch (step.kind) {
      case NormalStep::Kind::kPrepend:
        if (!text.empty()) text.insert(0, step.to);
        break;
      case NormalStep::Kind::kCollapseSpaces:
        text = CollapseSpaces(text);
        break;
      case NormalStep::Kind::kReplace: {
        std::string result;
        std::string_view left = text;
        for (std::size_t at; (at = left.find(step.from)) != std::string_view::npos;) {
          result += left.substr(0, at);
          result += step.to;
          left.remove_prefix(at + step.from.size());
        }
        text = result += left;
      }
    }
  }
  return text;
}

/// Every text stays in proportion: real tokenizers write three bytes for a space and prepend three.
Result<void> CheckNormalization(const std::vector<NormalStep>& steps) {
  constexpr double kMostGrowth = 64;
  constexpr std::size_t kMostPrepended = 4'096;
  double growth = 1;
  std::size_t prepended = 0;
  for (const NormalStep& step : steps) {
    if (step.kind == NormalStep::Kind::kPrepend) prepended += step.to.size();
    if (step.kind != NormalStep::Kind::kReplace) continue;
    if (step.from.empty()) {
      return Fail(ErrorCode::kInvalid, "tokenizer: a replacement of nothing");
    }
    growth *=
        std::max(1.0, static_cast<double>(step.to.size()) / static_cast<double>(step.from.size()));
  }
  if (growth > kMostGrowth) {
    return Fail(
        ErrorCode::kInvalid,
        fmt::format("tokenizer: its replacements may grow a text {:.0f} times, at most {:.0f}",
                    growth, kMostGrowth));
  }
  if (prepended > kMostPrepended) {
    return Fail(ErrorCode::kInvalid, fmt::format("tokenizer: it prepends {} bytes, at most {}",
                                                 prepended, kMostPrepended));
  }
  return {};
}

Result<void> CheckSpec(const TokenizerSpec& spec) {
  const auto check = [&](Token id, std::string_view what) -> Result<void> {
    if (id >= 0 && static_cast<std::size_t>(id) < spec.pieces.size()) return {};
    return Fail(ErrorCode::kInvalid,
                fmt::format("tokenizer: {} {} is none of {} pieces", what, id, spec.pieces.size()));
  };
  if (spec.pieces.empty() || spec.pieces.size() > kMaxVocab) {
    return Fail(ErrorCode::kInvalid,
                fmt::format("tokenizer: {} pieces, 1 to {}", spec.pieces.size(), kMaxVocab));
  }
  for (const Merge& merge : spec.merges) {
    for (const Token id : {merge.left, merge.right, merge.result}) {
      TXVM_CHECK_OK(check(id, "merged piece"));
    }
  }
  for (const AddedToken& added : spec.added) TXVM_CHECK_OK(check(added.id, "added token"));
  for (const auto& id : {spec.unknown, spec.bos, spec.eos}) {
    if (id) TXVM_CHECK_OK(check(*id, "special token"));
  }
  for (const auto* list : {&spec.before, &spec.after}) {
    for (const Token id : *list) TXVM_CHECK_OK(check(id, "template token"));
  }
  return CheckNormalization(spec.normalization);
}

}  // namespace

struct Tokenizer::Tables {
  explicit Tables(TokenizerSpec from) : spec(std::move(from)), index(spec) {
    for (const AddedToken& added : spec.added) {
      texts.push_back(added.normalized ? Normalize(spec.normalization, added.text) : added.text);
      by_id.emplace(added.id, &added);
      by_added_text.emplace(added.text, added.id);
    }
    for (const bool normalized : {false, true}) {
      for (const bool special : {false, true}) {
        matchers[normalized ? 1 : 0][special ? 1 : 0] =
            AddedMatcher(spec, normalized, special, texts);
      }
    }
  }

  void EncodePart(std::string_view text, bool at_start, std::vector<Token>& tokens) const {
    for (const std::string& cut : SplitText(spec.splits, text, at_start)) {
      switch (spec.algorithm) {
        case Algorithm::kScores:
          SegmentByScores(index, cut, tokens);
          break;
        case Algorithm::kRanks:
          SegmentByRanks(index, cut, tokens);
          break;
        case Algorithm::kUnigram:
          SegmentByUnigrams(index, cut, tokens);
          break;
      }
    }
  }

  TokenizerSpec spec;
  PieceIndex index;
  std::vector<std::string> texts;  // of added tokens, as they are looked for
  AddedMatcher matchers[2][2];     // by normalized, by special
  std::map<Token, const AddedToken*> by_id;
  std::map<std::string_view, Token> by_added_text;
};

Result<Tokenizer> Tokenizer::Make(TokenizerSpec spec) {
  TXVM_CHECK_OK(CheckSpec(spec));
  return Tokenizer(std::make_shared<const Tables>(std::move(spec)));
}

const TokenizerSpec& Tokenizer::spec() const { return tables_->spec; }

std::vector<Token> Tokenizer::Encode(std::string_view text, const EncodeOptions& options) const {
  const TokenizerSpec& s = spec();
  const std::size_t special = options.match_special ? 1 : 0;
  std::vector<Token> tokens;
  if (options.add_special) tokens = s.before;
  const std::string valid = ValidUtf8(text);
  std::vector<Part> parts;
  if (options.match_added) {
    tables_->matchers[0][special].Split(s, valid, true, parts);
  } else if (!valid.empty()) {
    parts.push_back({valid, {}, true});
  }
  for (Part& part : parts) {
    if (part.token) {
      tokens.push_back(*part.token);
      continue;
    }
    const std::string normal = Normalize(s.normalization, std::move(part.text));
    std::vector<Part> inner;
    if (options.match_added) {
      tables_->matchers[1][special].Split(s, normal, part.at_start, inner);
    } else {
      inner.push_back({normal, {}, part.at_start});
    }
    for (const Part& piece : inner) {
      if (piece.token) {
        tokens.push_back(*piece.token);
      } else {
        tables_->EncodePart(piece.text, piece.at_start, tokens);
      }
    }
  }
  if (options.add_special) tokens.insert(tokens.end(), s.after.begin(), s.after.end());
  return tokens;
}

std::string Tokenizer::Bytes(Token token, bool keep_special) const {
  if (token < 0 || static_cast<std::size_t>(token) >= size()) return {};
  if (!keep_special && IsSpecial(token)) return {};
  const auto added = tables_->by_id.find(token);
  if (added != tables_->by_id.end()) return added->second->text;
  const Piece& piece = spec().pieces[static_cast<std::size_t>(token)];
  if (piece.kind == PieceKind::kByte) {
    constexpr std::size_t kDigitsAt = 3;  // of "<0x0A>"
    unsigned byte = 0;
    std::from_chars(piece.text.data() + std::min(kDigitsAt, piece.text.size()),
                    piece.text.data() + piece.text.size(), byte, 16);
    return {static_cast<char>(byte)};
  }
  std::string bytes;
  std::string_view text = piece.text;
  while (!text.empty()) {
    const CodePoint letter = FirstCodePoint(text);
    const std::string_view raw = text.substr(0, letter.size);
    const auto byte = spec().byte_level ? ByteOfLetter(letter.value) : std::nullopt;
    if (byte) {
      bytes += static_cast<char>(*byte);
    } else if (!spec().byte_level && raw == kSpaceMark) {
      bytes += ' ';
    } else {
      bytes += raw;
    }
    text.remove_prefix(letter.size);
  }
  return bytes;
}

std::string Tokenizer::Decode(std::span<const Token> tokens, bool keep_special) const {
  std::string text;
  for (const Token token : tokens) text += Bytes(token, keep_special);
  if (spec().drop_first_space && text.starts_with(' ')) text.erase(0, 1);
  return text;
}

std::optional<Token> Tokenizer::Find(std::string_view piece) const {
  if (const auto found = tables_->index.by_text.find(piece);
      found != tables_->index.by_text.end()) {
    return found->second;
  }
  const auto added = tables_->by_added_text.find(piece);
  if (added == tables_->by_added_text.end()) return std::nullopt;
  return added->second;
}

bool Tokenizer::IsSpecial(Token token) const {
  if (token < 0 || static_cast<std::size_t>(token) >= size()) return false;
  const auto added = tables_->by_id.find(token);
  if (added != tables_->by_id.end()) return added->second->special;
  const PieceKind kind = spec().pieces[static_cast<std::size_t>(token)].kind;
  return kind == PieceKind::kControl || kind == PieceKind::kUnknown;
}

Result<Tokenizer> OpenTokenizer(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string json = (fs::path(directory) / "tokenizer.json").string();
  const std::string model = (fs::path(directory) / "tokenizer.model").string();
  const bool use_json = fs::exists(json, error) || !fs::exists(model, error);
  const std::string& path = use_json ? json : model;
  TXVM_TRY(const std::string text, ReadText(path, kMaxTokenizerBytes));
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  auto spec = use_json ? SpecFromJson(text) : SpecFromSentencePiece(bytes);
  if (!spec) return std::unexpected(In(path, spec.error()));
  spec = use_json ? WithFolderRoles(*std::move(spec), directory)
                  : WithFolderSettings(*std::move(spec), directory);
  if (!spec) return std::unexpected(std::move(spec).error());
  auto tokenizer = Tokenizer::Make(*std::move(spec));
  if (!tokenizer) return std::unexpected(In(path, tokenizer.error()));
  return tokenizer;
}

}  // namespace txvm::neural::llm
