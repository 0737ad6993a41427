// Settings beside a tokenizer.model.
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

TEST(TokenizerConfig, AddedTokensArePieces) {
  const TokenizerSpec spec = With(
      R"({"added_tokens_decoder": {"0": {"content": "<unk>", "special": true, "normalized": true},)"
      R"("2": {"content": "</s>", "special": true, "rstrip": true},)"
      R"("1": {"content": "other"}, "9999": {"content": "x"}, "-1": {"content": "x"},)"
      R"("x": {"content": "x"}, "3": 5}})");
  const std::vector<AddedToken> expected = {{"<unk>", 0, true, false, false, false, false},
                                            {"<s>", 1, true, false, false, false, false},
                                            {"</s>", 2, true, false, true, false, false}};
  EXPECT_EQ(spec.added, expected);
}

TEST(TokenizerConfig, IsReadBesideATokenizerModelAlone) {
  const TemporaryFolder folder;
  WriteText(folder / "tokenizer.model", SentencePieceFile());
  WriteText(folder / "tokenizer_config.json", R"({"add_bos_token": false})");
  const auto opened = OpenTokenizer(folder.path());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->spec().before, std::vector<Token>());
  WriteText(folder / "tokenizer_config.json", "{");
  EXPECT_EQ(OpenTokenizer(folder.path()).error().message,
            "'" + folder / "tokenizer_config.json" + "': JSON byte 1: expected a string");
  WriteText(folder / "tokenizer.json", kByteTokenizer);
  EXPECT_TRUE(OpenTokenizer(folder.path()));
}

}  // namespace
}  // namespace txvm::neural::llm
