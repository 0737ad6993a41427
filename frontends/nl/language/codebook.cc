#include "frontends/nl/language/codebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "frontends/nl/language/runtime.h"
#include "frontends/nl/language/word_values.h"

namespace txvm::frontends::nl {
namespace {

using isa::ErrorCode;
using isa::Result;

constexpr std::uint32_t kNamedLocals = 2;         // those the codes name
constexpr std::uint32_t kScratch = 2, kSign = 3;  // those Dup and Abs use
constexpr std::uint32_t kAllLocals = 4;
constexpr std::int32_t kSignShift = 31, kTen = 10;

constexpr auto kNames = [] {
  std::array<std::string_view, kCodebookSize> names{};
#define TXVM_IR(code, Name, what) names[code] = #Name;
#include "frontends/nl/language/codebook.def"
#undef TXVM_IR
  return names;
}();

using Codes = std::vector<std::uint8_t>;

std::unexpected<isa::Error> CannotSay(std::string_view what) {
  return isa::Fail(ErrorCode::kUnsupported, fmt::format("the code book cannot say {}", what));
}

std::optional<IrCode> CodeOf(NodeKind kind) {
  switch (kind) {
    case NodeKind::kAdd:
      return IrCode::kAdd;
    case NodeKind::kSubtract:
      return IrCode::kSub;
    case NodeKind::kMultiply:
      return IrCode::kMul;
    case NodeKind::kDivide:
    case NodeKind::kQuotient:
      return IrCode::kDivS;
    case NodeKind::kRemainder:
      return IrCode::kRemS;
    case NodeKind::kEqual:
      return IrCode::kEq;
    case NodeKind::kNotEqual:
      return IrCode::kNe;
    case NodeKind::kLess:
      return IrCode::kLtS;
    case NodeKind::kGreater:
      return IrCode::kGtS;
    case NodeKind::kLessEqual:
      return IrCode::kLeS;
    case NodeKind::kGreaterEqual:
      return IrCode::kGeS;
    case NodeKind::kNegate:
      return IrCode::kNeg;
    case NodeKind::kAbs:
      return IrCode::kAbs;
    default:
      return std::nullopt;
  }
}

class Encoder {
 public:
  Encoder(const Ast& ast, const WordValues& values) : ast_(ast), values_(values) {}

  Result<Codes> Run() && {
    Put(IrCode::kStart);
    if (ast_.temps.size() > kNamedLocals) return CannotSay("more than two temporaries");
    for (std::size_t i = 0; i < ast_.temps.size(); ++i) {
      TXVM_CHECK_OK(Expression(ast_.temps[i]));
      Put(i == 0 ? IrCode::kLocalSet0 : IrCode::kLocalSet1);
    }
    const Node& result = ast_.nodes[ast_.result];
    const bool locals_are_free = ast_.temps.empty();
    if (locals_are_free && Info(result.kind).form == NodeForm::kRange) {
      TXVM_CHECK_OK(Range(result));
    } else if (locals_are_free && result.kind == NodeKind::kChoice) {
      TXVM_CHECK_OK(Choice(result));
    } else {
      TXVM_CHECK_OK(Expression(ast_.result));
    }
    Put(IrCode::kEnd);
    return std::move(codes_);
  }

 private:
  void Put(IrCode code) { codes_.push_back(static_cast<std::uint8_t>(code)); }
  void Put(std::initializer_list<IrCode> codes) {
    for (const IrCode code : codes) Put(code);
  }

  Result<void> Leaf(const Node& node) {
    if (node.kind == NodeKind::kTemp) {
      Put(node.value == 0 ? IrCode::kLocalGet0 : IrCode::kLocalGet1);
      return {};
    }
    if (node.kind == NodeKind::kSlot) {
      if (node.value >= kIrSlots) return CannotSay(fmt::format("N{}", node.value));
      codes_.push_back(
          static_cast<std::uint8_t>(static_cast<std::uint32_t>(IrCode::kSlot0) + node.value));
      return {};
    }
    constexpr std::array kConstants = {
        std::pair{0u, IrCode::kConst0}, std::pair{1u, IrCode::kConst1},
        std::pair{2u, IrCode::kConst2}, std::pair{10u, IrCode::kConst10}};
    const auto found =
        std::ranges::find(kConstants, node.value, &std::pair<unsigned, IrCode>::first);
    if (found == kConstants.end()) return CannotSay(fmt::format("the constant {}", node.value));
    Put(found->second);
    return {};
  }

  Result<void> Expression(std::uint32_t index) {
    const Node& node = ast_.nodes[index];
    if (Info(node.kind).form == NodeForm::kLeaf) return Leaf(node);
    const std::optional<IrCode> code = CodeOf(node.kind);
    if (!code) return CannotSay(fmt::format("'{}' here", TokenText(Info(node.kind).token)));
    for (const std::uint32_t arg : node.args) TXVM_CHECK_OK(Expression(arg));
    Put(*code);
    return {};
  }

  Result<void> Choice(const Node& node) {
    TXVM_CHECK_OK(Expression(node.args[0]));
    Put(IrCode::kIfBegin);
    TXVM_CHECK_OK(Expression(node.args[1]));
    Put({IrCode::kLocalSet0, IrCode::kElse});
    TXVM_CHECK_OK(Expression(node.args[2]));
    Put({IrCode::kLocalSet0, IrCode::kIfEnd, IrCode::kLocalGet0});
    return {};
  }

  Result<void> Range(const Node& node) {
    for (const std::uint32_t arg : node.args) {
      if (Info(ast_.nodes[arg].kind).form != NodeForm::kLeaf) {
        return CannotSay("a range whose bounds are computed");
      }
    }
    if (node.kind == NodeKind::kCountRange) return CountRange(node);
    const bool is_sum = node.kind == NodeKind::kSumRange;
    Put({is_sum ? IrCode::kConst0 : IrCode::kConst1, IrCode::kLocalSet0});
    TXVM_CHECK_OK(Expression(node.args[0]));
    Put({IrCode::kLocalSet1, IrCode::kLoopBegin, IrCode::kLocalGet0, IrCode::kLocalGet1,
         is_sum ? IrCode::kAdd : IrCode::kMul, IrCode::kLocalSet0, IrCode::kLocalGet1,
         IrCode::kConst1, IrCode::kAdd, IrCode::kLocalSet1, IrCode::kLocalGet1});
    TXVM_CHECK_OK(Expression(node.args[1]));
    Put({IrCode::kLeS, IrCode::kBrIf, IrCode::kLoopEnd, IrCode::kLocalGet0});
    return {};
  }

  Result<void> CountRange(const Node& node) {
    const std::int32_t from = *values_.of[node.args[0]], to = *values_.of[node.args[1]];
    if (from == to) return Expression(node.args[1]);
    const bool is_down = from > to;
    TXVM_CHECK_OK(Expression(node.args[0]));
    Put({IrCode::kLocalSet0, IrCode::kLoopBegin, IrCode::kLocalGet0, IrCode::kConst1,
         is_down ? IrCode::kSub : IrCode::kAdd, IrCode::kLocalTee0});
    TXVM_CHECK_OK(Expression(node.args[1]));
    Put({is_down ? IrCode::kGtS : IrCode::kLtS, IrCode::kBrIf, IrCode::kLoopEnd,
         IrCode::kLocalGet0});
    return {};
  }

  const Ast& ast_;
  const WordValues& values_;
  Codes codes_;
};

class Decoder {
 public:
  Decoder(std::span<const std::uint8_t> codes, std::span<const std::int32_t> numbers)
      : codes_(codes), numbers_(numbers) {}

  Result<IrBody> Run() && {
    if (codes_.empty() || Next() != IrCode::kStart) return Wrong("a sequence begins with START");
    for (++at_; at_ < codes_.size() && Next() != IrCode::kEnd; ++at_) {
      TXVM_CHECK_OK(Step());
    }
    if (at_ == codes_.size()) return Wrong("the sequence has no END");
    if (!open_.empty()) return Wrong("a loop or an if is not closed");
    for (++at_; at_ < codes_.size(); ++at_) {
      if (Next() != IrCode::kPad) return Wrong("only PAD may follow END");
    }
    return std::move(out_);
  }

 private:
  IrCode Next() const { return static_cast<IrCode>(codes_[at_]); }
  std::unexpected<isa::Error> Wrong(std::string_view what) const {
    return isa::Fail(ErrorCode::kInvalid,
                     at_ < codes_.size()
                         ? fmt::format("code {} (number {}): {}", codes_[at_], at_ + 1, what)
                         : fmt::format("code number {}: {}", at_ + 1, what));
  }

  Result<void> Step();
  Result<void> Number(std::size_t slot);
  Result<void> Branch(WasmOp op);
  Result<void> Close(WasmOp opened);
  void Open(WasmOp op) {
    open_.push_back(op);
    out_.code.Begin(op, kVoid);
  }
  Result<void> Local(WasmOp op, std::uint32_t index) {
    out_.code.Local(op, index);
    return {};
  }
  Result<void> Plain(WasmOp op) {
    out_.code.Op(op);
    return {};
  }
  Result<void> Constant(std::int32_t value) {
    out_.code.Const(value);
    return {};
  }
  void Magnitude();

  std::span<const std::uint8_t> codes_;
  std::span<const std::int32_t> numbers_;
  std::size_t at_ = 0;
  std::vector<WasmOp> open_;  // kLoop or kIf, the innermost last
  IrBody out_{{}, kNamedLocals};
};

Result<void> Decoder::Number(std::size_t slot) {
  if (slot >= numbers_.size()) {
    return Wrong(fmt::format("slot {} has no number; {} given", slot, numbers_.size()));
  }
  return Constant(numbers_[slot]);
}

/// A branch goes to the innermost loop, past the ifs inside it.
Result<void> Decoder::Branch(WasmOp op) {
  for (std::size_t depth = 0; depth < open_.size(); ++depth) {
    if (open_[open_.size() - 1 - depth] != WasmOp::kLoop) continue;
    out_.code.Branch(op, static_cast<std::uint32_t>(depth));
    return {};
  }
  return Wrong("a branch outside every loop");
}

Result<void> Decoder::Close(WasmOp opened) {
  if (open_.empty() || open_.back() != opened) return Wrong("closes nothing");
  open_.pop_back();
  return Plain(WasmOp::kEnd);
}

/// x -> (x ^ s) - s, with s = x >> 31.
void Decoder::Magnitude() {
  out_.locals = kAllLocals;
  out_.code.Local(WasmOp::kLocalTee, kScratch).Local(WasmOp::kLocalGet, kScratch);
  out_.code.Const(kSignShift).Op(WasmOp::kShrS).Local(WasmOp::kLocalTee, kSign);
  out_.code.Op(WasmOp::kXor).Local(WasmOp::kLocalGet, kSign).Op(WasmOp::kSub);
}

Result<void> Decoder::Step() {
  switch (Next()) {
    case IrCode::kSlot0:
    case IrCode::kSlot1:
    case IrCode::kSlot2:
    case IrCode::kSlot3:
      return Number(codes_[at_] - static_cast<std::size_t>(IrCode::kSlot0));
    case IrCode::kConst0:
      return Constant(0);
    case IrCode::kConst1:
      return Constant(1);
    case IrCode::kConst2:
      return Constant(2);
    case IrCode::kConst10:
      return Constant(kTen);
    case IrCode::kAdd:
      return Plain(WasmOp::kAdd);
    case IrCode::kSub:
      return Plain(WasmOp::kSub);
    case IrCode::kMul:
      return Plain(WasmOp::kMul);
    case IrCode::kDivS:
      return Plain(WasmOp::kDivS);
    case IrCode::kRemS:
      return Plain(WasmOp::kRemS);
    case IrCode::kEq:
      return Plain(WasmOp::kEq);
    case IrCode::kNe:
      return Plain(WasmOp::kNe);
    case IrCode::kLtS:
      return Plain(WasmOp::kLtS);
    case IrCode::kGtS:
      return Plain(WasmOp::kGtS);
    case IrCode::kLeS:
      return Plain(WasmOp::kLeS);
    case IrCode::kGeS:
      return Plain(WasmOp::kGeS);
    case IrCode::kNeg:
      out_.code.Const(-1);
      return Plain(WasmOp::kMul);
    case IrCode::kAbs:
      Magnitude();
      return {};
    case IrCode::kLoopBegin:
      Open(WasmOp::kLoop);
      return {};
    case IrCode::kIfBegin:
      Open(WasmOp::kIf);
      return {};
    case IrCode::kElse:
      if (open_.empty() || open_.back() != WasmOp::kIf) return Wrong("belongs to no if");
      return Plain(WasmOp::kElse);
    case IrCode::kLoopEnd:
      return Close(WasmOp::kLoop);
    case IrCode::kIfEnd:
      return Close(WasmOp::kIf);
    case IrCode::kBr:
      return Branch(WasmOp::kBr);
    case IrCode::kBrIf:
      return Branch(WasmOp::kBrIf);
    case IrCode::kLocalGet0:
      return Local(WasmOp::kLocalGet, 0);
    case IrCode::kLocalSet0:
      return Local(WasmOp::kLocalSet, 0);
    case IrCode::kLocalGet1:
      return Local(WasmOp::kLocalGet, 1);
    case IrCode::kLocalSet1:
      return Local(WasmOp::kLocalSet, 1);
    case IrCode::kLocalTee0:
      return Local(WasmOp::kLocalTee, 0);
    case IrCode::kDrop:
      return Plain(WasmOp::kDrop);
    case IrCode::kDup:
      out_.locals = kAllLocals;
      out_.code.Local(WasmOp::kLocalTee, kScratch);
      return Local(WasmOp::kLocalGet, kScratch);
    case IrCode::kPad:
    case IrCode::kStart:
    case IrCode::kEnd:
      return Wrong("stands inside the sequence");
  }
  return Wrong("has no meaning in the code book");
}

}  // namespace

std::string_view IrName(std::uint8_t code) {
  return code < kCodebookSize ? kNames[code] : std::string_view();
}

Result<std::vector<std::uint8_t>> EncodeIr(const Ast& ast, std::span<const Rational> numbers) {
  if (ast.abstention) return CannotSay("an abstention");
  const WordValues values = FindWordValues(ast, numbers);
  if (!values.narrow()) return CannotSay("what needs more than 32-bit integers");
  return Encoder(ast, values).Run();
}

Result<IrBody> DecodeIr(std::span<const std::uint8_t> codes,
                        std::span<const std::int32_t> numbers) {
  return Decoder(codes, numbers).Run();
}

Bytes IrModule(IrBody body) {
  ModuleParts parts;
  parts.compute = std::move(body.code);
  parts.locals = body.locals;
  return BuildModule(parts);
}

}  // namespace txvm::frontends::nl
