// The canonical language as a pushdown automaton over tokens: which tokens may follow a prefix. It
// masks a model's output, so that whatever the model emits parses, and so that it can always finish
// within its bound.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "frontends/nl/language/token.h"

namespace txvm::frontends::nl {

using TokenSet = std::bitset<kTokenCount>;

/// What a program may use.
struct GrammarOptions {
  std::size_t slots = kMaxSlots;        // N0..N(slots - 1) exist
  std::size_t max_tokens = kMaxTokens;  // of the program, kEnd included; at least 2
  bool allow_abstention = true;
};

/// INVARIANT: the tokens taken so far are a prefix of a program that Parse accepts and that has at
/// most max_tokens tokens.
class CanonicalGrammar {
 public:
  explicit CanonicalGrammar(const GrammarOptions& options = {});

  /// The tokens that may come next; none when finished(). Cost O(tokens * depth).
  TokenSet Allowed() const;
  /// Takes a token; false, changing nothing, when it is not allowed.
  bool Advance(Token token);
  /// Whether kEnd has been taken.
  bool finished() const { return stack_.empty(); }
  std::size_t taken() const { return taken_; }
  /// The fewest tokens that finish the program from here, kEnd included; 0 when finished.
  std::size_t MinimumToFinish() const { return Minimum(stack_); }

 private:
  /// What is still to come, in the words of Parse's grammar. A tail is what may follow an operand.
  enum class Part : std::uint8_t {
    kProgram,
    kExpression,
    kComparisonTail,
    kSum,
    kSumTail,
    kTerm,
    kTermTail,
    kNegative,
    kPower,
    kPowerTail,
    kPrimary,
    kBound,
    kRangeOrList,
    kElements,      // after "["
    kElementsTail,  // value = elements so far
    kDefined,       // the ";" that makes a temporary readable
    kToken,         // value = its id
  };
  struct Symbol {
    Part part = Part::kToken;
    std::uint8_t value = 0;
  };
  using Stack = std::vector<Symbol>;  // the next symbol last

  static Symbol Just(Token token) { return {Part::kToken, static_cast<std::uint8_t>(token)}; }
  static void Push(Stack& stack, std::initializer_list<Symbol> in_reading_order);
  static std::size_t Minimum(const Stack& stack);
  static std::size_t MinimumOf(Part part);

  /// What a symbol did with a token: took it, made way for others, or cannot go on.
  enum class Move : std::uint8_t { kTaken, kOn, kStuck };
  bool Step(Token token, Stack& stack, std::size_t& temps) const;
  bool Fits(Token token, Stack& scratch) const;
  Move Expand(Symbol symbol, Token token, Stack& stack, std::size_t& temps) const;
  Move ExpandProgram(Token token, Stack& stack, std::size_t temps) const;
  Move ExpandPrimary(Token token, Stack& stack, std::size_t temps) const;
  static Move ExpandTail(Symbol symbol, Token token, Stack& stack);
  static Move ExpandList(Symbol symbol, Token token, Stack& stack);

  GrammarOptions options_;
  Stack stack_;
  std::size_t taken_ = 0;
  std::size_t temps_ = 0;  // defined so far
};

}  // namespace txvm::frontends::nl
