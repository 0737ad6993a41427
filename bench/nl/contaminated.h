// Which test sentences a model may have seen nearly so in training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "frontends/nl/training.h"
#include "isa/result.h"
#include "neural/data/generator.h"

namespace txvm::bench::nl {

/// What `txvm train normalizer` learns from unless it is told otherwise.
inline constexpr std::uint64_t kTrainingExamples =
    frontends::nl::TrainingOptions{}.steps * frontends::nl::TrainingOptions{}.batch;

struct TrainingStream {
  std::uint64_t seed = 1;  // of the generator, as in training
  std::uint64_t examples = kTrainingExamples;
  std::size_t threads = 2;
  std::string cache;  // file that keeps the verdicts; empty: none
};

/// What makes the stream's examples, those of training: lessons among them.
neural::data::GeneratorOptions GeneratorOf(const TrainingStream& stream);

/// For each question whether one of the stream's examples collides with it
/// (neural/data/contamination.h). Cost: about 0.1 ms an example. The cache is used when it is about
/// the same questions and the same stream, which a sample of its examples tells, and written
/// otherwise. Errors: kIo for a cache that cannot be written.
isa::Result<std::vector<bool>> FindContaminated(const std::vector<std::string>& questions,
                                                const TrainingStream& stream);

}  // namespace txvm::bench::nl
