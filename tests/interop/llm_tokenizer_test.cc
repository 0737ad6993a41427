// Token ids against sentencepiece, tokenizers and a naive merger in Python (llm_tokenizers.py).
// TXVM_LLM_STRINGS sets the number of strings a tokenizer reads.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "neural/llm/tokenizer.h"
#include "tests/neural/llm/random_model.h"

namespace txvm::neural::llm {
namespace {

constexpr int kQuickStrings = 400;

std::string Output(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> part;
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) {
    text += part.data();
  }
  pclose(pipe);
  return text;
}

std::vector<std::string> Strings(const std::string& file) {
  std::vector<std::string> strings;
  for (std::size_t at = 0; at + 4 <= file.size();) {
    std::uint32_t size = 0;
    std::memcpy(&size, file.data() + at, 4);
    strings.push_back(file.substr(at + 4, size));
    at += 4 + size;
  }
  return strings;
}
std::vector<std::vector<Token>> Ids(const std::string& file) {
  std::vector<std::vector<Token>> rows;
  for (std::size_t at = 0; at + 4 <= file.size();) {
    std::uint32_t count = 0;
    std::memcpy(&count, file.data() + at, 4);
    std::vector<Token> row(count);
    if (count != 0) std::memcpy(row.data(), file.data() + at + 4, count * sizeof(Token));
    rows.push_back(std::move(row));
    at += 4 + count * sizeof(Token);
  }
  return rows;
}

std::string Escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    char part[8];
    std::snprintf(part, sizeof(part), c >= ' ' && c < 127 ? "%c" : "\\x%02x",
                  static_cast<unsigned char>(c));
    result += part;
  }
  return result;
}

std::string Listed(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token token : tokens) text += std::to_string(token) + " ";
  return text;
}

/// Compares one kind; the number of strings. SentencePiece itself knows no added tokens and adds
/// nothing around the text.
std::size_t Compare(const std::string& folder, const std::string& kind) {
  const auto tokenizer = OpenTokenizer(folder);
  EXPECT_TRUE(tokenizer) << kind << ": " << tokenizer.error().message;
  if (!tokenizer) return 0;
  const std::vector<std::string> strings = Strings(FileText(folder + "/strings.bin"));
  const auto expected = Ids(FileText(folder + "/ids.bin"));
  EXPECT_EQ(strings.size(), expected.size());
  const bool hugging_face = kind.starts_with("hf_");
  const EncodeOptions options{hugging_face, true, hugging_face};
  int wrong = 0;
  for (std::size_t i = 0; i < strings.size() && wrong < 3; ++i) {
    const std::vector<Token> tokens = tokenizer->Encode(strings[i], options);
    if (tokens == expected[i]) continue;
    ++wrong;
    ADD_FAILURE() << kind << " on \"" << Escaped(strings[i]) << "\"\n  ours " << Listed(tokens)
                  << "\n  oracle " << Listed(expected[i]);
  }
  return strings.size();
}

TEST(TokenizerOracles, IdsAreEqual) {
  const char* chosen = std::getenv("TXVM_PYTHON");
  const char* count = std::getenv("TXVM_LLM_STRINGS");
  const std::string python = chosen == nullptr ? "python3" : chosen;
  if (std::system((python + " -c '' 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "no Python found (TXVM_PYTHON names one)";
  }
  const TemporaryFolder folder;
  const std::string source = TXVM_SOURCE_DIR;
  const std::string list =
      Output(python + " " + source + "/tests/interop/llm_tokenizers.py " + folder.path() + " " +
             (count == nullptr ? std::to_string(kQuickStrings) : count) + " " + source +
             "/docs/HOW-IT-WORKS.md " + source + "/docs/NUMERICS.md");
  std::istringstream lines(list);
  std::size_t kinds = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("skipped")) {
      std::printf("%s (TXVM_PYTHON names a Python that has it)\n", line.c_str());
      continue;
    }
    const std::size_t strings = Compare(folder / line, line);
    std::printf("%-18s %zu strings\n", line.c_str(), strings);
    ++kinds;
  }
  EXPECT_GE(kinds, 1u) << list;
}

}  // namespace
}  // namespace txvm::neural::llm
