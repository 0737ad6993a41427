// Expressions over cells, and the straight code that computes them.
// Goals: equal expressions are one node, each computed once; the code has no branch, so its steps
// are its length; it holds scalar routines inline. Non-goals: the shortest code there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "asm/routines/routine_code.h"
#include "isa/opcode.h"
#include "isa/program.h"
#include "isa/routine.h"
#include "isa/word.h"

namespace txvm::assembler {

/// Nodes of expressions. A node's operands come before it.
class Graph {
 public:
  using Id = std::uint32_t;
  enum class Kind : std::uint8_t {
    kConstant,  // value
    kArgument,  // value = number of the cell
    kOp,        // of operands
    kCall,      // of routine value, with operands; its results are kResult
    kResult,    // value = number of the result; its operand is the call
  };
  struct Node {
    Kind kind = Kind::kConstant;
    isa::Opcode op = isa::Opcode::kNop;
    isa::Word value = 0;
    std::vector<Id> operands;
    friend auto operator<=>(const Node&, const Node&) = default;
  };

  /// The node that equals `node`; what constants alone decide is a constant.
  Id Add(Node node);
  const Node& operator[](Id id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }

 private:
  std::vector<Node> nodes_;
  std::map<Node, Id> known_;
};

/// A cell's value: a node with the operators of its opcodes.
struct Cell {
  Graph* graph = nullptr;
  Graph::Id id = 0;
};

Cell Constant(Graph& graph, isa::Word value);
Cell Operate(isa::Opcode op, Cell a);
Cell Operate(isa::Opcode op, Cell a, Cell b);
Cell Operate(isa::Opcode op, Cell a, isa::Word b);
/// `condition` != 0 ? a : b.
Cell Select(Cell condition, Cell a, Cell b);
/// The results of a scalar routine.
std::vector<Cell> Call(isa::RoutineId id, std::span<const Cell> operands);

inline Cell operator+(Cell a, Cell b) { return Operate(isa::Opcode::kAdd, a, b); }
inline Cell operator-(Cell a, Cell b) { return Operate(isa::Opcode::kSub, a, b); }
inline Cell operator*(Cell a, Cell b) { return Operate(isa::Opcode::kMul, a, b); }
inline Cell operator&(Cell a, Cell b) { return Operate(isa::Opcode::kAnd, a, b); }
inline Cell operator|(Cell a, Cell b) { return Operate(isa::Opcode::kOr, a, b); }
inline Cell operator^(Cell a, Cell b) { return Operate(isa::Opcode::kXor, a, b); }
inline Cell operator+(Cell a, isa::Word b) { return Operate(isa::Opcode::kAdd, a, b); }
inline Cell operator*(Cell a, isa::Word b) { return Operate(isa::Opcode::kMul, a, b); }
inline Cell operator&(Cell a, isa::Word b) { return Operate(isa::Opcode::kAnd, a, b); }
inline Cell operator|(Cell a, isa::Word b) { return Operate(isa::Opcode::kOr, a, b); }
inline Cell operator^(Cell a, isa::Word b) { return Operate(isa::Opcode::kXor, a, b); }
inline Cell operator<<(Cell a, isa::Word b) { return Operate(isa::Opcode::kShl, a, b); }
inline Cell operator>>(Cell a, isa::Word b) { return Operate(isa::Opcode::kShrU, a, b); }
inline Cell operator~(Cell a) { return a ^ 0xFFFFFFFFu; }

/// Code of a function and the slots of its frame.
struct GraphCode {
  std::vector<isa::Instruction> code;  // ends in RETURN
  std::uint32_t locals = 0;
};

/// Code that takes `cells_in` cells and leaves `roots`. `scalars`: the code of every routine that a
/// call may name, by its number; none of them may branch. Cost O(code log code).
GraphCode Emit(const Graph& graph, std::uint32_t cells_in, std::span<const Cell> roots,
               std::span<const AssembledRoutine> scalars);

}  // namespace txvm::assembler
