// A baseline without word order: a linear softmax over the words of a question that chooses among
// the programs most frequent in training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "neural/questions/bank.h"

namespace txvm::bench::nl {

struct BagOptions {
  std::uint64_t seed = 1;  // of the generator's training stream
  std::uint64_t examples = 40'000;
  std::size_t epochs = 3;
  std::size_t programs = 300;  // classes
  std::size_t least_uses = 4;  // of a word in training
  float rate = 0.2F;           // of Adagrad
};

/// Features: how often each word occurs, numbers and names masked, and how many numbers there are.
class BagOfWords {
 public:
  /// Learns from the first examples of the stream, in order; deterministic. Cost: seconds.
  /// The bank must outlive this.
  BagOfWords(const neural::questions::QuestionBank& bank, const BagOptions& options);

  /// The likeliest program, in printed form, whose slots the question has. "?unclear" when a
  /// question has more numbers than slots are.
  std::string Read(std::string_view question) const;
  /// Its classes, most frequent first.
  const std::vector<std::string>& programs() const { return programs_; }

 private:
  struct Feature {
    std::size_t id = 0;
    float count = 0;
  };
  std::vector<std::string> Words(std::string_view question) const;
  std::vector<Feature> Features(std::string_view question) const;
  /// Logits, one a program.
  std::vector<float> Scores(std::span<const Feature> features) const;
  void Learn(std::span<const Feature> features, std::size_t program, float rate);

  const neural::questions::Lexicon& lexicon_;
  std::vector<std::string> programs_;
  std::vector<std::size_t> slots_;  // that each program needs
  std::unordered_map<std::string, std::size_t> ids_;
  std::vector<float> weights_, squares_;  // (words, programs); sums of squared gradients
};

/// How many slots a printed program needs: one more than its largest.
std::size_t SlotsOf(std::string_view program);

}  // namespace txvm::bench::nl
