// Exceptions in a body: both the instructions of WebAssembly 3.0 and those of the older proposal.
// Declared in frontends/wasm/body.h.
#include <fmt/format.h>

#include <utility>

#include "frontends/wasm/body.h"
#include "frontends/wasm/reference_types.h"

namespace txvm::frontends::wasm {

using isa::ErrorCode;
using wat::InstrKind;

void BodyReader::ExecuteException(Op op) {
  switch (op) {
    case Op::kTry: {
      const std::uint32_t signature = BlockType();
      Open(FrameKind::kTry, signature);
      return Emit(InstrKind::kTry, signature);
    }
    case Op::kTryTable:
      return TryTable();
    case Op::kCatch:
    case Op::kCatchAll:
      return Catch(op);
    case Op::kDelegate:
      return Delegate();
    case Op::kThrow: {
      const std::uint32_t tag = cursor_->U32("a tag index");
      const Types* types = TagTypes(tag);
      if (types == nullptr) return;
      PopAll(*types);
      SetUnreachable();
      return Emit(InstrKind::kThrow, tag);
    }
    case Op::kThrowRef:
      Pop(ValueType::kExnRef);
      SetUnreachable();
      return Emit(InstrKind::kThrowRef);
    default:
      return Rethrow();
  }
}

/// The types of a tag's values; null, with a fault, when there is no such tag.
const BodyReader::Types* BodyReader::TagTypes(std::uint32_t tag) {
  if (!CheckIndex(*cursor_, "tag", tag, module_.tags.size(), start_)) return nullptr;
  return &module_.signatures[module_.tags[tag].signature].params;
}

/// Its clauses are of the code around it, so that they come before the construct opens.
void BodyReader::TryTable() {
  const std::uint32_t signature = BlockType();
  const std::uint32_t count = cursor_->Count("the number of catch clauses", 2);
  std::vector<wat::CatchClause> clauses;
  for (std::uint32_t i = 0; i < count && cursor_->ok(); ++i) clauses.push_back(Clause());
  if (!cursor_->ok()) return;
  Open(FrameKind::kBlock, signature);
  Emit(InstrKind::kTryTable, signature, static_cast<std::uint32_t>(out_->catches.size()));
  out_->catches.push_back(std::move(clauses));
}

wat::CatchClause BodyReader::Clause() {
  constexpr std::uint8_t kCatchRef = 1, kCatchAll = 2, kCatchAllRef = 3;
  const std::size_t at = cursor_->offset();
  const std::uint8_t kind = cursor_->Byte("the kind of a catch clause");
  wat::CatchClause clause;
  if (!cursor_->ok()) return clause;
  if (kind > kCatchAllRef) {
    cursor_->Fail(ErrorCode::kSyntax, fmt::format("malformed catch clause 0x{:02x}", kind), at);
    return clause;
  }
  clause.has_reference = kind == kCatchRef || kind == kCatchAllRef;
  Types passed;
  if (kind < kCatchAll) {
    clause.tag = cursor_->U32("a tag index");
    const Types* types = cursor_->ok() ? TagTypes(*clause.tag) : nullptr;
    if (types == nullptr) return clause;
    passed = *types;
  }
  if (clause.has_reference) passed.push_back(ValueType::kExnRef);
  clause.label = cursor_->U32("a label");
  if (!CheckLabel(clause.label)) return clause;
  Spend(passed.size());
  if (cursor_->ok() && !AreSubtypes(module_, passed, LabelTypes(clause.label))) {
    Invalid(fmt::format("type mismatch: a catch clause passes other values than label {} takes",
                        clause.label));
  }
  return clause;
}

void BodyReader::Catch(Op op) {
  const bool is_all = op == Op::kCatchAll;
  const std::uint32_t tag = is_all ? 0 : cursor_->U32("a tag index");
  const Types* types = is_all || !cursor_->ok() ? nullptr : TagTypes(tag);
  if (!cursor_->ok()) return;
  const FrameKind kind = frames_.back().kind;
  if (kind != FrameKind::kTry && kind != FrameKind::kCatch) {
    return Fail(ErrorCode::kSyntax, fmt::format("{} without try", Text()));
  }
  const Frame frame = Close();
  if (!cursor_->ok()) return;
  frames_.push_back(
      {is_all ? FrameKind::kCatchAll : FrameKind::kCatch, false, frame.signature, frame.height});
  if (types != nullptr) PushAll(*types);
  Emit(is_all ? InstrKind::kCatchAll : InstrKind::kCatch, tag);
}

void BodyReader::Delegate() {
  const std::uint32_t label = cursor_->U32("a label");
  if (!cursor_->ok()) return;
  if (frames_.back().kind != FrameKind::kTry) {
    return Fail(ErrorCode::kSyntax, "delegate without try");
  }
  const Frame frame = Close();
  if (!CheckLabel(label)) return;
  Emit(InstrKind::kDelegate, label);
  PushAll(module_.signatures[frame.signature].results);
}

void BodyReader::Rethrow() {
  const std::uint32_t label = cursor_->U32("a label");
  if (!CheckLabel(label)) return;
  const FrameKind kind = frames_[frames_.size() - 1 - label].kind;
  if (kind != FrameKind::kCatch && kind != FrameKind::kCatchAll) {
    return Invalid(fmt::format("invalid rethrow label {}: it is of no catch", label));
  }
  SetUnreachable();
  Emit(InstrKind::kRethrow, label);
}

}  // namespace txvm::frontends::wasm
