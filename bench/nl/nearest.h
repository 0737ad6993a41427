// How far a question is from everything that training says.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "bench/nl/asked_words.h"

namespace txvm::bench::nl {

/// A question, numbers and names masked (neural/questions/contamination.h), beside training.
struct Nearest {
  std::size_t words = 0;  // of the question
  /// The fewest words inserted, left out or replaced that make it one of the examples; `words`
  /// where all of them are further away.
  std::size_t edits = 0;
};

/// Looks for the nearest example of each question. Exact.
class NearestSearch {
 public:
  /// `asked` has to outlive this.
  NearestSearch(const AskedWords& asked, std::size_t threads);
  ~NearestSearch();

  /// Calls for different workers, 0..threads - 1, may run at once. Cost: 15 ns a question.
  void See(std::size_t worker, const WordIds& example);
  /// Of each question, beside the examples seen.
  std::vector<Nearest> Found() const;

 private:
  struct Worker;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace txvm::bench::nl
