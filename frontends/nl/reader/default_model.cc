#include "frontends/nl/reader/default_model.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace txvm::frontends::nl {
namespace {

/// How often an answer at a confidence or above is wrong: of questions of the held-out axes
/// templates, compositions and distractors (docs/NL-RESULTS.md, risk and coverage).
struct Risk {
  double confidence, wrong;
};
constexpr Risk kRisks[] = {{0, 0.106},    {0.2, 0.102},  {0.4, 0.094}, {0.5, 0.088},
                           {0.6, 0.081},  {0.7, 0.074},  {0.8, 0.059}, {0.9, 0.043},
                           {0.95, 0.030}, {0.99, 0.007}, {1, 0}};
/// How many times as often an answer is wrong where the wording is nobody's of the generator's.
constexpr double kUnfamiliar = 2.4;

}  // namespace

double ThresholdOf(double precision) {
  const double allowed = (1 - precision) / kUnfamiliar;
  const Risk* before = kRisks;
  for (const Risk& risk : kRisks) {
    if (risk.wrong <= allowed) {
      if (&risk == before) return risk.confidence;
      const double part = (before->wrong - allowed) / (before->wrong - risk.wrong);
      return before->confidence + part * (risk.confidence - before->confidence);
    }
    before = &risk;
  }
  return 1;
}

isa::Result<neural::llm::Bundle> OpenDefaultModel() {
  const std::string_view weights = DefaultModelFile("nl.safetensors");
  return neural::llm::BundleFromMemory(
      DefaultModelFile("config.json"),
      std::span(reinterpret_cast<const std::uint8_t*>(weights.data()), weights.size()),
      DefaultModelFile("tokenizer.json"));
}

}  // namespace txvm::frontends::nl
