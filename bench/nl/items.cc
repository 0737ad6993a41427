#include "bench/nl/items.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/printer.h"
#include "frontends/nl/language/text.h"
#include "frontends/nl/numbers/number.h"
#include "isa/support/file.h"
#include "isa/support/lines.h"
#include "neural/questions/contamination.h"
#include "neural/questions/lexicon.h"
#include "neural/questions/sentence_file.h"

namespace txvm::bench::nl {
namespace {

constexpr std::int64_t kMostPower = 1'000;  // of ten, in an expected answer

std::optional<std::int64_t> IntegerOf(std::string_view text) {
  const auto number = frontends::nl::ParseDecimal(text);
  return number ? frontends::nl::ToInt64(*number) : std::nullopt;
}

/// A decimal number, "1.5" or "1e+20", in lowest terms.
std::optional<std::string> DecimalText(std::string_view text) {
  std::int64_t exponent = 0;
  const std::size_t mark = text.find_first_of("eE");
  if (mark != std::string_view::npos) {
    std::string_view power = text.substr(mark + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto read = std::from_chars(power.data(), power.data() + power.size(), exponent);
    const bool is_small = exponent > -kMostPower && exponent < kMostPower;
    if (read.ec != std::errc() || read.ptr != power.data() + power.size() || !is_small) {
      return std::nullopt;
    }
  }
  const auto number = frontends::nl::ParseDecimal(text.substr(0, mark), exponent);
  return number ? std::optional(frontends::nl::ToText(*number)) : std::nullopt;
}

/// A number as JSON has it, or a fraction as text, in lowest terms.
std::optional<std::string> NumberText(const nlohmann::json& value) {
  if (!value.is_string() && !value.is_number()) return std::nullopt;
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return DecimalText(text);
  const auto above = IntegerOf(text.substr(0, slash)), below = IntegerOf(text.substr(slash + 1));
  if (!above || !below || *below <= 0) return std::nullopt;
  const std::int64_t common = std::gcd(*above, *below);
  if (common == *below) return fmt::format("{}", *above / *below);
  return fmt::format("{}/{}", *above / common, *below / common);
}

const nlohmann::json* Find(const nlohmann::json& object, std::span<const char* const> keys) {
  for (const char* key : keys) {
    if (const auto found = object.find(key); found != object.end()) return &*found;
  }
  return nullptr;
}

std::optional<Item> ReadItem(std::string_view line) {
  constexpr std::array kQuestionKeys = {"question", "nl_input", "text"};
  constexpr std::array kAnswerKeys = {"expected_result", "answer", "expected", "result"};
  const auto object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  const nlohmann::json* question = Find(object, kQuestionKeys);
  const nlohmann::json* answer = Find(object, kAnswerKeys);
  if (question == nullptr || !question->is_string() || answer == nullptr) return std::nullopt;
  std::optional<std::string> number = NumberText(*answer);
  if (!number) return std::nullopt;
  return Item{question->get<std::string>(), *std::move(number), {}, 0, 0};
}

bool EndsSentence(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c != '.' && c != '?' && c != '!') return false;
  if (at + 1 < text.size() && text[at + 1] != ' ') return false;
  const std::string_view before = text.substr(0, at);
  return std::ranges::none_of(std::array<std::string_view, 4>{"Mr", "Mrs", "Ms", "Dr"},
                              [before](std::string_view title) { return before.ends_with(title); });
}

std::vector<std::string_view> Sentences(std::string_view text) {
  std::vector<std::string_view> sentences;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!EndsSentence(text, at)) continue;
    sentences.push_back(text.substr(begin, at + 1 - begin));
    begin = std::min(text.size(), at + 2);
  }
  if (begin < text.size()) sentences.push_back(text.substr(begin));
  return sentences;
}

}  // namespace

namespace {

/// The sets of a file, in its order. Errors: as ReadSentenceSets's.
isa::Result<std::vector<ItemSet>> ReadSets(const std::filesystem::path& path) {
  TXVM_TRY(const std::string text, isa::ReadFile(path.string()));
  TXVM_TRY(const auto sections, neural::questions::ParseSentences(
                                    path.string(), text, neural::questions::Numbering::kPlain));
  std::vector<ItemSet> sets;
  for (const neural::questions::SentenceSection& section : sections) {
    ItemSet& set = sets.emplace_back();
    set.name = section.head;
    for (const neural::questions::SentenceLine& line : section.lines) {
      constexpr std::string_view kThen = " | ";
      const std::size_t end = line.text.find(kThen);
      if (end == std::string_view::npos) {
        return isa::Fail(isa::ErrorCode::kSyntax, fmt::format("{}: '{}' is not 'answer | question'",
                                                              path.string(), line.text));
      }
      const std::string_view answer = line.text.substr(0, end);
      set.items.push_back({std::string(line.text.substr(end + kThen.size())),
                           answer == "none" ? "" : std::string(answer),
                           {},
                           0,
                           0});
    }
  }
  return sets;
}

}  // namespace

isa::Result<SentenceSets> ReadSentenceSets(const std::string& folder) {
  const std::filesystem::path from = folder.empty() ? TXVM_NL_SENTENCES : folder;
  SentenceSets sets;
  TXVM_TRY(sets.fixed, ReadSets(from / "fixed.txt"));
  TXVM_TRY(sets.written, ReadSets(from / "written.txt"));
  return sets;
}

isa::Result<ItemSet> ReadItems(const std::string& path) {
  TXVM_TRY(const std::string text, isa::ReadFile(path));
  ItemSet set{std::filesystem::path(path).filename().string(), {}};
  std::size_t line_number = 0;
  for (const std::string_view line : isa::LinesOf(text)) {
    ++line_number;
    if (isa::IsBlankLine(line)) continue;
    std::optional<Item> item = ReadItem(line);
    if (!item) {
      return isa::Fail(isa::ErrorCode::kInvalid,
                       fmt::format("{}: line {} has no question with a number for its answer", path,
                                   line_number));
    }
    set.items.push_back(*std::move(item));
  }
  return set;
}

std::string PrintedProgram(std::string_view canonical) {
  const auto program = frontends::nl::ReadCanonical(
      canonical, std::vector<frontends::nl::Number>(frontends::nl::kMaxSlots));
  TXVM_ASSERT(program);
  return frontends::nl::TokensText(program->tokens);
}

std::vector<Item> DrawItems(const neural::questions::QuestionBank& bank, const Draw& draw) {
  const neural::questions::Generator generator(bank, draw.options);
  std::vector<Item> items;
  for (std::uint64_t i = 0; items.size() < draw.count && i < draw.most_tries; ++i) {
    const neural::questions::Example example = generator.Make(i);
    std::string program = PrintedProgram(example.canonical);
    if (draw.wanted && !draw.wanted(program)) continue;
    items.push_back(
        {example.question, example.answer, std::move(program), example.schema, example.phrasing});
  }
  return items;
}

std::size_t DistinctPhrasings(const neural::questions::Lexicon& lexicon,
                              const std::vector<Item>& items) {
  std::set<std::vector<std::string>> masked;
  for (const Item& item : items) {
    masked.insert(neural::questions::MaskedWords(lexicon, item.question));
  }
  return masked.size();
}

std::size_t DistinctTemplates(const std::vector<Item>& items) {
  std::set<std::pair<int, int>> pairs;
  for (const Item& item : items) pairs.emplace(item.schema, item.phrasing);
  return pairs.size();
}

std::optional<std::string> WithoutQuestion(std::string_view question) {
  const std::vector<std::string_view> sentences = Sentences(question);
  const auto last = std::ranges::find_if(sentences.rbegin(), sentences.rend(),
                                         [](std::string_view s) { return s.ends_with('?'); });
  if (last == sentences.rend()) return std::nullopt;
  std::string rest;
  for (const std::string_view& sentence : sentences) {
    if (&sentence == &*last) continue;
    if (!rest.empty()) rest += " ";
    rest += sentence;
  }
  const auto lexed = frontends::nl::Lex(rest);
  if (!lexed || lexed->numbers.empty()) return std::nullopt;
  return rest;
}

}  // namespace txvm::bench::nl
