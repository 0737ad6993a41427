// Random programs in one line each, so that machines of different kinds can be compared by diff.
#pragma once

#include <cstdint>
#include <string>

namespace txvm::support {

/// What random program `seed` did: outcome, trap, exit code, results, steps and digest, on every
/// direct engine and, where it is short, on hull. Every fourth program is damaged. The line names
/// engines that differ. A file `folder`/`seed`.txs takes the state amid a run that can be resumed;
/// no file where `folder` is empty.
std::string SampleLine(std::uint64_t seed, const std::string& folder);

/// The same line, by a run that goes on from `folder`/`seed`.txs on every direct engine; that of
/// SampleLine where there is no such file.
std::string ResumedLine(std::uint64_t seed, const std::string& folder);

}  // namespace txvm::support
