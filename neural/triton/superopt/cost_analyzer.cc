#include "neural/triton/superopt/cost_analyzer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "neural/triton/lower/lower.h"
#include "neural/triton/lower/straight_runs.h"
#include "neural/triton/tasm/machine.h"

namespace txvm::triton {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
constexpr std::uint64_t kU32Rows = 33;         // of an entry with 32-bit operands
constexpr std::uint64_t kCascadePerHash = 80;  // 16 limbs in each of 5 rounds
constexpr std::uint64_t kProfileCycles = 20'000'000;

std::uint64_t Plus(std::uint64_t a, std::uint64_t b) { return a > kMost - b ? kMost : a + b; }
std::uint64_t Times(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kMost / b ? kMost : a * b;
}

// The rows of a piece of code.
struct Rows {
  std::uint64_t processor = 0, op_stack = 0, ram = 0, hash = 0, u32 = 0, permutations = 0;
  Seed6 seed6{};

  void Add(const Rows& other, std::uint64_t times = 1) {
    processor = Plus(processor, Times(other.processor, times));
    op_stack = Plus(op_stack, Times(other.op_stack, times));
    ram = Plus(ram, Times(other.ram, times));
    hash = Plus(hash, Times(other.hash, times));
    u32 = Plus(u32, Times(other.u32, times));
    permutations = Plus(permutations, Times(other.permutations, times));
    for (std::size_t i = 0; i < seed6.size(); ++i) {
      seed6[i] = Plus(seed6[i], Times(other.seed6[i], times));
    }
  }
  /// Raises each count to that of `other`, where it is larger.
  void RaiseTo(const Rows& other) {
    processor = std::max(processor, other.processor);
    op_stack = std::max(op_stack, other.op_stack);
    ram = std::max(ram, other.ram);
    hash = std::max(hash, other.hash);
    u32 = std::max(u32, other.u32);
    permutations = std::max(permutations, other.permutations);
    for (std::size_t i = 0; i < seed6.size(); ++i) seed6[i] = std::max(seed6[i], other.seed6[i]);
  }
};

Rows RowsOf(const TasmInstruction& instruction) {
  const TasmOpInfo& info = Info(instruction.op);
  Rows rows;
  rows.processor = 1;
  const std::int32_t net = TasmNet(instruction.op, instruction.arg);
  rows.op_stack = static_cast<std::uint64_t>(net < 0 ? -net : net);
  rows.ram = info.ram_per_unit ? instruction.arg : info.ram_rows;
  rows.hash = info.hash_rows;
  constexpr std::uint8_t kPermutation = 6;  // rows of one permutation
  rows.permutations = info.hash_rows == kPermutation ? 1 : 0;
  rows.u32 = kU32Rows * info.u32_entries;
  rows.seed6 = info.seed;
  if (info.ram_per_unit) rows.seed6[4] += instruction.arg;
  return rows;
}

// Adds the rows of the lowered program along its calls.
class Walker {
 public:
  Walker(const TasmProgram& program, const std::map<std::string, std::uint64_t>& bounds)
      : program_(program), bounds_(bounds) {}

  // Callees before callers. Not recursive: call chains may be long.
  Rows Whole() {
    Enter(0);
    while (!open_.empty()) {
      Open& open = open_.back();
      if (open.next == open.callees.size()) {
        known_.emplace(open.start, From(open.start));
        active_.erase(open.start);
        open_.pop_back();
        continue;
      }
      const std::size_t callee = open.callees[open.next++];
      if (active_.contains(callee)) {
        recursive_ = true;
      } else if (!known_.contains(callee)) {
        Enter(callee);
      }
    }
    return known_.at(0);
  }
  bool recursive() const { return recursive_; }

 private:
  // A routine whose callees are not all known.
  struct Open {
    std::size_t start = 0;
    std::vector<std::size_t> callees;  // in the order of the text
    std::size_t next = 0;
  };

  void Enter(std::size_t start) {
    active_.insert(start);
    Open& open = open_.emplace_back();
    open.start = start;
    for (std::size_t at = start; at < program_.code.size(); ++at) {
      const TasmOp op = program_.code[at].op;
      if (op == TasmOp::kCall) open.callees.push_back(TargetOf(at));
      if (!IsGuarded(start, at) && !IsInRoutine(op)) break;
    }
  }

  // From an instruction to the end of its routine. A skiz is taken the dearer way.
  Rows From(std::size_t start) const {
    Rows rows;
    bool repeats = false;
    for (std::size_t at = start; at < program_.code.size(); ++at) {
      const TasmInstruction& instruction = program_.code[at];
      const bool guarded = IsGuarded(start, at);
      // The exit of a loop head: taken once, when the loop ends.
      if (guarded && instruction.op == TasmOp::kReturn) continue;
      rows.Add(RowsOf(instruction));
      if (guarded && IsFirstArm(at)) {
        Rows arms = Arm(at);
        arms.RaiseTo(Arm(at + 2));
        rows.Add(arms);
        rows.Add(RowsOf(program_.code[at + 1]));
        at += 2;  // one of the two calls runs
        continue;
      }
      if (instruction.op == TasmOp::kCall) rows.Add(Arm(at));
      repeats = instruction.op == TasmOp::kRecurse;
      if (!guarded && !IsInRoutine(instruction.op)) break;
    }
    if (repeats) {
      Rows all;
      all.Add(rows, BoundOf(start));
      constexpr std::size_t kHead = 5;  // dup 0; push 0; eq; skiz; return: the last round
      for (std::size_t i = 0; i < kHead && start + i < program_.code.size(); ++i) {
        all.Add(RowsOf(program_.code[start + i]));
      }
      rows = all;
    }
    return rows;
  }

  /// The rows of the routine that a call runs; none while that is open.
  Rows Arm(std::size_t call) const {
    const auto known = known_.find(TargetOf(call));
    return known == known_.end() ? Rows{} : known->second;
  }

  std::size_t TargetOf(std::size_t call) const {
    return program_.labels[program_.code[call].arg].index;
  }

  bool IsGuarded(std::size_t start, std::size_t at) const {
    return at > start && program_.code[at - 1].op == TasmOp::kSkiz;
  }

  /// Whether `call _then_0 skiz call _else_1` begins there, as the lowering of if_else has it.
  bool IsFirstArm(std::size_t at) const {
    const auto calls = [this](std::size_t i, std::string_view stem) {
      return program_.code[i].op == TasmOp::kCall &&
             program_.labels[program_.code[i].arg].name.starts_with(stem);
    };
    return at + 2 < program_.code.size() && calls(at, "_then_") &&
           program_.code[at + 1].op == TasmOp::kSkiz && calls(at + 2, "_else_");
  }

  /// Whether the routine may go on with the instruction after `op`.
  static bool IsInRoutine(TasmOp op) {
    switch (op) {
      case TasmOp::kHalt:
      case TasmOp::kReturn:
      case TasmOp::kRecurse:
      case TasmOp::kRecurseOrReturn:
        return false;
      case TasmOp::kSkiz:
      case TasmOp::kCall:
#define TXVM_TASM_STRAIGHT(cls, code, Name, ...) case TasmOp::k##Name:
#include "neural/triton/tasm/ops.def"
        return true;
    }
    return true;
  }

  std::uint64_t BoundOf(std::size_t start) const {
    for (const TasmLabel& label : program_.labels) {
      const auto bound = bounds_.find(label.name);
      if (label.index == start && bound != bounds_.end()) return bound->second;
    }
    return 1;
  }

  const TasmProgram& program_;
  const std::map<std::string, std::uint64_t>& bounds_;
  std::map<std::size_t, Rows> known_;
  std::vector<Open> open_;        // innermost call last
  std::set<std::size_t> active_;  // starts of the open routines
  bool recursive_ = false;
};

void FindBounds(const std::vector<TirOp>& ops, std::map<std::string, std::uint64_t>& bounds,
                std::vector<std::string>& unbounded) {
  for (const TirOp& op : ops) {
    if (op.code == TirCode::kLoop) {
      bounds["__" + op.name] = std::max<std::uint64_t>(op.value, 1);
      if (op.value == 0) unbounded.push_back(op.name);
    }
    FindBounds(op.body, bounds, unbounded);
    FindBounds(op.other, bounds, unbounded);
  }
}

}  // namespace

isa::Result<StaticCost> AnalyzeCost(const TirModule& module) {
  TXVM_TRY(const TasmProgram program, LowerTir(module));
  StaticCost result;
  std::map<std::string, std::uint64_t> bounds;
  FindBounds(module.ops, bounds, result.unbounded);
  Walker walker(program, bounds);
  const Rows rows = walker.Whole();
  result.recursive = walker.recursive();
  result.seed6 = rows.seed6;
  const std::uint64_t words = TasmAddresses(program).back();
  constexpr std::uint64_t kRate = 10, kRowsPerHash = 6;
  const std::uint64_t blocks = (words + 1 + kRate - 1) / kRate;
  TasmHeights& heights = result.heights;
  heights[TasmTable::kProgram] = blocks * kRate;
  heights[TasmTable::kProcessor] = rows.processor;
  heights[TasmTable::kJumpStack] = rows.processor;
  heights[TasmTable::kOpStack] = rows.op_stack;
  heights[TasmTable::kRam] = rows.ram;
  heights[TasmTable::kHash] = Plus(rows.hash, blocks * kRowsPerHash);
  heights[TasmTable::kU32] = rows.u32;
  heights[TasmTable::kCascade] =
      std::min<std::uint64_t>(Times(Plus(rows.permutations, blocks), kCascadePerHash), 65'536);
  heights[TasmTable::kLookup] = kTasmLookupHeight;
  result.cost = CostOf(heights, words);
  return result;
}

isa::Result<std::vector<RunWeight>> ProfileRuns(const TasmProgram& program,
                                                const std::vector<TirInputs>& inputs) {
  TXVM_TRY(const TasmMachine machine, TasmMachine::Load(program));
  std::vector<RunWeight> weights;
  for (const StraightRun& run : StraightRuns(program))
    weights.push_back({run.start, run.length, 0});
  TasmOptions options;
  options.max_cycles = kProfileCycles;
  options.end_is_halt = true;
  for (const TirInputs& input : inputs) {
    TXVM_TRY(const TasmRun run, machine.Run(ToTasmInput(input), options));
    for (RunWeight& weight : weights) weight.executions += run.executions[weight.start];
  }
  std::stable_sort(weights.begin(), weights.end(), [](const RunWeight& a, const RunWeight& b) {
    return a.executions * a.length > b.executions * b.length;
  });
  return weights;
}

}  // namespace txvm::triton
