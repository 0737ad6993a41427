// The sections of a module with segments and code.
// Declared in frontends/wasm/module_reader.h.
#include <fmt/format.h>

#include <utility>

#include "frontends/wasm/constant.h"
#include "frontends/wasm/jumps.h"
#include "frontends/wasm/module_reader.h"
#include "frontends/wasm/reference_types.h"

namespace txvm::frontends::wasm {

using isa::ErrorCode;
using wat::ValueTypeText;

void ModuleReader::Elements(Cursor& section) {
  constexpr std::size_t kElementBytes = 2;
  const std::uint32_t count = Entries(section, "the number of element segments", kElementBytes);
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) Element(section);
}

void ModuleReader::Element(Cursor& section) {
  constexpr std::uint32_t kPassive = 1, kExplicit = 2, kExpressions = 4, kFlags = 7;
  const std::size_t at = section.offset();
  const std::uint32_t flags = section.U32("the flags of an element segment");
  if (flags > kFlags) {
    return section.Fail(ErrorCode::kSyntax,
                        fmt::format("malformed elements segment kind {}", flags), at);
  }
  const bool is_active = (flags & kPassive) == 0;
  const bool has_expressions = (flags & kExpressions) != 0;
  wat::ElementSegment segment;
  if (!is_active) {
    segment.mode =
        (flags & kExplicit) != 0 ? wat::SegmentMode::kDeclared : wat::SegmentMode::kPassive;
  }
  if (is_active) {
    if ((flags & kExplicit) != 0) segment.table = section.U32("a table index");
    if (!CheckIndex(section, "table", segment.table, module_.tables.size(), at)) return;
    const bool is_64 = module_.tables[segment.table].extent.is_64;
    segment.offset =
        ReadConstant(section, module_, declarations_, is_64 ? ValueType::kI64 : ValueType::kI32)
            .expr;
  }
  // Indices of functions are references that are not null; expressions may be null.
  ValueType type = wat::ReferenceTo(wat::Heap::kFunc, has_expressions);
  if ((flags & (kPassive | kExplicit)) != 0) {
    const std::size_t kind_at = section.offset();
    if (has_expressions) {
      type = ReadReferenceType(section, declarations_);
    } else if (const std::uint8_t kind = section.Byte("the kind of elements"); kind != 0) {
      return section.Fail(ErrorCode::kSyntax, fmt::format("malformed element kind {}", kind),
                          kind_at);
    }
  }
  if (!section.ok()) return;
  if (is_active && !IsSubtype(module_, type, module_.tables[segment.table].type)) {
    return section.Fail(ErrorCode::kInvalid,
                        fmt::format("type mismatch: an element segment of {} for table {} of {}",
                                    ValueTypeText(type), segment.table,
                                    ValueTypeText(module_.tables[segment.table].type)),
                        at);
  }
  ElementItems(section, type, has_expressions, segment.functions);
  declarations_.elements.push_back(type);
  module_.elements.push_back(std::move(segment));
}

void ModuleReader::ElementItems(Cursor& section, ValueType type, bool has_expressions,
                                std::vector<std::uint32_t>& items) {
  constexpr std::size_t kExpressionBytes = 2;
  const std::uint32_t count =
      section.Count("the number of elements", has_expressions ? kExpressionBytes : 1);
  items.reserve(count);
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) {
    if (has_expressions) {
      const Constant item = ReadConstant(section, module_, declarations_, type);
      items.push_back(item.expr.kind == wat::ConstantExpr::Kind::kGlobal
                          ? wat::kGlobalElement + item.expr.value
                          : item.function);
      continue;
    }
    const std::size_t at = section.offset();
    const std::uint32_t index = section.U32("a function index");
    if (!CheckIndex(section, "function", index, module_.functions.size(), at)) return;
    declarations_.referable[index] = true;
    items.push_back(index);
  }
}

void ModuleReader::DataCount(Cursor& section) {
  const std::size_t at = section.offset();
  const std::uint32_t count = section.U32("the number of data segments");
  if (count > options_.max_entries) {
    return section.Fail(ErrorCode::kLimit,
                        fmt::format("the number of data segments is {}; the limit is {}", count,
                                    options_.max_entries),
                        at);
  }
  declarations_.data_count = count;
}

void ModuleReader::Data(Cursor& section) {
  constexpr std::size_t kDataBytes = 2;
  const std::size_t at = section.offset();
  const std::uint32_t count = Entries(section, "the number of data segments", kDataBytes);
  if (section.ok() && declarations_.data_count.value_or(count) != count) {
    return section.Fail(
        ErrorCode::kSyntax,
        fmt::format("data count and data section have inconsistent lengths: {} and {} segments",
                    *declarations_.data_count, count),
        at);
  }
  for (std::uint32_t i = 0; i < count && section.ok(); ++i) DataSegment(section);
  data_count_ = count;
}

void ModuleReader::DataSegment(Cursor& section) {
  constexpr std::uint32_t kPassive = 1, kExplicit = 2;
  const std::size_t at = section.offset();
  const std::uint32_t flags = section.U32("the flags of a data segment");
  if (flags > kExplicit) {
    return section.Fail(ErrorCode::kSyntax, fmt::format("malformed data segment kind {}", flags),
                        at);
  }
  wat::DataSegment segment;
  if (flags != kPassive) {
    const std::uint32_t memory = flags == kExplicit ? section.U32("a memory index") : 0;
    if (!CheckIndex(section, "memory", memory, module_.memories.size(), at)) return;
    const bool is_64 = module_.memories[memory].extent.is_64;
    segment.memory = memory;
    segment.offset =
        ReadConstant(section, module_, declarations_, is_64 ? ValueType::kI64 : ValueType::kI32)
            .expr;
  }
  const std::uint32_t size = section.U32("the size of a data segment");
  const std::span<const std::uint8_t> bytes = section.Bytes(size, "a data segment");
  if (!section.ok()) return;
  if (flags == kPassive) segment.mode = wat::SegmentMode::kPassive;
  segment.bytes.assign(bytes.begin(), bytes.end());
  module_.data.push_back(std::move(segment));
}

void ModuleReader::Code(Cursor& section) {
  constexpr std::size_t kBodyBytes = 3;
  const std::size_t at = section.offset();
  const std::size_t declared = module_.functions.size() - imported_functions_;
  const std::uint32_t count = Entries(section, "the number of function bodies", kBodyBytes);
  if (!section.ok()) return;
  if (count != declared) {
    return section.Fail(
        ErrorCode::kSyntax,
        fmt::format("function and code section have inconsistent lengths: {} functions, {} bodies",
                    declared, count),
        at);
  }
  BodyReader reader(
      module_, declarations_, signatures_,
      [this](std::string_view name) { return IndexOfHelper(name); }, options_, MaxTypeValues());
  if (!keeps_bodies_) facts_.emplace(wat::MayThrowJumps(module_));
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t index = imported_functions_ + i;
    wat::Function& function = module_.functions[index];
    in_function_ = index;
    const std::uint32_t size = section.U32("the size of a function body");
    Cursor body = section.Take(size, "a function body");
    function.place = static_cast<std::uint32_t>(body.offset());
    if (section.ok() && keeps_bodies_) reader.Read(body, function);
    if (section.ok() && !keeps_bodies_) {
      reader.Pass(body, function, [this, index](std::span<const wat::Instr> instrs) {
        facts_->Add(index, instrs);
      });
      body_bytes_.push_back(size);
    }
    if (!section.ok()) return;
  }
  in_function_.reset();
  bodies_ = count;
}

}  // namespace txvm::frontends::wasm
