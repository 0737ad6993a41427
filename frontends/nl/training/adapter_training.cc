#include "frontends/nl/training/adapter_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "frontends/nl/language/lens_label.h"
#include "frontends/nl/reader/plain_prompt.h"
#include "frontends/nl/training/training_examples.h"
#include "neural/llm/adapter.h"
#include "neural/llm/chat.h"
#include "neural/llm/mapped_file.h"

namespace txvm::frontends::nl {

namespace llm = neural::llm;
namespace train = neural::train;
using neural::questions::Generator;

namespace {

constexpr std::size_t kMostPositions = 256;  // longer examples cost much and are few
// Indices that batches pass over are few: those of a step and the next never meet.
constexpr std::uint64_t kIndicesPerExample = 2;
constexpr std::uint64_t kFirstFresh = std::uint64_t{1} << 40;  // first index no step reaches
constexpr std::size_t kFreshAtTheEnd = 256;

std::vector<llm::Token> StopOf(const llm::Bundle& base) {
  return llm::StopTokens(*base.tokenizer, base.model->config.eos);
}

isa::Result<PieceEncoder> EncoderOf(const llm::Bundle& base) {
  if (!base.tokenizer) {
    return isa::Fail(isa::ErrorCode::kInvalid, "the base model has no tokenizer");
  }
  return PieceEncoder::Make(*base.tokenizer, StopOf(base));
}

isa::Result<train::LoraLayout> LayoutFor(const llm::Model& model,
                                         const AdapterTrainingOptions& options) {
  llm::Config config = model.config;
  config.rope_layout = llm::RopeLayout::kHalves;
  return train::LoraLayoutOf(train::TrainingLayout(config), options.lora);
}

}  // namespace

isa::Result<PieceEncoder> PieceEncoder::Make(const llm::Tokenizer& tokenizer,
                                             std::span<const llm::Token> stop) {
  TXVM_TRY(CanonicalPieces pieces, CanonicalPieces::Of(tokenizer, stop));
  return PieceEncoder(tokenizer, std::move(pieces));
}

isa::Result<std::optional<train::Sequence>> PieceEncoder::Encode(
    const neural::questions::Example& example) const {
  TXVM_TRY(const Lexed question, Lex(example.question));
  TXVM_TRY(const std::vector<Token> program, ProgramTokens(example.canonical));
  train::Sequence sequence;
  sequence.tokens = PlainPrompt(tokenizer_, question.text);
  sequence.prompt = sequence.tokens.size();
  PieceMask mask(pieces_, Magnitudes(question), {});
  for (const llm::Token token : PlainProgram(tokenizer_, program, question.numbers)) {
    if (!mask.Advance(token)) return std::nullopt;
    sequence.tokens.push_back(token);
  }
  if (!mask.finished()) return std::nullopt;
  TXVM_TRY(const std::optional<Token> label, LensLabel(program));
  if (label) {
    const auto piece =
        tokenizer_.Encode(fmt::format(" {}", TokenText(*label)),
                          {.add_special = false, .match_special = false, .match_added = false});
    if (!piece.empty()) sequence.lens = piece.front();
  }
  return sequence;
}

isa::Result<std::vector<train::Sequence>> NextPieces(const Generator& generator,
                                                     const PieceEncoder& encoder,
                                                     std::uint64_t first, std::size_t count,
                                                     std::size_t positions) {
  std::vector<train::Sequence> batch;
  std::uint64_t passed_over = 0;
  for (std::uint64_t index = first; batch.size() < count; ++index) {
    TXVM_TRY(std::optional<train::Sequence> sequence, encoder.Encode(generator.Make(index)));
    if (!sequence || sequence->tokens.size() > positions) {
      TXVM_CHECK_OK(CheckSomeServe(
          ++passed_over, fmt::format("can be written within {} of the model's tokens", positions)));
      continue;
    }
    passed_over = 0;
    batch.push_back(*std::move(sequence));
  }
  return batch;
}

isa::Result<void> CheckAdapterTraining(const llm::Bundle& base,
                                       const AdapterTrainingOptions& options) {
  TXVM_CHECK_OK(EncoderOf(base));
  TXVM_CHECK_OK(LayoutFor(*base.model, options));
  return {};
}

isa::Result<AdapterReport> TrainAdapter(const neural::questions::QuestionBank& bank,
                                        const llm::Bundle& base, const std::string& directory,
                                        const AdapterTrainingOptions& options,
                                        const AdapterProgress& progress) {
  TXVM_TRY(const PieceEncoder encoder, EncoderOf(base));
  TXVM_TRY(const train::LoraLayout lora, LayoutFor(*base.model, options));
  train::AdamWOptions adam;
  adam.rate = options.rate;
  adam.steps = options.steps;
  adam.warmup = std::min<std::uint64_t>(50, options.steps / 10 + 1);
  adam.decay = 0;  // the base stays where it is: small factors are not better ones
  train::AdapterTrainer trainer(base.model, lora, {options.lens_layer, options.lens}, adam,
                                options.seed, options.precision.value_or(train::BestPrecision()),
                                options.threads);
  neural::questions::GeneratorOptions data;
  data.seed = options.seed;
  data.mixes_from = neural::questions::LastMixAlone();
  const Generator generator(bank, data);
  TXVM_CHECK_OK(llm::MakeFolder(directory));
  const std::string checkpoint =
      (std::filesystem::path(directory) / "checkpoint.safetensors").string();
  std::string pieces;
  for (const llm::Piece& piece : encoder.tokenizer().spec().pieces) pieces += piece.text + '\n';
  const std::string batches = BatchesInWords(options.batch, pieces);
  std::error_code error;
  if (std::filesystem::exists(checkpoint, error)) TXVM_CHECK_OK(trainer.Load(checkpoint, batches));
  const std::size_t positions = std::min(kMostPositions, base.model->config.positions);
  AdapterReport report;
  while (trainer.steps_done() < options.steps) {
    const std::uint64_t first = trainer.steps_done() * options.batch * kIndicesPerExample;
    TXVM_TRY(const std::vector<train::Sequence> batch,
             NextPieces(generator, encoder, first, options.batch, positions));
    TXVM_TRY(const train::StepReport step, trainer.Step(batch));
    ++report.steps;
    for (const train::Sequence& sequence : batch) report.tokens += sequence.tokens.size();
    const bool goes_on = progress(trainer.steps_done(), options.steps, step);
    if (!goes_on || trainer.steps_done() % options.checkpoint_steps == 0) {
      TXVM_CHECK_OK(trainer.Save(checkpoint, batches));
    }
    if (!goes_on) return report;
  }
  for (std::size_t i = 0; i < kFreshAtTheEnd; i += options.batch) {
    TXVM_TRY(const std::vector<train::Sequence> batch,
             NextPieces(generator, encoder, kFirstFresh + i * kIndicesPerExample, options.batch,
                        positions));
    report.held_out += trainer.Evaluate(batch);
  }
  report.finished = true;
  llm::Adapter adapter = trainer.adapter();
  adapter.base = llm::NormsHash(*base.model);
  TXVM_CHECK_OK(llm::SaveAdapter(adapter, directory,
                                 options.half ? llm::Element::kBF16 : llm::Element::kF32));
  std::filesystem::remove(checkpoint, error);
  return report;
}

}  // namespace txvm::frontends::nl
