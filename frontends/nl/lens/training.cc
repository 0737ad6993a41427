#include "frontends/nl/lens/training.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "frontends/nl/lens/lens.h"
#include "frontends/nl/lens/study.h"
#include "neural/llm/adapter.h"
#include "neural/llm/mapped_file.h"
#include "neural/llm/matrix.h"

namespace txvm::frontends::nl {

namespace llm = neural::llm;
namespace train = neural::train;

namespace {

isa::Result<void> CheckModel(const llm::Model& model) {
  if (!model.config.tied) {
    return isa::Fail(isa::ErrorCode::kUnsupported,
                     "the model has a head of its own; training takes models whose head is the "
                     "embedding");
  }
  if (!model.rope_divisors.empty()) {
    return isa::Fail(isa::ErrorCode::kUnsupported,
                     "the model has rotation frequencies of its own (rope_freqs); training takes "
                     "models whose configuration says them");
  }
  return {};
}

}  // namespace

isa::Result<TrainingBase> TrainingBaseOf(const llm::Model& model) {
  TXVM_CHECK_OK(CheckModel(model));
  const bool pairs = model.config.rope_layout == llm::RopeLayout::kPairs;
  TrainingBase base;
  base.config = model.config;
  base.config.rope_layout = llm::RopeLayout::kHalves;
  const train::Layout layout = train::TrainingLayout(base.config);
  base.parameters.assign(layout.size, 0);
  const auto put = [&](const llm::Matrix& matrix, std::size_t at, bool rotated = false) {
    for (std::size_t row = 0; row < matrix.rows; ++row) {
      const std::size_t from = rotated && pairs ? llm::PairsRow(row, base.config.head_dim) : row;
      llm::ReadRow(matrix, from, &base.parameters[at + row * matrix.cols]);
    }
  };
  put(model.embedding, layout.embedding);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const llm::Layer& layer = model.layers[i];
    const train::BlockLayout& at = layout.blocks[i];
    std::ranges::copy(layer.attention_norm, &base.parameters[at.attention_norm]);
    put(layer.q, at.q, true);
    put(layer.k, at.k, true);
    put(layer.v, at.v);
    put(layer.o, at.o);
    std::ranges::copy(layer.mlp_norm, &base.parameters[at.mlp_norm]);
    put(layer.gate, at.gate);
    put(layer.up, at.up);
    put(layer.down, at.down);
  }
  std::ranges::copy(model.final_norm, &base.parameters[layout.final_norm]);
  return base;
}

namespace {

isa::Result<std::unique_ptr<train::LoraTrainer>> MakeTrainer(const llm::Model& model,
                                                             const ClassifierOptions& options) {
  TXVM_TRY(const TrainingBase base, TrainingBaseOf(model));
  TXVM_TRY(const train::LoraLayout lora,
           train::LoraLayoutOf(train::TrainingLayout(base.config), options.lora));
  train::AdamWOptions adam;
  adam.rate = options.rate;
  adam.steps = options.steps;
  adam.warmup = std::min<std::uint64_t>(50, options.steps / 10 + 1);
  adam.decay = 0;  // the base stays where it is: small factors are not better ones
  const train::DualLoss loss{DecisionLayer(base.config.layers), options.lens};
  return std::make_unique<train::LoraTrainer>(base.config, base.parameters, lora, loss, adam,
                                              options.seed, options.threads);
}

}  // namespace

isa::Result<void> CheckClassifier(const llm::Bundle& base, const ClassifierOptions& options) {
  if (!base.tokenizer) {
    return isa::Fail(isa::ErrorCode::kInvalid, "the base model has no tokenizer");
  }
  TXVM_CHECK_OK(ExampleEncoder::Make(*base.tokenizer));
  TXVM_CHECK_OK(CheckModel(*base.model));
  TXVM_CHECK_OK(train::LoraLayoutOf(train::TrainingLayout(base.model->config), options.lora));
  return {};
}

isa::Result<ClassifierReport> TrainClassifier(const neural::questions::QuestionBank& bank,
                                              const llm::Bundle& base, const std::string& directory,
                                              const ClassifierOptions& options,
                                              const ClassifierProgress& progress) {
  if (!base.tokenizer) {
    return isa::Fail(isa::ErrorCode::kInvalid, "the base model has no tokenizer");
  }
  TXVM_TRY(const ExampleEncoder encoder, ExampleEncoder::Make(*base.tokenizer));
  TXVM_TRY(const auto trainer, MakeTrainer(*base.model, options));
  neural::questions::GeneratorOptions data;
  data.seed = options.seed;
  data.mixes_from = neural::questions::LastMixAlone();
  const neural::questions::Generator generator(bank, data);
  const std::filesystem::path folder(directory);
  std::error_code error;
  TXVM_CHECK_OK(llm::MakeFolder(directory));
  const std::string checkpoint = (folder / "checkpoint.safetensors").string();
  std::string pieces;
  for (const llm::Piece& piece : base.tokenizer->spec().pieces) pieces += piece.text + '\n';
  const std::string batches = BatchesInWords(options.batch, pieces);
  if (std::filesystem::exists(checkpoint, error)) TXVM_CHECK_OK(trainer->Load(checkpoint, batches));
  ClassifierReport report;
  while (trainer->steps_done() < options.steps) {
    const std::uint64_t first = kLensTrainingExamples + trainer->steps_done() * options.batch;
    TXVM_TRY(const std::vector<train::Sequence> batch,
             BatchOf(generator, encoder, first, options.batch, trainer->config().positions, true));
    const train::StepReport step = trainer->Step(batch);
    ++report.steps;
    const bool goes_on = progress(trainer->steps_done(), options.steps, step);
    if (!goes_on || trainer->steps_done() % options.checkpoint_steps == 0) {
      TXVM_CHECK_OK(trainer->Save(checkpoint, batches));
    }
    if (!goes_on) return report;
  }
  report.finished = true;
  TXVM_CHECK_OK(llm::SaveAdapter(trainer->adapter(), directory));
  std::filesystem::remove(checkpoint, error);
  return report;
}

}  // namespace txvm::frontends::nl
