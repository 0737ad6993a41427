#include "frontends/cli/run/call_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/support/number.h"
#include "isa/support/text.h"
#include "isa/value_text.h"
#include "vm/state.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;  // of the integers, in a double

isa::Result<std::vector<isa::Word>> ParseUntyped(const std::vector<std::string>& texts) {
  std::vector<isa::Word> words;
  for (const std::string& text : texts) {
    TXVM_TRY(const isa::Word word, isa::ParseWord(words.size() + 1, text));
    words.push_back(word);
  }
  return words;
}

}  // namespace

isa::Result<std::vector<isa::Word>> ParseArguments(const isa::Export* function,
                                                   const std::vector<std::string>& texts) {
  if (function == nullptr || !isa::IsTyped(*function)) return ParseUntyped(texts);
  const std::vector<isa::ValueType>& types = function->param_types;
  const std::string signature = isa::SignatureText(*function);
  std::vector<isa::Word> words;
  for (std::size_t i = 0; i < std::min(types.size(), texts.size()); ++i) {
    isa::Result<isa::Value> value = isa::ParseValue(i + 1, types[i], texts[i]);
    if (!value) {
      value.error().message += ": " + signature;
      return std::unexpected(std::move(value).error());
    }
    isa::AppendWords(*value, words);
  }
  if (texts.size() == types.size()) return words;
  return isa::Fail(isa::ErrorCode::kUsage,
                   isa::CountMismatch(fmt::format("function '{}'", isa::Printable(function->name)),
                                      "takes", "argument", types.size(), texts.size()) +
                       ": " + signature);
}

std::vector<isa::ValueType> ResultTypesOf(const isa::Export* entry) {
  return entry == nullptr ? std::vector<isa::ValueType>() : entry->result_types;
}

std::vector<isa::ValueType> ResultTypesOf(const vm::Machine& machine) {
  const isa::Program& program = machine.program();
  const vm::State& state = machine.state();
  const std::uint32_t outermost = state.depth == 0 ? state.ip : state.frames[1].return_ip - 1;
  const isa::Function* stub = program.FunctionAt(outermost);
  if (stub == nullptr) return {};
  const auto found = std::ranges::find(program.exports, stub->first, &isa::Export::start);
  return found == program.exports.end() ? std::vector<isa::ValueType>() : found->result_types;
}

std::vector<isa::Value> ResultValues(std::span<const isa::ValueType> types,
                                     std::span<const isa::Word> words) {
  if (isa::WordsOf(types) == words.size()) return isa::ValuesOfWords(types, words);
  const std::vector<isa::ValueType> untyped(words.size(), isa::ValueType::kI32);
  return isa::ValuesOfWords(untyped, words);
}

std::string ValuesText(std::span<const isa::Value> values) {
  std::string text;
  for (const isa::Value& value : values) {
    if (!text.empty()) text += ' ';
    text += isa::ValueText(value);
  }
  return text;
}

void WriteValue(const isa::Value& value, isa::JsonWriter& json) {
  const std::string text = isa::ValueText(value);
  if (value.type == isa::ValueType::kV128) {
    json.String(text);
    return;
  }
  if (!isa::IsFloat(value.type)) {
    const std::int64_t number = value.AsI64();
    const bool fits =
        value.type == isa::ValueType::kI32 || (number >= -kLargestExact && number <= kLargestExact);
    fits ? json.Number(std::string_view(text)) : json.String(text);
    return;
  }
  const double number = value.type == isa::ValueType::kF32 ? value.AsF32() : value.AsF64();
  if (!std::isfinite(number)) {
    json.String(text);
  } else if (number == 0 && std::signbit(number)) {
    json.Number(std::string_view("-0.0"));  // "-0" is an integer to some readers, which has no sign
  } else {
    json.Number(std::string_view(isa::ValueText(isa::Value::F64(number))));
  }
}

void WriteValues(std::span<const isa::Value> values, isa::JsonWriter& json) {
  json.BeginArray();
  for (const isa::Value& value : values) WriteValue(value, json);
  json.EndArray();
}

void WriteTypes(std::span<const isa::Value> values, isa::JsonWriter& json) {
  json.BeginArray();
  for (const isa::Value& value : values) json.String(isa::TypeText(value.type));
  json.EndArray();
}

}  // namespace txvm::frontends::cli
