#include "frontends/nl/training.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "frontends/nl/codec.h"
#include "frontends/nl/training_examples.h"
#include "neural/data/generator.h"
#include "neural/llm/checkpoint.h"
#include "neural/llm/mapped_file.h"
#include "neural/llm/save.h"
#include "neural/train/bpe.h"
#include "neural/train/recall_circuit.h"
#include "neural/train/shards.h"

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

isa::Result<void> WriteModel(const train::Trainer& trainer, const std::string& directory) {
  const auto model = llm::ModelOnParameters(trainer.config(), trainer.weights());
  return llm::SaveSafetensors(*model, directory, {.type = llm::Element::kBF16});
}

/// kLimit: a run that cannot fit in this machine's memory. What a step needs for its batch comes on
/// top of what is counted here.
isa::Result<void> CheckMemory(const llm::Config& config) {
  // Of a parameter: its value and two moments, in a checkpoint being written twice more; a gradient
  // a shard; its rate.
  constexpr std::size_t kFloats = 3 * 3 + train::kShards + 1;
  const std::size_t parameters = llm::ParameterCount(config);
  const std::size_t needed = parameters * kFloats * sizeof(float);
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return {};
  const std::size_t memory = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  if (needed <= memory) return {};
  constexpr std::size_t kMiB = 1u << 20;
  return isa::Fail(
      isa::ErrorCode::kLimit,
      fmt::format("training {} parameters takes {} MiB at least; this machine has {} MiB",
                  parameters, needed / kMiB, memory / kMiB));
}

isa::Result<void> CheckRecall(const TrainingOptions& options, const llm::Config& config) {
  if (!options.muon) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "--adamw moves all weights at one rate, which the compiled circuit does not "
                     "survive; add --no-recall");
  }
  if (train::HasRoomForRecall(config)) return {};
  return isa::Fail(
      isa::ErrorCode::kUsage,
      fmt::format("{} blocks, {} key and value heads of {} and width {} have no room for the "
                  "compiled circuit, which takes 3 blocks, 2 such heads of 8 and a width of more "
                  "than three heads; --no-recall starts without it",
                  config.layers, config.kv_heads, config.head_dim, config.hidden));
}

// Before minutes of learning a vocabulary.
isa::Result<void> CheckShape(const TrainingOptions& options) {
  if (options.heads == 0 || options.width % options.heads != 0) {
    return isa::Fail(isa::ErrorCode::kUsage, fmt::format("--width {} is no multiple of --heads {}",
                                                         options.width, options.heads));
  }
  const llm::Config config = ConfigOf(options, options.vocabulary);
  auto checked = llm::CheckConfig(config);
  if (!checked) return isa::Fail(isa::ErrorCode::kUsage, checked.error().message);
  if (options.recall) TXVM_CHECK_OK(CheckRecall(options, config));
  return CheckMemory(config);
}

// Everything a run needs that follows from the options alone.
struct Recipe {
  Generator generator;
  std::string tokenizer_json;
  ExampleEncoder encoder;
  train::Trainer trainer;
};

isa::Result<std::unique_ptr<Recipe>> Prepare(const TrainingOptions& options) {
  neural::data::GeneratorOptions data;
  data.seed = options.seed;
  const Generator generator(data);
  TXVM_TRY(std::string json, LearnVocabulary(generator, options));
  TXVM_TRY(llm::TokenizerSpec spec, llm::SpecFromJson(json));
  TXVM_TRY(const llm::Tokenizer tokenizer, llm::Tokenizer::Make(std::move(spec)));
  TXVM_TRY(ExampleEncoder encoder, ExampleEncoder::Make(tokenizer));
  data.lessons = options.lessons;  // the vocabulary is learnt without them
  const llm::Config config = ConfigOf(options, tokenizer.size());
  TXVM_CHECK_OK(llm::CheckConfig(config));
  train::OptimizerOptions optimizer;
  optimizer.adam.rate = options.rate;
  optimizer.adam.steps = options.steps;
  optimizer.adam.warmup = std::min<std::uint64_t>(200, options.steps / 10 + 1);
  optimizer.prompt_weight = static_cast<double>(options.prompt_percent) / 100;
  if (options.muon) optimizer.muon.emplace();
  if (options.recall) optimizer.recall.emplace();
  return std::unique_ptr<Recipe>(
      new Recipe{Generator(data), std::move(json), std::move(encoder),
                 train::Trainer(config, optimizer, options.seed, options.threads)});
}

}  // namespace

isa::Result<TrainingReport> TrainNormalizer(const std::string& directory,
                                            const TrainingOptions& options,
                                            const TrainingProgress& progress) {
  TXVM_CHECK_OK(CheckShape(options));
  TXVM_CHECK_OK(llm::MakeFolder(directory));
  TXVM_TRY(const std::unique_ptr<Recipe> recipe, Prepare(options));
  train::Trainer& trainer = recipe->trainer;
  const std::filesystem::path folder(directory);
  std::error_code error;
  const std::string checkpoint = (folder / "checkpoint.safetensors").string();
  // Which examples a step learns, and as which tokens.
  const std::string data = BatchesInWords(options.batch, recipe->tokenizer_json) +
                           (options.lessons ? ", with lessons" : "");
  if (std::filesystem::exists(checkpoint, error)) TXVM_CHECK_OK(trainer.Load(checkpoint, data));
  TrainingReport report;
  while (trainer.steps_done() < options.steps) {
    // Step n learns the n-th batch of the generator's examples, whatever ran before.
    TXVM_TRY(const std::vector<train::Sequence> batch,
             BatchOf(recipe->generator, recipe->encoder, trainer.steps_done() * options.batch,
                     options.batch, kPositions, false));
    for (const train::Sequence& sequence : batch) report.tokens += sequence.tokens.size();
    const train::StepReport step = trainer.Step(batch);
    ++report.steps;
    const bool goes_on = progress(trainer.steps_done(), options.steps, step);
    if (!goes_on || trainer.steps_done() % options.checkpoint_steps == 0) {
      TXVM_CHECK_OK(trainer.Save(checkpoint, data));
    }
    if (!goes_on) return report;
  }
  TXVM_TRY(const std::vector<train::Sequence> fresh,
           BatchOf(recipe->generator, recipe->encoder, kFreshExamples, kHeldOutExamples, kPositions,
                   false));
  report.held_out = trainer.Evaluate(fresh);
  report.finished = true;
  TXVM_CHECK_OK(WriteModel(trainer, directory));
  TXVM_CHECK_OK(llm::WriteWhole((folder / "tokenizer.json").string(), recipe->tokenizer_json));
  std::filesystem::remove(checkpoint, error);
  return report;
}

}  // namespace txvm::frontends::nl
