// Would the tests notice? One operation of one folded program is changed before its code is made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/vm/folded/works.h"

namespace txvm::vm {

/// What became of the mutants.
struct MutantsReport {
  std::uint64_t mutants = 0;
  std::uint64_t by_itself = 0;  // the program that was changed ends otherwise, or crashes
  // Not that, but the same change in the operations alike of the other programs is found: as if the
  // fold pass were wrong everywhere.
  std::uint64_t as_rule = 0;
  std::uint64_t equivalent = 0;   // no run can tell: why is known
  std::vector<std::string> lost;  // not found by anything
  std::string Text() const;
};

/// Changes one operation that is executed - a constant, an operand, the opcode, a branch or a
/// number of steps - in one of the works, `mutants` times, and compares as PiecesDiffer. Each is
/// tried in a child process.
void TryMutants(const std::vector<Work>& works, std::uint64_t mutants, std::uint64_t seed,
                MutantsReport& report);

}  // namespace txvm::vm
