// The body of a function as a tree of constructs, dead code left out, with the labels that control
// can go to from each of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::provable {

/// A run of instructions, a construct or a branch. Labels are named by their depth: 0 is the
/// function's own, 1 that of the outermost construct.
struct Node {
  /// A body: of a block or loop, or one arm of an if.
  struct Arm {
    std::vector<Node> nodes;
    std::vector<std::uint32_t> leaves;  // labels outside the construct it branches to, ascending
    bool falls =
        false;  // control comes out of it at its end, or by a branch to the construct's end
  };
  enum class Kind : std::uint8_t {
    kRun,          // instructions [first, first + count) of the body
    kBlock,        //
    kLoop,         //
    kIf,           // takes the condition
    kBranch,       // to the label at `depth`; `return` is a branch to 0
    kBranchIf,     // takes the condition
    kBranchTable,  // takes the index; labels [first, first + count) of the function, from `depth`
    kTrap,         // unreachable
  };
  Kind kind = Kind::kRun;
  bool targeted = false;      // construct: a branch in it goes to its own label
  bool falls = false;         // construct: control can come out of it at its end
  std::uint32_t first = 0;    // see kind
  std::uint32_t count = 0;    // see kind
  std::uint32_t height = 0;   // operands of the function before it, condition included
  std::uint32_t depth = 0;    // own label; of a branch its target; of a table where it stands
  std::uint32_t params = 0;   // of a construct
  std::uint32_t results = 0;  // of a construct
  std::vector<Arm> arms;      // one; of an if two, the second may be empty
  std::vector<std::uint32_t> leaves;  // of all arms
};

/// How a local is used by reachable code.
struct LocalUse {
  std::uint64_t weight = 0;  // uses, one in a loop counting eight times
  std::uint32_t reach = 0;   // most operands above it when it is used
};

/// A function's body.
struct Tree {
  std::vector<Node> nodes;
  bool falls = false;                      // control can return
  std::vector<LocalUse> locals;            // parameters first
  std::vector<std::uint32_t> callees;      // of direct calls, ascending; imports among them
  std::vector<wat::Instr> indirect_calls;  // in order
  std::uint32_t most_carried = 0;          // values of the widest label, parameters or results
  bool grows_memory = false;
};

/// The deepest nesting of constructs that is taken.
inline constexpr std::uint32_t kMaxNesting = 500;  // 900 take 2 MB of stack, 10 MB with sanitizers

/// The tree of a function with a body. Errors: kUnsupported with its place for a reachable
/// instruction, signature or block type with anything but i32; kLimit for deeper nesting.
isa::Result<Tree> BuildTree(const wat::Module& module, const wat::Function& function);

/// A function's own name, else the first name it is exported by; may be empty.
std::string NameOf(const wat::Module& module, const wat::Function& function);

/// What keeps an imported function from being provable code; empty for the host functions whose
/// arguments become public output.
std::string RefusalOf(const wat::Module& module, const wat::Function& import);

/// An error at `place`, a line or a byte offset.
isa::Error ErrorAt(const wat::Module& module, isa::ErrorCode code, std::uint32_t place,
                   std::string message);

/// Operands an instruction takes and leaves. REQUIRES: one of a run.
struct Effect {
  std::uint32_t pops = 0, pushes = 0;
};
Effect EffectOf(const wat::Module& module, const wat::Instr& instr);

}  // namespace txvm::frontends::provable
