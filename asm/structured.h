// Structured control flow lowered to flat code: the assembler's .func bodies and the WebAssembly
// front end build functions through it.
//
// Goals: WebAssembly's blocks, branches and unwinding on a machine that has JZ, JNZ and a stack; no
// dead code; no recursion over the nesting of blocks.
// Non-goals: checking types (every operand is one word), optimisation beyond the choice of a short
// sequence (peephole.h does the rest).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/limits.h"
#include "isa/program.h"
#include "isa/trap.h"

namespace txvm::assembler {

/// A CALL of a function that has no address yet: code[offset] calls function `callee`.
struct CallSite {
  std::uint32_t offset = 0;
  std::uint32_t callee = 0;  // index in the order of ProgramBuilder::AddFunction
};

/// One function, to be placed anywhere: jumps, marks and call sites count from its first
/// instruction.
struct FunctionCode {
  std::string name;
  std::uint32_t params = 0, results = 0, locals = 0;
  isa::FunctionTypes types;
  std::vector<isa::Instruction> code;
  std::vector<CallSite> calls;
  std::vector<isa::LineMark> lines;
  std::vector<isa::TrapNote> notes;
};

enum class BlockKind : std::uint8_t { kBlock, kLoop, kIf };

/// What a function is before its body is known.
struct FunctionSpec {
  std::string name;
  std::uint32_t params = 0, results = 0;
  std::uint32_t locals = 0;  // declared slots, params included; scratch locals come behind them
  // true: a prologue pops the arguments into locals 0..params-1 and zeroes every other local that
  // some path reads before it writes it; the body starts at height 0. false: the body starts at
  // height `params`.
  bool prologue = false;
  std::uint32_t max_instructions = isa::kMaxInstructions;  // longer code is an error
  isa::FunctionTypes types = {};                           // empty where not known
};

/// Emits one function. Instructions that cannot be reached are dropped without a check, as
/// WebAssembly's validation allows. The first fault is kept (error()), and everything after it is
/// ignored, so that callers need check only where they have a place to report. Faults are kInvalid;
/// code longer than max_instructions is kLimit.
/// INVARIANT: height_ >= base of the innermost block while reachable.
class FunctionBuilder {
 public:
  explicit FunctionBuilder(FunctionSpec spec);

  /// Appends an instruction that is no jump, CALL or RETURN. HALT and TRAP end the reachable code.
  void Emit(isa::Instruction instruction);
  void Emit(isa::Opcode op, std::uint32_t arg = 0, std::uint32_t aux = 0) {
    Emit(isa::Instruction(op, arg, aux));
  }
  /// CALL of a function by its index, with its signature.
  void Call(std::uint32_t function, std::uint32_t params, std::uint32_t results);
  /// CALL of a host import by its index, with its signature.
  void CallImport(std::uint32_t import, std::uint32_t params, std::uint32_t results);
  /// TRAP with a note that a report of the trap shows; no note when empty.
  void Trap(isa::Trap cause, std::string_view note = {});
  /// Returns the function's results from the top of the stack; removes what is below them.
  void Return();

  /// Opens a block that takes `params` values from the stack and leaves `results`. kIf pops its
  /// condition first.
  void BeginBlock(BlockKind kind, std::uint32_t params, std::uint32_t results);
  /// Starts the second arm of the innermost block, a kIf.
  void Else();
  /// Closes the innermost block; the last End closes the function body and returns.
  void End();

  /// Branches to the block `depth` levels out (0 = innermost, depth() - 1 = the function). BrIf
  /// pops its condition, BrTable its index; targets[index], or fallback when there are not that
  /// many. Targets of one table must take equally many values. BrTable costs
  /// O(targets) instructions and O(log targets) steps.
  void Br(std::uint32_t depth);
  void BrIf(std::uint32_t depth);
  void BrTable(std::span<const std::uint32_t> targets, std::uint32_t fallback);

  /// Instructions from here on come from this line of the source (0 = generated).
  void SetLine(std::uint32_t line) { line_ = line; }
  /// The next instruction carries this trap note. A note goes with an instruction that is dropped.
  void SetNote(std::string_view note) { pending_note_ = note; }

  bool reachable() const { return reachable_; }
  /// Operands on the stack, of the whole function. Meaningless while not reachable.
  std::uint32_t height() const { return height_; }
  /// Open blocks, the function body included; 0 once it is closed.
  std::size_t depth() const { return frames_.size(); }
  /// Whether the innermost block is an if whose else may follow.
  bool accepts_else() const;
  const std::optional<isa::Error>& error() const { return error_; }

  /// The finished function. REQUIRES: depth() == 0 or error().
  isa::Result<FunctionCode> Finish() &&;

 private:
  using Label = std::uint32_t;
  struct Frame {
    BlockKind kind = BlockKind::kBlock;
    bool is_reachable = true;    // its start is
    bool has_else = false;       // Else was called
    bool end_is_target = false;  // a branch goes behind its end
    std::uint32_t base = 0;      // height below its params
    std::uint32_t params = 0, results = 0;
    Label start = 0;  // kLoop: its first instruction; kIf: its else arm
    Label end = 0;
  };
  struct Jump {
    std::uint32_t offset = 0;
    Label label = 0;
  };
  struct Range {  // of a br_table: indices from `first` up to the next range
    std::uint32_t first = 0;
    std::uint32_t depth = 0;
  };

  void Fail(isa::ErrorCode code, std::string message);
  bool Needs(std::string_view what, std::uint32_t operands);
  bool IsDropped();
  void Append(isa::Instruction instruction);
  void AppendJump(isa::Opcode op, Label label);
  void JumpAlways(Label label);
  // The n-th scratch local (from 0), the same one each time, behind the declared ones: for values
  // that do not live across two calls of this builder.
  std::uint32_t ScratchLocal(std::uint32_t n);
  void CallSignature(isa::Instruction call, std::uint32_t params, std::uint32_t results);
  Label NewLabel();
  void Bind(Label label) { positions_[label] = Here(); }
  std::uint32_t Here() const { return static_cast<std::uint32_t>(out_.code.size()); }

  const Frame* FrameAt(std::uint32_t depth);
  std::uint32_t Arity(const Frame& frame) const;
  bool IsFunction(const Frame& frame) const { return &frame == frames_.data(); }
  bool NeedsUnwinding(const Frame& frame) const;
  void Unwind(std::uint32_t target_height, std::uint32_t kept);
  void BranchTo(const Frame& frame);
  void BranchEither(const Frame& taken, const Frame& otherwise);
  bool LeavesResults();
  void CloseFunction();
  Label TargetOf(const Frame& frame);
  void TableTree(std::span<const Range> ranges);
  void ResolveJumps();

  FunctionSpec spec_;
  std::uint32_t locals_ = 0;  // declared and scratch
  std::uint32_t line_ = 0;
  std::uint32_t height_ = 0;
  bool reachable_ = true;
  std::string pending_note_;
  std::optional<isa::Error> error_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> scratch_;    // locals, in order of n
  std::vector<std::uint32_t> positions_;  // (labels,) offset, or kUnbound
  std::vector<Jump> jumps_;
  FunctionCode out_;
};

}  // namespace txvm::assembler
