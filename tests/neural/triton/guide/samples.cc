#include "tests/neural/triton/guide/samples.h"

#include <utility>

#include "neural/triton/guide/learner.h"
#include "neural/triton/lower/lower.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/parser.h"
#include "tests/neural/triton/support/corpus_files.h"

namespace txvm::triton::guide {

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
  neural::llm::Workers workers(1);
  Teach(windows, 20, nullptr, workers);
  std::erase_if(windows, [](const Window& window) { return window.schedule.empty(); });
  if (windows.size() > count) windows.resize(count);
  return windows;
}

}  // namespace txvm::triton::guide
