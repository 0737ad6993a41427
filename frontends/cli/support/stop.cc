// Stopping a run from outside.
#include "frontends/cli/support/stop.h"

#include <unistd.h>

#include <csignal>

#include "frontends/cli/support/exit_code.h"
#include "isa/support/result.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::chrono::milliseconds kRepeat{10};  // between requests after the deadline

// A signal handler can reach only what is global; set by the one guard that lives.
std::atomic<vm::Machine*> signalled_machine = nullptr;
std::atomic<bool> signal_seen = false;
std::atomic<bool> deadline_seen = false;
std::atomic<const StopGuard*> living_guard = nullptr;
static_assert(std::atomic<vm::Machine*>::is_always_lock_free);
int holders = 0;  // guards and flags that live: a guard may live within a flag's life

void OnSignal(int) {
  if (signal_seen.exchange(true)) _exit(Value(ExitCode::kInterrupted));
  if (vm::Machine* machine = signalled_machine.load()) {
    machine->Interrupt(vm::InterruptReason::kSignal);
  }
}

void Handle(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup
}

void Hold() {
  if (holders++ == 0) Handle(OnSignal);
}

void Release() {
  if (--holders == 0) Handle(SIG_DFL);
}

}  // namespace

StopGuard::StopGuard(vm::Machine& machine, std::optional<double> seconds, Ends ends)
    : machine_(machine), ends_(ends) {
  TXVM_ASSERT(signalled_machine.load() == nullptr);
  signalled_machine = &machine;
  living_guard = this;
  Hold();
  if (seconds) watcher_ = std::thread([this, limit = *seconds] { Watch(limit); });
}

StopGuard::~StopGuard() {
  if (watcher_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    ended_.notify_one();
    watcher_.join();
  }
  Release();
  living_guard = nullptr;
  signalled_machine = nullptr;
}

void StopGuard::Watch(double seconds) {
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done_; })) {
    return;
  }
  late_ = true;
  if (ends_ == Ends::kCommand) deadline_seen = true;
  do {
    machine_.Interrupt(vm::InterruptReason::kTimeout);
  } while (!ended_.wait_for(lock, kRepeat, [this] { return done_; }));
}

vm::InterruptReason StopGuard::requested() const {
  if (signal_seen) return vm::InterruptReason::kSignal;
  return late_ ? vm::InterruptReason::kTimeout : vm::InterruptReason::kNone;
}

bool StopGuard::AnyRequested() {
  const StopGuard* guard = living_guard;
  return guard != nullptr && guard->requested() != vm::InterruptReason::kNone;
}

bool StopGuard::WasRequested() { return signal_seen || deadline_seen; }

StopFlag::StopFlag() { Hold(); }
StopFlag::~StopFlag() { Release(); }
bool StopFlag::requested() const { return signal_seen; }

}  // namespace txvm::frontends::cli
