// English questions with the canonical program each means: the training and evaluation data of the
// shipped model. Every example is a function of (seed, index); nothing is stored.
//
// Goals: breadth of phrasing; held-out words, texts and compositions by a fixed hash; its own
// words only. Non-goals: reading English (frontends/nl), world knowledge.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "neural/questions/family.h"
#include "neural/questions/surface.h"

namespace txvm::neural::questions {

class QuestionBank;

/// Whether the axis kMakers has questions of that family.
bool HasUnseenKinds(Family family);
/// Whether questions of a family are made of sentences of its own, now and then or always.
bool NeedsSentences(Family family);

enum class Split : std::uint8_t { kTrain, kHeldOut };

/// Where the second and later columns of families.def begin in `txvm train normalizer`, unless it
/// is told otherwise.
inline constexpr std::array<std::uint64_t, kMixes - 1> kTrainingMixes = {844'800, 971'520,
                                                                         1'140'480};

/// The last column for all examples.
inline std::vector<std::uint64_t> LastMixAlone() {
  return std::vector<std::uint64_t>(kTrainingMixes.size(), 0);
}

struct GeneratorOptions {
  std::uint64_t seed = 1;
  Split split = Split::kTrain;
  Axis axis = Axis::kNone;       // of kHeldOut
  std::optional<Family> family;  // only this one
  bool allow_abstention = true;
  // Of kTrain: some examples, most of them early, are lessons in looking up (recall.cc).
  bool lessons = false;
  // Of kTrain: the examples from which on families are drawn by the next column of families.def.
  // The second and the third column both count from the first of them: what differs is the mix
  // alone. From the last column on there are more makers of drafts; kHeldOut has them always, and
  // families by the first column.
  std::vector<std::uint64_t> mixes_from;

  bool IsEvaluating(Axis held_out) const { return split == Split::kHeldOut && axis == held_out; }
};

/// A question and its program.
struct Example {
  std::string question;
  std::string canonical;          // "( N0 + N1 ) * 2 =", or an abstention: "?chat ="
  std::string answer;             // "35", "-5", "7/2"; empty for an abstention
  std::vector<TextPiece> pieces;  // of the question; numbers are N0, N1, ... in order
  Family family = Family::kChange;
  int schema = 0;    // the same program and conditions
  int phrasing = 0;  // the same top-level text
  std::size_t steps = 0;
  bool answerable = true;
};

/// Thread-safe: Make is const.
class Generator {
 public:
  /// The bank must outlive the generator.
  Generator(const QuestionBank& bank, const GeneratorOptions& options);
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  /// The example of an index. Cost: some 60 microseconds.
  Example Make(std::uint64_t index) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace txvm::neural::questions
