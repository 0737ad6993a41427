// From stack code to values. A block is run once on symbols: the operand cells and locals hold
// values, so that a LOCAL.GET or a SWAP is a change of the symbols and no code at all.
// Declared in vm/folded/ir.h.
#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

#include "isa/limits.h"
#include "isa/vector_routine.h"
#include "isa/word_ops.h"
#include "vm/folded/dead_values.h"
#include "vm/folded/ir.h"
#include "vm/folded/simplify.h"
#include "vm/folded/value_table.h"
#include "vm/folded/wide_variables.h"

namespace txvm::vm::folded {
namespace {

using isa::Opcode;

class Lifter {
 public:
  Lifter(const isa::Program& program, const isa::PathFacts& paths, std::size_t index,
         bool keeps_all, const RoutineMap* routines)
      : program_(program),
        paths_(paths),
        wide_(routines != nullptr),
        routines_(wide_ ? *routines : kNoRoutines),
        function_(program.functions[index]),
        flow_(FlowOf(program, paths, index, keeps_all, routines_)) {
    ir_.index = static_cast<std::uint32_t>(index);
    ir_.locals = function_.locals;
    ir_.params = function_.params;
  }

  FunctionIr Lift() {
    std::uint32_t highest = function_.params;
    for (const FlowBlock& block : flow_.blocks) highest = std::max(highest, block.height);
    ir_.variables = ir_.locals + highest;
    ir_.types.assign(ir_.variables, Type::kWord);
    for (const FlowBlock& block : flow_.blocks) {
      ir_.live.push_back(block.enters ? Listed(block.live) : std::vector<std::uint32_t>{});
      LiftBlock(block);
    }
    if (wide_) WidenVariables(ir_, function_.local_types);
    for (Block& block : ir_.blocks) CountUses(block, ir_.exits);
    return std::move(ir_);
  }

 private:
  std::vector<std::uint32_t> Listed(const LocalSet& set) const {
    std::vector<std::uint32_t> list;
    for (std::uint32_t i = 0; i < function_.locals; ++i) {
      if (set.Has(i)) list.push_back(i);
    }
    return list;
  }

  std::uint32_t CellVariable(std::uint32_t cell) const { return ir_.locals + cell; }
  const Node& At(Value value) const { return block_->nodes[value]; }
  std::optional<Word> ConstantOf(Value value) const { return values_.ConstantOf(value); }
  Value Constant(Word word) { return values_.Constant(word); }
  Value Variable(std::uint32_t variable) { return values_.Variable(variable); }
  Value Pure(Opcode opcode, Value a, Value b = kNone, Value c = kNone) {
    return values_.Pure(opcode, a, b, c);
  }

  // --------------------------------------------------------------------------------- values

  Value Local(std::uint32_t local) {
    if (locals_[local] == kNone) locals_[local] = Variable(local);
    return locals_[local];
  }

  Value Pop() {
    const Value value = cells_.back();
    cells_.pop_back();
    return value;
  }
  void Push(Value value) { cells_.push_back(value); }

  // ---------------------------------------------------------------------------------- exits

  // Locals that an exit or a call at `ip` has to store.
  std::vector<std::pair<std::uint32_t, Value>> LocalsToStore(const LocalSet& live) {
    std::vector<std::pair<std::uint32_t, Value>> stored;
    for (const std::uint32_t local : dirty_) {
      if (live.Has(local)) stored.emplace_back(local, Local(local));
    }
    std::ranges::sort(stored);
    return stored;
  }

  std::vector<std::pair<std::uint32_t, Value>> CellsToStore() {
    std::vector<std::pair<std::uint32_t, Value>> stored;
    for (std::uint32_t cell = 0; cell < cells_.size(); ++cell) {
      const Node& node = At(cells_[cell]);
      if (node.op == Op::kCell && node.imm == cell) continue;
      if (IsHalfOfCells(node, cell)) continue;
      stored.emplace_back(cell, cells_[cell]);
    }
    return stored;
  }

  // Whether a value is what operand cell `cell` holds in the operand space.
  bool IsHalfOfCells(const Node& node, std::uint32_t cell) const {
    if (node.op != Op::kWide) return false;
    if (node.wide != WideOp::kLow && node.wide != WideOp::kHigh) return false;
    const Node& whole = At(node.a);
    return whole.op == Op::kWideCell && whole.imm + (node.wide == WideOp::kHigh ? 1 : 0) == cell;
  }

  std::uint32_t ExitAt(ExitKind kind, std::uint32_t ip, std::uint32_t made, const LocalSet& live,
                       isa::Trap cause = isa::Trap::kUnreachable) {
    Exit exit;
    exit.kind = kind;
    exit.cause = cause;
    exit.ip = ip;
    exit.height = static_cast<std::uint32_t>(cells_.size());
    exit.unmade = block_->steps - made;
    exit.cells = CellsToStore();
    exit.locals = LocalsToStore(live);
    ir_.exits.push_back(std::move(exit));
    return static_cast<std::uint32_t>(ir_.exits.size() - 1);
  }

  std::uint32_t TrapAt(std::uint32_t ip, isa::Trap cause) {
    return ExitAt(ExitKind::kTrapped, ip, made_ + 1, LiveAt(ip), cause);
  }

  // Locals live before `ip`, found backwards from the end of the block once.
  const LocalSet& LiveAt(std::uint32_t ip) {
    if (flow_.keeps_all) return live_out_;
    if (live_at_.empty()) {
      live_at_.resize(block_->last_ip - block_->first_ip + 1);
      LocalSet live = live_out_;
      for (std::uint32_t at = block_->last_ip;; --at) {
        const isa::Instruction instruction = program_.code[at];
        if (isa::Info(instruction.op()).operand == isa::Operand::kLocal && instruction.aux() == 0) {
          if (instruction.op() == Opcode::kLocalGet) {
            live.Add(instruction.arg);
          } else {
            live.Remove(instruction.arg);
          }
        }
        if (CanTrap(instruction)) live_at_[at - block_->first_ip] = live;
        if (at == block_->first_ip) break;
      }
    }
    return live_at_[ip - block_->first_ip];
  }

  static bool CanTrap(isa::Instruction instruction) {
    const isa::OpcodeInfo& info = isa::Info(instruction.op());
    return info.operand == isa::Operand::kOffset || info.op_class == isa::OpClass::kDivide ||
           info.op_class == isa::OpClass::kFlow;
  }

  // --------------------------------------------------------------------------------- blocks

  void LiftBlock(const FlowBlock& flow) {
    ir_.blocks.emplace_back();
    block_ = &ir_.blocks.back();
    block_->first_ip = flow.first;
    block_->last_ip = flow.last;
    block_->height = flow.height;
    block_->steps = flow.last - flow.first + 1 + flow.routine_steps;
    block_->routine_steps = flow.routine_steps;
    block_->enters = flow.enters;
    values_.Start(*block_);
    ranges_.clear();
    globals_.clear();
    nonzero_.clear();
    made_ = 0;
    live_at_.clear();
    locals_.assign(function_.locals, kNone);
    written_.assign(function_.locals, false);
    dirty_ = Listed(flow.dirty);
    live_out_ = flow_.keeps_all ? LocalSet::All(function_.locals) : LocalSet(function_.locals);
    for (const std::uint32_t next : flow.successors) {
      live_out_.AddAll(flow_.blocks[next].live);
    }
    StartCells(flow);
    if (flow.checks) {
      block_->check_exit = ExitAt(ExitKind::kPolled, flow.first, 0, flow.live);
      // Before the steps are counted.
      ir_.exits.back().unmade = 0;
    }
    for (std::uint32_t ip = flow.first; ip < flow.last; ++ip) Step(ip);
    values_.SetPlace(flow.last);
    EndBlock(flow);
  }

  // Params at the start of a function and results after a call are in the operand space, unless
  // another way leads to the block, too.
  void StartCells(const FlowBlock& flow) {
    cells_.clear();
    std::uint32_t in_space = 0;
    if (!flow.jumped_to) {
      if (flow.first == function_.first) {
        in_space = flow.height;
      } else if (program_.code[flow.first - 1].op() == Opcode::kCall) {
        in_space = ShapeOf(program_, program_.code[flow.first - 1]).results;
      }
    }
    block_->cells_in_space = in_space;
    for (std::uint32_t cell = 0; cell < flow.height; ++cell) {
      cells_.push_back(cell < flow.height - in_space
                           ? Variable(CellVariable(cell))
                           : values_.Numbered({.op = Op::kCell, .imm = cell}));
    }
  }

  void SetLocal(std::uint32_t local, Value value) {
    locals_[local] = value;
    if (written_[local]) return;
    written_[local] = true;
    if (std::ranges::find(dirty_, local) == dirty_.end()) dirty_.push_back(local);
  }

  void Step(std::uint32_t ip) {
    values_.SetPlace(ip);
    StepValues(ip);
    made_ += routines_.StepsOf(program_.code[ip]);
  }

  void StepValues(std::uint32_t ip) {
    const isa::Instruction instruction = program_.code[ip];
    const isa::OpcodeInfo& info = isa::Info(instruction.op());
    switch (info.op_class) {
      case isa::OpClass::kArith:
      case isa::OpClass::kCompare:
      case isa::OpClass::kBits:
      case isa::OpClass::kShift: {
        const Value b = Pop();
        if (info.pops == 1) return Push(Pure(instruction.op(), b));
        const Value a = Pop();
        return Push(Pure(instruction.op(), a, b));
      }
      case isa::OpClass::kDivide:
        return Divide(ip);
      case isa::OpClass::kMove:
        return Move(instruction);
      case isa::OpClass::kMemory:
        return info.operand == isa::Operand::kOffset ? Access(ip) : LocalOrGlobal(instruction);
      case isa::OpClass::kFlow:
        if (const auto routine = routines_.CalledBy(instruction)) Compute(ip, *routine);
        return;  // the others end a block
    }
  }

  void Move(isa::Instruction instruction) {
    const std::size_t top = cells_.size() - 1;
    switch (instruction.op()) {
      case Opcode::kPush:
        return Push(Constant(instruction.arg));
      case Opcode::kPop:
        return cells_.pop_back();
      case Opcode::kDup:
        return Push(cells_[top]);
      case Opcode::kOver:
        return Push(cells_[top - 1]);
      case Opcode::kSwap:
        return std::swap(cells_[top - 1], cells_[top]);
      case Opcode::kRot: {
        const Value a = cells_[top - 2];
        cells_[top - 2] = cells_[top - 1];
        cells_[top - 1] = cells_[top];
        cells_[top] = a;
        return;
      }
      case Opcode::kSelect: {
        const Value c = Pop(), b = Pop(), a = Pop();
        return Push(Pure(Opcode::kSelect, a, b, c));
      }
      default:
        return;  // NOP
    }
  }

  void LocalOrGlobal(isa::Instruction instruction) {
    if (instruction.aux() == 0) {
      if (instruction.op() == Opcode::kLocalGet) return Push(Local(instruction.arg));
      const Value value = Pop();
      SetLocal(instruction.arg, value);
      if (instruction.op() == Opcode::kLocalTee) Push(value);
      return;
    }
    if (instruction.op() == Opcode::kLocalGet) {
      const auto [known, is_new] = globals_.try_emplace(instruction.arg, kNone);
      if (is_new) known->second = values_.Append({.op = Op::kGlobalGet, .imm = instruction.arg});
      return Push(known->second);
    }
    const Value value = Pop();
    values_.Append({.op = Op::kGlobalSet, .a = value, .imm = instruction.arg});
    globals_[instruction.arg] = value;
    if (instruction.op() == Opcode::kLocalTee) Push(value);
  }

  void Divide(std::uint32_t ip) {
    const Opcode opcode = program_.code[ip].op();
    const Value b = cells_[cells_.size() - 1];
    const Value a = cells_[cells_.size() - 2];
    const std::optional<Word> divisor = ConstantOf(b);
    const bool is_nonzero =
        (divisor && *divisor != 0) || std::ranges::find(nonzero_, b) != nonzero_.end();
    if (!is_nonzero) {
      const std::uint32_t exit = TrapAt(ip, isa::Trap::kDivideByZero);
      values_.Append({.op = Op::kCheckNonzero, .a = b, .exit = exit});
      nonzero_.push_back(b);
    }
    if (opcode == Opcode::kDivS && (!divisor || *divisor == isa::kMinusOne)) {
      const std::uint32_t exit = TrapAt(ip, isa::Trap::kIntegerOverflow);
      values_.Append({.op = Op::kCheckQuotient, .a = a, .b = b, .exit = exit});
    }
    cells_.pop_back();
    cells_.pop_back();
    if (const auto quotient = FoldDivision(opcode, ConstantOf(a), divisor)) {
      return Push(Constant(*quotient));
    }
    if (divisor == Word{1}) {
      return Push(opcode == Opcode::kDivS || opcode == Opcode::kDivU ? a : Constant(0));
    }
    if (divisor == isa::kMinusOne && opcode == Opcode::kRemS) return Push(Constant(0));
    if (divisor && std::has_single_bit(*divisor)) {
      if (opcode == Opcode::kDivU) {
        const auto bits = static_cast<Word>(std::countr_zero(*divisor));
        return Push(Pure(Opcode::kShrU, a, Constant(bits)));
      }
      if (opcode == Opcode::kRemU) return Push(Pure(Opcode::kAnd, a, Constant(*divisor - 1)));
    }
    Push(values_.Numbered({.op = Op::kDivide, .opcode = opcode, .a = a, .b = b}));
  }

  // The operand of an operation that starts at a cell.
  Value Operand(Type type, std::size_t cell) {
    switch (type) {
      case Type::kLong:
        return values_.Wide(WideOp::kPair, cells_[cell], cells_[cell + 1]);
      case Type::kVector:
        return values_.Wide(WideOp::kVectorOfLongs, Operand(Type::kLong, cell),
                            Operand(Type::kLong, cell + 2));
      case Type::kSingle:
        return values_.AnyNan(values_.Wide(WideOp::kSingleOfWord, cells_[cell]));
      case Type::kDouble:
        return values_.AnyNan(values_.Wide(WideOp::kDoubleOfLong, Operand(Type::kLong, cell)));
      default:
        return cells_[cell];
    }
  }

  // A CALL of a routine: one operation, which takes the routine's steps.
  void Compute(std::uint32_t ip, isa::RoutineId id) {
    const isa::RoutineInfo& info = isa::Info(id);
    if (isa::FindVectorRoutine(id) != nullptr) return ComputeVector(info);
    const WideOp op = OperationOf(id);
    const WideInfo& shape = Info(op);
    const std::size_t first = cells_.size() - info.cells_in;
    const Value a = Operand(shape.a, first);
    const std::size_t second = first + BytesOf(shape.a) / sizeof(Word);
    const Value b = shape.b == Type::kNothing ? kNone : Operand(shape.b, second);
    if (info.may_trap) {
      const std::uint32_t exit = ExitAt(ExitKind::kStepped, ip, made_, LiveAt(ip));
      values_.Append({.op = Op::kCheckTruncation, .wide = op, .a = a, .exit = exit});
    }
    cells_.resize(first);
    PushResult(shape.result, values_.Wide(op, a, b));
    if (cells_.size() < first + info.cells_out) Push(Constant(0));
  }

  // Its operands are vectors, and the count of a shift; its result a vector or a word.
  void ComputeVector(const isa::RoutineInfo& info) {
    constexpr std::size_t kCells = 4;
    const std::size_t first = cells_.size() - info.cells_in;
    Node node{.op = Op::kVector, .type = info.cells_out == 1 ? Type::kWord : Type::kVector};
    node.imm = static_cast<std::uint64_t>(info.id);
    node.a = Operand(Type::kVector, first);
    const bool is_shift = info.cells_in == kCells + 1;
    if (info.cells_in > kCells) {
      node.b = Operand(is_shift ? Type::kWord : Type::kVector, first + kCells);
    }
    if (info.cells_in > 2 * kCells) node.c = Operand(Type::kVector, first + 2 * kCells);
    cells_.resize(first);
    PushResult(node.type, values_.Numbered(node));
  }

  void PushResult(Type type, Value result) {
    switch (type) {
      case Type::kLong:
        Push(values_.Wide(WideOp::kLow, result));
        return Push(values_.Wide(WideOp::kHigh, result));
      case Type::kVector:
        PushResult(Type::kLong, values_.Wide(WideOp::kLowOfVector, result));
        return PushResult(Type::kLong, values_.Wide(WideOp::kHighOfVector, result));
      case Type::kSingle:
        return Push(
            values_.Wide(WideOp::kWordOfSingle, values_.Wide(WideOp::kCanonicalSingle, result)));
      case Type::kDouble: {
        const Value canonical = values_.Wide(WideOp::kCanonicalDouble, result);
        return PushResult(Type::kLong, values_.Wide(WideOp::kLongOfDouble, canonical));
      }
      default:
        return Push(result);
    }
  }

  // One check of the bounds and one access: by the Parabola and Tiling laws the heads of an
  // address that is inside return the bytes at that address (docs/LAWS.md, law of folding).
  void Access(std::uint32_t ip) {
    const isa::Instruction instruction = program_.code[ip];
    const isa::OpcodeInfo& info = isa::Info(instruction.op());
    const bool stores = info.memory_writes != 0;
    const std::uint64_t width = info.memory_reads + info.memory_writes;
    const Value address = cells_[cells_.size() - (stores ? 2 : 1)];
    const std::uint64_t end = instruction.arg + width;
    CheckRange(ip, address, end);
    if (!stores) return Load(instruction, address);
    const Value value = Pop();
    cells_.pop_back();
    Store(instruction, address, value);
  }

  // The first check of an address in a block is for all of them. Where it fails and its own access
  // is inside, a later one traps; then the instructions from there on are made one by one.
  void CheckRange(std::uint32_t ip, Value address, std::uint64_t end) {
    const auto [found, is_new] = ranges_.try_emplace(address, 0);
    if (is_new || (!wide_ && block_->nodes[found->second].imm < end)) {
      const std::uint32_t exit = TrapAt(ip, isa::Trap::kOutOfBounds);
      found->second =
          values_.Append({.op = Op::kCheckRange, .a = address, .imm = end, .exit = exit});
      return;
    }
    Node& check = block_->nodes[found->second];
    if (end <= check.imm) return;
    check.imm = end;
    Exit& exit = ir_.exits[check.exit];
    if (exit.kind == ExitKind::kStepped) return;
    exit.kind = ExitKind::kStepped;
    ++exit.unmade;
  }

  void Load(isa::Instruction load, Value address) {
    // The word after one that was just loaded: both at once.
    if (wide_ && load.op() == Opcode::kLoad && cells_.size() > 1) {
      const Node low = At(cells_[cells_.size() - 2]);
      if (low.op == Op::kLoad && low.opcode == Opcode::kLoad && low.a == address &&
          low.imm + sizeof(Word) == load.arg && low.version == values_.memory_version()) {
        const Value both = values_.Numbered(
            {.op = Op::kWideLoad, .type = Type::kLong, .a = address, .imm = low.imm}, low.version);
        cells_[cells_.size() - 2] = values_.Wide(WideOp::kLow, both);
        cells_.back() = values_.Wide(WideOp::kHigh, both);
        return;
      }
    }
    cells_.back() =
        values_.Numbered({.op = Op::kLoad, .opcode = load.op(), .a = address, .imm = load.arg},
                         values_.memory_version());
  }

  void Store(isa::Instruction store, Value address, Value value) {
    const bool whole = store.op() == Opcode::kStore;
    // A word before or after this one stays where it is, whatever that store was made with.
    const std::uint64_t before = values_.memory_version();
    values_.MemoryChanged();
    Node node{.op = Op::kStore, .opcode = store.op(), .a = address, .b = value, .imm = store.arg};
    node.version = values_.memory_version();
    const bool joined = wide_ && values_.StoreTwoWords(node);
    if (!joined) values_.Append(wide_ ? values_.StoreOfSingle(node) : node);
    if (!whole) return;
    // What was stored as a whole word is what a load finds there.
    if (joined) RememberNeighbour(address, store.arg, before);
    RememberWord(address, store.arg, value);
  }

  // Of two words that are one store, the one that was stored first.
  void RememberNeighbour(Value address, std::uint64_t offset, std::uint64_t before) {
    for (const std::uint64_t other : {offset - sizeof(Word), offset + sizeof(Word)}) {
      const Node load{.op = Op::kLoad, .opcode = Opcode::kLoad, .a = address, .imm = other};
      if (const auto known = values_.Known(load, before)) RememberWord(address, other, *known);
    }
  }

  void RememberWord(Value address, std::uint64_t offset, Value value) {
    values_.Remember({.op = Op::kLoad, .opcode = Opcode::kLoad, .a = address, .imm = offset},
                     values_.memory_version(), value);
  }

  void EndBlock(const FlowBlock& flow) {
    const isa::Instruction last = program_.code[flow.last];
    End& end = block_->end;
    end.ip = flow.last;
    end.height = static_cast<std::uint32_t>(cells_.size());
    switch (last.op()) {
      case Opcode::kHalt:
        return Leave(ExitAt(ExitKind::kHalted, flow.last, block_->steps, live_out_));
      case Opcode::kTrap:
        return Leave(TrapAt(flow.last, static_cast<isa::Trap>(last.arg)));
      case Opcode::kReturn:
        end.kind = EndKind::kReturn;
        end.results = function_.results;
        end.cells = CellsToStore();
        end.locals = LocalsToStore(live_out_);
        return;
      case Opcode::kCall:
        if (!routines_.CalledBy(last)) return Call(flow, last);
        return FallThrough(flow);
      case Opcode::kJz:
      case Opcode::kJnz:
        return Jump(flow, last);
      default:
        return FallThrough(flow);
    }
  }

  void FallThrough(const FlowBlock& flow) {
    Step(flow.last);
    block_->end.kind = EndKind::kGoto;
    block_->end.target = flow.successors.front();
    Assign();
  }

  void Leave(std::uint32_t exit) {
    block_->end.kind = EndKind::kExit;
    block_->end.exit = exit;
  }

  void Call(const FlowBlock& flow, isa::Instruction call) {
    if (flow.ends_in_host_call) {
      return Leave(ExitAt(ExitKind::kHostCall, flow.last, block_->steps - 1, live_out_));
    }
    End& end = block_->end;
    const isa::Function* callee = program_.FunctionAt(call.arg);
    end.kind = EndKind::kCall;
    end.callee = static_cast<std::uint32_t>(callee - program_.functions.data());
    end.params = callee->params;
    end.results = callee->results;
    end.target = flow.successors.front();
    end.cells = CellsToStore();
    end.locals = LocalsToStore(live_out_);
    // Everything is stored when the limit is looked at.
    Exit limit;
    limit.kind = ExitKind::kLimit;
    limit.ip = flow.last;
    limit.height = end.height;
    limit.unmade = 1;
    ir_.exits.push_back(std::move(limit));
    end.exit = static_cast<std::uint32_t>(ir_.exits.size() - 1);
    cells_.resize(cells_.size() - callee->params);
    Assign();
  }

  void Jump(const FlowBlock& flow, isa::Instruction jump) {
    const Value condition = Pop();
    End& end = block_->end;
    const Decision decided = Decided(program_, paths_, flow.last);
    Assign();
    if (decided != Decision::kDepends) {
      end.kind = EndKind::kGoto;
      end.target = flow.successors.front();
      return;
    }
    std::uint32_t if_zero = flow.successors[0], if_not = flow.successors[1];
    if (jump.op() == Opcode::kJnz) std::swap(if_zero, if_not);
    if (const std::optional<Word> known = ConstantOf(condition)) {
      end.kind = EndKind::kGoto;
      end.target = *known == 0 ? if_zero : if_not;
      return;
    }
    end.kind = EndKind::kBranch;
    end.condition = condition;
    end.target = if_not;
    end.other = if_zero;
    // x /= 0 branches as x does, and x = 0 as x the other way round.
    const Node node = At(condition);
    if (node.op == Op::kPure && node.opcode == Opcode::kNe && ConstantOf(node.b) == Word{0}) {
      end.condition = node.a;
    }
    if (node.op == Op::kPure && node.opcode == Opcode::kEqz) {
      end.condition = node.a;
      std::swap(end.target, end.other);
    }
  }

  // Variables that the blocks after this one read. REQUIRES: cells_ are those they find.
  void Assign() {
    for (std::uint32_t local = 0; local < function_.locals; ++local) {
      if (!written_[local] || !live_out_.Has(local)) continue;
      const Node& node = At(locals_[local]);
      if (node.op == Op::kVariable && node.imm == local) continue;
      block_->assigned.emplace_back(local, locals_[local]);
    }
    for (std::uint32_t cell = 0; cell < cells_.size(); ++cell) {
      const Node& node = At(cells_[cell]);
      if (node.op == Op::kVariable && node.imm == CellVariable(cell)) continue;
      block_->assigned.emplace_back(CellVariable(cell), cells_[cell]);
    }
  }

  const isa::Program& program_;
  const isa::PathFacts& paths_;
  inline static const RoutineMap kNoRoutines;
  bool wide_;  // whether values may have more than a word
  const RoutineMap& routines_;
  const isa::Function& function_;
  Flow flow_;
  FunctionIr ir_;

  Block* block_ = nullptr;            // the one being lifted
  std::vector<Value> cells_;          // operand cells, uppermost last
  std::vector<Value> locals_;         // (locals,) kNone: not looked at yet
  std::vector<bool> written_;         // (locals,) in this block
  std::vector<std::uint32_t> dirty_;  // locals that the space may not hold
  LocalSet live_out_;                 // locals live after the block
  std::vector<LocalSet> live_at_;     // (steps,) where an instruction can trap
  ValueTable values_;
  std::unordered_map<Value, Value> ranges_;  // the check of an address
  std::unordered_map<std::uint32_t, Value> globals_;
  std::vector<Value> nonzero_;
  std::uint32_t made_ = 0;  // steps of the block before the instruction that is lifted
};

}  // namespace

FunctionIr Lift(const isa::Program& program, const isa::PathFacts& paths, std::size_t index,
                bool keeps_all, const RoutineMap* routines) {
  return Lifter(program, paths, index, keeps_all, routines).Lift();
}

}  // namespace txvm::vm::folded
