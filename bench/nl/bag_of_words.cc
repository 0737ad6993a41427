#include "bench/nl/bag_of_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "bench/nl/items.h"
#include "frontends/nl/language/token.h"
#include "frontends/nl/numbers/lexer.h"
#include "neural/questions/contamination.h"
#include "neural/questions/generator.h"

namespace txvm::bench::nl {
namespace {

/// Texts by how often they occur, most frequent first, ties in alphabetical order.
std::vector<std::pair<std::string, std::size_t>> ByCount(
    const std::map<std::string, std::size_t>& counts) {
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           &std::pair<std::string, std::size_t>::second);
  return sorted;
}

std::size_t NumbersIn(std::string_view question) {
  const auto lexed = frontends::nl::Lex(question);
  return lexed ? lexed->numbers.size() : frontends::nl::kMaxSlots + 1;
}

}  // namespace

std::size_t SlotsOf(std::string_view program) {
  std::size_t slots = 0;
  for (std::size_t at = 0; (at = program.find('N', at)) != std::string_view::npos; ++at) {
    std::size_t slot = 0;
    for (std::size_t i = at + 1; i < program.size() && std::isdigit(program[i]) != 0; ++i) {
      slot = slot * 10 + static_cast<std::size_t>(program[i] - '0');
    }
    slots = std::max(slots, slot + 1);
  }
  return slots;
}

BagOfWords::BagOfWords(const neural::questions::QuestionBank& bank, const BagOptions& options)
    : lexicon_(bank.lexicon()) {
  neural::questions::GeneratorOptions stream;
  stream.seed = options.seed;
  const neural::questions::Generator generator(bank, stream);
  std::vector<std::pair<std::string, std::string>> examples;  // question, program
  std::map<std::string, std::size_t> words, programs;
  for (std::uint64_t i = 0; i < options.examples; ++i) {
    neural::questions::Example example = generator.Make(i);
    std::string program = PrintedProgram(example.canonical);
    for (const std::string& word : Words(example.question)) ++words[word];
    ++programs[program];
    examples.emplace_back(std::move(example.question), std::move(program));
  }
  for (const auto& [word, count] : ByCount(words)) {
    if (count >= options.least_uses) ids_.emplace(word, ids_.size());
  }
  std::unordered_map<std::string_view, std::size_t> classes;
  for (const auto& [program, count] : ByCount(programs)) {
    if (programs_.size() < options.programs) programs_.push_back(program);
  }
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    classes.emplace(programs_[i], i);
    slots_.push_back(SlotsOf(programs_[i]));
  }
  weights_.assign(ids_.size() * programs_.size(), 0);
  squares_.assign(weights_.size(), 0);
  for (std::size_t epoch = 0; epoch < options.epochs; ++epoch) {
    for (const auto& [question, program] : examples) {
      const auto found = classes.find(program);
      if (found != classes.end()) Learn(Features(question), found->second, options.rate);
    }
  }
}

std::vector<std::string> BagOfWords::Words(std::string_view question) const {
  std::vector<std::string> words = neural::questions::MaskedWords(lexicon_, question);
  words.push_back(fmt::format("<{} numbers>", NumbersIn(question)));
  words.emplace_back("<any question>");
  return words;
}

std::vector<BagOfWords::Feature> BagOfWords::Features(std::string_view question) const {
  std::map<std::size_t, float> counts;
  for (const std::string& word : Words(question)) {
    if (const auto found = ids_.find(word); found != ids_.end()) ++counts[found->second];
  }
  std::vector<Feature> features;
  for (const auto& [id, count] : counts) features.push_back({id, count});
  return features;
}

std::vector<float> BagOfWords::Scores(std::span<const Feature> features) const {
  std::vector<float> scores(programs_.size());
  for (const Feature& feature : features) {
    const float* row = &weights_[feature.id * scores.size()];
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += feature.count * row[i];
  }
  return scores;
}

void BagOfWords::Learn(std::span<const Feature> features, std::size_t program, float rate) {
  constexpr float kTiny = 1e-6F;
  std::vector<float> gradient = Scores(features);
  const float largest = std::ranges::max(gradient);
  float sum = 0;
  for (float& score : gradient) sum += score = std::exp(score - largest);
  for (float& score : gradient) score /= sum;
  gradient[program] -= 1;
  for (const Feature& feature : features) {
    float* row = &weights_[feature.id * gradient.size()];
    float* squares = &squares_[feature.id * gradient.size()];
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const float slope = feature.count * gradient[i];
      squares[i] += slope * slope;
      row[i] -= rate * slope / (std::sqrt(squares[i]) + kTiny);
    }
  }
}

std::string BagOfWords::Read(std::string_view question) const {
  const std::size_t numbers = NumbersIn(question);
  const std::vector<float> scores = Scores(Features(question));
  std::size_t best = programs_.size();
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (numbers > frontends::nl::kMaxSlots || slots_[i] > numbers) continue;
    if (best == programs_.size() || scores[i] > scores[best]) best = i;
  }
  return best == programs_.size() ? "?unclear" : programs_[best];
}

}  // namespace txvm::bench::nl
