// Suffix routing: does the word before the answer ("=" or "is") choose between computing a value
// and judging a claim? The original's protocol, and a controlled before and after: one model,
// trained on data that differ in nothing but the suffix.
//
// A body such as "N0 > N1" can be meant as a value (N0 - N1) or as a claim (N0 > N1). Arms:
//   before    the model as it is
//   suffix    "=" asks for the value, "is" for the claim; the program follows the suffix at once
//   swapped   the same bodies, programs and tokens with the two suffixes exchanged
//   control   the same bodies and programs without a suffix, after <program> as usual
// A quarter of the bodies is held out of all training. Half of every batch, the larger half, is
// ordinary questions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/nl/lens/lens.h"
#include "frontends/nl/lens/training.h"
#include "isa/support/result.h"
#include "neural/questions/bank.h"

namespace txvm::frontends::nl {

enum class SuffixArm : std::uint8_t { kBefore, kSuffix, kSwapped, kControl };
inline constexpr std::array<std::string_view, 4> kSuffixArms = {"before", "suffix", "swapped",
                                                                "control"};
inline constexpr std::array<std::string_view, 2> kSuffixes = {"=", "is"};

struct SuffixOptions {
  std::uint64_t seed = 1;
  std::uint64_t steps = 100;  // of each arm
  std::size_t batch = 64;     // sequences a step, at least 2
  double rate = 2e-3;
  std::size_t threads = 1;
};

/// Where the prompts of a suffix lead; shares of the prompts, 0..1.
struct SuffixRoute {
  std::size_t prompts = 0;
  double canonical = 0;   // mean probability that the next token is one of a program
  double value = 0;       // the program computes the value
  double claim = 0;       // the program judges a claim: a comparison comes first
  double lens_value = 0;  // the lens after the decision layer, among operators and comparisons
  double lens_claim = 0;
};

/// What the model says right after one of the original's prompts.
struct SuffixProbe {
  std::string next;
  double probability = 0;
  std::string program;  // the best one that the grammar allows
};

struct SuffixArmReport {
  SuffixArm arm = SuffixArm::kBefore;
  /// [after the suffix, after <program>][suffix][bodies learnt, held out]
  std::array<std::array<std::array<SuffixRoute, 2>, 2>, 2> routes;
  std::vector<SuffixProbe> probes;  // as SuffixPrompts
};

/// The original's prompts.
std::vector<std::string> SuffixPrompts();

/// Called after each step of an arm; false stops.
using SuffixProgress = std::function<bool(SuffixArm arm, std::uint64_t done, std::uint64_t steps,
                                          const neural::train::StepReport&)>;

/// All four arms from the same base; empty when stopped. Deterministic. Cost: three LoRA runs of
/// `steps` updates. Errors as TrainClassifier's.
isa::Result<std::vector<SuffixArmReport>> StudySuffixes(const neural::questions::QuestionBank& bank,
                                                        const neural::llm::Bundle& base,
                                                        const SuffixOptions& options,
                                                        const SuffixProgress& progress);
/// The first arm alone: the original's protocol.
isa::Result<SuffixArmReport> MeasureSuffixes(const std::shared_ptr<const neural::llm::Model>& model,
                                             const neural::llm::Tokenizer& tokenizer,
                                             SuffixArm arm);

}  // namespace txvm::frontends::nl
