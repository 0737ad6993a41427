#include "tests/neural/triton/support/corpus_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "neural/triton/tasm/sections.h"

namespace txvm::triton {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string ReferenceOf(const std::string& tir) {
  constexpr std::string_view kMark = "// reference: ";
  const std::size_t start = tir.find(kMark) + kMark.size();
  return tir.substr(start, tir.find('\n', start) - start);
}

void ReadFamily(const std::filesystem::path& path, std::vector<CorpusFunction>& functions) {
  const std::string tir = ReadFile(path);
  const std::string tasm = ReadFile(std::filesystem::path(path).replace_extension(".tasm"));
  const auto naive = SplitSections(tir);
  const auto written = SplitSections(tasm);
  TXVM_ASSERT(naive.has_value() && written.has_value() && naive->size() == written->size());
  for (std::size_t i = 0; i < naive->size(); ++i) {
    const ProgramSection& section = (*naive)[i];
    TXVM_ASSERT(section.name == (*written)[i].name);
    CorpusFunction function;
    function.family = path.stem().string();
    function.name = section.name;
    function.tir = section.text;
    function.tasm = (*written)[i].text;
    function.reference = ReferenceOf(function.tir);
    functions.push_back(std::move(function));
  }
}

}  // namespace

std::vector<CorpusFunction> ReadCorpus() {
  std::vector<CorpusFunction> functions;
  const std::filesystem::path root =
      std::filesystem::path(TXVM_SOURCE_DIR) / "neural/triton/corpus";
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.path().extension() == ".tir") ReadFamily(entry.path(), functions);
  }
  std::sort(functions.begin(), functions.end(), [](const auto& a, const auto& b) {
    return std::tie(a.family, a.name) < std::tie(b.family, b.name);
  });
  return functions;
}

}  // namespace txvm::triton
