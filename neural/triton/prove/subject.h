// A program or fragment under verification, TIR or TASM, and its runs over any domain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/prove/world.h"
#include "neural/triton/tasm/program.h"
#include "neural/triton/tir/control.h"
#include "neural/triton/tir/tasm_step.h"

namespace txvm::triton {

/// Where a run of a TASM program is.
struct TasmPosition {
  std::size_t at = 0;
  std::vector<std::pair<std::size_t, std::size_t>> jumps;  // return to, destination
  bool operator==(const TasmPosition&) const = default;
};

/// How control flows through a TASM program, over any domain. REQUIRES: machine and program
/// outlive it.
template <class D>
class TasmControl {
 public:
  using Position = TasmPosition;

  TasmControl(StackMachine<D>& machine, const TasmProgram& program, bool end_is_halt)
      : machine_(machine), program_(program), end_is_halt_(end_is_halt) {}

  Position position() const { return {at_, jumps_}; }
  void Resume(Position position) {
    at_ = position.at;
    jumps_ = std::move(position.jumps);
  }
  /// The next step may go back to the start of a routine: where induction cuts.
  bool AtRepeat() const {
    if (done_ || at_ >= program_.code.size()) return false;
    const TasmInstruction& instruction = program_.code[at_];
    if (instruction.op == TasmOp::kCall) {
      return IsTailCall() && program_.labels[instruction.arg].index == jumps_.back().second;
    }
    return instruction.op == TasmOp::kRecurse || instruction.op == TasmOp::kRecurseOrReturn;
  }

  bool done() const { return done_; }
  std::size_t depth() const { return jumps_.size(); }

  /// Runs one instruction. REQUIRES !done().
  void Step() {
    if (at_ >= program_.code.size()) {
      done_ = true;
      if (!end_is_halt_) machine_.domain().Fail(Fault::kControl);
      return;
    }
    const TasmInstruction& instruction = program_.code[at_];
    D& d = machine_.domain();
    switch (instruction.op) {
      case TasmOp::kHalt:
        done_ = true;
        return;
      case TasmOp::kCall:
        return Call(program_.labels[instruction.arg].index);
      case TasmOp::kSkiz:
        return Skiz();
      case TasmOp::kReturn:
        return jumps_.empty() ? d.Fail(Fault::kControl) : Return();
      case TasmOp::kRecurse:
        return jumps_.empty() ? d.Fail(Fault::kControl) : Recurse();
      case TasmOp::kRecurseOrReturn: {
        if (jumps_.empty()) return d.Fail(Fault::kControl);
        constexpr std::size_t kLeft = 5, kRight = 6;
        const bool differ = d.Choose(d.Sub(machine_.At(kLeft), machine_.At(kRight)));
        return differ ? Recurse() : Return();
      }
#define TXVM_TASM_STRAIGHT(cls, code, Name, ...) case TasmOp::k##Name:
#include "neural/triton/tasm/ops.def"
        ++at_;
        return StepTasm(machine_, instruction);
    }
  }

 private:
  // A call before a return: the callee returns for both.
  bool IsTailCall() const {
    return !jumps_.empty() && at_ + 1 < program_.code.size() &&
           program_.code[at_ + 1].op == TasmOp::kReturn;
  }
  void Call(std::size_t target) {
    if (IsTailCall()) {
      jumps_.back().second = target;
    } else {
      jumps_.emplace_back(at_ + 1, target);
    }
    at_ = target;
  }
  void Skiz() {
    if (!machine_.Admit(-1)) return;
    D& d = machine_.domain();
    const bool skips = !d.Choose(machine_.Pop());
    if (skips && at_ + 1 >= program_.code.size()) return d.Fail(Fault::kControl);
    at_ += skips ? 2 : 1;
  }
  void Return() {
    at_ = jumps_.back().first;
    jumps_.pop_back();
  }
  void Recurse() { at_ = jumps_.back().second; }

  StackMachine<D>& machine_;
  const TasmProgram& program_;
  bool end_is_halt_;
  bool done_ = false;
  std::size_t at_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> jumps_;  // return to, destination
};

/// One side of a verification. Immutable, cheap to copy.
class Subject {
 public:
  /// A TIR module. A fragment has no function and no entry. Errors: kInvalid; a library is refused.
  static isa::Result<Subject> FromTir(TirModule module);
  /// A TASM program. Without any halt it is a fragment, which ends where the text ends.
  static Subject FromTasm(TasmProgram program);
  /// A TASM program as a fragment that ends at its halt: what a TIR fragment with arms or loops is
  /// lowered to. REQUIRES a TASM program with a halt.
  Subject EndingAtHalt() const;
  /// A TASM program as a whole program, even if it has no halt: then every run of it crashes or
  /// goes on for ever. REQUIRES a TASM program.
  Subject AsProgram() const;
  /// One routine of a TASM program, called on an arbitrary stack, as a fragment that ends when the
  /// routine returns. REQUIRES a label of the program.
  static Subject Routine(const TasmProgram& program, std::size_t label);
  /// True for TASM without halt that has routines to call: a library.
  bool is_library() const;
  /// Whether some code may run more than once without a call of it.
  bool has_loops() const;

  bool is_tir() const { return tir_ != nullptr; }
  bool is_fragment() const { return fragment_; }
  /// Whether the end of a TASM text is an end of the run.
  bool end_is_halt() const { return end_is_halt_; }
  /// Starts a control of the right kind for this subject.
  template <class D>
  TirControl<D> StartTir(StackMachine<D>& machine) const {
    TirControl<D> control(machine, tir_->labels);
    if (fragment_) {
      control.Start(tir_->module.ops);
    } else {
      control.StartEntry();
    }
    return control;
  }
  const TirModule& tir() const { return tir_->module; }
  const TasmProgram& tasm() const { return *tasm_; }
  /// Words that a TIR fragment needs on its stack; 0 for everything else.
  std::size_t needs() const { return needs_; }

  /// Runs on a machine for at most `steps` steps and counts `steps` down. False when the run had
  /// not ended by then.
  template <class D>
  bool Run(StackMachine<D>& machine, std::uint64_t& steps) const {
    if (tasm_ != nullptr) {
      TasmControl<D> control(machine, *tasm_, end_is_halt_);
      return Walk(control, machine, steps);
    }
    TirControl<D> control = StartTir(machine);
    return Walk(control, machine, steps);
  }

 private:
  struct Tir {
    explicit Tir(TirModule m) : module(std::move(m)), labels(module) {}
    TirModule module;
    TirLabels labels;
  };

  template <class Control, class D>
  static bool Walk(Control& control, StackMachine<D>& machine, std::uint64_t& steps) {
    constexpr std::size_t kMostDepth = 100'000;
    for (; !control.done() && !machine.domain().failed(); --steps) {
      if (steps == 0 || control.depth() > kMostDepth) return false;
      control.Step();
    }
    return true;
  }

  std::shared_ptr<const Tir> tir_;
  std::shared_ptr<const TasmProgram> tasm_;
  bool fragment_ = false;
  bool end_is_halt_ = false;
  std::size_t needs_ = 0;
};

}  // namespace txvm::triton
