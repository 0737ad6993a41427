#include "neural/triton/superopt/cliff.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "neural/triton/prove/equivalence.h"
#include "neural/triton/superopt/moves.h"
#include "neural/triton/superopt/spelling.h"
#include "neural/triton/tir/known_heights.h"

namespace txvm::triton {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSearchOfMove = 250;  // ms for the straight runs after a move
constexpr std::size_t kBeamOfMove = 12;
constexpr std::uint64_t kSpellings = 60'000;
constexpr std::uint64_t kCyclesOfSpelling = 3'000;  // of all inputs, for one spelling
constexpr std::uint64_t kStepsOfProof = 100'000;

// The costs of all inputs as one: each member a sum.
TasmCost SumOf(const std::vector<InputCost>& costs) {
  TasmCost sum;
  for (const InputCost& input : costs) {
    sum.padded += input.cost.padded;
    sum.max += input.cost.max;
    sum.sum += input.cost.sum;
    sum.words += input.cost.words;
  }
  return sum;
}

bool IsDearer(const std::vector<InputCost>& after, const std::vector<InputCost>& before) {
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i].crash.has_value() != before[i].crash.has_value()) return true;
    if (after[i].stopped() || after[i].cost > before[i].cost) return true;
  }
  return false;
}

class Attack {
 public:
  Attack(const std::vector<TirInputs>& inputs, const OptimizeOptions& options, CliffReport& report)
      : inputs_(inputs),
        options_(options),
        report_(report),
        end_(Clock::now() + std::chrono::milliseconds(options.milliseconds)) {}

  isa::Result<void> Run() {
    start_ = report_.after;
    bool goes_on = true;
    while (goes_on && !TimedOut()) {
      TXVM_TRY(goes_on, Improve());
    }
    TXVM_CHECK_OK(Spell());
    report_.timed_out = TimedOut();
    return {};
  }

 private:
  struct Candidate {
    std::string what;
    TasmProgram program;
    std::vector<InputCost> costs;
  };

  bool TimedOut() const { return Clock::now() >= end_; }

  // Proved against what the program is so far, which was proved equal to the first one.
  bool IsProved(const TasmProgram& program) const {
    VerifyOptions verify;
    verify.same_digest = options_.same_digest;
    verify.steps = kStepsOfProof;
    verify.trials = 0;
    const auto verdict =
        Verify(Subject::FromTasm(report_.program), Subject::FromTasm(program), verify);
    return verdict && verdict->verdict == Verdict::kProved;
  }

  isa::Result<std::vector<std::uint64_t>> Executions() const {
    TXVM_TRY(const TasmMachine machine, TasmMachine::Load(report_.program));
    std::vector<std::uint64_t> executions(report_.program.code.size(), 0);
    for (const TirInputs& input : inputs_) {
      TXVM_TRY(const TasmRun run, machine.Run(ToTasmInput(input)));
      for (std::size_t i = 0; i < executions.size() && i < run.executions.size(); ++i) {
        executions[i] += run.executions[i];
      }
    }
    return executions;
  }

  // Takes the cheapest move that is proved. False when there is none.
  isa::Result<bool> Improve() {
    TXVM_TRY(const std::vector<std::uint64_t> executions, Executions());
    std::vector<Candidate> cheaper;
    for (Move& move : MovesOf(report_.program, executions)) {
      if (TimedOut()) break;
      TXVM_TRY(Candidate candidate, Polished(std::move(move)));
      ++report_.tried;
      if (IsDearer(candidate.costs, start_)) continue;
      if (SumOf(candidate.costs) < SumOf(report_.after)) cheaper.push_back(std::move(candidate));
    }
    std::ranges::stable_sort(cheaper, {}, [](const Candidate& c) { return SumOf(c.costs); });
    for (Candidate& candidate : cheaper) {
      if (Take(candidate)) return true;
    }
    return false;
  }

  bool Take(Candidate& candidate) {
    if (!IsProved(candidate.program)) {
      ++report_.unproved;
      return false;
    }
    report_.moves.push_back(std::move(candidate.what));
    report_.program = std::move(candidate.program);
    report_.after = std::move(candidate.costs);
    return true;
  }

  // A move with its straight runs searched.
  isa::Result<Candidate> Polished(Move move) const {
    OptimizeOptions options = options_;
    options.progress = nullptr;
    options.milliseconds = kSearchOfMove;
    options.beam = std::min(options.beam, kBeamOfMove);
    TXVM_TRY(OptimizeReport polished, OptimizeProgram(move.program, inputs_, options));
    if (!polished.after.empty() && !RanOut(polished)) {
      return Candidate{std::move(move.what), std::move(polished.program),
                       std::move(polished.after)};
    }
    return Candidate{std::move(move.what), std::move(move.program), std::move(polished.before)};
  }

  static bool RanOut(const OptimizeReport& report) {
    return std::ranges::any_of(report.after, [](const InputCost& cost) { return cost.stopped(); });
  }

  // The hash of the program decides the cascade table: looks for a spelling that looks up less.
  isa::Result<void> Spell() {
    std::uint64_t cycles = 0;
    bool helps = false;
    for (const InputCost& input : report_.after) {
      cycles += input.cycles;
      const std::uint64_t cascade = input.heights[TasmTable::kCascade];
      helps = helps || (cascade == input.cost.max && cascade > kTasmLookupHeight);
    }
    if (!helps || cycles > kCyclesOfSpelling || !MayFall(report_.after)) return {};
    constexpr std::uint64_t kSeed = 1;
    TirRng rng(kSeed);
    std::optional<Candidate> best;
    for (std::uint64_t i = 0; i < kSpellings && !TimedOut(); ++i) {
      TasmProgram spelled = Respelled(report_.program, rng);
      TXVM_TRY(std::vector<InputCost> costs, CostOnInputs(spelled, inputs_));
      ++report_.tried;
      if (IsDearer(costs, start_)) continue;
      const TasmCost least = SumOf(best ? best->costs : report_.after);
      const TasmCost now = SumOf(costs);
      if (now < least) best = {"another spelling, for the hash", std::move(spelled), costs};
      if (best && now.padded < SumOf(start_).padded && !MayFall(costs)) break;
    }
    if (best) Take(*best);
    return {};
  }

  // Whether the next power of two below is near.
  static bool MayFall(const std::vector<InputCost>& costs) {
    constexpr std::uint64_t kNear = 16;  // one in so many rows too many
    return std::ranges::any_of(costs, [](const InputCost& input) {
      const std::uint64_t below = input.cost.padded / 2;
      return input.cost.max > kTasmLookupHeight && input.cost.max - below <= below / kNear;
    });
  }

  const std::vector<TirInputs>& inputs_;
  const OptimizeOptions& options_;
  CliffReport& report_;
  std::vector<InputCost> start_;
  Clock::time_point end_;
};

bool IsInReach(const TasmProgram& program, const std::vector<TirInputs>& inputs,
               const OptimizeOptions& options, const OptimizeReport& straight) {
  if (options.library || options.fragment || !program.HasHalt() || inputs.empty()) return false;
  if (straight.sees_itself || (options.same_digest && !IgnoresOwnDigest(program))) return false;
  return std::ranges::none_of(straight.after, [](const InputCost& cost) { return cost.stopped(); });
}

}  // namespace

isa::Result<CliffReport> AttackCliff(const TasmProgram& program,
                                     const std::vector<TirInputs>& inputs,
                                     const OptimizeOptions& options) {
  CliffReport report;
  TXVM_TRY(report.straight, OptimizeProgram(program, inputs, options));
  report.program = report.straight.program;
  report.after = report.straight.after;
  if (!IsInReach(program, inputs, options, report.straight)) return report;
  Attack attack(inputs, options, report);
  TXVM_CHECK_OK(attack.Run());
  return report;
}

}  // namespace txvm::triton
