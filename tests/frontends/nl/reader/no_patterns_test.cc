// No regular expression takes part in reading a question or what a model made of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;

// In lower case. "regcomp" is POSIX's.
constexpr const char* kForbidden[] = {"<regex",  "std::regex", "re2/",        "pcre",
                                      "regex.h", "regcomp",    "boost/regex", "boost/xpressive",
                                      "ctre.h",  "hyperscan"};

TEST(NoPatterns, NeuralAndNlUseNoRegularExpressions) {
  std::size_t files = 0;
  for (const char* folder : {"neural", "frontends/nl"}) {
    const fs::path root = fs::path(TXVM_SOURCE_DIR) / folder;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc" && extension != ".def" && extension != ".txt") {
        continue;
      }
      ++files;
      std::ifstream stream(entry.path());
      std::string text{std::istreambuf_iterator<char>(stream), {}};
      std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
      for (const char* word : kForbidden) {
        EXPECT_EQ(text.find(word), std::string::npos) << entry.path() << " holds " << word;
      }
    }
  }
  EXPECT_GT(files, 20u);
}

}  // namespace
