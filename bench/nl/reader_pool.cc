#include "bench/nl/reader_pool.h"

#include <set>

#include "bench/nl/parallel.h"
#include "frontends/nl/language/printer.h"
#include "frontends/nl/reader/ask.h"
#include "neural/llm/bundle.h"

namespace txvm::bench::nl {

namespace front = frontends::nl;

std::string ValueOf(std::string_view program, const std::vector<front::Number>& numbers,
                    std::uint64_t fuel) {
  front::EvaluateOptions options;
  options.fuel = fuel;
  const auto report = front::Ask(program, front::CanonicalReader(numbers), options);
  return report ? report->AnswerText() : "";
}

isa::Result<ReaderPool> ReaderPool::Open(const std::string& model, const PoolOptions& options) {
  TXVM_TRY(const neural::llm::Bundle bundle, neural::llm::OpenBundle(model));
  if (!bundle.tokenizer) {
    return isa::Fail(isa::ErrorCode::kInvalid, model + " has no tokenizer");
  }
  ReaderPool pool;
  pool.options_ = options;
  for (const bool forced : {false, true}) {
    front::ModelReaderOptions reading;
    reading.allow_abstention = !forced;
    reading.readings = options.readings;
    for (std::size_t i = 0; i < options.threads; ++i) {
      TXVM_TRY(front::ModelReader reader,
               front::ModelReader::Make(bundle.model, *bundle.tokenizer, reading));
      pool.readers_[forced ? 1 : 0].push_back(std::move(reader));
    }
  }
  return pool;
}

Outcome ReaderPool::Ask(const std::string& question, front::ModelReader& reader) const {
  front::EvaluateOptions evaluating;
  evaluating.fuel = options_.fuel;
  const auto report = front::Ask(
      question, [&reader](std::string_view text) { return reader.Read(text); }, evaluating);
  if (!report) return {};
  return {front::TokensText(report->reading.tokens), report->AnswerText(),
          report->reading.confidence.value_or(0)};
}

std::vector<Outcome> ReaderPool::Answer(const std::vector<std::string>& questions, bool forced,
                                        std::string_view what) {
  Known& known = known_[forced ? 1 : 0];
  std::vector<std::string> fresh;
  std::set<std::string_view> seen;
  for (const std::string& question : questions) {
    if (!known.contains(question) && seen.insert(question).second) fresh.push_back(question);
  }
  std::vector<Outcome> outcomes(fresh.size());
  Readers& readers = readers_[forced ? 1 : 0];
  ForEach(fresh.size(), readers.size(), what,
          [&](std::size_t worker, std::size_t i) { outcomes[i] = Ask(fresh[i], readers[worker]); });
  for (std::size_t i = 0; i < fresh.size(); ++i) known.emplace(fresh[i], std::move(outcomes[i]));
  std::vector<Outcome> all;
  for (const std::string& question : questions) {
    all.push_back(known.at(question));
    const bool is_unsure = !forced && all.back().confidence < options_.least_confidence;
    if (is_unsure) all.back().answer.clear();
  }
  return all;
}

std::vector<Outcome> ReaderPool::Answer(const std::vector<Item>& items, std::string_view what) {
  std::vector<std::string> questions;
  for (const Item& item : items) questions.push_back(item.question);
  return Answer(questions, false, what);
}

bool IsRight(const Item& item, const Outcome& outcome) { return outcome.answer == item.answer; }

std::vector<bool> RightOnes(const std::vector<Item>& items, const std::vector<Outcome>& outcomes) {
  std::vector<bool> right;
  for (std::size_t i = 0; i < items.size(); ++i) right.push_back(IsRight(items[i], outcomes[i]));
  return right;
}

}  // namespace txvm::bench::nl
