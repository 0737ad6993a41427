// How control flows through a TIR module, over any domain of values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "neural/triton/tir/asm.h"
#include "neural/triton/tir/step.h"
#include "neural/triton/tir/tasm_step.h"

namespace txvm::triton {

/// Labels of a validated module. REQUIRES: the module outlives it.
class TirLabels {
 public:
  struct Target {
    std::span<const TirOp> ops;
    bool is_loop = false;
  };

  explicit TirLabels(const TirModule& module) {
    for (std::size_t i = 0; i < module.ops.size(); ++i) {
      const TirOp& op = module.ops[i];
      if (op.code == TirCode::kEntry) entry_ = op.name;
      AddBodies(std::span(&op, 1));
      if (op.code != TirCode::kFnStart) continue;
      std::size_t end = i + 1;
      while (module.ops[end].code != TirCode::kFnEnd) ++end;
      targets_[op.name] = {std::span(module.ops).subspan(i + 1, end - i - 1), false};
    }
  }

  const Target& Find(std::string_view name) const { return targets_.find(name)->second; }
  /// The instructions of an asm operation of the module.
  const TasmProgram& Asm(const TirOp& op) const { return asm_.find(&op)->second; }
  /// Empty when the module has no entry.
  const std::string& entry() const { return entry_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void AddBodies(std::span<const TirOp> ops) {
    for (const TirOp& op : ops) {
      if (op.code == TirCode::kLoop) targets_[op.name] = {op.body, true};
      if (op.code == TirCode::kAsm) asm_.emplace(&op, *AssembleAsm(op));
      AddBodies(op.body);
      AddBodies(op.other);
    }
  }

  std::unordered_map<std::string, Target, Hash, std::equal_to<>> targets_;
  std::unordered_map<const TirOp*, TasmProgram> asm_;
  std::string entry_;
};

/// A body that is being run.
struct TirFrame {
  enum class Kind : std::uint8_t { kFunction, kLoop, kArm };
  std::span<const TirOp> ops;
  std::size_t at = 0;
  Kind kind = Kind::kArm;
  bool operator==(const TirFrame& that) const {
    return ops.data() == that.ops.data() && at == that.at && kind == that.kind;
  }
};

/// Runs operations one at a time. REQUIRES: machine and labels outlive it; the module is valid.
template <class D>
class TirControl {
 public:
  /// Where the run is: innermost body last.
  using Position = std::vector<TirFrame>;

  TirControl(StackMachine<D>& machine, const TirLabels& labels)
      : machine_(machine), labels_(labels) {}

  /// Starts a body whose end is the end of the run.
  void Start(std::span<const TirOp> ops) { frames_.push_back({ops, 0, Kind::kArm}); }
  void StartEntry() { EnterCall(labels_.entry()); }

  const Position& position() const { return frames_; }
  void Resume(Position position) { frames_ = std::move(position); }
  /// The next step is the test of a loop that has run its body: where induction cuts.
  bool AtRepeat() const {
    return !frames_.empty() && asm_.empty() && Next() == nullptr &&
           frames_.back().kind == Kind::kLoop;
  }

  bool done() const { return frames_.empty(); }
  std::size_t depth() const { return frames_.size(); }

  /// The operation that Step will run, or nullptr at the end of a body. REQUIRES: no asm operation
  /// is half run.
  const TirOp* Next() const {
    const Frame& frame = frames_.back();
    return frame.at < frame.ops.size() ? &frame.ops[frame.at] : nullptr;
  }

  /// Runs one operation, or one instruction of an asm operation, or leaves one body.
  /// REQUIRES !done().
  void Step() {
    if (!asm_.empty()) return StepAsm();
    const TirOp* op = Next();
    if (op == nullptr) return LeaveBody();
    ++frames_.back().at;
    switch (op->code) {
      case TirCode::kCall:
        return EnterCall(op->name);
      case TirCode::kReturn:
        return Return();
      case TirCode::kHalt:
        return frames_.clear();
      case TirCode::kIfElse:
        return EnterArm(Condition() ? op->body : op->other);
      case TirCode::kIfOnly:
        return Condition() ? EnterArm(op->body) : void();
      case TirCode::kProofBlock:
        return EnterArm(op->body);
      case TirCode::kAsm:
        asm_ = labels_.Asm(*op).code;
        return asm_.empty() ? void() : StepAsm();
#define TXVM_TIR_DEFINITION(code, name, ...) case TirCode::k##name:
#include "neural/triton/tir/ops.def"
        return;
#define TXVM_TIR_STEP(kind, code, name, ...) case TirCode::k##name:
#include "neural/triton/tir/ops.def"
        return StepTir(machine_, *op);
    }
  }

 private:
  using Frame = TirFrame;
  using Kind = TirFrame::Kind;

  bool Condition() {
    if (!machine_.Admit(-1)) return false;
    return machine_.domain().Choose(machine_.Pop());
  }

  void StepAsm() {
    StepTasm(machine_, asm_.front());
    asm_ = asm_.subspan(1);
  }

  void EnterArm(std::span<const TirOp> ops) {
    if (!machine_.domain().failed()) frames_.push_back({ops, 0, Kind::kArm});
  }

  void EnterCall(std::string_view name) {
    const TirLabels::Target& target = labels_.Find(name);
    frames_.push_back({target.ops, 0, target.is_loop ? Kind::kLoop : Kind::kFunction});
    if (target.is_loop) StartRound();
  }

  // A loop leaves when its counter is 0, else counts down and runs its body.
  void StartRound() {
    D& d = machine_.domain();
    if (!d.Choose(machine_.At(0))) {
      frames_.pop_back();
      return;
    }
    machine_.At(0) = d.Sub(machine_.At(0), d.Const(1));
    frames_.back().at = 0;
  }

  void LeaveBody() {
    if (frames_.back().kind == Kind::kLoop) return StartRound();
    frames_.pop_back();
  }

  void Return() {
    while (frames_.back().kind == Kind::kArm) frames_.pop_back();
    frames_.pop_back();
  }

  StackMachine<D>& machine_;
  const TirLabels& labels_;
  std::vector<Frame> frames_;
  std::span<const TasmInstruction> asm_;  // left to run of an asm operation
};

}  // namespace txvm::triton
