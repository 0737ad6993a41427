// Tokenizers without their oracles (tests/interop has those): options, decoding, GGUF, damage.
#include "neural/llm/tokenizer.h"

#include <gtest/gtest.h>

#include "neural/llm/pre_tokenizer.h"
#include "neural/llm/unicode.h"
#include "tests/neural/llm/allocation_watch.h"
#include "tests/neural/llm/damage.h"
#include "tests/neural/llm/random_model.h"
#include "tests/neural/llm/tokenizer_files.h"

namespace txvm::neural::llm {
namespace {

constexpr int kDamages = 1000;

Tokenizer Made(isa::Result<TokenizerSpec> spec) {
  EXPECT_TRUE(spec) << spec.error().message;
  auto tokenizer = Tokenizer::Make(*std::move(spec));
  EXPECT_TRUE(tokenizer) << tokenizer.error().message;
  return *tokenizer;
}
std::string ErrorOfJson(std::string_view from, std::string_view to,
                        std::string text = std::string(kByteTokenizer)) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  const auto spec = SpecFromJson(text.replace(at, from.size(), to));
  return spec ? "accepted" : spec.error().message;
}
std::span<const std::uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(Tokenizer, SentencePieceJoinsByScoreAndFallsBackToBytes) {
  const Tokenizer t = Made(SpecFromSentencePiece(Bytes(SentencePieceFile())));
  EXPECT_EQ(t.Encode("ab"), (std::vector<Token>{1, *t.Find("\xE2\x96\x81"
                                                           "ab")}));
  const EncodeOptions plain{.add_special = false};
  EXPECT_EQ(t.Encode("aab", plain),
            (std::vector<Token>{*t.Find(kSpaceMark), *t.Find("a"), *t.Find("ab")}));
  EXPECT_EQ(t.Encode("\n", plain), (std::vector<Token>{*t.Find(kSpaceMark), *t.Find("<0x0A>")}));
  EXPECT_EQ(t.Encode("", plain), std::vector<Token>());
  EXPECT_EQ(t.Encode("a</s>b", plain), (std::vector<Token>{*t.Find(kSpaceMark), *t.Find("a"), 2,
                                                           *t.Find(kSpaceMark), *t.Find("b")}));
  EXPECT_EQ(t.Decode(t.Encode("ab a\n")), "ab a\n");
  EXPECT_EQ(t.bos(), 1);
  EXPECT_EQ(t.eos(), 2);
}

TEST(Tokenizer, SpecialTextIsTextWhereItIsNotTrusted) {
  const Tokenizer t = Made(SpecFromJson(kByteTokenizer));
  const std::string text = "a<|end|>b";
  EXPECT_EQ(t.Encode(text)[1], *t.Find("<|end|>"));
  const auto safe = t.Encode(text, {.match_special = false});
  EXPECT_EQ(std::ranges::count(safe, *t.Find("<|end|>")), 0);
  EXPECT_EQ(t.Decode(safe), text);
  EXPECT_EQ(t.Decode(t.Encode(text)), "ab");
  EXPECT_EQ(t.Decode(t.Encode(text), true), text);
  EXPECT_TRUE(t.IsSpecial(*t.Find("<|end|>")));
  EXPECT_FALSE(t.IsSpecial(-1));
  EXPECT_EQ(t.Bytes(1 << 20), "");
}

TEST(Tokenizer, AnyBytesSurviveOrBecomeTheReplacementCharacter) {
  const Tokenizer bytes = Made(SpecFromJson(kByteTokenizer));
  const Tokenizer pieces = Made(SpecFromSentencePiece(Bytes(SentencePieceFile())));
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (std::uint64_t left = random() % 30; left > 0; --left) {
      text += static_cast<char>(random() % 3 == 0 ? random() : 'a' + random() % 3);
    }
    const EncodeOptions plain{.add_special = false, .match_added = false};
    EXPECT_EQ(bytes.Decode(bytes.Encode(text, plain)), ValidUtf8(text));
    EXPECT_EQ(pieces.Decode(pieces.Encode(text, plain)), ValidUtf8(text));
  }
  EXPECT_EQ(
      ValidUtf8("a\xC0\x80\xED\xA0\x80\xF4\x90\x80\x80z"), "a" + [] {
        std::string nine;
        for (int i = 0; i < 9; ++i) nine += "\xEF\xBF\xBD";
        return nine;
      }() + "z");
}

TEST(Tokenizer, GgufGivesTheSameIds) {
  const std::string file = SentencePieceFile();
  const std::string text = "abba cab \xC3\xA9 a</s>b 12";
  for (const auto& spec : {SpecFromSentencePiece(Bytes(file)), SpecFromJson(kByteTokenizer),
                           SpecFromJson(kCharacterTokenizer)}) {
    const Tokenizer original = Made(spec);
    const auto metadata = GgufMetadata(original.spec(), "{{ template }}");
    ASSERT_TRUE(metadata) << metadata.error().message;
    const std::string header = metadata->Bytes({});
    const auto gguf = ReadGguf(Bytes(header));
    ASSERT_TRUE(gguf);
    const Tokenizer read = Made(SpecFromGguf(*gguf));
    EXPECT_EQ(read.Encode(text), original.Encode(text));
    EXPECT_EQ(read.Decode(read.Encode(text)), original.Decode(original.Encode(text)));
    EXPECT_EQ(read.bos(), original.bos());
    EXPECT_EQ(gguf->Find("tokenizer.chat_template")->Text(), "{{ template }}");
  }
}

/// The spec as it comes back from GGUF.
isa::Result<TokenizerSpec> ThroughGguf(const TokenizerSpec& spec) {
  TXVM_TRY(const GgufHeader metadata, GgufMetadata(spec, ""));
  const std::string header = metadata.Bytes({});
  TXVM_TRY(const Gguf gguf, ReadGguf(Bytes(header)));
  return SpecFromGguf(gguf);
}
std::string ErrorOfGguf(const TokenizerSpec& spec) {
  const auto read = ThroughGguf(spec);
  return read ? "accepted" : read.error().message;
}

TEST(Tokenizer, WhatGgufCannotSayIsRefusedByName) {
  using Kind = SplitStep::Kind;
  using Prepend = SplitStep::Prepend;
  const TokenizerSpec letters = *SpecFromJson(kCharacterTokenizer);
  const TokenizerSpec bytes = *SpecFromJson(kByteTokenizer);
  const auto error = [](TokenizerSpec spec, const auto& change) {
    change(spec);
    return ErrorOfGguf(spec);
  };
  EXPECT_EQ(error(letters, [](TokenizerSpec& s) { s.normalization.clear(); }),
            "GGUF tokenizer: writing a tokenizer with 'spaces as they are' is not supported");
  EXPECT_EQ(error(letters,
                  [](TokenizerSpec& s) {
                    s.normalization.clear();
                    s.splits = {{Kind::kMetaspace, Prepend::kNever, false}};
                  }),
            "accepted");
  EXPECT_EQ(error(letters, [](TokenizerSpec& s) { s.whole_pieces = true; }),
            "GGUF tokenizer: writing a tokenizer with 'ignore_merges' is not supported");
  EXPECT_EQ(error(bytes, [&](TokenizerSpec& s) { s.normalization = letters.normalization; }),
            "GGUF tokenizer: writing a tokenizer with 'its normalisation' is not supported");
  for (TokenizerSpec base : {letters, bytes}) {
    const Token end = base.added[0].id;
    base.eos = end;
    EXPECT_EQ(error(base, [&](TokenizerSpec& s) { s.before = {end}; }),
              "GGUF tokenizer: writing a template that begins with other tokens than 'bos' is not "
              "supported");
    EXPECT_EQ(error(base,
                    [&](TokenizerSpec& s) {
                      s.after = {end, end};
                    }),
              "GGUF tokenizer: writing a template that ends with other tokens than 'eos' is not "
              "supported");
    EXPECT_EQ(error(base, [&](TokenizerSpec& s) { s.after = {end}; }), "accepted");
  }
  const auto flag = [&](bool AddedToken::*member) {
    return error(letters, [&](TokenizerSpec& s) { s.added[0].*member = true; });
  };
  const auto refused = [](std::string_view name) {
    return "GGUF tokenizer: writing the " + std::string(name) +
           " of added token '</s>' is not supported";
  };
  EXPECT_EQ(flag(&AddedToken::strip_left), refused("lstrip"));
  EXPECT_EQ(flag(&AddedToken::strip_right), refused("rstrip"));
  EXPECT_EQ(flag(&AddedToken::whole_word), refused("single_word"));
  EXPECT_EQ(flag(&AddedToken::normalized), refused("normalized"));
}

TEST(Tokenizer, AddedUnknownTokenStaysOneInGguf) {
  TokenizerSpec letters = *SpecFromJson(kCharacterTokenizer);
  const Token unknown = *letters.unknown;
  letters.added.insert(letters.added.begin(),
                       {letters.pieces[static_cast<std::size_t>(unknown)].text, unknown, true});
  const auto read = ThroughGguf(letters);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->added, letters.added);
  EXPECT_EQ(Made(*read).Encode("a<unk>b"), Made(letters).Encode("a<unk>b"));
}

// Old files leave out the ids that llama.cpp takes for granted.
TEST(Tokenizer, AGgufThatNamesNoEndsHasLlamasOwn) {
  const auto read = [](std::string_view model, std::optional<bool> adds) {
    const std::vector<std::string_view> texts = {"<unk>", "<s>", "</s>", "a"};
    const std::vector<std::int32_t> kinds = {2, 3, 3, 1};
    GgufHeader header;
    header.Add("tokenizer.ggml.model", model);
    header.Add("tokenizer.ggml.tokens", std::span<const std::string_view>(texts));
    header.Add("tokenizer.ggml.token_type", std::span<const std::int32_t>(kinds));
    header.Add("tokenizer.ggml.merges", std::span<const std::string_view>());
    if (adds) header.Add("tokenizer.ggml.add_bos_token", *adds);
    if (adds) header.Add("tokenizer.ggml.add_eos_token", *adds);
    const std::string bytes = header.Bytes({});
    const auto gguf = ReadGguf(Bytes(bytes));
    EXPECT_TRUE(gguf) << gguf.error().message;
    const auto spec = SpecFromGguf(*gguf);
    EXPECT_TRUE(spec) << spec.error().message;
    return *spec;
  };
  const TokenizerSpec silent = read("llama", std::nullopt);
  EXPECT_EQ(silent.bos, 1);
  EXPECT_EQ(silent.eos, 2);
  EXPECT_EQ(silent.unknown, 0);
  EXPECT_EQ(Made(silent).Encode("a?a"), (std::vector<Token>{1, 0, 3, 0, 3}));
  EXPECT_FALSE(read("gpt2", true).unknown);
  EXPECT_EQ(silent.before, std::vector<Token>{1});
  EXPECT_EQ(silent.after, std::vector<Token>());
  EXPECT_EQ(read("llama", true).after, std::vector<Token>{2});
  EXPECT_FALSE(read("llama", false).bos);
  EXPECT_FALSE(read("llama", false).eos);
  EXPECT_FALSE(read("gpt2", true).bos);
}

// A tokenizer_config.json may call any piece of a tokenizer.model an added token.
TEST(Tokenizer, AddedTokenOfAnyPieceStaysOneInGguf) {
  const std::string file = SentencePieceFile();
  for (const PieceKind kind : {PieceKind::kNormal, PieceKind::kUser, PieceKind::kUnused}) {
    for (const bool special : {false, true}) {
      TokenizerSpec spec = *SpecFromSentencePiece(Bytes(file));
      const auto cab = std::ranges::find(spec.pieces, "cab", &Piece::text);
      cab->kind = kind;
      spec.added.push_back(
          {"cab", static_cast<Token>(cab - spec.pieces.begin()), special, false, false, false});
      const auto read = ThroughGguf(spec);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->added, spec.added);
      const std::vector<Token> tokens = Made(spec).Encode("ab cabab");
      EXPECT_EQ(Made(*read).Encode("ab cabab"), tokens);
      EXPECT_EQ(Made(*read).Decode(tokens), Made(spec).Decode(tokens));
    }
  }
  // Also a piece of text, in " ab".
  TokenizerSpec spec = *SpecFromSentencePiece(Bytes(file));
  const std::string marked = std::string(kSpaceMark) + "ab";
  const auto piece = std::ranges::find(spec.pieces, marked, &Piece::text);
  spec.added.push_back({marked, static_cast<Token>(piece - spec.pieces.begin()), true});
  EXPECT_EQ(
      ErrorOfGguf(spec),
      "GGUF tokenizer: writing as an added token the piece '\\e2\\96\\81ab' is not supported");
}

TEST(Tokenizer, UnknownCharactersOneByOneAreRefusedByGguf) {
  TokenizerSpec letters = *SpecFromJson(kCharacterTokenizer);
  letters.fuse_unknown = false;
  EXPECT_EQ(ErrorOfGguf(letters), "accepted");  // every character has bytes
  letters.byte_fallback = false;
  for (Piece& piece : letters.pieces) {
    if (piece.kind == PieceKind::kByte) piece.kind = PieceKind::kNormal;
  }
  EXPECT_EQ(ErrorOfGguf(letters),
            "GGUF tokenizer: writing a tokenizer with 'unknown characters one by one' is not "
            "supported");
  letters.fuse_unknown = true;
  EXPECT_EQ(ErrorOfGguf(letters), "accepted");
  letters.unknown.reset();  // but the piece is there, and is it in a file that names none
  EXPECT_EQ(ErrorOfGguf(letters),
            "GGUF tokenizer: writing a tokenizer with 'unknown characters left out' is not "
            "supported");
}

// A score is a piece's, a rank a pair's: a score joins every pair that makes the piece.
TEST(Tokenizer, RanksThatScoresCannotSayAreRefused) {
  const std::string refused =
      "GGUF tokenizer: writing a tokenizer with 'merges that no scores order' is not supported";
  TokenizerSpec letters = *SpecFromJson(kCharacterTokenizer);
  const Tokenizer found = Made(letters);
  const auto id = [&](std::string_view text) { return *found.Find(text); };
  const auto ca = static_cast<Token>(letters.pieces.size());
  letters.pieces.push_back({"ca", 0, PieceKind::kNormal});
  const Merge a_b = {id("a"), id("b"), id("ab")}, c_a = {id("c"), id("a"), ca};
  const Merge c_ab = {id("c"), id("ab"), id("cab")}, ca_b = {ca, id("b"), id("cab")};
  const auto error = [&](std::vector<Merge> merges) {
    letters.merges = std::move(merges);
    return ErrorOfGguf(letters);
  };
  EXPECT_EQ(error({a_b, c_ab, c_a}), "accepted");  // ca is never beside b
  EXPECT_EQ(error({c_a, a_b, ca_b, c_ab}), "accepted");
  EXPECT_EQ(error({c_a, a_b, c_ab}), refused);  // "cab" is ca b, and with scores cab
  const Merge between = {id(kSpaceMark), id("ab"), id(std::string(kSpaceMark) + "ab")};
  EXPECT_EQ(error({c_a, a_b, c_ab, between, ca_b}), refused);  // ca b waits for its rank
}

TEST(Tokenizer, MoreTokensThanAVocabularyHasAreNotListed) {
  const std::vector<std::string_view> texts(kMaxVocab + 1);
  GgufHeader header;
  header.Add("tokenizer.ggml.model", std::string_view("llama"));
  header.Add("tokenizer.ggml.tokens", texts);
  const std::string file = header.Bytes({});
  const auto gguf = ReadGguf(Bytes(file));
  ASSERT_TRUE(gguf) << gguf.error().message;
  ResetLargestAllocation();
  const auto spec = SpecFromGguf(*gguf);
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().message, "GGUF tokenizer: 4194305 tokens, at most 4194304");
  EXPECT_LT(LargestAllocation(), 1u << 20);
}

TEST(Tokenizer, TokensSoughtAfterNormalisationAreWrittenWhereItMakesNoDifference) {
  TokenizerSpec spec = *SpecFromJson(kByteTokenizer);
  spec.added[0].normalized = true;
  const auto add = [&](const std::string& text, bool normalized) {
    const auto id = static_cast<Token>(spec.pieces.size());
    spec.pieces.push_back({text, 0, PieceKind::kUser});
    spec.added.push_back({text, id, false, false, false, false, normalized});
  };
  const auto expect_same = [&] {
    const auto read = ThroughGguf(spec);
    ASSERT_TRUE(read) << read.error().message;
    for (const std::string_view text : {"ab<|end|>c", "<|start|> ab<|end|", "<|<|end|>|start|>"}) {
      EXPECT_EQ(Made(*read).Encode(text), Made(spec).Encode(text)) << text;
    }
  };
  expect_same();
  add("<|start|>", false);
  expect_same();
  for (const std::string text : {"|>a", "<|end|>a", "<|"}) {
    const TokenizerSpec before = spec;
    add(text, false);  // found first, it takes a part of the other
    EXPECT_EQ(ErrorOfGguf(spec),
              "GGUF tokenizer: writing the normalized of added token '<|end|>' is not supported");
    spec = before;
  }

  TokenizerSpec letters = *SpecFromJson(kCharacterTokenizer);
  letters.added[0].normalized = true;
  letters.normalization.erase(letters.normalization.begin());  // the prefix
  const auto read = ThroughGguf(letters);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(Made(*read).Encode("ab </s>  cab</s>"), Made(letters).Encode("ab </s>  cab</s>"));
}

TEST(Tokenizer, SentencePieceNumbersOrNamesItsEnds) {
  const auto spec = [](const std::string& trainer) {
    const std::string file =
        SentencePieceFile() + "\x12" + static_cast<char>(trainer.size()) + trainer;
    return *SpecFromSentencePiece(Bytes(file));
  };
  const std::string bos_id("\xC8\x02"), eos_id("\xD0\x02"), none = std::string(9, '\xFF') + "\x01";
  EXPECT_EQ(spec(bos_id + "\x02" + eos_id + "\x01").bos, 2);
  EXPECT_EQ(spec(bos_id + "\x02" + eos_id + "\x01").eos, 1);
  EXPECT_EQ(spec(bos_id + "\x02").before, std::vector<Token>{2});
  EXPECT_FALSE(spec(bos_id + none).bos);
  EXPECT_TRUE(spec(bos_id + none).before.empty());
  EXPECT_FALSE(spec(eos_id + none).eos);
  EXPECT_EQ(spec(bos_id + "\x09").bos, 1);  // a byte's piece
  EXPECT_EQ(spec("\xF2\x02\x04</s>").bos, 2);
}

TEST(Tokenizer, PatternsCutAsTheyRead) {
  using Kind = SplitStep::Kind;
  const auto cut = [](Kind kind, std::string_view text) {
    return SplitText({{kind, SplitStep::Prepend::kNever, false}}, text, true);
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(cut(Kind::kGpt2, "I'll go  12ab'x"),
            (List{"I", "'ll", " go", " ", " 12", "ab", "'", "x"}));
  EXPECT_EQ(cut(Kind::kLlama3, "I'LL 12345\n\n x. \n"),
            (List{"I", "'LL", " ", "123", "45", "\n\n", " x", ".", " \n"}));
  EXPECT_EQ(cut(Kind::kQwen2, "12"), (List{"1", "2"}));
  EXPECT_EQ(cut(Kind::kDigitRuns, "a12b"), (List{"a", "12", "b"}));
}

TEST(Tokenizer, EveryByteHasItsLetter) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(ByteOfLetter(FirstCodePoint(ByteAlphabet()[byte]).value), byte);
  }
  EXPECT_EQ(ByteAlphabet()[' '], "\xC4\xA0");  // U+0120
  EXPECT_FALSE(ByteOfLetter(U'\u4E00'));
  EXPECT_FALSE(ByteOfLetter(' '));
}

TEST(Tokenizer, UnknownComponentsAreRefusedByName) {
  EXPECT_EQ(ErrorOfJson("\"ByteLevel\"", "\"Whitespace\""),
            "tokenizer.json: pre-tokenizer 'Whitespace' is not supported");
  EXPECT_EQ(ErrorOfJson("\"normalizer\": null", R"("normalizer": {"type": "NFKC"})"),
            "tokenizer.json: normalizer 'NFKC' is not supported");
  EXPECT_EQ(ErrorOfJson("\"BPE\"", "\"WordPiece\""),
            "tokenizer.json: model 'WordPiece' is not supported");
  EXPECT_EQ(ErrorOfJson("\"a b\"", "\"a q1\""),
            "tokenizer.json: merge 0 of 'a' and 'q1' is not in the vocabulary");
  EXPECT_EQ(ErrorOfJson("\"id\": 256", "\"id\": 4000000000"),
            "tokenizer.json: a token id of 4000000000, below 65796");
  EXPECT_EQ(ErrorOfJson("\"model\"", "\"modal\""), "tokenizer.json: no model");
  EXPECT_EQ(SpecFromSentencePiece(Bytes("\x0A\x7F")).error().message,
            "tokenizer.model: field 1 of 127 bytes with 0 left");
  EXPECT_EQ(SpecFromSentencePiece({}).error().message, "tokenizer.model: no pieces");
  std::string words = SentencePieceFile();
  words += std::string("\x12\x02\x18\x03", 4);  // a later trainer_spec: model_type 3
  EXPECT_EQ(SpecFromSentencePiece(Bytes(words)).error().message,
            "tokenizer.model: model type 3, unigram (1) and BPE (2) are supported");
}

TEST(Tokenizer, TextsDoNotGrowWithoutBound) {
  const auto error = [](const std::string& step, int times) {
    std::string steps;
    for (int i = 0; i < times; ++i) steps += (i == 0 ? "" : ", ") + step;
    std::string text(kByteTokenizer);
    const std::string none = "\"normalizer\": null";
    text.replace(text.find(none), none.size(),
                 R"("normalizer": {"type": "Sequence", "normalizers": [)" + steps + "]}");
    const auto tokenizer = Tokenizer::Make(*SpecFromJson(text));
    return tokenizer ? "accepted" : tokenizer.error().message;
  };
  const std::string doubles = R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"})";
  EXPECT_EQ(error(doubles, 6), "accepted");
  EXPECT_EQ(error(doubles, 40),
            "tokenizer: its replacements may grow a text 1099511627776 times, at most 64");
  const std::string prepends =
      R"({"type": "Prepend", "prepend": ")" + std::string(1'000, 'a') + "\"}";
  EXPECT_EQ(error(prepends, 5), "tokenizer: it prepends 5000 bytes, at most 4096");
}

TEST(Tokenizer, DamagedFilesEndInAnErrorOrWork) {
  const std::string model = SentencePieceFile(), json(kByteTokenizer), text = "ab cab </s> 12\n";
  const auto metadata = GgufMetadata(Made(SpecFromJson(json)).spec(), "");
  const std::string gguf = metadata->Bytes({});
  std::mt19937_64 random(9);
  int accepted[3] = {};
  for (int i = 0; i < kDamages; ++i) {
    for (int kind = 0; kind < 3; ++kind) {
      const std::string& file = kind == 0 ? model : kind == 1 ? json : gguf;
      const std::string damaged = Damaged(file, file.size(), random);
      ResetLargestAllocation();
      isa::Result<TokenizerSpec> spec;
      if (kind == 0) spec = SpecFromSentencePiece(Bytes(damaged));
      if (kind == 1) spec = SpecFromJson(damaged);
      if (kind == 2) {
        const auto read = ReadGguf(Bytes(damaged));
        spec =
            read ? SpecFromGguf(*read) : isa::Result<TokenizerSpec>(std::unexpected(read.error()));
      }
      if (spec) {
        const auto tokenizer = Tokenizer::Make(*std::move(spec));
        if (tokenizer) {
          ++accepted[kind];
          static_cast<void>(tokenizer->Decode(tokenizer->Encode(text)));
        }
      } else {
        ASSERT_EQ(spec.error().message.find('\n'), std::string::npos) << spec.error().message;
      }
      // An id in a damaged file may leave kMostHoles = 65,536 pieces of 48 bytes out.
      ASSERT_LT(LargestAllocation(), 16u << 20) << kind << ' ' << i;
    }
  }
  for (const int count : accepted) EXPECT_LT(count, kDamages);
}

}  // namespace
}  // namespace txvm::neural::llm
