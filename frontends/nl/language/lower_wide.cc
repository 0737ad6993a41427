// Declared in frontends/nl/language/lower_parts.h.

#include <map>
#include <string>

#include "frontends/nl/language/lower_parts.h"

namespace txvm::frontends::nl {
namespace {

constexpr std::uint32_t kLimbBytes = 4, kByteBits = 8;

void PutLimbs(Bytes& bytes, const Limbs& limbs) {
  for (const std::uint32_t limb : limbs) {
    for (std::uint32_t i = 0; i < kLimbBytes; ++i) {
      bytes.push_back(static_cast<std::uint8_t>(limb >> (kByteBits * i)));
    }
  }
}

bool HasRecursiveForm(NodeKind kind) {
  return kind == NodeKind::kFactorial || kind == NodeKind::kFibonacci || kind == NodeKind::kPower ||
         kind == NodeKind::kGcdList;
}

/// Constants come first in memory, as the module's data; then a place for every other node.
class WideWriter {
 public:
  WideWriter(const Ast& ast, std::span<const Rational> numbers, const LowerOptions& options)
      : ast_(ast), numbers_(numbers), recursive_(options.recursive) {}

  ModuleParts Run() &&;

 private:
  using Address = std::uint32_t;

  Address NewPlace(std::size_t count = 1) {
    const Address address = next_;
    next_ += kFractionBytes * static_cast<std::uint32_t>(count);
    return address;
  }
  void PlaceConstants();
  /// Writes the code that computes a node; where its value will be.
  Address Write(std::uint32_t index);
  Address WriteChoice(const Node& node);
  Address WriteList(const Node& node);
  Address WriteOperation(const Node& node);
  void Copy(Address to, Address from);
  void Push(Address address) { code_.Const(static_cast<std::int32_t>(address)); }
  void Call(const Node& node);
  void At(const Node& node, Address a, Address b);

  const Ast& ast_;
  std::span<const Rational> numbers_;
  bool recursive_;
  ModuleParts out_;
  Code& code_ = out_.compute;
  std::map<std::uint32_t, Address> slots_, literals_;
  std::vector<Address> temps_;
  Address next_ = kValuesAddress;
};

void WideWriter::PlaceConstants() {
  const auto place = [this](std::map<std::uint32_t, Address>& known, std::uint32_t key,
                            const Rational& value) {
    if (!known.try_emplace(key, next_).second) return;
    NewPlace();
    PutLimbs(out_.data, value.numerator);
    PutLimbs(out_.data, value.denominator);
  };
  for (const Node& node : ast_.nodes) {
    if (node.kind == NodeKind::kSlot) place(slots_, node.value, numbers_[node.value]);
    if (node.kind == NodeKind::kLiteral) {
      place(literals_, node.value, Rational::FromInt(node.value));
    }
  }
}

void WideWriter::Copy(Address to, Address from) {
  Push(to);
  Push(from);
  code_.Call("copy");
}

void WideWriter::Call(const Node& node) {
  const std::string suffix = recursive_ && HasRecursiveForm(node.kind) ? "_recursive" : "";
  code_.Call(std::string(Info(node.kind).wide) + suffix);
}

void WideWriter::At(const Node& node, Address a, Address b) {
  Push(node.place);
  Push(a);
  Push(b);
  code_.Call("at");
}

WideWriter::Address WideWriter::WriteChoice(const Node& node) {
  const Address result = NewPlace();
  Push(Write(node.args[0]));
  code_.Call("is_true").Begin(WasmOp::kIf, kVoid);
  Copy(result, Write(node.args[1]));
  code_.Op(WasmOp::kElse);
  Copy(result, Write(node.args[2]));
  code_.Op(WasmOp::kEnd);
  return result;
}

WideWriter::Address WideWriter::WriteList(const Node& node) {
  const Address list = NewPlace(node.args.size()), result = NewPlace();
  for (std::uint32_t i = 0; i < node.args.size(); ++i) {
    Copy(list + i * kFractionBytes, Write(node.args[i]));
  }
  At(node, list, list);
  Push(result);
  Push(list);
  code_.Const(static_cast<std::int32_t>(node.args.size()));
  Call(node);
  return result;
}

/// Operations on one or two values: f(result, a) or f(result, a, b).
WideWriter::Address WideWriter::WriteOperation(const Node& node) {
  const Address a = Write(node.args[0]);
  const bool has_two = node.args.size() == 2;
  const Address b = has_two ? Write(node.args[1]) : a;
  const Address result = NewPlace();
  At(node, a, b);
  Push(result);
  Push(a);
  if (has_two) Push(b);
  Call(node);
  return result;
}

WideWriter::Address WideWriter::Write(std::uint32_t index) {
  const Node& node = ast_.nodes[index];
  if (node.kind == NodeKind::kSlot) return slots_.at(node.value);
  if (node.kind == NodeKind::kLiteral) return literals_.at(node.value);
  if (node.kind == NodeKind::kTemp) return temps_[node.value];
  if (node.kind == NodeKind::kChoice) return WriteChoice(node);
  if (Info(node.kind).form == NodeForm::kList) return WriteList(node);
  return WriteOperation(node);
}

ModuleParts WideWriter::Run() && {
  out_.has_memory = true;
  out_.data_at = kValuesAddress;
  PlaceConstants();
  for (const std::uint32_t root : ast_.temps) temps_.push_back(Write(root));
  out_.result_at = Write(ast_.result);
  code_.Const(0);
  return std::move(out_);
}

}  // namespace

ModuleParts LowerWide(const Ast& ast, std::span<const Rational> numbers,
                      const LowerOptions& options) {
  return WideWriter(ast, numbers, options).Run();
}

}  // namespace txvm::frontends::nl
