// Which of several readings of a question to believe: the model says how probable each program is,
// running them says what each would answer.
#pragma once

#include <optional>

#include "frontends/nl/language/evaluate.h"
#include "frontends/nl/reader/ask.h"
#include "isa/support/result.h"

namespace txvm::frontends::nl {

/// Steps that a reading may take while it is compared with others.
inline constexpr std::uint64_t kRankingFuel = 1'000'000;

/// What was believed: none of both for an abstention.
struct Belief {
  std::optional<Ast> ast;
  std::optional<Answer> answer;
};

/// Runs the readings and keeps in `reading` the most plausible one, with no others. Readings of the
/// same answer count together, and so do abstentions for whatever reason; an answer counts less, by
/// a fixed factor, where nobody would ask for it: a negative one, or a fraction, when no number of
/// the question is one, or a refusal; and more where whole numbers divide evenly. Abstentions count
/// more, for training has few of them. The confidence becomes the share of the believed answer in
/// all probability, what no reading was found for included; from an answer's log-odds reading.doubt
/// is then taken. A confidence below reading.least_confidence makes it the abstention kNoSense. A
/// single reading is run as it is.
/// A reading whose run is interrupted is what is believed, at its own probability: nothing can be
/// compared any more.
/// Errors: kSyntax when tokens do not parse; those of Evaluate.
isa::Result<Belief> Rank(Reading& reading, const EvaluateOptions& options);

}  // namespace txvm::frontends::nl
