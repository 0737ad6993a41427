// Questions as the tokens that a model reads.
#include "frontends/nl/reader/codec.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "frontends/nl/reader/default_model.h"

namespace txvm::frontends::nl {
namespace {

class CodecTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = OpenDefaultModel();
    ASSERT_TRUE(opened) << opened.error().message;
    bundle_ = *std::move(opened);
    codec_.emplace(*Codec::Of(*bundle_.tokenizer));
  }

  std::vector<neural::llm::Token> Prompt(std::string_view question) const {
    const auto lexed = Lex(question);
    EXPECT_TRUE(lexed) << question;
    return codec_->Prompt(*lexed);
  }

  // What stands between the beginning and <program>: texts, and slots as "N0".
  std::vector<neural::llm::Token> Middle(std::string_view question) const {
    auto prompt = Prompt(question);
    EXPECT_GE(prompt.size(), 1u);
    prompt.pop_back();
    if (bundle_.tokenizer->bos()) prompt.erase(prompt.begin());
    return prompt;
  }

  std::vector<neural::llm::Token> Expected(const std::vector<std::string>& parts) const {
    std::vector<neural::llm::Token> tokens;
    for (const std::string& part : parts) {
      if (part[0] == 'N') {
        tokens.push_back(codec_->IdOf(SlotToken(static_cast<std::size_t>(part[1] - '0'))));
        continue;
      }
      const auto text = bundle_.tokenizer->Encode(
          part, {.add_special = false, .match_special = false, .match_added = false});
      tokens.insert(tokens.end(), text.begin(), text.end());
    }
    return tokens;
  }

  neural::llm::Bundle bundle_;
  std::optional<Codec> codec_;
};

TEST_F(CodecTest, NumbersAreSlotsAmongPlainText) {
  EXPECT_EQ(Middle("Add 5 and  SIX"), Expected({"add", "N0", "and", "N1"}));
  EXPECT_EQ(Middle("3 × 4"), Expected({"N0", "*", "N1"}));
  EXPECT_EQ(Middle("Add\u00a05\u2009and\u202f SIX\r\n\tnow"),
            Expected({"add", "N0", "and", "N1", "now"}));
  EXPECT_EQ(Middle("<N0> is text"), Expected({"<n0> is text"}));
}

TEST_F(CodecTest, ADollarStandsAfterItsNumber) {
  EXPECT_EQ(Middle("a cup costs $4. a pen, $6.50"),
            Expected({"a cup costs", "N0", "$", ". a pen,", "N1", "$"}));
  EXPECT_EQ(Middle("$4 each"), Expected({"N0", "$", "each"}));
  EXPECT_EQ(Middle("it costs $ 4"), Expected({"it costs", "N0", "$"}));
  EXPECT_EQ(Middle("4 $"), Middle("$4"));
}

TEST_F(CodecTest, TheOnlyCurrencyOfAQuestionIsReadAsDollars) {
  EXPECT_EQ(Middle("a cup costs €4. a pen, €6.50"), Middle("a cup costs $4. a pen, $6.50"));
  EXPECT_EQ(Middle("5€ + 3 €"), Middle("5$ + 3 $"));
  EXPECT_EQ(Middle("£4 each"), Expected({"N0", "$", "each"}));
  EXPECT_EQ(Middle("£4 and €5"), Expected({"£", "N0", "and €", "N1"}));
  EXPECT_EQ(Middle("€4 in Dollars"), Expected({"€", "N0", "in dollars"}));
  EXPECT_EQ(Middle("₹4 and $5"), Expected({"₹", "N0", "and", "N1", "$"}));
}

TEST_F(CodecTest, ImpliedProductsGetTheirSign) {
  EXPECT_EQ(Middle("2(3+4)"), Middle("2 * (3+4)"));
  EXPECT_EQ(Middle("what is (2+3)(4+5)2?"), Middle("what is (2+3) * (4+5) * 2?"));
}

TEST_F(CodecTest, ADollarWithoutANumberStaysWhereItIs) {
  EXPECT_EQ(Middle("what does $ mean"), Expected({"what does $ mean"}));
  EXPECT_EQ(Middle("he has 4 pens and some $"), Expected({"he has", "N0", "pens and some", "$"}));
  EXPECT_EQ(Middle("$"), Expected({"$"}));
  EXPECT_EQ(Middle(""), Expected({}));
}

}  // namespace
}  // namespace txvm::frontends::nl
