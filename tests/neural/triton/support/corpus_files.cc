#include "tests/neural/triton/support/corpus_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace txvm::triton {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::vector<CorpusFunction> ReadCorpus() {
  const std::string mark = "// reference: ";
  std::vector<CorpusFunction> functions;
  const std::filesystem::path root = std::filesystem::path(TXVM_SOURCE_DIR) / "neural/triton/corpus";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".tir") continue;
    CorpusFunction function;
    function.family = entry.path().parent_path().filename().string();
    function.name = entry.path().stem().string();
    function.tir = ReadFile(entry.path());
    function.tasm = ReadFile(std::filesystem::path(entry.path()).replace_extension(".tasm"));
    const std::size_t start = function.tir.find(mark) + mark.size();
    function.reference = function.tir.substr(start, function.tir.find('\n', start) - start);
    functions.push_back(std::move(function));
  }
  std::sort(functions.begin(), functions.end(), [](const auto& a, const auto& b) {
    return std::tie(a.family, a.name) < std::tie(b.family, b.name);
  });
  return functions;
}

}  // namespace txvm::triton
