// Which calls of a program are operations of the processor.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "isa/program.h"
#include "isa/routine.h"

namespace txvm::vm::folded {

/// The routines among a program's functions, by where a CALL of them goes. Empty: every CALL is
/// one.
class RoutineMap {
 public:
  RoutineMap() = default;
  /// Finds functions whose code is that of a routine for which `can_compute` is true. REQUIRES: a
  /// verified program. O(code).
  RoutineMap(const isa::Program& program, bool (*can_compute)(isa::RoutineId));

  bool empty() const { return by_first_.empty(); }
  /// The routine that an instruction calls; nullopt: it is no CALL of one.
  std::optional<isa::RoutineId> CalledBy(isa::Instruction instruction) const;
  /// Steps of an instruction, those of the routine that it calls included.
  std::uint32_t StepsOf(isa::Instruction instruction) const;
  /// Whether the function that starts at `first` is one of them.
  bool StartsAt(std::uint32_t first) const { return by_first_.contains(first); }

 private:
  std::unordered_map<std::uint32_t, isa::RoutineId> by_first_;
};

}  // namespace txvm::vm::folded
