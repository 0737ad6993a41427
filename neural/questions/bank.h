// All that questions are put together from, read from a folder of sentences (sentences/README.md).
//
// Goals: sentences are text, checked line by line when they are read; what is drawn from them
// depends on their numbers alone. Non-goals: whether a question can be made of each (check.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/questions/contamination.h"
#include "neural/questions/expander.h"
#include "neural/questions/family.h"
#include "neural/questions/lexicon.h"
#include "neural/questions/swap.h"

namespace txvm::neural::questions {

/// A sentence of a family, with its program and the conditions of its numbers.
struct Frame {
  Family family = Family::kChange;
  std::string_view program, specification, text;
  bool is_plain = false;  // one of the plainest, which must not drown in the rest
  int schema = 0;         // the same for the same family, program and conditions
  int phrasing = 0;       // one less than its number
  bool is_held_out = false;
};

/// A part of a composed story.
enum class Stage : std::uint8_t { kStart, kEvent, kAsk };
struct Step {
  Stage stage = Stage::kStart;
  std::string_view name, program, specification, text;
  int number = 0;  // from 0 on
};

/// A question that a plot can have.
struct PlotQuestion {
  std::string_view name;      // of its rules, following "plot_"
  std::string_view asked;     // the question's rule, following the name and "_ask_"
  std::string_view tellings;  // parts of a story with blanks between, told in this order; any of
                              // those that bars separate
  std::string_view program, specification;
  int number = 0;  // from 0 on
};

/// A story that asks nothing and implies what comes of it.
struct Implied {
  std::string_view program, specification, text;
  int number = 0;  // from 0 on
};

/// The stories of many amounts (contrasts.cc).
struct Contrasts {
  struct Story {
    std::string_view name;
    std::string_view amounts;     // "A:m B:t": the amounts with their classes
    std::string_view order;       // those that are told in this order; the others stand anywhere
    std::string_view conditions;  // of those that are told
    std::string_view apart;       // "SE": both only if asked for, as what lies between must add up
  };
  /// A clause that tells an amount, or one that does so ahead of "how many".
  struct Fact {
    std::string_view story;
    char amount;
    std::string_view text;
  };
  /// A clause that tells several amounts, in this order.
  struct Together {
    std::string_view story, amounts, text;
  };
  /// Asks for a program: "A - B!CD&E^F" where C and D are not told, E is, and F may be told ahead.
  struct Ask {
    std::string_view story, asked, text;
    int number;  // from 0 on
  };
  /// What no question asks for, with the class of its number.
  struct Aside {
    char of_class;
    std::string_view text;
  };

  std::vector<Story> stories;
  std::vector<Fact> facts, ahead;
  std::vector<Together> together;
  std::vector<Ask> asks;
  // Sentences, what is said of the person at the first mention, and what stands ahead of the
  // question.
  std::vector<Aside> asides, hooks, prefaces;
};

/// Immutable once read; everything in it views the texts that it owns. Thread-safe.
class QuestionBank {
 public:
  /// Reads a folder. Errors: kIo for a folder or file that cannot be read; kSyntax and kInvalid,
  /// with file and line, for the first line that is wrong: its form, its number, a program or a
  /// condition that cannot be read, a bracket left open, a list or a rule that does not exist.
  /// Cost: some 100 ms.
  static isa::Result<std::unique_ptr<const QuestionBank>> Read(const std::string& folder);

  QuestionBank(const QuestionBank&) = delete;
  QuestionBank& operator=(const QuestionBank&) = delete;

  const Lexicon& lexicon() const { return *lexicon_; }
  const Rules& rules() const { return rules_; }
  const Swaps& swaps() const { return *swaps_; }
  /// Test sentences that no question of a story may come near.
  const ContaminationIndex& fixed() const { return *fixed_; }
  /// All sentences of families, by number.
  std::span<const Frame> frames() const { return frames_; }
  /// Those of a family, and the plain ones among them.
  std::span<const Frame* const> FramesOf(Family family) const {
    return by_family_[static_cast<std::size_t>(family)];
  }
  std::span<const Frame* const> PlainFramesOf(Family family) const {
    return plain_by_family_[static_cast<std::size_t>(family)];
  }
  std::span<const Step> steps() const { return steps_; }
  std::span<const PlotQuestion> plots() const { return plots_; }
  std::span<const Implied> implied() const { return implied_; }
  const Contrasts& contrasts() const { return contrasts_; }

  /// How many pairs of a schema and a text there are.
  std::size_t PhrasingCount() const;
  /// The file and the line of a text that the bank has; neither for any other.
  isa::Place PlaceOf(std::string_view text) const;

 private:
  friend class BankReader;
  struct File {
    std::string path, text;
  };
  QuestionBank() = default;

  std::vector<std::unique_ptr<const File>> files_;
  std::optional<Lexicon> lexicon_;
  Rules rules_;
  std::optional<Swaps> swaps_;
  std::optional<ContaminationIndex> fixed_;
  std::vector<Frame> frames_;
  std::array<std::vector<const Frame*>, kFamilies.size()> by_family_, plain_by_family_;
  std::vector<Step> steps_;
  std::vector<PlotQuestion> plots_;
  std::vector<Implied> implied_;
  Contrasts contrasts_;
};

/// The folder of sentences: `given` if it is not empty; else the installed one, found from where
/// the running program lies; else that of the source tree. kIo names all places that it looked at.
isa::Result<std::string> QuestionsFolder(const std::string& given);

/// Reads QuestionsFolder(given). Errors: those of both.
isa::Result<std::unique_ptr<const QuestionBank>> ReadQuestions(const std::string& given);

}  // namespace txvm::neural::questions
