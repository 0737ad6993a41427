#include "tests/frontends/nl/reader/piece_tokenizers.h"

#include <fmt/format.h>

#include <utility>

#include "isa/support/result.h"
#include "neural/llm/pre_tokenizer.h"

namespace txvm::frontends::nl {

namespace llm = neural::llm;

namespace {

constexpr unsigned kBytes = 256;

std::string InByteAlphabet(const std::string& text) {
  std::string letters;
  for (const char c : text) letters += llm::ByteAlphabet()[static_cast<unsigned char>(c)];
  return letters;
}

}  // namespace

llm::Tokenizer PieceTokenizer(std::vector<std::string> pieces, bool byte_level) {
  llm::TokenizerSpec spec;
  spec.byte_level = byte_level;
  spec.byte_fallback = !byte_level;
  spec.algorithm = byte_level ? llm::Algorithm::kRanks : llm::Algorithm::kScores;
  for (unsigned byte = 0; byte < kBytes; ++byte) {
    if (byte_level) {
      spec.pieces.push_back({llm::ByteAlphabet()[byte], 0, llm::PieceKind::kNormal});
    } else {
      spec.pieces.push_back({fmt::format("<0x{:02X}>", byte), 0, llm::PieceKind::kByte});
    }
  }
  for (std::string& piece : pieces) {
    std::string text = byte_level ? InByteAlphabet(piece) : std::move(piece);
    spec.pieces.push_back({std::move(text), 0, llm::PieceKind::kNormal});
  }
  const auto eos = static_cast<llm::Token>(spec.pieces.size());
  spec.pieces.push_back({"</s>", 0, llm::PieceKind::kControl});
  spec.added.push_back({.text = "</s>", .id = eos, .special = true});
  spec.eos = eos;
  spec.pieces.push_back({"<unk>", 0, llm::PieceKind::kUnknown});
  spec.unknown = eos + 1;
  auto tokenizer = llm::Tokenizer::Make(std::move(spec));
  TXVM_ASSERT(tokenizer.has_value());
  return *std::move(tokenizer);
}

std::vector<std::string> AwkwardPieces(bool byte_level) {
  const std::string blank = byte_level ? " " : std::string(llm::kSpaceMark);
  std::vector<std::string> pieces;
  for (const char* text :
       {"_",   "__",  "_+",    "+_",   "_-_",   ")_*",  "((",   "))",   "_==", "==",   "_=",   "=_",
        "=\n", "=_3", "12",    "_15",  "50",    "_5_+", "_sum", "su",   "um",  "sum_", "_to_", "to",
        "_t",  "if",  "_if",   "hen",  "else",  "_T",   "T0",   ":=",   "0_:", ";_T",  "[",    ",_",
        "],",  ".5",  "2.",    "_?",   "?chat", "hat",  "fact", "_fib", "max", "_[",   "<=",   "<",
        "!",   "mod", "hello", "_the", "N0",    "N",    "00",   "1,",   "x"}) {
    std::string piece;
    for (const char c : std::string(text)) piece += c == '_' ? blank : std::string(1, c);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

llm::Token PieceId(const llm::Tokenizer& tokenizer, const std::string& text) {
  for (std::size_t id = tokenizer.size(); id-- > 0;) {
    const auto token = static_cast<llm::Token>(id);
    if (tokenizer.Bytes(token) == text) return token;
  }
  TXVM_ASSERT(false);
  return -1;
}

}  // namespace txvm::frontends::nl
