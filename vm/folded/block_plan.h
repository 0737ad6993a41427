// Where the values of a block live: asmjit's compiler allocates the registers, and here values are
// born in the register of the variable they end in.
//
// NOTATION  home: the virtual register of a value or variable
//           sunk: a comparison made where its only user, a branch or SELECT, is
//           put off: part of a float or long that only a state needs: stored from the whole
// FACTS     Every 32-bit home holds zeros above: it is written by 32-bit instructions only, so that
//           it can be an index of 64 bits.
//           MOV leaves the flags alone: assignments may stand between a comparison and its branch.
#pragma once

#include <asmjit/x86.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "vm/folded/context.h"
#include "vm/folded/dead_values.h"
#include "vm/folded/ir.h"
#include "vm/folded/simplify.h"

namespace txvm::vm::folded {

namespace x86 = asmjit::x86;
using asmjit::Imm;
using asmjit::Label;
using isa::Opcode;
using x86::CondCode;
using x86::Gp;
using x86::Mem;
using x86::Xmm;

inline constexpr std::uint64_t kDoubleSign = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kSingleSign = std::uint64_t{1} << 31;
inline constexpr std::uint64_t kDoubleNan = 0x7FF8000000000000u;
inline constexpr std::uint32_t kSingleNan = 0x7FC00000u;

inline constexpr std::int64_t kLargestOffset = std::numeric_limits<std::int32_t>::max();

inline int OffsetOf(std::size_t offset) { return static_cast<int>(offset); }

inline CondCode ConditionOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kEq:
    case Opcode::kEqz:
      return CondCode::kEqual;
    case Opcode::kLtS:
      return CondCode::kSignedLT;
    case Opcode::kLtU:
      return CondCode::kUnsignedLT;
    case Opcode::kGtS:
      return CondCode::kSignedGT;
    case Opcode::kGtU:
      return CondCode::kUnsignedGT;
    case Opcode::kLeS:
      return CondCode::kSignedLE;
    case Opcode::kLeU:
      return CondCode::kUnsignedLE;
    case Opcode::kGeS:
      return CondCode::kSignedGE;
    case Opcode::kGeU:
      return CondCode::kUnsignedGE;
    default:
      return CondCode::kNotEqual;
  }
}

inline bool SetsFlags(const Node& node) {
  if (node.op == Op::kWide) {  // equality of floats takes two flags
    return IsComparison(node.wide) && node.wide != WideOp::kF32Eq && node.wide != WideOp::kF32Ne &&
           node.wide != WideOp::kF64Eq && node.wide != WideOp::kF64Ne;
  }
  if (node.op != Op::kPure) return false;
  return isa::Info(node.opcode).op_class == isa::OpClass::kCompare || node.opcode == Opcode::kAnd;
}
/// Whether a value is part of another one, and nothing to compute where only a state needs it.
inline bool IsPart(const Node& node) {
  if (node.op != Op::kWide) return false;
  switch (node.wide) {
    case WideOp::kLow:
    case WideOp::kHigh:
    case WideOp::kWordOfSingle:
    case WideOp::kLongOfDouble:
    case WideOp::kCanonicalSingle:
    case WideOp::kCanonicalDouble:
      return true;
    default:
      return false;
  }
}

/// The registers of a function and of the block that is being emitted, and its exits. ValueEmitter
/// emits the nodes of a block, FunctionEmitter what is around them.
class BlockPlan {
 protected:
  BlockPlan(x86::Compiler& cc, const FunctionIr& ir) : cc_(cc), ir_(ir) {
    variables_.resize(ir_.variables);
    float_variables_.resize(ir_.variables);
  }

  // ------------------------------------------------------------------------------------- places

  Gp Variable(std::uint64_t variable) {
    Gp& home = variables_[variable];
    if (!home.isValid()) {
      home = ir_.types[variable] == Type::kLong ? cc_.newUInt64() : cc_.newUInt32();
    }
    return home;
  }
  Xmm FloatVariable(std::uint64_t variable) {
    Xmm& home = float_variables_[variable];
    if (!home.isValid()) {
      home = ir_.types[variable] == Type::kDouble ? cc_.newXmmSd() : cc_.newXmmSs();
    }
    return home;
  }
  Mem LocalInSpace(std::uint64_t local) const {
    return x86::dword_ptr(locals_, static_cast<std::int32_t>(4 * local));
  }
  Mem CellInSpace(std::uint64_t cell) const {
    return x86::dword_ptr(cells_, static_cast<std::int32_t>(4 * cell));
  }
  Mem WideCellInSpace(std::uint64_t cell, std::uint32_t bytes) const {
    return x86::ptr(cells_, static_cast<std::int32_t>(4 * cell), bytes);
  }
  Mem Global(std::uint64_t global) const {
    return x86::dword_ptr(globals_, static_cast<std::int32_t>(4 * global));
  }

  const Node& At(Value value) const { return block_->nodes[value]; }
  bool IsConstant(Value value) const { return At(value).op == Op::kConst; }
  Imm ImmediateOf(Value value) const {
    return Imm(static_cast<std::int32_t>(static_cast<Word>(At(value).imm)));
  }

  /// The register of a value; of a constant, a fresh one.
  Gp Register(Value value) {
    const Node& node = At(value);
    if (node.op == Op::kVariable) return Variable(node.imm);
    if (node.op != Op::kConst) return homes_[value];
    const Gp fresh = NewWord();
    cc_.mov(fresh, ImmediateOf(value));
    return fresh;
  }

  // ------------------------------------------------------------------------ more than one word

  // The bits of a long that are known; such a long has no register of its own.
  std::optional<std::uint64_t> LongConstant(Value value) const {
    const Node& node = At(value);
    if (node.op != Op::kWide || node.wide != WideOp::kPair) return std::nullopt;
    if (!IsConstant(node.a) || !IsConstant(node.b)) return std::nullopt;
    return At(node.b).imm << 32 | At(node.a).imm;
  }
  std::optional<std::uint64_t> FloatConstantBits(Value value) const {
    const Node& node = At(value);
    if (node.op != Op::kWide) return std::nullopt;
    if (node.wide == WideOp::kDoubleOfLong) return LongConstant(node.a);
    if (node.wide == WideOp::kSingleOfWord && IsConstant(node.a)) return At(node.a).imm;
    return std::nullopt;
  }
  bool IsWideConstant(Value value) const {
    return LongConstant(value).has_value() || FloatConstantBits(value).has_value();
  }

  Gp LongRegister(Value value) {
    const std::optional<std::uint64_t> bits = LongConstant(value);
    if (At(value).op == Op::kVariable) return Variable(At(value).imm);
    if (!bits) return homes_[value];
    const Gp fresh = NewQuad();
    cc_.mov(fresh, Imm(*bits));
    return fresh;
  }

  Mem BitsInPool(Type type, std::uint64_t bits) {
    return cc_.newConst(asmjit::ConstPoolScope::kLocal, &bits, BytesOf(type));
  }
  Mem FloatConstant(Type type, double number) {
    return BitsInPool(type, type == Type::kDouble
                                ? std::bit_cast<std::uint64_t>(number)
                                : std::bit_cast<std::uint32_t>(static_cast<float>(number)));
  }
  Mem CanonicalNan(Type type) {
    return BitsInPool(type, type == Type::kDouble ? kDoubleNan : kSingleNan);
  }
  // A float where it is: a register or, of a constant, memory.
  asmjit::Operand FloatOperand(Value value) {
    const std::optional<std::uint64_t> bits = FloatConstantBits(value);
    if (!bits) return FloatRegister(value);
    return BitsInPool(At(value).type, *bits);
  }
  Xmm FloatRegister(Value value) {
    const std::optional<std::uint64_t> bits = FloatConstantBits(value);
    if (At(value).op == Op::kVariable) return FloatVariable(At(value).imm);
    if (!bits) return floats_[value];
    const Xmm fresh = NewFloat(At(value).type);
    MoveFloat(At(value).type, fresh, BitsInPool(At(value).type, *bits));
    return fresh;
  }
  // Registers of one block; the next block has the same ones. What the allocator does grows with
  // their number.
  template <typename Reg>
  struct Pool {
    std::vector<Reg> registers;
    std::size_t used = 0;

    template <typename Make>
    Reg Next(const Make& make) {
      if (used == registers.size()) registers.push_back(make());
      return registers[used++];
    }
  };
  Gp NewWord() {
    return words_.Next([&] { return cc_.newUInt32(); });
  }
  Gp NewQuad() {
    return quads_.Next([&] { return cc_.newUInt64(); });
  }
  Xmm NewVector() {
    return vectors_.Next([&] { return cc_.newXmm(); });
  }
  Xmm NewFloat(Type type) {
    if (type == Type::kVector) return NewVector();
    if (type == Type::kDouble) return doubles_.Next([&] { return cc_.newXmmSd(); });
    return singles_.Next([&] { return cc_.newXmmSs(); });
  }
  void StartPools() {
    words_.used = quads_.used = 0;
    singles_.used = doubles_.used = vectors_.used = 0;
  }
  // What comes after the blocks keeps what they left in registers.
  void LeavePools() {
    words_ = quads_ = {};
    singles_ = doubles_ = vectors_ = {};
  }
  // Between a register and memory.
  void MoveFloat(Type type, const asmjit::Operand& to, const asmjit::Operand& from) {
    cc_.emit(type == Type::kDouble ? x86::Inst::kIdMovsd : x86::Inst::kIdMovss, to, from);
  }

  // The bits of a float, from a register of its own: of one that the allocator keeps in memory
  // asmjit would make a MOVD of the ancient registers.
  void MoveBits(const Gp& to, const Xmm& from) {
    const Xmm copy = NewFloat(to.isGpq() ? Type::kDouble : Type::kSingle);
    cc_.movaps(copy, from);
    cc_.emit(to.isGpq() ? x86::Inst::kIdMovq : x86::Inst::kIdMovd, to, copy);
  }

  /// The register that a long writes; it may be that of an operand which is not used any more.
  Gp NewLong(Value value, Value reused = kNone) {
    Gp& home = homes_[value];
    if (born_in_[value] != kNone) return home = Variable(born_in_[value]);
    if (IsReusable(reused, value) && homes_[reused].isValid() && At(reused).type == Type::kLong) {
      home = homes_[reused];
    } else {
      home = NewQuad();
    }
    is_temporary_[value] = true;
    return home;
  }
  /// The register that a float writes, in the same way.
  Xmm NewFloatHome(Value value, Value reused = kNone) {
    Xmm& home = floats_[value];
    if (born_in_[value] != kNone) return home = FloatVariable(born_in_[value]);
    if (IsReusable(reused, value) && floats_[reused].isValid()) {
      home = floats_[reused];
    } else {
      home = NewFloat(At(value).type);
    }
    is_temporary_[value] = true;
    return home;
  }
  bool IsReusable(Value operand, Value at) const {
    return operand != kNone && is_temporary_[operand] && last_use_[operand] == at;
  }

  static bool Same(const Gp& a, const Gp& b) { return a.id() == b.id(); }
  // Where values are used last, which comparisons are sunk, and which values are born in the
  // register of their variable.
  void PlanHomes() {
    const auto count = static_cast<Value>(block_->nodes.size());
    const Value end = count;
    StartPools();
    homes_.assign(count, Gp());
    last_use_.assign(count, 0);
    floats_.assign(count, Xmm());
    sunk_.assign(count, false);
    put_off_.assign(count, false);
    words_of_.assign(count, {kNone, kNone});
    is_temporary_.assign(count, false);
    born_in_.assign(count, kNone);
    const End& e = block_->end;
    if (e.kind == EndKind::kBranch) Sink(e.condition);
    for (const Node& node : block_->nodes) {
      if (node.op == Op::kPure && node.opcode == Opcode::kSelect && node.uses != 0) Sink(node.c);
    }
    FindPutOff();
    for (Value value = 0; value < count; ++value) {
      const Node& node = At(value);
      if (sunk_[value] || put_off_[value]) continue;
      for (const Value operand : {node.a, node.b, node.c}) Use(operand, value);
      if (node.exit != kNone) UseAll(ir_.exits[node.exit], value);
    }
    Use(e.condition, end);
    for (const auto& [where, value] : e.cells) Use(value, end);
    for (const auto& [where, value] : e.locals) Use(value, end);
    if (e.exit != kNone) UseAll(ir_.exits[e.exit], end);
    for (const auto& [variable, value] : block_->assigned) Use(value, end);
    for (const auto& [variable, value] : block_->assigned) {
      const Node& node = At(value);
      if (node.op == Op::kConst || node.op == Op::kVariable || sunk_[value]) continue;
      if (IsWideConstant(value)) continue;
      if (born_in_[value] != kNone || UsedAfter(variable, value)) continue;
      born_in_[value] = variable;
    }
    FindWordLoads();
  }

  // Parts that nothing but states need: exits, calls and returns.
  void FindPutOff() {
    std::vector<bool> computed(block_->nodes.size(), false);
    const auto compute = [&](Value value) {
      if (value != kNone) computed[value] = true;
    };
    compute(block_->end.condition);
    for (const auto& [variable, value] : block_->assigned) compute(value);
    for (Value value = static_cast<Value>(block_->nodes.size()); value-- > 0;) {
      const Node& node = At(value);
      if (node.uses == 0 && !HasEffect(node)) continue;
      if (!computed[value] && IsPart(node)) {
        put_off_[value] = true;
        continue;
      }
      for (const Value operand : {node.a, node.b, node.c}) compute(operand);
    }
  }

  // Longs in memory of which only the words are used: each is a load of its own, made where the
  // long would be.
  void FindWordLoads() {
    const auto count = static_cast<Value>(block_->nodes.size());
    std::vector<std::uint32_t> others(count, 0);
    for (Value value = 0; value < count; ++value) others[value] = At(value).uses;
    for (Value value = 0; value < count; ++value) {
      const Node& node = At(value);
      if (node.op != Op::kWide || node.uses == 0 || put_off_[value]) continue;
      if (node.wide != WideOp::kLow && node.wide != WideOp::kHigh) continue;
      const Node& whole = At(node.a);
      if (whole.op != Op::kWideLoad || whole.type != Type::kLong) continue;
      --others[node.a];
      (node.wide == WideOp::kLow ? words_of_[node.a].first : words_of_[node.a].second) = value;
    }
    for (Value value = 0; value < count; ++value) {
      auto& [low, high] = words_of_[value];
      if (low == kNone && high == kNone) continue;
      if (others[value] != 0) {
        low = high = kNone;
        continue;
      }
      for (const Value word : {low, high}) {
        if (word != kNone) born_in_[word] = kNone;
      }
    }
  }

  void Sink(Value value) {
    const Node& node = At(value);
    if (node.uses == 1 && SetsFlags(node)) sunk_[value] = true;
  }

  void Use(Value value, Value at) {
    if (value == kNone) return;
    last_use_[value] = std::max(last_use_[value], at);
    if (!sunk_[value] && !put_off_[value]) return;
    Use(At(value).a, at);
    Use(At(value).b, at);
  }
  void UseAll(const Exit& exit, Value at) {
    for (const auto& [where, value] : exit.cells) Use(value, at);
    for (const auto& [where, value] : exit.locals) Use(value, at);
  }

  // Whether what `variable` held before the block is still used after `value` is born.
  bool UsedAfter(std::uint32_t variable, Value born) const {
    for (Value value = 0; value < block_->nodes.size(); ++value) {
      const Node& node = At(value);
      if (node.op == Op::kVariable && node.imm == variable) return last_use_[value] > born;
    }
    return false;
  }

  /// The register that a node writes. It may be that of an operand which is not used any more.
  Gp NewHome(Value value, Value reused = kNone) {
    Gp& home = homes_[value];
    if (born_in_[value] != kNone) {
      home = Variable(born_in_[value]);
    } else if (reused != kNone && is_temporary_[reused] && last_use_[reused] == value) {
      home = homes_[reused];
      is_temporary_[value] = true;
    } else {
      home = NewWord();
      is_temporary_[value] = true;
    }
    return home;
  }
  /// A register with 0, of which the lowest byte is about to be set. Zeroing changes the flags.
  Gp NewFlag() {
    const Gp flag = NewWord();
    cc_.xor_(flag, flag);
    return flag;
  }
  void KeepFlag(Value value, const Gp& flag) {
    if (born_in_[value] != kNone) {
      cc_.mov(NewHome(value), flag);
      return;
    }
    homes_[value] = flag;
    is_temporary_[value] = true;
  }
  // dst = src, unless it is the same register.
  void Move(const Gp& dst, Value src) {
    if (IsConstant(src)) {
      cc_.mov(dst, ImmediateOf(src));
    } else if (const Gp from = Register(src); !Same(dst, from)) {
      cc_.mov(dst, from);
    }
  }
  // ---------------------------------------------------------------------------- end of a block

  // All at once: a variable that another assignment reads is saved first. MOVs only.
  void Assign() {
    std::vector<std::pair<std::uint32_t, Value>> moves;
    std::vector<std::pair<std::uint32_t, x86::Reg>> saved;
    for (const auto& [variable, value] : block_->assigned) {
      if (born_in_[value] == variable) continue;
      const Node& node = At(value);
      if (node.op == Op::kVariable && IsAssigned(static_cast<std::uint32_t>(node.imm))) {
        saved.emplace_back(variable, CopyOf(static_cast<std::uint32_t>(node.imm)));
      } else {
        moves.emplace_back(variable, value);
      }
    }
    for (const auto& [variable, value] : moves) MoveToVariable(variable, value);
    for (const auto& [variable, copy] : saved) {
      if (IsFloat(ir_.types[variable])) {
        cc_.movaps(FloatVariable(variable), copy.as<Xmm>());
      } else {
        cc_.mov(Variable(variable), copy.as<Gp>());
      }
    }
  }
  x86::Reg CopyOf(std::uint32_t variable) {
    const Type type = ir_.types[variable];
    if (IsFloat(type)) {
      const Xmm copy = NewFloat(type);
      cc_.movaps(copy, FloatVariable(variable));
      return copy;
    }
    const Gp copy = type == Type::kLong ? NewQuad() : NewWord();
    cc_.mov(copy, Variable(variable));
    return copy;
  }
  void MoveToVariable(std::uint32_t variable, Value value) {
    const Type type = ir_.types[variable];
    if (IsFloat(type)) {
      const Xmm to = FloatVariable(variable);
      if (const std::optional<std::uint64_t> bits = FloatConstantBits(value)) {
        MoveFloat(type, to, BitsInPool(type, *bits));
      } else if (const Xmm from = FloatRegister(value); from.id() != to.id()) {
        cc_.movaps(to, from);
      }
    } else if (type == Type::kLong) {
      const Gp to = Variable(variable);
      if (const std::optional<std::uint64_t> bits = LongConstant(value)) {
        cc_.mov(to, Imm(*bits));
      } else if (const Gp from = LongRegister(value); !Same(to, from)) {
        cc_.mov(to, from);
      }
    } else {
      Move(Variable(variable), value);
    }
  }
  bool IsAssigned(std::uint32_t variable) const {
    return std::ranges::any_of(block_->assigned,
                               [&](const auto& pair) { return pair.first == variable; });
  }

  // --------------------------------------------------------------------------------------- exits

  enum class StoreForm : std::uint8_t { kWord, kLong, kLow, kHigh, kFloat, kLowBits, kHighBits };

  /// What a state gets of a value, from where the value or the whole of it lies.
  struct PlannedStore {
    StoreForm form = StoreForm::kWord;
    Mem place;
    asmjit::Operand from;
    Type type = Type::kWord;  // of a float
    bool any_nan = false;     // it may be another NaN than the machine's
  };

  struct PlannedExit {
    Label label;
    std::uint32_t exit;
    std::vector<PlannedStore> stores;
  };

  /// The code of an exit comes after all blocks; what it stores lies where it lies now.
  Label ExitLabel(std::uint32_t index) {
    const Exit& exit = ir_.exits[index];
    PlannedExit& planned = planned_.emplace_back();
    planned.label = cc_.newLabel();
    planned.exit = index;
    const Label label = planned.label;
    PlanStores(exit.cells, cells_, planned.stores);
    PlanStores(exit.locals, locals_, planned.stores);
    return label;
  }

  using Stored = std::vector<std::pair<std::uint32_t, Value>>;  // by where

  void PlanStores(const Stored& stored, const Gp& space, std::vector<PlannedStore>& plan) {
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const auto [where, value] = stored[i];
      const auto at = static_cast<std::int32_t>(4 * where);
      const bool is_pair = i + 1 < stored.size() && stored[i + 1].first == where + 1 &&
                           AreHalves(value, stored[i + 1].second);
      plan.push_back(PlanOf(value, is_pair));
      plan.back().place = x86::ptr(space, at, is_pair ? 8 : 4);
      if (is_pair) ++i;
    }
  }

  // At the start of a block nothing is computed yet: parts are stored from the variables.
  bool IsPutOff(Value value) const { return put_off_[value] || (at_start_ && IsPart(At(value))); }

  // Both put off, the low and the high word of one value.
  bool AreHalves(Value low, Value high) const {
    return IsPutOff(low) && IsPutOff(high) && At(low).wide == WideOp::kLow &&
           At(high).wide == WideOp::kHigh && At(low).a == At(high).a;
  }

  PlannedStore PlanOf(Value value, bool is_pair) {
    PlannedStore plan;
    const Node& node = At(value);
    if (!IsPutOff(value)) {
      if (IsConstant(value)) {
        plan.from = ImmediateOf(value);
      } else {
        plan.from = Register(value);
      }
      return plan;
    }
    if (node.wide == WideOp::kWordOfSingle) return FloatPlan(node.a, StoreForm::kFloat);
    const bool is_low = node.wide == WideOp::kLow;
    if (IsPutOff(node.a)) {  // of a double
      return FloatPlan(At(node.a).a, is_pair  ? StoreForm::kFloat
                                     : is_low ? StoreForm::kLowBits
                                              : StoreForm::kHighBits);
    }
    plan.form = is_pair ? StoreForm::kLong : is_low ? StoreForm::kLow : StoreForm::kHigh;
    plan.from = LongRegister(node.a);
    return plan;
  }

  PlannedStore FloatPlan(Value value, StoreForm form) {
    PlannedStore plan;
    plan.form = form;
    plan.any_nan = IsPutOff(value);
    plan.type = At(value).type;
    plan.from = FloatRegister(plan.any_nan ? At(value).a : value);
    return plan;
  }

  void WriteStored(const PlannedStore& store) {
    switch (store.form) {
      case StoreForm::kWord:
      case StoreForm::kLong:
        cc_.emit(x86::Inst::kIdMov, store.place, store.from);
        return;
      case StoreForm::kLow:
        cc_.mov(store.place, store.from.as<Gp>().r32());
        return;
      case StoreForm::kHigh:
        return StoreHigh(store.place, store.from.as<Gp>());
      case StoreForm::kFloat:
        MoveFloat(store.type, store.place, CanonicalFloat(store));
        return;
      case StoreForm::kLowBits:
      case StoreForm::kHighBits: {
        const Gp bits = NewQuad();
        MoveBits(bits, CanonicalFloat(store));
        if (store.form == StoreForm::kHighBits) return StoreHigh(store.place, bits);
        cc_.mov(store.place, bits.r32());
        return;
      }
    }
  }

  void StoreHigh(const Mem& place, const Gp& bits) {
    const Gp high = NewQuad();
    cc_.mov(high, bits);
    cc_.shr(high, 32);
    cc_.mov(place, high.r32());
  }

  Xmm CanonicalFloat(const PlannedStore& store) {
    const Xmm from = store.from.as<Xmm>();
    if (!store.any_nan) return from;
    const Xmm canonical = NewFloat(store.type);
    const Label number = cc_.newLabel();
    cc_.movaps(canonical, from);
    cc_.emit(store.type == Type::kDouble ? x86::Inst::kIdUcomisd : x86::Inst::kIdUcomiss, canonical,
             canonical);
    cc_.jnp(number);
    MoveFloat(store.type, canonical, CanonicalNan(store.type));
    cc_.bind(number);
    return canonical;
  }

  // memory + address + offset, in bytes of `size`.
  Mem MemoryAt(const Node& node, std::uint32_t size) {
    const bool constant = IsConstant(node.a);
    const std::uint64_t offset = node.imm + (constant ? At(node.a).imm : 0);
    if (offset > static_cast<std::uint64_t>(kLargestOffset)) {
      const Gp sum = NewQuad();
      cc_.mov(sum, Imm(offset));
      if (!constant) cc_.lea(sum, x86::ptr(sum, Register(node.a).r64()));
      return x86::ptr(memory_, sum, 0, 0, size);
    }
    const auto near = static_cast<std::int32_t>(offset);
    if (constant) return x86::ptr(memory_, near, size);
    return x86::ptr(memory_, Register(node.a).r64(), 0, near, size);
  }

  x86::Compiler& cc_;
  const FunctionIr& ir_;

  Gp ctx_, locals_, cells_, frame_, fuel_, memory_, globals_;
  std::vector<Gp> variables_;  // made when first used; of words and longs
  std::vector<Xmm> float_variables_;
  std::vector<PlannedExit> planned_;

  Pool<Gp> words_, quads_;
  Pool<Xmm> singles_, doubles_, vectors_;

  const Block* block_ = nullptr;  // the one being emitted
  std::vector<Gp> homes_;         // (nodes,) of words and longs
  std::vector<Xmm> floats_;       // (nodes,)
  std::vector<Value> last_use_;   // (nodes,) node of the last use; nodes.size(): the end
  std::vector<bool> sunk_;        // (nodes,)
  std::vector<bool> put_off_;     // (nodes,)
  bool at_start_ = false;         // before the first node
  // (nodes,) Of a long in memory that is loaded as two words, who they are; kNone: not used.
  std::vector<std::pair<Value, Value>> words_of_;
  std::vector<bool> is_temporary_;      // (nodes,) its register holds nothing else
  std::vector<std::uint32_t> born_in_;  // (nodes,) variable, or kNone
};

}  // namespace txvm::vm::folded
