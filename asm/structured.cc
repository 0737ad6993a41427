#include "asm/structured.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "asm/prologue.h"
#include "isa/opcode.h"
#include "isa/support/text.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;

constexpr std::uint32_t kUnbound = std::numeric_limits<std::uint32_t>::max();
// Up to here `SWAP; POP` per value is no longer than a detour through a scratch local.
constexpr std::uint32_t kSwapPopLimit = 2;

}  // namespace

FunctionBuilder::FunctionBuilder(FunctionSpec spec)
    : spec_(std::move(spec)), locals_(spec_.locals) {
  Frame function;
  function.params = spec_.params;
  function.results = spec_.results;
  frames_.push_back(function);
  if (!spec_.prologue) {
    height_ = spec_.params;
    return;
  }
  for (std::uint32_t i = spec_.params; i-- > 0;) Append(Instruction(Opcode::kLocalSet, i));
}

// ------------------------------------------------------------------------------- appending code

void FunctionBuilder::Fail(isa::ErrorCode code, std::string message) {
  if (!error_) error_ = isa::Error{code, std::move(message), {}, {}};
}

// Whether the innermost block holds that many operands.
bool FunctionBuilder::Needs(std::string_view what, std::uint32_t operands) {
  const std::uint32_t available = height_ - frames_.back().base;
  if (available >= operands) return true;
  Fail(isa::ErrorCode::kInvalid, fmt::format("{} needs {}, the block has {}", what,
                                             isa::CountText(operands, "operand"), available));
  return false;
}

// Whether the instruction at hand is dropped as unreachable; its note goes with it.
bool FunctionBuilder::IsDropped() {
  if (!reachable_) pending_note_.clear();
  return !reachable_;
}

void FunctionBuilder::Append(Instruction instruction) {
  if (error_) return;
  if (out_.code.size() >= spec_.max_instructions) {
    Fail(isa::ErrorCode::kLimit,
         fmt::format("the function needs more than {} instructions", spec_.max_instructions));
    return;
  }
  if (out_.lines.empty() ? line_ != 0 : out_.lines.back().line != line_) {
    out_.lines.push_back({Here(), line_});
  }
  if (!pending_note_.empty()) out_.notes.push_back({Here(), std::exchange(pending_note_, {})});
  out_.code.push_back(instruction);
}

void FunctionBuilder::AppendJump(Opcode op, Label label) {
  jumps_.push_back({Here(), label});
  Append(Instruction(op));
}

void FunctionBuilder::JumpAlways(Label label) {
  Append(Instruction(Opcode::kPush, 1));
  AppendJump(Opcode::kJnz, label);
}

FunctionBuilder::Label FunctionBuilder::NewLabel() {
  positions_.push_back(kUnbound);
  return static_cast<Label>(positions_.size() - 1);
}

std::uint32_t FunctionBuilder::ScratchLocal(std::uint32_t n) {
  while (scratch_.size() <= n) scratch_.push_back(locals_++);
  return scratch_[n];
}

void FunctionBuilder::Emit(Instruction instruction) {
  if (error_ || IsDropped()) return;
  const isa::OpcodeInfo& info = isa::Info(instruction.op());
  if (instruction.op() == Opcode::kReturn) return Return();
  if (info.operand == isa::Operand::kTarget || info.operand == isa::Operand::kCallee) {
    return Fail(isa::ErrorCode::kInvalid,
                fmt::format("{} cannot stand in structured code", info.text));
  }
  if (info.operand == isa::Operand::kLocal && instruction.aux() == 0 &&
      instruction.arg >= spec_.locals) {
    return Fail(isa::ErrorCode::kInvalid,
                fmt::format("local {} out of range (function has {})", instruction.arg,
                            isa::CountText(spec_.locals, "local")));
  }
  if (!Needs(info.text, info.pops)) return;
  Append(instruction);
  height_ = height_ - info.pops + info.pushes;
  if (instruction.op() == Opcode::kHalt || instruction.op() == Opcode::kTrap) reachable_ = false;
}

void FunctionBuilder::Trap(isa::Trap cause, std::string_view note) {
  if (error_ || IsDropped()) return;
  SetNote(note);
  Emit(Opcode::kTrap, static_cast<std::uint32_t>(cause));
}

void FunctionBuilder::Call(std::uint32_t function, std::uint32_t params, std::uint32_t results) {
  if (error_ || IsDropped()) return;
  out_.calls.push_back({Here(), function});
  CallSignature(Instruction(Opcode::kCall), params, results);
}

void FunctionBuilder::CallImport(std::uint32_t import, std::uint32_t params,
                                 std::uint32_t results) {
  if (error_ || IsDropped()) return;
  CallSignature(Instruction(Opcode::kCall, import | isa::kHostCallBit), params, results);
}

void FunctionBuilder::CallSignature(Instruction call, std::uint32_t params, std::uint32_t results) {
  if (!Needs("CALL", params)) return;
  Append(call);
  height_ = height_ - params + results;
}

// ---------------------------------------------------------------------------------------- blocks

void FunctionBuilder::BeginBlock(BlockKind kind, std::uint32_t params, std::uint32_t results) {
  if (error_) return;
  Frame frame;
  frame.kind = kind;
  frame.is_reachable = reachable_;
  frame.params = params;
  frame.results = results;
  if (!IsDropped()) {
    const bool is_if = kind == BlockKind::kIf;
    const std::string_view name = is_if ? "if" : kind == BlockKind::kLoop ? "loop" : "block";
    if (!Needs(name, params + (is_if ? 1 : 0))) return;
    if (is_if) --height_;
    frame.base = height_ - params;
    frame.start = NewLabel();
    frame.end = NewLabel();
    if (is_if) AppendJump(Opcode::kJz, frame.start);
    if (kind == BlockKind::kLoop) Bind(frame.start);
  }
  frames_.push_back(frame);
}

bool FunctionBuilder::accepts_else() const {
  return !frames_.empty() && frames_.back().kind == BlockKind::kIf && !frames_.back().has_else;
}

// What the innermost block must hold where it is left at its end.
bool FunctionBuilder::LeavesResults() {
  const Frame& frame = frames_.back();
  const std::uint32_t values = height_ - frame.base;
  if (values == frame.results) return true;
  Fail(isa::ErrorCode::kInvalid,
       fmt::format("the {} leaves {}, expected {}", IsFunction(frame) ? "function" : "block",
                   isa::CountText(values, "value"), frame.results));
  return false;
}

void FunctionBuilder::Else() {
  if (error_) return;
  if (!accepts_else()) return Fail(isa::ErrorCode::kInvalid, "else without an if");
  Frame& frame = frames_.back();
  frame.has_else = true;
  const bool is_jump_dropped = IsDropped();
  if (!frame.is_reachable) return;
  if (!is_jump_dropped) {
    if (!LeavesResults()) return;
    JumpAlways(frame.end);
    frame.end_is_target = true;
  }
  Bind(frame.start);
  height_ = frame.base + frame.params;
  reachable_ = true;
}

void FunctionBuilder::End() {
  if (error_) return;
  if (frames_.empty()) return Fail(isa::ErrorCode::kInvalid, "end without a block");
  Frame& frame = frames_.back();
  if (IsFunction(frame)) return CloseFunction();
  if (frame.is_reachable) {
    if (reachable_ && !LeavesResults()) return;
    if (accepts_else()) {
      if (frame.params != frame.results) {
        return Fail(isa::ErrorCode::kInvalid,
                    fmt::format("an if without else takes {} and leaves {}, expected equal counts",
                                frame.params, isa::CountText(frame.results, "value")));
      }
      Bind(frame.start);
      frame.end_is_target = true;  // reached when the condition is 0
    }
    Bind(frame.end);
    reachable_ = reachable_ || frame.end_is_target;
    height_ = frame.base + frame.results;
  }
  frames_.pop_back();
}

void FunctionBuilder::CloseFunction() {
  if (reachable_) {
    if (!LeavesResults()) return;
    Append(Instruction(Opcode::kReturn));
  }
  reachable_ = false;
  frames_.pop_back();
}

// -------------------------------------------------------------------------------------- branches

const FunctionBuilder::Frame* FunctionBuilder::FrameAt(std::uint32_t depth) {
  if (depth < frames_.size()) return &frames_[frames_.size() - 1 - depth];
  Fail(isa::ErrorCode::kInvalid,
       fmt::format("branch to level {}, but only {} {} open", depth,
                   isa::CountText(frames_.size(), "block"), frames_.size() == 1 ? "is" : "are"));
  return nullptr;
}

std::uint32_t FunctionBuilder::Arity(const Frame& frame) const {
  return frame.kind == BlockKind::kLoop ? frame.params : frame.results;
}

bool FunctionBuilder::NeedsUnwinding(const Frame& frame) const {
  return height_ != frame.base + Arity(frame);
}

// Removes what lies between `target_height` and the `kept` values on top. height_ stays that of the
// code that does not branch.
void FunctionBuilder::Unwind(std::uint32_t target_height, std::uint32_t kept) {
  if (error_) return;
  const std::uint32_t extra = height_ - target_height - kept;
  if (extra == 0) return;
  if (kept == 1 && extra <= kSwapPopLimit) {
    for (std::uint32_t i = 0; i < extra; ++i) {
      Append(Instruction(Opcode::kSwap));
      Append(Instruction(Opcode::kPop));
    }
    return;
  }
  for (std::uint32_t i = kept; i-- > 0 && !error_;) {
    Append(Instruction(Opcode::kLocalSet, ScratchLocal(i)));
  }
  for (std::uint32_t i = 0; i < extra && !error_; ++i) Append(Instruction(Opcode::kPop));
  for (std::uint32_t i = 0; i < kept && !error_; ++i) {
    Append(Instruction(Opcode::kLocalGet, ScratchLocal(i)));
  }
}

// Code that leaves for `frame`, with its values on top of the stack.
void FunctionBuilder::BranchTo(const Frame& frame) {
  Unwind(frame.base, Arity(frame));
  if (IsFunction(frame)) return Append(Instruction(Opcode::kReturn));
  JumpAlways(TargetOf(frame));
}

// The label of a branch to `frame`, which is no function: those return.
FunctionBuilder::Label FunctionBuilder::TargetOf(const Frame& frame) {
  if (frame.kind == BlockKind::kLoop) return frame.start;
  frames_[static_cast<std::size_t>(&frame - frames_.data())].end_is_target = true;
  return frame.end;
}

void FunctionBuilder::Return() {
  if (frames_.empty()) return Fail(isa::ErrorCode::kInvalid, "RETURN behind the function's end");
  Br(static_cast<std::uint32_t>(frames_.size() - 1));
}

void FunctionBuilder::Br(std::uint32_t depth) {
  if (error_) return;
  const Frame* frame = FrameAt(depth);
  if (frame == nullptr || IsDropped()) return;
  if (!Needs(IsFunction(*frame) ? "RETURN" : "br", Arity(*frame))) return;
  BranchTo(*frame);
  reachable_ = false;
}

void FunctionBuilder::BrIf(std::uint32_t depth) {
  if (error_) return;
  const Frame* frame = FrameAt(depth);
  if (frame == nullptr || IsDropped()) return;
  if (!Needs("br_if", Arity(*frame) + 1)) return;
  --height_;
  if (!IsFunction(*frame) && !NeedsUnwinding(*frame)) {
    return AppendJump(Opcode::kJnz, TargetOf(*frame));
  }
  const Label skip = NewLabel();
  AppendJump(Opcode::kJz, skip);
  BranchTo(*frame);
  Bind(skip);
}

void FunctionBuilder::BrTable(std::span<const std::uint32_t> targets, std::uint32_t fallback) {
  if (error_) return;
  const Frame* last = FrameAt(fallback);
  if (last == nullptr) return;
  std::vector<Range> ranges;
  for (std::size_t i = 0; i <= targets.size(); ++i) {
    const std::uint32_t depth = i < targets.size() ? targets[i] : fallback;
    const Frame* frame = FrameAt(depth);
    if (frame == nullptr) return;
    if (Arity(*frame) != Arity(*last)) {
      return Fail(isa::ErrorCode::kInvalid,
                  fmt::format("target {} of br_table takes {}, the last one takes {}", i,
                              isa::CountText(Arity(*frame), "value"), Arity(*last)));
    }
    if (ranges.empty() || ranges.back().depth != depth) {
      ranges.push_back({static_cast<std::uint32_t>(i), depth});
    }
  }
  if (IsDropped() || !Needs("br_table", Arity(*last) + 1)) return;
  --height_;
  TableTree(ranges);
  reachable_ = false;
}

// Code that branches by the index on top of the stack, which lies in `ranges`; height_ is the
// height without it. Compares split the ranges in halves; the compare whose two sides are both
// final consumes the index, the others keep a copy. Recursion depth: log2 of the ranges.
void FunctionBuilder::TableTree(std::span<const Range> ranges) {
  if (error_) return;  // it need not look at what is left, which may be a million ranges
  if (ranges.size() == 1) {
    Append(Instruction(Opcode::kPop));
    return BranchTo(*FrameAt(ranges[0].depth));
  }
  if (ranges.size() == 2) {
    Append(Instruction(Opcode::kPush, ranges[1].first));
    Append(Instruction(Opcode::kLtU));
    return BranchEither(*FrameAt(ranges[0].depth), *FrameAt(ranges[1].depth));
  }
  if (ranges.size() == 3 && ranges[0].depth == ranges[2].depth &&
      ranges[2].first - ranges[1].first == 1) {
    Append(Instruction(Opcode::kPush, ranges[1].first));
    Append(Instruction(Opcode::kEq));
    return BranchEither(*FrameAt(ranges[1].depth), *FrameAt(ranges[0].depth));
  }
  const std::size_t half = ranges.size() / 2;
  const Label low = NewLabel();
  Append(Instruction(Opcode::kDup));
  Append(Instruction(Opcode::kPush, ranges[half].first));
  Append(Instruction(Opcode::kLtU));
  AppendJump(Opcode::kJnz, low);
  TableTree(ranges.subspan(half));
  Bind(low);
  TableTree(ranges.first(half));
}

// Pops a condition: to `taken` when it is not 0, else to `otherwise`.
void FunctionBuilder::BranchEither(const Frame& taken, const Frame& otherwise) {
  if (!IsFunction(taken) && !NeedsUnwinding(taken)) {
    AppendJump(Opcode::kJnz, TargetOf(taken));
    return BranchTo(otherwise);
  }
  if (!IsFunction(otherwise) && !NeedsUnwinding(otherwise)) {
    AppendJump(Opcode::kJz, TargetOf(otherwise));
    return BranchTo(taken);
  }
  const Label other = NewLabel();
  AppendJump(Opcode::kJz, other);
  BranchTo(taken);
  Bind(other);
  BranchTo(otherwise);
}

// --------------------------------------------------------------------------------------- the end

void FunctionBuilder::ResolveJumps() {
  for (const Jump& jump : jumps_) {
    const std::uint32_t position = positions_[jump.label];
    TXVM_ASSERT(position < out_.code.size());
    out_.code[jump.offset].arg = position;
  }
}

isa::Result<FunctionCode> FunctionBuilder::Finish() && {
  if (error_) return std::unexpected(std::move(*error_));
  TXVM_ASSERT(frames_.empty());
  ResolveJumps();
  out_.name = std::move(spec_.name);
  out_.params = spec_.params;
  out_.results = spec_.results;
  out_.locals = locals_;
  out_.types = std::move(spec_.types);
  if (spec_.prologue) ZeroUnwrittenLocals(out_, spec_.params);
  return std::move(out_);
}

}  // namespace txvm::assembler
