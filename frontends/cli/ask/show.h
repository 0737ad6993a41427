// What `txvm ask` prints.
#pragma once

#include <string>

#include "frontends/nl/reader/ask.h"
#include "frontends/nl/reader/batch.h"
#include "isa/support/result.h"

namespace txvm::frontends::cli {

/// The members of one answer as a JSON object: question, answer, canonical, abstained, reason,
/// wide, steps, seconds, confidence, id.
std::string AskJson(const nl::AskReport& report, const nl::BatchItem& item);

/// The object for a question that could not be read or run at all.
std::string AskErrorJson(const nl::BatchItem& item, const isa::Error& error);

/// Canonical form, code book and WebAssembly bytes, this machine's instructions, steps: text for
/// people. Errors: those of Lower.
isa::Result<std::string> AskDetails(const nl::AskReport& report,
                                    const nl::EvaluateOptions& options);

/// "7/2 (3.5)": the answer with its decimal fraction where that is exact and short.
std::string AnswerLine(const nl::AskReport& report);

}  // namespace txvm::frontends::cli
