#include "frontends/wat/script.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <span>
#include <utility>

#include "frontends/wasm/reader.h"
#include "frontends/wasm/reference_types.h"
#include "frontends/wat/number.h"
#include "frontends/wat/reader.h"
#include "frontends/wat/text_place.h"
#include "frontends/wat/token_reader.h"
#include "isa/support/text.h"

namespace txvm::frontends::wat {
namespace {

using isa::Error;
using isa::ErrorCode;
using isa::Result;

/// Reads the commands of one script.
class ScriptReader {
 public:
  ScriptReader(std::string_view text, std::string_view file)
      : file_(file), lines_(text), in_(text, 0) {}

  Result<std::vector<ScriptCommand>> Run() &&;

 private:
  void Command();
  ScriptCommand& Add(WastKind kind, std::uint32_t at);
  void ModuleCommand(std::uint32_t at);
  Result<Module> ReadModule(std::uint32_t at, std::string& name, bool& is_definition);
  Result<Module> FieldsUpTo(std::uint32_t at, bool is_wrapped);
  void Register(std::uint32_t at);
  void Assertion(WastKind kind, std::uint32_t at);
  void ModuleAssertion(WastKind kind, std::uint32_t at);
  ScriptAction Action();
  ScriptValue Value(bool is_expected);
  void VectorValue(ScriptValue& value, bool is_expected);
  std::uint64_t Integer(int bits);
  std::uint64_t Float(bool is_f32, NanPattern* nan);
  void Expectation(ScriptCommand& command);
  std::string Name();

  std::string file_;
  LineTable lines_;
  TokenReader in_;
  std::vector<ScriptCommand> commands_;
  std::map<std::string, Module, std::less<>> definitions_;
};

ScriptCommand& ScriptReader::Add(WastKind kind, std::uint32_t at) {
  ScriptCommand& command = commands_.emplace_back();
  command.kind = kind;
  command.line = lines_.LineOf(at);
  return command;
}

/// A $name with its '$', if one comes next.
std::string ScriptReader::Name() {
  if (!in_.At(TokenKind::kName)) return {};
  std::string name(in_.token().text);
  in_.Advance();
  return name;
}

// Modules.

/// The fields up to the ')' of the '(' at `at`, or the end; a fault in them is an error of the
/// module, and the script goes on after them.
Result<Module> ScriptReader::FieldsUpTo(std::uint32_t at, bool is_wrapped) {
  auto module = ReadFields(in_, lines_, file_);
  if (module) {
    if (is_wrapped) in_.Close("a module");
    return *std::move(module);
  }
  in_.faults().clear();
  if (is_wrapped) {
    in_.Restart(at);
    in_.Advance();
    in_.SkipToClose(at);
  }
  return std::unexpected(std::move(module.error().front()));
}

/// A module from its '(' on. Its ')' is read too.
Result<Module> ScriptReader::ReadModule(std::uint32_t at, std::string& name, bool& is_definition) {
  in_.Advance();
  in_.Advance();
  is_definition = in_.TakeWord("definition");
  name = Name();
  const bool is_binary = in_.AtWord("binary");
  if (!is_binary && !in_.AtWord("quote")) return FieldsUpTo(at, /*is_wrapped=*/true);
  in_.Advance();
  std::string bytes;
  while (in_.At(TokenKind::kString)) bytes += in_.String("a string", false);
  in_.Close("a module");
  if (in_.stopped()) return isa::Fail(ErrorCode::kSyntax, "the script is malformed");
  if (!is_binary) return ReadQuoted(bytes, file_);
  return wasm::ReadModule(
      std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), file_);
}

void ScriptReader::ModuleCommand(std::uint32_t at) {
  in_.Advance();
  if (in_.Peek().text == "instance") {
    in_.Advance();
    in_.Advance();
    const std::string instance = Name(), definition = Name();
    in_.Close("an instance");
    if (in_.stopped()) return;
    const auto found = definitions_.find(definition);
    ScriptCommand& command = Add(WastKind::kModule, at);
    command.name = instance;
    if (found == definitions_.end()) {
      command.module =
          isa::Fail(ErrorCode::kUnsupported, "instantiates a definition that was not read");
    } else {
      command.module = found->second;
    }
    return;
  }
  in_.Restart(at);
  std::string name;
  bool is_definition = false;
  Result<Module> module = ReadModule(at, name, is_definition);
  if (in_.stopped()) return;
  if (is_definition && module) {
    definitions_.insert_or_assign(name, *module);
    definitions_.insert_or_assign(std::string(), *std::move(module));
    return;
  }
  // The binary format calls some of a later proposal malformed.
  if (!module && module.error().message.find("not supported") != std::string::npos) {
    module.error().code = ErrorCode::kUnsupported;
  }
  ScriptCommand& command = Add(WastKind::kModule, at);
  command.name = std::move(name);
  command.module = std::move(module);
}

void ScriptReader::Register(std::uint32_t at) {
  ScriptCommand& command = Add(WastKind::kModule, at);
  command.is_register = true;
  command.text = in_.String("the name to register", true);
  command.name = Name();
}

// Values.

std::uint64_t ScriptReader::Integer(int bits) {
  if (!in_.At(TokenKind::kWord)) {
    in_.Expected("a number");
    return 0;
  }
  const Number number = ParseInteger(in_.token().text, bits);
  if (number.fault != NumberFault::kNone) {
    in_.Expected(fmt::format("a number of {} bits", bits));
    return 0;
  }
  in_.Advance();
  return number.bits;
}

std::uint64_t ScriptReader::Float(bool is_f32, NanPattern* nan) {
  if (nan != nullptr && in_.TakeWord("nan:canonical")) {
    *nan = NanPattern::kCanonical;
    return 0;
  }
  if (nan != nullptr && in_.TakeWord("nan:arithmetic")) {
    *nan = NanPattern::kArithmetic;
    return 0;
  }
  const Number number = !in_.At(TokenKind::kWord) ? Number{0, NumberFault::kNoNumber}
                        : is_f32                  ? ParseF32(in_.token().text)
                                                  : ParseF64(in_.token().text);
  if (number.fault != NumberFault::kNone) {
    in_.Expected("a float");
    return 0;
  }
  in_.Advance();
  return number.bits;
}

void ScriptReader::VectorValue(ScriptValue& value, bool is_expected) {
  struct Shape {
    std::string_view word;
    int count;
    ValueType type;
  };
  constexpr std::array<Shape, 6> kShapes = {{{"i8x16", 16, ValueType::kI32},
                                             {"i16x8", 8, ValueType::kI32},
                                             {"i32x4", 4, ValueType::kI32},
                                             {"i64x2", 2, ValueType::kI64},
                                             {"f32x4", 4, ValueType::kF32},
                                             {"f64x2", 2, ValueType::kF64}}};
  constexpr int kVectorBits = 128, kLongBits = 64;
  value.type = ValueType::kV128;
  for (const Shape& shape : kShapes) {
    if (!in_.TakeWord(shape.word)) continue;
    const bool is_float = shape.type == ValueType::kF32 || shape.type == ValueType::kF64;
    const int bits = kVectorBits / shape.count;
    value.lane_type = shape.type;
    for (int i = 0; i < shape.count && !in_.stopped(); ++i) {
      NanPattern* nan =
          is_float && is_expected ? &value.lane_nans[static_cast<std::size_t>(i)] : nullptr;
      const std::uint64_t lane =
          is_float ? Float(shape.type == ValueType::kF32, nan) : Integer(bits);
      const int at = i * bits;
      (at < kLongBits ? value.bits : value.high) |= lane << (at % kLongBits);
    }
    return;
  }
  in_.Expected("the shape of a vector");
}

/// A value, whose '(' is the current token.
ScriptValue ScriptReader::Value(bool is_expected) {
  constexpr int kI32Bits = 32, kI64Bits = 64;
  ScriptValue value;
  in_.Advance();
  if (!in_.At(TokenKind::kWord)) {
    in_.Expected("a value");
    return value;
  }
  const std::string word(in_.token().text);
  in_.Advance();
  NanPattern* nan = is_expected ? &value.nan : nullptr;
  if (word == "i32.const") {
    value.bits = Integer(kI32Bits);
  } else if (word == "i64.const") {
    value.type = ValueType::kI64;
    value.bits = Integer(kI64Bits);
  } else if (word == "f32.const") {
    value.type = ValueType::kF32;
    value.bits = Float(true, nan);
  } else if (word == "f64.const") {
    value.type = ValueType::kF64;
    value.bits = Float(false, nan);
  } else if (word == "v128.const") {
    VectorValue(value, is_expected);
  } else if (word == "ref.null") {
    const bool is_extern = in_.AtWord("extern") || in_.AtWord("noextern");
    const bool is_function = in_.AtWord("func") || in_.AtWord("nofunc") || in_.AtNumber() ||
                             !in_.At(TokenKind::kWord);  // a type, or of any type
    value.type = is_function ? ValueType::kFuncRef
                 : is_extern ? ValueType::kExternRef
                             : ValueType::kOther;
    while (in_.At(TokenKind::kWord) || in_.At(TokenKind::kName)) in_.Advance();
  } else if (word == "ref.func" || word == "ref.extern") {
    value.type = word == "ref.func" ? ValueType::kFuncRef : ValueType::kExternRef;
    value.bits = kAnyReference;
    if (in_.At(TokenKind::kWord)) value.bits = Integer(kI32Bits) + 1;
    if (in_.At(TokenKind::kName)) in_.Advance();
  } else if (word.starts_with("ref.")) {
    value.type = ValueType::kOther;
    while (in_.At(TokenKind::kWord) || in_.At(TokenKind::kName)) in_.Advance();
  } else {
    in_.Fail(in_.token().at, fmt::format("unexpected token: {} is no value", isa::Printable(word)));
  }
  in_.Close("a value");
  return value;
}

// Actions and assertions.

/// An action, whose '(' is the current token.
ScriptAction ScriptReader::Action() {
  ScriptAction action;
  action.is_get = in_.AtForm("get");
  if (!action.is_get && !in_.AtForm("invoke")) {
    in_.Expected("(invoke or (get");
    return action;
  }
  in_.Advance();
  in_.Advance();
  action.module = Name();
  action.name = in_.String("the name of an export", true);
  while (in_.At(TokenKind::kOpen) && !action.is_get) action.args.push_back(Value(false));
  in_.Close("an action");
  return action;
}

void ScriptReader::Expectation(ScriptCommand& command) {
  while (in_.At(TokenKind::kOpen)) {
    if (!in_.TakeForm("either")) {
      command.expected.push_back(Value(true));
      continue;
    }
    command.is_choice = true;
    while (in_.At(TokenKind::kOpen)) command.expected.push_back(Value(true));
    in_.Close("a choice");
  }
}

/// Scripts of 2.0 expect that some modules are refused which 3.0 allows: then 2.0 has to refuse
/// them, for the reason that the script gives.
void JudgeAsVersion2(std::string_view source, ScriptCommand& command) {
  const auto bytes = EncodeText(source, {});
  if (!bytes) return;
  auto module = wasm::ReadModule(*bytes, {}, {.is_version_2 = true});
  if (module || !module.error().message.starts_with(command.text)) return;
  command.module = std::unexpected(std::move(module).error());
}

void ScriptReader::ModuleAssertion(WastKind kind, std::uint32_t at) {
  const std::uint32_t module_at = in_.token().at;
  if (!in_.AtForm("module")) return in_.Expected("(module");
  std::string name;
  bool is_definition = false;
  Result<Module> module = ReadModule(module_at, name, is_definition);
  if (in_.stopped()) return;
  ScriptCommand& command = Add(kind, at);
  command.line = lines_.LineOf(module_at);
  command.module = std::move(module);
  const std::string_view source = in_.text().substr(module_at, in_.token().at - module_at);
  command.text = in_.String("the text of an error", false);
  const bool is_refused = kind == WastKind::kAssertInvalid || kind == WastKind::kAssertMalformed;
  if (is_refused && command.module->has_value()) JudgeAsVersion2(source, command);
}

void ScriptReader::Assertion(WastKind kind, std::uint32_t at) {
  if (kind == WastKind::kAssertTrap && in_.AtForm("module")) {
    return ModuleAssertion(WastKind::kAssertUninstantiable, at);
  }
  const std::uint32_t action_at = in_.token().at;
  ScriptAction action = Action();
  if (in_.stopped()) return;
  ScriptCommand& command = Add(kind, at);
  command.line = lines_.LineOf(action_at);
  command.action = std::move(action);
  if (kind == WastKind::kAssertReturn) {
    Expectation(command);
  } else if (in_.At(TokenKind::kString)) {
    command.text = in_.String("the text of a trap", false);
  }
}

void ScriptReader::Command() {
  const std::uint32_t at = in_.token().at;
  if (in_.AtForm("module")) return ModuleCommand(at);
  if (in_.AtForm("invoke") || in_.AtForm("get")) {
    ScriptAction action = Action();
    if (in_.stopped()) return;
    Add(WastKind::kAction, at).action = std::move(action);
    return;
  }
  if (!in_.At(TokenKind::kOpen) || in_.Peek().kind != TokenKind::kWord) {
    return in_.Expected("'(' of a command");
  }
  struct Kind {
    std::string_view word;
    WastKind kind;
    bool has_module;
  };
  constexpr std::array<Kind, 9> kKinds = {
      {{"assert_return", WastKind::kAssertReturn, false},
       {"assert_trap", WastKind::kAssertTrap, false},
       {"assert_exhaustion", WastKind::kAssertExhaustion, false},
       {"assert_exception", WastKind::kAssertException, false},
       {"assert_invalid", WastKind::kAssertInvalid, true},
       {"assert_malformed", WastKind::kAssertMalformed, true},
       {"assert_unlinkable", WastKind::kAssertUnlinkable, true},
       {"assert_malformed_custom", WastKind::kAssertMalformed, true},
       {"assert_invalid_custom", WastKind::kAssertInvalid, true}}};
  for (const Kind& kind : kKinds) {
    if (!in_.TakeForm(kind.word)) continue;
    if (kind.has_module) {
      ModuleAssertion(kind.kind, at);
      if (!in_.stopped() && kind.word.ends_with("_custom")) {
        commands_.back().module =
            isa::Fail(ErrorCode::kUnsupported, "a custom section that is not read");
      }
    } else {
      Assertion(kind.kind, at);
    }
    return in_.Close("an assertion");
  }
  if (in_.TakeForm("register")) {
    Register(at);
    return in_.Close("a registration");
  }
  // A script may be the fields of one module.
  ScriptCommand& command = Add(WastKind::kModule, at);
  command.module = FieldsUpTo(at, /*is_wrapped=*/false);
  if (!command.module->has_value()) {
    in_.Fail(at, fmt::format("unexpected token: no command and no module: {}",
                             command.module->error().message));
  }
}

Result<std::vector<ScriptCommand>> ScriptReader::Run() && {
  while (!in_.stopped() && !in_.At(TokenKind::kEnd)) Command();
  if (!in_.stopped() && !in_.lexer().ok()) in_.Fail(0, {});
  if (!in_.faults().empty()) {
    return std::unexpected(std::move(ErrorsOf(in_.faults(), in_.text(), file_).front()));
  }
  return std::move(commands_);
}

/// Whether each lane of a v128 is what its pattern asks for, or has the same bits.
bool VectorMatches(const ScriptValue& expected, const ScriptValue& got) {
  constexpr unsigned kLongBits = 64;
  const bool is_f32 = expected.lane_type == ValueType::kF32;
  const unsigned bits = is_f32 ? kLongBits / 2 : kLongBits;
  for (unsigned lane = 0; lane < 2 * kLongBits / bits; ++lane) {
    const auto part = [&](const ScriptValue& value) {
      const std::uint64_t half = lane * bits < kLongBits ? value.bits : value.high;
      return half >> (lane * bits % kLongBits) & (~std::uint64_t{0} >> (kLongBits - bits));
    };
    const ValueType type = is_f32 ? ValueType::kF32 : ValueType::kF64;
    const ScriptValue wanted{.type = type, .bits = part(expected), .nan = expected.lane_nans[lane]};
    if (!Matches(wanted, {.type = type, .bits = part(got)})) return false;
  }
  return true;
}

}  // namespace

bool Matches(const ScriptValue& expected, const ScriptValue& got) {
  if (IsReference(expected.type) && IsReference(got.type)) {
    if (expected.bits == 0) return got.bits == 0;
    const bool is_function = IsFunctionHeap(HeapOf(got.type));
    if (is_function != (expected.type == ValueType::kFuncRef)) return false;
    return is_function || expected.bits == kAnyReference ? got.bits != 0
                                                         : got.bits == expected.bits;
  }
  if (expected.type != got.type) return false;
  if (expected.type == ValueType::kV128) return VectorMatches(expected, got);
  if (expected.nan == NanPattern::kNone) return expected.bits == got.bits;
  constexpr std::uint64_t kF32Sign = std::uint64_t{1} << 31, kF64Sign = std::uint64_t{1} << 63;
  constexpr std::uint64_t kF32Quiet = 0x7FC0'0000, kF64Quiet = 0x7FF8'0000'0000'0000;
  const bool is_f32 = expected.type == ValueType::kF32;
  const std::uint64_t quiet = is_f32 ? kF32Quiet : kF64Quiet;
  const std::uint64_t magnitude = got.bits & ~(is_f32 ? kF32Sign : kF64Sign);
  return expected.nan == NanPattern::kCanonical ? magnitude == quiet : (magnitude & quiet) == quiet;
}

Result<std::vector<ScriptCommand>> ReadScript(std::string_view text, std::string_view file) {
  TXVM_CHECK_OK(CheckText(text, file));
  return ScriptReader(text, file).Run();
}

}  // namespace txvm::frontends::wat
