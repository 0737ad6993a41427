// The figures that documents quote from the code are those of the code.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "frontends/nl/reader/model_reader.h"
#include "frontends/nl/training/training.h"
#include "neural/questions/generator.h"

namespace txvm::bench::nl {
namespace {

using ::testing::HasSubstr;

/// A document with every run of blanks and line ends as one blank.
std::string Document(const std::string& name) {
  std::ifstream in(TXVM_SOURCE_DIR "/docs/" + name);
  std::string text, word;
  while (in >> word) text += word + " ";
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

/// "12,800"
std::string WithCommas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

TEST(Documents, QuoteTheWordingOfTheReader) {
  const frontends::nl::WordingOptions wording;
  EXPECT_THAT(Document("NL-RESULTS.md"),
              HasSubstr(fmt::format("of a story, {} tokens or more, the log-odds lose {} for every "
                                    "nat by which its wording surprises the model more than {} "
                                    "nats a token",
                                    wording.least_tokens, wording.doubt, wording.usual)));
  EXPECT_THAT(Document("LLM.md"),
              HasSubstr(fmt::format("and to {} with the second", wording.usual)));
}

TEST(Documents, QuoteTheExamplesOfTraining) {
  const frontends::nl::TrainingOptions options;
  EXPECT_THAT(Document("NL-RESULTS.md"),
              HasSubstr(fmt::format("--training-examples {}",
                                    frontends::nl::UpdatesOf(options) * options.batch)));
  EXPECT_THAT(Document("LLM.md"), HasSubstr(WithCommas(frontends::nl::UpdatesOf(options))));
}

}  // namespace
}  // namespace txvm::bench::nl
