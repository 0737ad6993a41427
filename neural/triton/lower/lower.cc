#include "neural/triton/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <span>
#include <unordered_map>
#include <utility>

#include "neural/triton/lower/tasm_peephole.h"
#include "neural/triton/lower/tir_peephole.h"
#include "neural/triton/tir/asm.h"
#include "neural/triton/tir/validate.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

constexpr std::uint64_t kMinusOne = vm::goldilocks::kPrime - 1;
constexpr std::uint64_t kWordBits = 32;
constexpr int kSealWords = 9;  // words a sealed event hashes besides its tag

// A body that becomes a subroutine after the function that holds it.
struct Deferred {
  enum class Kind : std::uint8_t { kThen, kElse, kOnly, kLoop };
  Kind kind;
  std::string label;
  std::span<const TirOp> ops;
};

class Lowering {
 public:
  TasmProgram Module(const TirModule& module, bool fragment) {
    for (const TirOp& op : module.ops) {
      Operation(op);
      if (op.code == TirCode::kFnEnd) Flush();
      ended_ = op.code == TirCode::kComment ? ended_ : Ends(op);
    }
    if (fragment && !deferred_.empty()) Emit(TasmOp::kHalt);
    Flush();
    SortLabels();
    return std::move(program_);
  }

 private:
  static bool Ends(const TirOp& op) {
    return op.code == TirCode::kReturn || op.code == TirCode::kHalt;
  }

  void Emit(TasmOp op, std::uint64_t arg = 0) { program_.code.push_back({op, arg}); }

  // The first mention of a name makes its label; a validated module defines every one.
  std::size_t Label(const std::string& name) {
    const auto [at, fresh] = labels_.emplace(name, program_.labels.size());
    if (fresh) program_.labels.push_back({name, 0});
    return at->second;
  }
  void Define(std::size_t label) {
    program_.labels[label].index = program_.code.size();
    defined_.push_back(label);
  }

  // The assembler numbers labels by where they are defined; so does the result.
  void SortLabels() {
    std::vector<TasmLabel> sorted;
    std::vector<std::size_t> moved(program_.labels.size(), 0);
    for (const std::size_t label : defined_) {
      moved[label] = sorted.size();
      sorted.push_back(std::move(program_.labels[label]));
    }
    program_.labels = std::move(sorted);
    for (TasmInstruction& instruction : program_.code) {
      if (instruction.op == TasmOp::kCall) instruction.arg = moved[instruction.arg];
    }
  }

  static std::string Name(const TirOp& op) { return "__" + op.name; }

  std::size_t Defer(Deferred::Kind kind, std::string_view stem, std::span<const TirOp> ops) {
    deferred_.push_back({kind, fmt::format("_{}_{}", stem, next_arm_++), ops});
    return Label(deferred_.back().label);
  }

  void Flush() {
    while (!deferred_.empty()) {
      const Deferred block = deferred_.front();
      deferred_.pop_front();
      Define(Label(block.label));
      if (block.kind == Deferred::Kind::kThen) Emit(TasmOp::kPop, 1);
      if (block.kind == Deferred::Kind::kLoop) LoopHead();
      Body(block.ops);
      if (ended_) continue;
      if (block.kind == Deferred::Kind::kThen) Emit(TasmOp::kPush, 0);
      Emit(block.kind == Deferred::Kind::kLoop ? TasmOp::kRecurse : TasmOp::kReturn);
    }
  }

  void LoopHead() {
    Emit(TasmOp::kDup, 0);
    Emit(TasmOp::kPush, 0);
    Emit(TasmOp::kEq);
    Emit(TasmOp::kSkiz);
    Emit(TasmOp::kReturn);
    Emit(TasmOp::kPush, kMinusOne);
    Emit(TasmOp::kAdd);
  }

  // Leaves in ended_ whether control cannot get past the body.
  void Body(std::span<const TirOp> ops) {
    ended_ = false;
    for (const TirOp& op : ops) {
      Operation(op);
      if (Ends(op)) ended_ = true;
    }
  }

  void Operation(const TirOp& op) {
    switch (op.code) {
      case TirCode::kCall:
        return Emit(TasmOp::kCall, Label(Name(op)));
      case TirCode::kReturn:
        return Emit(TasmOp::kReturn);
      case TirCode::kHalt:
        return Emit(TasmOp::kHalt);
      case TirCode::kFnStart:
        return Define(Label(Name(op)));
      case TirCode::kFnEnd:
        return ended_ ? void() : Emit(TasmOp::kReturn);
      case TirCode::kEntry:
        Emit(TasmOp::kCall, Label(Name(op)));
        return Emit(TasmOp::kHalt);
      case TirCode::kLoop:
        deferred_.push_back({Deferred::Kind::kLoop, Name(op), op.body});
        return;
      case TirCode::kIfElse:
      case TirCode::kIfOnly:
        return Branch(op);
      case TirCode::kProofBlock:
        for (const TirOp& inner : op.body) Operation(inner);
        return;
      case TirCode::kComment:
        return;
      case TirCode::kAsm:
        return Asm(op);
#define TXVM_TIR_DIRECT(code, name, ...) case TirCode::k##name:
#include "neural/triton/tir/ops.def"
        return Direct(op);
      case TirCode::kSub:
        Negate();
        return Emit(TasmOp::kAdd);
      case TirCode::kNeg:
        return Negate();
      case TirCode::kLt:
        Emit(TasmOp::kSwap, 1);
        return Emit(TasmOp::kLt);
      case TirCode::kOr:
        return Or();
      case TirCode::kDivMod:
        Emit(TasmOp::kSwap, 1);
        return Emit(TasmOp::kDivMod);
      case TirCode::kShl:
        ShiftFactor();
        return Emit(TasmOp::kMul);
      case TirCode::kShr:
        ShiftFactor();
        Emit(TasmOp::kSwap, 1);
        Emit(TasmOp::kDivMod);
        return Emit(TasmOp::kPop, 1);
      case TirCode::kAssert:
        return Emit(op.value == 1 ? TasmOp::kAssert : TasmOp::kAssertVector);
      case TirCode::kReveal:
        Emit(TasmOp::kPush, op.value);
        Emit(TasmOp::kWriteIo, 1);
        return Batches(TasmOp::kWriteIo, static_cast<std::uint64_t>(op.count));
      case TirCode::kSeal:
        return Seal(op);
      case TirCode::kRamRead:
        if (op.value > 1) Emit(TasmOp::kAddI, op.value - 1);
        Batches(TasmOp::kReadMem, op.value);
        return Emit(TasmOp::kPop, 1);
      case TirCode::kRamWrite:
        Emit(TasmOp::kPick, op.value);
        Batches(TasmOp::kWriteMem, op.value);
        return Emit(TasmOp::kPop, 1);
    }
  }

  // An operation that is one TASM instruction.
  void Direct(const TirOp& op) {
    const TasmOp direct = *Info(op.code).tasm;
    Emit(direct, Info(direct).arg == TasmArg::kNone ? 0 : op.value);
  }

  void Asm(const TirOp& op) {
    const auto program = AssembleAsm(op);  // the validator has seen it assemble
    program_.AddErrorIds(program->error_ids, program_.code.size());
    program_.code.insert(program_.code.end(), program->code.begin(), program->code.end());
  }

  void Branch(const TirOp& op) {
    if (op.code == TirCode::kIfOnly) {
      const std::size_t only = Defer(Deferred::Kind::kOnly, "then", op.body);
      Emit(TasmOp::kSkiz);
      return Emit(TasmOp::kCall, only);
    }
    // The flag under the condition says whether the second arm is still to run.
    const std::size_t first = Defer(Deferred::Kind::kThen, "then", op.body);
    const std::size_t second = Defer(Deferred::Kind::kElse, "else", op.other);
    Emit(TasmOp::kPush, 1);
    Emit(TasmOp::kSwap, 1);
    Emit(TasmOp::kSkiz);
    Emit(TasmOp::kCall, first);
    Emit(TasmOp::kSkiz);
    Emit(TasmOp::kCall, second);
  }

  void Seal(const TirOp& op) {
    for (int i = op.count; i < kSealWords; ++i) Emit(TasmOp::kPush, 0);
    Emit(TasmOp::kPush, op.value);
    Emit(TasmOp::kHash);
    Emit(TasmOp::kWriteIo, kDigestWords);
  }

  void Negate() {
    Emit(TasmOp::kPush, kMinusOne);
    Emit(TasmOp::kMul);
  }

  void Or() {  // a + b - (a & b)
    Emit(TasmOp::kDup, 1);
    Emit(TasmOp::kDup, 1);
    Emit(TasmOp::kAnd);
    Negate();
    Emit(TasmOp::kAdd);
    Emit(TasmOp::kAdd);
  }

  void ShiftFactor() {  // _ n -- _ 2^n, n <= 31 or crash: 2^192 = 1 would pass for a small factor
    Emit(TasmOp::kPush, kWordBits);
    Emit(TasmOp::kDup, 1);
    Emit(TasmOp::kLt);
    Emit(TasmOp::kAssert);
    Emit(TasmOp::kPush, 2);
    Emit(TasmOp::kPow);
  }

  void Batches(TasmOp op, std::uint64_t n) {
    for (; n > 0; n -= std::min(n, kTasmMaxCount)) Emit(op, std::min(n, kTasmMaxCount));
  }

  TasmProgram program_;
  std::unordered_map<std::string, std::size_t> labels_;
  std::vector<std::size_t> defined_;  // labels in the order of their definitions
  std::deque<Deferred> deferred_;
  std::size_t next_arm_ = 0;
  bool ended_ = false;
};

}  // namespace

isa::Result<TasmProgram> LowerTir(const TirModule& module, const LowerOptions& options) {
  TXVM_TRY(const TirSummary summary, ValidateTir(module));
  const bool fragment = summary.kind == TirSummary::Kind::kFragment;
  if (!options.peepholes) return Lowering().Module(module, fragment);
  TirModule optimized = module;
  OptimizeTir(optimized);
  return OptimizeTasm(Lowering().Module(optimized, fragment));
}

}  // namespace txvm::triton
