#include "tests/vm/folded/cuts.h"

#include <fmt/format.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "tests/support/random.h"
#include "tests/vm/folded/wasm_comparison.h"
#include "vm/snapshot_file.h"

namespace txvm::vm {
namespace {

double SecondsOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Interrupts a machine of the thread that makes it, at random times, until it is destroyed.
class Interrupter {
 public:
  Interrupter(Machine& machine, std::uint64_t seed) {
    clockid_t clock{};
    pthread_getcpuclockid(pthread_self(), &clock);
    thread_ = std::jthread([this, &machine, seed, clock](const std::stop_token& stop) {
      support::Random random(seed);
      while (!stop.stop_requested()) {
        std::this_thread::sleep_for(std::chrono::microseconds(random.Below(kMostMicroseconds)));
        if (asked_.load() >= 0) continue;  // the last request was not answered yet
        asked_.store(SecondsOf(clock));
        machine.Interrupt(InterruptReason::kTimeout);
      }
    });
  }

  /// The machine has stopped: processor time since the request, if there was one.
  std::optional<double> Answered() {
    const double now = SecondsOf(CLOCK_THREAD_CPUTIME_ID);
    const double asked = asked_.exchange(-1);
    return asked < 0 ? std::nullopt : std::optional(now - asked);
  }

 private:
  static constexpr std::uint32_t kMostMicroseconds = 300;
  std::atomic<double> asked_ = -1;
  std::jthread thread_;
};

/// How the native engine ends.
struct Uncut {
  Machine machine;
  RunResult result;
};

std::vector<Uncut> RunUncut(const std::vector<Work>& works) {
  std::vector<Uncut> uncut;
  for (const Work& work : works) {
    Machine machine = LoadWork(Prepared::Create(work.program).value(), work, EngineKind::kNative);
    machine.RunInit();
    RunResult result = machine.CallStub(work.start, work.args);
    uncut.push_back({std::move(machine), std::move(result)});
  }
  return uncut;
}

std::string DiffersFrom(const Uncut& uncut, const Machine& machine, const RunResult& result) {
  std::string difference = ResultsDiffer(result, uncut.result);
  if (difference.empty()) difference = StatesDiffer(machine, uncut.machine);
  return difference;
}

// 1 .. 2^20, short ones as often as long ones.
std::uint64_t RandomFuel(support::Random& random) {
  return 1 + random.Below(std::uint32_t{1} << random.Between(1, 20));
}

}  // namespace

double CutsReport::Latency(double share) const {
  if (seconds.empty()) return 0;
  std::vector<double> sorted = seconds;
  std::ranges::sort(sorted);
  const double last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(share * last)];
}

std::string CutsReport::Text() const {
  return fmt::format(
      "{} runs, {} steps, {} cuts by fuel, {} interrupts; processor time from request to stop: "
      "half within {:.0f} us, 99 % within {:.0f} us, all within {:.0f} us\n",
      runs, steps, fuel_cuts, interrupts, 1e6 * Latency(0.5), 1e6 * Latency(0.99),
      1e6 * Latency(1));
}

std::string CutAndGoOn(const std::vector<Work>& works, std::uint64_t cuts, std::uint64_t seed,
                       CutsReport& report) {
  const std::vector<Uncut> uncut = RunUncut(works);
  std::vector<std::shared_ptr<const Prepared>> prepared;
  for (const Work& work : works) prepared.push_back(Prepared::Create(work.program).value());
  support::Random random(seed);
  for (std::size_t w = 0; report.fuel_cuts + report.interrupts < cuts; w = (w + 1) % works.size()) {
    const Work& work = works[w];
    Machine machine = LoadWork(prepared[w], work, EngineKind::kFolded);
    machine.RunInit();
    ++report.runs;
    RunOptions options;
    options.fuel = 0;
    RunResult result = machine.CallStub(work.start, work.args, options);
    {
      Interrupter interrupter(machine, random.Next());
      while (result.outcome == Outcome::kOutOfFuel || result.outcome == Outcome::kInterrupted) {
        // Every other piece is stopped by the other thread alone.
        options.fuel = random.OneIn(2) ? RandomFuel(random) : isa::kUnlimitedFuel;
        result = machine.Resume(options);
        const std::optional<double> latency = interrupter.Answered();
        if (result.outcome == Outcome::kOutOfFuel) ++report.fuel_cuts;
        if (result.outcome != Outcome::kInterrupted) continue;
        ++report.interrupts;
        if (latency) report.seconds.push_back(*latency);
      }
    }
    report.steps += result.steps;
    if (const std::string difference = DiffersFrom(uncut[w], machine, result);
        !difference.empty()) {
      return fmt::format("{}, seed {}: {}", work.name, seed, difference);
    }
  }
  return {};
}

std::string ChangeEngines(const std::vector<Work>& works, std::uint64_t points, std::uint64_t seed,
                          CutsReport& report) {
  const std::vector<Uncut> uncut = RunUncut(works);
  support::Random random(seed);
  constexpr EngineKind kEngines[] = {EngineKind::kFolded, EngineKind::kNative,
                                     EngineKind::kAttention};
  constexpr std::size_t kPiecesOfRun = 12;  // of a run, about
  for (std::size_t w = 0; report.fuel_cuts < points; w = (w + 1) % works.size()) {
    const Work& work = works[w];
    const auto prepared = Prepared::Create(work.program).value();
    Machine machine = LoadWork(prepared, work, EngineKind::kFolded);
    machine.RunInit();
    ++report.runs;
    const auto most = static_cast<std::uint32_t>(2 * uncut[w].result.steps / kPiecesOfRun + 2);
    RunOptions options;
    options.fuel = random.Below(most);
    RunResult result = machine.CallStub(work.start, work.args, options);
    for (std::size_t engine = 1; result.outcome == Outcome::kOutOfFuel; ++engine) {
      ++report.fuel_cuts;
      const std::vector<std::uint8_t> file = WriteSnapshot(machine.TakeSnapshot().value());
      Machine next = LoadWork(prepared, work, kEngines[engine % std::size(kEngines)]);
      if (const auto restored = next.Restore(ReadSnapshot(file).value()); !restored) {
        return restored.error().message;
      }
      machine = std::move(next);
      options.fuel = random.Below(most);
      result = machine.Resume(options);
    }
    report.steps += result.steps;
    if (const std::string difference = DiffersFrom(uncut[w], machine, result);
        !difference.empty()) {
      return fmt::format("{}, seed {}: {}", work.name, seed, difference);
    }
  }
  return {};
}

}  // namespace txvm::vm
