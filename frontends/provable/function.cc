#include "frontends/provable/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontends/provable/straight.h"

namespace txvm::frontends::provable {
namespace {

using triton::TirCode;

/// Where ways of control come together: the end of an arm, a loop's body or the function. On every
/// way `base + arity` operands are left, and the outcome above them if there is one.
struct Join {
  std::uint32_t base = 0;
  std::uint32_t arity = 0;
  bool has_outcome = false;
  std::uint64_t normal = 0;  // the outcome of coming to the end

  std::uint32_t height() const { return base + arity; }
};

/// A label that is in scope.
struct Label {
  const Join* join = nullptr;  // a branch to the label is one to this end
  std::uint32_t arity = 0;
  bool is_loop = false;       // its values go through RAM even from inside the join
  std::uint64_t outcome = 0;  // that says: leave everything inside this label
};

/// What follows a node in its sequence.
struct Tail {
  Code code;
  bool is_end = false;  // nothing but the end of the join
};

/// A block, or an if, or the one arm of an if that control comes out of.
struct Part {
  std::uint32_t base = 0;  // operands below its parameters
  std::uint32_t results = 0;
  std::uint32_t depth = 0;
  bool falls = false;
  std::span<const std::uint32_t> leaves;
  std::span<const Node> nodes;
  const Node::Arm* other = nullptr;  // second arm
};

Part PartOf(const Node& node) {
  const bool is_if = node.kind == Node::Kind::kIf;
  return {node.height - (is_if ? 1 : 0) - node.params,
          node.results,
          node.depth,
          node.falls,
          node.leaves,
          node.arms.front().nodes,
          is_if ? &node.arms.back() : nullptr};
}

/// What stands before a branch: the code that leaves the condition, and what is known of it.
struct Before {
  Code code;
  Condition condition;
};

/// Operations a node may need, roughly, its arms not counted.
std::uint64_t CostOf(const Node& node) {
  constexpr std::uint64_t kAnInstruction = 4;
  const std::uint64_t values = node.kind == Node::Kind::kRun ? 0 : node.height;  // moved or dropped
  return 1 + kAnInstruction * node.count + values;
}

class Lowerer {
 public:
  Lowerer(Context& context, const wat::Function& function, const Tree& tree, const Frame& frame)
      : context_(context), function_(function), tree_(tree), frame_(frame) {}

  Code Run();

 private:
  static Tail EndOf(const Join& join);
  Code Sequence(std::span<const Node> nodes, const Join& join, Tail tail);
  Before Straights(const Node& run, const Node& next);
  Code Compose(const Node& node, Before before, const Join& join, Tail tail);
  Code Construct(const Part& part, Before before, const Join& join, Tail tail);
  Code If(const Node& node, Before before, const Join& join, Tail tail);
  Code Bodies(const Part& part, Before before, const Join& join, Tail tail);
  Code Loop(const Node& node, Code before, const Join& join, Tail tail);
  Code OneExitLoop(const Node& node, Code before, const Join& join, Tail tail);
  Code LoopBody(const Node& node, const Join& inner, std::uint64_t again);
  bool HasOneExit(const Node& node, const Join& join, const Tail& tail) const;
  Code AfterOutcome(Code before, std::span<const std::uint32_t> leaves, const Join& inner,
                    const Join& join, Code tail);
  Code Leaf(std::uint32_t target, std::uint32_t height, const Join& join);
  Code BranchTable(const Node& node, Code before, const Join& join);
  Code Arrive(std::uint32_t height, const Join& join, bool loads, std::uint32_t above);

  std::uint64_t FreeOutcome(std::span<const std::uint32_t> labels,
                            std::optional<std::uint64_t> taken = {}) const;
  bool ArrivesAt(std::span<const std::uint32_t> labels, const Join& join) const;
  std::vector<std::uint64_t> Outcomes(std::span<const std::uint32_t> labels) const;
  void ClearOutcomes(std::span<const std::uint32_t> labels);
  void RestoreOutcomes(std::span<const std::uint32_t> labels,
                       const std::vector<std::uint64_t>& outcomes);
  void Open(std::uint32_t depth, Label label);

  Context& context_;
  const wat::Function& function_;
  const Tree& tree_;
  const Frame& frame_;
  std::vector<Label> labels_;  // by depth; those of closed constructs are stale
};

/// The ending of a sequence that does nothing more.
Tail Lowerer::EndOf(const Join& join) {
  Tail tail{{}, true};
  if (join.has_outcome) tail.code.Push(join.normal);
  return tail;
}

void Lowerer::Open(std::uint32_t depth, Label label) {
  if (labels_.size() <= depth) labels_.resize(depth + 1);
  labels_[depth] = label;
}

/// An outcome that none of the labels has: 1 when all of them have 0, else 0 if it is free.
std::uint64_t Lowerer::FreeOutcome(std::span<const std::uint32_t> labels,
                                   std::optional<std::uint64_t> taken) const {
  const auto used = [&](std::uint64_t outcome) {
    return taken == outcome || std::ranges::any_of(labels, [&](std::uint32_t depth) {
             return labels_[depth].outcome == outcome;
           });
  };
  if (used(0) && !used(1)) return 1;
  std::uint64_t outcome = 0;
  while (used(outcome)) ++outcome;
  return outcome;
}

bool Lowerer::ArrivesAt(std::span<const std::uint32_t> labels, const Join& join) const {
  return std::ranges::any_of(labels,
                             [&](std::uint32_t depth) { return labels_[depth].join == &join; });
}

std::vector<std::uint64_t> Lowerer::Outcomes(std::span<const std::uint32_t> labels) const {
  std::vector<std::uint64_t> outcomes;
  for (const std::uint32_t depth : labels) outcomes.push_back(labels_[depth].outcome);
  return outcomes;
}

void Lowerer::ClearOutcomes(std::span<const std::uint32_t> labels) {
  for (const std::uint32_t depth : labels) labels_[depth].outcome = 0;
}

void Lowerer::RestoreOutcomes(std::span<const std::uint32_t> labels,
                              const std::vector<std::uint64_t>& outcomes) {
  for (std::size_t i = 0; i < labels.size(); ++i) labels_[labels[i]].outcome = outcomes[i];
}

/// From `height` operands to those of the join: the values that came along when `loads`, else
/// whatever. `above` words, 0 or 1, stay on top.
Code Lowerer::Arrive(std::uint32_t height, const Join& join, bool loads, std::uint32_t above) {
  Code code;
  if (!loads || join.arity == 0) {
    code.Resize(height, join.height(), above);
    return code;
  }
  code.Resize(height, join.base, above);
  if (above == 0 || join.arity < kRegisters) {
    code.LoadMany(context_.layout.carry, join.arity);
    if (above > 0) code.Pick(join.arity);
    return code;
  }
  const std::uint64_t aside = context_.layout.carry + context_.layout.carry_cells - 1;
  code.Store(aside);
  code.LoadMany(context_.layout.carry, join.arity);
  code.Load(aside);
  return code;
}

/// A branch to a label, `height` operands on the stack.
Code Lowerer::Leaf(std::uint32_t target, std::uint32_t height, const Join& join) {
  constexpr std::uint32_t kMostMoved = 8;  // more values are quicker through RAM
  const Label& label = labels_[target];
  Code code;
  if (label.join == &join && !label.is_loop) {
    const std::uint32_t extra = height - join.height();
    if (label.arity <= kMostMoved || extra == 0) {
      code.DropUnder(extra, label.arity);
    } else {
      code.StoreMany(context_.layout.carry, label.arity);
      code.Pop(extra);
      code.LoadMany(context_.layout.carry, label.arity);
    }
  } else {
    code.StoreMany(context_.layout.carry, label.arity);
    code.Resize(height - label.arity, join.height(), 0);
  }
  if (join.has_outcome) code.Push(label.outcome);
  return code;
}

Before Lowerer::Straights(const Node& run, const Node& next) {
  Before before;
  Straight straight(context_, frame_, run.height);
  straight.Run(std::span(function_.body).subspan(run.first, run.count));
  if (next.kind == Node::Kind::kIf || next.kind == Node::Kind::kBranchIf) {
    before.condition = straight.TakeCondition();
  }
  before.code = straight.Finish();
  return before;
}

/// Nodes in order, the last first: what a branch skips is written before the branch.
Code Lowerer::Sequence(std::span<const Node> nodes, const Join& join, Tail tail) {
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node& node = nodes[i];
    if (!context_.Spend(CostOf(node))) return {};
    Before before;
    if (node.kind == Node::Kind::kRun) {
      before = Straights(node, node);
    } else if (i > 0 && nodes[i - 1].kind == Node::Kind::kRun) {
      before = Straights(nodes[--i], node);
    }
    tail = {Compose(node, std::move(before), join, std::move(tail)), false};
  }
  return std::move(tail.code);
}

/// What stands before the node, the node and its tail.
Code Lowerer::Compose(const Node& node, Before before, const Join& join, Tail tail) {
  switch (node.kind) {
    case Node::Kind::kRun:
      before.code.Append(std::move(tail.code));
      break;
    case Node::Kind::kTrap:
      before.code.Trap();
      break;
    case Node::Kind::kBranch:
      before.code.Append(Leaf(node.depth, node.height, join));
      break;
    case Node::Kind::kBranchIf:
      return context_.functions.Branch(std::move(before.code), before.condition,
                                       Leaf(node.depth, node.height - 1, join),
                                       std::move(tail.code));
    case Node::Kind::kBranchTable:
      return BranchTable(node, std::move(before.code), join);
    case Node::Kind::kIf:
      return If(node, std::move(before), join, std::move(tail));
    case Node::Kind::kLoop:
      if (node.targeted) return Loop(node, std::move(before.code), join, std::move(tail));
      [[fallthrough]];
    case Node::Kind::kBlock:
      return Construct(PartOf(node), std::move(before), join, std::move(tail));
  }
  return std::move(before.code);
}

/// An if: when control comes out of one arm alone, the tail belongs to that arm.
Code Lowerer::If(const Node& node, Before before, const Join& join, Tail tail) {
  const bool first_falls = node.arms.front().falls;
  Part part = PartOf(node);
  if (first_falls == node.arms.back().falls) {
    return Construct(part, std::move(before), join, std::move(tail));
  }
  const Node::Arm& on = first_falls ? node.arms.front() : node.arms.back();
  const Node::Arm& out = first_falls ? node.arms.back() : node.arms.front();
  part.nodes = on.nodes;
  part.leaves = on.leaves;
  part.other = nullptr;
  Code leaving = Sequence(out.nodes, join, {});
  Code going_on = Construct(part, {}, join, std::move(tail));
  if (!first_falls) std::swap(going_on, leaving);
  return context_.functions.Branch(std::move(before.code), before.condition, std::move(going_on),
                                   std::move(leaving));
}

/// The body of a block, or the arms of an if, that end at `join`. The tail of arms does nothing.
Code Lowerer::Bodies(const Part& part, Before before, const Join& join, Tail tail) {
  Open(part.depth, {&join, part.results, false, join.normal});
  Tail other = tail.is_end ? EndOf(join) : Tail{};
  Code first = Sequence(part.nodes, join, std::move(tail));
  if (part.other == nullptr) {
    before.code.Append(std::move(first));
    return std::move(before.code);
  }
  Code second = Sequence(part.other->nodes, join, std::move(other));
  return context_.functions.Branch(std::move(before.code), before.condition, std::move(first),
                                   std::move(second));
}

/// A block or an if, and its tail.
Code Lowerer::Construct(const Part& part, Before before, const Join& join, Tail tail) {
  if (!part.falls) return Bodies(part, std::move(before), join, {});
  if (tail.is_end && part.base == join.base && part.results == join.arity) {
    return Bodies(part, std::move(before), join, std::move(tail));
  }
  Join inner{part.base, part.results, !part.leaves.empty(), 0};
  if (part.leaves.empty()) {
    Code code = Bodies(part, std::move(before), inner, EndOf(inner));
    code.Append(std::move(tail.code));
    return code;
  }
  // Where the join has no outcome, all ways out lead to the same place: 0 will do for all labels.
  const std::vector<std::uint64_t> saved = Outcomes(part.leaves);
  if (!join.has_outcome) ClearOutcomes(part.leaves);
  inner.normal = FreeOutcome(part.leaves);
  Code code = Bodies(part, std::move(before), inner, EndOf(inner));
  code = AfterOutcome(std::move(code), part.leaves, inner, join, std::move(tail.code));
  RestoreOutcomes(part.leaves, saved);
  return code;
}

/// An outcome is on the stack: the tail if it is the normal one, else on to the join.
Code Lowerer::AfterOutcome(Code before, std::span<const std::uint32_t> leaves, const Join& inner,
                           const Join& join, Code tail) {
  const bool others_are_zero =
      std::ranges::all_of(leaves, [&](std::uint32_t leaf) { return labels_[leaf].outcome == 0; });
  Condition condition{.is_bool = true};
  Code normal;
  if (join.has_outcome) {
    before.Dup(0);
    normal.Pop(1);
  }
  normal.Append(std::move(tail));
  if (!others_are_zero || inner.normal != 1) {
    before.Push(inner.normal);
    before.Op(TirCode::kEq);
    condition.is_zero_test = inner.normal == 0;
  }
  Code onwards = Arrive(inner.height(), join, ArrivesAt(leaves, join), join.has_outcome ? 1 : 0);
  return context_.functions.Branch(std::move(before), condition, std::move(normal),
                                   std::move(onwards));
}

/// Whether control always goes to the same place after the loop: then the loop's counter, 0 when it
/// ends, says all.
bool Lowerer::HasOneExit(const Node& node, const Join& join, const Tail& tail) const {
  const bool end_is_join =
      tail.is_end && node.results == 0 && join.arity == 0 && node.height - node.params == join.base;
  std::optional<std::uint64_t> place;  // 0: the join's end, 1: after the loop, else a label
  const auto same = [&](std::uint64_t to) {
    return place.value_or(to) == to && (place = to, true);
  };
  if (node.falls && !same(end_is_join ? 0 : 1)) return false;
  return std::ranges::all_of(node.leaves, [&](std::uint32_t leaf) {
    const Label& label = labels_[leaf];
    const bool at_end = label.join == &join && label.arity == 0 && !label.is_loop;
    if (!join.has_outcome) return same(join.arity == 0 ? 0 : 2);
    return same(at_end ? 0 : std::uint64_t{leaf} + 2);
  });
}

/// The body of a loop after the removal of its counter: it leaves the join's outcome.
Code Lowerer::LoopBody(const Node& node, const Join& inner, std::uint64_t again) {
  Open(node.depth, {&inner, node.params, true, again});
  Code body;
  body.LoadMany(context_.layout.carry, node.params);
  Tail tail = EndOf(inner);
  if (node.results > 0) {
    Code end;
    end.StoreMany(context_.layout.carry, node.results);
    end.Append(std::move(tail.code));
    tail = {std::move(end), false};
  }
  body.Append(Sequence(node.arms.front().nodes, inner, std::move(tail)));
  return body;
}

/// The counter is the outcome: 1 to go on.
Code Lowerer::OneExitLoop(const Node& node, Code before, const Join& join, Tail tail) {
  const Join inner{node.height - node.params, 0, true, 0};
  const std::vector<std::uint64_t> saved = Outcomes(node.leaves);
  ClearOutcomes(node.leaves);
  Code body;
  body.Pop(1);
  body.Append(LoopBody(node, inner, 1));
  RestoreOutcomes(node.leaves, saved);
  const std::string name = context_.functions.Fresh("loop");
  before.Append(context_.functions.Loop(name, std::move(body)));
  before.Push(1);
  before.Call(name);
  before.Pop(1);
  if (node.falls) {
    before.LoadMany(context_.layout.carry, node.results);
    before.Append(std::move(tail.code));
  } else if (node.leaves.empty()) {
    before.Trap();  // not reached: the loop has no end
  } else {
    before.Append(Arrive(inner.base, join, ArrivesAt(node.leaves, join), 0));
    if (join.has_outcome) before.Push(labels_[node.leaves.front()].outcome);
  }
  return before;
}

Code Lowerer::Loop(const Node& node, Code before, const Join& join, Tail tail) {
  before.StoreMany(context_.layout.carry, node.params);
  if (HasOneExit(node, join, tail)) {
    return OneExitLoop(node, std::move(before), join, std::move(tail));
  }
  // The outcome of the last round lies below the counter.
  Join inner{node.height - node.params, 0, true, 0};
  const std::vector<std::uint64_t> saved = Outcomes(node.leaves);
  if (!join.has_outcome) ClearOutcomes(node.leaves);
  inner.normal = FreeOutcome(node.leaves);
  const std::uint64_t again = FreeOutcome(node.leaves, inner.normal);
  Code body;
  body.Pop(2);
  body.Append(LoopBody(node, inner, again));
  body.Dup(0);
  body.Push(again);
  body.Op(TirCode::kEq);
  const std::string name = context_.functions.Fresh("loop");
  before.Append(context_.functions.Loop(name, std::move(body)));
  before.Push(0);
  before.Push(1);
  before.Call(name);
  before.Pop(1);
  if (node.falls) {
    Code rest;
    rest.LoadMany(context_.layout.carry, node.results);
    rest.Append(std::move(tail.code));
    before = AfterOutcome(std::move(before), node.leaves, inner, join, std::move(rest));
  } else {
    before.Append(Arrive(inner.base, join, ArrivesAt(node.leaves, join), 1));
  }
  RestoreOutcomes(node.leaves, saved);
  return before;
}

/// A search for the target in halves; equal neighbours are one.
Code Lowerer::BranchTable(const Node& node, Code before, const Join& join) {
  struct Range {
    std::uint32_t first = 0;  // index
    std::uint32_t target = 0;
  };
  std::vector<Range> ranges;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const std::uint32_t target = node.depth - function_.labels[node.first + i];
    if (ranges.empty() || ranges.back().target != target) ranges.push_back({i, target});
  }
  const auto search = [&](auto&& self, std::span<const Range> part) -> Code {
    Code code;
    if (!context_.Spend(1 + node.height)) return code;  // each leaf drops or moves the operands
    if (part.size() == 1) {
      code.Pop(1);
      code.Append(Leaf(part.front().target, node.height - 1, join));
      return code;
    }
    const std::size_t half = part.size() / 2;
    code.Dup(0);
    code.Push(part[half].first);
    code.Op(TirCode::kLt);
    return context_.functions.Branch(std::move(code), {.is_bool = true},
                                     self(self, part.first(half)), self(self, part.subspan(half)));
  };
  before.Append(search(search, ranges));
  return before;
}

Code Lowerer::Run() {
  const std::uint32_t results =
      static_cast<std::uint32_t>(context_.module.SignatureOf(function_).results.size());
  const Join join{0, results, false, 0};
  context_.Spend(frame_.locals.size());
  Open(0, {&join, results, false, 0});
  Code code = EnterFrame(frame_, context_.layout);
  code.Append(Sequence(tree_.nodes, join, EndOf(join)));
  if (tree_.falls) code.Append(LeaveFrame(frame_, context_.layout, results));
  return code;
}

}  // namespace

Code LowerFunction(Context& context, const wat::Function& function, const Tree& tree,
                   const Frame& frame) {
  return Lowerer(context, function, tree, frame).Run();
}

}  // namespace txvm::frontends::provable
