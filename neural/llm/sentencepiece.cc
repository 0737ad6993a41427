// tokenizer.model: a protocol buffer of pieces and settings.
//
// message := {key value};  key = varint(field << 3 | kind);  kind 0 varint, 1 eight bytes, 2 length
// and bytes, 5 four bytes. Fields that are not known are skipped.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "isa/support/text.h"
#include "neural/llm/tokenizer.h"

namespace txvm::neural::llm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;

std::unexpected<isa::Error> Corrupt(std::string_view what) {
  return Fail(ErrorCode::kCorrupt, fmt::format("tokenizer.model: {}", what));
}

/// A field of a message. `number` holds a varint or the bits of a fixed one.
struct Field {
  std::uint32_t name = 0;
  std::uint64_t number = 0;
  bool is_bytes = false;
  std::span<const std::uint8_t> bytes;

  std::string Text() const { return {bytes.begin(), bytes.end()}; }
};

/// The fields of a message, one after the other.
class Message {
 public:
  explicit Message(std::span<const std::uint8_t> bytes) : left_(bytes) {}
  bool More() const { return !left_.empty(); }

  Result<Field> Next() {
    constexpr std::uint64_t kKindMask = 7;
    constexpr std::size_t kWide = 8, kNarrow = 4;
    TXVM_TRY(const std::uint64_t key, Varint());
    Field field;
    field.name = static_cast<std::uint32_t>(key >> 3);
    switch (key & kKindMask) {
      case 0: {
        TXVM_TRY(field.number, Varint());
        return field;
      }
      case 1:
        return Fixed(field, kWide);
      case 5:
        return Fixed(field, kNarrow);
      case 2: {
        TXVM_TRY(const std::uint64_t size, Varint());
        if (size > left_.size()) {
          return Corrupt(
              fmt::format("field {} of {} bytes with {} left", field.name, size, left_.size()));
        }
        field.is_bytes = true;
        field.bytes = left_.first(static_cast<std::size_t>(size));
        left_ = left_.subspan(static_cast<std::size_t>(size));
        return field;
      }
      default:
        return Corrupt(fmt::format("field {} of unknown kind {}", field.name, key & kKindMask));
    }
  }

 private:
  Result<std::uint64_t> Varint() {
    constexpr unsigned kBits = 7, kMostBits = 64;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < kMostBits; shift += kBits) {
      if (left_.empty()) return Corrupt("a number is cut off");
      const std::uint8_t byte = left_[0];
      left_ = left_.subspan(1);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    return Corrupt("a number of more than 64 bits");
  }
  Result<Field> Fixed(Field field, std::size_t size) {
    if (left_.size() < size) return Corrupt("a number is cut off");
    std::memcpy(&field.number, left_.data(), size);
    left_ = left_.subspan(size);
    return field;
  }

  std::span<const std::uint8_t> left_;
};

// Fields of the trainer's settings that are read and written.
constexpr std::uint32_t kUnknownId = 40, kBosId = 41, kEosId = 42;
constexpr std::uint32_t kUnknownText = 45, kBosText = 46, kEosText = 47;

struct Settings {
  std::uint64_t model_type = 1;  // unigram
  bool byte_fallback = false, suffix = false;
  bool dummy_prefix = true, collapse = true, escape = true;
  bool has_table = false;
  std::optional<std::int32_t> bos_id, eos_id;  // -1: there is none
  std::string bos_text = "<s>", eos_text = "</s>";
};

Result<void> ReadTrainer(std::span<const std::uint8_t> bytes, Settings& settings) {
  constexpr std::uint32_t kModelType = 3, kSuffix = 24, kByteFallback = 35;
  const auto id = [](const Field& field) { return static_cast<std::int32_t>(field.number); };
  for (Message message(bytes); message.More();) {
    TXVM_TRY(const Field field, message.Next());
    if (field.name == kModelType) settings.model_type = field.number;
    if (field.name == kSuffix) settings.suffix = field.number != 0;
    if (field.name == kByteFallback) settings.byte_fallback = field.number != 0;
    if (field.name == kBosId) settings.bos_id = id(field);
    if (field.name == kEosId) settings.eos_id = id(field);
    if (field.name == kBosText) settings.bos_text = field.Text();
    if (field.name == kEosText) settings.eos_text = field.Text();
  }
  return {};
}

Result<void> ReadNormalizer(std::span<const std::uint8_t> bytes, Settings& settings) {
  constexpr std::uint32_t kTable = 2, kDummyPrefix = 3, kCollapse = 4, kEscape = 5;
  for (Message message(bytes); message.More();) {
    TXVM_TRY(const Field field, message.Next());
    if (field.name == kTable) settings.has_table = !field.bytes.empty();
    if (field.name == kDummyPrefix) settings.dummy_prefix = field.number != 0;
    if (field.name == kCollapse) settings.collapse = field.number != 0;
    if (field.name == kEscape) settings.escape = field.number != 0;
  }
  return {};
}

Result<Piece> ReadPiece(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t kText = 1, kScore = 2, kKind = 3;
  Piece piece;
  for (Message message(bytes); message.More();) {
    TXVM_TRY(const Field field, message.Next());
    if (field.name == kText) piece.text = field.Text();
    if (field.name == kScore) {
      const auto bits = static_cast<std::uint32_t>(field.number);
      std::memcpy(&piece.score, &bits, sizeof(bits));
    }
    if (field.name == kKind) {
      if (field.number < 1 || field.number > 6) {
        return Corrupt(
            fmt::format("piece '{}' of kind {}, 1 to 6", isa::Printable(piece.text), field.number));
      }
      piece.kind = static_cast<PieceKind>(field.number);
    }
  }
  return piece;
}

/// The control piece of this id (negative: none); without an id, or where it is that of another
/// kind of piece, the one of this text, by which SentencePiece itself goes.
std::optional<Token> ControlPiece(const std::vector<Piece>& pieces, std::optional<std::int32_t> id,
                                  std::string_view text) {
  if (id && *id < 0) return std::nullopt;
  const auto is_control = [](const Piece& piece) { return piece.kind == PieceKind::kControl; };
  if (id && static_cast<std::size_t>(*id) < pieces.size() &&
      is_control(pieces[static_cast<std::size_t>(*id)])) {
    return *id;
  }
  const auto named = std::ranges::find_if(
      pieces, [&](const Piece& piece) { return is_control(piece) && piece.text == text; });
  if (named == pieces.end()) return std::nullopt;
  return static_cast<Token>(named - pieces.begin());
}

Result<void> Apply(const Settings& settings, TokenizerSpec& spec) {
  constexpr std::uint64_t kUnigram = 1, kBpe = 2;
  const auto refuse = [](std::string_view what) {
    return Fail(ErrorCode::kUnsupported, fmt::format("tokenizer.model: {}", what));
  };
  if (settings.model_type != kUnigram && settings.model_type != kBpe) {
    return refuse(
        fmt::format("model type {}, unigram (1) and BPE (2) are supported", settings.model_type));
  }
  if (settings.has_table) return refuse("a normalisation table; identity is supported");
  if (settings.suffix || !settings.escape) return refuse("spaces as suffixes or as they are");
  spec.algorithm = settings.model_type == kBpe ? Algorithm::kScores : Algorithm::kUnigram;
  spec.byte_fallback = settings.byte_fallback;
  if (settings.collapse) {
    spec.normalization.push_back({NormalStep::Kind::kCollapseSpaces, "", ""});
  }
  if (settings.dummy_prefix) {
    spec.normalization.push_back({NormalStep::Kind::kPrepend, "", std::string(kSpaceMark)});
    spec.drop_first_space = true;
  }
  spec.normalization.push_back({NormalStep::Kind::kReplace, " ", std::string(kSpaceMark)});
  return {};
}

void PutVarint(std::uint64_t value, std::string& to) {
  constexpr std::uint64_t kMore = 0x80;
  for (; value >= kMore; value >>= 7) to += static_cast<char>(value | kMore);
  to += static_cast<char>(value);
}
void PutBytes(std::uint32_t name, std::string_view bytes, std::string& to) {
  PutVarint(name << 3 | 2, to);
  PutVarint(bytes.size(), to);
  to += bytes;
}
void PutNumber(std::uint32_t name, std::uint64_t value, std::string& to) {
  PutVarint(name << 3, to);
  PutVarint(value, to);
}

std::string TrainerOf(const TokenizerSpec& spec) {
  std::string trainer;
  PutNumber(3, spec.algorithm == Algorithm::kUnigram ? 1 : 2, trainer);
  PutNumber(35, spec.byte_fallback ? 1 : 0, trainer);
  const auto put = [&](std::uint32_t id_name, std::uint32_t text_name, std::optional<Token> token) {
    // -1 as the format has negative numbers: sixty-four bits of ones.
    PutNumber(id_name, static_cast<std::uint64_t>(std::int64_t{token.value_or(-1)}), trainer);
    if (token) PutBytes(text_name, spec.pieces[static_cast<std::size_t>(*token)].text, trainer);
  };
  put(kUnknownId, kUnknownText, spec.unknown);
  put(kBosId, kBosText, spec.bos);
  put(kEosId, kEosText, spec.eos);
  return trainer;
}

}  // namespace

Result<std::string> SentencePieceFileOf(const TokenizerSpec& spec) {
  constexpr std::uint32_t kScoreKey = 2 << 3 | 5;
  bool prefix = false, collapse = false, escape = false, other = !spec.splits.empty();
  for (const NormalStep& step : spec.normalization) {
    using Kind = NormalStep::Kind;
    prefix = prefix || (step.kind == Kind::kPrepend && step.to == kSpaceMark);
    collapse = collapse || step.kind == Kind::kCollapseSpaces;
    escape = escape || (step.kind == Kind::kReplace && step.from == " " && step.to == kSpaceMark);
    other = other || (step.kind == Kind::kPrepend && step.to != kSpaceMark) ||
            (step.kind == Kind::kReplace && step.from != " ");
  }
  if (spec.algorithm == Algorithm::kRanks || other || !escape) {
    return Fail(ErrorCode::kUnsupported,
                "tokenizer.model cannot express this tokenizer: it is not SentencePiece's");
  }
  std::string file;
  for (const Piece& piece : spec.pieces) {
    std::string message;
    PutBytes(1, piece.text, message);
    PutVarint(kScoreKey, message);
    message.append(reinterpret_cast<const char*>(&piece.score), sizeof(piece.score));
    PutNumber(3, static_cast<std::uint64_t>(piece.kind), message);
    PutBytes(1, message, file);
  }
  PutBytes(2, TrainerOf(spec), file);
  std::string normalizer;
  PutBytes(1, "identity", normalizer);
  PutNumber(3, prefix ? 1 : 0, normalizer);
  PutNumber(4, collapse ? 1 : 0, normalizer);
  PutNumber(5, 1, normalizer);
  PutBytes(3, normalizer, file);
  return file;
}

Result<TokenizerSpec> SpecFromSentencePiece(std::span<const std::uint8_t> file) {
  constexpr std::uint32_t kPiece = 1, kTrainer = 2, kNormalizer = 3;
  TokenizerSpec spec;
  Settings settings;
  for (Message message(file); message.More();) {
    TXVM_TRY(const Field field, message.Next());
    if (!field.is_bytes) continue;
    if (field.name == kPiece) {
      if (spec.pieces.size() == kMaxVocab) return Corrupt("too many pieces");
      TXVM_TRY(Piece piece, ReadPiece(field.bytes));
      spec.pieces.push_back(std::move(piece));
    } else if (field.name == kTrainer) {
      TXVM_CHECK_OK(ReadTrainer(field.bytes, settings));
    } else if (field.name == kNormalizer) {
      TXVM_CHECK_OK(ReadNormalizer(field.bytes, settings));
    }
  }
  if (spec.pieces.empty()) return Corrupt("no pieces");
  TXVM_CHECK_OK(Apply(settings, spec));
  for (std::size_t i = 0; i < spec.pieces.size(); ++i) {
    const Piece& piece = spec.pieces[i];
    const auto id = static_cast<Token>(i);
    if (piece.kind == PieceKind::kUnknown) spec.unknown = id;
    if (piece.kind != PieceKind::kControl) continue;
    spec.added.push_back({piece.text, id, true, false, false, false, false});
  }
  spec.bos = ControlPiece(spec.pieces, settings.bos_id, settings.bos_text);
  spec.eos = ControlPiece(spec.pieces, settings.eos_id, settings.eos_text);
  if (spec.bos) spec.before = {*spec.bos};
  return spec;
}

}  // namespace txvm::neural::llm
