// Runs one program on the reference interpreter and on every engine, in every way a run can be
// made, and reports the first thing they do not agree on.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/trap.h"
#include "tests/support/random_program.h"
#include "vm/outcome.h"

namespace txvm::support {

/// What the cases so far have exercised; a test asserts that it is everything.
struct Coverage {
  std::uint64_t cases = 0;
  std::uint64_t steps = 0;
  std::array<std::uint64_t, 256> opcodes{};                // executed, by code
  std::array<std::uint64_t, 16> outcomes{};                // by ReferenceResult::Outcome
  std::array<std::uint64_t, isa::kTrapCount + 1> traps{};  // by Trap
  std::uint64_t rejected = 0;                              // by Verify
  std::uint64_t not_loaded = 0;  // by Machine::Load, which must not depend on the engine
};

/// The first difference in outcome, trap, results, stack, memory, globals, steps, digest or the
/// heads that opcodes.def says: between an engine and the reference, between runs with and without
/// digest, trace and stats, between a run in one piece and in pieces of random fuel, or in a second
/// run on the same instance. nullopt: none. `seed` chooses the pieces and is named in the report,
/// which lists the program.
std::optional<std::string> FirstDifference(
    const RandomCase& random_case, std::uint64_t seed, Coverage& coverage,
    const std::vector<vm::EngineKind>& engines = vm::DirectEngines());

/// The same with another program and arguments for the engines than for the reference: how the
/// comparison itself is tested.
std::optional<std::string> FirstDifference(
    const RandomCase& for_reference, const RandomCase& for_engines, std::uint64_t seed,
    Coverage& coverage, const std::vector<vm::EngineKind>& engines = vm::DirectEngines());

/// One line per opcode, outcome and trap that was exercised.
std::string CoverageText(const Coverage& coverage);

}  // namespace txvm::support
