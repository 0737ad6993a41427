// txvm_check_equivalence --cases N --seed S: the verifier against its adversary.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

#include "neural/triton/prove/equivalence.h"
#include "neural/triton/tasm/text.h"
#include "tests/neural/triton/prove/mutate.h"

namespace txvm::triton {
namespace {

struct Score {
  std::map<Verdict, std::uint64_t> verdicts;
  std::vector<double> milliseconds;
  std::uint64_t cases = 0;
};

Subject Fragment(const std::vector<TasmInstruction>& code) {
  TasmProgram program;
  program.code = code;
  return Subject::FromTasm(std::move(program));
}

Verdict Judge(const std::vector<TasmInstruction>& a, const std::vector<TasmInstruction>& b,
              Score& score) {
  const auto start = std::chrono::steady_clock::now();
  const auto report = Verify(Fragment(a), Fragment(b));
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  const Verdict verdict = report ? report->verdict : Verdict::kUnknown;
  ++score.cases;
  ++score.verdicts[verdict];
  score.milliseconds.push_back(took.count());
  return verdict;
}

void Print(const char* name, Score& score) {
  std::sort(score.milliseconds.begin(), score.milliseconds.end());
  fmt::print("{}: {} cases", name, score.cases);
  for (const auto& [verdict, count] : score.verdicts) {
    fmt::print(", {} {}", count, VerdictText(verdict));
  }
  if (!score.milliseconds.empty()) {
    fmt::print("; median {:.3f} ms, longest {:.1f} ms\n",
               score.milliseconds[score.milliseconds.size() / 2], score.milliseconds.back());
  }
}

void Show(const char* title, const Mutation& mutation, const std::vector<TasmInstruction>& code) {
  TasmProgram a;
  TasmProgram b;
  a.code = code;
  b.code = mutation.code;
  fmt::print("{} ({}):\n{}---\n{}\n", title, mutation.what, DisassembleTasm(a), DisassembleTasm(b));
}

int Main(std::uint64_t cases, std::uint64_t seed, std::uint64_t shown) {
  Score broken, correct;
  bool wrong = false;
  for (std::uint64_t i = 0; broken.cases < cases || correct.cases < cases; ++i) {
    TirRng rng(seed + i);
    const auto code = RandomCode(rng);
    if (broken.cases < cases) {
      const auto mutation = BreakCode(code, rng);
      if (mutation && TellApart(code, mutation->code, rng)) {
        const Verdict verdict = Judge(code, mutation->code, broken);
        wrong |= verdict == Verdict::kProved;
        if (verdict != Verdict::kRefuted && shown > 0) {
          --shown;
          Show("not refuted", *mutation, code);
        }
      }
    }
    if (correct.cases < cases) {
      const Mutation rewrite = RewriteCode(code, rng);
      const Verdict verdict = Judge(code, rewrite.code, correct);
      wrong |= verdict == Verdict::kRefuted;
      if (verdict != Verdict::kProved && shown > 0) {
        --shown;
        Show("not proved", rewrite, code);
      }
    }
  }
  Print("broken", broken);
  Print("correct", correct);
  return wrong ? 1 : 0;
}

}  // namespace
}  // namespace txvm::triton

int main(int argc, char** argv) {
  std::uint64_t cases = 1000, seed = 1, shown = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::uint64_t value = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--cases") cases = value;
    if (name == "--seed") seed = value;
    if (name == "--show") shown = value;
  }
  return txvm::triton::Main(cases, seed, shown);
}
