#include "neural/triton/tasm/released_hint.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace txvm::triton {
namespace {

constexpr std::size_t kMostNested = 200;

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) {
  return (c >= 'a' && c <= 'z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool IsTypeLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Reader {
 public:
  Reader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  HintEnd Run() {
    if (!Name() || !Type() || !Place()) return {at_, error_};
    return {at_, {}};
  }

 private:
  bool Fail(std::string_view what) {
    if (error_.empty()) error_ = what;
    return false;
  }
  bool Peek(std::string_view token) const { return text_.substr(at_).starts_with(token); }
  bool Take(std::string_view token) {
    if (!Peek(token)) return false;
    at_ += token.size();
    return true;
  }
  template <class Accepts>
  std::size_t TakeWhile(const Accepts& accepts) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && accepts(text_[at_])) ++at_;
    return at_ - begin;
  }
  void Blanks() { TakeWhile(IsBlank); }
  void Gap() { at_ = SkipReleasedGap(text_, at_); }

  bool Name() {
    if (TakeWhile(IsLower) == 0) return Fail("a hint needs the name of a variable, in lower case");
    TakeWhile([](char c) { return IsLower(c) || IsDigit(c); });
    Blanks();
    return true;
  }

  bool Type() {
    if (!Take(":")) return true;
    Gap();
    if (!OneType(0)) return Fail("a hint's type is malformed");
    Blanks();
    return true;
  }

  // Without arguments nothing that follows the word is taken.
  bool OneType(std::size_t depth) {
    if (depth > kMostNested) return false;
    TakeWhile([](char c) { return c == '*'; });
    if (TakeWhile(IsTypeLetter) == 0) return false;
    TakeWhile([](char c) { return IsTypeLetter(c) || IsDigit(c); });
    const std::size_t word = at_;
    Gap();
    if (!Take("<")) {
      at_ = word;
      return true;
    }
    return Arguments(depth);
  }

  bool Arguments(std::size_t depth) {
    const std::size_t first = at_;
    Gap();
    if (at_ != first && Take(">")) return true;  // "<>" without a blank is refused
    for (;;) {
      if (!OneType(depth + 1)) return false;
      Gap();
      if (Take(">")) return true;
      if (!Take(",")) return false;
      Gap();
      if (Take(">")) return true;
    }
  }

  std::optional<std::uint64_t> Index() {
    const std::size_t begin = at_;
    if (TakeWhile(IsDigit) == 0) return std::nullopt;
    std::uint64_t index = 0;
    const auto [end, status] = std::from_chars(text_.data() + begin, text_.data() + at_, index);
    if (status != std::errc()) return std::nullopt;
    return index;
  }

  bool Place() {
    if (!Take("=")) return Fail("a hint needs '=' here");
    Gap();
    if (!Take("stack[")) return Fail("a hint needs 'stack[' here");
    Gap();
    const auto first = Index();
    if (!first) return Fail("a hint needs a stack position");
    Blanks();
    if (Take("..")) {
      Gap();
      const auto end = Index();
      if (!end) return Fail("a hint's range needs an end");
      Blanks();
      if (*end <= *first) return Fail("a hint's range must not be empty");
    }
    if (!Take("]")) return Fail("a hint needs ']' here");
    Gap();
    return true;
  }

  std::string_view text_;
  std::size_t at_;
  std::string error_;
};

}  // namespace

HintEnd ReadReleasedHint(std::string_view text, std::size_t at) { return Reader(text, at).Run(); }

std::size_t SkipReleasedGap(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (IsBlank(rest.front())) {
      ++at;
    } else if (rest.starts_with("//")) {
      const std::size_t end = std::min(text.find_first_of("\n\r", at), text.size());
      if (end == at + 2) return at;
      at = end;
    } else if (rest.starts_with("/*")) {
      const std::size_t end = text.find("*/", at + 2);
      if (end == std::string_view::npos) return at;
      at = end + 2;
    } else {
      break;
    }
  }
  return at;
}

}  // namespace txvm::triton
