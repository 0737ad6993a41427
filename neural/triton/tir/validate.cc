#include "neural/triton/tir/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "isa/support/text.h"

namespace txvm::triton {
namespace {

using isa::Result;

// Rounds of the effect fixpoint. Callees come before callers, so only cycles need more than two.
constexpr std::size_t kRounds = 64;

// A function or a loop.
struct Procedure {
  const TirOp* definition = nullptr;
  std::span<const TirOp> ops;
  bool is_loop = false;
  bool known = false;
  StackEffect effect;
  std::vector<std::size_t> callees;
};

// The state of one walk through a body.
struct Walk {
  std::int64_t needs = 0;
  std::optional<std::int64_t> returned;  // depth at the returns seen so far
};

struct Flow {
  std::int64_t depth = 0;
  bool falls = true;  // control gets to the end
};

class Validator {
 public:
  explicit Validator(const TirModule& module) : module_(module) {}

  Result<TirSummary> Run() {
    TXVM_CHECK_OK(Collect());
    for (Procedure& procedure : procedures_) TXVM_CHECK_OK(FindCallees(procedure.ops, procedure));
    Procedure loose;  // calls of a fragment; a module with functions has none outside them
    TXVM_CHECK_OK(FindCallees(module_.ops, loose));
    TXVM_CHECK_OK(Settle());
    TirSummary summary;
    for (const Procedure& procedure : procedures_) {
      summary.effects.emplace(procedure.definition->name, procedure.effect);
    }
    if (entry_ != nullptr) {
      summary.kind = TirSummary::Kind::kProgram;
      TXVM_CHECK_OK(CheckEntry());
      return summary;
    }
    if (has_functions_) {
      summary.kind = TirSummary::Kind::kLibrary;
      return summary;
    }
    Walk walk;
    TXVM_TRY(const Flow flow, Through(module_.ops, {}, walk, Place::kFragment));
    summary.fragment = {walk.needs, flow.depth, flow.falls};
    return summary;
  }

 private:
  // Where a body stands decides whether `return` may be in it.
  enum class Place : std::uint8_t { kFunction, kLoop, kArm, kFragment };

  std::unexpected<isa::Error> Bad(const TirOp& op, std::string message) const {
    return std::unexpected(isa::Error{
        isa::ErrorCode::kInvalid, std::move(message), {module_.file, op.line, op.column}, {}});
  }

  Result<void> Collect() {
    for (const TirOp& op : module_.ops) {
      has_functions_ |= op.code == TirCode::kFnStart;
      if (op.code != TirCode::kEntry) continue;
      if (entry_ != nullptr) return Bad(op, "a program has one entry; this is the second");
      entry_ = &op;
    }
    for (std::size_t i = 0; i < module_.ops.size(); ++i) {
      const TirOp& op = module_.ops[i];
      if (op.code == TirCode::kFnStart) {
        std::size_t end = i + 1;
        while (end < module_.ops.size() && module_.ops[end].code != TirCode::kFnEnd) ++end;
        const std::span<const TirOp> ops = std::span(module_.ops).subspan(i + 1, end - i - 1);
        TXVM_CHECK_OK(Define(op, ops, false));
        TXVM_CHECK_OK(CollectLoops(ops));
        i = end;
      } else if (has_functions_ || entry_ != nullptr) {
        if (op.code != TirCode::kEntry && op.code != TirCode::kComment) {
          return Bad(op, fmt::format("{} stands outside every function", Info(op.code).text));
        }
      } else {
        TXVM_CHECK_OK(CollectLoops(std::span(&op, 1)));
      }
    }
    return {};
  }

  Result<void> CollectLoops(std::span<const TirOp> ops) {
    for (const TirOp& op : ops) {
      if (op.code == TirCode::kEntry) return Bad(op, "entry stands inside a function");
      if (op.code == TirCode::kLoop) TXVM_CHECK_OK(Define(op, op.body, true));
      TXVM_CHECK_OK(CollectLoops(op.body));
      TXVM_CHECK_OK(CollectLoops(op.other));
    }
    return {};
  }

  Result<void> Define(const TirOp& op, std::span<const TirOp> ops, bool is_loop) {
    if (!names_.emplace(op.name, procedures_.size()).second) {
      return Bad(op, fmt::format("'{}' is defined twice", op.name));
    }
    Procedure procedure;
    procedure.definition = &op;
    procedure.ops = ops;
    procedure.is_loop = is_loop;
    if (is_loop) {
      // A loop whose counter is 0 leaves at once, so its net effect is known from the start.
      procedure.known = true;
      procedure.effect = {1, 0, true};
    }
    procedures_.push_back(std::move(procedure));
    return {};
  }

  Result<void> FindCallees(std::span<const TirOp> ops, Procedure& procedure) {
    for (const TirOp& op : ops) {
      if (op.code == TirCode::kCall) {
        const auto found = names_.find(op.name);
        if (found == names_.end()) {
          return Bad(op, fmt::format("call to '{}', which is not defined", op.name));
        }
        procedure.callees.push_back(found->second);
      }
      if (op.code == TirCode::kLoop) continue;
      TXVM_CHECK_OK(FindCallees(op.body, procedure));
      TXVM_CHECK_OK(FindCallees(op.other, procedure));
    }
    return {};
  }

  // Callees before callers, cycles broken anywhere. Not recursive: call chains may be long.
  std::vector<std::size_t> Order() const {
    std::vector<std::size_t> order;
    std::vector<std::uint8_t> seen(procedures_.size(), 0);
    std::vector<std::pair<std::size_t, std::size_t>> stack;  // procedure, next callee
    for (std::size_t root = 0; root < procedures_.size(); ++root) {
      if (seen[root] != 0) continue;
      seen[root] = 1;
      stack.emplace_back(root, 0);
      while (!stack.empty()) {
        auto& [at, next] = stack.back();
        if (next == procedures_[at].callees.size()) {
          order.push_back(at);
          stack.pop_back();
          continue;
        }
        const std::size_t callee = procedures_[at].callees[next++];
        if (seen[callee] != 0) continue;
        seen[callee] = 1;
        stack.emplace_back(callee, 0);
      }
    }
    return order;
  }

  Result<void> Settle() {
    const std::vector<std::size_t> order = Order();
    for (std::size_t round = 0;; ++round) {
      const Procedure* changed = nullptr;  // the first: later ones may only call it
      for (const std::size_t index : order) {
        Procedure& procedure = procedures_[index];
        TXVM_TRY(const bool same, Update(procedure));
        if (!same && changed == nullptr) changed = &procedure;
      }
      if (changed == nullptr) return {};
      if (round == kRounds) {
        return Bad(*changed->definition,
                   fmt::format("the stack that '{}' needs grows with every call of itself",
                               changed->definition->name));
      }
    }
  }

  // True when the effect stayed the same.
  Result<bool> Update(Procedure& procedure) {
    Walk walk;
    TXVM_TRY(const Flow flow,
             Through(procedure.ops, {}, walk, procedure.is_loop ? Place::kLoop : Place::kFunction));
    std::optional<std::int64_t> net = walk.returned;
    const std::string& name = procedure.definition->name;
    if (flow.falls) {
      if (net && *net != flow.depth) {
        return Bad(*procedure.definition,
                   fmt::format("'{}' leaves the stack {:+} words on one path and {:+} on another",
                               name, *net, flow.depth));
      }
      net = flow.depth;
    }
    if (procedure.is_loop && net && *net != 0) {
      return Bad(
          *procedure.definition,
          fmt::format("the body of loop '{}' changes the stack by {:+} words, not 0", name, *net));
    }
    StackEffect effect{walk.needs, net.value_or(0), net.has_value()};
    if (procedure.is_loop) effect = {std::max<std::int64_t>(walk.needs, 1), 0, true};
    const bool same = procedure.known == effect.ends && procedure.effect == effect;
    procedure.known = effect.ends;
    procedure.effect = effect;
    return same;
  }

  // A body that control enters with `flow`; after a call that never returns it does not, and then
  // the depth means nothing.
  Result<Flow> Through(std::span<const TirOp> ops, Flow flow, Walk& walk, Place place) {
    const TirOp* ended = nullptr;  // the return or halt that control does not get past
    for (const TirOp& op : ops) {
      if (op.code == TirCode::kLoop || op.code == TirCode::kComment) continue;
      if (ended != nullptr) {
        return Bad(op, fmt::format("{} cannot be reached: it follows {}", Info(op.code).text,
                                   Info(ended->code).text));
      }
      if (op.code == TirCode::kReturn || op.code == TirCode::kHalt) ended = &op;
      TXVM_TRY(flow, Step(op, flow, walk, place));
    }
    return flow;
  }

  static void Need(Walk& walk, const Flow& flow, std::int64_t words) {
    if (flow.falls) walk.needs = std::max(walk.needs, words - flow.depth);
  }

  Result<Flow> Step(const TirOp& op, Flow flow, Walk& walk, Place place) {
    switch (op.code) {
      case TirCode::kReturn:
        return Leave(op, flow, walk, place);
      case TirCode::kHalt:
        flow.falls = false;
        return flow;
      case TirCode::kCall: {
        const Procedure& callee = procedures_[names_.find(op.name)->second];
        Need(walk, flow, callee.effect.needs);
        flow.depth += callee.effect.net;
        flow.falls &= callee.known;
        return flow;
      }
      case TirCode::kIfElse:
        return Branch(op, flow, walk);
      case TirCode::kIfOnly: {
        Need(walk, flow, 1);
        --flow.depth;
        TXVM_TRY(const Flow arm, Through(op.body, flow, walk, Place::kArm));
        if (flow.falls && arm.falls && arm.depth != flow.depth) {
          return Bad(op, fmt::format("the arm of if_only changes the stack by {:+} words, not 0",
                                     arm.depth - flow.depth));
        }
        return flow;
      }
      case TirCode::kProofBlock:
        return Through(op.body, flow, walk, place == Place::kFragment ? place : Place::kArm);
      case TirCode::kAsm: {
        TXVM_TRY(const StackEffect effect, CheckAsm(op));
        Need(walk, flow, effect.needs);
        flow.depth += effect.net;
        return flow;
      }
      case TirCode::kLoop:
      case TirCode::kFnStart:
      case TirCode::kFnEnd:
      case TirCode::kEntry:
      case TirCode::kComment:
        return flow;
#define TXVM_TIR_STEP(kind, code, name, ...) case TirCode::k##name:
#include "neural/triton/tir/ops.def"
        {
          const StackEffect effect = OwnEffect(op);
          Need(walk, flow, effect.needs);
          flow.depth += effect.net;
          return flow;
        }
    }
    return flow;
  }

  Result<Flow> Leave(const TirOp& op, Flow flow, Walk& walk, Place place) {
    if (place == Place::kArm || place == Place::kFragment) {
      return Bad(op, place == Place::kArm
                         ? "return stands inside an arm or a proof block; it may only stand "
                           "directly in a function or loop body"
                         : "return stands outside every function");
    }
    if (flow.falls && walk.returned && *walk.returned != flow.depth) {
      return Bad(op, fmt::format("this return leaves the stack {:+} words, an earlier one {:+}",
                                 flow.depth, *walk.returned));
    }
    if (flow.falls) walk.returned = flow.depth;
    flow.falls = false;
    return flow;
  }

  Result<Flow> Branch(const TirOp& op, Flow flow, Walk& walk) {
    Need(walk, flow, 1);
    --flow.depth;
    TXVM_TRY(const Flow first, Through(op.body, flow, walk, Place::kArm));
    TXVM_TRY(const Flow second, Through(op.other, flow, walk, Place::kArm));
    if (flow.falls && first.falls && second.falls && first.depth != second.depth) {
      return Bad(op, fmt::format("the arms of if_else change the stack by {:+} and {:+} words",
                                 first.depth - flow.depth, second.depth - flow.depth));
    }
    if (!flow.falls) return flow;
    return first.falls ? first : second;
  }

  Result<void> CheckEntry() const {
    const auto found = names_.find(entry_->name);
    if (found == names_.end() || procedures_[found->second].is_loop) {
      return Bad(*entry_, fmt::format("the entry '{}' is not a function", entry_->name));
    }
    const std::int64_t needs = procedures_[found->second].effect.needs;
    if (needs > 0) {
      return Bad(*entry_,
                 fmt::format("the entry '{}' takes {} from the stack, which is empty", entry_->name,
                             isa::CountText(static_cast<std::uint64_t>(needs), "word")));
    }
    return {};
  }

  const TirModule& module_;
  bool has_functions_ = false;
  const TirOp* entry_ = nullptr;
  std::vector<Procedure> procedures_;
  std::map<std::string, std::size_t, std::less<>> names_;
};

}  // namespace

StackEffect OwnEffect(const TirOp& op) {
  const auto effect = [](std::int64_t pops, std::int64_t pushes) {
    return StackEffect{pops, pushes - pops, true};
  };
  const auto n = static_cast<std::int64_t>(op.value);
  const std::int64_t f = op.count;
  switch (op.code) {
#define TXVM_TIR(kind, code, name, text, tier, operand, pops, pushes, ...) \
  case TirCode::k##name:                                                   \
    return effect(pops, pushes);
#include "neural/triton/tir/ops.def"
  }
  return {};
}

isa::Result<TirSummary> ValidateTir(const TirModule& module) { return Validator(module).Run(); }

}  // namespace txvm::triton
