#include "neural/triton/tir/known_heights.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

namespace txvm::triton {
namespace {

constexpr std::size_t kMostRounds = 64;  // of the fixpoints; deeper call graphs are not known
constexpr std::size_t kMostVisits = 4'000'000;  // of instructions; hostile programs are not known

// A function, by its first instruction. Heights are relative to the height at its start.
struct Routine {
  std::map<std::size_t, std::int64_t> heights;              // by instruction
  std::vector<std::pair<std::size_t, std::int64_t>> calls;  // target, height at the call
  std::optional<std::int64_t> net;
  bool consistent = true;
};

class Analysis {
 public:
  explicit Analysis(const TasmProgram& program) : program_(program) {
    routines_[0];
    for (const TasmInstruction& instruction : program.code) {
      if (instruction.op == TasmOp::kCall) routines_[program.labels[instruction.arg].index];
    }
  }

  std::vector<std::size_t> Run() {
    std::vector<std::size_t> known(program_.code.size(), 0);
    if (!SettleNets()) return known;
    // A routine of two heights may have left any height to all that runs after it.
    for (const auto& [start, routine] : routines_) {
      if (!routine.consistent) return known;
    }
    std::map<std::size_t, std::int64_t> entries;
    if (!SettleEntries(entries)) return known;
    std::vector<std::int64_t> least(known.size(), std::numeric_limits<std::int64_t>::max());
    for (const auto& [start, routine] : routines_) {
      for (const auto& [at, height] : routine.heights) {
        if (at >= least.size()) continue;
        least[at] = std::min(least[at], std::max<std::int64_t>(entries[start] + height, 0));
      }
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
      const bool reached = least[i] != std::numeric_limits<std::int64_t>::max();
      known[i] = reached ? static_cast<std::size_t>(least[i]) : 0;
    }
    return known;
  }

 private:
  bool SettleNets() {
    for (std::size_t round = 0; round < kMostRounds; ++round) {
      bool changed = false;
      for (auto& [start, routine] : routines_) {
        const auto before = std::pair(routine.net, routine.consistent);
        Explore(start, routine);
        if (visits_ > kMostVisits) return false;
        changed |= before != std::pair(routine.net, routine.consistent);
      }
      if (!changed) return true;
    }
    return false;
  }

  void Explore(std::size_t start, Routine& routine) {
    routine.heights.clear();
    routine.calls.clear();
    std::vector<std::pair<std::size_t, std::int64_t>> work = {{start, 0}};
    while (!work.empty() && routine.consistent && ++visits_ <= kMostVisits) {
      const auto [at, height] = work.back();
      work.pop_back();
      const auto [seen, fresh] = routine.heights.emplace(at, height);
      if (!fresh) {
        routine.consistent &= seen->second == height;
        continue;
      }
      if (at < program_.code.size()) Follow(routine, at, height, work);
    }
    if (!routine.consistent) routine.net.reset();
  }

  void Follow(Routine& routine, std::size_t at, std::int64_t height,
              std::vector<std::pair<std::size_t, std::int64_t>>& work) {
    const TasmInstruction& instruction = program_.code[at];
    switch (instruction.op) {
      case TasmOp::kHalt:
        return;
      case TasmOp::kSkiz:
        work.emplace_back(at + 1, height - 1);
        work.emplace_back(at + 2, height - 1);
        return;
      case TasmOp::kCall: {
        const std::size_t target = program_.labels[instruction.arg].index;
        routine.calls.emplace_back(target, height);
        const Routine& callee = routines_[target];
        if (!callee.consistent) routine.consistent = false;
        if (callee.net) work.emplace_back(at + 1, height + *callee.net);
        return;
      }
      case TasmOp::kRecurse:
        routine.consistent &= height == 0;
        return;
      case TasmOp::kReturn:
      case TasmOp::kRecurseOrReturn:
        if (instruction.op == TasmOp::kRecurseOrReturn) routine.consistent &= height == 0;
        routine.consistent &= !routine.net || *routine.net == height;
        routine.net = height;
        return;
#define TXVM_TASM_STRAIGHT(cls, code, Name, ...) case TasmOp::k##Name:
#include "neural/triton/tasm/ops.def"
        work.emplace_back(at + 1, height + TasmNet(instruction.op, instruction.arg));
        return;
    }
  }

  // Least height at the start of each routine, over all its calls.
  bool SettleEntries(std::map<std::size_t, std::int64_t>& entries) {
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    for (const auto& [start, routine] : routines_) entries[start] = start == 0 ? 0 : kNone;
    for (std::size_t round = 0; round < kMostRounds; ++round) {
      bool changed = false;
      for (const auto& [start, routine] : routines_) {
        if (entries[start] == kNone) continue;
        for (const auto& [target, height] : routine.calls) {
          const std::int64_t here = std::max<std::int64_t>(entries[start] + height, 0);
          if (here >= entries[target]) continue;
          entries[target] = here;
          changed = true;
        }
      }
      if (!changed) break;
      if (round + 1 == kMostRounds) return false;
    }
    for (auto& [start, height] : entries) height = height == kNone ? 0 : height;
    return true;
  }

  const TasmProgram& program_;
  std::size_t visits_ = 0;
  std::map<std::size_t, Routine> routines_;
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
