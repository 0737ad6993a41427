// Types of a text: value types, type definitions, type uses, limits.
// Declared in frontends/wat/field_encoder.h.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <utility>

#include "frontends/wat/field_encoder.h"
#include "isa/support/text.h"

namespace txvm::frontends::wat {
namespace {

struct TypeWord {
  std::string_view word;
  std::uint8_t code;
};

constexpr std::array<TypeWord, 5> kNumberTypes = {
    {{"i32", 0x7F}, {"i64", 0x7E}, {"f32", 0x7D}, {"f64", 0x7C}, {"v128", 0x7B}}};
constexpr std::array<TypeWord, 12> kReferenceTypes = {{{"funcref", 0x70},
                                                       {"externref", 0x6F},
                                                       {"anyref", 0x6E},
                                                       {"eqref", 0x6D},
                                                       {"i31ref", 0x6C},
                                                       {"structref", 0x6B},
                                                       {"arrayref", 0x6A},
                                                       {"exnref", 0x69},
                                                       {"nullfuncref", 0x73},
                                                       {"nullexternref", 0x72},
                                                       {"nullref", 0x71},
                                                       {"nullexnref", 0x74}}};
constexpr std::array<TypeWord, 12> kHeapTypes = {{{"func", 0x70},
                                                  {"extern", 0x6F},
                                                  {"any", 0x6E},
                                                  {"eq", 0x6D},
                                                  {"i31", 0x6C},
                                                  {"struct", 0x6B},
                                                  {"array", 0x6A},
                                                  {"exn", 0x69},
                                                  {"nofunc", 0x73},
                                                  {"noextern", 0x72},
                                                  {"none", 0x71},
                                                  {"noexn", 0x74}}};
constexpr std::uint8_t kNullable = 0x63, kNonNull = 0x64;
constexpr std::uint8_t kFunctionForm = 0x60, kStructForm = 0x5F, kArrayForm = 0x5E;
constexpr std::uint8_t kSubForm = 0x50, kFinalForm = 0x4F, kRecForm = 0x4E;

template <std::size_t kSize>
std::uint8_t CodeOf(const std::array<TypeWord, kSize>& words, std::string_view word) {
  for (const TypeWord& entry : words) {
    if (entry.word == word) return entry.code;
  }
  return 0;
}

}  // namespace

bool FieldEncoder::IsShortReference(std::string_view word) {
  return CodeOf(kReferenceTypes, word) != 0;
}

bool FieldEncoder::AtReferenceType() {
  if (in_.At(TokenKind::kWord)) return IsShortReference(in_.token().text);
  return in_.AtForm("ref");
}

void FieldEncoder::HeapType(ByteWriter& out) {
  if (in_.At(TokenKind::kWord)) {
    if (const std::uint8_t code = CodeOf(kHeapTypes, in_.token().text); code != 0) {
      out.Byte(code);
      return in_.Advance();
    }
  }
  if (!AtIndex()) return in_.Expected("a heap type (func, extern, any, ... or a type)");
  out.Signed(Index(kTypeSpace, "type"));
}

/// Reads a reference type: whether it may be null, and its heap type into `heap`.
bool FieldEncoder::ReferenceParts(ByteWriter& heap) {
  if (in_.At(TokenKind::kWord)) {
    if (const std::uint8_t code = CodeOf(kReferenceTypes, in_.token().text); code != 0) {
      heap.Byte(code);
      in_.Advance();
      return true;
    }
  }
  if (!in_.TakeForm("ref")) {
    in_.Expected(in_.At(TokenKind::kWord) && in_.token().text == "anyfunc"
                     ? "a reference type, funcref as anyfunc is called today"
                     : "a reference type");
    return false;
  }
  const bool is_nullable = in_.TakeWord("null");
  HeapType(heap);
  in_.Close("a reference type");
  return is_nullable;
}

void FieldEncoder::ReferenceType(ByteWriter& out) {
  ByteWriter heap;
  const bool is_nullable = ReferenceParts(heap);
  if (in_.stopped()) return;
  constexpr std::uint8_t kFirstAbstract = 0x69, kLastAbstract = 0x74;
  const std::uint8_t first = heap.bytes().front();
  const bool is_abstract = heap.size() == 1 && first >= kFirstAbstract && first <= kLastAbstract;
  if (!is_nullable) out.Byte(kNonNull);
  if (is_nullable && !is_abstract) out.Byte(kNullable);
  out.Append(heap.text());
}

/// Reads a value type if one comes next.
bool FieldEncoder::ValueTypeInto(ByteWriter& out) {
  if (in_.At(TokenKind::kWord)) {
    std::uint8_t code = CodeOf(kNumberTypes, in_.token().text);
    if (code == 0) code = CodeOf(kReferenceTypes, in_.token().text);
    if (code == 0) return false;
    out.Byte(code);
    in_.Advance();
    return true;
  }
  if (!in_.AtForm("ref")) return false;
  ReferenceType(out);
  return !in_.stopped();
}

void FieldEncoder::Params(TypeList& params, NameTable* names) {
  params.bytes.Clear();
  params.count = 0;
  while (in_.TakeForm("param")) {
    if (names != nullptr && in_.At(TokenKind::kName)) {
      const Token token = in_.token();
      const std::string_view name = KeyOf(token);
      if (!in_.stopped() && !names->Add(name, params.count)) {
        in_.Report(token.at, fmt::format("duplicate local {}", isa::Printable(token.text)));
      }
      in_.Advance();
      if (!ValueTypeInto(params.bytes)) return in_.Expected("a value type");
      ++params.count;
    } else {
      while (ValueTypeInto(params.bytes)) ++params.count;
      if (!in_.At(TokenKind::kClose)) return in_.Expected("a value type or ')'");
    }
    in_.Close("the parameters");
  }
}

void FieldEncoder::Results(TypeList& results) {
  results.bytes.Clear();
  results.count = 0;
  while (in_.TakeForm("result")) {
    while (ValueTypeInto(results.bytes)) ++results.count;
    if (!in_.At(TokenKind::kClose)) return in_.Expected("a value type or ')'");
    in_.Close("the results");
  }
}

/// The index of a function type: one of the text's, or a new one after all of them.
std::uint32_t FieldEncoder::TypeOfSignature(const TypeList& params, const TypeList& results) {
  ByteWriter key;
  key.Unsigned(params.count);
  key.Append(params.bytes.text());
  key.Unsigned(results.count);
  key.Append(results.bytes.text());
  key_.assign(key.text());
  const auto found = plain_types_.find(key_);
  if (found != plain_types_.end()) return found->second;
  Section& section = Of(kTypeSection);
  Mark(section, use_at_);
  section.bytes.Byte(kFunctionForm);
  section.bytes.Append(key.text());
  ++type_groups_;
  const auto index = static_cast<std::uint32_t>(types_.size());
  types_.push_back({true, key_, params.count, {}});
  plain_types_.emplace(key_, index);
  return index;
}

FieldEncoder::TypeUse FieldEncoder::UseType(NameTable* names) {
  std::optional<std::uint32_t> type;
  const std::uint32_t at = use_at_ = in_.token().at;
  if (in_.TakeForm("type")) {
    type = Index(kTypeSpace, "type");
    in_.Close("a type use");
  }
  Params(params_, names);
  Results(results_);
  const bool has_inline = params_.count + results_.count != 0;
  if (in_.stopped()) return {};
  if (!type) return {TypeOfSignature(params_, results_), params_.count};
  if (*type >= types_.size()) {
    if (has_inline)
      in_.Report(at, fmt::format("unknown type {}: the text has {}", *type, types_.size()));
    return {*type, 0};
  }
  const TypeInfo& info = types_[*type];
  if (has_inline) {
    ByteWriter key;
    key.Unsigned(params_.count);
    key.Append(params_.bytes.text());
    key.Unsigned(results_.count);
    key.Append(results_.bytes.text());
    if (!info.is_function || key.text() != info.signature) {
      in_.Report(at, fmt::format("inline function type: the parameters and results are not those "
                                 "of type {}",
                                 *type));
    }
  }
  return {*type, info.params};
}

void FieldEncoder::BlockType(ByteWriter& out) {
  constexpr std::uint8_t kEmpty = 0x40;
  use_at_ = in_.token().at;
  if (in_.AtForm("type")) return out.Signed(UseType(nullptr).type);
  Params(params_, nullptr);
  Results(results_);
  if (in_.stopped()) return;
  if (params_.count == 0 && results_.count == 0) return out.Byte(kEmpty);
  if (params_.count == 0 && results_.count == 1) return out.Append(results_.bytes.text());
  out.Signed(TypeOfSignature(params_, results_));
}

// Definitions.

void FieldEncoder::FieldType(ByteWriter& out) {
  constexpr std::uint8_t kI8 = 0x78, kI16 = 0x77;
  const bool is_mutable = in_.TakeForm("mut");
  if (in_.TakeWord("i8")) {
    out.Byte(kI8);
  } else if (in_.TakeWord("i16")) {
    out.Byte(kI16);
  } else if (!ValueTypeInto(out)) {
    return in_.Expected("the type of a field");
  }
  if (is_mutable) in_.Close("a mutable field");
  out.Byte(is_mutable ? 1 : 0);
}

void FieldEncoder::CompositeType(TypeInfo& info, ByteWriter& out) {
  if (in_.TakeForm("func")) {
    NameTable names;
    Params(params_, &names);
    Results(results_);
    ByteWriter key;
    key.Unsigned(params_.count);
    key.Append(params_.bytes.text());
    key.Unsigned(results_.count);
    key.Append(results_.bytes.text());
    out.Byte(kFunctionForm);
    out.Append(key.text());
    info.is_function = true;
    info.params = params_.count;
    info.signature = key.text();
  } else if (in_.TakeForm("struct")) {
    ByteWriter fields;
    std::uint32_t count = 0;
    while (in_.TakeForm("field")) {
      if (in_.At(TokenKind::kName)) {
        const Token token = in_.token();
        const std::string_view name = KeyOf(token);
        if (!in_.stopped() && !info.fields.Add(name, count)) {
          in_.Report(token.at, fmt::format("duplicate field {}", isa::Printable(token.text)));
        }
        in_.Advance();
        FieldType(fields);
        ++count;
      } else {
        while (!in_.At(TokenKind::kClose) && !in_.stopped()) {
          FieldType(fields);
          ++count;
        }
      }
      in_.Close("a field");
    }
    out.Byte(kStructForm);
    out.Unsigned(count);
    out.Append(fields.text());
  } else if (in_.TakeForm("array")) {
    out.Byte(kArrayForm);
    FieldType(out);
  } else {
    return in_.Expected("(func, (struct or (array");
  }
  in_.Close("a type");
}

/// Whether it is final and has no supertype.
bool FieldEncoder::SubType(TypeInfo& info, ByteWriter& out) {
  if (!in_.TakeForm("sub")) {
    CompositeType(info, out);
    return true;
  }
  const bool is_final = in_.TakeWord("final");
  ByteWriter supers;
  std::uint32_t count = 0;
  while (AtIndex()) {
    supers.Unsigned(Index(kTypeSpace, "type"));
    ++count;
  }
  const bool is_plain = is_final && count == 0;
  if (!is_plain) {
    out.Byte(is_final ? kFinalForm : kSubForm);
    out.Unsigned(count);
    out.Append(supers.text());
  }
  CompositeType(info, out);
  in_.Close("a subtype");
  return is_plain;
}

/// A definition after "(type"; whether it is final and has no supertype.
bool FieldEncoder::TypeField(ByteWriter& out) {
  if (in_.At(TokenKind::kName)) in_.Advance();
  TypeInfo& info = types_.emplace_back();
  const bool is_plain = SubType(info, out);
  in_.Close("a type");
  return is_plain;
}

void FieldEncoder::AddPlainType(std::uint32_t index) {
  if (types_[index].is_function) plain_types_.try_emplace(types_[index].signature, index);
}

void FieldEncoder::RecField() {
  ByteWriter group;
  std::uint32_t count = 0;
  bool is_plain = false;
  while (in_.TakeForm("type")) {
    is_plain = TypeField(group);
    ++count;
  }
  in_.Close("a recursive group");
  Section& section = Of(kTypeSection);
  ++type_groups_;
  if (count != 1) {
    section.bytes.Byte(kRecForm);
    section.bytes.Unsigned(count);
  } else if (is_plain && !in_.stopped()) {
    AddPlainType(static_cast<std::uint32_t>(types_.size() - 1));
  }
  section.bytes.Append(group.text());
}

// Limits.

bool FieldEncoder::IsAddress64() {
  if (in_.TakeWord("i64")) return true;
  (void)in_.TakeWord("i32");
  return false;
}

FieldEncoder::Limits FieldEncoder::ReadLimits(bool is_64) {
  constexpr std::uint8_t kHasMaximum = 1, kIs64 = 4;
  Limits limits;
  if (is_64) limits.flags |= kIs64;
  limits.least = in_.Unsigned(kLongBits, "the least size");
  if (in_.AtNumber()) {
    limits.most = in_.Unsigned(kLongBits, "the greatest size");
    limits.flags |= kHasMaximum;
  }
  return limits;
}

void FieldEncoder::WriteLimits(const Limits& limits, ByteWriter& out) {
  out.Byte(limits.flags);
  out.Unsigned(limits.least);
  if ((limits.flags & 1) != 0) out.Unsigned(limits.most);
  if (limits.page_size) out.Unsigned(*limits.page_size);
}

void FieldEncoder::MemoryType(ByteWriter& out) {
  constexpr std::uint8_t kShared = 2, kPageSize = 8;
  Limits limits = ReadLimits(IsAddress64());
  if (in_.TakeWord("shared")) limits.flags |= kShared;
  if (in_.TakeForm("pagesize")) {
    const std::uint32_t at = in_.token().at;
    const std::uint64_t size = in_.Unsigned(kIndexBits, "the size of a page");
    if (!in_.stopped() && !std::has_single_bit(size)) {
      return in_.Fail(at, "invalid custom page size: it must be a power of two");
    }
    limits.flags |= kPageSize;
    limits.page_size = static_cast<std::uint64_t>(std::countr_zero(size));
    in_.Close("the size of a page");
  }
  WriteLimits(limits, out);
}

void FieldEncoder::TableType(ByteWriter& out) {
  const Limits limits = ReadLimits(IsAddress64());
  ByteWriter type;
  ReferenceType(type);
  out.Append(type.text());
  WriteLimits(limits, out);
}

void FieldEncoder::GlobalType(ByteWriter& out) {
  const bool is_mutable = in_.TakeForm("mut");
  if (!ValueTypeInto(out)) return in_.Expected("the type of a global");
  if (is_mutable) in_.Close("a mutable type");
  out.Byte(is_mutable ? 1 : 0);
}

}  // namespace txvm::frontends::wat
