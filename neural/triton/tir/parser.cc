// Recursive-descent parser of .tir text. Line ends matter only to comments and inside asm.
//
//   module   := { "entry" name | "fn" name body | op }
//   body     := "{" { op } "}"
//   op       := "// text" | mnemonic operand
//   operand  := by TirOperand: number | name | name "tag=" number "fields=" number
//             | body "else" body | body | name [ "bound=" number ] body | "effect=" number "{"
//             lines "}"
#include "neural/triton/tir/parser.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "neural/triton/tir/lexer.h"

namespace txvm::triton {
namespace {

using isa::ErrorCode;
using isa::Result;
using Kind = TirToken::Kind;

constexpr std::uint64_t kPrime = 0xFFFF'FFFF'0000'0001;  // 2^64 - 2^32 + 1
constexpr std::size_t kNameLength = 200;                 // a label longer than this is an attack

bool IsName(std::string_view text, bool digits_first) {
  if (text.empty() || text.size() > kNameLength) return false;
  if (!digits_first && text[0] >= '0' && text[0] <= '9') return false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

std::string Shown(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string shown;
  for (const char c : text.substr(0, kShown)) shown += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > kShown ? shown + "..." : shown;
}

struct Range {
  std::uint64_t low;
  std::uint64_t high;
};

std::optional<Range> RangeOf(TirOperand operand) {
  constexpr std::uint64_t kMostCount = 5, kMostSlot = 15, kMostWidth = 15;
  if (operand == TirOperand::kField) return Range{0, kPrime - 1};
  if (operand == TirOperand::kCount || operand == TirOperand::kAssert) return Range{1, kMostCount};
  if (operand == TirOperand::kSlot) return Range{0, kMostSlot};
  if (operand == TirOperand::kWidth) return Range{1, kMostWidth};
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view source, std::string_view file, const TirLimits& limits)
      : lexer_(source, file), limits_(limits) {
    token_ = lexer_.Next();
  }

  Result<TirModule> Module(std::string_view file) {
    TirModule module;
    module.file = file;
    while (token_.kind != Kind::kEnd) {
      if (token_.kind == Kind::kWord && token_.text == "fn") {
        TXVM_CHECK_OK(Function(module.ops));
        continue;
      }
      TXVM_TRY(TirOp op, Operation(0));
      module.ops.push_back(std::move(op));
    }
    return module;
  }

 private:
  std::unexpected<isa::Error> Bad(const TirToken& token, std::string message,
                                  ErrorCode code = ErrorCode::kSyntax) const {
    return std::unexpected(lexer_.ErrorAt(token, code, std::move(message)));
  }

  void Next() { token_ = lexer_.Next(); }

  // function := "fn" name "{" { op } "}"
  Result<void> Function(std::vector<TirOp>& ops) {
    TirOp start;
    start.code = TirCode::kFnStart;
    Stamp(start);
    Next();
    TXVM_TRY(start.name, Name("function"));
    ops.push_back(std::move(start));
    TXVM_CHECK_OK(Expect(Kind::kOpen, "{"));
    while (token_.kind != Kind::kClose) {
      if (token_.kind == Kind::kEnd)
        return Bad(token_, "the text ends inside a function; expected }");
      if (token_.kind == Kind::kWord && token_.text == "fn") {
        return Bad(token_, "a function cannot be defined inside a function");
      }
      TXVM_TRY(TirOp op, Operation(1));
      ops.push_back(std::move(op));
    }
    TirOp end;
    end.code = TirCode::kFnEnd;
    Stamp(end);
    ops.push_back(std::move(end));
    Next();
    return {};
  }

  // body := "{" { op } "}"
  Result<std::vector<TirOp>> Body(std::size_t depth) {
    if (depth >= limits_.nesting) {
      return Bad(token_, fmt::format("bodies nest deeper than {}", limits_.nesting),
                 ErrorCode::kLimit);
    }
    TXVM_CHECK_OK(Expect(Kind::kOpen, "{"));
    std::vector<TirOp> ops;
    while (token_.kind != Kind::kClose) {
      if (token_.kind == Kind::kEnd) return Bad(token_, "the text ends inside a body; expected }");
      TXVM_TRY(TirOp op, Operation(depth + 1));
      ops.push_back(std::move(op));
    }
    Next();
    return ops;
  }

  Result<TirOp> Operation(std::size_t depth) {
    if (++count_ > limits_.ops) {
      return Bad(token_, fmt::format("more than {} operations", limits_.ops), ErrorCode::kLimit);
    }
    TirOp op;
    Stamp(op);
    if (token_.kind == Kind::kComment) {
      op.name = token_.text;
      Next();
      return op;
    }
    if (token_.kind != Kind::kWord) {
      return Bad(token_, fmt::format("expected an operation, found {}", Found()));
    }
    const TirInfo* info = FindTir(token_.text);
    if (info == nullptr || info->code == TirCode::kFnStart) {
      return Bad(token_, fmt::format("unknown operation '{}'", Shown(token_.text)));
    }
    op.code = info->code;
    if (info->operand == TirOperand::kAsm) {
      TXVM_CHECK_OK(Asm(op));
      return op;
    }
    Next();
    TXVM_CHECK_OK(Operand(*info, op, depth));
    return op;
  }

  Result<void> Operand(const TirInfo& info, TirOp& op, std::size_t depth) {
    if (const auto range = RangeOf(info.operand)) return Immediate(info, *range, op);
    switch (info.operand) {
      case TirOperand::kLabel: {
        TXVM_TRY(op.name, Name("label"));
        return {};
      }
      case TirOperand::kEvent:
        return Event(op);
      case TirOperand::kArms: {
        TXVM_TRY(op.body, Body(depth));
        if (token_.kind != Kind::kWord || token_.text != "else") {
          return Bad(token_, "if_else needs 'else {' after its first arm");
        }
        Next();
        TXVM_TRY(op.other, Body(depth));
        return {};
      }
      case TirOperand::kArm: {
        TXVM_TRY(op.body, Body(depth));
        return {};
      }
      case TirOperand::kLoop: {
        TXVM_TRY(op.name, Name("loop"));
        if (token_.kind == Kind::kWord) {
          TXVM_TRY(op.value, Setting("bound=", kPrime - 1));
        }
        TXVM_TRY(op.body, Body(depth));
        return {};
      }
      case TirOperand::kProof: {
        if (token_.kind != Kind::kWord || !IsName(token_.text, true)) {
          return Bad(token_, "proof_block needs the program's hash");
        }
        op.name = token_.text;
        Next();
        TXVM_TRY(op.body, Body(depth));
        return {};
      }
      case TirOperand::kNone:
      case TirOperand::kText:      // Operation reads comments
      case TirOperand::kAsm:       // Asm reads it
      case TirOperand::kFunction:  // Function reads it
      case TirOperand::kField:     // Immediate has read these
      case TirOperand::kCount:
      case TirOperand::kSlot:
      case TirOperand::kAssert:
      case TirOperand::kWidth:
        return {};
    }
    return {};
  }

  // immediate := number; push also takes "-" number, meaning p - number
  Result<void> Immediate(const TirInfo& info, Range range, TirOp& op) {
    std::string_view text = token_.kind == Kind::kWord ? token_.text : std::string_view{};
    const bool negative = info.operand == TirOperand::kField && text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const auto value = Number(text);
    const bool fits = value && *value >= range.low && *value <= range.high &&
                      (info.operand != TirOperand::kAssert || *value == 1 || *value == range.high);
    if (!fits) {
      const bool signs = info.operand == TirOperand::kField;
      const std::string limit = info.operand == TirOperand::kAssert
                                    ? "1 or 5"
                                    : fmt::format("{}{}..{}", signs ? "-" : "",
                                                  signs ? range.high : range.low, range.high);
      return Bad(token_,
                 fmt::format("{} takes a number in {}, found {}", info.text, limit, Found()));
    }
    op.value = negative && *value != 0 ? kPrime - *value : *value;
    Next();
    return {};
  }

  Result<void> Event(TirOp& op) {
    TXVM_TRY(op.name, Name("event"));
    TXVM_TRY(op.value, Setting("tag=", kPrime - 1));
    // A sealed event hashes its tag and its fields in one block of ten words.
    const std::uint64_t most = op.code == TirCode::kSeal ? 9 : 16;
    TXVM_TRY(const std::uint64_t fields, Setting("fields=", most));
    op.count = static_cast<std::int32_t>(fields);
    return {};
  }

  // asm := "asm" "effect=" number "{" { line } "}"
  Result<void> Asm(TirOp& op) {
    Next();
    constexpr std::int32_t kMostEffect = 1'000'000;
    std::string_view text = token_.kind == Kind::kWord ? token_.text : std::string_view{};
    const bool prefixed = text.starts_with("effect=");
    if (prefixed) text.remove_prefix(std::string_view("effect=").size());
    std::int32_t effect = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), effect);
    if (!prefixed || error != std::errc{} || end != text.data() + text.size() ||
        effect > kMostEffect || effect < -kMostEffect) {
      return Bad(token_, "asm needs its net stack effect: asm effect=0 { lines }");
    }
    op.count = effect;
    Next();
    if (token_.kind != Kind::kOpen) return Bad(token_, "expected '{' after the effect of asm");
    for (TirLexer::Line line = lexer_.NextAsmLine(); line.more; line = lexer_.NextAsmLine()) {
      if (++count_ > limits_.ops) {
        return Bad(token_, fmt::format("more than {} operations", limits_.ops), ErrorCode::kLimit);
      }
      op.lines.emplace_back(line.text);
      op.line_places.push_back({line.line, line.column});
    }
    Next();
    if (token_.kind != Kind::kClose) return Bad(token_, "the text ends inside asm; expected }");
    Next();
    return {};
  }

  static std::optional<std::uint64_t> Number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
  }

  Result<std::uint64_t> Setting(std::string_view prefix, std::uint64_t most) {
    std::string_view text = token_.kind == Kind::kWord ? token_.text : std::string_view{};
    if (!text.starts_with(prefix)) {
      return Bad(token_, fmt::format("expected {}number, found {}", prefix, Found()));
    }
    text.remove_prefix(prefix.size());
    const auto value = Number(text);
    if (!value || *value > most) {
      return Bad(token_,
                 fmt::format("{} takes a number in 0..{}, found '{}'", prefix, most, Shown(text)));
    }
    Next();
    return *value;
  }

  Result<std::string> Name(std::string_view what) {
    if (token_.kind != Kind::kWord || !IsName(token_.text, false)) {
      return Bad(token_, fmt::format("expected the name of a {}: letters, digits and _, at most {} "
                                     "characters",
                                     what, kNameLength));
    }
    if (token_.text.starts_with("__")) {
      return Bad(token_, fmt::format("'{}': names that start with __ belong to the lowering",
                                     Shown(token_.text)));
    }
    std::string name(token_.text);
    Next();
    return name;
  }

  Result<void> Expect(Kind kind, std::string_view text) {
    if (token_.kind != kind) {
      return Bad(token_, fmt::format("expected '{}', found {}", text, Found()));
    }
    Next();
    return {};
  }

  // The token as an error names it.
  std::string Found() const {
    if (token_.kind == Kind::kEnd) return "the end of the text";
    return fmt::format("'{}'", Shown(token_.text));
  }

  void Stamp(TirOp& op) const {
    op.line = token_.line;
    op.column = token_.column;
  }

  TirLexer lexer_;
  TirLimits limits_;
  TirToken token_;
  std::size_t count_ = 0;
};

}  // namespace

Result<TirModule> ParseTir(std::string_view source, std::string_view file,
                           const TirLimits& limits) {
  if (source.size() > limits.source_bytes) {
    return isa::Fail(ErrorCode::kLimit, fmt::format("the text has {} bytes, the limit is {}",
                                                    source.size(), limits.source_bytes));
  }
  return Parser(source, file, limits).Module(file);
}

}  // namespace txvm::triton
