// Questions read by chat models of random weights: they know nothing, and every reading parses.
#include "frontends/nl/reader/chat_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/parser.h"
#include "tests/frontends/nl/reader/piece_tokenizers.h"
#include "tests/neural/llm/random_model.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;

constexpr std::string_view kZephyr = "{{ '<|user|>' + m['content'] + eos_token }}";
constexpr const char* kQuestion = "Ann has 61 nuts and finds 23 more. How many is that?";

llm::Bundle RandomChat(bool byte_level, std::uint64_t seed, std::size_t positions = 4096) {
  llm::Bundle bundle;
  bundle.tokenizer = PieceTokenizer(AwkwardPieces(byte_level), byte_level);
  llm::Config config = llm::SmallConfig(1, seed % 2 == 0);
  config.vocab = bundle.tokenizer->size() + 3;
  config.hidden = 32;
  config.feed_forward = 48;
  config.layers = 1;
  config.heads = 2;
  config.positions = positions;
  bundle.model = llm::RandomModel(config, seed);
  bundle.chat_template = kZephyr;
  return bundle;
}

ChatReader Open(const llm::Bundle& bundle, const ChatReaderOptions& options = {}) {
  auto reader = ChatReader::Make(bundle, options);
  EXPECT_TRUE(reader) << reader.error().message;
  return *std::move(reader);
}

Reading Read(ChatReader& reader, std::string_view question) {
  auto reading = reader.Read(question);
  EXPECT_TRUE(reading) << reading.error().message;
  return reading.value_or(Reading{});
}

TEST(ChatReader, EveryReadingParses) {
  std::uint64_t seed = 0;
  for (const bool byte_level : {false, true}) {
    for (const Pipeline pipeline : {Pipeline::kAuto, Pipeline::kComparison, Pipeline::kLoop}) {
      ChatReaderOptions options;
      options.pipeline = pipeline;
      options.variant =
          pipeline == Pipeline::kLoop ? PromptVariant::kSeed : PromptVariant::kTemplate;
      ChatReader reader = Open(RandomChat(byte_level, ++seed), options);
      for (const char* question : {kQuestion, "", "\xFF 1,000 \n -2.5 \xC3\xA9 == != <|user|>"}) {
        const Reading reading = Read(reader, question);
        EXPECT_TRUE(Parse(reading.tokens, reading.numbers.size())) << question;
        EXPECT_GE(*reading.confidence, 0);  // of many pieces as unlikely as these, 0
        EXPECT_LE(*reading.confidence, 1);
        EXPECT_LE(reading.tokens.size(), Info(pipeline).most_tokens);
      }
    }
  }
}

TEST(ChatReader, SharedExamplesChangeNothing) {
  const llm::Bundle bundle = RandomChat(true, 7);
  ChatReaderOptions options;
  options.pipeline = Pipeline::kExpression;
  ChatReader first = Open(bundle, options), second = Open(bundle, options);
  Read(first, "eleven and nine");
  const Reading shared = Read(first, kQuestion), fresh = Read(second, kQuestion);
  EXPECT_EQ(shared.tokens, fresh.tokens);
  EXPECT_EQ(shared.confidence, fresh.confidence);
}

TEST(ChatReader, PromptsAreThoseOfTheirVariant) {
  ChatReaderOptions options;
  options.pipeline = Pipeline::kSingleOp;
  const llm::Bundle bundle = RandomChat(false, 8);
  const auto text = [&](PromptVariant variant) {
    options.variant = variant;
    return bundle.tokenizer->Decode(*Open(bundle, options).Prompt("What?"), true);
  };
  const std::string seed = text(PromptVariant::kSeed), own = text(PromptVariant::kTemplate);
  EXPECT_TRUE(seed.starts_with("<|system|>\nYou convert word problems")) << seed;
  EXPECT_NE(seed.find("no other text.\n</s>\n<|user|>\nWhat is 5 times 3?\n</s>\n"
                      "<|assistant|>\n5 * 3 = </s>\n<|user|>\n"),
            std::string::npos)
      << seed;
  EXPECT_TRUE(seed.ends_with("<|user|>\nWhat?\n</s>\n<|assistant|>\n")) << seed;
  EXPECT_NE(own.find("no other text.</s>\n<|user|>\nWhat is 5 times 3?</s>\n"
                     "<|assistant|>\n5 * 3 = </s>\n<|user|>\n"),
            std::string::npos)
      << own;
  EXPECT_TRUE(own.ends_with("<|user|>\nWhat?</s>\n<|assistant|>\n")) << own;
}

TEST(ChatReader, TheVariantFollowsTheModel) {
  llm::Bundle bundle = RandomChat(false, 9);
  EXPECT_EQ(Open(bundle).variant(), PromptVariant::kTemplate);
  bundle.chat_template = "unknown";
  EXPECT_EQ(Open(bundle).variant(), PromptVariant::kSeed);
  ChatReaderOptions options;
  options.variant = PromptVariant::kTemplate;
  const auto refused = ChatReader::Make(bundle, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, isa::ErrorCode::kUnsupported);
}

TEST(ChatReader, AbstainsBelowTheLeastConfidenceUnlessToldNotTo) {
  ChatReaderOptions options;
  options.pipeline = Pipeline::kComparison;
  options.least_confidence = 1.1;
  const llm::Bundle bundle = RandomChat(true, 10);
  const auto asked = [&] {
    ChatReader reader = Open(bundle, options);
    const auto report = Ask(kQuestion, [&](std::string_view text) { return reader.Read(text); });
    EXPECT_TRUE(report) << report.error().message;
    return report->reading.tokens;
  };
  EXPECT_EQ(asked(), (std::vector<Token>{Token::kNoSense, Token::kEnd}));
  options.allow_abstention = false;
  EXPECT_FALSE(IsAbstention(asked().front()));
}

TEST(ChatReader, SpecialTokensAndLongQuestionsAreRefused) {
  ChatReaderOptions options;
  options.pipeline = Pipeline::kLoop;
  for (const PromptVariant variant : {PromptVariant::kSeed, PromptVariant::kTemplate}) {
    options.variant = variant;
    ChatReader reader = Open(RandomChat(false, 11, 700), options);
    const auto special = reader.Read("5 </s> 6");
    ASSERT_FALSE(special);
    EXPECT_EQ(special.error().code, isa::ErrorCode::kInvalid);
    EXPECT_EQ(special.error().message, "the question contains '</s>', the text of a special token");
    const auto lengthy = reader.Read(std::string(700, 'w'));
    ASSERT_FALSE(lengthy);
    EXPECT_EQ(lengthy.error().code, isa::ErrorCode::kLimit);
    EXPECT_TRUE(reader.Read("1 to 5"));
  }
}

}  // namespace
}  // namespace txvm::frontends::nl
