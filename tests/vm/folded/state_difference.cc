#include "tests/vm/folded/state_difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "vm/state.h"

namespace txvm::vm {

std::string StatesDiffer(const Machine& machine, const Machine& native) {
  const State& a = machine.state();
  const State& b = native.state();
  if (a.steps != b.steps) return fmt::format("{} steps, native {}", a.steps, b.steps);
  if (a.ip != b.ip) return fmt::format("ip {}, native {}", a.ip, b.ip);
  if (!std::ranges::equal(machine.stack(), native.stack())) {
    return fmt::format("stack {}, native {}", machine.stack(), native.stack());
  }
  if (machine.Backtrace(1'000) != native.Backtrace(1'000)) return "backtraces differ";
  const std::size_t globals = machine.program().globals.size();
  if (!std::equal(a.locals.data(), a.locals.data() + globals, b.locals.data())) {
    return "globals differ";
  }
  if (a.memory.size_bytes() != b.memory.size_bytes()) return "memory sizes differ";
  if (std::memcmp(a.memory.data(), b.memory.data(), a.memory.size_bytes()) != 0) {
    return "memory differs";
  }
  return {};
}

std::string ResultsDiffer(const RunResult& result, const RunResult& native) {
  const RunResult& a = result;
  const RunResult& b = native;
  if (a.outcome != b.outcome) {
    return fmt::format("{}, native {}", OutcomeText(a.outcome), OutcomeText(b.outcome));
  }
  if (a.results != b.results) return fmt::format("{}, native {}", a.results, b.results);
  if (a.trap && (a.trap->cause != b.trap->cause || a.trap->ip != b.trap->ip ||
                 a.trap->detail != b.trap->detail)) {
    return "traps differ";
  }
  return {};
}

}  // namespace txvm::vm
