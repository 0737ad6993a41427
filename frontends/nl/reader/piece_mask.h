// The canonical grammar on the pieces of any tokenizer: which tokens keep a text the beginning of a
// canonical program. Numbers are digits, and only those of the question and the literals exist.
//
// Goals: everything that comes out parses; any way of cutting text into pieces, SentencePiece or
// byte-level; pieces that cross token borders (") *"); well under 1 ms a step with 32,000 pieces.
// Non-goals: one spelling a program: blanks between tokens are the model's choice, one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/nl/language/grammar.h"
#include "frontends/nl/numbers/lexer.h"
#include "isa/support/result.h"
#include "neural/llm/tokenizer.h"

namespace txvm::frontends::nl {

/// The pieces of one tokenizer that canonical text can contain. Immutable; copies share.
class CanonicalPieces {
 public:
  struct Entry {
    std::string text;  // what the piece adds to a text
    neural::llm::Token id = 0;
  };

  /// `stop` are the tokens that end an answer. kInvalid names a character of the canonical language
  /// that is no piece by itself: a mask could run into a dead end.
  static isa::Result<CanonicalPieces> Of(const neural::llm::Tokenizer& tokenizer,
                                         std::span<const neural::llm::Token> stop);

  const std::vector<Entry>& entries() const { return tables_->entries; }  // sorted by text
  const std::vector<neural::llm::Token>& stop() const { return tables_->stop; }
  /// The text of a piece; nullptr for one that canonical text cannot contain.
  const std::string* Find(neural::llm::Token id) const;
  /// Whether some piece spells "==" with nothing after it: "=" then needs no waiting for a second.
  bool has_equality() const { return tables_->has_equality; }

 private:
  struct Tables {
    std::vector<Entry> entries;
    std::vector<neural::llm::Token> stop;
    std::map<neural::llm::Token, std::size_t> by_id;  // to entries
    bool has_equality = false;
  };
  CanonicalPieces() = default;
  std::shared_ptr<const Tables> tables_;
};

/// The numbers of a question as canonical text says them: without their signs, which are the
/// operator "-" there.
std::vector<Number> Magnitudes(const Lexed& question);

/// One text being written.
///
/// INVARIANT: the text is the beginning of one for which ReadCanonical(text, numbers) gives tokens
/// that Parse accepts; every number in it is a literal or the magnitude of one in `numbers`.
class PieceMask {
 public:
  /// `options.slots` is the size of `numbers`, whatever it says.
  PieceMask(CanonicalPieces pieces, std::vector<Number> numbers, GrammarOptions options);

  /// The tokens that may come next; the stop tokens where the text is a whole program. Never empty
  /// before finished().
  std::vector<neural::llm::Token> Allowed() const;
  /// Takes a token; false, changing nothing, when it is not allowed.
  bool Advance(neural::llm::Token id);
  /// Whether the program has ended: by "=", a line end or a stop token.
  bool finished() const { return state_.node->grammar.finished(); }

  const std::string& text() const { return text_; }
  /// What ReadCanonical(text(), numbers()) gives when finished().
  const std::vector<Token>& tokens() const { return state_.node->taken; }
  const std::vector<Number>& numbers() const { return numbers_; }

 private:
  /// A word, sign or number and the token it is.
  struct Spelling {
    std::string text;
    Token token = Token::kEnd;
  };
  /// Whole tokens taken, and what may follow.
  struct Node {
    CanonicalGrammar grammar;
    std::vector<Token> taken;
    std::optional<TokenSet> allowed;  // once it is known
    std::map<Token, std::shared_ptr<Node>> next;
  };
  /// Whole tokens and the beginning of another: the `depth` bytes that spellings low to high - 1
  /// have in common.
  struct State {
    std::shared_ptr<Node> node;
    std::size_t low = 0, high = 0, depth = 0;
    bool after_blank = false;
  };

  void AddSpelling(std::string_view text, Token token);
  static const TokenSet& AllowedAt(Node& node);
  bool IsUseful(const State& state) const;
  std::optional<State> Narrowed(const State& state, char c) const;
  bool MustGoOn(const State& state, char c) const;
  std::optional<State> Completed(const State& state) const;
  std::optional<State> Step(const State& state, char c) const;
  std::optional<State> Ended(const State& state) const;
  State EndedAtEquals(State state) const;
  void Walk(std::size_t low, std::size_t high, std::size_t depth, const State& state,
            std::vector<neural::llm::Token>& ids) const;

  CanonicalPieces pieces_;
  std::vector<Number> numbers_;
  std::vector<Spelling> spellings_;  // sorted by text, each once
  State state_;
  std::string text_;
};

}  // namespace txvm::frontends::nl
