// A module that calls itself. Source: WebAssembly core specification 1.0, section 5 (binary
// format).
#include "frontends/foreign/wasm_call.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace txvm::frontends::foreign {
namespace {

constexpr std::size_t kHeaderBytes = 8;  // magic and version
constexpr std::size_t kSectionIds = 13;
enum SectionId : std::uint8_t { kType = 1, kImport = 2, kFunction = 3, kExport = 7, kCode = 10 };
// Order of known sections in a module; data count (12) stands before code.
constexpr std::array<std::uint8_t, 12> kSectionOrder = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11};
constexpr std::uint8_t kFunctionKind = 0, kTableKind = 1, kMemoryKind = 2, kGlobalKind = 3;
constexpr char kFunctionForm = 0x60, kCall = 0x10, kEnd = 0x0B, kLocalGet = 0x20, kLocalSet = 0x21;
constexpr char kI32Const = 0x41, kI64Const = 0x42, kF32Const = 0x43, kF64Const = 0x44;
constexpr char kI32OfF32 = static_cast<char>(0xBC), kI64OfF64 = static_cast<char>(0xBD);

// Reads a section; every read past the end makes it bad.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool good() const { return good_; }
  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  std::uint8_t Byte() { return static_cast<std::uint8_t>(Take(1).empty() ? 0 : last_.front()); }
  std::string_view Take(std::size_t count) {
    good_ = good_ && count <= rest_.size();
    last_ = good_ ? rest_.substr(0, count) : std::string_view();
    rest_.remove_prefix(last_.size());
    return last_;
  }
  std::uint32_t U32() {
    constexpr unsigned kPayloadBits = 7, kLastShift = 28;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift <= kLastShift; shift += kPayloadBits) {
      const std::uint8_t byte = Byte();
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if ((byte & 0x80u) == 0) return static_cast<std::uint32_t>(value);
    }
    good_ = false;
    return 0;
  }
  void SkipLimits() {
    const bool has_maximum = (Byte() & 1) != 0;
    U32();
    if (has_maximum) U32();
  }

 private:
  std::string_view rest_, last_;
  bool good_ = true;
};

void AppendU32(std::string& out, std::uint32_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>((value & 0x7F) | 0x80));
  out.push_back(static_cast<char>(value));
}

void AppendSigned(std::string& out, std::int64_t value) {
  for (;;) {
    const auto low = static_cast<std::uint8_t>(value & 0x7F);
    value >>= 7;
    const bool sign = (low & 0x40) != 0;
    if ((value == 0 && !sign) || (value == -1 && sign)) {
      out.push_back(static_cast<char>(low));
      return;
    }
    out.push_back(static_cast<char>(low | 0x80));
  }
}

void AppendSized(std::string& out, std::string_view bytes) {
  AppendU32(out, static_cast<std::uint32_t>(bytes.size()));
  out += bytes;
}

using Sections = std::array<std::optional<std::string_view>, kSectionIds>;

std::optional<Sections> Split(std::string_view wasm) {
  Sections sections;
  if (wasm.size() < kHeaderBytes) return std::nullopt;
  Reader reader(wasm.substr(kHeaderBytes));
  while (!reader.empty() && reader.good()) {
    const std::uint8_t id = reader.Byte();
    const std::string_view body = reader.Take(reader.U32());
    if (id >= kSectionIds) return std::nullopt;
    if (id != 0) sections[id] = body;
  }
  return reader.good() ? std::optional(sections) : std::nullopt;
}

// What is asked of a section that a module lacks.
std::string_view Section(const Sections& sections, SectionId id) {
  return sections[id].value_or(std::string_view("\0", 1));
}

struct Imports {
  std::vector<std::uint32_t> function_types;
  std::vector<std::string_view> modules;  // of every import
};

// What a module imports, or nullopt for an import of a kind unknown here.
std::optional<Imports> ReadImports(std::string_view section) {
  Reader reader(section);
  Imports imports;
  for (std::uint32_t left = reader.U32(); left != 0 && reader.good(); --left) {
    imports.modules.push_back(reader.Take(reader.U32()));
    reader.Take(reader.U32());
    switch (reader.Byte()) {
      case kFunctionKind:
        imports.function_types.push_back(reader.U32());
        break;
      case kTableKind:
        reader.Byte();
        reader.SkipLimits();
        break;
      case kMemoryKind:
        reader.SkipLimits();
        break;
      case kGlobalKind:
        reader.Take(2);
        break;
      default:
        return std::nullopt;
    }
  }
  return reader.good() ? std::optional(std::move(imports)) : std::nullopt;
}

std::optional<std::uint32_t> FindFunctionExport(std::string_view section, std::string_view name) {
  Reader reader(section);
  for (std::uint32_t left = reader.U32(); left != 0 && reader.good(); --left) {
    const std::string_view found = reader.Take(reader.U32());
    const std::uint8_t kind = reader.Byte();
    const std::uint32_t index = reader.U32();
    if (kind == kFunctionKind && found == name && reader.good()) return index;
  }
  return std::nullopt;
}

// The section with one entry more; `index` is the new entry's.
std::string Append(std::string_view section, std::string_view entry, std::uint32_t& index) {
  Reader reader(section);
  index = reader.U32();
  std::string out;
  AppendU32(out, index + 1);
  out += reader.rest();
  return out + std::string(entry);
}

// Entry `index` of the type section.
std::optional<WasmSignature> TypeAt(std::string_view section, std::uint32_t index) {
  Reader reader(section);
  if (index >= reader.U32()) return std::nullopt;
  for (std::uint32_t i = 0; reader.good(); ++i) {
    if (reader.Byte() != kFunctionForm) return std::nullopt;
    const std::string_view params = reader.Take(reader.U32());
    const std::string_view results = reader.Take(reader.U32());
    if (i == index && reader.good())
      return WasmSignature{std::string(params), std::string(results)};
  }
  return std::nullopt;
}

// The type that the function section gives to its function `index`.
std::optional<std::uint32_t> DefinedType(std::string_view section, std::uint32_t index) {
  Reader reader(section);
  if (index >= reader.U32()) return std::nullopt;
  for (; index != 0 && reader.good(); --index) reader.U32();
  const std::uint32_t type = reader.U32();
  return reader.good() ? std::optional(type) : std::nullopt;
}

// An exported function of a module.
struct Callee {
  std::uint32_t index = 0;
  std::uint32_t imported = 0;  // functions of the module that are
  WasmSignature signature;
};

isa::Result<void> CheckTypes(const WasmSignature& signature) {
  const auto is_known = [](char type) { return TypeOfByte(type).has_value(); };
  if (std::ranges::all_of(signature.params + signature.results, is_known)) return {};
  return isa::Fail(isa::ErrorCode::kUnsupported,
                   "its signature has a type that is none of i32, i64, f32 and f64");
}

isa::Result<Callee> FindCallee(const std::optional<Sections>& sections, std::string_view name) {
  const auto unreadable =
      isa::Fail(isa::ErrorCode::kUnsupported, "cannot read its signature in the module");
  if (!sections) return unreadable;
  const auto imports = ReadImports(Section(*sections, kImport));
  const auto index = FindFunctionExport(Section(*sections, kExport), name);
  if (!imports || !index) return unreadable;
  Callee callee{*index, static_cast<std::uint32_t>(imports->function_types.size()), {}};
  const auto type = *index < callee.imported
                        ? std::optional(imports->function_types[*index])
                        : DefinedType(Section(*sections, kFunction), *index - callee.imported);
  if (!type) return unreadable;
  const auto signature = TypeAt(Section(*sections, kType), *type);
  if (!signature) return unreadable;
  TXVM_CHECK_OK(CheckTypes(*signature));
  callee.signature = *signature;
  return callee;
}

bool IsFloatByte(char type) { return type == kF32Type || type == kF64Type; }

// Floats as integers of as many bits.
std::string BitsOf(std::string results) {
  std::ranges::replace(results, kF32Type, kI32Type);
  std::ranges::replace(results, kF64Type, kI64Type);
  return results;
}

std::string TypeEntry(const std::string& results) {
  std::string entry = {kFunctionForm, 0};
  AppendSized(entry, results);
  return entry;
}

void AppendCall(std::string& body, std::uint32_t function) {
  body.push_back(kCall);
  AppendU32(body, function);
}

void AppendConstant(std::string& body, const isa::Value& value) {
  const auto append_bytes = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      body.push_back(static_cast<char>(value.bits >> (8 * i)));
    }
  };
  switch (value.type) {
    case isa::ValueType::kI32:
      body.push_back(kI32Const);
      return AppendSigned(body, value.AsI32());
    case isa::ValueType::kI64:
      body.push_back(kI64Const);
      return AppendSigned(body, value.AsI64());
    case isa::ValueType::kF32:
      body.push_back(kF32Const);
      return append_bytes(sizeof(float));
    case isa::ValueType::kF64:
      body.push_back(kF64Const);
      return append_bytes(sizeof(double));
    case isa::ValueType::kV128:
      break;  // no such argument: TypeOfByte does not know it
  }
}

// One local for each result, in their order; none where no result is a float.
std::string LocalsEntry(const std::string& results) {
  std::string locals;
  if (std::ranges::none_of(results, IsFloatByte)) return std::string(1, 0);
  AppendU32(locals, static_cast<std::uint32_t>(results.size()));
  for (const char type : results) {
    AppendU32(locals, 1);
    locals.push_back(type);
  }
  return locals;
}

// Makes integers of the floats on the stack, which are results, through the locals.
void AppendBitsOfResults(std::string& body, const std::string& results) {
  if (std::ranges::none_of(results, IsFloatByte)) return;
  for (auto i = static_cast<std::uint32_t>(results.size()); i-- > 0;) {
    body.push_back(kLocalSet);
    AppendU32(body, i);
  }
  for (std::uint32_t i = 0; i < results.size(); ++i) {
    body.push_back(kLocalGet);
    AppendU32(body, i);
    if (results[i] == kF32Type) body.push_back(kI32OfF32);
    if (results[i] == kF64Type) body.push_back(kI64OfF64);
  }
}

// `before`: a function that takes and returns nothing. REQUIRES: `args` are the words of `params`.
std::string CodeEntry(const Callee& callee, std::span<const isa::Word> args,
                      std::optional<std::uint32_t> before) {
  const std::string& results = callee.signature.results;
  std::string body = LocalsEntry(results);
  if (before) AppendCall(body, *before);
  const std::vector<isa::ValueType> types = TypesOfBytes(callee.signature.params);
  for (const isa::Value& value : isa::ValuesOfWords(types, args)) AppendConstant(body, value);
  AppendCall(body, callee.index);
  AppendBitsOfResults(body, results);
  body.push_back(kEnd);
  std::string entry;
  AppendSized(entry, body);
  return entry;
}

}  // namespace

std::optional<isa::ValueType> TypeOfByte(char type) {
  switch (type) {
    case kI32Type:
      return isa::ValueType::kI32;
    case kI64Type:
      return isa::ValueType::kI64;
    case kF32Type:
      return isa::ValueType::kF32;
    case kF64Type:
      return isa::ValueType::kF64;
    default:
      return std::nullopt;
  }
}

std::vector<isa::ValueType> TypesOfBytes(std::string_view types) {
  std::vector<isa::ValueType> known;
  for (const char type : types) known.push_back(TypeOfByte(type).value());
  return known;
}

isa::Result<WasmSignature> SignatureOf(std::string_view wasm, std::string_view name) {
  TXVM_TRY(const Callee callee, FindCallee(Split(wasm), name));
  return callee.signature;
}

bool ImportsFrom(std::string_view wasm, std::string_view module) {
  const std::optional<Sections> sections = Split(wasm);
  if (!sections) return false;
  const std::optional<Imports> imports = ReadImports(Section(*sections, kImport));
  return imports && std::ranges::find(imports->modules, module) != imports->modules.end();
}

isa::Result<std::string> WithCall(std::string_view wasm, std::string_view name,
                                  std::span<const isa::Word> args, std::string_view before) {
  std::optional<Sections> sections = Split(wasm);
  TXVM_TRY(const Callee callee, FindCallee(sections, name));
  if (isa::WordsOf(TypesOfBytes(callee.signature.params)) != args.size()) {
    return isa::Fail(isa::ErrorCode::kUnsupported, "takes another number of words");
  }
  std::optional<std::uint32_t> first;
  if (!before.empty()) {
    TXVM_TRY(const Callee found, FindCallee(sections, before));
    first = found.index;
  }
  std::uint32_t type = 0, function = 0, code = 0;
  const std::string types =
      Append(Section(*sections, kType), TypeEntry(BitsOf(callee.signature.results)), type);
  std::string type_index;
  AppendU32(type_index, type);
  const std::string functions = Append(Section(*sections, kFunction), type_index, function);
  const std::string codes = Append(Section(*sections, kCode), CodeEntry(callee, args, first), code);
  std::string exports(1, 1);  // one export
  AppendSized(exports, kCallName);
  exports.push_back(static_cast<char>(kFunctionKind));
  AppendU32(exports, callee.imported + function);
  (*sections)[kType] = types;
  (*sections)[kFunction] = functions;
  (*sections)[kCode] = codes;
  (*sections)[kExport] = exports;
  std::string out(wasm.substr(0, kHeaderBytes));
  for (const std::uint8_t id : kSectionOrder) {
    if (!(*sections)[id]) continue;
    out.push_back(static_cast<char>(id));
    AppendSized(out, *(*sections)[id]);
  }
  return out;
}

}  // namespace txvm::frontends::foreign
