#include "frontends/nl/language/grammar.h"

#include <algorithm>

namespace txvm::frontends::nl {
namespace {

bool IsComparison(Token token) { return token >= Token::kEqual && token <= Token::kGreaterEqual; }
bool IsTermOperator(Token token) { return token >= Token::kTimes && token <= Token::kMod; }
bool IsCall(Token token) { return token >= Token::kAbs && token <= Token::kFib; }
bool IsListOnly(Token token) { return token >= Token::kMax && token <= Token::kGcd; }
bool HasRange(Token token) { return token >= Token::kSum && token <= Token::kCount; }

}  // namespace

CanonicalGrammar::CanonicalGrammar(const GrammarOptions& options)
    : options_(options), stack_{{Part::kProgram, 0}} {
  options_.max_tokens = std::clamp<std::size_t>(options_.max_tokens, 2, kMaxTokens);
  options_.slots = std::min(options_.slots, kMaxSlots);
}

void CanonicalGrammar::Push(Stack& stack, std::initializer_list<Symbol> in_reading_order) {
  for (auto symbol = in_reading_order.end(); symbol != in_reading_order.begin();) {
    stack.push_back(*--symbol);
  }
}

std::size_t CanonicalGrammar::MinimumOf(Part part) {
  switch (part) {
    case Part::kComparisonTail:
    case Part::kSumTail:
    case Part::kTermTail:
    case Part::kPowerTail:
      return 0;
    case Part::kProgram:      // an operand and "="
    case Part::kRangeOrList:  // "[ ]"
      return 2;
    case Part::kExpression:
    case Part::kSum:
    case Part::kTerm:
    case Part::kNegative:
    case Part::kPower:
    case Part::kPrimary:
    case Part::kBound:
    case Part::kElements:
    case Part::kElementsTail:
    case Part::kDefined:
    case Part::kToken:
      return 1;
  }
  return 1;
}

std::size_t CanonicalGrammar::Minimum(const Stack& stack) {
  std::size_t sum = 0;
  for (const Symbol symbol : stack) sum += MinimumOf(symbol.part);
  return sum;
}

CanonicalGrammar::Move CanonicalGrammar::ExpandProgram(Token token, Stack& stack,
                                                       std::size_t temps) const {
  if (IsAbstention(token)) {
    if (!options_.allow_abstention || temps > 0) return Move::kStuck;
    Push(stack, {Just(Token::kEnd)});
    return Move::kTaken;
  }
  if (IsTemp(token) && TempOf(token) == temps) {
    Push(stack,
         {Just(Token::kAssign), {Part::kExpression, 0}, {Part::kDefined, 0}, {Part::kProgram, 0}});
    return Move::kTaken;
  }
  Push(stack, {{Part::kExpression, 0}, Just(Token::kEnd)});
  return Move::kOn;
}

CanonicalGrammar::Move CanonicalGrammar::ExpandPrimary(Token token, Stack& stack,
                                                       std::size_t temps) const {
  if (IsLiteral(token)) return Move::kTaken;
  if (IsSlot(token)) return SlotOf(token) < options_.slots ? Move::kTaken : Move::kStuck;
  if (IsTemp(token)) return TempOf(token) < temps ? Move::kTaken : Move::kStuck;
  if (token == Token::kOpen) {
    Push(stack, {{Part::kExpression, 0}, Just(Token::kClose)});
  } else if (IsCall(token)) {
    Push(stack, {{Part::kPrimary, 0}});
  } else if (IsListOnly(token)) {
    Push(stack, {Just(Token::kOpenList), {Part::kElements, 0}});
  } else if (HasRange(token)) {
    Push(stack, {{Part::kRangeOrList, 0}});
  } else {
    return Move::kStuck;
  }
  return Move::kTaken;
}

/// What may follow an operand: an operator that belongs to this level, or nothing.
CanonicalGrammar::Move CanonicalGrammar::ExpandTail(Symbol symbol, Token token, Stack& stack) {
  if (symbol.part == Part::kComparisonTail && IsComparison(token)) {
    Push(stack, {{Part::kSum, 0}});
    return Move::kTaken;
  }
  if (symbol.part == Part::kSumTail && (token == Token::kPlus || token == Token::kMinus)) {
    Push(stack, {{Part::kTerm, 0}, {Part::kSumTail, 0}});
    return Move::kTaken;
  }
  if (symbol.part == Part::kTermTail && IsTermOperator(token)) {
    Push(stack, {{Part::kNegative, 0}, {Part::kTermTail, 0}});
    return Move::kTaken;
  }
  if (symbol.part == Part::kPowerTail && token == Token::kPower) {
    Push(stack, {{Part::kNegative, 0}});
    return Move::kTaken;
  }
  return Move::kOn;
}

CanonicalGrammar::Move CanonicalGrammar::ExpandList(Symbol symbol, Token token, Stack& stack) {
  if (symbol.part == Part::kRangeOrList) {
    if (token == Token::kOpenList) {
      Push(stack, {{Part::kElements, 0}});
      return Move::kTaken;
    }
    Push(stack, {{Part::kBound, 0}, Just(Token::kTo), {Part::kBound, 0}});
    return Move::kOn;
  }
  if (token == Token::kCloseList) return Move::kTaken;
  if (symbol.part == Part::kElements) {
    Push(stack, {{Part::kExpression, 0}, {Part::kElementsTail, 1}});
    return Move::kOn;
  }
  if (token != Token::kComma || symbol.value == kMostElements) return Move::kStuck;
  const auto count = static_cast<std::uint8_t>(symbol.value + 1);
  Push(stack, {{Part::kExpression, 0}, {Part::kElementsTail, count}});
  return Move::kTaken;
}

CanonicalGrammar::Move CanonicalGrammar::Expand(Symbol symbol, Token token, Stack& stack,
                                                std::size_t& temps) const {
  switch (symbol.part) {
    case Part::kToken:
      return Id(token) == symbol.value ? Move::kTaken : Move::kStuck;
    case Part::kDefined:
      if (token != Token::kThen) return Move::kStuck;
      ++temps;
      return Move::kTaken;
    case Part::kProgram:
      return ExpandProgram(token, stack, temps);
    case Part::kExpression:
      if (token != Token::kIf) {
        Push(stack, {{Part::kSum, 0}, {Part::kComparisonTail, 0}});
        return Move::kOn;
      }
      Push(stack, {{Part::kExpression, 0},
                   Just(Token::kIfThen),
                   {Part::kExpression, 0},
                   Just(Token::kElse),
                   {Part::kExpression, 0}});
      return Move::kTaken;
    case Part::kSum:
      Push(stack, {{Part::kTerm, 0}, {Part::kSumTail, 0}});
      return Move::kOn;
    case Part::kTerm:
      Push(stack, {{Part::kNegative, 0}, {Part::kTermTail, 0}});
      return Move::kOn;
    case Part::kNegative:
    case Part::kBound: {
      const Part operand = symbol.part == Part::kBound ? Part::kPrimary : Part::kPower;
      const bool is_sign = token == Token::kMinus;
      Push(stack, {{is_sign && operand == Part::kPower ? Part::kNegative : operand, 0}});
      return is_sign ? Move::kTaken : Move::kOn;
    }
    case Part::kPower:
      Push(stack, {{Part::kPrimary, 0}, {Part::kPowerTail, 0}});
      return Move::kOn;
    case Part::kPrimary:
      return ExpandPrimary(token, stack, temps);
    case Part::kComparisonTail:
    case Part::kSumTail:
    case Part::kTermTail:
    case Part::kPowerTail:
      return ExpandTail(symbol, token, stack);
    case Part::kRangeOrList:
    case Part::kElements:
    case Part::kElementsTail:
      return ExpandList(symbol, token, stack);
  }
  return Move::kStuck;
}

bool CanonicalGrammar::Step(Token token, Stack& stack, std::size_t& temps) const {
  while (!stack.empty()) {
    const Symbol symbol = stack.back();
    stack.pop_back();
    const Move move = Expand(symbol, token, stack, temps);
    if (move != Move::kOn) return move == Move::kTaken;
  }
  return false;
}

/// Whether the token may come next and leaves room to finish.
bool CanonicalGrammar::Fits(Token token, Stack& scratch) const {
  scratch = stack_;
  std::size_t temps = temps_;
  return Step(token, scratch, temps) && taken_ + 1 + Minimum(scratch) <= options_.max_tokens;
}

TokenSet CanonicalGrammar::Allowed() const {
  TokenSet allowed;
  Stack scratch;
  for (std::size_t id = 0; id < kTokenCount; ++id) allowed[id] = Fits(TokenOf(id), scratch);
  return allowed;
}

bool CanonicalGrammar::Advance(Token token) {
  Stack scratch;
  if (Id(token) >= kTokenCount || !Fits(token, scratch)) return false;
  scratch = stack_;
  Step(token, scratch, temps_);
  stack_ = std::move(scratch);
  ++taken_;
  return true;
}

}  // namespace txvm::frontends::nl
