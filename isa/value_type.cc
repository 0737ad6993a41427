#include "isa/value_type.h"

#include <cmath>

#include "isa/support/result.h"

namespace txvm::isa {
namespace {

struct TypeInfo {
  ValueType type;
  std::string_view text;
  std::uint32_t words;
  char letter;
};

constexpr TypeInfo kTypes[] = {
#define TXVM_VALUE_TYPE(code, Name, text, words, letter) {ValueType::k##Name, text, words, letter},
#include "isa/value_types.def"
#undef TXVM_VALUE_TYPE
};

// FACTS  the codes of the rows are 0, 1, ...: a type is the index of its row.
constexpr bool CodesAreIndices() {
  for (std::uint32_t i = 0; i < kValueTypeCount; ++i) {
    if (static_cast<std::uint32_t>(kTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(CodesAreIndices());

const TypeInfo& Info(ValueType type) { return kTypes[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view TypeText(ValueType type) { return Info(type).text; }

char TypeLetter(ValueType type) { return Info(type).letter; }

std::optional<ValueType> FindType(std::string_view text) {
  for (const TypeInfo& info : kTypes) {
    if (info.text == text) return info.type;
  }
  return std::nullopt;
}

std::optional<ValueType> FindTypeOfLetter(char letter) {
  for (const TypeInfo& info : kTypes) {
    if (info.letter == letter) return info.type;
  }
  return std::nullopt;
}

std::optional<ValueType> FindTypeOfCode(std::uint32_t code) {
  if (code >= kValueTypeCount) return std::nullopt;
  return kTypes[code].type;
}

std::uint32_t WordsOf(ValueType type) { return Info(type).words; }

std::uint64_t WordsOf(std::span<const ValueType> types) {
  std::uint64_t words = 0;
  for (const ValueType type : types) words += WordsOf(type);
  return words;
}

bool Value::IsNan() const {
  if (type == ValueType::kF32) return std::isnan(AsF32());
  return type == ValueType::kF64 && std::isnan(AsF64());
}

bool SameResult(const Value& a, const Value& b) {
  return a == b || (a.type == b.type && a.IsNan() && b.IsNan());
}

void AppendWords(const Value& value, std::vector<Word>& words) {
  const std::array<std::uint32_t, 4> all = value.AsV128();
  words.insert(words.end(), all.begin(), all.begin() + WordsOf(value.type));
}

std::vector<Word> WordsOfValues(std::span<const Value> values) {
  std::vector<Word> words;
  words.reserve(2 * values.size());
  for (const Value& value : values) AppendWords(value, words);
  return words;
}

std::vector<Value> ValuesOfWords(std::span<const ValueType> types, std::span<const Word> words) {
  TXVM_ASSERT(WordsOf(types) == words.size());
  std::vector<Value> values;
  values.reserve(types.size());
  std::size_t at = 0;
  for (const ValueType type : types) {
    std::array<std::uint32_t, 4> all{};
    for (std::uint32_t i = 0; i < WordsOf(type); ++i) all[i] = words[at++];
    values.push_back(Value::V128(all));
    values.back().type = type;
  }
  return values;
}

std::vector<ValueType> KnownTypes(std::span<const ValueType> types, std::uint32_t words) {
  if (types.empty()) return std::vector<ValueType>(words, ValueType::kI32);
  return {types.begin(), types.end()};
}

}  // namespace txvm::isa
