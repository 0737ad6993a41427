// Declared in asm/routines/vectors/graph.h.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "asm/routines/vectors/graph.h"
#include "isa/support/result.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Word;

bool IsLocal(Opcode op) {
  return op == Opcode::kLocalGet || op == Opcode::kLocalSet || op == Opcode::kLocalTee;
}

/// Emits nodes. Locals are numbered without end; AssignSlots gives them slots.
class Emitter {
 public:
  Emitter(const Graph& graph, std::uint32_t cells_in, std::span<const AssembledRoutine> scalars)
      : graph_(graph),
        scalars_(scalars),
        cells_in_(cells_in),
        next_local_(cells_in),
        uses_(graph.size()),
        local_(graph.size(), kNone) {}

  std::vector<Instruction> Run(std::span<const Cell> roots) &&;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  void CountUses(Graph::Id id);
  void Add(Opcode op, std::uint32_t arg = 0) { code_.push_back(Instruction(op, arg)); }
  void Push(Graph::Id id);
  void PushOp(Graph::Id id, const Graph::Node& node);
  void Compute(Graph::Id call);

  const Graph& graph_;
  std::span<const AssembledRoutine> scalars_;
  std::uint32_t cells_in_, next_local_;
  std::vector<std::uint32_t> uses_, local_;  // (nodes,)
  std::vector<Instruction> code_;
};

void Emitter::CountUses(Graph::Id id) {
  if (uses_[id]++ > 0) return;
  for (const Graph::Id operand : graph_[id].operands) CountUses(operand);
}

/// Leaves the value of a node on the stack.
void Emitter::Push(Graph::Id id) {
  const Graph::Node& node = graph_[id];
  if (node.kind == Graph::Kind::kConstant) return Add(Opcode::kPush, node.value);
  if (node.kind == Graph::Kind::kArgument) return Add(Opcode::kLocalGet, node.value);
  if (local_[id] == kNone && node.kind == Graph::Kind::kResult) Compute(node.operands.front());
  if (local_[id] != kNone) return Add(Opcode::kLocalGet, local_[id]);
  PushOp(id, node);
}

void Emitter::PushOp(Graph::Id id, const Graph::Node& node) {
  TXVM_ASSERT(node.kind == Graph::Kind::kOp);
  for (const Graph::Id operand : node.operands) Push(operand);
  Add(node.op);
  if (uses_[id] == 1) return;
  local_[id] = next_local_++;
  Add(Opcode::kLocalTee, local_[id]);
}

/// A scalar routine inline; its results go to locals.
void Emitter::Compute(Graph::Id call) {
  const Graph::Node& node = graph_[call];
  for (const Graph::Id operand : node.operands) Push(operand);
  const AssembledRoutine& scalar = scalars_[node.value];
  for (const Instruction instruction : scalar.code.first(scalar.code.size() - 1)) {
    const Opcode op = instruction.op();
    TXVM_ASSERT(isa::Info(op).operand != isa::Operand::kTarget && op != Opcode::kTrap);
    Add(op, instruction.arg + (IsLocal(op) ? next_local_ : 0));
  }
  next_local_ += scalar.locals;
  std::vector<std::pair<Word, Graph::Id>> results;
  for (Graph::Id id = 0; id < graph_.size(); ++id) {
    if (graph_[id].kind == Graph::Kind::kResult && graph_[id].operands.front() == call) {
      results.emplace_back(graph_[id].value, id);
    }
  }
  std::ranges::sort(results, std::greater{});
  for (const auto& [number, id] : results) {
    local_[id] = next_local_++;
    Add(Opcode::kLocalSet, local_[id]);
  }
}

std::vector<Instruction> Emitter::Run(std::span<const Cell> roots) && {
  for (const Cell& root : roots) CountUses(root.id);
  for (std::uint32_t i = cells_in_; i-- > 0;) Add(Opcode::kLocalSet, i);
  for (const Cell& root : roots) Push(root.id);
  Add(Opcode::kReturn);
  return std::move(code_);
}

/// `SET x, GET x` is a TEE.
bool JoinSetAndGet(std::vector<Instruction>& code) {
  std::vector<Instruction> kept;
  for (const Instruction instruction : code) {
    if (instruction.op() == Opcode::kLocalGet && !kept.empty() &&
        kept.back() == Instruction(Opcode::kLocalSet, instruction.arg)) {
      kept.back() = Instruction(Opcode::kLocalTee, instruction.arg);
    } else {
      kept.push_back(instruction);
    }
  }
  const bool changed = kept.size() < code.size();
  code = std::move(kept);
  return changed;
}

/// A TEE whose value nobody reads is nothing, such a SET is a POP.
bool DropUnread(std::vector<Instruction>& code) {
  std::set<std::uint32_t> live;
  std::vector<Instruction> kept;  // last first
  for (std::size_t i = code.size(); i-- > 0;) {
    const Instruction instruction = code[i];
    const Opcode op = instruction.op();
    const bool writes = op == Opcode::kLocalSet || op == Opcode::kLocalTee;
    if (op == Opcode::kLocalGet) live.insert(instruction.arg);
    if (!writes || live.erase(instruction.arg) > 0) {
      kept.push_back(instruction);
    } else if (op == Opcode::kLocalSet) {
      kept.push_back(Instruction(Opcode::kPop));
    }
  }
  std::ranges::reverse(kept);
  const bool changed = kept != code;
  code = std::move(kept);
  return changed;
}

/// Gives every local the lowest slot that is free from its first write to its last read; returns
/// how many slots there are.
std::uint32_t AssignSlots(std::vector<Instruction>& code) {
  std::map<std::uint32_t, std::size_t> last;  // where each local is used last
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (IsLocal(code[i].op())) last[code[i].arg] = i;
  }
  std::map<std::uint32_t, std::uint32_t> slots;
  std::set<std::uint32_t> free;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!IsLocal(code[i].op())) continue;
    const std::uint32_t local = code[i].arg;
    if (!slots.contains(local)) {
      if (free.empty()) free.insert(count++);
      slots[local] = *free.begin();
      free.erase(free.begin());
    }
    code[i].arg = slots[local];
    if (last[local] == i) free.insert(slots[local]);
  }
  return count;
}

}  // namespace

GraphCode Emit(const Graph& graph, std::uint32_t cells_in, std::span<const Cell> roots,
               std::span<const AssembledRoutine> scalars) {
  GraphCode out;
  out.code = Emitter(graph, cells_in, scalars).Run(roots);
  while (JoinSetAndGet(out.code) || DropUnread(out.code)) {
  }
  out.locals = AssignSlots(out.code);
  return out;
}

}  // namespace txvm::assembler
