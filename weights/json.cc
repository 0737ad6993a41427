#include "weights/json.h"

#include <fmt/format.h>

#include <charconv>

namespace txvm::weights {
namespace {

using isa::ErrorCode;
using isa::Result;

constexpr unsigned char kFirstPrintable = 0x20;
constexpr int kHex = 16;
constexpr std::size_t kUnicodeDigits = 4;
constexpr unsigned kAsciiEnd = 0x80;

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Result<Json> Parse() {
    TXVM_TRY(Json value, Value(0));
    SkipSpace();
    if (at_ != text_.size()) return Wrong("text after the value");
    return value;
  }

 private:
  std::unexpected<isa::Error> Wrong(std::string_view what) const {
    return isa::Fail(ErrorCode::kCorrupt, fmt::format("JSON byte {}: {}", at_, what));
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

  // value := object | array | string | integer | "true" | "false" | "null"
  Result<Json> Value(int depth) {
    if (depth > kMaxJsonDepth) return Wrong("nested too deeply");
    SkipSpace();
    if (Take("{")) return Members(depth, "}", true);
    if (Take("[")) return Members(depth, "]", false);
    if (text_.substr(at_).starts_with('"')) {
      TXVM_TRY(std::string text, String());
      return Json{Json::Kind::kString, 0, std::move(text), {}, {}};
    }
    if (Take("true")) return Json{Json::Kind::kBool, 1, {}, {}, {}};
    if (Take("false")) return Json{Json::Kind::kBool, 0, {}, {}, {}};
    if (Take("null")) return Json{};
    return Integer();
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

  Result<Json> Integer() {
    Json value;
    value.kind = Json::Kind::kInteger;
    const char* first = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(first, end, value.integer);
    if (error != std::errc()) return Wrong("expected a value");
    at_ += static_cast<std::size_t>(rest - first);
    if (at_ < text_.size() && std::string_view(".eE").contains(text_[at_])) {
      return Wrong("expected an integer");
    }
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
      TXVM_TRY(const char escaped, Escape());
      result += escaped;
    }
    if (!Take("\"")) return Wrong("string without end");
    return result;
  }

  Result<char> Escape() {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kBytes = "\"\\/\b\f\n\r\t";
    if (at_ >= text_.size()) return Wrong("string without end");
    const char name = text_[at_++];
    if (const std::size_t i = kNames.find(name); i != std::string_view::npos) return kBytes[i];
    if (name != 'u' || text_.size() - at_ < kUnicodeDigits) return Wrong("unknown escape");
    unsigned code = 0;
    const char* first = text_.data() + at_;
    const auto [rest, error] = std::from_chars(first, first + kUnicodeDigits, code, kHex);
    if (error != std::errc() || rest != first + kUnicodeDigits || code >= kAsciiEnd) {
      return Wrong("unsupported escape");
    }
    at_ += kUnicodeDigits;
    return static_cast<char>(code);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const Json* Json::Find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

Result<Json> ParseJson(std::string_view text) { return JsonParser(text).Parse(); }

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

}  // namespace txvm::weights
