#include "neural/triton/lower/tasm_peephole.h"

#include <algorithm>
#include <optional>
#include <span>

#include "neural/triton/lower/straight_runs.h"
#include "neural/triton/tir/tasm_step.h"
#include "neural/triton/tir/world.h"

namespace txvm::triton {
namespace {

using Code = std::span<const TasmInstruction>;

// The first `length` instructions of the window become `with`.
struct Rewrite {
  std::size_t length;
  std::vector<TasmInstruction> with;
};
using Found = std::optional<Rewrite>;

bool Is(Code code, std::size_t at, TasmOp op) { return at < code.size() && code[at].op == op; }
bool Is(Code code, std::size_t at, TasmOp op, std::uint64_t arg) {
  return Is(code, at, op) && code[at].arg == arg;
}

Found AddConstant(Code code) {
  if (Is(code, 0, TasmOp::kPush) && Is(code, 1, TasmOp::kAdd)) {
    return Rewrite{2, {{TasmOp::kAddI, code[0].arg}}};
  }
  if (Is(code, 0, TasmOp::kAddI) && Is(code, 1, TasmOp::kAddI)) {
    return Rewrite{2, {{TasmOp::kAddI, vm::goldilocks::Add(code[0].arg, code[1].arg)}}};
  }
  return std::nullopt;
}

// The number of constants on top of the stack that the instruction turns into one word; 0 for none.
std::size_t FoldedOperands(TasmOp op) {
  const TasmOpInfo& info = Info(op);
  return info.op_class == TasmClass::kPure && info.reads + info.net == 1 ? info.reads : 0;
}

// Runs the pushes and the operation; a crash is left in place.
Found FoldConstants(Code code) {
  std::size_t pushes = 0;
  while (pushes < 2 && Is(code, pushes, TasmOp::kPush)) ++pushes;
  if (pushes == 0 || pushes >= code.size()) return std::nullopt;
  const std::size_t operands = FoldedOperands(code[pushes].op);
  if (operands == 0 || operands != pushes) return std::nullopt;
  const TirInputs nothing;
  ConcreteWorld world(nothing);
  StackMachine<ConcreteWorld> machine(world, {}, 0);
  for (std::size_t i = 0; i <= pushes; ++i) StepTasm(machine, code[i]);
  if (world.failed()) return std::nullopt;
  return Rewrite{pushes + 1, {{TasmOp::kPush, machine.At(0)}}};
}

Found Commute(Code code) {
  if (!Is(code, 0, TasmOp::kSwap, 1) || code.size() < 2 || !Info(code[1].op).commutes) {
    return std::nullopt;
  }
  return Rewrite{2, {code[1]}};
}

Found StackNop(Code code) {
  const TasmOp op = code[0].op;
  const bool still =
      op == TasmOp::kSwap || op == TasmOp::kPick || op == TasmOp::kPlace || op == TasmOp::kAddI;
  if (op == TasmOp::kNop || (still && code[0].arg == 0)) return Rewrite{1, {}};
  return std::nullopt;
}

Found InverseMoves(Code code) {
  if (code.size() < 2 || code[0].arg != code[1].arg) return std::nullopt;
  if (Info(code[0].op).undo != code[1].op) return std::nullopt;
  return Rewrite{2, {}};
}

Found Rotation(Code code) {
  if (Is(code, 0, TasmOp::kPick, 1) || Is(code, 0, TasmOp::kPlace, 1)) {
    return Rewrite{1, {{TasmOp::kSwap, 1}}};
  }
  std::uint64_t up = 0;
  while (Is(code, up, TasmOp::kSwap, up + 1)) ++up;
  if (up >= 2) return Rewrite{up, {{TasmOp::kPick, up}}};
  if (!Is(code, 0, TasmOp::kSwap)) return std::nullopt;
  const std::uint64_t from = code[0].arg;
  std::uint64_t down = 0;
  while (down < from && Is(code, down, TasmOp::kSwap, from - down)) ++down;
  if (down >= 2 && down == from) return Rewrite{down, {{TasmOp::kPlace, from}}};
  return std::nullopt;
}

Found PushPop(Code code) {
  const bool pushes = Is(code, 0, TasmOp::kPush) || Is(code, 0, TasmOp::kDup);
  if (!pushes || !Is(code, 1, TasmOp::kPop)) return std::nullopt;
  if (code[1].arg == 1) return Rewrite{2, {}};
  return Rewrite{2, {{TasmOp::kPop, code[1].arg - 1}}};
}

Found MergeCounts(Code code) {
  const TasmOp op = code[0].op;
  if (op != TasmOp::kPop && op != TasmOp::kDivine) return std::nullopt;
  std::uint64_t words = 0;
  std::size_t length = 0;
  for (; Is(code, length, op); ++length) words += code[length].arg;
  if (length <= (words + kTasmMaxCount - 1) / kTasmMaxCount) return std::nullopt;
  Rewrite rewrite{length, {}};
  for (; words > 0; words -= std::min(words, kTasmMaxCount)) {
    rewrite.with.push_back({op, std::min(words, kTasmMaxCount)});
  }
  return rewrite;
}

Found AssertCopy(Code code) {
  for (std::size_t i = 0; i < kDigestWords; ++i) {
    if (!Is(code, i, TasmOp::kDup, kDigestWords - 1)) return std::nullopt;
  }
  if (!Is(code, kDigestWords, TasmOp::kAssertVector)) return std::nullopt;
  return Rewrite{kDigestWords + 1, {}};
}

Found SwapDup(Code code) {
  if (!Is(code, 0, TasmOp::kDup, 0) || !Is(code, 1, TasmOp::kSwap, 1)) return std::nullopt;
  return Rewrite{2, {{TasmOp::kDup, 0}}};
}

Found Match(TasmRule rule, Code code) {
  switch (rule) {
    case TasmRule::kAddConstant:
      return AddConstant(code);
    case TasmRule::kFoldConstants:
      return FoldConstants(code);
    case TasmRule::kCommute:
      return Commute(code);
    case TasmRule::kStackNop:
      return StackNop(code);
    case TasmRule::kInverseMoves:
      return InverseMoves(code);
    case TasmRule::kRotation:
      return Rotation(code);
    case TasmRule::kPushPop:
      return PushPop(code);
    case TasmRule::kMergeCounts:
      return MergeCounts(code);
    case TasmRule::kAssertCopy:
      return AssertCopy(code);
    case TasmRule::kSwapDup:
      return SwapDup(code);
  }
  return std::nullopt;
}

void Apply(std::vector<TasmInstruction>& code, std::size_t at, const Rewrite& rewrite) {
  const auto first = code.begin() + static_cast<std::ptrdiff_t>(at);
  code.erase(first, first + static_cast<std::ptrdiff_t>(rewrite.length));
  code.insert(code.begin() + static_cast<std::ptrdiff_t>(at), rewrite.with.begin(),
              rewrite.with.end());
}

// The longest pattern: a rotation of 15 swaps.
constexpr std::size_t kReach = 16;
// Longer runs are done piece by piece, which keeps hostile programs linear.
constexpr std::size_t kPiece = 4096;

}  // namespace

bool ApplyTasmRule(TasmRule rule, std::vector<TasmInstruction>& code) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (const Found rewrite = Match(rule, Code(code).subspan(at))) {
      Apply(code, at, *rewrite);
      return true;
    }
  }
  return false;
}

void OptimizeStraight(std::vector<TasmInstruction>& code) {
  if (code.size() > kPiece) {
    std::vector<TasmInstruction> whole;
    for (std::size_t start = 0; start < code.size(); start += kPiece) {
      const auto first = code.begin() + static_cast<std::ptrdiff_t>(start);
      std::vector<TasmInstruction> piece(
          first, first + static_cast<std::ptrdiff_t>(std::min(kPiece, code.size() - start)));
      OptimizeStraight(piece);
      whole.insert(whole.end(), piece.begin(), piece.end());
    }
    code = std::move(whole);
    return;
  }
  for (std::size_t at = 0; at < code.size();) {
    bool changed = false;
    for (std::size_t rule = 0; rule < kTasmRules && !changed; ++rule) {
      const Found rewrite = Match(static_cast<TasmRule>(rule), Code(code).subspan(at));
      if (!rewrite) continue;
      Apply(code, at, *rewrite);
      changed = true;
    }
    // A rewrite may complete a pattern that starts before it.
    at = changed ? at - std::min(at, kReach) : at + 1;
  }
}

TasmProgram OptimizeTasm(const TasmProgram& program) {
  const std::vector<StraightRun> runs = StraightRuns(program);
  std::vector<std::vector<TasmInstruction>> replacements;
  for (const StraightRun& run : runs) {
    std::vector<TasmInstruction> code = RunCode(program, run);
    OptimizeStraight(code);
    replacements.push_back(std::move(code));
  }
  return ReplaceRuns(program, runs, replacements);
}

}  // namespace txvm::triton
