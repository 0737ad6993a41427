// Everything of a module but its bodies, from WABT's form to txvm's.
#include <fmt/format.h>
#include <wabt/cast.h>
#include <wabt/validator.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "frontends/wasm/helper_table.h"
#include "tests/frontends/wasm/text_error.h"
#include "tests/frontends/wasm/wabt_module.h"
#include "tests/frontends/wasm/wabt_text.h"

namespace txvm::frontends::wat {
namespace {

using isa::Error;
using isa::ErrorCode;
using isa::Result;

std::string PlainName(const std::string& name) {
  return !name.empty() && name.front() == '$' ? name.substr(1) : name;
}

Extent ConvertLimits(const wabt::Limits& limits) {
  Extent extent{limits.initial, std::nullopt};
  if (limits.has_max) extent.maximum = limits.max;
  extent.is_shared = limits.is_shared;
  return extent;
}

std::optional<ConstantStep::Kind> StepOf(wabt::Opcode opcode) {
  switch (static_cast<wabt::Opcode::Enum>(opcode)) {
    case wabt::Opcode::I32Add:
    case wabt::Opcode::I64Add:
      return ConstantStep::Kind::kAdd;
    case wabt::Opcode::I32Sub:
    case wabt::Opcode::I64Sub:
      return ConstantStep::Kind::kSub;
    case wabt::Opcode::I32Mul:
    case wabt::Opcode::I64Mul:
      return ConstantStep::Kind::kMul;
    default:
      return std::nullopt;
  }
}

/// Arithmetic, in postfix order.
ConstantExpr ConvertComputed(const wabt::ExprList& list) {
  ConstantExpr out;
  for (const wabt::Expr& expr : list) {
    if (const auto* value = wabt::dyn_cast<wabt::ConstExpr>(&expr)) {
      out.steps.push_back({ConstantStep::Kind::kPush, BitsOf(value->const_)});
    } else if (const auto* global = wabt::dyn_cast<wabt::GlobalGetExpr>(&expr)) {
      out.steps.push_back({ConstantStep::Kind::kGlobal, global->var.index()});
    } else {
      const auto* binary = wabt::dyn_cast<wabt::BinaryExpr>(&expr);
      const auto step = binary == nullptr ? std::nullopt : StepOf(binary->opcode);
      if (!step) return {};
      out.steps.push_back({*step, 0});
      out.is_wide = ConvertType(binary->opcode.GetResultType()) == ValueType::kI64;
    }
  }
  out.kind = ConstantExpr::Kind::kComputed;
  return out;
}

ConstantExpr ConvertConstant(const wabt::ExprList& list) {
  if (list.empty()) return {};
  if (list.size() != 1) return ConvertComputed(list);
  const wabt::Expr& expr = list.front();
  ConstantExpr out;
  if (const auto* value = wabt::dyn_cast<wabt::ConstExpr>(&expr)) {
    const ValueType type = ConvertType(value->const_.type());
    if (!IsNumber(type)) return {};
    if (type == ValueType::kV128) {
      const std::array<std::uint32_t, 4> words = VectorOf(value->const_);
      out.kind = ConstantExpr::Kind::kVector;
      out.value = words[0];
      out.high = words[1];
      out.upper = {words[2], words[3]};
      return out;
    }
    const auto [low, high] = WordsOf(BitsOf(value->const_));
    out.kind = IsWide(type) ? ConstantExpr::Kind::kPair : ConstantExpr::Kind::kWord;
    out.value = low;
    out.high = high;
  } else if (const auto* global = wabt::dyn_cast<wabt::GlobalGetExpr>(&expr)) {
    out.kind = ConstantExpr::Kind::kGlobal;
    out.value = global->var.index();
  } else if (const auto* function = wabt::dyn_cast<wabt::RefFuncExpr>(&expr)) {
    out.kind = ConstantExpr::Kind::kFunction;
    out.value = function->var.index();
  } else if (wabt::isa<wabt::RefNullExpr>(&expr)) {
    out.kind = ConstantExpr::Kind::kNull;
  }
  return out;
}

std::uint32_t ConvertElement(const wabt::ExprList& list) {
  const ConstantExpr expr = ConvertConstant(list);
  switch (expr.kind) {
    case ConstantExpr::Kind::kFunction:
      return expr.value;
    case ConstantExpr::Kind::kNull:
      return kNullFunction;
    case ConstantExpr::Kind::kGlobal:
      return kGlobalElement + expr.value;
    case ConstantExpr::Kind::kWord:
    case ConstantExpr::Kind::kPair:
    case ConstantExpr::Kind::kVector:
    case ConstantExpr::Kind::kComputed:
    case ConstantExpr::Kind::kUnsupported:
      break;
  }
  return kUnknownFunction;
}

SegmentMode ConvertMode(wabt::SegmentKind kind) {
  switch (kind) {
    case wabt::SegmentKind::Active:
      return SegmentMode::kActive;
    case wabt::SegmentKind::Passive:
      return SegmentMode::kPassive;
    case wabt::SegmentKind::Declared:
      break;
  }
  return SegmentMode::kDeclared;
}

ExportKind ConvertKind(wabt::ExternalKind kind) {
  switch (static_cast<int>(kind)) {
    case static_cast<int>(wabt::ExternalKind::Func):
      return ExportKind::kFunction;
    case static_cast<int>(wabt::ExternalKind::Table):
      return ExportKind::kTable;
    case static_cast<int>(wabt::ExternalKind::Memory):
      return ExportKind::kMemory;
    case static_cast<int>(wabt::ExternalKind::Global):
      return ExportKind::kGlobal;
    default:
      return ExportKind::kTag;
  }
}

/// Copies one module. Its source has been validated, so indices are in range and names resolved.
class Converter {
 public:
  Converter(const wabt::Module& source, std::string_view text, std::string_view file, bool is_text)
      : source_(source), text_(text), file_(file) {
    out_.file = file;
    out_.is_text = is_text;
  }

  Result<Module> Run() &&;

 private:
  std::uint32_t IndexOfHelper(std::string_view name);
  Result<void> Functions();
  Result<void> Locals(const wabt::Func& source, Function& out);
  Result<void> CheckSignatures() const;
  Result<void> CheckOffset(const wabt::ExprList& offset) const;
  void Globals();
  Result<void> CheckMemories() const;
  void Extents();
  Result<void> Segments();
  Result<void> CheckTags() const;
  void Imports();
  void Exports();
  std::unexpected<Error> RefuseAt(ErrorCode code, const wabt::Location& loc,
                                  std::string message) const;
  std::unexpected<Error> Refuse(ErrorCode code, std::string message) const {
    return std::unexpected(Error{code, std::move(message), {out_.file, 0, 0}, {}});
  }

  const wabt::Module& source_;
  std::string_view text_, file_;
  Module out_;
  std::uint64_t locals_ = 0;  // of the functions so far, without parameters
  SignatureTable signatures_{out_.signatures};
  UnsupportedTable unsupported_{out_.unsupported};
  std::optional<HelperTable> helpers_;  // of bulk_helpers.wat, once one is used
};

std::unexpected<Error> Converter::RefuseAt(ErrorCode code, const wabt::Location& loc,
                                           std::string message) const {
  if (out_.is_text) {
    return std::unexpected(
        TextError(code, std::move(message), text_, file_, loc.line, loc.first_column));
  }
  return Refuse(code, fmt::format("{} (at byte {})", message, loc.offset));
}

Result<void> Converter::CheckSignatures() const {
  for (const Signature& signature : out_.signatures) {
    const std::size_t count = std::max(signature.params.size(), signature.results.size());
    if (count <= kMaxValues) continue;
    return Refuse(
        ErrorCode::kLimit,
        fmt::format("a type has {} parameters or results; the limit is {}", count, kMaxValues));
  }
  return {};
}

Result<void> Converter::Locals(const wabt::Func& source, Function& out) {
  std::uint64_t total = source.decl.sig.param_types.size();
  for (const auto& [type, count] : source.local_types.decls()) total += count;
  if (total > kMaxFunctionLocals) {
    return RefuseAt(
        ErrorCode::kLimit, source.loc,
        fmt::format("a function has {} locals; the limit is {}", total, kMaxFunctionLocals));
  }
  locals_ += total - source.decl.sig.param_types.size();
  if (locals_ > kMaxModuleLocals) {
    return RefuseAt(ErrorCode::kLimit, source.loc,
                    fmt::format("the functions up to this one have {} locals; the limit is {}",
                                locals_, kMaxModuleLocals));
  }
  for (const auto& [type, count] : source.local_types.decls()) {
    out.locals.insert(out.locals.end(), count, ConvertType(type));
  }
  return {};
}

std::uint32_t Converter::IndexOfHelper(std::string_view name) {
  if (!helpers_) {
    helpers_.emplace("bulk_helpers", static_cast<std::uint32_t>(source_.funcs.size()));
  }
  return helpers_->IndexOf(name);
}

Result<void> Converter::Functions() {
  const BodyContext context{source_, signatures_, unsupported_,
                            [this](std::string_view name) { return IndexOfHelper(name); },
                            out_.is_text};
  for (std::size_t i = 0; i < source_.funcs.size(); ++i) {
    const wabt::Func& function = *source_.funcs[i];
    Function& out = out_.functions.emplace_back();
    out.name = PlainName(function.name);
    out.signature = signatures_.Intern(function.decl.sig);
    out.place = PlaceOf(function.loc, out_.is_text);
    if (i < source_.num_func_imports) continue;
    TXVM_CHECK_OK(Locals(function, out));
    if (const std::optional<BodyFault> fault = ConvertBody(function, context, out)) {
      return RefuseAt(ErrorCode::kInvalid, fault->loc, fault->message);
    }
  }
  if (!helpers_) return {};
  for (Function& helper : helpers_->Take(out_.signatures)) {
    out_.functions.push_back(std::move(helper));
  }
  return {};
}

void Converter::Globals() {
  for (const wabt::Global* global : source_.globals) {
    out_.globals.push_back({ConvertType(global->type), global->mutable_, std::nullopt,
                            ConvertConstant(global->init_expr)});
  }
}

/// WABT reads 64-bit memories, asked or not; instructions on them would lose half of an address.
Result<void> Converter::CheckMemories() const {
  std::size_t number = 0;
  for (const wabt::ModuleField& field : source_.fields) {
    const wabt::Memory* memory = nullptr;
    if (const auto* own = wabt::dyn_cast<wabt::MemoryModuleField>(&field)) {
      memory = &own->memory;
    } else if (const auto* import = wabt::dyn_cast<wabt::ImportModuleField>(&field)) {
      const auto* imported = wabt::dyn_cast<wabt::MemoryImport>(import->import.get());
      memory = imported == nullptr ? nullptr : &imported->memory;
    }
    if (memory == nullptr) continue;
    if (memory->page_limits.is_64) {
      return RefuseAt(
          ErrorCode::kUnsupported, field.loc,
          fmt::format("memory {} has 64-bit addresses; a program's have 32 bits", number));
    }
    ++number;
  }
  return {};
}

void Converter::Extents() {
  for (const wabt::Table* table : source_.tables) {
    out_.tables.push_back(
        {ConvertType(table->elem_type), ConvertLimits(table->elem_limits), std::nullopt});
  }
  for (const wabt::Memory* memory : source_.memories) {
    out_.memories.push_back({ConvertLimits(memory->page_limits), std::nullopt});
  }
}

/// WABT's validator lets an empty offset of a text module pass.
Result<void> Converter::CheckOffset(const wabt::ExprList& offset) const {
  if (!offset.empty()) return {};
  return Refuse(ErrorCode::kInvalid,
                "type mismatch: the offset of a segment is empty, expected an i32");
}

Result<void> Converter::Segments() {
  for (const wabt::ElemSegment* segment : source_.elem_segments) {
    ElementSegment& out = out_.elements.emplace_back();
    out.mode = ConvertMode(segment->kind);
    if (out.mode == SegmentMode::kActive) {
      TXVM_CHECK_OK(CheckOffset(segment->offset));
      out.table = segment->table_var.index();
      out.offset = ConvertConstant(segment->offset);
    }
    for (const wabt::ExprList& element : segment->elem_exprs) {
      out.functions.push_back(ConvertElement(element));
    }
  }
  for (const wabt::DataSegment* segment : source_.data_segments) {
    DataSegment& out = out_.data.emplace_back();
    out.mode = ConvertMode(segment->kind);
    out.bytes = segment->data;
    if (out.mode != SegmentMode::kActive) continue;
    TXVM_CHECK_OK(CheckOffset(segment->offset));
    out.offset = ConvertConstant(segment->offset);
  }
  return {};
}

/// WABT reads the import of a tag, though it refuses tags everywhere else.
Result<void> Converter::CheckTags() const {
  for (const wabt::ModuleField& field : source_.fields) {
    const auto* item = wabt::dyn_cast<wabt::ImportModuleField>(&field);
    if (item == nullptr || item->import->kind() != wabt::ExternalKind::Tag) continue;
    const ImportName name{item->import->module_name, item->import->field_name};
    return RefuseAt(ErrorCode::kUnsupported, field.loc,
                    fmt::format("tag {} is imported; tags are not supported", ShownName(name)));
  }
  return {};
}

void Converter::Imports() {
  std::size_t functions = 0, tables = 0, memories = 0, globals = 0;
  for (const wabt::Import* import : source_.imports) {
    const ImportName name{import->module_name, import->field_name};
    switch (ConvertKind(import->kind())) {
      case ExportKind::kFunction:
        out_.functions[functions++].import = name;
        break;
      case ExportKind::kTable:
        out_.tables[tables++].import = name;
        break;
      case ExportKind::kMemory:
        out_.memories[memories++].import = name;
        break;
      case ExportKind::kGlobal:
        out_.globals[globals++].import = name;
        break;
      case ExportKind::kTag:
        break;
    }
  }
}

void Converter::Exports() {
  for (const wabt::Export* item : source_.exports) {
    out_.exports.push_back({item->name, ConvertKind(item->kind), item->var.index()});
  }
  if (!source_.starts.empty()) out_.start = source_.starts.front()->index();
}

Result<Module> Converter::Run() && {
  for (const wabt::TypeEntry* entry : source_.types) {
    if (const auto* type = wabt::dyn_cast<wabt::FuncType>(entry)) signatures_.Intern(type->sig);
  }
  TXVM_CHECK_OK(Functions());
  TXVM_CHECK_OK(CheckSignatures());
  Globals();
  TXVM_CHECK_OK(CheckMemories());
  TXVM_CHECK_OK(CheckTags());
  Extents();
  TXVM_CHECK_OK(Segments());
  Imports();
  Exports();
  return std::move(out_);
}

}  // namespace

Result<Module> ConvertModule(const wabt::Module& source, std::string_view text,
                             std::string_view file, bool is_text) {
  wabt::Errors errors;
  if (wabt::Failed(wabt::ValidateModule(&source, &errors, wabt::ValidateOptions(TextFeatures())))) {
    return std::unexpected(FirstError(ErrorCode::kInvalid, errors, text, file, is_text));
  }
  return Converter(source, text, file, is_text).Run();
}

}  // namespace txvm::frontends::wat
