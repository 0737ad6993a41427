// Where the values of a block live: asmjit's compiler allocates the registers, and here values are
// born in the register of the variable they end in.
//
// NOTATION  home: the virtual register of a value or variable
//           sunk: a comparison made where its only user, a branch or SELECT, is
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
  if (node.op != Op::kPure) return false;
  return isa::Info(node.opcode).op_class == isa::OpClass::kCompare || node.opcode == Opcode::kAnd;
}
/// The registers of a function and of the block that is being emitted, and its exits. ValueEmitter
/// emits the nodes of a block, FunctionEmitter what is around them.
class BlockPlan {
 protected:
  BlockPlan(x86::Compiler& cc, const FunctionIr& ir) : cc_(cc), ir_(ir) {
    variables_.resize(ir_.variables);
  }

  // ------------------------------------------------------------------------------------- places

  Gp Variable(std::uint64_t variable) {
    Gp& home = variables_[variable];
    if (!home.isValid()) home = cc_.newUInt32();
    return home;
  }
  Mem LocalInSpace(std::uint64_t local) const {
    return x86::dword_ptr(locals_, static_cast<std::int32_t>(4 * local));
  }
  Mem CellInSpace(std::uint64_t cell) const {
    return x86::dword_ptr(cells_, static_cast<std::int32_t>(4 * cell));
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
    const Gp fresh = cc_.newUInt32();
    cc_.mov(fresh, ImmediateOf(value));
    return fresh;
  }

  static bool Same(const Gp& a, const Gp& b) { return a.id() == b.id(); }
  // Where values are used last, which comparisons are sunk, and which values are born in the
  // register of their variable.
  void PlanHomes() {
    const auto count = static_cast<Value>(block_->nodes.size());
    const Value end = count;
    homes_.assign(count, Gp());
    last_use_.assign(count, 0);
    sunk_.assign(count, false);
    is_temporary_.assign(count, false);
    born_in_.assign(count, kNone);
    const End& e = block_->end;
    if (e.kind == EndKind::kBranch) Sink(e.condition);
    for (const Node& node : block_->nodes) {
      if (node.op == Op::kPure && node.opcode == Opcode::kSelect && node.uses != 0) Sink(node.c);
    }
    for (Value value = 0; value < count; ++value) {
      const Node& node = At(value);
      if (sunk_[value]) continue;
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
      if (born_in_[value] != kNone || UsedAfter(variable, value)) continue;
      born_in_[value] = variable;
    }
  }

  void Sink(Value value) {
    const Node& node = At(value);
    if (node.uses == 1 && SetsFlags(node)) sunk_[value] = true;
  }

  void Use(Value value, Value at) {
    if (value == kNone) return;
    last_use_[value] = std::max(last_use_[value], at);
    if (!sunk_[value]) return;
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
      home = cc_.newUInt32();
      is_temporary_[value] = true;
    }
    return home;
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
    std::vector<std::pair<Gp, Value>> moves;
    std::vector<std::pair<Gp, Gp>> saved;
    for (const auto& [variable, value] : block_->assigned) {
      if (born_in_[value] == variable) continue;
      const Node& node = At(value);
      if (node.op == Op::kVariable && IsAssigned(static_cast<std::uint32_t>(node.imm))) {
        const Gp copy = cc_.newUInt32();
        cc_.mov(copy, Variable(node.imm));
        saved.emplace_back(Variable(variable), copy);
      } else {
        moves.emplace_back(Variable(variable), value);
      }
    }
    for (const auto& [to, value] : moves) Move(to, value);
    for (const auto& [to, copy] : saved) cc_.mov(to, copy);
  }
  bool IsAssigned(std::uint32_t variable) const {
    return std::ranges::any_of(block_->assigned,
                               [&](const auto& pair) { return pair.first == variable; });
  }

  // --------------------------------------------------------------------------------------- exits

  struct PlannedExit {
    Label label;
    std::uint32_t exit;
    std::vector<std::pair<Mem, asmjit::Operand>> stores;
  };

  /// The code of an exit comes after all blocks; what it stores lies where it lies now.
  Label ExitLabel(std::uint32_t index) {
    const Exit& exit = ir_.exits[index];
    PlannedExit& planned = planned_.emplace_back();
    planned.label = cc_.newLabel();
    planned.exit = index;
    for (const auto& [cell, value] : exit.cells) Plan(planned, CellInSpace(cell), value);
    for (const auto& [local, value] : exit.locals) Plan(planned, LocalInSpace(local), value);
    return planned.label;
  }
  void Plan(PlannedExit& planned, const Mem& place, Value value) {
    if (IsConstant(value)) {
      planned.stores.emplace_back(place, ImmediateOf(value));
    } else {
      planned.stores.emplace_back(place, Register(value));
    }
  }

  x86::Compiler& cc_;
  const FunctionIr& ir_;

  Gp ctx_, locals_, cells_, frame_, fuel_, memory_, globals_;
  std::vector<Gp> variables_;  // made when first used
  std::vector<PlannedExit> planned_;

  const Block* block_ = nullptr;        // the one being emitted
  std::vector<Gp> homes_;               // (nodes,)
  std::vector<Value> last_use_;         // (nodes,) node of the last use; nodes.size(): the end
  std::vector<bool> sunk_;              // (nodes,)
  std::vector<bool> is_temporary_;      // (nodes,) its register holds nothing else
  std::vector<std::uint32_t> born_in_;  // (nodes,) variable, or kNone
};

}  // namespace txvm::vm::folded
