// txvm_check_equivalence --cases N --loops N --seed S: the verifier against its adversaries, N
// right and N broken rewrites of straight fragments, and N of each of programs with loops.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

#include "neural/triton/prove/equivalence.h"
#include "neural/triton/tasm/text.h"
#include "tests/neural/triton/prove/loops.h"
#include "tests/neural/triton/prove/mutate.h"

namespace txvm::triton {
namespace {

constexpr std::uint64_t kTrialsOfLoops = 60, kMillisecondsOfLoops = 10;

struct Score {
  std::map<Verdict, std::uint64_t> verdicts;
  std::vector<double> milliseconds;
  std::uint64_t cases = 0;
};

Subject Whole(const TasmProgram& program) { return Subject::FromTasm(program); }

TasmProgram Fragment(std::vector<TasmInstruction> code) {
  TasmProgram program;
  program.code = std::move(code);
  return program;
}

Verdict Judge(const TasmProgram& a, const TasmProgram& b, Score& score) {
  const auto start = std::chrono::steady_clock::now();
  const Subject first = Whole(a), second = Whole(b);
  VerifyOptions options;
  if (first.has_loops() || second.has_loops()) {
    // Many broken loops go on for longer than is run, which refutes nothing.
    options.trials = kTrialsOfLoops;
    options.milliseconds = kMillisecondsOfLoops;
  }
  const auto report = Verify(first, second, options);
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

// A rewrite to judge, and whether its meaning is known to differ.
struct Case {
  std::string what;
  TasmProgram first, second;
};

class Trial {
 public:
  Trial(std::uint64_t cases, std::uint64_t shown) : cases_(cases), shown_(shown) {}

  bool wants_broken() const { return broken_.cases < cases_; }
  bool wants_correct() const { return correct_.cases < cases_; }

  void JudgeBroken(const Case& broken) {
    const Verdict verdict = Judge(broken.first, broken.second, broken_);
    Note("not refuted", broken, verdict, Verdict::kRefuted, Verdict::kProved);
  }
  void JudgeCorrect(const Case& correct) {
    const Verdict verdict = Judge(correct.first, correct.second, correct_);
    Note("not proved", correct, verdict, Verdict::kProved, Verdict::kRefuted);
  }
  bool Report(const std::string& of) {
    Print((of + ", broken").c_str(), broken_);
    Print((of + ", correct").c_str(), correct_);
    fmt::print("{} wrong\n", wrong_);
    return wrong_ == 0;
  }

 private:
  // Wrong verdicts are always shown.
  void Note(const char* title, const Case& judged, Verdict verdict, Verdict right, Verdict wrong) {
    if (verdict == wrong) ++wrong_;
    if (verdict == right || (verdict != wrong && shown_ == 0)) return;
    if (shown_ > 0) --shown_;
    fmt::print("{} ({}):\n{}---\n{}\n", verdict == wrong ? "WRONG" : title, judged.what,
               DisassembleTasm(judged.first), DisassembleTasm(judged.second));
  }

  std::uint64_t cases_, shown_;
  std::uint64_t wrong_ = 0;
  Score broken_, correct_;
};

bool CheckStraight(std::uint64_t cases, std::uint64_t seed, std::uint64_t shown) {
  Trial trial(cases, shown);
  for (; trial.wants_broken() || trial.wants_correct(); ++seed) {
    TirRng rng(seed);
    const auto code = RandomCode(rng);
    if (trial.wants_broken()) {
      const auto mutation = BreakCode(code, rng);
      if (mutation && TellApart(code, mutation->code, rng)) {
        trial.JudgeBroken({mutation->what, Fragment(code), Fragment(mutation->code)});
      }
    }
    if (trial.wants_correct()) {
      const Mutation rewrite = RewriteCode(code, rng);
      trial.JudgeCorrect({rewrite.what, Fragment(code), Fragment(rewrite.code)});
    }
  }
  return trial.Report("straight code");
}

bool CheckLoops(std::uint64_t cases, std::uint64_t seed, std::uint64_t shown) {
  Trial trial(cases, shown);
  for (; trial.wants_broken() || trial.wants_correct(); ++seed) {
    TirRng rng(seed);
    const LoopProgram loop = RandomLoop(rng);
    const TasmProgram program = ProgramOf(loop);
    if (trial.wants_broken()) {
      const auto change = BreakLoop(loop, rng);
      if (change && TellProgramsApart(program, change->program, rng)) {
        trial.JudgeBroken({change->what, program, change->program});
      }
    }
    if (trial.wants_correct()) {
      const LoopChange rewrite = RewriteLoop(loop, rng);
      trial.JudgeCorrect({rewrite.what, program, rewrite.program});
    }
  }
  return trial.Report("loops");
}

}  // namespace
}  // namespace txvm::triton

int main(int argc, char** argv) {
  std::uint64_t cases = 0, loops = 0, seed = 1, shown = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::uint64_t value = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--cases") cases = value;
    if (name == "--loops") loops = value;
    if (name == "--seed") seed = value;
    if (name == "--show") shown = value;
  }
  constexpr std::uint64_t kCases = 1000;
  if (cases == 0 && loops == 0) cases = loops = kCases;
  bool right = true;
  if (cases > 0) right = txvm::triton::CheckStraight(cases, seed, shown);
  if (loops > 0) right = txvm::triton::CheckLoops(loops, seed, shown) && right;
  return right ? 0 : 1;
}
