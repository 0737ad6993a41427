#include "bench/nl/training_stream.h"

#include <algorithm>

#include "bench/nl/parallel.h"

namespace txvm::bench::nl {

namespace questions = neural::questions;

constexpr std::uint64_t kBlock = 1'000;  // examples a thread takes at a time

questions::GeneratorOptions GeneratorOf(const TrainingStream& stream) {
  questions::GeneratorOptions options;
  options.seed = stream.seed;
  options.lessons = frontends::nl::TrainingOptions{}.lessons;
  options.mixes_from = {questions::kTrainingMixes.begin(), questions::kTrainingMixes.end()};
  return options;
}

void ForEachExample(
    const questions::Generator& generator, const TrainingStream& stream, std::string_view what,
    const std::function<void(std::size_t worker, const std::string& question)>& visit) {
  ForEach((stream.examples + kBlock - 1) / kBlock, stream.threads, what,
          [&](std::size_t worker, std::size_t block) {
            const std::uint64_t end = std::min(stream.examples, (block + 1) * kBlock);
            for (std::uint64_t i = block * kBlock; i < end; ++i) {
              visit(worker, generator.Make(i).question);
            }
          });
}

}  // namespace txvm::bench::nl
