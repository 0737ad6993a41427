#include "tests/asm/routines/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/asm/routines/operands.h"
#include "tests/asm/routines/oracle.h"

namespace txvm::assembler {

Checker::Checker(RoutineId id, std::span<const isa::Instruction> code, std::uint32_t locals)
    : info_(Info(id)),
      lockstep_(code, locals),
      operands_(info_.cells_in),
      expected_(info_.cells_out),
      traps_(kLanes) {}

std::string Checker::Describe(std::size_t lane, const std::string& what) const {
  std::string text = fmt::format("{}(", info_.name);
  for (const Row& row : operands_) text += fmt::format(" {:08x}", row[lane]);
  return text + " ): " + what;
}

std::optional<std::string> Checker::Check() {
  constexpr std::uint64_t kMaxSteps = 100'000;
  const LockstepRun& run = lockstep_.Run(operands_, kLanes, kMaxSteps);
  if (run.fault) return fmt::format("{}: {}", info_.name, *run.fault);
  Oracle(info_.id, operands_, expected_, traps_, kLanes);
  const bool all_trapped = std::ranges::find(run.traps, 0) == run.traps.end();
  if (!all_trapped) {
    if (run.steps + 1 != info_.steps) {
      return fmt::format("{}: {} steps with the CALL, routines.def says {}", info_.name,
                         run.steps + 1, info_.steps);
    }
    if (run.results.size() != expected_.size()) {
      return fmt::format("{}: {} result cells", info_.name, run.results.size());
    }
  }
  // The usual case first: whole rows are equal.
  bool same = std::ranges::equal(run.traps, traps_);
  for (std::size_t i = 0; same && !all_trapped && i < expected_.size(); ++i) {
    same = run.results[i] == expected_[i];
  }
  if (same) return std::nullopt;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (run.traps[lane] != traps_[lane]) {
      return Describe(lane, fmt::format("trap {}, expected {}", run.traps[lane], traps_[lane]));
    }
    if (traps_[lane] != 0) continue;
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      if (run.results[i][lane] == expected_[i][lane]) continue;
      return Describe(lane, fmt::format("cell {} is {:08x}, expected {:08x}", i,
                                        run.results[i][lane], expected_[i][lane]));
    }
  }
  return std::nullopt;
}

std::optional<std::string> CheckRandom(Checker& checker, RoutineId id, std::uint64_t count,
                                       std::uint64_t seed) {
  OperandSource source(id, seed);
  for (std::uint64_t done = 0; done < count; done += kLanes) {
    source.Fill(checker.operands());
    if (auto difference = checker.Check()) return difference;
  }
  return std::nullopt;
}

}  // namespace txvm::assembler
