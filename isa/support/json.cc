#include "isa/support/json.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace txvm::isa {
namespace {

constexpr unsigned char kFirstPrintable = 0x20;
constexpr int kHex = 16;
constexpr std::size_t kUnicodeDigits = 4;
constexpr std::uint32_t kHighSurrogate = 0xD800, kLowSurrogate = 0xDC00, kSurrogateEnd = 0xE000;
constexpr std::uint32_t kReplacement = 0xFFFD;
constexpr std::uint32_t kSurrogateBits = 10;
constexpr std::uint32_t kSecondPlane = 0x10000;

// UTF-8 of one code point that is no surrogate.
void AppendUtf8(std::uint32_t code, std::string& text) {
  constexpr std::uint32_t kOneByte = 0x80, kTwoBytes = 0x800, kTail = 0x3F;
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < kOneByte) return add(code);
  if (code < kTwoBytes) {
    add(0xC0 | code >> 6);
  } else {
    if (code < kSecondPlane) {
      add(0xE0 | code >> 12);
    } else {
      add(0xF0 | code >> 18);
      add(0x80 | (code >> 12 & kTail));
    }
    add(0x80 | (code >> 6 & kTail));
  }
  add(0x80 | (code & kTail));
}

class JsonParser {
 public:
  JsonParser(std::string_view text, const JsonOptions& options) : text_(text), options_(options) {}

  Result<Json> Parse() {
    TXVM_TRY(Json value, Value(0));
    SkipSpace();
    if (at_ != text_.size()) return Wrong("text after the value");
    return value;
  }

 private:
  std::unexpected<Error> Wrong(std::string_view what) const {
    return Fail(ErrorCode::kCorrupt, fmt::format("JSON byte {}: {}", at_, what));
  }
  void SkipSpace() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
  }
  bool Take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool TakeAfterSpace(std::string_view token) {
    SkipSpace();
    return Take(token);
  }

  // value := object | array | string | number | "true" | "false" | "null"
  Result<Json> Value(int depth) {
    if (depth > kMaxJsonDepth) return Wrong("nested too deeply");
    if (++values_ > options_.most_values) {
      return Wrong(fmt::format("more than {} values", options_.most_values));
    }
    SkipSpace();
    if (Take("{")) return Members(depth, "}", true);
    if (Take("[")) return Members(depth, "]", false);
    if (text_.substr(at_).starts_with('"')) {
      TXVM_TRY(std::string text, String());
      return Json{Json::Kind::kString, 0, 0, std::move(text), {}, {}};
    }
    if (Take("true")) return Json{Json::Kind::kBool, 1, 0, {}, {}, {}};
    if (Take("false")) return Json{Json::Kind::kBool, 0, 0, {}, {}, {}};
    if (Take("null")) return Json{};
    return Number();
  }

  // object := "{" [string ":" value {"," string ":" value}] "}"    array := the same without keys
  Result<Json> Members(int depth, std::string_view close, bool keyed) {
    Json value;
    value.kind = keyed ? Json::Kind::kObject : Json::Kind::kArray;
    if (TakeAfterSpace(close)) return value;
    do {
      if (keyed) {
        SkipSpace();
        TXVM_TRY(std::string key, String());
        if (!TakeAfterSpace(":")) return Wrong("expected ':'");
        value.keys.push_back(std::move(key));
      }
      TXVM_TRY(Json item, Value(depth + 1));
      value.items.push_back(std::move(item));
    } while (TakeAfterSpace(","));
    if (!TakeAfterSpace(close)) return Wrong(fmt::format("expected ',' or '{}'", close));
    return value;
  }

  Result<Json> Number() {
    Json value;
    value.kind = Json::Kind::kInteger;
    const char* first = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(first, end, value.integer);
    const bool fraction = rest < end && std::string_view(".eE").contains(*rest);
    if (error == std::errc::invalid_argument) return Wrong("expected a value");
    if (options_.fractions && (fraction || error == std::errc::result_out_of_range)) return Real();
    if (error != std::errc()) return Wrong("expected a value");
    at_ += static_cast<std::size_t>(rest - first);
    if (fraction) return Wrong("expected an integer");
    value.real = static_cast<double>(value.integer);
    return value;
  }

  Result<Json> Real() {
    Json value;
    value.kind = Json::Kind::kReal;
    const char* first = text_.data() + at_;
    const auto [rest, error] = std::from_chars(first, text_.data() + text_.size(), value.real);
    if (error != std::errc() || !std::isfinite(value.real)) return Wrong("number beyond a double");
    at_ += static_cast<std::size_t>(rest - first);
    return value;
  }

  // string := '"' {character | escape} '"'
  Result<std::string> String() {
    if (!Take("\"")) return Wrong("expected a string");
    std::string result;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (static_cast<unsigned char>(text_[at_]) < kFirstPrintable) return Wrong("control byte");
      if (text_[at_] != '\\') {
        result += text_[at_++];
        continue;
      }
      ++at_;
      TXVM_TRY(const std::uint32_t escaped, Escape());
      AppendUtf8(escaped, result);
    }
    if (!Take("\"")) return Wrong("string without end");
    return result;
  }

  Result<std::uint32_t> Escape() {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kBytes = "\"\\/\b\f\n\r\t";
    if (at_ >= text_.size()) return Wrong("string without end");
    const char name = text_[at_++];
    if (const std::size_t i = kNames.find(name); i != std::string_view::npos) {
      return static_cast<std::uint32_t>(kBytes[i]);
    }
    if (name != 'u') return Wrong("unknown escape");
    TXVM_TRY(const std::uint32_t code, HexDigits());
    if (code < kHighSurrogate || code >= kSurrogateEnd) return code;
    if (code >= kLowSurrogate || !text_.substr(at_).starts_with("\\u")) return kReplacement;
    const std::size_t after_first = at_;
    at_ += 2;
    TXVM_TRY(const std::uint32_t low, HexDigits());
    if (low < kLowSurrogate || low >= kSurrogateEnd) {
      at_ = after_first;  // a character of its own
      return kReplacement;
    }
    return kSecondPlane + ((code - kHighSurrogate) << kSurrogateBits) + (low - kLowSurrogate);
  }

  Result<std::uint32_t> HexDigits() {
    std::uint32_t code = 0;
    if (text_.size() - at_ < kUnicodeDigits) return Wrong("unknown escape");
    const char* first = text_.data() + at_;
    const auto [rest, error] = std::from_chars(first, first + kUnicodeDigits, code, kHex);
    if (error != std::errc() || rest != first + kUnicodeDigits) return Wrong("unknown escape");
    at_ += kUnicodeDigits;
    return code;
  }

  std::string_view text_;
  JsonOptions options_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
};

}  // namespace

const Json* Json::Find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

bool Json::Flag(std::string_view key, bool fallback) const {
  const Json* member = Find(key);
  return member != nullptr && member->kind == Kind::kBool ? member->integer != 0 : fallback;
}

Result<Json> ParseJson(std::string_view text, const JsonOptions& options) {
  return JsonParser(text, options).Parse();
}

std::string JsonString(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < kFirstPrintable) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace txvm::isa
