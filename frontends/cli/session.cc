// One program, loaded and called from the command line.
#include "frontends/cli/session.h"

#include <chrono>

#include "frontends/cli/host_functions.h"
#include "frontends/cli/stop.h"

namespace txvm::frontends::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Entry {
  const isa::Export* found = nullptr;  // nullptr: program.entry
  std::vector<isa::Word> words;
};

isa::Result<Entry> PrepareEntry(const isa::Program& program, const RunSettings& settings) {
  Entry entry;
  TXVM_TRY(entry.found, vm::ChooseEntry(program, settings.invoke));
  TXVM_TRY(entry.words, ParseWords(settings.arguments));
  return entry;
}

isa::Result<vm::RunResult> RunEntry(vm::Machine& machine, const Entry& entry,
                                    const vm::RunOptions& options) {
  if (entry.found != nullptr) return machine.Call(*entry.found, entry.words, options);
  return machine.CallStub(machine.program().entry, entry.words, options);
}

// A stop that was asked for between two runs, which a machine cannot see.
vm::RunResult StoppedBefore(vm::InterruptReason reason) {
  vm::RunResult result;
  result.outcome = vm::Outcome::kInterrupted;
  result.interrupt = reason;
  return result;
}

}  // namespace

isa::Result<SessionResult> RunSession(std::shared_ptr<const isa::Program> program,
                                      const RunSettings& settings, const vm::RunOptions& observe) {
  TXVM_TRY(const Entry entry, PrepareEntry(*program, settings));
  TXVM_TRY(vm::Machine machine,
           vm::Machine::Load(program, HostFunctions(settings.silent),
                             {settings.engine, settings.limits, settings.unverified}));
  const StopGuard guard(machine, settings.timeout);
  SessionResult session;
  Clock::time_point start = Clock::now();
  vm::RunOptions options = observe;
  options.fuel = settings.fuel;
  if (program->init) {
    vm::RunOptions init;
    init.fuel = settings.fuel;
    session.result = machine.RunInit(init);
    if (settings.fuel != isa::kUnlimitedFuel) options.fuel -= session.result.steps;
  }
  if (session.result.outcome == vm::Outcome::kHalted) {
    if (const vm::InterruptReason reason = guard.requested();
        reason != vm::InterruptReason::kNone) {
      session.result = StoppedBefore(reason);
    } else {
      start = Clock::now();
      TXVM_TRY(session.result, RunEntry(machine, entry, options));
    }
  }
  session.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  session.ip = machine.ip();
  return session;
}

}  // namespace txvm::frontends::cli
