// The programs of neural/triton/corpus.
#pragma once

#include <string>
#include <vector>

namespace txvm::triton {

/// One function: its naive TIR and its hand-written TASM.
struct CorpusFunction {
  std::string family;
  std::string name;
  std::string reference;  // of the `// reference:` line
  std::string tir;
  std::string tasm;
};

/// All functions, sorted by family and name. Asserts that both files of a family name the same
/// functions in the same order.
std::vector<CorpusFunction> ReadCorpus();

}  // namespace txvm::triton
