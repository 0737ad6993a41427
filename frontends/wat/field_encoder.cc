#include "frontends/wat/field_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "asm/suggest.h"
#include "isa/support/text.h"

namespace txvm::frontends::wat {
// Names and indices.

/// What a $name is known by.
std::string_view FieldEncoder::KeyOf(const Token& token) {
  if (token.text.size() > 1 && token.text[1] != '"') return token.text.substr(1);
  std::string name, fault;
  if (!NameOf(token.text, name, fault)) {
    in_.Fail(token.at, fault);
    return {};
  }
  return storage_.emplace_back(std::move(name));
}

std::uint32_t FieldEncoder::Index(Space space, std::string_view what) {
  if (!in_.At(TokenKind::kName)) {
    return static_cast<std::uint32_t>(in_.Unsigned(kIndexBits, fmt::format("a {}", what)));
  }
  const Token token = in_.token();
  const std::string_view name = KeyOf(token);
  if (in_.stopped()) return 0;
  in_.Advance();
  if (const auto index = names_[space].Find(name)) return *index;
  in_.Report(token.at, fmt::format("unknown {} {}{}", what, isa::Printable(token.text),
                                   assembler::DidYouMean(name, names_[space].All())));
  return 0;
}

std::optional<std::uint32_t> FieldEncoder::OptionalIndex(Space space, std::string_view what) {
  if (!AtIndex()) return std::nullopt;
  return Index(space, what);
}

void FieldEncoder::AppendSection(Section& to, const Section& from) {
  const auto base = static_cast<std::uint32_t>(to.bytes.size());
  for (const PlaceMark& mark : from.marks) to.marks.push_back({base + mark.byte, mark.at});
  to.bytes.Append(from.bytes.text());
}

// The first walk.

/// The next definition of a space, with its name if one comes next.
void FieldEncoder::Declare(Space space, std::uint32_t at, bool is_import) {
  const std::uint32_t index = counts_[space]++;
  std::string_view name;
  if (in_.At(TokenKind::kName)) {
    const Token token = in_.token();
    name = KeyOf(token);
    if (in_.stopped()) return;
    if (!names_[space].Add(name, index)) {
      constexpr std::array<std::string_view, kSpaceCount> kWhat = {
          "type", "func", "table", "memory", "global", "tag", "elem", "data"};
      in_.Report(token.at,
                 fmt::format("duplicate {} {}", kWhat[space], isa::Printable(token.text)));
    }
    in_.Advance();
  }
  if (space == kFunctionSpace) {
    function_names_.emplace_back(name);
    function_places_.push_back(at);
  }
  if (is_import) CheckImportOrder(at);
}

void FieldEncoder::CheckImportOrder(std::uint32_t at) {
  if (!has_definition_) return;
  in_.Report(at,
             "import after a function, table, memory, global or tag: imports stand before the "
             "definitions");
}

/// A definition that may be an import by an abbreviation, from its name on.
void FieldEncoder::FindInline(Space space, std::uint32_t at) {
  Declare(space, at, /*is_import=*/false);
  while (in_.AtForm("export")) {
    const std::uint32_t open = in_.token().at;
    in_.Advance();
    in_.SkipToClose(open);
  }
  if (in_.AtForm("import")) {
    CheckImportOrder(at);
  } else {
    has_definition_ = true;
    if (space == kTableSpace) return CountInline(kElementSpace, "elem");
    if (space == kMemorySpace) return CountInline(kDataSpace, "data");
  }
}

/// Counts the segments that a table or a memory holds.
void FieldEncoder::CountInline(Space space, std::string_view word) {
  while (!in_.At(TokenKind::kClose) && !in_.stopped()) {
    if (in_.At(TokenKind::kEnd)) return in_.Expected("')'");
    if (!in_.At(TokenKind::kOpen)) {
      in_.Advance();
      continue;
    }
    if (in_.AtForm(word)) ++counts_[space];
    const std::uint32_t open = in_.token().at;
    in_.Advance();
    in_.SkipToClose(open);
  }
}

void FieldEncoder::FindImport() {
  (void)in_.String("the module of an import", true);
  (void)in_.String("the name of an import", true);
  if (!in_.At(TokenKind::kOpen)) return in_.Expected("(func, (table, (memory, (global or (tag");
  const std::uint32_t open = in_.token().at;
  in_.Advance();
  struct Kind {
    std::string_view word;
    Space space;
  };
  constexpr std::array<Kind, 5> kKinds = {{{"func", kFunctionSpace},
                                           {"table", kTableSpace},
                                           {"memory", kMemorySpace},
                                           {"global", kGlobalSpace},
                                           {"tag", kTagSpace}}};
  for (const Kind& kind : kKinds) {
    if (!in_.TakeWord(kind.word)) continue;
    Declare(kind.space, open, /*is_import=*/true);
    return in_.SkipToClose(open);
  }
  in_.Expected("func, table, memory, global or tag");
}

void FieldEncoder::FindField(std::uint32_t at) {
  in_.Advance();
  if (!in_.At(TokenKind::kWord))
    return in_.Expected("the name of a field (func, type, memory, ...)");
  const Token token = in_.token();
  const std::string_view word = token.text;
  in_.Advance();
  const auto add = [&](FieldKind kind) { fields_.push_back({kind, at}); };
  if (word == "func") {
    add(FieldKind::kFunction);
    FindInline(kFunctionSpace, at);
  } else if (word == "type") {
    add(FieldKind::kType);
    Declare(kTypeSpace, at, false);
  } else if (word == "rec") {
    add(FieldKind::kRec);
    while (in_.AtForm("type")) {
      const std::uint32_t open = in_.token().at;
      in_.Advance();
      in_.Advance();
      Declare(kTypeSpace, open, false);
      in_.SkipToClose(open);
    }
  } else if (word == "import") {
    add(FieldKind::kImport);
    FindImport();
  } else if (word == "table") {
    add(FieldKind::kTable);
    FindInline(kTableSpace, at);
  } else if (word == "memory") {
    add(FieldKind::kMemory);
    FindInline(kMemorySpace, at);
  } else if (word == "global") {
    add(FieldKind::kGlobal);
    FindInline(kGlobalSpace, at);
  } else if (word == "tag") {
    add(FieldKind::kTag);
    FindInline(kTagSpace, at);
  } else if (word == "export") {
    add(FieldKind::kExport);
  } else if (word == "start") {
    add(FieldKind::kStart);
    if (has_start_) in_.Report(at, "multiple start sections: a module has one (start");
    has_start_ = true;
  } else if (word == "elem") {
    add(FieldKind::kElement);
    Declare(kElementSpace, at, false);
  } else if (word == "data") {
    add(FieldKind::kData);
    Declare(kDataSpace, at, false);
  } else {
    static const std::vector<std::string_view> kWords = {"func",   "type",   "rec",    "import",
                                                         "table",  "memory", "global", "tag",
                                                         "export", "start",  "elem",   "data"};
    in_.Report(token.at, fmt::format("unexpected token: {} is no field of a module{}",
                                     isa::Printable(word), assembler::DidYouMean(word, kWords)));
  }
  in_.SkipToClose(at);
}

void FieldEncoder::FindFields() {
  in_.lexer().NoteAnnotations(&annotations_);
  in_.Reread();
  while (in_.At(TokenKind::kOpen) && !in_.AtMost()) FindField(in_.token().at);
  in_.lexer().NoteAnnotations(nullptr);
  end_ = in_.token().at;
  if (in_.stopped() || in_.AtMost()) return;
  if (!in_.lexer().ok()) return in_.Fail(0, {});
  if (!in_.At(TokenKind::kClose) && !in_.At(TokenKind::kEnd)) in_.Expected("'(' of a field");
}

// The second walk.

void FieldEncoder::InlineExports(std::uint8_t kind, std::uint32_t index) {
  while (in_.AtForm("export")) {
    Section& section = Entry(kExportSection, in_.token().at);
    in_.Advance();
    in_.Advance();
    section.bytes.Name(in_.String("the name of an export", true));
    section.bytes.Byte(kind);
    section.bytes.Unsigned(index);
    in_.Close("an export");
  }
}

/// Reads the names of an import if one comes next.
bool FieldEncoder::InlineImport(std::uint32_t at) {
  if (!in_.TakeForm("import")) return false;
  Section& section = Entry(kImportSection, at);
  section.bytes.Name(in_.String("the module of an import", true));
  section.bytes.Name(in_.String("the name of an import", true));
  in_.Close("an import");
  return true;
}

namespace {

enum ExternalKind : std::uint8_t { kFunctionKind, kTableKind, kMemoryKind, kGlobalKind, kTagKind };

}  // namespace

/// What an import is, after its names and kind.
void FieldEncoder::ImportType(std::uint8_t kind) {
  ByteWriter& out = Of(kImportSection).bytes;
  out.Byte(kind);
  switch (kind) {
    case kFunctionKind: {
      NameTable names;
      return out.Unsigned(UseType(&names).type);
    }
    case kTableKind:
      return TableType(out);
    case kMemoryKind:
      return MemoryType(out);
    case kGlobalKind:
      return GlobalType(out);
    default: {
      NameTable names;
      out.Byte(0);
      return out.Unsigned(UseType(&names).type);
    }
  }
}

void FieldEncoder::ImportField(std::uint32_t at) {
  Section& section = Entry(kImportSection, at);
  section.bytes.Name(in_.String("the module of an import", true));
  section.bytes.Name(in_.String("the name of an import", true));
  constexpr std::array<std::string_view, 5> kWords = {"func", "table", "memory", "global", "tag"};
  for (std::uint8_t kind = 0; kind < kWords.size(); ++kind) {
    if (!in_.TakeForm(kWords[kind])) continue;
    if (in_.At(TokenKind::kName)) in_.Advance();
    ++next_[kFunctionSpace + kind];
    ImportType(kind);
    return in_.Close("what is imported");
  }
  in_.Expected("(func, (table, (memory, (global or (tag");
}

void FieldEncoder::FunctionField(std::uint32_t at) {
  if (in_.At(TokenKind::kName)) in_.Advance();
  InlineExports(kFunctionKind, next_[kFunctionSpace]++);
  if (InlineImport(at)) return ImportType(kFunctionKind);
  locals_.Clear();
  const TypeUse use = UseType(&locals_);
  Section& section = Entry(kFunctionSection, at);
  section.bytes.Unsigned(use.type);
  body_.bytes.Clear();
  body_.marks.clear();
  Mark(body_, at);
  Locals(body_.bytes, use.params);
  if (!in_.stopped()) Body(at);
}

void FieldEncoder::TableField(std::uint32_t at) {
  if (in_.At(TokenKind::kName)) in_.Advance();
  const std::uint32_t index = next_[kTableSpace]++;
  InlineExports(kTableKind, index);
  if (InlineImport(at)) return ImportType(kTableKind);
  Section& section = Entry(kTableSection, at);
  const bool is_64 = IsAddress64();
  ByteWriter type;
  if (!AtReferenceType()) {
    const Limits limits = ReadLimits(is_64);
    ReferenceType(type);
    if (in_.At(TokenKind::kClose)) {
      section.bytes.Append(type.text());
      return WriteLimits(limits, section.bytes);
    }
    constexpr std::uint8_t kHasInitialiser = 0x40;
    section.bytes.Byte(kHasInitialiser);
    section.bytes.Byte(0);
    section.bytes.Append(type.text());
    WriteLimits(limits, section.bytes);
    Instructions(section, /*is_single=*/false);
    return section.bytes.Byte(kEndCode);
  }
  // (table funcref (elem ...)): as large as its elements.
  ReferenceType(type);
  const std::uint32_t elements_at = in_.token().at;
  if (!in_.TakeForm("elem")) return in_.Expected("(elem");
  ElementList list;
  list.type = type;
  constexpr std::uint8_t kFuncRef = 0x70;
  const bool is_typed = type.size() != 1 || type.bytes().front() != kFuncRef;
  list.has_functions = in_.AtNumber() || in_.At(TokenKind::kName);
  list.has_expressions = in_.At(TokenKind::kOpen) || is_typed;
  ElementItems(list);
  in_.Close("the elements");
  constexpr std::uint8_t kHasMaximum = 1, kIs64 = 4, kI32Const = 0x41, kI64Const = 0x42;
  Limits limits;
  limits.flags = static_cast<std::uint8_t>(kHasMaximum | (is_64 ? kIs64 : 0));
  limits.least = limits.most = list.items.count;
  section.bytes.Append(type.text());
  WriteLimits(limits, section.bytes);
  Section offset;
  Mark(offset, elements_at);
  offset.bytes.Byte(is_64 ? kI64Const : kI32Const);
  offset.bytes.Byte(0);
  offset.bytes.Byte(kEndCode);
  ++next_[kElementSpace];
  WriteElement(elements_at, ElementMode::kActive, index, offset, list);
}

void FieldEncoder::MemoryField(std::uint32_t at) {
  if (in_.At(TokenKind::kName)) in_.Advance();
  const std::uint32_t index = next_[kMemorySpace]++;
  InlineExports(kMemoryKind, index);
  if (InlineImport(at)) return ImportType(kMemoryKind);
  Section& section = Entry(kMemorySection, at);
  // "(memory i64 (data" and "(memory i64 1" begin alike.
  const bool has_type = in_.AtWord("i64") || in_.AtWord("i32");
  const bool is_data = has_type ? in_.Peek().kind == TokenKind::kOpen : in_.At(TokenKind::kOpen);
  if (!is_data) return MemoryType(section.bytes);
  const bool is_64 = IsAddress64();
  Limits limits;
  std::uint64_t page_bytes = 65'536;
  if (in_.TakeForm("pagesize")) {
    constexpr std::uint8_t kPageSize = 8;
    page_bytes = in_.Unsigned(kIndexBits, "the size of a page");
    if (!in_.stopped() && !std::has_single_bit(page_bytes)) {
      return in_.Fail(at, "invalid custom page size: it must be a power of two");
    }
    limits.flags |= kPageSize;
    limits.page_size = static_cast<std::uint64_t>(std::countr_zero(page_bytes));
    in_.Close("the size of a page");
  }
  const std::uint32_t data_at = in_.token().at;
  if (!in_.TakeForm("data")) return in_.Expected("the least size or (data");
  ByteWriter bytes;
  DataStrings(bytes);
  in_.Close("the data");
  if (in_.stopped()) return;
  constexpr std::uint8_t kHasMaximum = 1, kIs64 = 4, kI32Const = 0x41, kI64Const = 0x42;
  limits.flags |= static_cast<std::uint8_t>(kHasMaximum | (is_64 ? kIs64 : 0));
  limits.least = limits.most = (bytes.size() + page_bytes - 1) / page_bytes;
  WriteLimits(limits, section.bytes);
  Section& data = Entry(kDataSection, data_at);
  ++next_[kDataSpace];
  constexpr std::uint8_t kExplicit = 2;
  data.bytes.Byte(index == 0 ? 0 : kExplicit);
  if (index != 0) data.bytes.Unsigned(index);
  data.bytes.Byte(is_64 ? kI64Const : kI32Const);
  data.bytes.Byte(0);
  data.bytes.Byte(kEndCode);
  data.bytes.Name(bytes.text());
}

void FieldEncoder::GlobalField(std::uint32_t at) {
  if (in_.At(TokenKind::kName)) in_.Advance();
  InlineExports(kGlobalKind, next_[kGlobalSpace]++);
  if (InlineImport(at)) return ImportType(kGlobalKind);
  Section& section = Entry(kGlobalSection, at);
  GlobalType(section.bytes);
  if (in_.stopped()) return;
  Instructions(section, /*is_single=*/false);
  Mark(section, in_.token().at);
  section.bytes.Byte(kEndCode);
}

void FieldEncoder::TagField(std::uint32_t at) {
  if (in_.At(TokenKind::kName)) in_.Advance();
  InlineExports(kTagKind, next_[kTagSpace]++);
  if (InlineImport(at)) return ImportType(kTagKind);
  Section& section = Entry(kTagSection, at);
  NameTable names;
  section.bytes.Byte(0);
  section.bytes.Unsigned(UseType(&names).type);
}

void FieldEncoder::ExportField(std::uint32_t at) {
  Section& section = Entry(kExportSection, at);
  section.bytes.Name(in_.String("the name of an export", true));
  constexpr std::array<std::string_view, 5> kWords = {"func", "table", "memory", "global", "tag"};
  constexpr std::array<std::string_view, 5> kWhat = {"function", "table", "memory", "global",
                                                     "tag"};
  for (std::uint8_t kind = 0; kind < kWords.size(); ++kind) {
    if (!in_.TakeForm(kWords[kind])) continue;
    section.bytes.Byte(kind);
    section.bytes.Unsigned(Index(static_cast<Space>(kFunctionSpace + kind), kWhat[kind]));
    return in_.Close("what is exported");
  }
  in_.Expected("(func, (table, (memory, (global or (tag");
}

void FieldEncoder::StartField(std::uint32_t at) {
  Section& section = Entry(kStartSection, at);
  section.bytes.Unsigned(Index(kFunctionSpace, "function"));
}

// Segments.

/// An offset: (offset ...) or one instruction in parentheses.
void FieldEncoder::Offset(Section& out) {
  const std::uint32_t at = in_.token().at;
  if (in_.TakeForm("offset")) {
    Instructions(out, /*is_single=*/false);
    in_.Close("an offset");
  } else {
    Instructions(out, /*is_single=*/true);
  }
  Mark(out, at);
  out.bytes.Byte(kEndCode);
}

/// Elements up to a ')': functions, or expressions if the list has them.
void FieldEncoder::ElementItems(ElementList& list) {
  while (!in_.At(TokenKind::kClose) && !in_.stopped()) {
    ++list.items.count;
    Mark(list.items, in_.token().at);
    if (!list.has_expressions) {
      list.items.bytes.Unsigned(Index(kFunctionSpace, "function"));
      continue;
    }
    if (list.has_functions) {
      constexpr std::uint8_t kRefFunc = 0xD2;
      list.items.bytes.Byte(kRefFunc);
      list.items.bytes.Unsigned(Index(kFunctionSpace, "function"));
    } else if (in_.TakeForm("item")) {
      Instructions(list.items, /*is_single=*/false);
      in_.Close("an element");
    } else {
      Instructions(list.items, /*is_single=*/true);
    }
    list.items.bytes.Byte(kEndCode);
  }
}

void FieldEncoder::WriteElement(std::uint32_t at, ElementMode mode, std::uint32_t table,
                                const Section& offset, const ElementList& list) {
  constexpr std::uint8_t kNotActive = 1, kExplicit = 2, kExpressions = 4, kFuncRef = 0x70;
  if (in_.stopped()) return;
  const bool is_funcref =
      !list.has_expressions || (list.type.size() == 1 && list.type.bytes().front() == kFuncRef);
  std::uint8_t flags = list.has_expressions ? kExpressions : 0;
  const bool has_type = mode != ElementMode::kActive || table != 0 || !is_funcref;
  if (mode != ElementMode::kActive) flags |= kNotActive;
  if (mode == ElementMode::kDeclared || (mode == ElementMode::kActive && has_type)) {
    flags |= kExplicit;
  }
  Section& section = Entry(kElementSection, at);
  section.bytes.Byte(flags);
  if (mode == ElementMode::kActive) {
    if (has_type) section.bytes.Unsigned(table);
    AppendSection(section, offset);
  }
  if (has_type) {
    if (list.has_expressions) {
      section.bytes.Append(list.type.text());
    } else {
      section.bytes.Byte(0);
    }
  }
  section.bytes.Unsigned(list.items.count);
  AppendSection(section, list.items);
}

void FieldEncoder::ElementField(std::uint32_t at) {
  if (in_.At(TokenKind::kName)) in_.Advance();
  ++next_[kElementSpace];
  ElementMode mode = ElementMode::kPassive;
  std::uint32_t table = 0;
  Section offset;
  ElementList list;
  if (in_.TakeWord("declare")) {
    mode = ElementMode::kDeclared;
  } else {
    bool has_table = in_.AtNumber();
    if (in_.TakeForm("table")) {
      has_table = true;
      table = Index(kTableSpace, "table");
      in_.Close("a table use");
    } else if (has_table) {
      table = Index(kTableSpace, "table");  // as the first version wrote it
    }
    if (has_table || (in_.At(TokenKind::kOpen) && !in_.AtForm("ref"))) {
      if (!in_.At(TokenKind::kOpen)) return in_.Expected("an offset");
      mode = ElementMode::kActive;
      Offset(offset);
    }
  }
  if (in_.TakeWord("func")) {
    list.has_expressions = false;
  } else if (AtReferenceType()) {
    ReferenceType(list.type);
    list.has_expressions = true;
  } else if (mode != ElementMode::kActive) {
    return in_.Expected("func or a reference type");
  }
  if (in_.stopped()) return;
  ElementItems(list);
  WriteElement(at, mode, table, offset, list);
}

void FieldEncoder::DataStrings(ByteWriter& out) {
  while (in_.At(TokenKind::kString)) out.Append(in_.String("a string", false));
}

void FieldEncoder::DataField(std::uint32_t at) {
  constexpr std::uint8_t kPassive = 1, kExplicit = 2;
  if (in_.At(TokenKind::kName)) in_.Advance();
  ++next_[kDataSpace];
  std::uint32_t memory = 0;
  bool has_memory = AtIndex();
  if (in_.TakeForm("memory")) {
    has_memory = true;
    memory = Index(kMemorySpace, "memory");
    in_.Close("a memory use");
  } else if (has_memory) {
    memory = Index(kMemorySpace, "memory");  // as the first version wrote it
  }
  Section& section = Entry(kDataSection, at);
  if (has_memory || in_.At(TokenKind::kOpen)) {
    if (!in_.At(TokenKind::kOpen)) return in_.Expected("an offset");
    section.bytes.Byte(memory == 0 ? 0 : kExplicit);
    if (memory != 0) section.bytes.Unsigned(memory);
    Offset(section);
  } else {
    section.bytes.Byte(kPassive);
  }
  ByteWriter bytes;
  DataStrings(bytes);
  section.bytes.Name(bytes.text());
}

void FieldEncoder::EncodeField(const Field& field) {
  in_.Restart(field.at);
  in_.Advance();
  in_.Advance();
  switch (field.kind) {
    case FieldKind::kType: {
      Section& section = Of(kTypeSection);
      Mark(section, field.at);
      ++type_groups_;
      const auto index = static_cast<std::uint32_t>(types_.size());
      if (TypeField(section.bytes) && !in_.stopped()) AddPlainType(index);
      return;
    }
    case FieldKind::kRec:
      Mark(Of(kTypeSection), field.at);
      return RecField();
    case FieldKind::kImport:
      ImportField(field.at);
      break;
    case FieldKind::kFunction:
      FunctionField(field.at);
      break;
    case FieldKind::kTable:
      TableField(field.at);
      break;
    case FieldKind::kMemory:
      MemoryField(field.at);
      break;
    case FieldKind::kGlobal:
      GlobalField(field.at);
      break;
    case FieldKind::kTag:
      TagField(field.at);
      break;
    case FieldKind::kExport:
      ExportField(field.at);
      break;
    case FieldKind::kStart:
      StartField(field.at);
      break;
    case FieldKind::kElement:
      ElementField(field.at);
      break;
    case FieldKind::kData:
      DataField(field.at);
      break;
  }
  in_.Close("a field");
}

// The module.

/// Reads the annotations that are custom sections.
void FieldEncoder::FindCustom() {
  struct Place {
    std::string_view word;
    int rank;  // in the order of the format
  };
  constexpr std::array<Place, 15> kPlaces = {{{"first", 0},
                                              {"type", 1},
                                              {"import", 2},
                                              {"func", 3},
                                              {"table", 4},
                                              {"memory", 5},
                                              {"tag", 6},
                                              {"global", 7},
                                              {"export", 8},
                                              {"start", 9},
                                              {"elem", 10},
                                              {"datacount", 11},
                                              {"code", 11},
                                              {"data", 12},
                                              {"last", 13}}};
  constexpr int kLast = 2 * 13;
  for (const Annotation& annotation : annotations_) {
    TokenReader reader(in_.text().substr(0, end_), annotation.body);
    ByteWriter content;
    content.Name(reader.String("the name of a custom section", true));
    Custom custom;
    custom.rank = kLast;
    const bool is_before = reader.TakeForm("before");
    if (is_before || reader.TakeForm("after")) {
      bool found = false;
      for (const Place& place : kPlaces) {
        if (found || !reader.TakeWord(place.word)) continue;
        found = true;
        custom.rank = 2 * place.rank + (is_before ? 0 : 1);
      }
      if (!found) reader.Expected("a section");
      reader.Close("a place");
    }
    while (reader.At(TokenKind::kString)) content.Append(reader.String("a string", false));
    if (!reader.At(TokenKind::kClose)) reader.Expected("a string or ')'");
    for (const TextFault& fault : reader.faults()) in_.Report(fault.at, fault.message);
    custom.bytes = content.text();
    customs_.push_back(std::move(custom));
  }
  std::ranges::stable_sort(customs_, {}, &Custom::rank);
}

EncodedModule FieldEncoder::Finish() {
  constexpr std::array<std::uint8_t, kSectionCount> kIds = {1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 10, 11};
  constexpr std::uint8_t kDataCountId = 12;
  constexpr std::string_view kHeader("\0asm\1\0\0\0", 8);
  Of(kTypeSection).count = type_groups_;
  std::size_t size = kHeader.size(), mark_count = 0;
  constexpr std::size_t kMostHeader = 16;
  for (const Section& section : sections_) {
    size += section.bytes.size() + kMostHeader;
    mark_count += section.marks.size();
  }
  for (const Custom& custom : customs_) size += custom.bytes.size() + kMostHeader;
  ByteWriter out;
  out.Reserve(size);
  EncodedModule module;
  module.marks.reserve(mark_count);
  out.Append(kHeader);
  std::size_t next_custom = 0;
  const auto write_customs = [&](int below) {
    for (; next_custom < customs_.size() && customs_[next_custom].rank < below; ++next_custom) {
      out.Byte(0);
      out.Name(customs_[next_custom].bytes);
    }
  };
  for (std::uint8_t i = 0; i < kSectionCount; ++i) {
    Section& section = sections_[i];
    write_customs(2 * (i + 1) + 1);
    if (i == kCodeSection && needs_data_count_) {
      ByteWriter count;
      count.Unsigned(Of(kDataSection).count);
      out.Byte(kDataCountId);
      out.Name(count.text());
    }
    if (section.count != 0) {
      ByteWriter count;
      if (i != kStartSection) count.Unsigned(section.count);
      out.Byte(kIds[i]);
      out.Unsigned(count.size() + section.bytes.size());
      out.Append(count.text());
      const auto base = static_cast<std::uint32_t>(out.size());
      out.Append(section.bytes.text());
      for (const PlaceMark& mark : section.marks) {
        module.marks.push_back({base + mark.byte, mark.at});
      }
    }
    section = {};
  }
  write_customs(2 * kSectionCount + 100);
  module.bytes = out.Take();
  module.function_names = std::move(function_names_);
  module.function_places = std::move(function_places_);
  return module;
}

std::expected<EncodedModule, std::vector<TextFault>> FieldEncoder::Run() && {
  FindFields();
  if (!in_.stopped()) {
    const auto is_type = [](const Field& field) {
      return field.kind == FieldKind::kType || field.kind == FieldKind::kRec;
    };
    for (const Field& field : fields_) {
      if (is_type(field) && !in_.AtMost()) EncodeField(field);
    }
    for (const Field& field : fields_) {
      if (!is_type(field) && !in_.AtMost()) EncodeField(field);
    }
    FindCustom();
    if (in_.faults().empty()) in_.Restart(end_);
  }
  if (!in_.faults().empty()) {
    std::vector<TextFault> faults = std::move(in_.faults());
    std::ranges::stable_sort(faults, {}, &TextFault::at);
    return std::unexpected(std::move(faults));
  }
  return Finish();
}

std::expected<EncodedModule, std::vector<TextFault>> EncodeFields(TokenReader& reader) {
  return FieldEncoder(reader).Run();
}

}  // namespace txvm::frontends::wat
