// Text to tokens and back, for the tokenizers that llama-architecture models come with.
//
// Goals: the ids that the reference implementations give, for any bytes as input: SentencePiece
// (BPE and unigram), Hugging Face tokenizer.json (BPE on characters or bytes), both embedded in
// GGUF. Non-goals: normalisation tables, offsets, training.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/llm/config.h"
#include "neural/llm/gguf.h"

namespace txvm::neural::llm {

/// What a piece is, numbered as in SentencePiece and GGUF files.
enum class PieceKind : std::uint8_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUser = 4,
  kUnused = 5,
  kByte = 6
};

struct Piece {
  std::string text;  // of a byte-level vocabulary: in its alphabet
  float score = 0;
  PieceKind kind = PieceKind::kNormal;
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Pieces left and right become `result`; the position in the list is the rank.
struct Merge {
  Token left = 0, right = 0, result = 0;
  friend bool operator==(const Merge&, const Merge&) = default;
};

/// A string that is one token wherever it stands.
struct AddedToken {
  std::string text;
  Token id = 0;
  bool special = false;     // left out of decoded text
  bool strip_left = false;  // takes the white space before it
  bool strip_right = false;
  bool whole_word = false;  // only between characters that belong to no word
  bool normalized = false;  // looked for after normalisation
  friend bool operator==(const AddedToken&, const AddedToken&) = default;
};

/// Which pieces are joined first: the highest score, the lowest rank, or the best whole.
enum class Algorithm : std::uint8_t { kScores, kRanks, kUnigram };

/// A step that rewrites text before it is cut up.
struct NormalStep {
  enum class Kind : std::uint8_t { kPrepend, kReplace, kCollapseSpaces } kind = Kind::kPrepend;
  std::string from, to;  // kPrepend uses `to`
  friend bool operator==(const NormalStep&, const NormalStep&) = default;
};

/// A step that cuts text up.
struct SplitStep {
  enum class Kind : std::uint8_t {
    kGpt2,        // contractions, then runs of letters, numbers, others, each with a space before
    kLlama3,      // the same with numbers up to three digits and line ends apart
    kQwen2,       // the same with single digits
    kDigits,      // every number character apart
    kDigitRuns,   // runs of number characters apart
    kMetaspace,   // spaces become U+2581; see below
    kPrefixSpace  // a space is put before a text that has none
  } kind = Kind::kGpt2;
  // kMetaspace:
  enum class Prepend : std::uint8_t { kNever, kFirst, kAlways } prepend = Prepend::kNever;
  bool split = false;  // before every U+2581
  friend bool operator==(const SplitStep&, const SplitStep&) = default;
};

/// Everything a tokenizer's files say.
struct TokenizerSpec {
  Algorithm algorithm = Algorithm::kScores;
  std::vector<Piece> pieces;  // by id
  std::vector<Merge> merges;  // kRanks
  std::vector<AddedToken> added;
  std::vector<NormalStep> normalization;
  std::vector<SplitStep> splits;
  bool byte_level = false;        // text is mapped to one character a byte
  bool byte_fallback = false;     // unknown characters become kByte pieces
  bool fuse_unknown = true;       // a run of unknown characters is one token
  bool whole_pieces = false;      // a cut that is a piece is not put together from smaller ones
  bool drop_first_space = false;  // of decoded text
  std::optional<Token> unknown, bos, eos;
  std::vector<Token> before, after;  // put around every encoded text
  friend bool operator==(const TokenizerSpec&, const TokenizerSpec&) = default;
};

struct EncodeOptions {
  bool add_special = true;    // `before` and `after`
  bool match_special = true;  // added tokens that are special; false: they are text like any other
  bool match_added = true;    // added tokens at all
};

/// Immutable; thread-safe.
class Tokenizer {
 public:
  /// kInvalid names an id out of range, or a piece that `spec` needs and lacks.
  static isa::Result<Tokenizer> Make(TokenizerSpec spec);

  /// The tokens of a text. Bytes that are no UTF-8 count as U+FFFD each. Linear but for a
  /// logarithm in the longest cut.
  std::vector<Token> Encode(std::string_view text, const EncodeOptions& options = {}) const;
  /// The text of tokens; special ones and those out of range add nothing unless `keep_special`.
  /// Bytes are given as they are, valid UTF-8 or not.
  std::string Decode(std::span<const Token> tokens, bool keep_special = false) const;
  /// The bytes one token adds in the middle of a text; "" for special ones unless `keep_special`.
  std::string Bytes(Token token, bool keep_special = false) const;

  std::size_t size() const { return spec().pieces.size(); }
  /// The id of a piece or added token, by its text in the vocabulary.
  std::optional<Token> Find(std::string_view piece) const;
  bool IsSpecial(Token token) const;
  std::optional<Token> bos() const { return spec().bos; }
  std::optional<Token> eos() const { return spec().eos; }
  const TokenizerSpec& spec() const;

 private:
  struct Tables;
  explicit Tokenizer(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {}
  std::shared_ptr<const Tables> tables_;
};

inline constexpr std::size_t kMaxTokenizerBytes = 64u << 20;
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581

/// A SentencePiece tokenizer.model. bos and eos are the control pieces that its settings number or,
/// without that, name; bos is put before every text. kCorrupt: no such file; kUnsupported: word and
/// character models, normalisation tables, suffixed spaces.
isa::Result<TokenizerSpec> SpecFromSentencePiece(std::span<const std::uint8_t> file);
/// The same with what the tokenizer_config.json beside the file says: add_bos_token (true without
/// it), add_eos_token (false), bos_token, eos_token and unk_token (null: none; kept if they are no
/// tokens), legacy (true; false: a space is put before the beginning of a text alone, and only if
/// there is none), add_prefix_space (true; false: never), and added_tokens_decoder: ids of pieces,
/// and those that go on after them without a gap, which become pieces. kCorrupt: no JSON; kInvalid
/// names an id that does not go on.
isa::Result<TokenizerSpec> WithTokenizerConfig(TokenizerSpec spec, std::string_view config);
/// The same with what the folder holds of tokenizer_config.json and, where that has no
/// added_tokens_decoder, added_tokens.json (ids by text, as there) and special_tokens_map.json,
/// which says like the former which of these are special. Errors name the file.
isa::Result<TokenizerSpec> WithFolderSettings(TokenizerSpec spec, const std::string& directory);
/// The spec of a tokenizer.json with what a tokenizer_config.json in the folder says that it does
/// not: bos_token, unless a token is put before every text, and eos_token (null: none; kept if they
/// are no tokens). Errors name the file.
isa::Result<TokenizerSpec> WithFolderRoles(TokenizerSpec spec, const std::string& directory);
/// A tokenizer.model that SpecFromSentencePiece and SentencePiece read; what is put around a text
/// and which tokens are added is left to TokenizerFilesOf. kUnsupported: a tokenizer that is not
/// SentencePiece's, or uses more than its settings can say.
isa::Result<std::string> SentencePieceFileOf(const TokenizerSpec& spec);

/// The text of a tokenizer.json that SpecFromJson and Hugging Face's tokenizers read; which tokens
/// begin and end a text is left to TokenizerFilesOf. kUnsupported: a vocabulary that is not
/// byte-level, rewriting, and cutting that it has no words for.
isa::Result<std::string> TokenizerJsonOf(const TokenizerSpec& spec);

/// The contents of tokenizer.model, or for byte-level vocabularies of tokenizer.json, and of
/// tokenizer_config.json.
struct TokenizerFiles {
  std::string model, json, config;  // one of the first two is empty
};
/// Files from which OpenTokenizer and ReadChatTemplate get this spec and template back: exactly,
/// but for the scores and the unused pieces of a byte-level vocabulary. kUnsupported: a tokenizer
/// they cannot express.
isa::Result<TokenizerFiles> TokenizerFilesOf(const TokenizerSpec& spec,
                                             std::string_view chat_template);

/// A Hugging Face tokenizer.json. kUnsupported names the component that is not known.
isa::Result<TokenizerSpec> SpecFromJson(std::string_view text);
/// The tokenizer of a GGUF file, without the padding of WithPadding. In one of SentencePiece bos is
/// 1 and eos 2 where the file neither names them nor says that they are not added, as llama.cpp has
/// it, and the unknown token, where none is named, is the piece of that kind.
isa::Result<TokenizerSpec> SpecFromGguf(const Gguf& gguf);
/// The metadata SpecFromGguf reads, with `ends`, what else the model's texts end with. kUnsupported
/// names what GGUF cannot express: unigrams, unmarked spaces, other rewriting and cutting,
/// ignore_merges on characters, merges that no scores order, unknown characters one by one or left
/// out, tokens other than bos and eos around a text, added tokens that take spaces, stand as whole
/// words only, have to be looked for after normalisation or are ordinary pieces with a marked space
/// or another text, more ends than kGgufEnds names.
isa::Result<GgufHeader> GgufMetadata(const TokenizerSpec& spec, std::string_view chat_template,
                                     std::span<const Token> ends = {});
/// The spec with further pieces up to `size`, which no text becomes: other readers of GGUF take the
/// number of tokens for that of the model's rows. They are unused and named "[PAD<id>]" as by
/// llama.cpp's converter, with "_" after the id where another piece has that text.
TokenizerSpec WithPadding(TokenizerSpec spec, std::size_t size);
/// Forgets such pieces at the end.
void DropPadding(std::vector<Piece>& pieces);
/// The metadata of a model without tokenizer: its ends alone. kUnsupported as above.
isa::Result<GgufHeader> GgufEndTokens(std::span<const Token> ends);

/// The tokenizer in a checkpoint's folder: tokenizer.json with the bos and eos named beside it, or
/// else tokenizer.model with the settings beside it.
isa::Result<Tokenizer> OpenTokenizer(const std::string& directory);

}  // namespace txvm::neural::llm
