// The body of a function, from WABT's tree to one flat list.
#include <fmt/format.h>
#include <wabt/cast.h>
#include <wabt/ir.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "frontends/wasm/float.h"
#include "frontends/wasm/opcodes.h"
#include "frontends/wasm/wide.h"
#include "isa/opcode.h"
#include "tests/frontends/wasm/wabt_module.h"

namespace txvm::frontends::wat {
namespace {

using isa::Opcode;
using wabt::ExprType;

/// The machine's instruction for one of WABT's opcodes, if there is one.
std::optional<Instr> FindPlain(wabt::Opcode opcode) {
  constexpr std::uint32_t kWordBits = 32;
  switch (static_cast<wabt::Opcode::Enum>(opcode)) {
#define WAT_OP(wabt_name, isa_name) \
  case wabt::Opcode::wabt_name:     \
    return Instr{InstrKind::kOp, Opcode::k##isa_name, 0, 0, 0};
#define WAT_ACCESS(wabt_name, isa_name) \
  case wabt::Opcode::wabt_name:         \
    return Instr{InstrKind::kAccess, Opcode::k##isa_name, 0, 0, 0};
#define WAT_EXTEND(wabt_name, bits) \
  case wabt::Opcode::wabt_name:     \
    return Instr{InstrKind::kExtend, Opcode::kNop, kWordBits - (bits), 0, 0};
#include "frontends/wasm/machine_opcodes.def"
    default:
      return std::nullopt;
  }
}

/// The i64 instruction of one of WABT's opcodes, if it is one.
std::optional<WideOp> FindWide(wabt::Opcode opcode) {
  switch (static_cast<wabt::Opcode::Enum>(opcode)) {
#define WAT_WIDE(wabt_name, text, form, op, bits) \
  case wabt::Opcode::wabt_name:                   \
    return WideOp::k##wabt_name;
#include "frontends/wasm/wide.def"
#undef WAT_WIDE
    default:
      return std::nullopt;
  }
}

/// The float instruction of one of WABT's opcodes, if it is one.
std::optional<FloatOp> FindFloat(wabt::Opcode opcode) {
  switch (static_cast<wabt::Opcode::Enum>(opcode)) {
#define WAT_FLOAT(wabt_name, text, form, operand, operands, result) \
  case wabt::Opcode::wabt_name:                                     \
    return FloatOp::k##wabt_name;
#include "frontends/wasm/float.def"
#undef WAT_FLOAT
    default:
      return std::nullopt;
  }
}

/// The vector instruction of one of WABT's opcodes, if it is one: opcodes.def has its name.
std::optional<wasm::Op> FindVector(wabt::Opcode opcode) {
  switch (static_cast<wabt::Opcode::Enum>(opcode)) {
#define WAT_VECTOR_Simd(name) \
  case wabt::Opcode::name:    \
    return wasm::Op::k##name;
#define WAT_VECTOR_Mvp(name)
#define WAT_VECTOR_SignExtension(name)
#define WAT_VECTOR_Saturation(name)
#define WAT_VECTOR_BulkMemory(name)
#define WAT_VECTOR_References(name)
#define WAT_VECTOR_TailCall(name)
#define WAT_VECTOR_RelaxedSimd(name) WAT_VECTOR_Simd(name)
#define WAT_VECTOR_Threads(name)
#define WAT_VECTOR_Exceptions(name)
#define WAT_VECTOR_FunctionReferences(name)
#define WAT_VECTOR_GarbageCollection(name)
#define WAT_VECTOR_WideArithmetic(name)
#define WASM_OP(prefix, code, name, text, immediate, params, results, size, feature) \
  WAT_VECTOR_##feature(name)
#include "frontends/wasm/opcodes.def"
#undef WASM_OP
#undef WAT_VECTOR_Simd
#undef WAT_VECTOR_Mvp
#undef WAT_VECTOR_SignExtension
#undef WAT_VECTOR_Saturation
#undef WAT_VECTOR_BulkMemory
#undef WAT_VECTOR_References
#undef WAT_VECTOR_TailCall
#undef WAT_VECTOR_RelaxedSimd
#undef WAT_VECTOR_Threads
#undef WAT_VECTOR_Exceptions
#undef WAT_VECTOR_FunctionReferences
#undef WAT_VECTOR_GarbageCollection
#undef WAT_VECTOR_WideArithmetic
    default:
      return std::nullopt;
  }
}

/// The function of bulk_helpers.wat that does the work of an expression; empty when none does.
std::string_view HelperOf(const wabt::Expr& expr) {
  switch (static_cast<int>(expr.type())) {
#define WAT_HELPER(Name, text)           \
  case static_cast<int>(ExprType::Name): \
    return text;
#include "frontends/wasm/machine_opcodes.def"
    default:
      return {};
  }
}

/// The text of an expression that has no opcode of its own in WABT's form.
std::string NameOf(const wabt::Expr& expr) {
  switch (static_cast<int>(expr.type())) {
#define WAT_NAME(Name, text)             \
  case static_cast<int>(ExprType::Name): \
    return text;
#include "frontends/wasm/machine_opcodes.def"
    case static_cast<int>(ExprType::SimdLaneOp):
      return wabt::cast<wabt::SimdLaneOpExpr>(&expr)->opcode.GetName();
    case static_cast<int>(ExprType::Ternary):
      return wabt::cast<wabt::TernaryExpr>(&expr)->opcode.GetName();
    default:
      return wabt::GetExprTypeName(expr);
  }
}

/// Walks a function's expressions. INVARIANT: levels_ holds the open constructs, outermost first.
class BodyConverter {
 public:
  BodyConverter(const wabt::Func& source, const BodyContext& context, Function& out)
      : source_(source), context_(context), out_(out) {}

  /// The first fault, if there is one; what is in `out` then has no meaning.
  std::optional<BodyFault> Run();

 private:
  /// An expression list that is being walked, and what its end means.
  struct Level {
    const wabt::ExprList* list;
    wabt::ExprList::const_iterator at;
    const wabt::IfExpr* pending_else = nullptr;  // walked next
    std::uint32_t end_place = 0;
  };

  void Push(const wabt::ExprList& list, std::uint32_t end_place,
            const wabt::IfExpr* pending_else = nullptr);
  void Visit(const wabt::Expr& expr);
  void VisitBlock(const wabt::Expr& expr);
  void VisitVariable(const wabt::Expr& expr);
  void VisitBranchTable(const wabt::BrTableExpr& expr);
  template <typename IndirectExpr>
  void VisitIndirect(InstrKind kind, const IndirectExpr& expr);
  bool VisitReference(const wabt::Expr& expr);
  void VisitConst(const wabt::Const& value);
  void VisitOpcode(wabt::Opcode opcode, wabt::Address offset, std::uint64_t lane = 0);
  bool VisitVector(const wabt::Expr& expr);
  void AddShuffle(const wabt::SimdShuffleOpExpr& expr);
  void Add(InstrKind kind, std::uint32_t a = 0, std::uint32_t b = 0, Opcode op = Opcode::kNop) {
    out_.body.push_back({kind, op, a, b, place_});
  }
  void AddUnsupported(std::string_view name) {
    Add(InstrKind::kUnsupported, context_.unsupported.Intern(name));
  }
  ValueType TypeOfLocal(std::uint32_t index) const;
  void AddLocal(Opcode op, std::uint32_t index);
  void AddGlobal(InstrKind kind, std::uint32_t index);

  const wabt::Func& source_;
  const BodyContext& context_;
  Function& out_;
  std::vector<Level> levels_;
  std::uint32_t place_ = 0;
  std::optional<BodyFault> fault_;
};

void BodyConverter::Push(const wabt::ExprList& list, std::uint32_t end_place,
                         const wabt::IfExpr* pending_else) {
  levels_.push_back({&list, list.begin(), pending_else, end_place});
}

std::optional<BodyFault> BodyConverter::Run() {
  Push(source_.exprs, out_.place);
  while (!levels_.empty() && !fault_) {
    Level& level = levels_.back();
    if (level.at != level.list->end()) {
      const wabt::Expr& expr = *level.at++;
      place_ = PlaceOf(expr.loc, context_.is_text);
      Visit(expr);
      continue;
    }
    const wabt::IfExpr* pending = level.pending_else;
    place_ = level.end_place;
    levels_.pop_back();
    if (pending != nullptr && !pending->false_.empty()) {
      Add(InstrKind::kElse);
      Push(pending->false_, PlaceOf(pending->false_end_loc, context_.is_text));
    } else {
      Add(InstrKind::kEnd);
    }
  }
  return std::move(fault_);
}

ValueType BodyConverter::TypeOfLocal(std::uint32_t index) const {
  const wabt::TypeVector& params = source_.decl.sig.param_types;
  if (index < params.size()) return ConvertType(params[index]);
  return out_.locals[index - params.size()];
}

void BodyConverter::AddLocal(Opcode op, std::uint32_t index) {
  const ValueType type = TypeOfLocal(index);
  if (IsNumber(type) || IsReference(type)) return Add(InstrKind::kLocal, index, 0, op);
  const char* verb = op == Opcode::kLocalGet ? "get" : op == Opcode::kLocalSet ? "set" : "tee";
  AddUnsupported("local." + std::string(verb) + " of type " + std::string(ValueTypeText(type)));
}

void BodyConverter::AddGlobal(InstrKind kind, std::uint32_t index) {
  const ValueType type = ConvertType(context_.source.globals[index]->type);
  if (IsNumber(type) || IsReference(type)) return Add(kind, index);
  const char* verb = kind == InstrKind::kGlobalGet ? "get" : "set";
  AddUnsupported("global." + std::string(verb) + " of type " + std::string(ValueTypeText(type)));
}

void BodyConverter::VisitConst(const wabt::Const& value) {
  const auto [low, high] = WordsOf(BitsOf(value));
  switch (ConvertType(value.type())) {
    case ValueType::kI32:
      return Add(InstrKind::kConst, low);
    case ValueType::kI64:
      return Add(InstrKind::kWideConst, low, high);
    case ValueType::kF32:
      return Add(InstrKind::kF32Const, low);
    case ValueType::kF64:
      return Add(InstrKind::kF64Const, low, high);
    case ValueType::kV128: {
      const std::array<std::uint32_t, 4> words = VectorOf(value);
      Add(InstrKind::kV128Const, words[0], words[1]);
      return Add(InstrKind::kV128Upper, words[2], words[3]);
    }
    case ValueType::kFuncRef:
    case ValueType::kExternRef:
    case ValueType::kExnRef:
    case ValueType::kOther:
      break;
  }
  AddUnsupported(value.type().GetName() + ".const");
}

void BodyConverter::VisitOpcode(wabt::Opcode opcode, wabt::Address offset, std::uint64_t lane) {
  if (const std::optional<wasm::Op> vector = FindVector(opcode)) {
    return Add(InstrKind::kVector, static_cast<std::uint32_t>(offset),
               static_cast<std::uint32_t>(*vector) | static_cast<std::uint32_t>(lane)
                                                         << kLaneShift);
  }
  if (const std::optional<WideOp> wide = FindWide(opcode)) {
    return Add(InstrKind::kWide, static_cast<std::uint32_t>(offset),
               static_cast<std::uint32_t>(*wide));
  }
  if (const std::optional<FloatOp> op = FindFloat(opcode)) {
    return Add(InstrKind::kFloat, static_cast<std::uint32_t>(offset),
               static_cast<std::uint32_t>(*op));
  }
  std::optional<Instr> instr = FindPlain(opcode);
  if (!instr) return AddUnsupported(opcode.GetName());
  Add(instr->kind,
      instr->kind == InstrKind::kAccess ? static_cast<std::uint32_t>(offset) : instr->a, 0,
      instr->op);
}

void BodyConverter::AddShuffle(const wabt::SimdShuffleOpExpr& expr) {
  const auto word = [&expr](int i) { return expr.val.u32(i); };
  Add(InstrKind::kShuffle, word(0), word(1));
  Add(InstrKind::kV128Upper, word(2), word(3));
}

/// Instructions that only vectors have. False for any other.
bool BodyConverter::VisitVector(const wabt::Expr& expr) {
  const auto access = [&]<typename Access>(const Access* item, std::uint64_t lane) {
    VisitOpcode(item->opcode, item->offset, lane);
    return true;
  };
  switch (static_cast<int>(expr.type())) {
    case static_cast<int>(ExprType::Ternary):
      VisitOpcode(wabt::cast<wabt::TernaryExpr>(&expr)->opcode, 0);
      return true;
    case static_cast<int>(ExprType::SimdLaneOp): {
      const auto* lane = wabt::cast<wabt::SimdLaneOpExpr>(&expr);
      VisitOpcode(lane->opcode, 0, lane->val);
      return true;
    }
    case static_cast<int>(ExprType::SimdShuffleOp):
      AddShuffle(*wabt::cast<wabt::SimdShuffleOpExpr>(&expr));
      return true;
    case static_cast<int>(ExprType::SimdLoadLane): {
      const auto* lane = wabt::cast<wabt::SimdLoadLaneExpr>(&expr);
      return access(lane, lane->val);
    }
    case static_cast<int>(ExprType::SimdStoreLane): {
      const auto* lane = wabt::cast<wabt::SimdStoreLaneExpr>(&expr);
      return access(lane, lane->val);
    }
    case static_cast<int>(ExprType::LoadSplat):
      return access(wabt::cast<wabt::LoadSplatExpr>(&expr), 0);
    case static_cast<int>(ExprType::LoadZero):
      return access(wabt::cast<wabt::LoadZeroExpr>(&expr), 0);
    default:
      return false;
  }
}

void BodyConverter::VisitBlock(const wabt::Expr& expr) {
  const bool is_text = context_.is_text;
  if (const auto* block = wabt::dyn_cast<wabt::BlockExpr>(&expr)) {
    Add(InstrKind::kBlock, context_.signatures.Intern(block->block.decl.sig));
    Push(block->block.exprs, PlaceOf(block->block.end_loc, is_text));
  } else if (const auto* loop = wabt::dyn_cast<wabt::LoopExpr>(&expr)) {
    Add(InstrKind::kLoop, context_.signatures.Intern(loop->block.decl.sig));
    Push(loop->block.exprs, PlaceOf(loop->block.end_loc, is_text));
  } else {
    const auto* branch = wabt::cast<wabt::IfExpr>(&expr);
    Add(InstrKind::kIf, context_.signatures.Intern(branch->true_.decl.sig));
    Push(branch->true_.exprs, PlaceOf(branch->true_.end_loc, is_text), branch);
  }
}

void BodyConverter::VisitBranchTable(const wabt::BrTableExpr& expr) {
  const auto first = static_cast<std::uint32_t>(out_.labels.size());
  for (const wabt::Var& target : expr.targets) out_.labels.push_back(target.index());
  out_.labels.push_back(expr.default_target.index());
  Add(InstrKind::kBrTable, first, static_cast<std::uint32_t>(out_.labels.size()) - first);
}

/// WABT's validator lets any table pass.
template <typename IndirectExpr>
void BodyConverter::VisitIndirect(InstrKind kind, const IndirectExpr& expr) {
  const std::uint32_t table = expr.table.index();
  const ValueType type = ConvertType(context_.source.tables[table]->elem_type);
  if (type != ValueType::kFuncRef) {
    fault_ = {expr.loc, fmt::format("type mismatch: call_indirect needs a table of funcref, table "
                                    "{} is of {}",
                                    table, ValueTypeText(type))};
    return;
  }
  Add(kind, context_.signatures.Intern(expr.decl.sig), table);
}

/// References, tables and segments. False for any other instruction.
bool BodyConverter::VisitReference(const wabt::Expr& expr) {
  const auto table = [&]<typename TableExpr>(InstrKind kind, const TableExpr* item) {
    Add(kind, item->var.index());
    return true;
  };
  const auto atomic = [&]<typename AtomicExpr>(const AtomicExpr* item) {
    Add(InstrKind::kAtomic, static_cast<std::uint32_t>(item->offset), item->opcode.GetCode());
    return true;
  };
  switch (static_cast<int>(expr.type())) {
    case static_cast<int>(ExprType::RefNull):
      Add(InstrKind::kRefNull);
      return true;
    case static_cast<int>(ExprType::RefIsNull):
      Add(InstrKind::kRefIsNull);
      return true;
    case static_cast<int>(ExprType::RefFunc):
      return table(InstrKind::kRefFunc, wabt::cast<wabt::RefFuncExpr>(&expr));
    case static_cast<int>(ExprType::TableGet):
      return table(InstrKind::kTableGet, wabt::cast<wabt::TableGetExpr>(&expr));
    case static_cast<int>(ExprType::TableSet):
      return table(InstrKind::kTableSet, wabt::cast<wabt::TableSetExpr>(&expr));
    case static_cast<int>(ExprType::TableSize):
      return table(InstrKind::kTableSize, wabt::cast<wabt::TableSizeExpr>(&expr));
    case static_cast<int>(ExprType::TableGrow):
      return table(InstrKind::kTableGrow, wabt::cast<wabt::TableGrowExpr>(&expr));
    case static_cast<int>(ExprType::TableFill):
      return table(InstrKind::kTableFill, wabt::cast<wabt::TableFillExpr>(&expr));
    case static_cast<int>(ExprType::TableCopy): {
      const auto* copy = wabt::cast<wabt::TableCopyExpr>(&expr);
      Add(InstrKind::kTableCopy, copy->dst_table.index(), copy->src_table.index());
      return true;
    }
    case static_cast<int>(ExprType::TableInit): {
      const auto* init = wabt::cast<wabt::TableInitExpr>(&expr);
      Add(InstrKind::kTableInit, init->table_index.index(), init->segment_index.index());
      return true;
    }
    case static_cast<int>(ExprType::ElemDrop):
      return table(InstrKind::kElemDrop, wabt::cast<wabt::ElemDropExpr>(&expr));
    case static_cast<int>(ExprType::MemoryInit):
      return table(InstrKind::kMemoryInit, wabt::cast<wabt::MemoryInitExpr>(&expr));
    case static_cast<int>(ExprType::DataDrop):
      return table(InstrKind::kDataDrop, wabt::cast<wabt::DataDropExpr>(&expr));
    case static_cast<int>(ExprType::AtomicFence):
      return true;
    case static_cast<int>(ExprType::AtomicLoad):
      return atomic(wabt::cast<wabt::AtomicLoadExpr>(&expr));
    case static_cast<int>(ExprType::AtomicStore):
      return atomic(wabt::cast<wabt::AtomicStoreExpr>(&expr));
    case static_cast<int>(ExprType::AtomicRmw):
      return atomic(wabt::cast<wabt::AtomicRmwExpr>(&expr));
    case static_cast<int>(ExprType::AtomicRmwCmpxchg):
      return atomic(wabt::cast<wabt::AtomicRmwCmpxchgExpr>(&expr));
    case static_cast<int>(ExprType::AtomicWait):
      return atomic(wabt::cast<wabt::AtomicWaitExpr>(&expr));
    case static_cast<int>(ExprType::AtomicNotify):
      return atomic(wabt::cast<wabt::AtomicNotifyExpr>(&expr));
    case static_cast<int>(ExprType::ReturnCall):
      return table(InstrKind::kReturnCall, wabt::cast<wabt::ReturnCallExpr>(&expr));
    default:
      return false;
  }
}

/// Instructions with one index: locals, globals, branches, calls.
void BodyConverter::VisitVariable(const wabt::Expr& expr) {
  switch (static_cast<int>(expr.type())) {
    case static_cast<int>(ExprType::Br):
      return Add(InstrKind::kBr, wabt::cast<wabt::BrExpr>(&expr)->var.index());
    case static_cast<int>(ExprType::BrIf):
      return Add(InstrKind::kBrIf, wabt::cast<wabt::BrIfExpr>(&expr)->var.index());
    case static_cast<int>(ExprType::Call):
      return Add(InstrKind::kCall, wabt::cast<wabt::CallExpr>(&expr)->var.index());
    case static_cast<int>(ExprType::GlobalGet):
      return AddGlobal(InstrKind::kGlobalGet, wabt::cast<wabt::GlobalGetExpr>(&expr)->var.index());
    case static_cast<int>(ExprType::GlobalSet):
      return AddGlobal(InstrKind::kGlobalSet, wabt::cast<wabt::GlobalSetExpr>(&expr)->var.index());
    case static_cast<int>(ExprType::LocalGet):
      return AddLocal(Opcode::kLocalGet, wabt::cast<wabt::LocalGetExpr>(&expr)->var.index());
    case static_cast<int>(ExprType::LocalSet):
      return AddLocal(Opcode::kLocalSet, wabt::cast<wabt::LocalSetExpr>(&expr)->var.index());
    default:
      return AddLocal(Opcode::kLocalTee, wabt::cast<wabt::LocalTeeExpr>(&expr)->var.index());
  }
}

void BodyConverter::Visit(const wabt::Expr& expr) {
  switch (static_cast<int>(expr.type())) {
    case static_cast<int>(ExprType::Block):
    case static_cast<int>(ExprType::Loop):
    case static_cast<int>(ExprType::If):
      return VisitBlock(expr);
    case static_cast<int>(ExprType::Br):
    case static_cast<int>(ExprType::BrIf):
    case static_cast<int>(ExprType::Call):
    case static_cast<int>(ExprType::GlobalGet):
    case static_cast<int>(ExprType::GlobalSet):
    case static_cast<int>(ExprType::LocalGet):
    case static_cast<int>(ExprType::LocalSet):
    case static_cast<int>(ExprType::LocalTee):
      return VisitVariable(expr);
    case static_cast<int>(ExprType::BrTable):
      return VisitBranchTable(*wabt::cast<wabt::BrTableExpr>(&expr));
    case static_cast<int>(ExprType::CallIndirect):
      return VisitIndirect(InstrKind::kCallIndirect, *wabt::cast<wabt::CallIndirectExpr>(&expr));
    case static_cast<int>(ExprType::ReturnCallIndirect):
      return VisitIndirect(InstrKind::kReturnCallIndirect,
                           *wabt::cast<wabt::ReturnCallIndirectExpr>(&expr));
    case static_cast<int>(ExprType::Const):
      return VisitConst(wabt::cast<wabt::ConstExpr>(&expr)->const_);
    case static_cast<int>(ExprType::Binary):
      return VisitOpcode(wabt::cast<wabt::BinaryExpr>(&expr)->opcode, 0);
    case static_cast<int>(ExprType::Compare):
      return VisitOpcode(wabt::cast<wabt::CompareExpr>(&expr)->opcode, 0);
    case static_cast<int>(ExprType::Convert):
      return VisitOpcode(wabt::cast<wabt::ConvertExpr>(&expr)->opcode, 0);
    case static_cast<int>(ExprType::Unary):
      return VisitOpcode(wabt::cast<wabt::UnaryExpr>(&expr)->opcode, 0);
    case static_cast<int>(ExprType::Load): {
      const auto* load = wabt::cast<wabt::LoadExpr>(&expr);
      return VisitOpcode(load->opcode, load->offset);
    }
    case static_cast<int>(ExprType::Store): {
      const auto* store = wabt::cast<wabt::StoreExpr>(&expr);
      return VisitOpcode(store->opcode, store->offset);
    }
    case static_cast<int>(ExprType::Drop):
      return Add(InstrKind::kOp, 0, 0, Opcode::kPop);
    case static_cast<int>(ExprType::Select):
      return Add(InstrKind::kOp, 0, 0, Opcode::kSelect);
    case static_cast<int>(ExprType::MemorySize):
      return Add(InstrKind::kMemorySize);
    case static_cast<int>(ExprType::MemoryGrow):
      return Add(InstrKind::kMemoryGrow);
    case static_cast<int>(ExprType::Nop):
      return;
    case static_cast<int>(ExprType::Return):
      return Add(InstrKind::kReturn);
    case static_cast<int>(ExprType::Unreachable):
      return Add(InstrKind::kUnreachable);
    default: {
      if (VisitReference(expr) || VisitVector(expr)) return;
      const std::string_view helper = HelperOf(expr);
      if (!helper.empty()) return Add(InstrKind::kCall, context_.helper(helper));
      return AddUnsupported(NameOf(expr));
    }
  }
}

}  // namespace

std::optional<BodyFault> ConvertBody(const wabt::Func& source, const BodyContext& context,
                                     Function& out) {
  return BodyConverter(source, context, out).Run();
}

}  // namespace txvm::frontends::wat
