#include "neural/triton/tir/known_heights.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "neural/triton/tir/flag_window.h"

// NOTATION  height = words above the 16 lowest.
//           Bound {net, floor} = at least max(height at the start of the routine + net, floor).
// FACTS     (1) max(h + n1, f1) and max(h + n2, f2) are both at least
//               max(h + min(n1, n2), min(f1, f2)).
//           (2) an instruction that did not crash leaves a height of at least 0.

namespace txvm::triton {
namespace {

constexpr std::size_t kMostVisits = 2'000'000;  // of instructions; hostile programs are not known
constexpr std::size_t kMostWindows = 8;         // of one instruction; more count as one
constexpr std::size_t kMostContexts = 8;        // of one routine; more count as one
constexpr int kMostDescents = 8;                // of a bound before it is given up
constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::min() / 4;  // as a net

struct Bound {
  std::int64_t net = 0;
  std::int64_t floor = 0;
  bool operator==(const Bound&) const = default;
};

Bound Least(const Bound& a, const Bound& b) {
  return {std::min(a.net, b.net), std::min(a.floor, b.floor)};
}

Bound After(const Bound& bound, std::int64_t net) {
  return {bound.net == kNothing ? kNothing : bound.net + net,
          std::max<std::int64_t>(bound.floor + net, 0)};
}

// First `first`, then a routine that returns with `then`.
Bound Then(const Bound& first, const Bound& then) {
  const bool known = first.net != kNothing && then.net != kNothing;
  const std::int64_t floor =
      then.net == kNothing ? then.floor : std::max(first.floor + then.net, then.floor);
  return {known ? first.net + then.net : kNothing, std::max<std::int64_t>(floor, 0)};
}

// A bound for each window; windows that are too many count as the one that says nothing.
class Bounds {
 public:
  // True when a bound became weaker; `window` becomes the one under which it is kept.
  bool Add(FlagWindow& window, const Bound& bound) {
    const auto found = bounds_.find(window);
    if (found == bounds_.end()) {
      if (bounds_.size() < kMostWindows) {
        bounds_.emplace(window, Entry{bound, 0});
        return true;
      }
      if (window != FlagWindow{}) {
        window = {};
        return Add(window, bound);
      }
      bounds_.emplace(window, Entry{bound, 0});
      return true;
    }
    Entry& entry = found->second;
    const Bound least = Least(entry.bound, bound);
    if (least == entry.bound) return false;
    entry.bound = least;
    if (++entry.descents > kMostDescents) entry.bound = {kNothing, 0};
    return true;
  }

  Bound At(const FlagWindow& window) const { return bounds_.at(window).bound; }

  template <class Visit>
  void ForEach(const Visit& visit) const {
    for (const auto& [window, entry] : bounds_) visit(window, entry.bound);
  }

 private:
  struct Entry {
    Bound bound;
    int descents = 0;
  };
  std::map<FlagWindow, Entry> bounds_;
};

// A routine, by its first instruction, and the window at its start.
using ContextKey = std::pair<std::size_t, FlagWindow>;

struct Context {
  std::map<std::size_t, Bounds> at;  // by instruction
  Bounds returns;
  // Where it is called: the calling context, the instruction and the window there.
  std::set<std::tuple<ContextKey, std::size_t, FlagWindow>> callers;
  std::int64_t entry = std::numeric_limits<std::int64_t>::max();  // least height at its start
  int descents = 0;
};

class Analysis {
 public:
  explicit Analysis(const TasmProgram& program) : program_(program) {}

  std::vector<std::size_t> Run() {
    std::vector<std::size_t> known(program_.code.size(), 0);
    const ContextKey root = Enter(0, FlagWindow{});
    Arrive(root, 0, {}, {0, 0});
    while (!work_.empty()) {
      const Place place = work_.back();
      work_.pop_back();
      queued_.erase(place);
      if (++visits_ > kMostVisits) return known;
      const auto& [key, at, window] = place;
      if (at < program_.code.size()) {
        Follow(key, at, window, contexts_.at(key).at.at(at).At(window));
      }
    }
    SettleEntries(root);
    std::vector<std::int64_t> least(known.size(), std::numeric_limits<std::int64_t>::max());
    for (const auto& [key, context] : contexts_) {
      for (const auto& [at, bounds] : context.at) {
        if (at >= least.size()) continue;
        bounds.ForEach([&, here = at, entry = context.entry](const FlagWindow&, const Bound& b) {
          least[here] = std::min(least[here], HeightAt(entry, b));
        });
      }
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
      const bool reached = least[i] != std::numeric_limits<std::int64_t>::max();
      known[i] = reached ? static_cast<std::size_t>(least[i]) : 0;
    }
    return known;
  }

 private:
  using Place = std::tuple<ContextKey, std::size_t, FlagWindow>;

  static std::int64_t HeightAt(std::int64_t entry, const Bound& bound) {
    return std::max(bound.net == kNothing ? 0 : entry + bound.net, bound.floor);
  }

  // The context of a call, or the one that says nothing when there are too many.
  ContextKey Enter(std::size_t start, const FlagWindow& window) {
    ContextKey key{start, window};
    if (contexts_.contains(key)) return key;
    if (++contexts_of_[start] > kMostContexts) key.second = {};
    contexts_[key];
    return key;
  }

  void Arrive(const ContextKey& key, std::size_t at, FlagWindow window, const Bound& bound) {
    if (!contexts_[key].at[at].Add(window, bound)) return;
    const Place place{key, at, window};
    if (queued_.insert(place).second) work_.push_back(place);
  }

  void Return(const ContextKey& key, FlagWindow window, const Bound& bound) {
    if (!contexts_[key].returns.Add(window, bound)) return;
    const auto callers = contexts_[key].callers;
    for (const auto& [caller, at, there] : callers) {
      Arrive(caller, at + 1, window, Then(contexts_.at(caller).at.at(at).At(there), bound));
    }
  }

  void Call(const ContextKey& key, std::size_t at, const FlagWindow& window, const Bound& bound,
            std::size_t target) {
    const ContextKey callee = Enter(target, window);
    contexts_[callee].callers.emplace(key, at, window);
    Arrive(callee, target, callee.second, {0, 0});
    const Bounds returns = contexts_[callee].returns;
    returns.ForEach([&](const FlagWindow& left, const Bound& returned) {
      Arrive(key, at + 1, left, Then(bound, returned));
    });
  }

  void Follow(const ContextKey& key, std::size_t at, const FlagWindow& window, const Bound& bound) {
    const TasmInstruction& instruction = program_.code[at];
    switch (instruction.op) {
      case TasmOp::kHalt:
        return;
      case TasmOp::kSkiz:
        for (const bool taken : {true, false}) {
          const auto next = window.AfterSkiz(taken);
          if (next) Arrive(key, at + (taken ? 1 : 2), *next, After(bound, -1));
        }
        return;
      case TasmOp::kCall:
        return Call(key, at, window, bound, program_.labels[instruction.arg].index);
      case TasmOp::kRecurse:
        return Arrive(key, key.first, window, bound);
      case TasmOp::kRecurseOrReturn:
        Arrive(key, key.first, window, bound);
        return Return(key, window, bound);
      case TasmOp::kReturn:
        return Return(key, window, bound);
#define TXVM_TASM_STRAIGHT(cls, code, Name, ...) case TasmOp::k##Name:
#include "neural/triton/tasm/ops.def"
        return Arrive(key, at + 1, window.After(instruction),
                      After(bound, TasmNet(instruction.op, instruction.arg)));
    }
  }

  // The least height at the start of every context, over all its calls.
  void SettleEntries(const ContextKey& root) {
    using Site = std::tuple<ContextKey, std::size_t, FlagWindow>;  // callee, place of the call
    std::map<ContextKey, std::vector<Site>> sites;
    for (const auto& [key, context] : contexts_) {
      for (const auto& [caller, at, window] : context.callers) {
        sites[caller].emplace_back(key, at, window);
      }
    }
    contexts_[root].entry = 0;
    std::vector<ContextKey> work = {root};
    while (!work.empty()) {
      const Context& caller = contexts_.at(work.back());
      const std::vector<Site>& calls = sites[work.back()];
      work.pop_back();
      for (const auto& [key, at, window] : calls) {
        Context& callee = contexts_.at(key);
        const std::int64_t entry = HeightAt(caller.entry, caller.at.at(at).At(window));
        if (entry >= callee.entry) continue;
        callee.entry = ++callee.descents > kMostDescents ? 0 : entry;
        work.push_back(key);
      }
    }
  }

  const TasmProgram& program_;
  std::size_t visits_ = 0;
  std::map<ContextKey, Context> contexts_;
  std::map<std::size_t, std::size_t> contexts_of_;  // by start
  std::vector<Place> work_;
  std::set<Place> queued_;
};

}  // namespace

std::vector<std::size_t> KnownHeights(const TasmProgram& program) {
  return Analysis(program).Run();
}

bool IgnoresOwnDigest(const TasmProgram& program) {
  const std::vector<std::size_t> heights = KnownHeights(program);
  constexpr std::size_t kAboveDigest = kTasmRegisters - kDigestWords;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const TasmInstruction& instruction = program.code[i];
    if (Info(instruction.op).arg != TasmArg::kRegister) continue;
    if (instruction.arg >= kAboveDigest + heights[i]) return false;
  }
  return true;
}

}  // namespace txvm::triton
