#include "frontends/nl/reader/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace txvm::frontends::nl {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 3> kTextKeys = {"question", "nl_input", "text"};

/// Takes what is wanted out of an object as it is read: a parsed number has lost its spelling.
class LineReader final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  // Called for negative numbers only; of these, -0 has lost its sign.
  bool number_integer(number_integer_t value) override {
    return Number(value == 0 ? "-0" : std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override { return Number(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return Number(text); }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& text) override {
    if (depth_ != 1) return true;
    const auto key = std::ranges::find(kTextKeys, key_);
    if (key != kTextKeys.end()) {
      texts_[static_cast<std::size_t>(key - kTextKeys.begin())] = std::move(text);
    } else if (key_ == "id") {
      item.id = std::move(text);
      item.id_is_number = false;
    }
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) key_ = name;
    return true;
  }
  bool start_object(std::size_t) override { return Enter(); }
  bool end_object() override { return Leave(); }
  bool start_array(std::size_t) override { return Enter(); }
  bool end_array() override { return Leave(); }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    constexpr int kNumberOverflow = 406;  // as nlohmann numbers its errors
    stopped_at = position;
    if (error.id == kNumberOverflow) too_large = token;
    return false;
  }

  /// The question, if one of the keys had a text.
  std::optional<std::string> Question() {
    const auto text =
        std::ranges::find_if(texts_, [](const auto& known) { return known.has_value(); });
    return text == texts_.end() ? std::nullopt : std::move(*text);
  }

  BatchItem item;              // its id
  std::size_t stopped_at = 0;  // the byte, from 1, that is no JSON
  std::string too_large;       // the number that ended it, if that did

 private:
  bool Enter() {
    ++depth_;
    return true;
  }
  bool Leave() {
    --depth_;
    return true;
  }
  bool Number(std::string text) {
    if (depth_ != 1 || key_ != "id") return true;
    item.id = std::move(text);
    item.id_is_number = true;
    return true;
  }

  std::size_t depth_ = 0;
  std::string key_;  // of the outermost object
  std::array<std::optional<std::string>, kTextKeys.size()> texts_;
};

constexpr std::size_t kEscapeDigits = 4, kEscapeBytes = 6;  // of "\u00e9"
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";   // U+FFFD

/// JSON's grammar allows a string half of a surrogate pair, "\ud800", which is no character.
struct LoneSurrogates {
  std::string without;    // the line with \ufffd in the place of each
  std::size_t first = 0;  // the byte, from 1, of the first; 0 where there is none
};

/// The number of the escape "\uXXXX" at `at`; nullopt where there is none.
std::optional<unsigned> UnicodeEscapeAt(std::string_view line, std::size_t at) {
  if (!line.substr(std::min(at, line.size())).starts_with("\\u")) return std::nullopt;
  const std::string_view digits = line.substr(at + 2, kEscapeDigits);
  unsigned number = 0;
  constexpr int kHexadecimal = 16;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, kHexadecimal);
  if (error != std::errc() || end != digits.data() + kEscapeDigits) return std::nullopt;
  return number;
}

LoneSurrogates FindLoneSurrogates(std::string_view line) {
  constexpr unsigned kHigh = 0xD800, kLow = 0xDC00, kPast = 0xE000;
  LoneSurrogates found{std::string(line)};
  // A backslash stands in strings alone, and takes the character after it along.
  for (std::size_t at = line.find('\\'); at < line.size(); at = line.find('\\', at)) {
    const std::optional<unsigned> number = UnicodeEscapeAt(line, at);
    if (!number || *number < kHigh || *number >= kPast) {
      at += 2;
      continue;
    }
    const std::optional<unsigned> next = UnicodeEscapeAt(line, at + kEscapeBytes);
    if (*number < kLow && next && *next >= kLow && *next < kPast) {
      at += 2 * kEscapeBytes;
      continue;
    }
    if (found.first == 0) found.first = at + 1;
    found.without.replace(at, kEscapeBytes, "\\ufffd");
    at += kEscapeBytes;
  }
  return found;
}

/// The digits of a number in a message, cut where they are many.
std::string Shown(std::string_view digits) {
  constexpr std::size_t kMost = 40;
  return digits.size() <= kMost ? std::string(digits)
                                : fmt::format("{}...", digits.substr(0, kMost));
}

}  // namespace

isa::Result<BatchItem> ReadBatchLine(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] != '{') {
    return BatchItem{std::string(line), std::nullopt, false};
  }
  LineReader reader;
  const bool is_read = Json::sax_parse(line, &reader);
  if (!reader.too_large.empty()) {
    return isa::Fail(isa::ErrorCode::kSyntax,
                     fmt::format("the number {} that ends at byte {} of the JSON object is beyond "
                                 "the range of JSON readers, that of a double",
                                 Shown(reader.too_large), reader.stopped_at));
  }
  const LoneSurrogates lone = is_read ? LoneSurrogates() : FindLoneSurrogates(line);
  if (lone.first != 0 && Json::accept(lone.without)) {
    return isa::Fail(isa::ErrorCode::kSyntax,
                     fmt::format("the escape {} at byte {} of the JSON object is half of a "
                                 "surrogate pair, which is no character",
                                 line.substr(lone.first - 1, kEscapeBytes), lone.first));
  }
  if (!is_read) {
    return isa::Fail(isa::ErrorCode::kSyntax,
                     fmt::format("a line that begins with '{{' is a JSON object; this one is none "
                                 "from byte {} on",
                                 reader.stopped_at));
  }
  std::optional<std::string> question = reader.Question();
  if (!question) {
    return isa::Fail(isa::ErrorCode::kSyntax,
                     "the JSON object has no text under question, nl_input or text");
  }
  reader.item.question = *std::move(question);
  return std::move(reader.item);
}

BatchItem UnreadableItem(std::string_view line) {
  const LoneSurrogates lone = FindLoneSurrogates(line);
  LineReader reader;
  BatchItem item;
  const bool is_read = Json::sax_parse(lone.without, &reader);
  if (is_read || !reader.too_large.empty()) item = std::move(reader.item);
  // An id with such an escape would come back as another text.
  if (lone.first != 0 && item.id && item.id->contains(kReplacement)) item.id.reset();
  item.question = line;
  return item;
}

}  // namespace txvm::frontends::nl
