// Control flow of a body: blocks, branches and calls, and the stack of operand types they move.
// Declared in frontends/wasm/body.h.
#include <fmt/format.h>

#include <algorithm>

#include "frontends/wasm/body.h"
#include "frontends/wasm/reference_types.h"

namespace txvm::frontends::wasm {

using isa::ErrorCode;
using wat::InstrKind;
using wat::ValueTypeText;

// Operands.

void BodyReader::PushAll(const Types& types) {
  Spend(types.size());
  if (!cursor_->ok()) return;
  operands_.insert(operands_.end(), types.begin(), types.end());
}

ValueType BodyReader::PopAny() {
  const Frame& frame = frames_.back();
  if (operands_.size() > frame.height) {
    const ValueType type = operands_.back();
    operands_.pop_back();
    if (operands_.size() < low_) low_ = operands_.size();
    return type;
  }
  if (!frame.is_unreachable) {
    Invalid(fmt::format("type mismatch: {} needs a value, the stack is empty", Text()));
  }
  return kUnknown;
}

void BodyReader::Pop(ValueType expected) {
  const Frame& frame = frames_.back();
  if (operands_.size() > frame.height) {
    const ValueType type = operands_.back();
    operands_.pop_back();
    if (operands_.size() < low_) low_ = operands_.size();
    if (Matches(type, expected)) return;
    return Invalid(fmt::format("type mismatch: {} needs {}, found {}", Text(),
                               ValueTypeText(expected), ValueTypeText(type)));
  }
  if (frame.is_unreachable) return;
  Invalid(fmt::format("type mismatch: {} needs {}, the stack is empty", Text(),
                      ValueTypeText(expected)));
}

void BodyReader::PopAll(const Types& types) {
  Spend(types.size());
  for (std::size_t i = types.size(); i-- > 0 && cursor_->ok();) Pop(types[i]);
}

bool BodyReader::Matches(ValueType type, ValueType expected) const {
  return type == expected || type == kUnknown || IsSubtype(module_, type, expected);
}

/// Checks the values on top without taking them.
void BodyReader::CheckTop(const Types& types) {
  Spend(types.size());
  const Frame& frame = frames_.back();
  std::size_t at = operands_.size();
  for (std::size_t i = types.size(); i-- > 0 && cursor_->ok();) {
    if (at == frame.height) {
      if (frame.is_unreachable) return;
      return Invalid(fmt::format("type mismatch: {} needs {}, the stack is empty", Text(),
                                 ValueTypeText(types[i])));
    }
    const ValueType type = operands_[--at];
    if (!Matches(type, types[i])) {
      Invalid(fmt::format("type mismatch: {} needs {}, found {}", Text(), ValueTypeText(types[i]),
                          ValueTypeText(type)));
    }
  }
}

void BodyReader::SetUnreachable() {
  Frame& frame = frames_.back();
  operands_.resize(std::min<std::size_t>(operands_.size(), frame.height));
  frame.is_unreachable = true;
}

/// Counts values of types that an instruction copies or compares, which may be a thousand for two
/// bytes.
void BodyReader::Spend(std::size_t values) {
  if (values <= type_values_left_) {
    type_values_left_ -= values;
    return;
  }
  Fail(ErrorCode::kLimit, "the types of blocks, branches and calls have too many values in all");
}

// Blocks.

/// The signature of the block type that follows.
std::uint32_t BodyReader::BlockType() {
  constexpr std::uint8_t kEmpty = 0x40, kFirstShort = 0x41, kMore = 0x80;
  const std::uint8_t byte = cursor_->Peek();
  if (byte == kEmpty) {
    (void)cursor_->Byte("a block type");
    return signatures_.OfBlock(std::nullopt);
  }
  if (byte >= kFirstShort && byte < kMore) {
    const ValueType type = ReadValueType(*cursor_, declarations_);
    return cursor_->ok() ? signatures_.OfBlock(type) : 0;
  }
  const std::int64_t index = cursor_->S33("a block type");
  if (!cursor_->ok()) return 0;
  if (index < 0) {
    Fail(ErrorCode::kSyntax, fmt::format("malformed block type {}", index));
    return 0;
  }
  const auto type = static_cast<std::uint32_t>(index);
  if (!CheckIndex(*cursor_, "type", type, declarations_.types.size(), start_)) return 0;
  return declarations_.types[type];
}

void BodyReader::Open(FrameKind kind, std::uint32_t signature) {
  if (!cursor_->ok()) return;
  if (frames_.size() > options_.max_nesting) {
    return Fail(ErrorCode::kLimit,
                fmt::format("nesting is deeper than {} levels", options_.max_nesting));
  }
  PopAll(module_.signatures[signature].params);
  frames_.push_back({kind, false, signature, static_cast<std::uint32_t>(operands_.size()),
                     static_cast<std::uint32_t>(initialised_.size())});
  PushAll(module_.signatures[signature].params);
}

/// Ends the innermost construct: its results are all that is left.
BodyReader::Frame BodyReader::Close() {
  const Frame frame = frames_.back();
  PopAll(module_.signatures[frame.signature].results);
  if (cursor_->ok() && operands_.size() != frame.height) {
    Invalid(fmt::format("type mismatch: values remaining on stack at end of block: {}",
                        operands_.size() - frame.height));
  }
  frames_.pop_back();
  Uninitialise(frame);
  return frame;
}

/// Locals that were set inside of a construct count as not set beyond it.
void BodyReader::Uninitialise(const Frame& frame) {
  while (initialised_.size() > frame.inits) {
    is_initialised_[initialised_.back()] = false;
    initialised_.pop_back();
  }
}

void BodyReader::Else() {
  constexpr std::uint8_t kEndByte = 0x0B;
  if (frames_.back().kind != FrameKind::kIf) {
    return Fail(ErrorCode::kSyntax, "else without if");
  }
  const Frame frame = Close();
  if (!cursor_->ok()) return;
  frames_.push_back({FrameKind::kElse, false, frame.signature, frame.height, frame.inits});
  PushAll(module_.signatures[frame.signature].params);
  if (cursor_->Peek() == kEndByte && !cursor_->AtEnd()) return;  // an empty one is as none
  Emit(InstrKind::kElse);
}

void BodyReader::End() {
  const Frame frame = Close();
  if (!cursor_->ok()) return;
  const wat::Signature& signature = module_.signatures[frame.signature];
  if (frame.kind == FrameKind::kIf && !AreSubtypes(module_, signature.params, signature.results)) {
    return Invalid("type mismatch: an if without else whose results are not its parameters");
  }
  Emit(InstrKind::kEnd);
  if (!frames_.empty()) PushAll(signature.results);
}

// Branches.

const BodyReader::Types& BodyReader::LabelTypes(std::uint32_t label) const {
  const Frame& frame = frames_[frames_.size() - 1 - label];
  const wat::Signature& signature = module_.signatures[frame.signature];
  return frame.kind == FrameKind::kLoop ? signature.params : signature.results;
}

bool BodyReader::CheckLabel(std::uint32_t label) {
  if (!cursor_->ok()) return false;
  if (label < frames_.size()) return true;
  Invalid(fmt::format("unknown label {}: {} are open", label, frames_.size()));
  return false;
}

void BodyReader::ExecuteControl(Op op) {
  switch (op) {
    case Op::kBlock:
    case Op::kLoop:
    case Op::kIf: {
      const std::uint32_t signature = BlockType();
      if (!cursor_->ok()) return;
      if (op == Op::kIf) Pop(ValueType::kI32);
      Open(op == Op::kBlock  ? FrameKind::kBlock
           : op == Op::kLoop ? FrameKind::kLoop
                             : FrameKind::kIf,
           signature);
      return Emit(op == Op::kBlock  ? InstrKind::kBlock
                  : op == Op::kLoop ? InstrKind::kLoop
                                    : InstrKind::kIf,
                  signature);
    }
    case Op::kBrTable:
      return BranchTable();
    case Op::kCallIndirect:
    case Op::kReturnCallIndirect:
      return CallIndirect(op);
    case Op::kCallRef:
    case Op::kReturnCallRef:
      return CallReference(op);
    case Op::kBrOnNull:
    case Op::kBrOnNonNull:
      return BranchOnNull(op);
    default:
      return Branch(op);
  }
}

void BodyReader::Branch(Op op) {
  const std::uint32_t label = cursor_->U32("a label");
  if (!CheckLabel(label)) return;
  const Types& types = LabelTypes(label);
  if (op == Op::kBr) {
    PopAll(types);
    SetUnreachable();
    return Emit(InstrKind::kBr, label);
  }
  Pop(ValueType::kI32);
  PopAll(types);
  PushAll(types);
  Emit(InstrKind::kBrIf, label);
}

/// br_on_null takes the values of the label where the reference is null, and else leaves the
/// reference on top; br_on_non_null takes it along to the label, and else drops it.
void BodyReader::BranchOnNull(Op op) {
  const std::uint32_t label = cursor_->U32("a label");
  if (!CheckLabel(label)) return;
  const ValueType type = PopReference();
  if (!cursor_->ok()) return;
  const ValueType not_null = type == kUnknown ? type : WithoutNull(type);
  const Types types = LabelTypes(label);
  if (op == Op::kBrOnNull) {
    PopAll(types);
    PushAll(types);
    Push(not_null);
    return Emit(InstrKind::kBrOnNull, label);
  }
  if (types.empty() || !IsReference(types.back())) {
    return Invalid(fmt::format("type mismatch: {} to a label that takes no reference", Text()));
  }
  Push(not_null);
  PopAll(types);
  PushAll({types.begin(), types.end() - 1});
  Emit(InstrKind::kBrOnNonNull, label);
}

void BodyReader::BranchTable() {
  const std::uint32_t count = cursor_->Count("the number of labels of br_table");
  const auto first = static_cast<std::uint32_t>(out_->labels.size());
  for (std::uint32_t i = 0; i <= count && cursor_->ok(); ++i) {
    out_->labels.push_back(cursor_->U32("a label"));
  }
  if (!cursor_->ok()) return;
  Pop(ValueType::kI32);
  const std::uint32_t last = out_->labels.back();
  if (!CheckLabel(last)) return;
  const std::size_t arity = LabelTypes(last).size();
  for (std::uint32_t i = 0; i <= count && cursor_->ok(); ++i) {
    const std::uint32_t label = out_->labels[first + i];
    if (!CheckLabel(label)) return;
    const Types& types = LabelTypes(label);
    if (types.size() != arity) {
      return Invalid(fmt::format("type mismatch: labels of br_table take {} and {} values",
                                 types.size(), arity));
    }
    CheckTop(types);
  }
  SetUnreachable();
  Emit(InstrKind::kBrTable, first, count + 1);
}

void BodyReader::Return() {
  PopAll(module_.signatures[out_->signature].results);
  SetUnreachable();
}

// Calls.

void BodyReader::Call(Op op) {
  const std::uint32_t index = cursor_->U32("a function index");
  if (!CheckIndex(*cursor_, "function", index, module_.functions.size(), start_)) return;
  Emit(op == Op::kReturnCall ? InstrKind::kReturnCall : InstrKind::kCall, index);
  CallSignature(op, module_.functions[index].signature);
}

void BodyReader::CallIndirect(Op op) {
  const std::uint32_t type = cursor_->U32("a type index");
  const std::uint32_t table = cursor_->U32("a table index");
  if (!CheckIndex(*cursor_, "table", table, module_.tables.size(), start_)) return;
  if (!CheckIndex(*cursor_, "type", type, declarations_.types.size(), start_)) return;
  if (!IsSubtype(module_, module_.tables[table].type, ValueType::kFuncRef)) {
    return Invalid(fmt::format("type mismatch: {} needs a table of funcref, table {} is of {}",
                               Text(), table, ValueTypeText(module_.tables[table].type)));
  }
  Pop(IndexType(table));
  const std::uint32_t signature = declarations_.types[type];
  Emit(op == Op::kReturnCallIndirect ? InstrKind::kReturnCallIndirect : InstrKind::kCallIndirect,
       signature, table);
  CallSignature(op, signature);
}

void BodyReader::CallReference(Op op) {
  const std::uint32_t type = cursor_->U32("a type index");
  if (!CheckIndex(*cursor_, "type", type, declarations_.types.size(), start_)) return;
  const std::uint32_t signature = declarations_.types[type];
  Pop(ReferenceTo(wat::HeapOfSignature(signature), true));
  Emit(op == Op::kReturnCallRef ? InstrKind::kReturnCallRef : InstrKind::kCallRef, signature);
  CallSignature(op, signature);
}

void BodyReader::CallSignature(Op op, std::uint32_t signature) {
  const wat::Signature& called = module_.signatures[signature];
  PopAll(called.params);
  if (!cursor_->ok()) return;
  const bool is_tail =
      op == Op::kReturnCall || op == Op::kReturnCallIndirect || op == Op::kReturnCallRef;
  if (!is_tail) return PushAll(called.results);
  if (!AreSubtypes(module_, called.results, module_.signatures[out_->signature].results)) {
    return Invalid(
        fmt::format("type mismatch: {} of a function with other results than this one's", Text()));
  }
  SetUnreachable();
}

}  // namespace txvm::frontends::wasm
