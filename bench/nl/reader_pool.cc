#include "bench/nl/reader_pool.h"

#include <set>
#include <utility>

#include "bench/nl/parallel.h"
#include "frontends/nl/language/printer.h"
#include "frontends/nl/reader/ask.h"
#include "frontends/nl/reader/plain_reader.h"
#include "neural/llm/adapter.h"
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

namespace {

template <class Model>
front::Reader Shared(Model model) {
  const auto shared = std::make_shared<Model>(std::move(model));
  return [shared](std::string_view question) { return shared->Read(question); };
}

isa::Result<front::Reader> OpenReader(const neural::llm::Bundle& bundle, bool forced,
                                      const PoolOptions& options) {
  if (!options.adapter.empty()) {
    front::PlainReaderOptions reading;
    reading.allow_abstention = !forced;
    reading.readings = options.readings;
    TXVM_TRY(front::PlainReader reader, front::PlainReader::Make(bundle, reading));
    return Shared(std::move(reader));
  }
  front::ModelReaderOptions reading;
  reading.allow_abstention = !forced;
  reading.readings = options.readings;
  TXVM_TRY(front::ModelReader reader,
           front::ModelReader::Make(bundle.model, *bundle.tokenizer, reading));
  return Shared(std::move(reader));
}

}  // namespace

isa::Result<ReaderPool> ReaderPool::Open(const std::string& model, const PoolOptions& options) {
  TXVM_TRY(neural::llm::Bundle bundle, neural::llm::OpenBundle(model));
  if (!options.adapter.empty()) {
    TXVM_TRY(bundle.model, neural::llm::WithAdapter(*bundle.model, options.adapter));
  }
  if (!bundle.tokenizer) {
    return isa::Fail(isa::ErrorCode::kInvalid, model + " has no tokenizer");
  }
  ReaderPool pool;
  pool.options_ = options;
  for (const bool forced : {false, true}) {
    for (std::size_t i = 0; i < options.threads; ++i) {
      TXVM_TRY(front::Reader reader, OpenReader(bundle, forced, options));
      pool.readers_[forced ? 1 : 0].push_back(std::move(reader));
    }
  }
  return pool;
}

Outcome ReaderPool::Ask(const std::string& question, const front::Reader& reader) const {
  front::EvaluateOptions evaluating;
  evaluating.fuel = options_.fuel;
  const auto report = front::Ask(question, reader, evaluating);
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
