// Settings beside a tokenizer.model.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "neural/llm/tokenizer.h"
#include "tests/neural/llm/random_model.h"
#include "tests/neural/llm/tokenizer_files.h"

namespace txvm::neural::llm {
namespace {

TokenizerSpec Spec() {
  const std::string file = SentencePieceFile();
  const auto spec =
      SpecFromSentencePiece({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
  EXPECT_TRUE(spec) << spec.error().message;
  return *spec;
}
TokenizerSpec With(std::string_view config) {
  auto spec = WithTokenizerConfig(Spec(), config);
  EXPECT_TRUE(spec) << spec.error().message;
  return *std::move(spec);
}

TEST(TokenizerConfig, NothingSaidIsNothingChanged) {
  EXPECT_EQ(With("{}"), Spec());
  EXPECT_EQ(With(R"({"bos_token": "<s>", "add_bos_token": true, "chat_template": "x"})"), Spec());
  EXPECT_EQ(With("[]"), Spec());
}

TEST(TokenizerConfig, TokensAroundATextAreChosen) {
  EXPECT_EQ(With(R"({"add_bos_token": false})").before, std::vector<Token>());
  EXPECT_EQ(With(R"({"add_eos_token": true})").after, std::vector<Token>{2});
  const TokenizerSpec swapped =
      With(R"({"bos_token": {"content": "</s>", "lstrip": false}, "eos_token": null})");
  EXPECT_EQ(swapped.bos, 2);
  EXPECT_EQ(swapped.before, std::vector<Token>{2});
  EXPECT_FALSE(swapped.eos);
  EXPECT_EQ(With(R"({"eos_token": "<|im_end|>"})").eos, 2);  // not among the pieces
  EXPECT_FALSE(With(R"({"unk_token": null})").unknown);
}

// As transformers has it: a Metaspace step instead of what the tokenizer.model says.
TEST(TokenizerConfig, WhereASpaceIsPutIsChosen) {
  constexpr Token kAb = 259, kSpaceAb = 261, kSpace = 267, kEnd = 2;
  const auto tokens = [](std::string_view config, std::string_view text) {
    const auto tokenizer = Tokenizer::Make(With(config));
    EXPECT_TRUE(tokenizer) << tokenizer.error().message;
    return tokenizer->Encode(text, {.add_special = false});
  };
  for (const char* legacy : {"{}", R"({"legacy": true, "add_prefix_space": true})",
                             R"({"legacy": null, "add_prefix_space": null})"}) {
    EXPECT_EQ(tokens(legacy, "ab</s>ab"), (std::vector{kSpaceAb, kEnd, kSpaceAb})) << legacy;
    EXPECT_EQ(tokens(legacy, " ab"), (std::vector{kSpace, kSpaceAb})) << legacy;
  }
  constexpr std::string_view kFirst = R"({"legacy": false})";
  EXPECT_EQ(tokens(kFirst, "ab</s>ab"), (std::vector{kSpaceAb, kEnd, kAb}));
  EXPECT_EQ(tokens(kFirst, "</s>ab</s> ab"), (std::vector{kEnd, kAb, kEnd, kSpaceAb}));
  EXPECT_EQ(tokens(kFirst, " ab"), std::vector{kSpaceAb});
  EXPECT_EQ(tokens(kFirst, "  ab "), (std::vector{kSpace, kSpaceAb, kSpace}));
  EXPECT_EQ(Tokenizer::Make(With(kFirst))->Decode(std::vector{kSpaceAb, kSpaceAb}), "ab ab");
  for (const char* never : {R"({"legacy": false, "add_prefix_space": false})",
                            R"({"legacy": true, "add_prefix_space": false})"}) {
    EXPECT_EQ(tokens(never, "ab</s> ab"), (std::vector{kAb, kEnd, kSpaceAb})) << never;
    EXPECT_EQ(Tokenizer::Make(With(never))->Decode(std::vector{kSpaceAb}), " ab") << never;
  }
}

TEST(TokenizerConfig, AddedTokensOfPieces) {
  const TokenizerSpec spec = With(
      R"({"added_tokens_decoder": {"0": {"content": "<unk>", "special": true, "normalized": true},)"
      R"("2": {"content": "</s>", "special": true, "rstrip": true}, "3": 5}})");
  const std::vector<AddedToken> expected = {{"<unk>", 0, true, false, false, false, false},
                                            {"<s>", 1, true, false, false, false, false},
                                            {"</s>", 2, true, false, true, false, false}};
  EXPECT_EQ(spec.added, expected);
  EXPECT_EQ(spec.pieces, Spec().pieces);
}

TEST(TokenizerConfig, AddedTokensBehindThePiecesBecomePieces) {
  const TokenizerSpec spec =
      With(R"({"eos_token": "<|im_end|>", "added_tokens_decoder": {)"
           R"("269": {"content": "<|im_end|>", "special": true}, "270": {"content": "<tool>"},)"
           R"("268": {"content": "<|im_start|>", "special": true}}})");
  ASSERT_EQ(spec.pieces.size(), 271u);
  EXPECT_EQ(spec.pieces[268], (Piece{"<|im_start|>", 0, PieceKind::kControl}));
  EXPECT_EQ(spec.pieces[270], (Piece{"<tool>", 0, PieceKind::kUser}));
  EXPECT_EQ(spec.eos, 269);
  const auto tokenizer = Tokenizer::Make(spec);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  const std::vector<Token> tokens = tokenizer->Encode("<|im_start|>ab<tool><|im_end|>");
  EXPECT_EQ(tokens, (std::vector<Token>{1, 268, 261, 270, 269}));
  EXPECT_EQ(tokenizer->Decode(tokens), "ab<tool>");
}

// Fine-tunes give reserved pieces a text: what encodes to a piece still does.
TEST(TokenizerConfig, AnAddedTokenMayHaveAnotherTextThanItsPiece) {
  const TokenizerSpec spec = With(R"({"eos_token": "<|im_end|>", "added_tokens_decoder": {)"
                                  R"("260": {"content": "<|im_end|>", "special": true}}})");
  EXPECT_EQ(spec.pieces, Spec().pieces);
  EXPECT_EQ(spec.eos, 260);
  const auto tokenizer = Tokenizer::Make(spec);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  EXPECT_EQ(tokenizer->Encode("<|im_end|>"), (std::vector<Token>{1, 260}));
  EXPECT_EQ(tokenizer->Encode("1cab"), tokenizer->Encode("1cab", {.match_added = false}));
  EXPECT_EQ(tokenizer->Bytes(260, true), "<|im_end|>");
  const auto gguf = GgufMetadata(spec, "");
  ASSERT_FALSE(gguf);
  EXPECT_EQ(gguf.error().message,
            "GGUF tokenizer: writing as an added token the piece 'cab' is not supported");
  TokenizerSpec reserved = spec;
  reserved.pieces[260].kind = PieceKind::kUnused;
  EXPECT_TRUE(GgufMetadata(reserved, ""));
}

TEST(TokenizerConfig, AddedTokensThatDoNotGoOnAreRefused) {
  const auto error = [](std::string_view list) {
    const auto spec =
        WithTokenizerConfig(Spec(), fmt::format(R"({{"added_tokens_decoder": {}}})", list));
    return spec ? "" : spec.error().message;
  };
  EXPECT_EQ(error(R"({"268": {"content": "a"}, "9999": {"content": "x"}})"),
            "added token 'x' has id 9999, but those below it end with 268");
  for (const std::string id : {"-1", "x", "", "4294967564"}) {
    EXPECT_EQ(error(fmt::format(R"({{"{}": {{"content": "x"}}}})", id)),
              fmt::format("added_tokens_decoder: '{}' is no token id", id));
  }
}

TEST(TokenizerConfig, OlderFoldersListAddedTokensInAFileOfTheirOwn) {
  const TemporaryFolder folder;
  const auto open = [&folder] { return OpenTokenizer(folder.path()); };
  WriteText(folder / "tokenizer.model", SentencePieceFile());
  WriteText(folder / "added_tokens.json",
            R"({"<pad>": 269, "<|im_start|>": 268, "<|im_end|>": 270, "<tool>": 271, "<s>": 1})");
  ASSERT_TRUE(open()) << open().error().message;
  EXPECT_FALSE(open()->IsSpecial(268));
  WriteText(folder / "special_tokens_map.json",
            R"({"bos_token": "<s>", "additional_special_tokens": [{"content": "<|im_start|>"}]})");
  WriteText(folder / "tokenizer_config.json",
            R"({"eos_token": {"content": "<|im_end|>"}, "pad_token": "<pad>"})");
  const auto opened = open();
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->Encode("<|im_start|>ab<tool><|im_end|>"),
            (std::vector<Token>{1, 268, 261, 271, 270}));
  EXPECT_EQ(opened->eos(), 270);
  for (const Token token : {1, 268, 269, 270}) EXPECT_TRUE(opened->IsSpecial(token)) << token;
  EXPECT_FALSE(opened->IsSpecial(271));

  const std::string old = "'" + folder / "added_tokens.json" + "': ";
  for (const std::string id : {"-1", "\"x\"", "4194304"}) {
    WriteText(folder / "added_tokens.json", R"({"<tool>": )" + id + "}");
    EXPECT_EQ(open().error().message, old + "added token '<tool>' has no id from 0 to 4194303");
  }
  WriteText(folder / "added_tokens.json", R"({"<tool>": 272})");
  EXPECT_EQ(open().error().message,
            old + "added token '<tool>' has id 272, but those below it end with 267");
  // The newer list is all there is.
  WriteText(folder / "tokenizer_config.json", R"({"added_tokens_decoder": {}})");
  ASSERT_TRUE(open()) << open().error().message;
  EXPECT_EQ(open()->size(), 268u);
}

TEST(TokenizerConfig, IsReadBesideATokenizerModel) {
  const TemporaryFolder folder;
  WriteText(folder / "tokenizer.model", SentencePieceFile());
  WriteText(folder / "tokenizer_config.json", R"({"add_bos_token": false})");
  const auto opened = OpenTokenizer(folder.path());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->spec().before, std::vector<Token>());
  WriteText(folder / "tokenizer_config.json", "{");
  EXPECT_EQ(OpenTokenizer(folder.path()).error().message,
            "'" + folder / "tokenizer_config.json" + "': JSON byte 1: expected a string");
}

// A tokenizer.json says all but which tokens begin and end a text.
TEST(TokenizerConfig, NamesBosAndEosBesideATokenizerJson) {
  const TemporaryFolder folder;
  const auto spec = [&folder] {
    const auto opened = OpenTokenizer(folder.path());
    EXPECT_TRUE(opened) << opened.error().message;
    return opened->spec();
  };
  std::string json = kCharacterTokenizer;  // 268 is </s>
  const std::string_view list = "\"added_tokens\": [";
  json.insert(json.find(list) + list.size(),
              R"({"id": 269, "content": "<|end|>", "special": true}, )");
  WriteText(folder / "tokenizer.json", json);
  const TokenizerSpec alone = spec();
  EXPECT_EQ(alone.eos, 268);
  WriteText(folder / "tokenizer_config.json", R"({"legacy": false, "add_bos_token": true})");
  EXPECT_EQ(spec(), alone);
  WriteText(folder / "tokenizer_config.json",
            R"({"eos_token": {"content": "<|end|>"}, "bos_token": "</s>"})");
  TokenizerSpec named = alone;
  named.eos = 269;
  named.bos = 268;
  EXPECT_EQ(spec(), named);
  WriteText(folder / "tokenizer_config.json", R"({"eos_token": null, "bos_token": "none"})");
  EXPECT_FALSE(spec().eos);
  EXPECT_EQ(spec().bos, alone.bos);
  // What stands before every text is bos, whatever the settings name.
  const std::string_view none = "\"post_processor\": null";
  json.replace(json.find(none), none.size(),
               R"("post_processor": {"type": "TemplateProcessing", "single": )"
               R"([{"SpecialToken": {"id": "</s>"}}, {"Sequence": {"id": "A"}}]})");
  WriteText(folder / "tokenizer.json", json);
  WriteText(folder / "tokenizer_config.json", R"({"bos_token": "<|end|>"})");
  EXPECT_EQ(spec().bos, 268);
  WriteText(folder / "tokenizer_config.json", "{");
  EXPECT_EQ(OpenTokenizer(folder.path()).error().message,
            "'" + folder / "tokenizer_config.json" + "': JSON byte 1: expected a string");
}

}  // namespace
}  // namespace txvm::neural::llm
