// Declared in frontends/nl/language/lower_parts.h.

#include <string>

#include "frontends/nl/language/lower_parts.h"

namespace txvm::frontends::nl {
namespace {

constexpr std::uint32_t kLeastLocals = 2;  // as in the modules of the original code book
constexpr std::uint32_t kWordBytes = 4;

/// The instruction of an infix operation that is one.
WasmOp InstructionOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kEqual:
      return WasmOp::kEq;
    case NodeKind::kNotEqual:
      return WasmOp::kNe;
    case NodeKind::kLess:
      return WasmOp::kLtS;
    case NodeKind::kLessEqual:
      return WasmOp::kLeS;
    case NodeKind::kGreater:
      return WasmOp::kGtS;
    case NodeKind::kGreaterEqual:
      return WasmOp::kGeS;
    case NodeKind::kAdd:
      return WasmOp::kAdd;
    case NodeKind::kSubtract:
      return WasmOp::kSub;
    case NodeKind::kMultiply:
      return WasmOp::kMul;
    case NodeKind::kRemainder:
      return WasmOp::kRemS;
    default:  // exact and rounded quotients: where words do, both are div_s
      return WasmOp::kDivS;
  }
}

class NarrowWriter {
 public:
  NarrowWriter(const Ast& ast, std::span<const Rational> numbers, const WordValues& values,
               const LowerOptions& options)
      : ast_(ast),
        numbers_(numbers),
        values_(values),
        suffix_(options.recursive ? "_recursive" : "") {}

  NarrowParts Run() &&;

 private:
  std::uint32_t NewLocal() { return parts_.locals++; }
  std::int32_t ValueOf(std::uint32_t index) const { return *values_.of[index]; }
  void Write(std::uint32_t index);
  void WriteLeaf(const Node& node);
  void WriteInfix(const Node& node);
  void WriteCall(const Node& node);
  void WriteChoice(const Node& node);
  void WriteList(const Node& node);
  void WriteGcd(const Node& node);
  void WriteRange(const Node& node);
  void WriteAccumulation(const Node& node);
  void WriteCount(const Node& node);
  Code& BeginLoop(const Node& node);

  /// The end of a range: a constant where it is one, else a local that is set here.
  struct Bound {
    bool is_constant = false;
    std::int32_t value = 0;
    std::uint32_t local = 0;
  };
  Bound SetBound(std::uint32_t index);
  void WriteBound(const Bound& bound);

  const Ast& ast_;
  std::span<const Rational> numbers_;
  const WordValues& values_;
  std::string suffix_;
  NarrowParts out_;
  ModuleParts& parts_ = out_.parts;
  Code& code_ = parts_.compute;
  std::vector<std::uint32_t> temps_;  // their locals
  std::uint32_t memory_ = 0;          // bytes of lists so far
};

void NarrowWriter::WriteLeaf(const Node& node) {
  if (node.kind == NodeKind::kTemp) {
    code_.Local(WasmOp::kLocalGet, temps_[node.value]);
  } else if (node.kind == NodeKind::kSlot) {
    code_.Const(static_cast<std::int32_t>(*ToInt64(numbers_[node.value])));
  } else {
    code_.Const(static_cast<std::int32_t>(node.value));
  }
}

void NarrowWriter::WriteInfix(const Node& node) {
  Write(node.args[0]);
  Write(node.args[1]);
  if (node.kind == NodeKind::kPower) {
    code_.Call("word_power" + suffix_);
  } else {
    code_.Op(InstructionOf(node.kind));
  }
}

void NarrowWriter::WriteCall(const Node& node) {
  Write(node.args[0]);
  if (node.kind == NodeKind::kAbs) code_.Call("word_absolute");
  if (node.kind == NodeKind::kFactorial) code_.Call("word_factorial" + suffix_);
  if (node.kind == NodeKind::kFibonacci) code_.Call("word_fibonacci" + suffix_);
  // Floor and ceil of an integer are it.
}

void NarrowWriter::WriteChoice(const Node& node) {
  Write(node.args[0]);
  code_.Begin(WasmOp::kIf, kI32);
  Write(node.args[1]);
  code_.Op(WasmOp::kElse);
  Write(node.args[2]);
  code_.Op(WasmOp::kEnd);
}

void NarrowWriter::WriteGcd(const Node& node) {
  code_.Const(0);
  for (const std::uint32_t element : node.args) {
    Write(element);
    code_.Call("word_absolute").Call("word_gcd" + suffix_);
  }
}

/// Elements go to memory, then a function walks over them. Those of a count need no evaluation:
/// nothing that is narrow can be refused.
void NarrowWriter::WriteList(const Node& node) {
  const auto count = static_cast<std::int32_t>(node.args.size());
  if (node.kind == NodeKind::kCountList) {
    code_.Const(count);
    return;
  }
  if (node.kind == NodeKind::kGcdList) return WriteGcd(node);
  const std::uint32_t list = memory_;
  memory_ += kWordBytes * static_cast<std::uint32_t>(count);
  parts_.has_memory = true;
  std::uint32_t address = list;
  for (const std::uint32_t element : node.args) {
    code_.Const(static_cast<std::int32_t>(address));
    Write(element);
    code_.Store();
    address += kWordBytes;
  }
  code_.Const(static_cast<std::int32_t>(list)).Const(count);
  if (node.kind == NodeKind::kProductList) {
    code_.Call("word_product");
  } else if (node.kind == NodeKind::kMaxList) {
    code_.Call("word_max");
  } else if (node.kind == NodeKind::kMinList) {
    code_.Call("word_min");
  } else {
    code_.Call("word_sum");
    if (node.kind == NodeKind::kMeanList) code_.Const(count).Op(WasmOp::kDivS);
  }
}

NarrowWriter::Bound NarrowWriter::SetBound(std::uint32_t index) {
  const Node& node = ast_.nodes[index];
  const bool is_leaf = node.kind == NodeKind::kSlot || node.kind == NodeKind::kLiteral;
  if (is_leaf) return {true, ValueOf(index), 0};
  const std::uint32_t local = NewLocal();
  Write(index);
  code_.Local(WasmOp::kLocalSet, local);
  return {false, 0, local};
}

void NarrowWriter::WriteBound(const Bound& bound) {
  if (bound.is_constant) {
    code_.Const(bound.value);
  } else {
    code_.Local(WasmOp::kLocalGet, bound.local);
  }
}

Code& NarrowWriter::BeginLoop(const Node& node) {
  out_.loops.push_back(node.place);
  return code_.Begin(WasmOp::kLoop, kVoid);
}

// The original's loop: acc = 0 or 1; i = A; do { acc = acc + i or acc * i; ++i } while (i <= B).
// A <= B is proved, so that it runs at least once, and B is below the largest i32.
void NarrowWriter::WriteAccumulation(const Node& node) {
  const bool is_sum = node.kind == NodeKind::kSumRange;
  const std::uint32_t accumulator = NewLocal(), counter = NewLocal();
  code_.Const(is_sum ? 0 : 1).Local(WasmOp::kLocalSet, accumulator);
  Write(node.args[0]);
  code_.Local(WasmOp::kLocalSet, counter);
  const Bound last = SetBound(node.args[1]);
  BeginLoop(node).Local(WasmOp::kLocalGet, accumulator).Local(WasmOp::kLocalGet, counter);
  code_.Op(is_sum ? WasmOp::kAdd : WasmOp::kMul).Local(WasmOp::kLocalSet, accumulator);
  code_.Local(WasmOp::kLocalGet, counter).Const(1).Op(WasmOp::kAdd);
  code_.Local(WasmOp::kLocalTee, counter);
  WriteBound(last);
  code_.Op(WasmOp::kLeS).Branch(WasmOp::kBrIf, 0).Op(WasmOp::kEnd);
  code_.Local(WasmOp::kLocalGet, accumulator);
}

// The original's loop: i = A; do { i = i - 1 or i + 1 } while (i > B or i < B). It would run once
// too often where A is B: then B is all there is to count.
void NarrowWriter::WriteCount(const Node& node) {
  const std::int32_t from = ValueOf(node.args[0]), to = ValueOf(node.args[1]);
  if (from == to) {
    Write(node.args[0]);
    code_.Op(WasmOp::kDrop);
    return Write(node.args[1]);
  }
  const bool is_down = from > to;
  const std::uint32_t counter = NewLocal();
  Write(node.args[0]);
  code_.Local(WasmOp::kLocalSet, counter);
  const Bound last = SetBound(node.args[1]);
  BeginLoop(node).Local(WasmOp::kLocalGet, counter).Const(1);
  code_.Op(is_down ? WasmOp::kSub : WasmOp::kAdd).Local(WasmOp::kLocalTee, counter);
  WriteBound(last);
  code_.Op(is_down ? WasmOp::kGtS : WasmOp::kLtS).Branch(WasmOp::kBrIf, 0).Op(WasmOp::kEnd);
  code_.Local(WasmOp::kLocalGet, counter);
}

void NarrowWriter::WriteRange(const Node& node) {
  if (node.kind == NodeKind::kCountRange) return WriteCount(node);
  WriteAccumulation(node);
}

void NarrowWriter::Write(std::uint32_t index) {
  const Node& node = ast_.nodes[index];
  switch (Info(node.kind).form) {
    case NodeForm::kLeaf:
      return WriteLeaf(node);
    case NodeForm::kPrefix:
      code_.Const(0);
      Write(node.args[0]);
      code_.Op(WasmOp::kSub);
      return;
    case NodeForm::kInfix:
      return WriteInfix(node);
    case NodeForm::kCall:
      return WriteCall(node);
    case NodeForm::kRange:
      return WriteRange(node);
    case NodeForm::kList:
      return WriteList(node);
    case NodeForm::kChoice:
      return WriteChoice(node);
  }
}

NarrowParts NarrowWriter::Run() && {
  for (const std::uint32_t root : ast_.temps) {
    Write(root);
    temps_.push_back(NewLocal());
    code_.Local(WasmOp::kLocalSet, temps_.back());
  }
  Write(ast_.result);
  parts_.locals = std::max(parts_.locals, kLeastLocals);
  return std::move(out_);
}

}  // namespace

NarrowParts LowerNarrow(const Ast& ast, std::span<const Rational> numbers, const WordValues& values,
                        const LowerOptions& options) {
  return NarrowWriter(ast, numbers, values, options).Run();
}

}  // namespace txvm::frontends::nl
