#include "neural/triton/prove/induction.h"

#include <algorithm>
#include <utility>

#include "neural/triton/prove/compare.h"
#include "neural/triton/tir/known_heights.h"

namespace txvm::triton {
namespace {

constexpr std::size_t kDepth = 96;        // words above 16 in the arbitrary state
constexpr std::size_t kMostPairs = 64;    // positions where both repeat
constexpr std::size_t kMostFrames = 200;  // deeper calls are recursion without end
constexpr std::size_t kMostTerms = 400'000;

// The position of one side; the members of the other language stay empty.
struct Position {
  std::vector<TirFrame> tir;
  TasmPosition tasm;
  bool started = false;
  bool operator==(const Position&) const = default;
};

enum class Stop : std::uint8_t { kDone, kRepeat, kLimit };

// Runs until the end or the next repeat. The run may start at a repeat, which does not count.
template <class Control>
Stop Advance(Control& control, StackMachine<SymbolicWorld>& machine, std::uint64_t& steps) {
  for (bool first = true; !control.done() && !machine.domain().failed(); first = false) {
    if (!first && control.AtRepeat()) return Stop::kRepeat;
    if (steps == 0 || control.depth() > kMostFrames) return Stop::kLimit;
    --steps;
    control.Step();
  }
  return Stop::kDone;
}

class Induction {
 public:
  Induction(const Subject& first, const Subject& second, const VerifyOptions& options)
      : first_(first), second_(second), options_(options), steps_(options.steps) {
    if (!first.is_tir() || !second.is_tir()) {
      heights_ = KnownHeights(first.is_tir() ? second.tasm() : first.tasm());
    }
  }

  bool Run() {
    for (const Subject* side : {&first_, &second_}) {
      if (side->is_tir() || side->is_fragment() || options_.same_digest) continue;
      if (!IgnoresOwnDigest(side->tasm())) return false;
    }
    pairs_.emplace_back();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_.size() > kMostPairs || !Explore(i)) return false;
    }
    return true;
  }

 private:
  struct Arrival {
    SideRun run;
    Stop stop;
    Position position;
  };

  Arrival RunFrom(const Subject& subject, const Position& from, PathOracle& oracle) {
    std::vector<Term> stack;
    for (std::size_t i = kTasmRegisters + kDepth; i-- > 0;) {
      stack.push_back(table_.FromAtom(AtomKind::kStack, {}, static_cast<std::uint32_t>(i)));
    }
    const std::size_t length = stack.size();
    Arrival arrival{{SymbolicWorld(table_, oracle, true), {}, 0, true}, Stop::kDone, {}};
    arrival.position.started = true;
    StackMachine<SymbolicWorld> machine(arrival.run.world, std::move(stack), kTasmRegisters);
    if (subject.is_tir()) {
      TirControl<SymbolicWorld> control = subject.SymbolicTir(machine);
      if (from.started) control.Resume(from.tir);
      arrival.stop = Advance(control, machine, steps_);
      arrival.position.tir = control.position();
    } else {
      TasmControl<SymbolicWorld> control(machine, subject.tasm(), false);
      if (from.started) control.Resume(from.tasm);
      arrival.stop = Advance(control, machine, steps_);
      arrival.position.tasm = control.position();
    }
    arrival.run.stack = machine.stack();
    arrival.run.dip = length - machine.lowest();
    arrival.run.finished = arrival.stop != Stop::kLimit && !arrival.run.world.undecided();
    return arrival;
  }

  // All paths from one pair of positions.
  bool Explore(std::size_t index) {
    const auto from = pairs_[index];
    const DepthRule rule = DepthRuleFor(first_.is_tir(), second_.is_tir());
    const std::size_t at = first_.is_tir() ? from.second.tasm.at : from.first.tasm.at;
    const std::size_t height = at < heights_.size() ? heights_[at] : 0;
    PathOracle oracle;
    std::size_t paths = 0;
    do {
      Arrival a = RunFrom(first_, from.first, oracle);
      Arrival b = RunFrom(second_, from.second, oracle);
      if (!a.run.finished || !b.run.finished || ++paths > options_.paths ||
          table_.size() > kMostTerms) {
        return false;
      }
      // A run that dips further than the arbitrary stack reaches is not decided here.
      for (const Arrival* side : {&a, &b}) {
        if (side->run.world.fault() == Fault::kShallow) return false;
      }
      const bool crash = a.run.world.Crashes();
      const bool repeats = !crash && a.stop == Stop::kRepeat;
      if (!crash && a.stop != b.stop) return false;
      const Compared compared{repeats || first_.is_fragment(), rule, height};
      if (DifferenceWithSplits(a.run, b.run, compared, table_, oracle) != nullptr) return false;
      if (!repeats) continue;
      std::pair arrived{std::move(a.position), std::move(b.position)};
      if (std::find(pairs_.begin(), pairs_.end(), arrived) == pairs_.end()) {
        pairs_.push_back(std::move(arrived));
      }
    } while (oracle.NextPath());
    return !oracle.broken();
  }

  const Subject& first_;
  const Subject& second_;
  const VerifyOptions& options_;
  std::uint64_t steps_;
  std::vector<std::size_t> heights_;
  TermTable table_;
  std::vector<std::pair<Position, Position>> pairs_;
};

}  // namespace

bool ProvedByInduction(const Subject& first, const Subject& second, const VerifyOptions& options) {
  return Induction(first, second, options).Run();
}

}  // namespace txvm::triton
