#include "frontends/wat/script.h"

#include <wabt/cast.h>
#include <wabt/ir.h>
#include <wabt/wast-lexer.h>
#include <wabt/wast-parser.h>

#include <array>
#include <memory>
#include <utility>

#include "frontends/wasm/reader.h"
#include "frontends/wat/large_stack.h"
#include "frontends/wat/reader.h"
#include "frontends/wat/wabt_module.h"

namespace txvm::frontends::wat {
namespace {

using isa::Result;
using wabt::CommandType;

NanPattern PatternOf(wabt::ExpectedNan nan) {
  switch (nan) {
    case wabt::ExpectedNan::None:
      break;
    case wabt::ExpectedNan::Canonical:
      return NanPattern::kCanonical;
    case wabt::ExpectedNan::Arithmetic:
      return NanPattern::kArithmetic;
  }
  return NanPattern::kNone;
}

ScriptValue ConvertVector(const wabt::Const& value) {
  constexpr int kWordBits = 32;
  const std::array<std::uint32_t, 4> words = VectorOf(value);
  ScriptValue out;
  out.type = ValueType::kV128;
  out.bits = std::uint64_t{words[1]} << kWordBits | words[0];
  out.high = std::uint64_t{words[3]} << kWordBits | words[2];
  out.lane_type = ConvertType(value.lane_type());
  for (int i = 0; i < value.lane_count() && i < 4; ++i) {
    out.lane_nans[static_cast<std::size_t>(i)] = PatternOf(value.expected_nan(i));
  }
  return out;
}

ScriptValue ConvertValue(const wabt::Const& value) {
  if (ConvertType(value.type()) == ValueType::kV128) return ConvertVector(value);
  ScriptValue out{.type = ConvertType(value.type()), .bits = BitsOf(value)};
  if (IsReference(out.type) && value.ref_bits() != wabt::Const::kRefNullBits) {
    out.bits = std::uint64_t{value.ref_bits()} + 1;  // null is 0
  }
  out.nan = PatternOf(value.expected_nan());
  return out;
}

ScriptAction ConvertAction(const wabt::Action& action) {
  ScriptAction out;
  if (action.module_var.is_name()) out.module = action.module_var.name();
  out.name = action.name;
  if (const auto* invoke = wabt::dyn_cast<wabt::InvokeAction>(&action)) {
    for (const wabt::Const& value : invoke->args) out.args.push_back(ConvertValue(value));
  } else {
    out.is_get = true;
  }
  return out;
}

/// Converts the commands of one script.
class ScriptConverter {
 public:
  ScriptConverter(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  std::optional<ScriptCommand> Convert(const wabt::Command& command) const;

 private:
  Result<Module> FromText(const wabt::Module& module) const {
    return ConvertModule(module, text_, file_, /*is_text=*/true);
  }
  Result<Module> FromScriptModule(const wabt::ScriptModule& module) const;
  template <typename Command>
  ScriptCommand OfModule(WastKind kind, const wabt::Command& command) const;
  template <typename Command>
  ScriptCommand OfAction(WastKind kind, const wabt::Command& command) const;
  ScriptCommand OfReturn(const wabt::AssertReturnCommand& command) const;

  std::string_view text_, file_;
};

Result<Module> ScriptConverter::FromScriptModule(const wabt::ScriptModule& module) const {
  if (const auto* text = wabt::dyn_cast<wabt::TextScriptModule>(&module)) {
    return FromText(text->module);
  }
  if (const auto* binary = wabt::dyn_cast<wabt::BinaryScriptModule>(&module)) {
    return wasm::ReadModule(binary->data, file_);
  }
  const auto* quoted = wabt::cast<wabt::QuotedScriptModule>(&module);
  return ReadText({reinterpret_cast<const char*>(quoted->data.data()), quoted->data.size()}, file_);
}

template <typename Command>
ScriptCommand ScriptConverter::OfModule(WastKind kind, const wabt::Command& command) const {
  const auto* source = wabt::cast<Command>(&command);
  ScriptCommand out;
  out.kind = kind;
  out.line = static_cast<std::uint32_t>(source->module->location().line);
  out.module = FromScriptModule(*source->module);
  out.text = source->text;
  return out;
}

template <typename Command>
ScriptCommand ScriptConverter::OfAction(WastKind kind, const wabt::Command& command) const {
  const auto* source = wabt::cast<Command>(&command);
  ScriptCommand out;
  out.kind = kind;
  out.line = static_cast<std::uint32_t>(source->action->loc.line);
  out.action = ConvertAction(*source->action);
  if constexpr (requires { source->text; }) out.text = source->text;
  return out;
}

ScriptCommand ScriptConverter::OfReturn(const wabt::AssertReturnCommand& command) const {
  ScriptCommand out = OfAction<wabt::AssertReturnCommand>(WastKind::kAssertReturn, command);
  out.is_choice = command.expected->type() == wabt::ExpectationType::Either;
  for (const wabt::Const& value : command.expected->expected) {
    out.expected.push_back(ConvertValue(value));
  }
  return out;
}

std::optional<ScriptCommand> ScriptConverter::Convert(const wabt::Command& command) const {
  ScriptCommand out;
  switch (command.type) {
    case CommandType::Module: {
      const auto* source = wabt::cast<wabt::ModuleCommand>(&command);
      out.line = static_cast<std::uint32_t>(source->module.loc.line);
      out.name = source->module.name;
      out.module = FromText(source->module);
      return out;
    }
    case CommandType::ScriptModule: {
      const auto* source = wabt::cast<wabt::ScriptModuleCommand>(&command);
      out.line = static_cast<std::uint32_t>(source->script_module->location().line);
      out.name = source->module.name;
      out.module = FromScriptModule(*source->script_module);
      return out;
    }
    case CommandType::Register: {
      const auto* source = wabt::cast<wabt::RegisterCommand>(&command);
      out.is_register = true;
      if (source->var.is_name()) out.name = source->var.name();
      out.text = source->module_name;
      return out;
    }
    case CommandType::Action:
      return OfAction<wabt::ActionCommand>(WastKind::kAction, command);
    case CommandType::AssertReturn:
      return OfReturn(*wabt::cast<wabt::AssertReturnCommand>(&command));
    case CommandType::AssertTrap:
      return OfAction<wabt::AssertTrapCommand>(WastKind::kAssertTrap, command);
    case CommandType::AssertExhaustion:
      return OfAction<wabt::AssertExhaustionCommand>(WastKind::kAssertExhaustion, command);
    case CommandType::AssertException:
      return OfAction<wabt::AssertExceptionCommand>(WastKind::kAssertException, command);
    case CommandType::AssertInvalid:
      return OfModule<wabt::AssertInvalidCommand>(WastKind::kAssertInvalid, command);
    case CommandType::AssertMalformed:
      return OfModule<wabt::AssertMalformedCommand>(WastKind::kAssertMalformed, command);
    case CommandType::AssertUnlinkable:
      return OfModule<wabt::AssertUnlinkableCommand>(WastKind::kAssertUnlinkable, command);
    case CommandType::AssertUninstantiable:
      return OfModule<wabt::AssertUninstantiableCommand>(WastKind::kAssertUninstantiable, command);
  }
  return std::nullopt;
}

Result<std::vector<ScriptCommand>> ReadScriptHere(std::string_view text, std::string_view file) {
  const auto read = [text, file]() -> Result<std::vector<ScriptCommand>> {
    wabt::Errors errors;
    std::unique_ptr<wabt::Script> script;
    const auto lexer = wabt::WastLexer::CreateBufferLexer(file, text.data(), text.size(), &errors);
    wabt::WastParseOptions options{TextFeatures()};
    if (wabt::Failed(wabt::ParseWastScript(lexer.get(), &script, &errors, &options))) {
      return std::unexpected(
          FirstError(isa::ErrorCode::kSyntax, errors, text, file, /*is_text=*/true));
    }
    const ScriptConverter converter(text, file);
    std::vector<ScriptCommand> commands;
    for (const wabt::CommandPtr& command : script->commands) {
      if (auto converted = converter.Convert(*command)) commands.push_back(*std::move(converted));
    }
    return commands;
  };
  TXVM_TRY(const TextRisk risk, GuardText(text, file));
  TXVM_CHECK_OK(TryFirst(risk, text.size(), file, [&read] { (void)read(); }));
  return read();
}

}  // namespace

namespace {

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
  if (expected.type != got.type) return false;
  if (expected.type == ValueType::kV128) return VectorMatches(expected, got);
  if (expected.type == ValueType::kFuncRef && expected.bits != 0) return got.bits != 0;
  if (expected.nan == NanPattern::kNone) return expected.bits == got.bits;
  constexpr std::uint64_t kF32Sign = std::uint64_t{1} << 31, kF64Sign = std::uint64_t{1} << 63;
  constexpr std::uint64_t kF32Quiet = 0x7FC0'0000, kF64Quiet = 0x7FF8'0000'0000'0000;
  const bool is_f32 = expected.type == ValueType::kF32;
  const std::uint64_t quiet = is_f32 ? kF32Quiet : kF64Quiet;
  const std::uint64_t magnitude = got.bits & ~(is_f32 ? kF32Sign : kF64Sign);
  return expected.nan == NanPattern::kCanonical ? magnitude == quiet : (magnitude & quiet) == quiet;
}

Result<std::vector<ScriptCommand>> ReadScript(std::string_view text, std::string_view file) {
  return OnLargeStack([&] { return ReadScriptHere(text, file); });
}

}  // namespace txvm::frontends::wat
