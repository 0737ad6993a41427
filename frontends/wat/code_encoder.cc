// Instructions of a text, plain and folded: one loop, the open parentheses on the heap.
// Declared in frontends/wat/field_encoder.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "asm/suggest.h"
#include "frontends/wat/field_encoder.h"
#include "isa/support/text.h"

namespace txvm::frontends::wat {
namespace {

constexpr std::uint8_t kElseCode = 0x05, kIfCode = 0x04, kTryCode = 0x06;
constexpr std::uint8_t kDelegateCode = 0x18, kSelectTyped = 0x1C;
constexpr int kByteBits = 8, kHalfBits = 16;

constexpr std::uint32_t kSearchedLabels = 32;  // the outermost; those inside have a table

// What has been read of a folded `if` or `try`.
constexpr std::uint8_t kNoClause = 0, kFirstClause = 2, kLastClause = 4, kDelegated = 9;

}  // namespace

void FieldEncoder::ResetCode() {
  pending_.Clear();
  folds_.clear();
  labels_.clear();
  label_of_.clear();
}

// Labels.

std::string_view FieldEncoder::TakeLabelName() {
  if (!in_.At(TokenKind::kName)) return {};
  const std::string_view name = KeyOf(in_.token());
  if (!in_.stopped()) in_.Advance();
  return name;
}

void FieldEncoder::PushLabel(std::string_view name, bool is_flat, std::uint8_t opener) {
  LabelEntry entry;
  entry.name = name;
  entry.opener = opener;
  entry.is_flat = is_flat;
  if (!name.empty() && labels_.size() >= kSearchedLabels) {
    std::uint32_t& label = label_of_[name];
    entry.shadowed = std::exchange(label, static_cast<std::uint32_t>(labels_.size() + 1));
  }
  labels_.push_back(entry);
}

void FieldEncoder::PopLabel() {
  const LabelEntry& entry = labels_.back();
  if (!entry.name.empty() && labels_.size() > kSearchedLabels) {
    if (entry.shadowed != 0) {
      label_of_[entry.name] = entry.shadowed;
    } else {
      label_of_.erase(entry.name);
    }
  }
  labels_.pop_back();
}

std::uint32_t FieldEncoder::Label() {
  if (!in_.At(TokenKind::kName)) {
    return static_cast<std::uint32_t>(in_.Unsigned(kIndexBits, "a label"));
  }
  const Token token = in_.token();
  const std::string_view name = KeyOf(token);
  if (in_.stopped()) return 0;
  in_.Advance();
  const auto depth = static_cast<std::uint32_t>(labels_.size());
  if (depth > kSearchedLabels) {
    const auto found = label_of_.find(name);
    if (found != label_of_.end()) return depth - found->second;
  }
  for (std::uint32_t i = std::min(depth, kSearchedLabels); i-- > 0;) {
    if (labels_[i].name == name) return depth - 1 - i;
  }
  std::vector<std::string_view> names;
  for (const auto& [known, label] : label_of_) names.push_back(known);
  for (std::uint32_t i = 0; i < std::min(depth, kSearchedLabels); ++i) {
    if (!labels_[i].name.empty()) names.push_back(labels_[i].name);
  }
  in_.Report(token.at, fmt::format("unknown label {}{}", isa::Printable(token.text),
                                   assembler::DidYouMean(name, names)));
  return 0;
}

/// The name after `end` or `else` must be that of the block.
void FieldEncoder::CheckLabelName() {
  if (!in_.At(TokenKind::kName)) return;
  const Token token = in_.token();
  const std::string_view name = KeyOf(token);
  if (in_.stopped()) return;
  in_.Advance();
  if (name == labels_.back().name) return;
  in_.Report(
      token.at,
      labels_.back().name.empty()
          ? fmt::format("mismatching label {}: the block has no name", isa::Printable(token.text))
          : fmt::format("mismatching label {}: the block is ${}", isa::Printable(token.text),
                        isa::Printable(labels_.back().name)));
}

// Immediates.

void FieldEncoder::Code(const TextOp& op, ByteWriter& out, std::uint32_t add) {
  if (op.prefix == 0) return out.Byte(static_cast<std::uint8_t>(op.code + add));
  out.Byte(op.prefix);
  out.Unsigned(op.code + add);
}

std::uint32_t FieldEncoder::LocalIndex() {
  if (!in_.At(TokenKind::kName)) {
    return static_cast<std::uint32_t>(in_.Unsigned(kIndexBits, "a local"));
  }
  const Token token = in_.token();
  const std::string_view name = KeyOf(token);
  if (in_.stopped()) return 0;
  in_.Advance();
  if (const auto index = locals_.Find(name)) return *index;
  in_.Report(token.at, fmt::format("unknown local {}{}", isa::Printable(token.text),
                                   assembler::DidYouMean(name, locals_.All())));
  return 0;
}

/// Whether two indices come next.
bool FieldEncoder::AtTwoIndices() {
  if (!AtIndex()) return false;
  const Token& next = in_.Peek();
  if (next.kind == TokenKind::kName) return true;
  return next.kind == TokenKind::kWord && next.text.front() >= '0' && next.text.front() <= '9';
}

std::uint64_t FieldEncoder::Number(int bits, std::string_view what, bool is_signed) {
  if (!in_.At(TokenKind::kWord)) {
    in_.Expected(what);
    return 0;
  }
  const auto number =
      is_signed ? ParseInteger(in_.token().text, bits) : ParseUnsigned(in_.token().text, bits);
  if (number.fault == NumberFault::kNoNumber) {
    in_.Expected(what);
  } else if (number.fault == NumberFault::kOutOfRange) {
    in_.Fail(in_.token().at, fmt::format("constant out of range: {} is no number of {} bits",
                                         isa::Printable(in_.token().text), bits));
  } else {
    in_.Advance();
  }
  return number.bits;
}

std::uint64_t FieldEncoder::Float(bool is_f32) {
  const std::string_view what = is_f32 ? "an f32" : "an f64";
  if (!in_.At(TokenKind::kWord)) {
    in_.Expected(what);
    return 0;
  }
  const auto number = is_f32 ? ParseF32(in_.token().text) : ParseF64(in_.token().text);
  if (number.fault == NumberFault::kNoNumber) {
    in_.Expected(what);
  } else if (number.fault == NumberFault::kOutOfRange) {
    in_.Fail(in_.token().at,
             fmt::format("constant out of range: {} is too large for {}, or no payload of a NaN",
                         isa::Printable(in_.token().text), what));
  } else {
    in_.Advance();
  }
  return number.bits;
}

void FieldEncoder::Lanes(ByteWriter& out, int count) {
  for (int i = 0; i < count && !in_.stopped(); ++i) {
    out.Byte(static_cast<std::uint8_t>(Number(kByteBits, "the number of a lane", false)));
  }
}

void FieldEncoder::VectorConstant(ByteWriter& out) {
  struct Shape {
    std::string_view word;
    int count, bits;
    bool is_float;
  };
  constexpr std::array<Shape, 6> kShapes = {{{"i8x16", 16, kByteBits, false},
                                             {"i16x8", 8, kHalfBits, false},
                                             {"i32x4", 4, kIndexBits, false},
                                             {"i64x2", 2, kLongBits, false},
                                             {"f32x4", 4, kIndexBits, true},
                                             {"f64x2", 2, kLongBits, true}}};
  for (const Shape& shape : kShapes) {
    if (!in_.TakeWord(shape.word)) continue;
    for (int i = 0; i < shape.count && !in_.stopped(); ++i) {
      const std::uint64_t bits = shape.is_float ? Float(shape.bits == kIndexBits)
                                                : Number(shape.bits, "the number of a lane", true);
      out.Fixed(bits, shape.bits / kByteBits);
    }
    return;
  }
  in_.Expected("the shape of a vector (i8x16, i16x8, i32x4, i64x2, f32x4 or f64x2)");
}

void FieldEncoder::Constant(const TextOp& op, ByteWriter& out) {
  constexpr int kF32Bytes = 4, kF64Bytes = 8;
  switch (op.form) {
    case Form::kI32:
      return out.Signed(static_cast<std::int32_t>(Number(kIndexBits, "an i32", true)));
    case Form::kI64:
      return out.Signed(static_cast<std::int64_t>(Number(kLongBits, "an i64", true)));
    case Form::kF32:
      return out.Fixed(Float(true), kF32Bytes);
    case Form::kF64:
      return out.Fixed(Float(false), kF64Bytes);
    default:
      return VectorConstant(out);
  }
}

void FieldEncoder::AccessImmediate(const TextOp& op, ByteWriter& out) {
  constexpr std::string_view kOffset = "offset=", kAlign = "align=";
  constexpr std::uint8_t kHasMemory = 0x40;
  std::uint32_t memory = 0;
  bool has_memory = in_.At(TokenKind::kName);
  if (in_.AtNumber()) {
    // Of the instructions with a lane, one number alone is the lane.
    const Token next = op.form == Form::kAccessLane ? in_.Peek() : Token{};
    has_memory = op.form != Form::kAccessLane ||
                 (next.kind == TokenKind::kWord &&
                  ((next.text.front() >= '0' && next.text.front() <= '9') ||
                   next.text.starts_with(kOffset) || next.text.starts_with(kAlign)));
  }
  if (has_memory) memory = Index(kMemorySpace, "memory");
  std::uint64_t offset = 0, alignment = std::uint64_t{1} << op.log_size;
  const auto take = [this](std::string_view prefix, std::uint64_t& value) {
    if (!in_.At(TokenKind::kWord) || !in_.token().text.starts_with(prefix)) return false;
    const auto number = ParseUnsigned(in_.token().text.substr(prefix.size()), kLongBits);
    if (number.fault != NumberFault::kNone) {
      in_.Fail(in_.token().at, fmt::format("malformed {}: {}", prefix.substr(0, prefix.size() - 1),
                                           isa::Printable(in_.token().text)));
    }
    value = number.bits;
    return true;
  };
  if (take(kOffset, offset)) in_.Advance();
  const std::uint32_t at = in_.token().at;
  if (take(kAlign, alignment)) {
    if (!std::has_single_bit(alignment)) {
      return in_.Fail(at, fmt::format("alignment must be a power of two: {}", alignment));
    }
    in_.Advance();
  }
  const auto log = static_cast<std::uint32_t>(std::countr_zero(alignment));
  out.Unsigned(memory == 0 ? log : log | kHasMemory);
  if (memory != 0) out.Unsigned(memory);
  out.Unsigned(offset);
  if (op.form == Form::kAccessLane) Lanes(out, 1);
}

void FieldEncoder::CatchClauses(ByteWriter& out) {
  struct Clause {
    std::string_view word;
    std::uint8_t code;
    bool has_tag;
  };
  constexpr std::array<Clause, 4> kClauses = {{{"catch", 0, true},
                                               {"catch_ref", 1, true},
                                               {"catch_all", 2, false},
                                               {"catch_all_ref", 3, false}}};
  ByteWriter clauses;
  std::uint32_t count = 0;
  for (bool found = true; found && !in_.stopped();) {
    found = false;
    for (const Clause& clause : kClauses) {
      if (!in_.TakeForm(clause.word)) continue;
      found = true;
      ++count;
      clauses.Byte(clause.code);
      if (clause.has_tag) clauses.Unsigned(Index(kTagSpace, "tag"));
      clauses.Unsigned(Label());
      in_.Close("a catch clause");
    }
  }
  out.Unsigned(count);
  out.Append(clauses.text());
}

void FieldEncoder::FieldIndex(std::uint32_t type, ByteWriter& out) {
  if (!in_.At(TokenKind::kName)) return out.Unsigned(in_.Unsigned(kIndexBits, "a field"));
  const Token token = in_.token();
  const std::string_view name = KeyOf(token);
  if (in_.stopped()) return;
  in_.Advance();
  const NameTable none;
  const NameTable& fields = type < types_.size() ? types_[type].fields : none;
  const auto index = fields.Find(name);
  if (!index) {
    in_.Report(token.at, fmt::format("unknown field {}{}", isa::Printable(token.text),
                                     assembler::DidYouMean(name, fields.All())));
  }
  out.Unsigned(index.value_or(0));
}

/// Writes an instruction that is no block: its code, and what follows its name.
void FieldEncoder::Instruction(const TextOp& op, ByteWriter& out) {
  switch (op.form) {
    case Form::kSelect:
      if (!in_.AtForm("result")) return Code(op, out);
      Results(results_);
      out.Byte(kSelectTyped);
      out.Unsigned(results_.count);
      return out.Append(results_.bytes.text());
    case Form::kReference: {
      ByteWriter heap;
      const bool is_nullable = ReferenceParts(heap);
      Code(op, out, is_nullable ? 1 : 0);
      return out.Append(heap.text());
    }
    default:
      Code(op, out);
      break;
  }
  switch (op.form) {
    case Form::kLabel:
      return out.Unsigned(Label());
    case Form::kLabels:
      scratch_.clear();
      while (AtIndex()) scratch_.push_back(Label());
      if (scratch_.empty()) return in_.Expected("a label");
      out.Unsigned(scratch_.size() - 1);
      for (const std::uint32_t label : scratch_) out.Unsigned(label);
      return;
    case Form::kFunction:
      return out.Unsigned(Index(kFunctionSpace, "function"));
    case Form::kIndirect: {
      const std::uint32_t table = OptionalIndex(kTableSpace, "table").value_or(0);
      out.Unsigned(UseType(nullptr).type);
      return out.Unsigned(table);
    }
    case Form::kLocal:
      return out.Unsigned(LocalIndex());
    case Form::kGlobal:
      return out.Unsigned(Index(kGlobalSpace, "global"));
    case Form::kTag:
      return out.Unsigned(Index(kTagSpace, "tag"));
    case Form::kTable:
      return out.Unsigned(OptionalIndex(kTableSpace, "table").value_or(0));
    case Form::kTwoTables:
    case Form::kTwoMemories: {
      const Space space = op.form == Form::kTwoTables ? kTableSpace : kMemorySpace;
      const char* what = op.form == Form::kTwoTables ? "table" : "memory";
      const auto first = OptionalIndex(space, what);
      out.Unsigned(first.value_or(0));
      return out.Unsigned(first ? Index(space, what) : 0);
    }
    case Form::kTableInit: {
      const std::uint32_t table = AtTwoIndices() ? Index(kTableSpace, "table") : 0;
      out.Unsigned(Index(kElementSpace, "element segment"));
      return out.Unsigned(table);
    }
    case Form::kMemoryInit: {
      needs_data_count_ = true;
      const std::uint32_t memory = AtTwoIndices() ? Index(kMemorySpace, "memory") : 0;
      out.Unsigned(Index(kDataSpace, "data segment"));
      return out.Unsigned(memory);
    }
    case Form::kElement:
      return out.Unsigned(Index(kElementSpace, "element segment"));
    case Form::kData:
      needs_data_count_ = true;
      return out.Unsigned(Index(kDataSpace, "data segment"));
    case Form::kMemory:
      return out.Unsigned(OptionalIndex(kMemorySpace, "memory").value_or(0));
    case Form::kAccess:
    case Form::kAccessLane:
      return AccessImmediate(op, out);
    case Form::kLane:
      return Lanes(out, 1);
    case Form::kShuffle:
      return Lanes(out, 16);
    case Form::kHeapType:
      return HeapType(out);
    case Form::kCast: {
      const std::uint32_t label = Label();
      ByteWriter from, to;
      const bool from_null = ReferenceParts(from);
      const bool to_null = !in_.stopped() && ReferenceParts(to);
      out.Byte(static_cast<std::uint8_t>((from_null ? 1 : 0) | (to_null ? 2 : 0)));
      out.Unsigned(label);
      out.Append(from.text());
      return out.Append(to.text());
    }
    case Form::kType:
      return out.Unsigned(Index(kTypeSpace, "type"));
    case Form::kField: {
      const std::uint32_t type = Index(kTypeSpace, "type");
      out.Unsigned(type);
      return FieldIndex(type, out);
    }
    case Form::kTypeCount:
      out.Unsigned(Index(kTypeSpace, "type"));
      return out.Unsigned(in_.Unsigned(kIndexBits, "a number of elements"));
    case Form::kTypeData:
      needs_data_count_ = true;
      out.Unsigned(Index(kTypeSpace, "type"));
      return out.Unsigned(Index(kDataSpace, "data segment"));
    case Form::kTypeElement:
      out.Unsigned(Index(kTypeSpace, "type"));
      return out.Unsigned(Index(kElementSpace, "element segment"));
    case Form::kTwoTypes:
      out.Unsigned(Index(kTypeSpace, "type"));
      return out.Unsigned(Index(kTypeSpace, "type"));
    case Form::kFence:
      return out.Byte(0);
    case Form::kI32:
    case Form::kI64:
    case Form::kF32:
    case Form::kF64:
    case Form::kV128:
      return Constant(op, out);
    default:
      return;
  }
}

// The walk.

void FieldEncoder::UnknownOp(const Token& token) {
  if (token.text == "local" || token.text == "param" || token.text == "result" ||
      token.text == "type" || token.text == "export" || token.text == "import") {
    return in_.Fail(token.at, fmt::format("unexpected token: ({} stands in front of the "
                                          "instructions, in the order export, import, type, param, "
                                          "result, local",
                                          token.text));
  }
  if (const std::string name = NewNameOf(token.text); !name.empty()) {
    return in_.Fail(token.at,
                    fmt::format("unknown operator: {} is called {} today", token.text, name));
  }
  in_.Fail(token.at,
           fmt::format("unknown operator: {} is no instruction{}", isa::Printable(token.text),
                       assembler::DidYouMean(token.text, TextOpNames())));
}

/// Reads the name of an instruction; null after a fault.
const TextOp* FieldEncoder::TakeOp() {
  if (!in_.At(TokenKind::kWord)) {
    in_.Expected("an instruction");
    return nullptr;
  }
  const TextOp* op = FindTextOp(in_.token().text);
  if (op == nullptr) {
    UnknownOp(in_.token());
    return nullptr;
  }
  in_.Advance();
  return op;
}

/// Whether the innermost block is one that `end` closes. Fault: it is not.
bool FieldEncoder::AtFlatBlock(std::string_view word) {
  if (!labels_.empty() && labels_.back().is_flat) return true;
  in_.Expected(fmt::format("an instruction: there is no block that {} is a part of", word));
  return false;
}

/// Begins a block that is written as its first instruction, not an `if` in parentheses.
void FieldEncoder::StartBlock(const TextOp& op, std::uint32_t at, bool is_flat) {
  Mark(*out_, at);
  Code(op, out_->bytes);
  const std::string_view name = TakeLabelName();
  BlockType(out_->bytes);
  if (op.form == Form::kTryTable) CatchClauses(out_->bytes);
  PushLabel(name, is_flat, static_cast<std::uint8_t>(op.code));
}

void FieldEncoder::EmitEnd(std::uint32_t at) {
  Mark(*out_, at);
  out_->bytes.Byte(kEndCode);
  PopLabel();
}

void FieldEncoder::PlainWord() {
  if (!folds_.empty()) {
    const FoldKind kind = folds_.back().kind;
    if (kind == FoldKind::kPlain) return in_.Expected("an operand in parentheses or ')'");
    if (kind == FoldKind::kIf) return in_.Expected("a condition in parentheses or (then");
    if (kind == FoldKind::kTry) return in_.Expected("(do, (catch, (catch_all or (delegate");
  }
  const std::uint32_t at = in_.token().at;
  const TextOp* op = TakeOp();
  if (op == nullptr) return;
  switch (op->form) {
    case Form::kBlock:
    case Form::kIf:
    case Form::kTry:
    case Form::kTryTable:
      return StartBlock(*op, at, /*is_flat=*/true);
    case Form::kElse:
      if (!AtFlatBlock("else")) return;
      if (labels_.back().opener != kIfCode || labels_.back().has_else) {
        return in_.Fail(at, "unexpected token: else belongs to an if that has none yet");
      }
      labels_.back().has_else = true;
      CheckLabelName();
      break;
    case Form::kEnd:
      if (!AtFlatBlock("end")) return;
      CheckLabelName();
      return EmitEnd(at);
    case Form::kCatch:
    case Form::kCatchAll:
    case Form::kDelegate:
      if (!AtFlatBlock(op->name)) return;
      if (labels_.back().opener != kTryCode || labels_.back().has_else) {
        return in_.Fail(at, fmt::format("unexpected token: {} belongs to a try", op->name));
      }
      if (op->form == Form::kCatchAll) labels_.back().has_else = true;
      Mark(*out_, at);
      Code(*op, out_->bytes);
      if (op->form == Form::kCatch) return out_->bytes.Unsigned(Index(kTagSpace, "tag"));
      if (op->form == Form::kCatchAll) return;
      PopLabel();
      return out_->bytes.Unsigned(Label());
    default:
      break;
  }
  Mark(*out_, at);
  Instruction(*op, out_->bytes);
}

/// A part of a folded `if` or `try`, whose '(' is the current token.
void FieldEncoder::FoldedClause(std::uint32_t at) {
  Fold& fold = folds_.back();
  const std::string_view word = in_.Peek().kind == TokenKind::kWord ? in_.Peek().text : "";
  Fold clause;
  clause.at = at;
  const auto take = [this] {
    in_.Advance();
    in_.Advance();
  };
  if (fold.kind == FoldKind::kIf) {
    if (word == "then" && fold.step == kNoClause) {
      take();
      Mark(*out_, fold.at);
      out_->bytes.Append(pending_.From(fold.pending));
      pending_.Truncate(fold.pending);
      PushLabel(fold.label, /*is_flat=*/false, kIfCode);
      fold.labels = clause.labels = static_cast<std::uint32_t>(labels_.size());
      fold.step = kFirstClause;
      clause.kind = FoldKind::kThen;
      return folds_.push_back(clause);
    }
    if (word == "else" && fold.step == kFirstClause) {
      take();
      Mark(*out_, at);
      out_->bytes.Byte(kElseCode);
      fold.step = kLastClause;
      clause.labels = fold.labels;
      clause.kind = FoldKind::kElse;
      return folds_.push_back(clause);
    }
    return in_.Expected(fold.step == kNoClause ? "(then" : "(else or ')'");
  }
  clause.labels = fold.labels;
  if (word == "do" && fold.step == kNoClause) {
    take();
    fold.step = kFirstClause;
    clause.kind = FoldKind::kDo;
    return folds_.push_back(clause);
  }
  const bool is_all = word == "catch_all";
  if ((word == "catch" || is_all) && fold.step == kFirstClause) {
    take();
    Mark(*out_, at);
    out_->bytes.Byte(static_cast<std::uint8_t>(FindTextOp(word)->code));
    if (is_all) {
      fold.step = kLastClause;
    } else {
      out_->bytes.Unsigned(Index(kTagSpace, "tag"));
    }
    clause.kind = FoldKind::kCatch;
    return folds_.push_back(clause);
  }
  if (word == "delegate" && fold.step == kFirstClause) {
    take();
    PopLabel();
    Mark(*out_, at);
    out_->bytes.Byte(kDelegateCode);
    out_->bytes.Unsigned(Label());
    in_.Close("a delegate");
    fold.step = kDelegated;
    return;
  }
  in_.Expected("(do, (catch, (catch_all or (delegate");
}

void FieldEncoder::OpenFold() {
  const std::uint32_t at = in_.token().at;
  if (!folds_.empty()) {
    const Fold& top = folds_.back();
    if (top.kind == FoldKind::kTry) return FoldedClause(at);
    if (top.kind == FoldKind::kIf &&
        (top.step != kNoClause || in_.AtForm("then") || in_.AtForm("else"))) {
      return FoldedClause(at);
    }
  }
  in_.Advance();
  const Token token = in_.token();
  const TextOp* op = TakeOp();
  if (op == nullptr) return;
  Fold fold;
  fold.at = at;
  switch (op->form) {
    case Form::kBlock:
    case Form::kTryTable:
    case Form::kTry:
      StartBlock(*op, token.at, /*is_flat=*/false);
      fold.kind = op->form == Form::kTry ? FoldKind::kTry : FoldKind::kBlock;
      fold.labels = static_cast<std::uint32_t>(labels_.size());
      break;
    case Form::kIf:
      fold.kind = FoldKind::kIf;
      fold.at = token.at;
      fold.label = TakeLabelName();
      fold.pending = static_cast<std::uint32_t>(pending_.size());
      Code(*op, pending_);
      BlockType(pending_);
      break;
    case Form::kElse:
    case Form::kEnd:
    case Form::kCatch:
    case Form::kCatchAll:
    case Form::kDelegate:
      return in_.Fail(token.at, fmt::format("unexpected token: ({} does not stand here", op->name));
    default:
      fold.at = token.at;
      fold.pending = static_cast<std::uint32_t>(pending_.size());
      Instruction(*op, pending_);
      break;
  }
  folds_.push_back(fold);
}

void FieldEncoder::CloseFold() {
  const Fold fold = folds_.back();
  const std::uint32_t at = in_.token().at;
  if (fold.kind == FoldKind::kPlain) {
    Mark(*out_, fold.at);
    out_->bytes.Append(pending_.From(fold.pending));
    pending_.Truncate(fold.pending);
  } else if (fold.kind == FoldKind::kIf && fold.step < kFirstClause) {
    return in_.Expected("(then");
  } else if (fold.kind == FoldKind::kTry && fold.step < kFirstClause) {
    return in_.Expected("(do");
  } else if (fold.step != kDelegated) {
    if (labels_.size() != fold.labels) return in_.Expected("'end' of a block inside");
    const bool is_whole =
        fold.kind == FoldKind::kBlock || fold.kind == FoldKind::kIf || fold.kind == FoldKind::kTry;
    if (is_whole) EmitEnd(at);
  }
  folds_.pop_back();
  in_.Advance();
}

/// Reads instructions up to the ')' that is none of theirs, or one in parentheses.
void FieldEncoder::Instructions(Section& out, bool is_single) {
  ResetCode();
  out_ = &out;
  do {
    switch (in_.token().kind) {
      case TokenKind::kOpen:
        OpenFold();
        break;
      case TokenKind::kClose:
        if (folds_.empty()) {
          if (is_single || !labels_.empty()) in_.Expected(is_single ? "an instruction" : "'end'");
          return;
        }
        CloseFold();
        break;
      case TokenKind::kWord:
        if (is_single && folds_.empty()) return in_.Expected("an instruction in parentheses");
        PlainWord();
        break;
      default:
        return in_.Expected("an instruction");
    }
  } while (!in_.stopped() && !(is_single && folds_.empty()));
}

// Functions.

/// Reads the declarations of locals; `params` go before them.
void FieldEncoder::Locals(ByteWriter& out, std::uint32_t params) {
  ByteWriter groups, type, last;
  std::uint32_t group_count = 0;
  std::uint64_t run = 0, index = params;
  const auto flush = [&] {
    if (run == 0) return;
    ++group_count;
    groups.Unsigned(run);
    groups.Append(last.text());
    run = 0;
  };
  const auto take = [&] {
    type.Clear();
    if (!ValueTypeInto(type)) return false;
    if (run != 0 && type.text() != last.text()) flush();
    if (run == 0) {
      last.Clear();
      last.Append(type.text());
    }
    ++run;
    ++index;
    return true;
  };
  while (in_.TakeForm("local")) {
    if (in_.At(TokenKind::kName)) {
      const Token token = in_.token();
      const std::string_view name = KeyOf(token);
      if (!in_.stopped() && !locals_.Add(name, static_cast<std::uint32_t>(index))) {
        in_.Report(token.at, fmt::format("duplicate local {}", isa::Printable(token.text)));
      }
      in_.Advance();
      if (!take()) return in_.Expected("a value type");
    } else {
      while (take()) {
      }
      if (!in_.At(TokenKind::kClose)) return in_.Expected("a value type or ')'");
    }
    in_.Close("the locals");
  }
  flush();
  out.Unsigned(group_count);
  out.Append(groups.text());
}

/// Reads the rest of a function into the code section. Its parameters are in locals_ if they have
/// names.
void FieldEncoder::Body(std::uint32_t at) {
  Instructions(body_, /*is_single=*/false);
  if (in_.stopped()) return;
  Mark(body_, in_.token().at);
  body_.bytes.Byte(kEndCode);
  Section& code = Entry(kCodeSection, at);
  code.bytes.Unsigned(body_.bytes.size());
  AppendSection(code, body_);
}

}  // namespace txvm::frontends::wat
