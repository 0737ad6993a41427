// Fuel is exact and cuts are invisible; interrupts come within 1,024 steps.
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "tests/vm/vm_fixture.h"

namespace txvm::vm {
namespace {

constexpr std::string_view kCalls = R"(
.func twice params=1 results=1
  LOCAL.SET 0
  LOCAL.GET 0
  PUSH 2
  MUL
.end
.func main results=1
  PUSH 5
  LOCAL.SET 0
  PUSH 1
  loop params=1 results=1
    CALL twice
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if 0
  end
.end
.export "main" main
)";

class Fuel : public OnEachEngine {};

TEST_P(Fuel, AllowsExactlyItsStepsAndResumesToTheUncutResult) {
  RunOptions whole;
  whole.digest = true;
  Machine uncut = MachineOf(kCalls, GetParam());
  const RunResult expected = RunEntry(uncut, whole);
  ASSERT_EQ(expected.results, std::vector<Word>{32});
  for (std::uint64_t fuel = 0; fuel < expected.steps; ++fuel) {
    Machine machine = MachineOf(kCalls, GetParam());
    RunOptions cut = whole;
    cut.fuel = fuel;
    const RunResult first = RunEntry(machine, cut);
    ASSERT_EQ(first.outcome, Outcome::kOutOfFuel) << fuel;
    ASSERT_EQ(first.steps, fuel);
    ASSERT_TRUE(machine.resumable());
    const RunResult rest = machine.Resume(whole);
    ASSERT_EQ(rest.results, expected.results) << fuel;
    ASSERT_EQ(rest.steps, expected.steps) << fuel;
    ASSERT_EQ(rest.digest, expected.digest) << fuel;
  }
}

TEST_P(Fuel, HaltAsTheLastAllowedStepIsHalted) {
  Machine machine = MachineOf(kCalls, GetParam());
  const std::uint64_t steps = RunEntry(machine).steps;
  RunOptions options;
  options.fuel = steps;
  EXPECT_EQ(RunEntry(machine, options).outcome, Outcome::kHalted);
}

TEST_P(Fuel, EndsALoopThatNeverEnds) {
  Machine machine = MachineOf("again:\nPUSH 1\nJNZ again\nHALT\n", GetParam());
  RunOptions options;
  options.fuel = 1'000'001;
  const RunResult result = RunEntry(machine, options);
  EXPECT_EQ(result.outcome, Outcome::kOutOfFuel);
  EXPECT_EQ(result.steps, 1'000'001u);
  EXPECT_EQ(machine.ip(), 1u);
}

TXVM_ON_EACH_ENGINE(Fuel);

class Interrupts : public OnEachEngine {};

TEST_P(Interrupts, StopAnEndlessLoopFromAnotherThreadAndCanBeResumed) {
  Machine machine = MachineOf("again:\nPUSH 1\nJNZ again\nHALT\n", GetParam());
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    machine.Interrupt(InterruptReason::kTimeout);
  });
  const RunResult result = RunEntry(machine);
  EXPECT_EQ(result.outcome, Outcome::kInterrupted);
  EXPECT_EQ(result.interrupt, InterruptReason::kTimeout);
  EXPECT_GT(result.steps, 0u);
  RunOptions options;
  options.fuel = 10;
  EXPECT_EQ(machine.Resume(options).steps, result.steps + 10);
}

TEST_P(Interrupts, APendingRequestDoesNotHitTheNextRun) {
  Machine machine = MachineOf("PUSH 1\nHALT\n", GetParam());
  machine.Interrupt(InterruptReason::kSignal);
  EXPECT_EQ(RunEntry(machine).outcome, Outcome::kHalted);
}

// The trace's receiver makes the request at a known step, in the middle of the engine's loop: that
// goes on where it is, as it does for a request from another thread.
void ExpectStopsInTime(EngineKind engine, const std::string& text) {
  constexpr std::uint64_t kFirstBatch = 4'096, kMostSteps = 1'024;
  Machine machine = MachineOf(text, engine);
  bool asked = false;
  RunOptions options;
  options.trace = [&](std::span<const isa::TraceRecord>) {
    if (!std::exchange(asked, true)) machine.Interrupt(InterruptReason::kTimeout);
  };
  const RunResult result = RunEntry(machine, options);
  ASSERT_EQ(result.outcome, Outcome::kInterrupted);
  EXPECT_EQ(result.interrupt, InterruptReason::kTimeout);
  EXPECT_LE(result.steps, kFirstBatch + kMostSteps);
  EXPECT_EQ(machine.Resume(options).outcome, Outcome::kHalted);
}

TEST_P(Interrupts, AreReadAtLeastEvery1024StepsOfStraightCode) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "NOP\n";
  ExpectStopsInTime(GetParam(), text + "HALT\n");
}

TEST_P(Interrupts, AreReadWhereForwardJumpsStepOverEveryPoll) {
  constexpr int kPollDistance = 512, kPolls = 20;
  std::string text;
  for (int poll = 1, ip = 0; poll <= kPolls; ++poll) {
    for (; ip < poll * kPollDistance - 2; ++ip) text += "NOP\n";
    const std::string label = "over" + std::to_string(poll);
    text += "PUSH 1\nJNZ " + label + "\nNOP\n" + label + ":\n";  // the NOP is the row that polls
    ip += 3;
  }
  ExpectStopsInTime(GetParam(), text + "HALT\n");
}

TXVM_ON_EACH_ENGINE(Interrupts);

}  // namespace
}  // namespace txvm::vm
