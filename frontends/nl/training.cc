#include "frontends/nl/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "frontends/nl/codec.h"
#include "frontends/nl/text.h"
#include "neural/data/generator.h"
#include "neural/llm/checkpoint.h"
#include "neural/llm/save.h"
#include "neural/train/bpe.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;
namespace train = neural::train;
using neural::data::Generator;

constexpr std::uint64_t kHeldOutExamples = 2'000;
constexpr std::uint64_t kFreshExamples = std::uint64_t{1} << 40;  // first index no step reaches
constexpr std::size_t kPositions = 512;

llm::Config ConfigOf(const TrainingOptions& options, std::size_t vocab) {
  llm::Config config;
  config.vocab = vocab;
  config.hidden = options.width;
  config.feed_forward = options.feed_forward;
  config.layers = options.layers;
  config.heads = options.heads;
  config.kv_heads = options.kv_heads;
  config.head_dim = options.heads == 0 ? 0 : options.width / options.heads;
  config.positions = kPositions;
  config.epsilon = 1e-5f;
  config.rope_base = 10'000;
  config.tied = true;
  return config;
}

// Examples as sequences. Nothing for a question longer than the model's positions.
class Encoder {
 public:
  static isa::Result<Encoder> Make(const llm::Tokenizer& tokenizer) {
    TXVM_TRY(Codec codec, Codec::Of(tokenizer));
    return Encoder(std::move(codec));
  }

  isa::Result<train::Sequence> Encode(const neural::data::Example& example) const {
    TXVM_TRY(const Lexed question, Lex(example.question));
    TXVM_TRY(const CanonicalText program, ReadSlots(example.canonical));
    train::Sequence sequence;
    sequence.tokens = codec_.Prompt(question);
    sequence.prompt = sequence.tokens.size();
    for (const Token token : program.tokens) sequence.tokens.push_back(codec_.IdOf(token));
    return sequence;
  }

 private:
  explicit Encoder(Codec codec) : codec_(std::move(codec)) {}

  // The generator's text names slots; ReadCanonical gives no other numbers a meaning.
  static isa::Result<CanonicalText> ReadSlots(std::string_view text) {
    return ReadCanonical(text, std::vector<Number>(kMaxSlots));
  }

  Codec codec_;
};

isa::Result<std::vector<train::Sequence>> BatchOf(const Generator& generator,
                                                  const Encoder& encoder, std::uint64_t first,
                                                  std::size_t count) {
  std::vector<train::Sequence> batch;
  for (std::uint64_t index = first; batch.size() < count; ++index) {
    const neural::data::Example example = generator.Make(index);
    TXVM_TRY(train::Sequence sequence, encoder.Encode(example));
    if (sequence.tokens.size() <= kPositions) batch.push_back(std::move(sequence));
  }
  return batch;
}

// The text of a tokenizer.json.
isa::Result<std::string> LearnVocabulary(const Generator& generator,
                                         const TrainingOptions& options) {
  train::WordCounts counts;
  for (std::uint64_t index = 0; index < options.vocabulary_examples; ++index) {
    const neural::data::Example example = generator.Make(index);
    TXVM_TRY(const Lexed question, Lex(example.question));
    for (const Piece& piece : Pieces(question)) {
      if (!piece.is_slot) train::CountWords(Plain(piece.text), counts);
    }
  }
  return train::TrainBpe(counts, {.vocabulary = options.vocabulary, .added = AddedPieces()});
}

isa::Result<void> WriteText(const std::filesystem::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) return isa::Fail(isa::ErrorCode::kIo, fmt::format("cannot write {}", path.string()));
  return {};
}

isa::Result<void> WriteModel(const train::Trainer& trainer, const std::string& directory) {
  const auto model = llm::ModelOnParameters(trainer.config(), trainer.weights());
  return llm::SaveSafetensors(*model, directory, {.type = llm::Element::kBF16});
}

// Everything a run needs that follows from the options alone.
struct Recipe {
  Generator generator;
  std::string tokenizer_json;
  Encoder encoder;
  train::Trainer trainer;
};

isa::Result<std::unique_ptr<Recipe>> Prepare(const TrainingOptions& options) {
  neural::data::GeneratorOptions data;
  data.seed = options.seed;
  const Generator generator(data);
  TXVM_TRY(std::string json, LearnVocabulary(generator, options));
  TXVM_TRY(llm::TokenizerSpec spec, llm::SpecFromJson(json));
  TXVM_TRY(const llm::Tokenizer tokenizer, llm::Tokenizer::Make(std::move(spec)));
  TXVM_TRY(Encoder encoder, Encoder::Make(tokenizer));
  const llm::Config config = ConfigOf(options, tokenizer.size());
  TXVM_CHECK_OK(llm::CheckConfig(config));
  train::AdamWOptions adam;
  adam.rate = options.rate;
  adam.steps = options.steps;
  adam.warmup = std::min<std::uint64_t>(200, options.steps / 10 + 1);
  return std::unique_ptr<Recipe>(
      new Recipe{Generator(data), std::move(json), std::move(encoder),
                 train::Trainer(config, adam, options.seed, options.threads)});
}

}  // namespace

isa::Result<TrainingReport> TrainNormalizer(const std::string& directory,
                                            const TrainingOptions& options,
                                            const TrainingProgress& progress) {
  TXVM_TRY(const std::unique_ptr<Recipe> recipe, Prepare(options));
  train::Trainer& trainer = recipe->trainer;
  const std::filesystem::path folder(directory);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string checkpoint = (folder / "checkpoint.safetensors").string();
  if (std::filesystem::exists(checkpoint, error)) TXVM_CHECK_OK(trainer.Load(checkpoint));
  TrainingReport report;
  while (trainer.steps_done() < options.steps) {
    // Step n learns the n-th batch of the generator's examples, whatever ran before.
    TXVM_TRY(const std::vector<train::Sequence> batch,
             BatchOf(recipe->generator, recipe->encoder, trainer.steps_done() * options.batch,
                     options.batch));
    for (const train::Sequence& sequence : batch) report.tokens += sequence.tokens.size();
    const train::StepReport step = trainer.Step(batch);
    ++report.steps;
    const bool goes_on = progress(trainer.steps_done(), options.steps, step);
    if (!goes_on || trainer.steps_done() % options.checkpoint_steps == 0) {
      TXVM_CHECK_OK(trainer.Save(checkpoint));
    }
    if (!goes_on) return report;
  }
  TXVM_TRY(const std::vector<train::Sequence> fresh,
           BatchOf(recipe->generator, recipe->encoder, kFreshExamples, kHeldOutExamples));
  report.held_out = trainer.Evaluate(fresh);
  report.finished = true;
  TXVM_CHECK_OK(WriteModel(trainer, directory));
  TXVM_CHECK_OK(WriteText(folder / "tokenizer.json", recipe->tokenizer_json));
  std::filesystem::remove(checkpoint, error);
  return report;
}

}  // namespace txvm::frontends::nl
