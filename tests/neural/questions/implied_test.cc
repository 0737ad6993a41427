// Stories that ask nothing (implied.cc): each row comes, none has a question, and the examples read
// back.
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>

#include "neural/questions/draft.h"
#include "neural/questions/generator.h"
#include "tests/neural/questions/drafts.h"

namespace txvm::neural::questions {
namespace {

TEST(Implied, EachRowComesAndAsksNothing) {
  constexpr std::size_t kTries = 5'000, kRows = 47;
  std::map<int, std::size_t> rows;
  const std::size_t drafts = ForDrafts(kTries, DraftImplied, [&](const Draft& draft) {
    ++rows[draft.phrasing];
    EXPECT_EQ(draft.marked.find_first_of("?{}[]<>~"), std::string::npos) << draft.marked;
  });
  EXPECT_EQ(drafts, kTries);
  EXPECT_EQ(rows.size(), kRows);
}

// Among the changes that training has at its end.
TEST(Implied, ExamplesReadBack) {
  constexpr std::uint64_t kExamples = 4'000;
  std::map<std::string, std::size_t> programs;
  ForExamples(Family::kChange, kExamples, OfLastMix(), [&](const Example& example) {
    if (example.phrasing >= kFirstComposition + kImpliedPhrasings) ++programs[example.canonical];
  });
  for (const char* any :
       {"N0 + N1 =", "N0 - N1 =", "N0 + N1 - N2 =", "N0 - N1 + N2 =", "N0 + N1 + N2 =",
        "N0 - N1 - N2 =", "N0 * N1 =", "N0 / N1 =", "N0 * 2 =", "N0 / 2 ="}) {
    EXPECT_GT(programs[any], 0u) << any;
  }
}

}  // namespace
}  // namespace txvm::neural::questions
