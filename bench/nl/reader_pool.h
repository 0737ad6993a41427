// A model asked many questions on several threads, every program executed; nothing asked twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bench/nl/items.h"
#include "frontends/nl/language/evaluate.h"
#include "frontends/nl/reader/model_reader.h"
#include "isa/support/result.h"

namespace txvm::bench::nl {

/// What came of a question.
struct Outcome {
  std::string program;    // in printed form, "?chat" for an abstention; empty: could not be read
  std::string answer;     // lowest terms; empty: abstained, refused or not read
  double confidence = 0;  // of the program, 0..1
};

struct PoolOptions {
  std::size_t threads = 2;
  double least_confidence = 0;  // below it an answer becomes an abstention
  std::uint64_t fuel = 0;       // steps a program may take
  std::size_t readings = frontends::nl::ModelReaderOptions().readings;  // ranked; 1: the likeliest
  std::string adapter =
      {};  // of a model without slots, as `txvm train adapter` writes it; empty: none
};

/// Runs the program of a question whose numbers are `numbers`, on the attention engine; empty when
/// it has no value within `fuel` steps. `program` names slots or digits.
std::string ValueOf(std::string_view program, const std::vector<frontends::nl::Number>& numbers,
                    std::uint64_t fuel);

class ReaderPool {
 public:
  /// Opens a model as OpenBundle does. Errors: its own; those of WithAdapter and of the
  /// readers' Make.
  static isa::Result<ReaderPool> Open(const std::string& model, const PoolOptions& options);

  /// One outcome a question, in order. `forced`: abstaining is not allowed, whatever the
  /// confidence. Answers of earlier calls are kept.
  std::vector<Outcome> Answer(const std::vector<std::string>& questions, bool forced = false,
                              std::string_view what = "questions");
  std::vector<Outcome> Answer(const std::vector<Item>& items, std::string_view what);

  const PoolOptions& options() const { return options_; }
  std::size_t answered() const { return known_[0].size() + known_[1].size(); }

 private:
  using Known = std::map<std::string, Outcome, std::less<>>;
  // By [forced], one for each thread.
  using Readers = std::vector<frontends::nl::Reader>;

  ReaderPool() = default;
  Outcome Ask(const std::string& question, const frontends::nl::Reader& reader) const;

  PoolOptions options_;
  Readers readers_[2];
  Known known_[2];
};

/// Whether an item got its answer; one without an answer, an abstention.
bool IsRight(const Item& item, const Outcome& outcome);
std::vector<bool> RightOnes(const std::vector<Item>& items, const std::vector<Outcome>& outcomes);

}  // namespace txvm::bench::nl
