// How the middle end comes about: a low-rank adapter of the shipped model, trained with the
// dual-reward loss of `txvm train classifier`.
//
// Goals and non-goals: as training.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontends/nl/training/training_examples.h"
#include "isa/support/result.h"
#include "neural/llm/bundle.h"
#include "neural/questions/bank.h"
#include "neural/train/lora.h"

namespace txvm::frontends::nl {

struct ClassifierOptions {
  std::uint64_t seed = 1;  // of the examples and the factors
  std::uint64_t steps = 10'000;
  std::size_t batch = 64;  // sequences a step
  double rate = 1e-3;
  std::size_t threads = 1;
  std::uint64_t checkpoint_steps = 100;
  double lens = 0.4;  // weight of the lens's loss; the output's is the rest
  neural::train::LoraOptions lora;
};

/// Called after each step; false stops, with a checkpoint.
using ClassifierProgress =
    std::function<bool(std::uint64_t done, std::uint64_t steps, const neural::train::StepReport&)>;

/// A model as training takes it: a configuration and parameters in TrainingLayout order.
struct TrainingBase {
  neural::llm::Config config;
  std::vector<float> parameters;
};
/// The model's weights, its deltas added in. kUnsupported: a head or rotation
/// frequencies of its own.
isa::Result<TrainingBase> TrainingBaseOf(const neural::llm::Model& model);

/// What came of a run.
struct ClassifierReport {
  std::uint64_t steps = 0;  // of this call
  bool finished = false;
};

/// What TrainClassifier refuses before it begins, without a trace on the disk.
isa::Result<void> CheckClassifier(const neural::llm::Bundle& base,
                                  const ClassifierOptions& options);

/// Trains an adapter of `base` into `directory`: checkpoint.safetensors while it lasts (and where
/// it goes on, if there is one), then adapter_model.safetensors and adapter_config.json as
/// llm::OpenAdapter reads them. Labels are LensLabel's, the lens is read at the prompt's last token
/// after block DecisionLayer. kInvalid: a base without tokenizer; errors of TrainingBaseOf,
/// Codec::Of, LoraLayoutOf, LoraTrainer::Load and of writing.
isa::Result<ClassifierReport> TrainClassifier(const neural::questions::QuestionBank& bank,
                                              const neural::llm::Bundle& base,
                                              const std::string& directory,
                                              const ClassifierOptions& options,
                                              const ClassifierProgress& progress);

}  // namespace txvm::frontends::nl
