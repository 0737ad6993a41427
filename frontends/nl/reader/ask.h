// A question and its answer: numbers to slots, a reader that turns the rest into a canonical
// program, the program run. What reads is a parameter: a language model masked by the grammar, or
// whoever writes canonical programs by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/nl/language/evaluate.h"
#include "frontends/nl/language/token.h"
#include "frontends/nl/numbers/lexer.h"
#include "isa/support/result.h"

namespace txvm::frontends::nl {

/// Another way to read a question.
struct Alternative {
  std::vector<Token> tokens;  // kEnd last
  double probability = 0;
};

/// What a reader made of a question: tokens that Parse accepts, or an abstention.
struct Reading {
  std::vector<Token> tokens;         // kEnd last
  std::vector<Number> numbers;       // of the slots
  std::optional<double> confidence;  // 0..1, where the reader has one
  std::vector<Alternative> others;   // less probable ones, for Rank
  double doubt = 0;                  // what Rank takes from the log-odds of an answer
  double least_confidence = 0;       // below it, Rank abstains
  bool asks_amount = false;          // AsksAmount of the question: Rank believes nothing below 0

  /// Whether Rank makes it an abstention for want of confidence, also where that is no number.
  bool IsUnsure() const { return !(confidence.value_or(1) >= least_confidence); }
  /// The numbers' values, as Lower and Evaluate take them.
  std::vector<Rational> Values() const;
};

/// Whether a text asks how many or how much of something there is: "how many" anywhere, "how much"
/// after some words of a story. "How much is 5 minus 9?" does not.
bool AsksAmount(std::string_view question);

/// Reads one question. A model lexes it (Lex), shows Pieces to its tokenizer and decodes under
/// CanonicalGrammar with that many slots. Errors are the reader's own.
using Reader = std::function<isa::Result<Reading>(std::string_view question)>;

/// The reader of canonical text: the question is the program. Slots that it names mean the numbers
/// in `given`; decimals in it become further slots. Errors: those of ReadCanonical and Parse, with
/// the place in the text.
Reader CanonicalReader(std::vector<Number> given = {});

/// One question with everything that came of it.
struct AskReport {
  std::string question;
  Reading reading;
  std::optional<Ast> ast;        // none for an abstention
  std::optional<Answer> answer;  // none for an abstention
  double seconds = 0;            // reading, lowering and running

  bool abstained() const { return !answer || !answer->value; }
  /// The answer in lowest terms, "7/2"; empty when abstained.
  std::string AnswerText() const;
  /// Why there is no answer: the abstention's or the refusal's sentence; empty when there is one.
  std::string Reason() const;
  /// The program with its numbers in place: "50 - 15".
  std::string CanonicalText() const;
};

/// Errors: the reader's; kSyntax when its tokens do not parse; those of Evaluate.
isa::Result<AskReport> Ask(std::string_view question, const Reader& reader,
                           const EvaluateOptions& options = {});

}  // namespace txvm::frontends::nl
