#include "tests/neural/optimizer/samples.h"

#include <utility>

#include "neural/optimizer/learner.h"
#include "neural/tir/lower_tasm.h"
#include "neural/tir/tasm_text.h"
#include "tests/neural/tir/corpus_files.h"

namespace txvm::neural::optimizer {

std::vector<TasmInstruction> CodeOfText(std::string_view text) { return AssembleTasm(text)->code; }

std::vector<TasmProgram> NaivePrograms(std::string_view family) {
  std::vector<TasmProgram> programs;
  for (const CorpusFunction& function : ReadCorpus()) {
    if (function.family != family) continue;
    programs.push_back(*LowerTir(*ParseTir(function.tir), {.peepholes = false}));
  }
  return programs;
}

Network RandomNetwork(std::uint64_t seed) {
  return *Network::Make(Numerators(InitialWeights(seed)));
}

std::vector<Window> TaughtWindows(std::size_t count, std::uint64_t seed) {
  std::vector<Window> windows = RandomWindows(4 * count, seed);
  llm::Workers workers(1);
  Teach(windows, 20, nullptr, workers);
  std::erase_if(windows, [](const Window& window) { return window.schedule.empty(); });
  if (windows.size() > count) windows.resize(count);
  return windows;
}

}  // namespace txvm::neural::optimizer
