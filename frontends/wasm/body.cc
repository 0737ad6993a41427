// The walk over a body, and what each class of instructions demands.
#include "frontends/wasm/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/wasm/instruction_map.h"
#include "frontends/wasm/reference_types.h"

namespace txvm::frontends::wasm {

using isa::ErrorCode;
using isa::Opcode;
using wat::InstrKind;
using wat::ValueTypeText;

void BodyReader::Read(Cursor& cursor, wat::Function& out) {
  Walk(cursor, out, nullptr);
  if (cursor.ok()) out.body.assign(code_.begin(), code_.end());
}

void BodyReader::Pass(Cursor& cursor, wat::Function& out, const Sink& sink) {
  Walk(cursor, out, &sink);
  out.locals = {};
  out.labels = {};
}

void BodyReader::Walk(Cursor& cursor, wat::Function& out, const Sink* sink) {
  constexpr std::size_t kPassed = 4'096;  // instructions at a time
  cursor_ = &cursor;
  out_ = &out;
  operands_.clear();
  frames_.clear();
  code_.clear();
  start_ = cursor.offset();
  ReadLocals();
  if (!cursor.ok()) return;
  frames_.push_back({FrameKind::kFunction, false, out.signature, 0, 0});
  if (options_.trace_operands) {
    origins_.clear();
    while (!frames_.empty() && cursor.ok()) {
      TraceBefore();
      Step();
      TraceAfter();
    }
    if (!cursor.ok()) TraceFault();
  }
  while (!frames_.empty() && cursor.ok()) {
    Step();
    if (sink == nullptr || code_.size() < kPassed) continue;
    (*sink)(code_);
    code_.clear();
  }
  if (!cursor.ok()) return;
  if (!cursor.AtEnd()) {
    cursor.Malformed("END opcode expected: the function ends before its body does");
    return;
  }
  if (sink != nullptr) (*sink)(code_);
}

void BodyReader::ReadLocals() {
  constexpr std::size_t kGroupBytes = 2;
  const Types& params = module_.signatures[out_->signature].params;
  locals_ = params;
  std::uint64_t total = params.size();
  const std::uint32_t groups = cursor_->Count("the number of local groups", kGroupBytes);
  constexpr std::uint64_t kMaxByFormat = 0xFFFFFFFF;
  for (std::uint32_t i = 0; i < groups && cursor_->ok(); ++i) {
    const std::size_t at = cursor_->offset();
    const std::uint32_t count = cursor_->U32("a number of locals");
    const ValueType type = ReadValueType(*cursor_, declarations_);
    total += count;
    if (total > kMaxByFormat) {
      return cursor_->Fail(ErrorCode::kSyntax, fmt::format("too many locals: {}", total), at);
    }
    if (total > options_.max_function_locals) continue;  // counted, not kept
    locals_.insert(locals_.end(), count, type);
  }
  if (!cursor_->ok()) return;
  module_locals_ += total - params.size();
  if (total > options_.max_function_locals) {
    return Fail(ErrorCode::kLimit, fmt::format("a function has {} locals; the limit is {}", total,
                                               options_.max_function_locals));
  }
  if (module_locals_ > options_.max_module_locals) {
    return Fail(ErrorCode::kLimit,
                fmt::format("the functions up to this one have {} locals; the limit is {}",
                            module_locals_, options_.max_module_locals));
  }
  const auto first = locals_.begin() + static_cast<std::ptrdiff_t>(params.size());
  out_->locals.assign(first, locals_.end());
  initialised_.clear();
  is_initialised_.assign(locals_.size(), true);
  for (std::size_t i = params.size(); i < locals_.size(); ++i) {
    if (IsReference(locals_[i]) && !IsNullable(locals_[i])) is_initialised_[i] = false;
  }
}

Op BodyReader::NextOp() {
  start_ = cursor_->offset();
  if (cursor_->AtEnd()) {
    cursor_->Malformed("unexpected end of section or function: END opcode expected");
    return Op::kIllegal;
  }
  const std::uint8_t byte = cursor_->Byte("an instruction");
  const Op plain = OpOf(byte);
  if (plain != Op::kIllegal) return plain;
  if (!IsPrefix(byte)) {
    Fail(ErrorCode::kSyntax, fmt::format("illegal opcode 0x{:02x}", byte));
    return Op::kIllegal;
  }
  const std::uint32_t code = cursor_->U32("an opcode");
  const Op op = OpOf(byte, code);
  if (op == Op::kIllegal) {
    Fail(ErrorCode::kSyntax, fmt::format("illegal opcode 0x{:02x} 0x{:02x}", byte, code));
  }
  return op;
}

void BodyReader::Step() {
  const Op op = NextOp();
  if (!cursor_->ok()) return;
  op_ = op;
  if (!InfoOf(op).is_read) return Refuse(op);
  Execute(op);
}

void BodyReader::Refuse(Op op) {
  const OpInfo& info = InfoOf(op);
  Fail(ErrorCode::kUnsupported,
       fmt::format("uses {} ({}): not supported", FeatureText(info.feature), info.text));
}

void BodyReader::Execute(Op op) {
  if (InfoOf(op).feature == Feature::kExceptions) return ExecuteException(op);
  switch (InfoOf(op).immediate) {
    case Immediate::kNone:
      return ExecuteSingle(op);
    case Immediate::kBlock:
    case Immediate::kLabel:
    case Immediate::kLabels:
    case Immediate::kIndirect:
    case Immediate::kFunctionType:
      return ExecuteControl(op);
    case Immediate::kFunction:
      return op == Op::kRefFunc ? ExecuteReference(op) : Call(op);
    case Immediate::kLocal:
      return Local(op);
    case Immediate::kGlobal:
      return Global(op);
    case Immediate::kTable:
    case Immediate::kTwoTables:
    case Immediate::kElement:
    case Immediate::kElementTable:
      return ExecuteTable(op);
    case Immediate::kData:
    case Immediate::kDataMemory:
    case Immediate::kMemory:
    case Immediate::kTwoMemories:
      return ExecuteMemory(op);
    case Immediate::kTryTable:
    case Immediate::kTag:
      return ExecuteException(op);
    case Immediate::kAccess:
    case Immediate::kAccessLane:
      return ExecuteAccess(op);
    case Immediate::kLane:
      return ExecutePlain(op, 0, Lanes(InfoOf(op))[0]);
    case Immediate::kShuffle:
      return Shuffle();
    case Immediate::kTypes:
      return Select(op);
    case Immediate::kRefType:
      return ExecuteReference(op);
    case Immediate::kI32:
    case Immediate::kI64:
    case Immediate::kF32:
    case Immediate::kF64:
    case Immediate::kV128:
      return ExecuteConst(op);
  }
}

/// Instructions without an immediate.
void BodyReader::ExecuteSingle(Op op) {
  switch (op) {
    case Op::kUnreachable:
      Emit(InstrKind::kUnreachable);
      return SetUnreachable();
    case Op::kNop:
      return;
    case Op::kAtomicFence:
      return ZeroByte();
    case Op::kElse:
      return Else();
    case Op::kEnd:
      return End();
    case Op::kReturn:
      Return();
      return Emit(InstrKind::kReturn);
    case Op::kDrop:
      (void)PopAny();
      return Emit(InstrKind::kOp, 0, 0, Opcode::kPop);
    case Op::kSelect:
      return Select(op);
    case Op::kRefIsNull:
      return ExecuteReference(op);
    case Op::kRefAsNonNull:
      return AsNonNull();
    default:
      return ExecutePlain(op);
  }
}

/// Instructions whose types are those of their row.
void BodyReader::ExecutePlain(Op op, std::uint32_t offset, std::uint32_t lane,
                              bool has_long_address) {
  const OpInfo& info = InfoOf(op);
  for (std::size_t i = info.param_count; i-- > 0;) {
    Pop(i == 0 && has_long_address ? ValueType::kI64 : info.params[i]);
  }
  if (info.result) Push(*info.result);
  const wat::Instr& instr = kInstrOfOp[static_cast<std::size_t>(op)];
  if (instr.kind == InstrKind::kUnsupported) return EmitUnsupported(info.text);
  const bool has_offset =
      info.immediate == Immediate::kAccess || info.immediate == Immediate::kAccessLane;
  Emit(instr.kind, has_offset ? offset : instr.a, instr.b | lane << wat::kLaneShift, instr.op);
}

/// A load or store. One in another memory than the only one of 32 bits has kMemory before it.
void BodyReader::ExecuteAccess(Op op) {
  constexpr int kWordBits = 32;
  const MemoryImmediate access = Access(InfoOf(op));
  if (!cursor_->ok()) return;
  const bool is_long = module_.memories[access.memory].extent.is_64;
  if (is_long || access.memory != 0) {
    Emit(InstrKind::kMemory, access.memory, static_cast<std::uint32_t>(access.offset >> kWordBits));
  }
  ExecutePlain(op, static_cast<std::uint32_t>(access.offset), access.lane, is_long);
}

void BodyReader::EmitUnsupported(std::string_view name) {
  auto found = unsupported_.find(name);
  if (found == unsupported_.end()) {
    const auto index = static_cast<std::uint32_t>(module_.unsupported.size());
    module_.unsupported.emplace_back(name);
    found = unsupported_.emplace(name, index).first;
  }
  Emit(InstrKind::kUnsupported, found->second);
}

void BodyReader::ExecuteConst(Op op) {
  constexpr int kWordBits = 32;
  switch (op) {
    case Op::kI32Const:
      Push(ValueType::kI32);
      return Emit(InstrKind::kConst, static_cast<std::uint32_t>(cursor_->S32("an i32")));
    case Op::kI64Const: {
      const auto value = static_cast<std::uint64_t>(cursor_->S64("an i64"));
      Push(ValueType::kI64);
      return Emit(InstrKind::kWideConst, static_cast<std::uint32_t>(value),
                  static_cast<std::uint32_t>(value >> kWordBits));
    }
    case Op::kF32Const:
      Push(ValueType::kF32);
      return Emit(InstrKind::kF32Const, cursor_->Word("an f32"));
    case Op::kF64Const: {
      const std::uint64_t bits = cursor_->LongWord("an f64");
      Push(ValueType::kF64);
      return Emit(InstrKind::kF64Const, static_cast<std::uint32_t>(bits),
                  static_cast<std::uint32_t>(bits >> kWordBits));
    }
    default: {
      const std::uint64_t low = cursor_->LongWord("a v128"), high = cursor_->LongWord("a v128");
      Push(ValueType::kV128);
      Emit(InstrKind::kV128Const, static_cast<std::uint32_t>(low),
           static_cast<std::uint32_t>(low >> kWordBits));
      return Emit(InstrKind::kV128Upper, static_cast<std::uint32_t>(high),
                  static_cast<std::uint32_t>(high >> kWordBits));
    }
  }
}

void BodyReader::Local(Op op) {
  const std::uint32_t index = cursor_->U32("a local index");
  if (index >= locals_.size()) {
    return Invalid(fmt::format("unknown local {}: the function has {}", index, locals_.size()));
  }
  const ValueType type = locals_[index];
  if (op == Op::kLocalGet && !is_initialised_[index]) {
    return Invalid(fmt::format("uninitialized local {}: it is of {} and not set before", index,
                               ValueTypeText(type)));
  }
  if (op != Op::kLocalGet) Pop(type);
  if (op != Op::kLocalGet && !is_initialised_[index]) {
    is_initialised_[index] = true;
    initialised_.push_back(index);
  }
  if (op != Op::kLocalSet) Push(type);
  if (wat::IsNumber(type) || IsReference(type)) {
    const Opcode code = op == Op::kLocalGet   ? Opcode::kLocalGet
                        : op == Op::kLocalSet ? Opcode::kLocalSet
                                              : Opcode::kLocalTee;
    return Emit(InstrKind::kLocal, index, 0, code);
  }
  EmitUnsupported(fmt::format("{} of type {}", Text(), ValueTypeText(type)));
}

void BodyReader::Global(Op op) {
  const std::uint32_t index = cursor_->U32("a global index");
  if (!CheckIndex(*cursor_, "global", index, module_.globals.size(), start_)) return;
  const wat::Global& global = module_.globals[index];
  if (op == Op::kGlobalGet) {
    Push(global.type);
  } else {
    if (!global.is_mutable)
      return Invalid(fmt::format("global is immutable: global.set {}", index));
    Pop(global.type);
  }
  if (wat::IsNumber(global.type) || IsReference(global.type)) {
    return Emit(op == Op::kGlobalGet ? InstrKind::kGlobalGet : InstrKind::kGlobalSet, index);
  }
  EmitUnsupported(fmt::format("{} of type {}", Text(), ValueTypeText(global.type)));
}

void BodyReader::Select(Op op) {
  if (op == Op::kSelectT) {
    const std::uint32_t count = cursor_->Count("the number of types of select");
    const ValueType type = count == 1 ? ReadValueType(*cursor_, declarations_) : ValueType::kOther;
    if (!cursor_->ok()) return;
    if (count != 1) return Invalid(fmt::format("invalid result arity: select of {} types", count));
    Pop(ValueType::kI32);
    Pop(type);
    Pop(type);
    Push(type);
    return Emit(InstrKind::kOp, 0, 0, Opcode::kSelect);
  }
  Pop(ValueType::kI32);
  const ValueType second = PopAny(), first = PopAny();
  if (!cursor_->ok()) return;
  if (IsReference(first) || IsReference(second)) {
    return Invalid("type mismatch: select of references must name their type");
  }
  if (first != second && first != kUnknown && second != kUnknown) {
    return Invalid(fmt::format("type mismatch: select between {} and {}", ValueTypeText(first),
                               ValueTypeText(second)));
  }
  Push(first == kUnknown ? second : first);
  Emit(InstrKind::kOp, 0, 0, Opcode::kSelect);
}

/// The offset of a load or store, whose memory exists and whose alignment is at most natural.
BodyReader::MemoryImmediate BodyReader::Access(const OpInfo& info) {
  constexpr std::uint32_t kHasMemory = 0x40, kMalformed = 0x80;
  std::uint32_t alignment = cursor_->U32("an alignment");
  if (cursor_->ok() && alignment >= kMalformed) {
    Fail(ErrorCode::kSyntax, fmt::format("malformed memop flags {}: {}", alignment, info.text));
    return {};
  }
  const bool has_memory = (alignment & kHasMemory) != 0;
  const std::uint32_t memory = has_memory ? MemoryIndex() : 0;
  alignment &= ~kHasMemory;
  const bool is_long = memory < module_.memories.size() && module_.memories[memory].extent.is_64;
  const std::uint64_t offset = is_long ? cursor_->U64("an offset") : cursor_->U32("an offset");
  const std::uint32_t lane = info.immediate == Immediate::kAccessLane ? Lanes(info)[0] : 0;
  if (!cursor_->ok()) return {};
  CheckMemory(memory);
  constexpr std::uint32_t kLogLargest = 4;  // of 16 bytes
  if (alignment > kLogLargest || (1u << alignment) > info.size) {
    Invalid(fmt::format("alignment must not be larger than natural: 2^{} bytes for {} of {}",
                        alignment, info.text, info.size));
  }
  if (cursor_->ok() && info.feature == Feature::kThreads && (1u << alignment) != info.size) {
    Invalid(fmt::format("atomic alignment must be natural: 2^{} bytes for {} of {}", alignment,
                        info.text, info.size));
  }
  return {offset, lane, memory};
}

std::array<std::uint8_t, BodyReader::kVectorBytes> BodyReader::Lanes(const OpInfo& info) {
  constexpr int kBytes = kVectorBytes, kShuffledLanes = 32;
  std::array<std::uint8_t, kVectorBytes> lanes{};
  const bool is_shuffle = info.immediate == Immediate::kShuffle;
  const bool is_access = info.immediate == Immediate::kAccessLane;
  const int limit = is_shuffle ? kShuffledLanes : is_access ? kBytes / info.size : info.size;
  const std::size_t count = is_shuffle ? kVectorBytes : 1;
  for (std::size_t i = 0; i < count && cursor_->ok(); ++i) {
    lanes[i] = cursor_->Byte("a lane");
    if (lanes[i] < limit) continue;
    Invalid(fmt::format("invalid lane index {}: there are {}", lanes[i], limit));
  }
  return lanes;
}

void BodyReader::Shuffle() {
  constexpr std::size_t kWords = 4, kWordBytes = 4;
  constexpr unsigned kByteBits = 8;
  const OpInfo& info = InfoOf(op_);
  const std::array<std::uint8_t, kVectorBytes> lanes = Lanes(info);
  std::array<std::uint32_t, kWords> words{};
  for (std::size_t i = 0; i < kVectorBytes; ++i) {
    words[i / kWordBytes] |= std::uint32_t{lanes[i]} << (kByteBits * (i % kWordBytes));
  }
  Pop(ValueType::kV128);
  Pop(ValueType::kV128);
  Push(ValueType::kV128);
  Emit(InstrKind::kShuffle, words[0], words[1]);
  Emit(InstrKind::kV128Upper, words[2], words[3]);
}

void BodyReader::CheckMemory(std::uint32_t index) {
  (void)CheckIndex(*cursor_, "memory", index, module_.memories.size(), start_);
}

void BodyReader::ZeroByte() {
  const std::size_t at = cursor_->offset();
  if (cursor_->Byte("a zero byte") == 0 || !cursor_->ok()) return;
  cursor_->Fail(ErrorCode::kSyntax, fmt::format("zero byte expected: {}", Text()), at);
}

void BodyReader::CheckData(std::uint32_t index) {
  if (!cursor_->ok()) return;
  if (!declarations_.data_count) {
    return Fail(ErrorCode::kSyntax, fmt::format("data count section required: {}", Text()));
  }
  (void)CheckIndex(*cursor_, "data segment", index, *declarations_.data_count, start_);
}

/// In 2.0 it is a byte that is 0.
std::uint32_t BodyReader::MemoryIndex() {
  if (!declarations_.is_version_2) return cursor_->U32("a memory index");
  if (cursor_->Byte("a memory index") != 0 && cursor_->ok()) {
    Fail(ErrorCode::kSyntax, "zero byte expected");
  }
  return 0;
}

void BodyReader::ExecuteMemory(Op op) {
  const bool has_segment = op == Op::kDataDrop || op == Op::kMemoryInit;
  const std::uint32_t segment = has_segment ? cursor_->U32("a data segment index") : 0;
  if (has_segment) CheckData(segment);
  if (op == Op::kDataDrop) return Emit(InstrKind::kDataDrop, segment);
  const std::uint32_t memory = MemoryIndex();
  const std::uint32_t source = op == Op::kMemoryCopy ? MemoryIndex() : memory;
  if (!cursor_->ok()) return;
  CheckMemory(memory);
  CheckMemory(source);
  if (!cursor_->ok()) return;
  const ValueType address = AddressType(memory);
  if (op == Op::kMemorySize) {
    Push(address);
    return Emit(InstrKind::kMemorySize, memory);
  }
  if (op == Op::kMemoryGrow) {
    Pop(address);
    Push(address);
    return Emit(InstrKind::kMemoryGrow, memory);
  }
  Pop(op == Op::kMemoryInit   ? ValueType::kI32
      : op == Op::kMemoryFill ? address
                              : CountType(address, AddressType(source)));
  Pop(op == Op::kMemoryCopy ? AddressType(source) : ValueType::kI32);
  Pop(address);
  if (!cursor_->ok()) return;
  if (op == Op::kMemoryInit) return Emit(InstrKind::kMemoryInit, segment, memory);
  if (IsOnlyMemory()) return Emit(InstrKind::kCall, helper_(Text()));
  if (op == Op::kMemoryFill) return Emit(InstrKind::kMemoryFill, memory);
  Emit(InstrKind::kMemoryCopy, memory, source);
}

/// Whether the module has one memory, of 32-bit addresses.
bool BodyReader::IsOnlyMemory() const {
  return module_.memories.size() == 1 && !module_.memories.front().extent.is_64;
}

ValueType BodyReader::AddressType(std::uint32_t memory) const {
  return module_.memories[memory].extent.is_64 ? ValueType::kI64 : ValueType::kI32;
}

ValueType BodyReader::IndexType(std::uint32_t table) const {
  return module_.tables[table].extent.is_64 ? ValueType::kI64 : ValueType::kI32;
}

/// Of how many items to copy between what has addresses of these types.
ValueType BodyReader::CountType(ValueType left, ValueType right) const {
  return left == right ? left : ValueType::kI32;
}

void BodyReader::ExecuteTable(Op op) {
  const bool has_segment = op == Op::kTableInit || op == Op::kElemDrop;
  const std::uint32_t segment = has_segment ? cursor_->U32("an element segment index") : 0;
  const std::uint32_t index = op == Op::kElemDrop ? 0 : cursor_->U32("a table index");
  const std::uint32_t source = op == Op::kTableCopy ? cursor_->U32("a table index") : index;
  if (!cursor_->ok()) return;
  const std::size_t tables = module_.tables.size();
  if (has_segment &&
      !CheckIndex(*cursor_, "elem segment", segment, declarations_.elements.size(), start_)) {
    return;
  }
  if (op == Op::kElemDrop) return Emit(InstrKind::kElemDrop, segment);
  if (!CheckIndex(*cursor_, "table", index, tables, start_)) return;
  if (!CheckIndex(*cursor_, "table", source, tables, start_)) return;
  const ValueType type = module_.tables[index].type;
  const ValueType from =
      op == Op::kTableInit ? declarations_.elements[segment] : module_.tables[source].type;
  if (!IsSubtype(module_, from, type)) {
    return Invalid(fmt::format("type mismatch: {} from {} to a table of {}", Text(),
                               ValueTypeText(from), ValueTypeText(type)));
  }
  const ValueType address = IndexType(index);
  // Operands by the letter: i an index, n a number of elements, s an index of the source, t an
  // element, w an i32.
  const std::string_view operands = op == Op::kTableGet    ? "i"
                                    : op == Op::kTableSet  ? "it"
                                    : op == Op::kTableGrow ? "ti"
                                    : op == Op::kTableSize ? ""
                                    : op == Op::kTableFill ? "iti"
                                    : op == Op::kTableCopy ? "isn"
                                                           : "iww";
  for (std::size_t i = operands.size(); i-- > 0;) {
    const char kind = operands[i];
    Pop(kind == 't'   ? type
        : kind == 'i' ? address
        : kind == 's' ? IndexType(source)
        : kind == 'n' ? CountType(address, IndexType(source))
                      : ValueType::kI32);
  }
  if (op == Op::kTableGet) Push(type);
  if (op == Op::kTableGrow || op == Op::kTableSize) Push(address);
  switch (op) {
    case Op::kTableGet:
      return Emit(InstrKind::kTableGet, index);
    case Op::kTableSet:
      return Emit(InstrKind::kTableSet, index);
    case Op::kTableSize:
      return Emit(InstrKind::kTableSize, index);
    case Op::kTableGrow:
      return Emit(InstrKind::kTableGrow, index);
    case Op::kTableFill:
      return Emit(InstrKind::kTableFill, index);
    case Op::kTableCopy:
      return Emit(InstrKind::kTableCopy, index, source);
    default:
      return Emit(InstrKind::kTableInit, index, segment);
  }
}

void BodyReader::ExecuteReference(Op op) {
  if (op == Op::kRefNull) {
    const ValueType type = ReadHeapType(*cursor_, declarations_, true);
    Push(type);
    Emit(type == ValueType::kExnRef ? InstrKind::kExnNull : InstrKind::kRefNull);
  } else if (op == Op::kRefIsNull) {
    const ValueType type = PopAny();
    if (!cursor_->ok()) return;
    if (type != kUnknown && !IsReference(type)) {
      return Invalid(fmt::format("type mismatch: ref.is_null needs a reference, found {}",
                                 ValueTypeText(type)));
    }
    Push(ValueType::kI32);
    Emit(type == ValueType::kExnRef ? InstrKind::kExnIsNull : InstrKind::kRefIsNull);
  } else {
    const std::uint32_t index = cursor_->U32("a function index");
    if (!CheckIndex(*cursor_, "function", index, module_.functions.size(), start_)) return;
    if (!declarations_.referable[index]) {
      return Invalid(fmt::format("undeclared function reference: ref.func {}", index));
    }
    Push(ReferenceTo(wat::HeapOfSignature(module_.functions[index].signature), false));
    Emit(InstrKind::kRefFunc, index);
  }
}

/// A reference on top; kUnknown where the code is never reached.
ValueType BodyReader::PopReference() {
  const ValueType type = PopAny();
  if (cursor_->ok() && type != kUnknown && !IsReference(type)) {
    Invalid(
        fmt::format("type mismatch: {} needs a reference, found {}", Text(), ValueTypeText(type)));
  }
  return type;
}

void BodyReader::AsNonNull() {
  const ValueType type = PopReference();
  if (!cursor_->ok()) return;
  Push(type == kUnknown ? type : WithoutNull(type));
  Emit(InstrKind::kAsNonNull);
}

}  // namespace txvm::frontends::wasm
