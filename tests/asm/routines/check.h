// Holds a routine's code against the processor, block by block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "asm/routines/routines.h"
#include "tests/asm/routines/lockstep.h"

namespace txvm::assembler {

/// Runs blocks of operands through the code and the oracle.
class Checker {
 public:
  /// `code`: the routine's own, or a mutation of it; must outlive the checker.
  Checker(RoutineId id, std::span<const isa::Instruction> code, std::uint32_t locals);
  explicit Checker(RoutineId id) : Checker(id, CodeOf(id).code, CodeOf(id).locals) {}

  /// The operand rows of the next block. (cells_in,)
  std::span<Row> operands() { return operands_; }
  /// The first difference on this block in results, traps or steps, or a fault of the lockstep run.
  std::optional<std::string> Check();

 private:
  std::string Describe(std::size_t lane, const std::string& what) const;

  const RoutineInfo& info_;
  Lockstep lockstep_;
  std::vector<Row> operands_, expected_;
  std::vector<std::uint8_t> traps_;
};

/// The first difference on about `count` random operand sets; whole blocks.
std::optional<std::string> CheckRandom(Checker& checker, RoutineId id, std::uint64_t count,
                                       std::uint64_t seed);

}  // namespace txvm::assembler
