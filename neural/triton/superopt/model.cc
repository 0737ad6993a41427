#include "neural/triton/superopt/model.h"

#include <algorithm>

#include "neural/triton/tir/tasm_step.h"

namespace txvm::triton {
namespace {

constexpr std::size_t kMostValues = 400;
constexpr std::size_t kMostChecks = 64;

class Modeler {
 public:
  std::optional<BlockModel> Run(const std::vector<TasmInstruction>& code, std::size_t known_depth) {
    std::int64_t depth = 0, lowest = 0;
    for (const TasmInstruction& instruction : code) {
      depth += TasmNet(instruction.op, instruction.arg);
      lowest = std::min(lowest, depth);
    }
    // Words above the 16 lowest: as many as the run takes or a schedule may take.
    const auto taken = static_cast<std::size_t>(-lowest);
    const std::size_t free = std::max(taken, std::min(known_depth, kTasmRegisters));
    std::vector<Term> stack;
    for (std::size_t i = kTasmRegisters + free; i-- > 0;) {
      stack.push_back(table_.FromAtom(AtomKind::kStack, {}, static_cast<std::uint32_t>(i)));
    }
    for (const Term term : stack) model_.start.push_back(Number(term, {}));
    model_.lowest = kTasmRegisters;
    StackMachine<SymbolicWorld> machine(world_, std::move(stack), kTasmRegisters);
    model_.loads.emplace_back();
    for (const TasmInstruction& instruction : code) {
      Step(machine, instruction);
      if (world_.failed() || model_.sources.size() > kMostValues) return std::nullopt;
    }
    for (const Term term : machine.stack()) model_.target.push_back(Number(term, {}));
    LeaveOut(free, taken);
    if (checks_.size() > kMostChecks) return std::nullopt;
    for (std::size_t i = 0; i < checks_.size(); ++i) model_.checks |= std::uint64_t{1} << i;
    Relate();
    return std::move(model_);
  }

 private:
  // Drops the words above the 16 lowest that no schedule reaches.
  void LeaveOut(std::size_t free, std::size_t taken) {
    std::vector<Value>& start = model_.start;
    std::vector<Value>& target = model_.target;
    const auto changed = std::mismatch(start.begin(), start.end(), target.begin(), target.end());
    const auto reached = static_cast<std::size_t>(start.end() - changed.first) + kReachBelow;
    if (reached >= free) return;
    const auto unreached = static_cast<std::ptrdiff_t>(free - std::max(taken, reached));
    start.erase(start.begin(), start.begin() + unreached);
    target.erase(target.begin(), target.begin() + unreached);
  }

  Value Number(Term term, Source source) {
    const auto [at, fresh] = numbers_.emplace(term, static_cast<Value>(model_.sources.size()));
    if (!fresh) return at->second;
    if (const auto constant = table_.AsConst(term))
      source = {Source::Kind::kConstant, *constant, 0};
    model_.sources.push_back(source);
    terms_.push_back(term);
    return at->second;
  }

  std::vector<Value> Top(const StackMachine<SymbolicWorld>& machine, std::size_t n, Source source) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(Number(machine.At(i), source));
    return values;
  }

  void Step(StackMachine<SymbolicWorld>& machine, const TasmInstruction& instruction) {
    switch (Info(instruction.op).op_class) {
      case TasmClass::kMove:
        StepTasm(machine, instruction);
        if (instruction.op == TasmOp::kPush) Number(machine.At(0), {});
        return;
      case TasmClass::kPure:
        return Pure(machine, instruction);
      case TasmClass::kStream:
        return Stream(machine, instruction);
      case TasmClass::kMemory:
        return Memory(machine, instruction);
      case TasmClass::kAssert:
        return Assert(machine, instruction);
      case TasmClass::kEvent:
        return Happen(machine, instruction);
      case TasmClass::kControl:
        break;
    }
    TXVM_ASSERT(false);  // a run is straight
  }

  void Pure(StackMachine<SymbolicWorld>& machine, const TasmInstruction& instruction) {
    Operation operation{instruction, Takes(machine, instruction), {}, 0};
    // A world without a history shows every condition of the step, also those met before.
    SymbolicWorld world(table_, oracle_, true);
    StackMachine<SymbolicWorld> alone(world, machine.stack(), 0);
    StepTasm(alone, instruction);
    const std::size_t length = machine.stack().size();
    StepTasm(machine, instruction);
    if (world_.failed()) return;
    const std::size_t left = operation.takes.size() + machine.stack().size() - length;
    const auto index = static_cast<std::uint16_t>(model_.operations.size());
    operation.leaves = Top(machine, left, {Source::Kind::kOperation, 0, index});
    for (const Condition& condition : world.Conditions()) {
      const auto [at, fresh] = checks_.emplace(condition, checks_.size());
      operation.checks |= std::uint64_t{1} << std::min<std::size_t>(at->second, kMostChecks - 1);
    }
    model_.operations.push_back(std::move(operation));
  }

  // An assertion that always holds, or that was made before, need not be made.
  void Assert(StackMachine<SymbolicWorld>& machine, const TasmInstruction& instruction) {
    const std::vector<Value> takes = Takes(machine, instruction);
    const std::set<Condition> before = world_.Conditions();
    const std::size_t length = machine.stack().size();
    StepTasm(machine, instruction);
    if (world_.failed() || world_.Conditions() == before) return;
    Record(machine, instruction, takes, length);
  }

  void Happen(StackMachine<SymbolicWorld>& machine, const TasmInstruction& instruction) {
    const std::vector<Value> takes = Takes(machine, instruction);
    const std::size_t length = machine.stack().size();
    StepTasm(machine, instruction);
    if (!world_.failed()) Record(machine, instruction, takes, length);
  }

  std::vector<Value> Takes(const StackMachine<SymbolicWorld>& machine,
                           const TasmInstruction& instruction) {
    return Top(machine, TasmReads(instruction.op, instruction.arg), {});
  }

  // `length`: of the stack before the step.
  void Record(const StackMachine<SymbolicWorld>& machine, const TasmInstruction& instruction,
              const std::vector<Value>& takes, std::size_t length) {
    const std::size_t left = takes.size() + machine.stack().size() - length;
    Event event{instruction,
                takes,
                Top(machine, left, {Source::Kind::kEvent, 0, 0}),
                static_cast<std::uint16_t>(model_.stores.size()),
                Info(instruction.op).access == RamAccess::kLoads,
                0};
    model_.events.push_back(std::move(event));
  }

  void Stream(StackMachine<SymbolicWorld>& machine, const TasmInstruction& instruction) {
    const auto n = static_cast<std::size_t>(instruction.arg);
    if (instruction.op == TasmOp::kWriteIo) {
      for (const Value value : Top(machine, n, {})) model_.outputs.push_back(value);
      StepTasm(machine, instruction);
      return;
    }
    StepTasm(machine, instruction);
    const bool input = instruction.op == TasmOp::kReadIo;
    const Source source{input ? Source::Kind::kInput : Source::Kind::kSecret, 0, 0};
    std::vector<Value>& stream = input ? model_.inputs : model_.secrets;
    for (std::size_t i = n; i-- > 0;) stream.push_back(Number(machine.At(i), source));
  }

  void Memory(StackMachine<SymbolicWorld>& machine, const TasmInstruction& instruction) {
    const auto n = static_cast<std::size_t>(instruction.arg);
    Term pointer = machine.At(0);
    if (instruction.op == TasmOp::kWriteMem) {
      for (std::size_t i = 0; i < n; ++i) {
        model_.stores.push_back({Number(pointer, {}), Number(machine.At(i + 1), {})});
        model_.loads.emplace_back();
        pointer = table_.Add(pointer, table_.Const(1));
        Number(pointer, {Source::Kind::kEvent, 0, 0});
      }
      StepTasm(machine, instruction);
      return;
    }
    StepTasm(machine, instruction);
    for (std::size_t i = 0; i < n; ++i) {
      const Value address = Number(pointer, {});
      const Value value = Number(machine.At(n - i), {Source::Kind::kLoad, 0, 0});
      model_.loads[model_.stores.size()].push_back({address, value});
      pointer = table_.Sub(pointer, table_.Const(1));
      Number(pointer, {Source::Kind::kEvent, 0, 0});
    }
  }

  // Pairs of values whose difference is a constant.
  void Relate() {
    const std::size_t n = model_.sources.size();
    model_.additions.resize(n);
    model_.steps.resize(n);
    for (auto& steps : model_.steps) steps.fill(kNoValue);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (a == b) continue;
        const auto difference = table_.AsConst(table_.Sub(terms_[b], terms_[a]));
        if (!difference) continue;
        model_.additions[a].emplace_back(*difference, static_cast<Value>(b));
        const std::int64_t step = vm::goldilocks::ToSigned(*difference);
        if (step >= -5 && step <= 5) {
          model_.steps[a][static_cast<std::size_t>(step + 5)] = static_cast<Value>(b);
        }
      }
    }
  }

  TermTable table_;
  PathOracle oracle_;
  SymbolicWorld world_{table_, oracle_, true};
  BlockModel model_;
  std::unordered_map<Term, Value> numbers_;
  std::vector<Term> terms_;
  std::map<Condition, std::size_t> checks_;
};

}  // namespace

std::optional<BlockModel> ModelRun(const std::vector<TasmInstruction>& code,
                                   std::size_t known_depth) {
  return Modeler().Run(code, known_depth);
}

bool MakesNothingNew(const BlockModel& model) {
  return std::any_of(
      model.operations.begin(), model.operations.end(), [&](const Operation& operation) {
        return std::all_of(operation.leaves.begin(), operation.leaves.end(), [&](Value value) {
          const Source& source = model.sources[value];
          if (source.kind != Source::Kind::kOperation) return true;
          const Operation& maker = model.operations[source.operation];
          return maker.instruction != operation.instruction || maker.takes != operation.takes;
        });
      });
}

}  // namespace txvm::triton
