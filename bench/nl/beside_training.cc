#include "bench/nl/beside_training.h"

namespace txvm::bench::nl {

BesideTraining CompareWithTraining(const neural::questions::QuestionBank& bank,
                                   const std::vector<std::string>& questions,
                                   const TrainingStream& stream) {
  const neural::questions::Generator generator(bank, GeneratorOf(stream));
  const AskedWords asked(bank.lexicon(), questions);
  NearestSearch nearest(asked, stream.threads);
  NoveltySearch novelty(asked, stream.threads);
  ForEachExample(generator, stream, "beside training",
                 [&](std::size_t worker, const std::string& text) {
                   const WordIds example = asked.Of(text);
                   nearest.See(worker, example);
                   novelty.See(worker, example);
                 });
  return {nearest.Found(), novelty.Found()};
}

}  // namespace txvm::bench::nl
