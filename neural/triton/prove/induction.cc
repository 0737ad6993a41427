#include "neural/triton/prove/induction.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "neural/triton/prove/compare.h"
#include "neural/triton/tir/known_heights.h"

namespace txvm::triton {
namespace {

constexpr std::size_t kDepth = 96;          // words above 16 in the arbitrary state
constexpr std::size_t kMostPairs = 64;      // positions where both repeat
constexpr std::size_t kMostExplored = 200;  // pairs, counted again when less is known
constexpr std::size_t kMoreRepeats = 4;     // of a side that goes on alone to its end
constexpr std::size_t kMostFrames = 200;    // deeper calls are recursion without end
constexpr std::size_t kMostTerms = 400'000;

// The position of one side; the members of the other language stay empty.
struct Position {
  std::vector<TirFrame> tir;
  TasmPosition tasm;
  bool started = false;
  bool operator==(const Position&) const = default;
};

enum class Stop : std::uint8_t { kDone, kRepeat, kLimit };

// Runs until the end or the repeat that is number `stops`. The run may start at a repeat, which
// does not count.
template <class Control>
Stop Advance(Control& control, StackMachine<SymbolicWorld>& machine, std::size_t stops,
             std::uint64_t& steps) {
  for (bool first = true; !control.done() && !machine.domain().failed(); first = false) {
    if (!first && control.AtRepeat() && --stops == 0) return Stop::kRepeat;
    if (steps == 0 || control.depth() > kMostFrames) return Stop::kLimit;
    --steps;
    control.Step();
  }
  return Stop::kDone;
}

// How many repeats of each side make one step of the induction: the first time, and afterwards.
struct Pace {
  std::size_t first_start, second_start, first, second;
};
constexpr Pace kPaces[] = {{1, 1, 1, 1}, {2, 1, 1, 1}, {1, 2, 1, 1}, {2, 1, 2, 1},
                           {1, 2, 1, 2}, {1, 1, 2, 1}, {1, 1, 1, 2}, {3, 1, 3, 1},
                           {1, 3, 1, 3}, {4, 1, 4, 1}, {1, 4, 1, 4}};

// A word of the state, or the difference of two, is known to be 0 or not.
struct Invariant {
  std::uint32_t word;  // from the top
  std::optional<std::uint32_t> other;
  bool non_zero;
  auto operator<=>(const Invariant&) const = default;
};
constexpr std::uint32_t kKnownWords = 8;  // words from the top that invariants are about

class Induction {
 public:
  Induction(const Subject& first, const Subject& second, const VerifyOptions& options,
            const Pace& pace)
      : first_(first), second_(second), options_(options), pace_(pace), steps_(options.steps) {
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
    for (std::size_t explored = 0; !open_.empty(); ++explored) {
      const std::size_t index = open_.back();
      open_.pop_back();
      pairs_[index].is_open = false;
      if (explored > kMostExplored || pairs_.size() > kMostPairs || !Explore(index)) return false;
    }
    return true;
  }
  /// Both sides came to a repeat on some path, so that another pace may help.
  bool repeated() const { return repeated_; }

 private:
  struct Arrival {
    SideRun run;
    Stop stop;
    Position position;
  };
  struct Pair {
    Position first, second;
    std::set<Invariant> invariants = {};
    bool is_open = true;
  };

  Arrival RunFrom(const Subject& subject, const Position& from, std::size_t stops,
                  PathOracle& oracle) {
    std::vector<Term> stack;
    for (std::size_t i = kTasmRegisters + kDepth; i-- > 0;) {
      stack.push_back(table_.FromAtom(AtomKind::kStack, {}, static_cast<std::uint32_t>(i)));
    }
    const std::size_t length = stack.size();
    Arrival arrival{{SymbolicWorld(table_, oracle, true), {}, 0, true}, Stop::kDone, {}};
    arrival.position.started = true;
    StackMachine<SymbolicWorld> machine(arrival.run.world, std::move(stack), kTasmRegisters);
    if (subject.is_tir()) {
      TirControl<SymbolicWorld> control = subject.StartTir(machine);
      if (from.started) control.Resume(from.tir);
      arrival.stop = Advance(control, machine, stops, steps_);
      arrival.position.tir = control.position();
    } else {
      TasmControl<SymbolicWorld> control(machine, subject.tasm(), false);
      if (from.started) control.Resume(from.tasm);
      arrival.stop = Advance(control, machine, stops, steps_);
      arrival.position.tasm = control.position();
    }
    arrival.run.stack = machine.stack();
    arrival.run.dip = length - machine.lowest();
    arrival.run.finished = arrival.stop != Stop::kLimit && !arrival.run.world.undecided();
    return arrival;
  }

  Term WordOf(const Invariant& invariant) {
    const Term word = table_.FromAtom(AtomKind::kStack, {}, invariant.word);
    if (!invariant.other) return word;
    return table_.Monic(table_.Sub(word, table_.FromAtom(AtomKind::kStack, {}, *invariant.other)));
  }

  // What the facts of the path say of the words on top.
  std::set<Invariant> InvariantsOf(const std::vector<Term>& stack, const PathOracle& oracle) {
    std::set<Invariant> found;
    const auto note = [&](std::uint32_t word, std::optional<std::uint32_t> other, Term value) {
      if (const auto constant = table_.AsConst(value)) {
        found.insert({word, other, *constant != 0});
      } else if (const auto known = oracle.Known(table_.Monic(value))) {
        found.insert({word, other, *known});
      }
    };
    for (std::uint32_t i = 0; i < kKnownWords; ++i) {
      const Term word = stack[stack.size() - 1 - i];
      note(i, std::nullopt, word);
      for (std::uint32_t j = 0; j < i; ++j) {
        note(i, j, table_.Sub(word, stack[stack.size() - 1 - j]));
      }
    }
    return found;
  }

  // Both sides came to a pair of positions: it is explored, again where less is known than before.
  void Arrive(Position first, Position second, std::set<Invariant> invariants) {
    const auto at = std::ranges::find_if(
        pairs_, [&](const Pair& pair) { return pair.first == first && pair.second == second; });
    if (at == pairs_.end()) {
      open_.push_back(pairs_.size());
      pairs_.push_back({std::move(first), std::move(second), std::move(invariants)});
      return;
    }
    const std::size_t before = at->invariants.size();
    std::erase_if(at->invariants, [&](const auto& known) { return !invariants.contains(known); });
    if (at->invariants.size() == before || at->is_open) return;
    at->is_open = true;
    open_.push_back(static_cast<std::size_t>(at - pairs_.begin()));
  }

  // All paths from one pair of positions.
  bool Explore(std::size_t index) {
    const Pair from = pairs_[index];
    const DepthRule rule = DepthRuleFor(first_.is_tir(), second_.is_tir());
    const std::size_t at = first_.is_tir() ? from.second.tasm.at : from.first.tasm.at;
    const std::size_t height = at < heights_.size() ? heights_[at] : 0;
    const bool starts = !from.first.started;
    const std::size_t first_stops = starts ? pace_.first_start : pace_.first;
    const std::size_t second_stops = starts ? pace_.second_start : pace_.second;
    PathOracle oracle;
    std::size_t paths = 0;
    do {
      for (const Invariant& invariant : from.invariants) {
        oracle.Assume(WordOf(invariant), invariant.non_zero);
      }
      std::optional<Arrival> one(RunFrom(first_, from.first, first_stops, oracle));
      std::optional<Arrival> other(RunFrom(second_, from.second, second_stops, oracle));
      repeated_ = repeated_ || one->stop == Stop::kRepeat || other->stop == Stop::kRepeat;
      // One side may end where the other is about to test for the end.
      if (one->stop == Stop::kRepeat && other->stop == Stop::kDone) {
        one.emplace(RunFrom(first_, from.first, first_stops + kMoreRepeats, oracle));
      } else if (other->stop == Stop::kRepeat && one->stop == Stop::kDone) {
        other.emplace(RunFrom(second_, from.second, second_stops + kMoreRepeats, oracle));
      }
      Arrival& a = *one;
      Arrival& b = *other;
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
      Arrive(std::move(a.position), std::move(b.position), InvariantsOf(a.run.stack, oracle));
    } while (oracle.NextPath());
    return !oracle.broken();
  }

  const Subject& first_;
  const Subject& second_;
  const VerifyOptions& options_;
  Pace pace_;
  std::uint64_t steps_;
  bool repeated_ = false;
  std::vector<std::size_t> heights_;
  TermTable table_;
  std::vector<Pair> pairs_;
  std::vector<std::size_t> open_ = {0};  // pairs to explore
};

}  // namespace

bool ProvedByInduction(const Subject& first, const Subject& second, const VerifyOptions& options) {
  for (const Pace& pace : kPaces) {
    Induction induction(first, second, options, pace);
    if (induction.Run()) return true;
    if (!induction.repeated()) return false;
  }
  return false;
}

}  // namespace txvm::triton
