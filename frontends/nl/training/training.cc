#include "frontends/nl/training/training.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "frontends/nl/reader/codec.h"
#include "frontends/nl/training/training_examples.h"
#include "neural/llm/checkpoint.h"
#include "neural/llm/mapped_file.h"
#include "neural/llm/save.h"
#include "neural/questions/generator.h"
#include "neural/train/bpe.h"
#include "neural/train/recall_circuit.h"
#include "neural/train/shards.h"

namespace txvm::frontends::nl {
namespace {

namespace llm = neural::llm;
namespace train = neural::train;
using neural::questions::Generator;

constexpr std::uint64_t kHeldOutExamples = 2'000;
constexpr std::uint64_t kFreshExamples = std::uint64_t{1} << 40;  // first index no step reaches
constexpr std::size_t kPositions = 512;
constexpr TrainingOptions kDefault;
/// Where the columns of families.def after the first begin: one for each branch of the first
/// round, one for all of the second.
constexpr std::array<std::uint64_t, neural::questions::kTrainingMixes.size()> MixesFrom(
    const TrainingOptions& options) {
  std::array<std::uint64_t, neural::questions::kTrainingMixes.size()> from{};
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = CycleStarts(options)[i + 1] * options.batch;
  }
  return from;
}
static_assert(neural::questions::kTrainingMixes == MixesFrom(kDefault));

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
    const neural::questions::Example example = generator.Make(index);
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

}  // namespace

isa::Result<void> CheckTraining(const TrainingOptions& options) {
  if (options.heads == 0 || options.width % options.heads != 0) {
    return isa::Fail(isa::ErrorCode::kUsage, fmt::format("--width {} is no multiple of --heads {}",
                                                         options.width, options.heads));
  }
  if (options.kv_heads == 0 || options.heads % options.kv_heads != 0) {
    return isa::Fail(
        isa::ErrorCode::kUsage,
        fmt::format("--heads {} is no multiple of --kv-heads {}", options.heads, options.kv_heads));
  }
  const llm::Config config = ConfigOf(options, options.vocabulary);
  auto checked = llm::CheckConfig(config);
  if (!checked) return isa::Fail(isa::ErrorCode::kUsage, checked.error().message);
  if (options.recall) TXVM_CHECK_OK(CheckRecall(options, config));
  return CheckMemory(config);
}

namespace {

// Everything a run needs that follows from the options alone.
struct Recipe {
  const TrainingOptions& options;
  Generator generator;
  std::string tokenizer_json;
  ExampleEncoder encoder;
  llm::Config config;
};

isa::Result<std::unique_ptr<Recipe>> Prepare(const neural::questions::QuestionBank& bank,
                                             const TrainingOptions& options) {
  neural::questions::GeneratorOptions data;
  data.seed = options.seed;
  const Generator generator(bank, data);
  TXVM_TRY(std::string json, LearnVocabulary(generator, options));
  TXVM_TRY(llm::TokenizerSpec spec, llm::SpecFromJson(json));
  TXVM_TRY(const llm::Tokenizer tokenizer, llm::Tokenizer::Make(std::move(spec)));
  TXVM_TRY(ExampleEncoder encoder, ExampleEncoder::Make(tokenizer));
  data.lessons = options.lessons;  // the vocabulary is learnt without them
  const auto mixes = MixesFrom(options);
  const std::size_t count = std::min(mixes.size(), options.branches);
  data.mixes_from.assign(mixes.begin(), mixes.begin() + static_cast<std::ptrdiff_t>(count));
  const llm::Config config = ConfigOf(options, tokenizer.size());
  TXVM_CHECK_OK(llm::CheckConfig(config));
  return std::unique_ptr<Recipe>(
      new Recipe{options, Generator(bank, data), std::move(json), std::move(encoder), config});
}

/// One of the cycles of a training: the first, 0, or a branch.
struct Cycle {
  std::size_t number = 0, round = 0;
  std::uint64_t steps_before = 0, steps = 0;  // of the whole training
  std::string data;                           // what its examples follow from, in words
};

std::vector<Cycle> CyclesOf(const Recipe& recipe) {
  const TrainingOptions& options = recipe.options;
  const std::string data = BatchesInWords(options.batch, recipe.tokenizer_json) +
                           (options.lessons ? ", with lessons" : "");
  std::vector<Cycle> cycles = {{0, 0, 0, options.steps, data}};
  const auto starts = CycleStarts(options);
  for (std::size_t i = 1; i <= options.branches; ++i) {
    const std::uint64_t steps = starts[i + 1] - starts[i];
    if (steps == 0) continue;
    // A branch follows from all that was before its round.
    const std::string start =
        fmt::format("; branch {} of {} steps at {}", i, options.steps, options.rate);
    cycles.push_back({i, kBranches[i - 1].round, starts[i], steps, data + start});
  }
  return cycles;
}

std::unique_ptr<train::Trainer> TrainerOf(const Recipe& recipe, const Cycle& cycle) {
  const TrainingOptions& options = recipe.options;
  const bool is_first = cycle.number == 0;
  train::OptimizerOptions optimizer;
  optimizer.adam.rate = is_first ? options.rate : kBranches[cycle.number - 1].rate;
  optimizer.adam.steps = cycle.steps;
  optimizer.adam.warmup =
      is_first ? std::min<std::uint64_t>(200, cycle.steps / 10 + 1) : cycle.steps / 10;
  if (is_first) optimizer.prompt_weight = static_cast<double>(options.prompt_percent) / 100;
  if (options.muon) optimizer.muon.emplace();
  if (options.recall) optimizer.recall.emplace();
  return std::make_unique<train::Trainer>(recipe.config, optimizer, options.seed, options.threads);
}

/// REQUIRES: at least one, all of one size.
std::vector<float> MeanOf(const std::vector<std::vector<float>>& all) {
  std::vector<float> mean = all[0];
  for (std::size_t i = 1; i < all.size(); ++i) {
    std::ranges::transform(mean, all[i], mean.begin(), std::plus{});
  }
  for (float& weight : mean) weight /= static_cast<float>(all.size());
  return mean;
}

/// A training in its folder.
class Run {
 public:
  Run(const std::string& directory, const Recipe& recipe, const TrainingProgress& progress)
      : folder_(directory), recipe_(recipe), progress_(progress), cycles_(CyclesOf(recipe)) {}

  /// Goes on with whatever the folder has, to the end or until the progress says stop.
  isa::Result<TrainingReport> Finish() {
    const train::Layout layout = train::TrainingLayout(recipe_.config);
    std::vector<float> start;
    std::vector<std::vector<float>> parts;  // of a round's outcome
    std::size_t round = 0;
    for (const Cycle& cycle : cycles_) {
      if (cycle.round != round) {
        round = cycle.round;
        start = train::AsWritten(layout, MeanOf(parts));
        parts.clear();
        if (round >= kRoundsWithStart) parts.push_back(start);
      }
      TXVM_TRY(const std::unique_ptr<train::Trainer> trainer, End(cycle, start));
      if (!trainer) return report_;
      parts.push_back(train::AsWritten(layout, trainer->weights()));
    }
    TXVM_CHECK_OK(Write(MeanOf(parts)));
    std::error_code error;
    for (const Cycle& cycle : cycles_) std::filesystem::remove(EndOf(cycle), error);
    return report_;
  }

 private:
  std::string CheckpointOf(const Cycle& cycle) const {
    const std::string of = cycle.number == 0 ? "" : fmt::format("-{}", cycle.number);
    return (folder_ / fmt::format("checkpoint{}.safetensors", of)).string();
  }
  std::string EndOf(const Cycle& cycle) const {
    return (folder_ / fmt::format("cycle-{}.safetensors", cycle.number)).string();
  }

  /// The trainer at the end of a cycle; null where the progress said stop.
  isa::Result<std::unique_ptr<train::Trainer>> End(const Cycle& cycle,
                                                   const std::vector<float>& start) {
    std::unique_ptr<train::Trainer> trainer = TrainerOf(recipe_, cycle);
    if (cycle.number != 0) trainer->StartFrom(start);
    const std::string checkpoint = CheckpointOf(cycle), end = EndOf(cycle);
    std::error_code error;
    if (std::filesystem::exists(end, error)) {
      TXVM_CHECK_OK(trainer->Load(end, cycle.data));
      return trainer;
    }
    if (std::filesystem::exists(checkpoint, error)) {
      TXVM_CHECK_OK(trainer->Load(checkpoint, cycle.data));
    }
    while (trainer->steps_done() < cycle.steps) {
      TXVM_TRY(const bool goes_on, Step(cycle, *trainer));
      if (!goes_on || trainer->steps_done() % recipe_.options.checkpoint_steps == 0) {
        TXVM_CHECK_OK(trainer->Save(checkpoint, cycle.data));
      }
      if (!goes_on) return nullptr;
    }
    TXVM_CHECK_OK(trainer->Save(end, cycle.data));
    std::filesystem::remove(checkpoint, error);
    return trainer;
  }

  isa::Result<bool> Step(const Cycle& cycle, train::Trainer& trainer) {
    const TrainingOptions& options = recipe_.options;
    // Step n of a training learns the n-th batch of the generator's examples, whatever ran before.
    const std::uint64_t before = cycle.steps_before + trainer.steps_done();
    TXVM_TRY(const std::vector<train::Sequence> batch,
             BatchOf(recipe_.generator, recipe_.encoder, before * options.batch, options.batch,
                     kPositions, false));
    for (const train::Sequence& sequence : batch) report_.tokens += sequence.tokens.size();
    const train::StepReport step = trainer.Step(batch);
    ++report_.steps;
    return progress_(before + 1, UpdatesOf(options), step);
  }

  isa::Result<void> Write(std::vector<float> weights) {
    TXVM_TRY(const std::vector<train::Sequence> fresh,
             BatchOf(recipe_.generator, recipe_.encoder, kFreshExamples, kHeldOutExamples,
                     kPositions, false));
    const std::unique_ptr<train::Trainer> last = TrainerOf(recipe_, cycles_.back());
    last->StartFrom(std::move(weights));
    report_.held_out = last->Evaluate(fresh);
    report_.finished = true;
    TXVM_CHECK_OK(WriteModel(*last, folder_.string()));
    return llm::WriteWhole((folder_ / "tokenizer.json").string(), recipe_.tokenizer_json);
  }

  std::filesystem::path folder_;
  const Recipe& recipe_;
  const TrainingProgress& progress_;
  std::vector<Cycle> cycles_;
  TrainingReport report_;
};

}  // namespace

isa::Result<TrainingReport> TrainNormalizer(const neural::questions::QuestionBank& bank,
                                            const std::string& directory,
                                            const TrainingOptions& options,
                                            const TrainingProgress& progress) {
  TXVM_CHECK_OK(CheckTraining(options));
  TXVM_CHECK_OK(llm::MakeFolder(directory));
  TXVM_TRY(const std::unique_ptr<Recipe> recipe, Prepare(bank, options));
  return Run(directory, *recipe, progress).Finish();
}

}  // namespace txvm::frontends::nl
