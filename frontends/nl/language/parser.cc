#include "frontends/nl/language/parser.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "frontends/nl/numbers/characters.h"
#include "isa/support/text.h"

namespace txvm::frontends::nl {
namespace {

using isa::ErrorCode;
using isa::Result;

constexpr std::array kNodes = {
#define TXVM_NODE(Name, token, form, level, wide) \
  NodeInfo{#Name, Token::k##token, NodeForm::k##form, level, wide},
#include "frontends/nl/language/nodes.def"
#undef TXVM_NODE
};

constexpr int kComparisonLevel = 1, kSumLevel = 2, kTermLevel = 3;

/// The kind a token stands for in a form.
std::optional<NodeKind> KindOf(Token token, NodeForm form) {
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    if (kNodes[i].form == form && kNodes[i].token == token) return static_cast<NodeKind>(i);
  }
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::span<const Token> tokens, std::size_t slots, const TokenPlaces& places)
      : tokens_(tokens), slots_(slots), places_(places) {}

  Result<Ast> Run() &&;

 private:
  using Parsed = Result<std::uint32_t>;

  /// kEnd after the last token, so that there is always a next one.
  Token Next() const { return at_ < tokens_.size() ? tokens_[at_] : Token::kEnd; }
  bool Take(Token token) {
    if (at_ >= tokens_.size() || tokens_[at_] != token) return false;
    ++at_;
    return true;
  }
  /// The byte of the text at which a token stands. REQUIRES: places.
  std::size_t PlaceOf(std::size_t token) const {
    return token < places_.at.size() ? places_.at[token] : places_.text.size();
  }
  bool IsWritten(std::size_t token) const;
  std::string AsWritten(std::size_t token) const;
  std::unexpected<isa::Error> Refuse(ErrorCode code, std::size_t token, std::string what) const;
  std::unexpected<isa::Error> Expected(std::string_view what) const;
  std::unexpected<isa::Error> RefuseTemp(std::size_t token) const;
  Result<void> Expect(Token token);
  std::uint32_t Add(NodeKind kind, std::size_t place, std::vector<std::uint32_t> args = {},
                    std::uint32_t value = 0);

  Result<void> Program();
  Parsed Expression();
  Parsed Infix(int level);
  Parsed Negative();
  Parsed Power();
  Parsed Primary();
  Parsed Leaf();
  Parsed Bound();
  Parsed Range(NodeKind kind, std::size_t place);
  Parsed List(NodeKind kind, std::size_t place);

  std::span<const Token> tokens_;
  std::size_t slots_;
  TokenPlaces places_;
  std::size_t at_ = 0;
  Ast out_;
};

/// Whether there is such a token, and it is no "=" that the text leaves out.
bool Parser::IsWritten(std::size_t token) const {
  if (token >= tokens_.size()) return false;
  if (tokens_[token] != Token::kEnd || places_.at.empty()) return true;
  return places_.text.substr(PlaceOf(token)).starts_with(TokenText(Token::kEnd));
}

/// A token as the text has it, where there is one: a number and not its slot.
std::string Parser::AsWritten(std::size_t token) const {
  constexpr std::size_t kMostShown = 40;  // bytes
  if (places_.at.empty()) return TokenText(tokens_[token]);
  const std::size_t begin = PlaceOf(token);
  std::string_view text = places_.text.substr(begin, PlaceOf(token + 1) - begin);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  if (text.size() <= kMostShown) return std::string(text);
  return fmt::format("{}...", text.substr(0, kMostShown));
}

std::unexpected<isa::Error> Parser::Refuse(ErrorCode code, std::size_t token,
                                           std::string what) const {
  if (places_.at.empty()) return isa::Fail(code, fmt::format("token {}: {}", token + 1, what));
  return std::unexpected(
      isa::ErrorAt(places_.text, PlaceOf(token), "canonical", code, std::move(what)));
}

std::unexpected<isa::Error> Parser::Expected(std::string_view what) const {
  const std::string found =
      IsWritten(at_) ? fmt::format("'{}'", AsWritten(at_)) : "the end of the program";
  return Refuse(ErrorCode::kSyntax, at_, fmt::format("{} where {} was expected", found, what));
}

/// Of a temporary that is read before it has a value.
std::unexpected<isa::Error> Parser::RefuseTemp(std::size_t token) const {
  return Refuse(ErrorCode::kSyntax, token,
                fmt::format("{} has no value here: temporaries are defined in order, T0 first, "
                            "and read after their definition",
                            TokenText(tokens_[token])));
}

Result<void> Parser::Expect(Token token) {
  if (Take(token)) return {};
  if (token == Token::kEnd) return Expected("the end of the program");
  return Expected(fmt::format("'{}'", TokenText(token)));
}

std::uint32_t Parser::Add(NodeKind kind, std::size_t place, std::vector<std::uint32_t> args,
                          std::uint32_t value) {
  out_.nodes.push_back({kind, value, static_cast<std::uint32_t>(place), std::move(args)});
  return static_cast<std::uint32_t>(out_.nodes.size() - 1);
}

Result<void> Parser::Program() {
  if (IsAbstention(Next())) {
    out_.abstention = Next();
    ++at_;
    return Expect(Token::kEnd);
  }
  while (IsTemp(Next()) && TempOf(Next()) == out_.temps.size()) {
    ++at_;
    if (Next() != Token::kAssign) return RefuseTemp(at_ - 1);
    ++at_;
    TXVM_TRY(const std::uint32_t value, Expression());
    TXVM_CHECK_OK(Expect(Token::kThen));
    out_.temps.push_back(value);
  }
  TXVM_TRY(out_.result, Expression());
  return Expect(Token::kEnd);
}

Parser::Parsed Parser::Expression() {
  const std::size_t place = at_;
  if (!Take(Token::kIf)) return Infix(kComparisonLevel);
  TXVM_TRY(const std::uint32_t condition, Expression());
  TXVM_CHECK_OK(Expect(Token::kIfThen));
  TXVM_TRY(const std::uint32_t yes, Expression());
  TXVM_CHECK_OK(Expect(Token::kElse));
  TXVM_TRY(const std::uint32_t no, Expression());
  return Add(NodeKind::kChoice, place, {condition, yes, no});
}

/// The infix levels: a comparison has one operator, sums and terms any number of them.
Parser::Parsed Parser::Infix(int level) {
  const auto operand = [this, level] {
    return level == kTermLevel ? Negative() : Infix(level + 1);
  };
  TXVM_TRY(std::uint32_t left, operand());
  while (true) {
    const std::optional<NodeKind> kind = KindOf(Next(), NodeForm::kInfix);
    if (!kind || Info(*kind).level != level) return left;
    const std::size_t place = at_++;
    TXVM_TRY(const std::uint32_t right, operand());
    left = Add(*kind, place, {left, right});
    if (level == kComparisonLevel) return left;
  }
}

Parser::Parsed Parser::Negative() {
  const std::size_t place = at_;
  if (!Take(Token::kMinus)) return Power();
  TXVM_TRY(const std::uint32_t operand, Negative());
  return Add(NodeKind::kNegate, place, {operand});
}

Parser::Parsed Parser::Power() {
  TXVM_TRY(const std::uint32_t base, Primary());
  const std::size_t place = at_;
  if (!Take(Token::kPower)) return base;
  TXVM_TRY(const std::uint32_t exponent, Negative());
  return Add(NodeKind::kPower, place, {base, exponent});
}

Parser::Parsed Parser::Primary() {
  const std::size_t place = at_;
  const Token token = Next();
  if (Take(Token::kOpen)) {
    TXVM_TRY(const std::uint32_t inner, Expression());
    TXVM_CHECK_OK(Expect(Token::kClose));
    return inner;
  }
  if (const auto call = KindOf(token, NodeForm::kCall)) {
    ++at_;
    TXVM_TRY(const std::uint32_t operand, Primary());
    return Add(*call, place, {operand});
  }
  const auto list = KindOf(token, NodeForm::kList);
  if (!list) return Leaf();
  ++at_;
  const auto range = KindOf(token, NodeForm::kRange);
  if (range && Next() != Token::kOpenList) return Range(*range, place);
  return List(*list, place);
}

Parser::Parsed Parser::Leaf() {
  const Token token = Next();
  const std::size_t place = at_;
  if (IsLiteral(token)) {
    ++at_;
    return Add(NodeKind::kLiteral, place, {}, LiteralOf(token));
  }
  if (IsSlot(token)) {
    if (SlotOf(token) >= slots_) {
      return Expected(fmt::format("an operand with {} given", isa::CountText(slots_, "number")));
    }
    ++at_;
    return Add(NodeKind::kSlot, place, {}, static_cast<std::uint32_t>(SlotOf(token)));
  }
  if (IsTemp(token)) {
    if (TempOf(token) >= out_.temps.size()) return RefuseTemp(at_);
    ++at_;
    return Add(NodeKind::kTemp, place, {}, static_cast<std::uint32_t>(TempOf(token)));
  }
  return Expected("an operand");
}

Parser::Parsed Parser::Bound() {
  const std::size_t place = at_;
  const bool negative = Take(Token::kMinus);
  TXVM_TRY(const std::uint32_t operand, Primary());
  if (!negative) return operand;
  return Add(NodeKind::kNegate, place, {operand});
}

Parser::Parsed Parser::Range(NodeKind kind, std::size_t place) {
  TXVM_TRY(const std::uint32_t first, Bound());
  TXVM_CHECK_OK(Expect(Token::kTo));
  TXVM_TRY(const std::uint32_t last, Bound());
  return Add(kind, place, {first, last});
}

Parser::Parsed Parser::List(NodeKind kind, std::size_t place) {
  TXVM_CHECK_OK(Expect(Token::kOpenList));
  std::vector<std::uint32_t> elements;
  if (!Take(Token::kCloseList)) {
    do {
      TXVM_TRY(const std::uint32_t element, Expression());
      elements.push_back(element);
    } while (Take(Token::kComma));
    TXVM_CHECK_OK(Expect(Token::kCloseList));
  }
  if (elements.size() > kMostElements) {
    return Refuse(
        ErrorCode::kLimit, place,
        fmt::format("a list of {} elements; the limit is {}", elements.size(), kMostElements));
  }
  return Add(kind, place, std::move(elements));
}

Result<Ast> Parser::Run() && {
  if (tokens_.size() > kMaxTokens) {
    return isa::Fail(ErrorCode::kLimit, fmt::format("a program of {} tokens; the limit is {}",
                                                    tokens_.size(), kMaxTokens));
  }
  TXVM_CHECK_OK(Program());
  if (at_ != tokens_.size()) return Expected("nothing more");
  return std::move(out_);
}

}  // namespace

const NodeInfo& Info(NodeKind kind) { return kNodes[static_cast<std::size_t>(kind)]; }

Result<Ast> Parse(std::span<const Token> tokens, std::size_t slots, const TokenPlaces& places) {
  return Parser(tokens, slots, places).Run();
}

}  // namespace txvm::frontends::nl
