#include "tests/frontends/wasm/wabt_text.h"

#include <fmt/format.h>
#include <wabt/binary-writer.h>
#include <wabt/cast.h>
#include <wabt/stream.h>
#include <wabt/validator.h>
#include <wabt/wast-lexer.h>
#include <wabt/wast-parser.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/frontends/wasm/large_stack.h"
#include "tests/frontends/wasm/probe.h"
#include "tests/frontends/wasm/text_error.h"
#include "tests/frontends/wasm/wabt_guard.h"
#include "tests/frontends/wasm/wabt_module.h"

namespace txvm::frontends::wat {

using isa::Error;
using isa::ErrorCode;
using isa::Result;

Error FirstError(ErrorCode code, const wabt::Errors& errors, std::string_view text,
                 std::string_view file, bool is_text) {
  if (errors.empty()) return TextError(code, "the module is malformed", text, file, 0, 0);
  const wabt::Error& first = errors.front();
  std::string message = first.message;
  while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
  if (!is_text) {
    return TextError(code, fmt::format("{} (at byte {})", message, first.loc.offset), text, file, 0,
                     0);
  }
  return TextError(code, std::move(message), text, file, first.loc.line, first.loc.first_column);
}

wabt::Features TextFeatures() {
  wabt::Features features;
  features.enable_tail_call();
  features.enable_extended_const();
  features.enable_relaxed_simd();
  features.enable_threads();
  return features;
}

ValueType ConvertType(wabt::Type type) {
  switch (static_cast<int>(static_cast<wabt::Type::Enum>(type))) {
    case wabt::Type::I32:
      return ValueType::kI32;
    case wabt::Type::I64:
      return ValueType::kI64;
    case wabt::Type::F32:
      return ValueType::kF32;
    case wabt::Type::F64:
      return ValueType::kF64;
    case wabt::Type::V128:
      return ValueType::kV128;
    case wabt::Type::FuncRef:
      return ValueType::kFuncRef;
    case wabt::Type::ExternRef:
      return ValueType::kExternRef;
    default:
      return ValueType::kOther;
  }
}

std::uint64_t BitsOf(const wabt::Const& value) {
  switch (ConvertType(value.type())) {
    case ValueType::kI32:
      return value.u32();
    case ValueType::kI64:
      return value.u64();
    case ValueType::kF32:
      return value.f32_bits();
    case ValueType::kF64:
      return value.f64_bits();
    case ValueType::kV128:
    case ValueType::kFuncRef:
    case ValueType::kExternRef:
    case ValueType::kExnRef:
    case ValueType::kOther:
      break;
  }
  return 0;
}

std::array<std::uint32_t, 4> VectorOf(const wabt::Const& value) {
  std::array<std::uint32_t, 4> words{};
  for (int i = 0; i < 4; ++i) {
    words[static_cast<std::size_t>(i)] = value.v128_lane<std::uint32_t>(i);
  }
  return words;
}

std::uint32_t PlaceOf(const wabt::Location& loc, bool is_text) {
  return is_text ? static_cast<std::uint32_t>(loc.line) : static_cast<std::uint32_t>(loc.offset);
}

std::uint32_t SignatureTable::Intern(const wabt::FuncSignature& signature) {
  Key key;
  for (const wabt::Type type : signature.param_types) key.first.push_back(ConvertType(type));
  for (const wabt::Type type : signature.result_types) key.second.push_back(ConvertType(type));
  const auto next = static_cast<std::uint32_t>(signatures_.size());
  const auto [found, is_new] = indices_.try_emplace(std::move(key), next);
  if (is_new) signatures_.push_back({found->first.first, found->first.second});
  return found->second;
}

std::uint32_t UnsupportedTable::Intern(std::string_view name) {
  const auto found = indices_.find(name);
  if (found != indices_.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  indices_.emplace(name, index);
  return index;
}

Result<void> TryFirst(TextRisk risk, std::size_t size, std::string_view file,
                      const std::function<void()>& read) {
  if (risk == TextRisk::kNone && size <= kMaxTrustedBytes) return {};
  TXVM_TRY(const ChildEnd end, RunInChild(read));
  switch (end) {
    case ChildEnd::kReturned:
      break;
    case ChildEnd::kDied:
      return std::unexpected(Error{ErrorCode::kSyntax,
                                   "malformed text: the parser gave up near an element segment or "
                                   "a quoted module",
                                   {std::string(file), 0, 0},
                                   {}});
    case ChildEnd::kTooSlow:
      return std::unexpected(
          Error{ErrorCode::kLimit,
                fmt::format("reading the module takes more than {} seconds", kChildSeconds),
                {std::string(file), 0, 0},
                {}});
    case ChildEnd::kKilled:
      return std::unexpected(Error{ErrorCode::kHost,
                                   "the process that tried to read the module was killed (was it "
                                   "short of memory?)",
                                   {std::string(file), 0, 0},
                                   {}});
  }
  return {};
}

namespace {

Result<Module> ReadTextHere(std::string_view text, std::string_view file) {
  const auto read = [text, file]() -> Result<Module> {
    wabt::Errors errors;
    std::unique_ptr<wabt::Module> module;
    const auto lexer = wabt::WastLexer::CreateBufferLexer(file, text.data(), text.size(), &errors);
    wabt::WastParseOptions options{TextFeatures()};
    if (wabt::Failed(wabt::ParseWatModule(lexer.get(), &module, &errors, &options))) {
      return std::unexpected(FirstError(ErrorCode::kSyntax, errors, text, file, /*is_text=*/true));
    }
    return ConvertModule(*module, text, file, /*is_text=*/true);
  };
  TXVM_TRY(const TextRisk risk, GuardText(text, file));
  TXVM_CHECK_OK(TryFirst(risk, text.size(), file, [&read] { (void)read(); }));
  return read();
}

}  // namespace

Result<Module> ReadTextWithWabt(std::string_view text, std::string_view file) {
  return OnLargeStack([&] { return ReadTextHere(text, file); });
}

std::vector<std::uint8_t> EncodeWithWabt(std::string_view text) {
  wabt::Errors errors;
  std::unique_ptr<wabt::Module> module;
  const auto lexer = wabt::WastLexer::CreateBufferLexer("m", text.data(), text.size(), &errors);
  wabt::WastParseOptions options{TextFeatures()};
  if (wabt::Failed(wabt::ParseWatModule(lexer.get(), &module, &errors, &options))) return {};
  wabt::MemoryStream stream;
  if (wabt::Failed(wabt::WriteBinaryModule(&stream, module.get(), wabt::WriteBinaryOptions()))) {
    return {};
  }
  return stream.output_buffer().data;
}

}  // namespace txvm::frontends::wat
