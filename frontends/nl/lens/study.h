// The lens over many generated questions: accuracy by layer, a linear probe beside it, agreement
// with the program that the model writes, exact answers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/nl/language/token.h"
#include "frontends/nl/lens/probe.h"
#include "frontends/nl/training/training_examples.h"
#include "isa/support/result.h"
#include "neural/llm/model.h"
#include "neural/llm/tokenizer.h"
#include "neural/questions/bank.h"
#include "neural/questions/generator.h"

namespace txvm::frontends::nl {

/// A generated question with a LensLabel.
struct LensItem {
  std::string question;
  std::vector<Token> program;  // kEnd last
  std::string answer;
  Token label = Token::kEnd;
};

/// The first `count` examples from index `first` on that have a label and fit in `positions`
/// tokens. kInvalid when 10,000 in a row do not.
isa::Result<std::vector<LensItem>> LensItems(const neural::questions::Generator& generator,
                                             const ExampleEncoder& encoder, std::uint64_t first,
                                             std::size_t count, std::size_t positions);

/// A layer over the items. Shares are 0..1.
struct LensScore {
  double accuracy = 0;   // the label is the likeliest of LensClasses
  double first = 0;      // the label is the likeliest of the vocabulary
  double label = 0;      // mean probability of the label
  double probe = 0;      // accuracy of the linear probe; 0 when none was trained
  double agreement = 0;  // the likeliest class is the LensLabel of the model's own program
};

struct LensTable {
  std::vector<LensScore> layers;
  std::size_t decision = 0;
  std::size_t items = 0;
  double exact = 0;    // share of items whose answer is exactly right
  double program = 0;  // share of items whose program is that of the generator
};

struct LensStudyOptions {
  std::uint64_t seed = 1;
  std::uint64_t items = 1'000;        // evaluated on
  std::uint64_t probe_items = 4'000;  // the probe learns from; 0: no probe
  std::size_t threads = 1;
  std::optional<neural::questions::Family> family = {};  // questions of this one only
};

/// Items come from the training distribution, at indices that no training reaches; the probe's
/// differ from those it is evaluated on. The same for any number of threads. Cost: two passes over
/// each question. Errors of LensItems, of Codec::Of and of reading.
isa::Result<LensTable> StudyLens(const neural::questions::QuestionBank& bank,
                                 const std::shared_ptr<const neural::llm::Model>& model,
                                 const neural::llm::Tokenizer& tokenizer,
                                 const LensStudyOptions& options);

/// First indices of examples: the base's training begins at 0 and its held-out examples at 2^40.
inline constexpr std::uint64_t kLensTrainingExamples = std::uint64_t{1} << 41;
inline constexpr std::uint64_t kProbeExamples = std::uint64_t{1} << 42;
inline constexpr std::uint64_t kLensFreshExamples = std::uint64_t{1} << 43;

}  // namespace txvm::frontends::nl
