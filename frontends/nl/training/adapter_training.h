// How a pretrained language model learns to read questions: a low-rank adapter beside its frozen
// weights, trained on generated questions and their programs in the model's own pieces.
//
// Goals and non-goals: as training.h; the bits depend on how products are computed (Precision).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontends/nl/reader/piece_mask.h"
#include "isa/support/result.h"
#include "neural/llm/bundle.h"
#include "neural/questions/bank.h"
#include "neural/questions/generator.h"
#include "neural/train/adapter_trainer.h"

namespace txvm::frontends::nl {

struct AdapterTrainingOptions {
  std::uint64_t seed = 1;  // of the examples and the factors
  std::uint64_t steps = 3'000;
  std::size_t batch = 16;  // sequences a step
  double rate = 1e-3;
  std::size_t threads = 1;
  std::uint64_t checkpoint_steps = 50;
  double lens = 0;             // weight of the lens's loss; the output's is the rest
  std::size_t lens_layer = 0;  // the block after which it is read, below the model's layers
  neural::train::LoraOptions lora{.rank = 8, .alpha = 16};
  bool half = true;                                   // writes bfloat16 rather than float32
  std::optional<neural::train::Precision> precision;  // nullopt: BestPrecision()
};

/// Called after each step; false stops, with a checkpoint.
using AdapterProgress =
    std::function<bool(std::uint64_t done, std::uint64_t steps, const neural::train::StepReport&)>;

/// Examples in the pieces of any tokenizer. Immutable; copyable.
class PieceEncoder {
 public:
  /// `stop` are the tokens that end an answer. Errors as CanonicalPieces::Of's.
  static isa::Result<PieceEncoder> Make(const neural::llm::Tokenizer& tokenizer,
                                        std::span<const neural::llm::Token> stop);

  /// PlainPrompt, then PlainProgram, and as the lens's target the first piece of the operator that
  /// LensLabel names. nullopt: the mask would not let a model write this program, for one of its
  /// numbers is neither a decimal nor a quotient of literals.
  isa::Result<std::optional<neural::train::Sequence>> Encode(
      const neural::questions::Example& example) const;

  const neural::llm::Tokenizer& tokenizer() const { return tokenizer_; }

 private:
  PieceEncoder(const neural::llm::Tokenizer& tokenizer, CanonicalPieces pieces)
      : tokenizer_(tokenizer), pieces_(std::move(pieces)) {}

  neural::llm::Tokenizer tokenizer_;
  CanonicalPieces pieces_;
};

/// `count` examples from index `first` on, without those that cannot be written or have more than
/// `positions` tokens; `first` becomes the index after the last. Errors: CheckSomeServe's.
isa::Result<std::vector<neural::train::Sequence>> NextPieces(
    const neural::questions::Generator& generator, const PieceEncoder& encoder, std::uint64_t first,
    std::size_t count, std::size_t positions);

/// What came of a run.
struct AdapterReport {
  std::uint64_t steps = 0, tokens = 0;  // of this call
  bool finished = false;
  neural::train::Loss held_out;  // of fresh examples in the training distribution, at the end
};

/// What TrainAdapter refuses before it begins, without a trace on the disk: kInvalid, a base
/// without tokenizer or without pieces for the canonical language; kUsage, as LoraLayoutOf.
isa::Result<void> CheckAdapterTraining(const neural::llm::Bundle& base,
                                       const AdapterTrainingOptions& options);

/// Trains an adapter of `base` into `directory`: checkpoint.safetensors while it lasts (and where
/// it goes on, if there is one), then adapter_model.safetensors and adapter_config.json as PEFT and
/// llm::OpenAdapter read them. Errors: those of CheckAdapterTraining, of AdapterTrainer's Step and
/// Load, and of writing.
isa::Result<AdapterReport> TrainAdapter(const neural::questions::QuestionBank& bank,
                                        const neural::llm::Bundle& base,
                                        const std::string& directory,
                                        const AdapterTrainingOptions& options,
                                        const AdapterProgress& progress);

}  // namespace txvm::frontends::nl
