// The examples that a model has been trained on, made again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "frontends/nl/training/training.h"
#include "neural/questions/generator.h"

namespace txvm::bench::nl {

/// What `txvm train normalizer` learns from unless it is told otherwise.
inline constexpr std::uint64_t kTrainingExamples =
    frontends::nl::UpdatesOf({}) * frontends::nl::TrainingOptions{}.batch;

struct TrainingStream {
  std::uint64_t seed = 1;  // of the generator, as in training
  std::uint64_t examples = kTrainingExamples;
  std::size_t threads = 2;
  std::string cache;  // file that keeps the verdicts; empty: none
};

/// What makes the stream's examples, those of training: lessons among them.
neural::questions::GeneratorOptions GeneratorOf(const TrainingStream& stream);

/// Calls visit(worker, question) once for each of the stream's examples, workers
/// 0..stream.threads - 1 at a time, in no order; `what` names it on a progress line. `generator` is
/// one of GeneratorOf(stream). Cost: about 0.1 ms an example.
void ForEachExample(
    const neural::questions::Generator& generator, const TrainingStream& stream,
    std::string_view what,
    const std::function<void(std::size_t worker, const std::string& question)>& visit);

}  // namespace txvm::bench::nl
