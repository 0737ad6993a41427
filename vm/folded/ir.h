// What a function is folded into: blocks of values in virtual registers. The stack machine is gone;
// what is left of it are the places a run can stop at, each with the cells and locals that make its
// state.
//
// NOTATION  v3 = ADD l0 1   a value of one block, assigned once
//           l0, c2          a variable: local 0, operand cell 2; keeps its value between blocks
//           x0, f0, d0      a variable of more than a word: locals 0 and 1, or 0, as a long, a
//                           single, a double
//           [c1]            operand cell 1 in the operand space, not in a register
// FACTS     Values do not leave their block. A block ends by assigning variables.
//           Steps are counted by block: an exit in its middle gives back those not made.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "isa/opcode.h"
#include "isa/trap.h"
#include "isa/word_ops.h"
#include "vm/folded/flow.h"
#include "vm/folded/wide_ops.h"

namespace txvm::vm::folded {

using isa::Word;
using Value = std::uint32_t;  // index into Block::nodes, or kNone

enum class Op : std::uint8_t {
  kConst,          // imm
  kVariable,       // variable imm as it is before the block
  kCell,           // operand cell imm of the operand space
  kPure,           // opcode(a, b, c)
  kDivide,         // opcode(a, b), which does not trap
  kLoad,           // opcode: memory at a + imm, which is inside
  kStore,          // opcode: memory at a + imm = b
  kGlobalGet,      // global imm
  kGlobalSet,      // global imm = a
  kCheckRange,     // leaves unless a + imm <= memory size
  kCheckNonzero,   // leaves if a = 0
  kCheckQuotient,  // leaves if a = INT_MIN and b = -1
  // Of `type`, which is more than a word; imm is where its first word is.
  kWide,             // wide(a, b)
  kWideCell,         // operand cells imm, imm + 1 of the operand space
  kWideLoad,         // memory at a + imm, which is inside
  kWideStore,        // memory at a + imm = b
  kCheckTruncation,  // leaves where the truncation wide(a) traps
  kVector,           // the routine of number imm on the vectors a, b, c; b of a shift is a word
};

struct Node {
  Op op = Op::kConst;
  isa::Opcode opcode = isa::Opcode::kNop;
  WideOp wide = WideOp::kPair;
  Type type = Type::kWord;  // of the value; of a store, of what is stored
  Value a = kNone, b = kNone, c = kNone;
  std::uint64_t imm = 0;
  std::uint64_t version = 0;   // loads: which state of the memory; stores: which one they make
  std::uint32_t exit = kNone;  // checks: index into FunctionIr::exits
  std::uint32_t uses = 0;      // by nodes, exits and the end of the block; 0 and no effect: dropped
  std::uint32_t ip = kNone;    // the first instruction that it is a part of
};

/// Why code leaves; what the driver does about it. kStepped: the instructions from there on are
/// made one by one, because one of them traps.
enum class ExitKind : std::uint8_t { kHalted, kTrapped, kHostCall, kPolled, kLimit, kStepped };

/// A place where a run can stop, and its state there.
struct Exit {
  ExitKind kind = ExitKind::kHalted;
  isa::Trap cause = isa::Trap::kUnreachable;
  std::uint32_t ip = 0;
  std::uint32_t height = 0;                             // operand cells of the function
  std::uint32_t unmade = 0;                             // counted steps of the block not made
  std::vector<std::pair<std::uint32_t, Value>> cells;   // that the operand space does not hold yet
  std::vector<std::pair<std::uint32_t, Value>> locals;  // that the locals space does not hold yet
};

enum class EndKind : std::uint8_t { kGoto, kBranch, kCall, kReturn, kExit };

/// How a block ends, after its assignments.
struct End {
  EndKind kind = EndKind::kGoto;
  Value condition = kNone;              // kBranch
  std::uint32_t target = 0, other = 0;  // blocks: kGoto, kCall (after it); kBranch: if not 0, if 0
  std::uint32_t callee = 0;             // kCall: function
  std::uint32_t params = 0, results = 0;  // kCall; kReturn: results
  std::uint32_t height = 0;               // kCall, kReturn: cells before it
  std::uint32_t ip = 0;                   // of the CALL or RETURN
  std::uint32_t exit = kNone;             // kExit; kCall: where a limit stops it
  std::vector<std::pair<std::uint32_t, Value>> cells, locals;  // kCall, kReturn: stored before it
};

struct Block {
  std::uint32_t first_ip = 0, last_ip = 0;
  std::uint32_t height = 0;          // cells before it
  std::uint32_t cells_in_space = 0;  // of these, the uppermost ones are in the operand space
  std::uint32_t steps = 0;
  std::uint32_t routine_steps = 0;   // of these, those inside routines
  std::uint32_t check_exit = kNone;  // looks at fuel and interrupts first; leaves here
  bool enters = false;               // has an entry from a state
  std::vector<Node> nodes;
  std::vector<std::pair<std::uint32_t, Value>> assigned;  // variables, at the end; all at once
  End end;
};

struct FunctionIr {
  std::uint32_t index = 0;
  std::uint32_t locals = 0;  // variables 0..locals-1 are locals, then come cells
  std::uint32_t params = 0;
  std::uint32_t variables = 0;
  // (variables,) Of a local that holds a long or double, the next one is kNone: a part of it.
  std::vector<Type> types;
  std::vector<std::vector<std::uint32_t>> live;  // (blocks,) locals that an entry has to load
  std::vector<Block> blocks;
  std::vector<Exit> exits;
};

/// Folds function `index` of a verified program: control flow, constant queries and all values
/// known before the run. Passes: constant folding, copies, common subexpressions, bounds checks
/// that an earlier one implies, dead values. A CALL of one of `routines` is one operation, and
/// two words may be one value; without them (nullptr) there are words alone, no Op::kWide* and no
/// ExitKind::kStepped.
FunctionIr Lift(const isa::Program& program, const isa::PathFacts& paths, std::size_t index,
                bool keeps_all, const RoutineMap* routines = nullptr);

/// The listing of a folded function. `places`: with the instruction that each value is from.
std::string IrText(const FunctionIr& ir, bool places = false);

}  // namespace txvm::vm::folded
