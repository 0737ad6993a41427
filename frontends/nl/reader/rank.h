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

/// The reading we chose. Both fields are empty when we abstain.
struct Belief {
  std::optional<Ast> ast;
  std::optional<Answer> answer;
};

/// Runs the readings and keeps only the most plausible one in `reading`. Readings with the same
/// answer count together; so do all abstentions. Fixed factors correct for what people ask: an
/// answer counts less when it is negative or a fraction and no number of the question is, or when
/// it is a refusal. A negative answer to "how many" (reading.asks_amount) counts nothing. An answer
/// counts more when whole numbers divide evenly. Abstentions count more, because training has few
/// of them. The confidence becomes the share of the chosen answer in all probability, including the
/// part that no reading was found for. reading.doubt is then subtracted from the log-odds of an
/// answer. A confidence below reading.least_confidence makes it the abstention kNoSense. A single
/// reading is run as it is. A reading whose run is interrupted is chosen at its own probability:
/// nothing more can be compared.
/// Errors: kSyntax when tokens do not parse; those of Evaluate.
isa::Result<Belief> Rank(Reading& reading, const EvaluateOptions& options);

}  // namespace txvm::frontends::nl
