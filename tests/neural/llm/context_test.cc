// Inference: the same bits however it is cut, shared or threaded; files give the same bits back.
#include "neural/llm/context.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "neural/llm/save.h"
#include "tests/neural/llm/random_model.h"
#include "vm/tensor/gemm_bf16.h"

namespace txvm::neural::llm {
namespace {

std::vector<Token> SomeTokens(std::size_t count) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < count; ++i) tokens.push_back(static_cast<Token>((i * 37 + 5) % 97));
  return tokens;
}

std::vector<float> LogitsOf(std::shared_ptr<const Model> model, std::span<const Token> tokens) {
  Workers workers(1);
  Context context(std::move(model), workers);
  const auto logits = context.FeedForAll(tokens);
  EXPECT_TRUE(logits) << logits.error().message;
  return *logits;
}

std::vector<float> LogitsOfFile(const std::string& path, std::span<const Token> tokens) {
  const auto checkpoint = OpenCheckpoint(path);
  EXPECT_TRUE(checkpoint) << checkpoint.error().message;
  const auto model = BuildModel(*checkpoint);
  EXPECT_TRUE(model) << model.error().message;
  return LogitsOf(*model, tokens);
}

TEST(Context, LogitsDoNotDependOnHowTheSequenceIsCut) {
  const auto model = RandomModel(SmallConfig(2, false), 1, Element::kBF16);
  const std::vector<Token> tokens = SomeTokens(70);
  const std::vector<float> all = LogitsOf(model, tokens);
  Workers workers(1);
  for (const std::size_t piece : {1u, 3u, 32u, 69u}) {
    Context context(model, workers);
    for (std::size_t at = 0; at < tokens.size(); at += piece) {
      const std::size_t count = std::min(piece, tokens.size() - at);
      ASSERT_TRUE(context.Feed(std::span(tokens).subspan(at, count)));
      const auto logits = context.logits();
      EXPECT_TRUE(std::equal(logits.begin(), logits.end(),
                             all.begin() + static_cast<std::ptrdiff_t>((at + count - 1) * 97)));
    }
  }
}

TEST(Context, LogitsDoNotDependOnThreads) {
  Config config = SmallConfig(4, true);
  config.hidden = 512;  // large enough to be shared out
  config.feed_forward = 1024;
  const auto model = RandomModel(config, 2, Element::kQ8_0);
  const std::vector<Token> tokens = SomeTokens(200);
  const std::vector<float> one = LogitsOf(model, tokens);
  for (const std::size_t threads : {2u, 3u, 7u}) {
    Workers workers(threads);
    Context context(model, workers);
    EXPECT_EQ(*context.FeedForAll(tokens), one) << threads;
  }
}

/// A model with grouped queries whose products are large enough for the library, but for k, v and
/// the head.
Config LibraryConfig(std::size_t layers) {
  Config config = SmallConfig(4, false);
  config.hidden = 1024;
  config.feed_forward = 1152;
  config.head_dim = 128;
  config.layers = layers;
  return config;
}

/// Largest difference that the library's products make to a logit, relative to the largest logit;
/// the same bits for any number of threads.
double ErrorOfLibrary(std::shared_ptr<const Model> model) {
  const std::vector<Token> tokens = SomeTokens(100);
  const std::vector<float> own = LogitsOf(model, tokens);
  Workers one(1), three(3);
  Context first(model, one, Gemm::kLibrary), second(model, three, Gemm::kLibrary);
  const auto logits = first.FeedForAll(tokens);
  EXPECT_EQ(*second.FeedForAll(tokens), *logits);
  return RelativeError(*logits, std::vector<double>(own.begin(), own.end()));
}

TEST(Context, TheLibrarysProductsAreCloseAndDoNotDependOnThreads) {
  for (const Element type : {Element::kF32, Element::kQ8_0}) {
    EXPECT_LT(ErrorOfLibrary(RandomModel(LibraryConfig(1), 3, type)), 1e-5) << Info(type).name;
  }
}

// The weights are the same bits both ways: the difference is that of inputs rounded to bfloat16.
TEST(Context, InputsRoundedToBfloatAreClose) {
  const double bound = vm::HasBf16Gemm() ? 2e-2 : 1e-5;
  const double error = ErrorOfLibrary(RandomModel(LibraryConfig(3), 31, Element::kBF16));
  EXPECT_LT(error, bound);
  std::printf("bf16: max |difference| / max |logit| = %.2g\n", error);
}

TEST(Context, BothRopeLayoutsAndFormatsGiveTheSameBits) {
  const TemporaryFolder folder;
  const std::vector<Token> tokens = SomeTokens(40);
  for (const bool tied : {false, true}) {
    for (const Element type : {Element::kF32, Element::kF16, Element::kBF16}) {
      const auto model = RandomModel(SmallConfig(2, tied), 4, type);
      const std::vector<float> expected = LogitsOf(model, tokens);
      ASSERT_TRUE(SaveSafetensors(*model, folder / "st"));
      ASSERT_TRUE(SaveGguf(*model, {}, folder / "model.gguf"));
      EXPECT_EQ(LogitsOfFile(folder / "st", tokens), expected);
      EXPECT_EQ(LogitsOfFile(folder / "model.gguf", tokens), expected);
      const auto gguf = OpenCheckpoint(folder / "model.gguf");
      ASSERT_TRUE(SaveSafetensors(**BuildModel(*gguf), folder / "back"));
      EXPECT_EQ(FileText(folder / "back/model.safetensors"),
                FileText(folder / "st/model.safetensors"));
    }
  }
}

TEST(Context, ConvertedStorageIsClose) {
  const TemporaryFolder folder;
  const std::vector<Token> tokens = SomeTokens(40);
  const auto model = RandomModel(SmallConfig(2, false), 5);
  const std::vector<float> exact = LogitsOf(model, tokens);
  const std::vector<double> expected(exact.begin(), exact.end());
  ASSERT_TRUE(SaveSafetensors(*model, folder.path()));
  const auto checkpoint = OpenCheckpoint(folder.path());
  ASSERT_TRUE(checkpoint);
  const std::map<Element, double> bounds = {
      {Element::kF32, 0}, {Element::kF16, 3e-3}, {Element::kBF16, 2e-2}, {Element::kQ8_0, 6e-2}};
  for (const auto& [type, bound] : bounds) {
    const auto converted = BuildModel(*checkpoint, {.storage = type});
    ASSERT_TRUE(converted);
    EXPECT_LE(RelativeError(LogitsOf(*converted, tokens), expected), bound) << Info(type).name;
  }
  EXPECT_EQ(BuildModel(*checkpoint, {.storage = Element::kQ4_K}).error().code,
            isa::ErrorCode::kUsage);
}

TEST(Context, ParametersInOneBufferAreTheModel) {
  const TemporaryFolder folder;
  const auto model = RandomModel(SmallConfig(2, false), 6);
  ASSERT_TRUE(SaveGguf(*model, {}, folder / "m.gguf"));
  const auto checkpoint = OpenCheckpoint(folder / "m.gguf");
  ASSERT_TRUE(checkpoint);
  auto parameters = ReadParameters(*checkpoint);
  ASSERT_TRUE(parameters) << parameters.error().message;
  Config config = checkpoint->config;
  config.rope_layout = RopeLayout::kHalves;
  const auto on_buffer = ModelOnParameters(config, *parameters);
  const std::vector<Token> tokens = SomeTokens(20);
  EXPECT_EQ(LogitsOf(on_buffer, tokens), LogitsOf(model, tokens));
  const ParameterLayout layout = LayoutOf(config);
  const ParameterView* norm = layout.Find("model.norm.weight");
  ASSERT_NE(norm, nullptr);
  EXPECT_EQ(norm->offset % kParameterAlignment, 0u);
  for (std::size_t i = 0; i < norm->size; ++i) (*parameters)[norm->offset + i] *= 2;
  RefreshNorms(*on_buffer, *parameters);
  const auto doubled = LogitsOf(on_buffer, tokens), before = LogitsOf(model, tokens);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(doubled[i], 2 * before[i]);
  std::size_t count = 0;
  for (const ParameterView& view : layout.views) count += view.size;
  EXPECT_EQ(ParameterCount(config), count);
}

TEST(Context, AForkSharesWhatWasReadAndGoesItsOwnWay) {
  const auto model = RandomModel(SmallConfig(2, false), 7);
  const std::vector<Token> tokens = SomeTokens(80);
  Workers workers(1);
  Context first(model, workers);
  ASSERT_TRUE(first.Feed(std::span(tokens).first(40)));
  Context second = first.Fork();
  const std::vector<Token> other = {1, 2, 3};
  ASSERT_TRUE(second.Feed(other));
  ASSERT_TRUE(first.Feed(std::span(tokens).subspan(40)));
  const std::vector<float> straight = LogitsOf(model, tokens);
  EXPECT_TRUE(std::equal(first.logits().begin(), first.logits().end(), straight.end() - 97));
  std::vector<Token> joined(tokens.begin(), tokens.begin() + 40);
  joined.insert(joined.end(), other.begin(), other.end());
  const std::vector<float> branch = LogitsOf(model, joined);
  EXPECT_TRUE(std::equal(second.logits().begin(), second.logits().end(), branch.end() - 97));
  second.Truncate(10);
  EXPECT_TRUE(second.logits().empty());
  ASSERT_TRUE(second.Feed(std::span(tokens).subspan(10)));
  EXPECT_TRUE(std::equal(second.logits().begin(), second.logits().end(), straight.end() - 97));
}

TEST(Context, KnownBeginningsAreNotReadAgain) {
  const auto model = RandomModel(SmallConfig(2, false), 8);
  const std::vector<Token> tokens = SomeTokens(80);
  Workers workers(1);
  PrefixCache cache(2);
  Context first = cache.Start(model, workers, tokens);
  EXPECT_TRUE(first.tokens().empty());
  ASSERT_TRUE(first.Feed(std::span(tokens).first(60)));
  cache.Remember(first);
  Context second = cache.Start(model, workers, tokens);
  EXPECT_EQ(second.tokens().size(), 60u);
  ASSERT_TRUE(second.Feed(std::span(tokens).subspan(60)));
  const std::vector<float> straight = LogitsOf(model, tokens);
  EXPECT_TRUE(std::equal(second.logits().begin(), second.logits().end(), straight.end() - 97));
  EXPECT_EQ(cache.Start(model, workers, std::span(tokens).first(30)).tokens().size(), 29u);
  const std::vector<Token> other = {90, 91};
  EXPECT_TRUE(cache.Start(model, workers, other).tokens().empty());
}

TEST(Context, KnownBeginningsAreContinuedByTheCallersWorkersAndProducts) {
  const auto model = RandomModel(SmallConfig(2, false), 8);
  const std::vector<Token> tokens = SomeTokens(80);
  PrefixCache cache(2);
  {
    Workers gone(2);
    Context first(model, gone);
    ASSERT_TRUE(first.Feed(std::span(tokens).first(60)));
    cache.Remember(first);
  }
  Workers workers(1);
  EXPECT_TRUE(cache.Start(model, workers, tokens, Gemm::kLibrary).tokens().empty());
  Context second = cache.Start(model, workers, tokens);
  EXPECT_EQ(second.tokens().size(), 60u);
  EXPECT_EQ(&second.workers(), &workers);
  ASSERT_TRUE(second.Feed(std::span(tokens).subspan(60)));
  const std::vector<float> straight = LogitsOf(model, tokens);
  EXPECT_TRUE(std::equal(second.logits().begin(), second.logits().end(), straight.end() - 97));
}

TEST(Context, ACacheOfNothingRemembersNothing) {
  const auto model = RandomModel(SmallConfig(2, false), 8);
  const std::vector<Token> tokens = SomeTokens(8);
  Workers workers(1);
  Context context(model, workers);
  ASSERT_TRUE(context.Feed(tokens));
  PrefixCache cache(0);
  cache.Remember(context);
  EXPECT_TRUE(cache.Start(model, workers, tokens).tokens().empty());
}

TEST(Context, ObserversSeeEveryLayerAndTheLensEndsInTheLogits) {
  const auto model = RandomModel(SmallConfig(2, false), 9);
  Workers workers(1);
  Context context(model, workers);
  std::vector<std::size_t> layers;
  std::vector<float> last;
  context.Observe([&](std::size_t layer, std::size_t position, std::span<const float> hidden) {
    EXPECT_EQ(position, 0u);
    layers.push_back(layer);
    last.assign(hidden.end() - 128, hidden.end());
  });
  ASSERT_TRUE(context.Feed(SomeTokens(5)));
  EXPECT_EQ(layers, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(
      std::equal(context.logits().begin(), context.logits().end(), context.Lens(last).begin()));
}

TEST(Context, WrongTokensAreRefusedAndChangeNothing) {
  const auto model = RandomModel(SmallConfig(2, false), 10);
  Workers workers(1);
  Context context(model, workers);
  ASSERT_TRUE(context.Feed(SomeTokens(250)));
  EXPECT_EQ(context.Feed(std::vector<Token>{97}).error().message,
            "token 97 is not one of the model's 97");
  EXPECT_EQ(context.Feed(std::vector<Token>{-1}).error().code, isa::ErrorCode::kInvalid);
  EXPECT_EQ(context.Feed({}).error().code, isa::ErrorCode::kInvalid);
  EXPECT_EQ(context.Feed(SomeTokens(7)).error().message,
            "257 tokens exceed the model's 256 positions");
  EXPECT_EQ(context.tokens().size(), 250u);
  EXPECT_TRUE(context.Feed(SomeTokens(6)));
}

}  // namespace
}  // namespace txvm::neural::llm
