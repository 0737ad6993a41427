#include "frontends/nl/language/runtime.h"

#include <algorithm>
#include <initializer_list>

#include "isa/support/result.h"

namespace txvm::frontends::nl {
namespace {

constexpr std::uint32_t kLebBits = 7;
constexpr std::uint8_t kLebMore = 0x80, kLebSign = 0x40, kLebMask = 0x7f;

enum Section : std::uint8_t {
  kTypes = 1,
  kFunctions = 3,
  kMemories = 5,
  kGlobals = 6,
  kExports = 7,
  kCodes = 10,
  kData = 11,
};

constexpr std::initializer_list<std::uint8_t> kHeader = {0x00, 'a', 's', 'm', 1, 0, 0, 0};

/// Reads a module that the build made: anything unexpected is a bug.
class Cursor {
 public:
  explicit Cursor(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool done() const { return at_ == bytes_.size(); }
  std::size_t at() const { return at_; }
  std::uint8_t Byte() {
    TXVM_ASSERT(at_ < bytes_.size());
    return bytes_[at_++];
  }
  std::uint32_t Unsigned() {
    std::uint32_t value = 0, shift = 0;
    std::uint8_t byte = 0;
    do {
      byte = Byte();
      value |= std::uint32_t{byte} % kLebMore << shift;
      shift += kLebBits;
    } while (byte >= kLebMore);
    return value;
  }
  std::span<const std::uint8_t> Take(std::size_t count) {
    TXVM_ASSERT(count <= bytes_.size() - at_);
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }
  Bytes From(std::size_t begin) const {
    const auto part = bytes_.subspan(begin, at_ - begin);
    return {part.begin(), part.end()};
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

/// Skips what follows an instruction's opcode, calls aside.
void SkipImmediates(WasmOp op, Cursor& cursor) {
  TXVM_ASSERT(op != WasmOp::kBrTable && op != WasmOp::kCallIndirect);
  if (op == WasmOp::kBlock || op == WasmOp::kLoop || op == WasmOp::kIf) cursor.Byte();
  const bool has_index = op == WasmOp::kBr || op == WasmOp::kBrIf || op == WasmOp::kConst ||
                         (op >= WasmOp::kLocalGet && op <= WasmOp::kGlobalSet);
  if (has_index) cursor.Unsigned();
  if (op >= WasmOp::kLoad && op <= WasmOp::kStore32) {
    cursor.Unsigned();
    cursor.Unsigned();
  }
  if (op == WasmOp::kMemorySize || op == WasmOp::kMemoryGrow) cursor.Byte();
}

Code ReadCode(std::span<const std::uint8_t> body) {
  Code code;
  Cursor cursor(body);
  while (!cursor.done()) {
    const std::size_t begin = cursor.at();
    const auto op = static_cast<WasmOp>(cursor.Byte());
    if (op == WasmOp::kCall) {
      PutBytes(code.bytes, cursor.From(begin));
      code.calls.push_back({code.bytes.size(), cursor.Unsigned()});
    } else {
      SkipImmediates(op, cursor);
      PutBytes(code.bytes, cursor.From(begin));
    }
  }
  return code;
}

RuntimeFunction ReadBody(std::span<const std::uint8_t> bytes) {
  RuntimeFunction function;
  Cursor cursor(bytes);
  for (std::uint32_t left = cursor.Unsigned(); left > 0; --left) {
    cursor.Unsigned();
    cursor.Byte();
  }
  function.locals = cursor.From(0);
  function.code = ReadCode(bytes.subspan(cursor.at()));
  return function;
}

std::vector<Bytes> ReadTypes(Cursor cursor) {
  std::vector<Bytes> types;
  for (std::uint32_t left = cursor.Unsigned(); left > 0; --left) {
    const std::size_t begin = cursor.at();
    cursor.Byte();  // 0x60
    cursor.Take(cursor.Unsigned());
    cursor.Take(cursor.Unsigned());
    types.push_back(cursor.From(begin));
  }
  return types;
}

void ReadExports(Cursor cursor, Runtime& out) {
  for (std::uint32_t left = cursor.Unsigned(); left > 0; --left) {
    const auto name = cursor.Take(cursor.Unsigned());
    const std::uint8_t kind = cursor.Byte();
    const std::uint32_t index = cursor.Unsigned();
    if (kind == 0) out.exports.emplace(std::string(name.begin(), name.end()), index);
  }
}

Runtime ReadRuntime(std::span<const std::uint8_t> bytes) {
  Runtime out;
  std::vector<Bytes> types;
  std::vector<std::uint32_t> types_of;
  Cursor module(bytes);
  module.Take(kHeader.size());
  while (!module.done()) {
    const std::uint8_t id = module.Byte();
    const auto content = module.Take(module.Unsigned());
    Cursor cursor(content);
    if (id == kTypes) types = ReadTypes(cursor);
    if (id == kGlobals) {
      out.global_count = cursor.Unsigned();
      const auto entries = content.subspan(cursor.at());
      out.globals = {entries.begin(), entries.end()};
    }
    if (id == kExports) ReadExports(cursor, out);
    if (id == kFunctions) {
      for (std::uint32_t left = cursor.Unsigned(); left > 0; --left) {
        types_of.push_back(cursor.Unsigned());
      }
    }
    if (id == kCodes) {
      for (std::uint32_t left = cursor.Unsigned(); left > 0; --left) {
        out.functions.push_back(ReadBody(cursor.Take(cursor.Unsigned())));
      }
    }
  }
  TXVM_ASSERT(types_of.size() == out.functions.size());
  for (std::size_t i = 0; i < types_of.size(); ++i) out.functions[i].type = types[types_of[i]];
  return out;
}

void PutSection(Bytes& module, Section section, const Bytes& content) {
  module.push_back(section);
  PutSized(module, content);
}

void PutText(Bytes& bytes, std::string_view text) {
  PutSized(bytes, Bytes(text.begin(), text.end()));
}

/// Picks the functions a program needs and numbers them: compute is 0.
class ModuleBuilder {
 public:
  explicit ModuleBuilder(const ModuleParts& parts) : parts_(parts), runtime_(GetRuntime()) {
    Use(parts.compute);
    for (std::size_t i = 0; i < order_.size(); ++i) Use(runtime_.functions[order_[i]].code);
  }

  Bytes Build() const;

 private:
  void Use(const Code& code) {
    for (const CallSite& site : code.calls) {
      const auto next = static_cast<std::uint32_t>(order_.size() + 1);
      if (numbers_.try_emplace(site.callee, next).second) order_.push_back(site.callee);
    }
  }
  Bytes Relocate(const Code& code) const;
  Bytes Body(const Bytes& locals, const Code& code, bool add_end) const;
  void PutTypesAndFunctions(Bytes& module) const;
  void PutMemoryAndExports(Bytes& module) const;
  void PutGlobals(Bytes& module) const;
  void PutCode(Bytes& module) const;

  const ModuleParts& parts_;
  const Runtime& runtime_;
  std::vector<std::uint32_t> order_;                // functions of the runtime
  std::map<std::uint32_t, std::uint32_t> numbers_;  // their indices in the module
};

Bytes ModuleBuilder::Relocate(const Code& code) const {
  Bytes out;
  std::size_t from = 0;
  for (const CallSite& site : code.calls) {
    PutBytes(out, Bytes(code.bytes.begin() + static_cast<std::ptrdiff_t>(from),
                        code.bytes.begin() + static_cast<std::ptrdiff_t>(site.at)));
    PutUnsigned(out, numbers_.at(site.callee));
    from = site.at;
  }
  PutBytes(out, Bytes(code.bytes.begin() + static_cast<std::ptrdiff_t>(from), code.bytes.end()));
  return out;
}

Bytes ModuleBuilder::Body(const Bytes& locals, const Code& code, bool add_end) const {
  Bytes body = locals;
  PutBytes(body, Relocate(code));
  if (add_end) body.push_back(static_cast<std::uint8_t>(WasmOp::kEnd));
  return body;
}

void ModuleBuilder::PutTypesAndFunctions(Bytes& module) const {
  std::vector<Bytes> types = {{0x60, 0, 1, kI32}};
  Bytes functions;
  PutUnsigned(functions, static_cast<std::uint32_t>(order_.size() + 1));
  functions.push_back(0);
  for (const std::uint32_t index : order_) {
    const Bytes& type = runtime_.functions[index].type;
    const auto found = std::ranges::find(types, type);
    PutUnsigned(functions, static_cast<std::uint32_t>(found - types.begin()));
    if (found == types.end()) types.push_back(type);
  }
  Bytes content;
  PutUnsigned(content, static_cast<std::uint32_t>(types.size()));
  for (const Bytes& type : types) PutBytes(content, type);
  PutSection(module, kTypes, content);
  PutSection(module, kFunctions, functions);
}

void ModuleBuilder::PutMemoryAndExports(Bytes& module) const {
  Bytes exports;
  PutUnsigned(exports, 1u + (parts_.has_memory ? 1 : 0) + (parts_.result_at ? 1 : 0));
  PutText(exports, "compute");
  PutBytes(exports, {0, 0});
  if (parts_.has_memory) {
    PutSection(module, kMemories, {1, 1, 1, 1});  // one memory of one page at least and at most
    PutGlobals(module);
    PutText(exports, "memory");
    PutBytes(exports, {2, 0});
  }
  if (parts_.result_at) {
    PutText(exports, "result");
    exports.push_back(3);
    PutUnsigned(exports, runtime_.global_count);  // after the runtime's own
  }
  PutSection(module, kExports, exports);
}

void ModuleBuilder::PutGlobals(Bytes& module) const {
  Bytes content;
  PutUnsigned(content, runtime_.global_count + (parts_.result_at ? 1 : 0));
  PutBytes(content, runtime_.globals);
  if (parts_.result_at) {
    PutBytes(content, {kI32, 0, static_cast<std::uint8_t>(WasmOp::kConst)});  // 0: immutable
    PutSigned(content, static_cast<std::int32_t>(*parts_.result_at));
    content.push_back(static_cast<std::uint8_t>(WasmOp::kEnd));
  }
  PutSection(module, kGlobals, content);
}

void ModuleBuilder::PutCode(Bytes& module) const {
  Bytes content;
  PutUnsigned(content, static_cast<std::uint32_t>(order_.size() + 1));
  Bytes locals;
  locals.push_back(parts_.locals > 0 ? 1 : 0);
  if (parts_.locals > 0) {
    PutUnsigned(locals, parts_.locals);
    locals.push_back(kI32);
  }
  PutSized(content, Body(locals, parts_.compute, true));
  for (const std::uint32_t index : order_) {
    const RuntimeFunction& function = runtime_.functions[index];
    PutSized(content, Body(function.locals, function.code, false));
  }
  PutSection(module, kCodes, content);
}

Bytes ModuleBuilder::Build() const {
  Bytes module = kHeader;
  PutTypesAndFunctions(module);
  PutMemoryAndExports(module);
  PutCode(module);
  if (!parts_.data.empty()) {
    Bytes content = {1, 0, static_cast<std::uint8_t>(WasmOp::kConst)};
    PutSigned(content, static_cast<std::int32_t>(parts_.data_at));
    content.push_back(static_cast<std::uint8_t>(WasmOp::kEnd));
    PutSized(content, parts_.data);
    PutSection(module, kData, content);
  }
  return module;
}

}  // namespace

void PutUnsigned(Bytes& bytes, std::uint32_t value) {
  for (; value >= kLebMore; value >>= kLebBits) {
    bytes.push_back(static_cast<std::uint8_t>(kLebMore | (value & kLebMask)));
  }
  bytes.push_back(static_cast<std::uint8_t>(value));
}

void PutSigned(Bytes& bytes, std::int32_t value) {
  while (value < -std::int32_t{kLebSign} || value >= kLebSign) {
    bytes.push_back(static_cast<std::uint8_t>(kLebMore | (value & kLebMask)));
    value >>= kLebBits;
  }
  bytes.push_back(static_cast<std::uint8_t>(value & kLebMask));
}

void PutBytes(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

void PutSized(Bytes& bytes, const Bytes& more) {
  PutUnsigned(bytes, static_cast<std::uint32_t>(more.size()));
  PutBytes(bytes, more);
}

Code& Code::Call(std::string_view name) {
  const auto found = GetRuntime().exports.find(name);
  TXVM_ASSERT(found != GetRuntime().exports.end());
  Op(WasmOp::kCall);
  calls.push_back({bytes.size(), found->second});
  return *this;
}

const Runtime& GetRuntime() {
  const std::string_view bytes = EmbeddedRuntime("runtime.wasm");
  static const Runtime kRuntime =
      ReadRuntime({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return kRuntime;
}

Bytes BuildModule(const ModuleParts& parts) { return ModuleBuilder(parts).Build(); }

}  // namespace txvm::frontends::nl
