#include "vm/outcome.h"

#include <limits>

namespace txvm::vm {
namespace {

struct EngineRow {
  EngineKind kind;
  std::uint64_t longest;
  std::string_view name, what;
};

constexpr EngineRow kEngines[] = {
#define TXVM_ENGINE(Name, text, longest, what) {EngineKind::k##Name, longest, text, what},
#include "vm/engines.def"
#undef TXVM_ENGINE
};

}  // namespace

std::string_view EngineName(EngineKind engine) {
  return kEngines[static_cast<std::size_t>(engine)].name;
}
std::string_view EngineWhat(EngineKind engine) {
  return kEngines[static_cast<std::size_t>(engine)].what;
}

std::optional<EngineKind> FindEngine(std::string_view name) {
  for (const EngineRow& row : kEngines) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

std::vector<EngineKind> AllEngines() {
  std::vector<EngineKind> engines;
  for (const EngineRow& row : kEngines) engines.push_back(row.kind);
  return engines;
}

std::vector<EngineKind> DirectEngines() {
  std::vector<EngineKind> engines;
  for (const EngineRow& row : kEngines) {
    if (row.longest == 0) engines.push_back(row.kind);
  }
  return engines;
}

std::uint64_t LongestComparedRun(EngineKind engine) {
  const std::uint64_t longest = kEngines[static_cast<std::size_t>(engine)].longest;
  return longest == 0 ? std::numeric_limits<std::uint64_t>::max() : longest;
}

std::string_view OutcomeText(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHalted:
      return "halted";
    case Outcome::kTrapped:
      return "trapped";
    case Outcome::kExited:
      return "exited";
    case Outcome::kOutOfFuel:
      return "out_of_fuel";
    case Outcome::kInterrupted:
      return "interrupted";
    case Outcome::kHostError:
      return "host_error";
  }
  return "unknown";
}

std::string_view OutcomeWords(Outcome outcome) {
  if (outcome == Outcome::kOutOfFuel) return "out of fuel";
  if (outcome == Outcome::kHostError) return "host error";
  return OutcomeText(outcome);
}

std::string_view InterruptText(InterruptReason reason) {
  switch (reason) {
    case InterruptReason::kNone:
      return "none";
    case InterruptReason::kTimeout:
      return "timeout";
    case InterruptReason::kSignal:
      return "signal";
    case InterruptReason::kBreakpoint:
      return "breakpoint";
  }
  return "unknown";
}

}  // namespace txvm::vm
