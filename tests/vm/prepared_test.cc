// What embedding needs of a machine: programs shared by instances, numbered runs, steps, heads and
// backtraces.
#include "vm/prepared.h"

#include <thread>

#include "tests/vm/vm_fixture.h"

namespace txvm::vm {
namespace {

constexpr std::string_view kCountdown = R"(
.memory 1 2
.func inner params=1 results=1
  LOCAL.SET 0
  loop
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if 0
  end
  PUSH 100
  PUSH 0
  I32.LOAD
  I32.LOAD
  ADD
.end
.func main params=1 results=1
  CALL inner
.end
.export "main" main
)";
constexpr std::string_view kEndless = "again:\nPUSH 1\nJNZ again\nHALT\n";

isa::Result<RunResult> CallMain(Machine& machine, Word argument, const RunOptions& options = {}) {
  return machine.Call(*machine.program().FindExport("main"), {&argument, 1}, options);
}

class SharedProgram : public OnEachEngine {};

TEST_P(SharedProgram, GivesEveryInstanceItsOwnState) {
  const auto prepared = Prepared::Create(ProgramOf(kCountdown)).value();
  MachineOptions options;
  options.engine = GetParam();
  Machine first = Machine::Load(prepared, {}, options).value();
  Machine second = Machine::Load(prepared, {}, options).value();
  first.memory().data()[0] = 8;
  first.memory().data()[8] = 7;
  EXPECT_EQ(CallMain(first, 3)->results, std::vector<Word>{107});
  EXPECT_EQ(CallMain(second, 3)->results, std::vector<Word>{100});
  RunOptions observed;
  observed.digest = true;
  EXPECT_EQ(CallMain(first, 3, observed)->results, std::vector<Word>{107});
}

TEST_P(SharedProgram, OutlivesItsPreparation) {
  auto prepared = Prepared::Create(ProgramOf(kCountdown)).value();
  MachineOptions options;
  options.engine = GetParam();
  Machine machine = Machine::Load(prepared, {}, options).value();
  prepared.reset();
  EXPECT_EQ(CallMain(machine, 2)->results, std::vector<Word>{100});
}

TXVM_ON_EACH_ENGINE(SharedProgram);

TEST(Preparation, IsRefusedWhatTheValidatorRefuses) {
  const auto program = ProgramOf("ADD\nHALT\n");
  EXPECT_FALSE(Prepared::Create(program).has_value());
  const auto unverified = Prepared::Create(program, true);
  ASSERT_TRUE(unverified.has_value());
  EXPECT_EQ((*unverified)->verified(), nullptr);
}

class NumberedRuns : public OnEachEngine {};

TEST_P(NumberedRuns, ARequestForAnEarlierRunDoesNotStopALaterOne) {
  Machine machine = MachineOf(kEndless, GetParam());
  RunOptions options;
  options.fuel = 100'000;
  const std::uint64_t first = machine.run_number() + 1;
  EXPECT_EQ(RunEntry(machine, options).outcome, Outcome::kOutOfFuel);
  EXPECT_EQ(machine.run_number(), first);
  std::jthread late([&] {
    for (int i = 0; i < 1'000; ++i) machine.Interrupt(first, InterruptReason::kTimeout);
  });
  EXPECT_EQ(RunEntry(machine, options).outcome, Outcome::kOutOfFuel);
}

TEST_P(NumberedRuns, ARequestForARunToComeStopsItAtItsStart) {
  Machine machine = MachineOf(kEndless, GetParam());
  machine.Interrupt(machine.run_number() + 1, InterruptReason::kTimeout);
  const RunResult stopped = RunEntry(machine);
  EXPECT_EQ(stopped.outcome, Outcome::kInterrupted);
  EXPECT_EQ(stopped.interrupt, InterruptReason::kTimeout);
  EXPECT_EQ(stopped.steps, 0u);
  RunOptions options;
  options.fuel = 10;
  EXPECT_EQ(machine.Resume(options).outcome, Outcome::kOutOfFuel);
}

TEST_P(NumberedRuns, AnInitStubThatIsNotThereIsARunTooAndDropsAnUnfinishedOne) {
  Machine machine = MachineOf(kEndless, GetParam());
  RunOptions options;
  options.fuel = 10;
  options.digest = true;
  EXPECT_EQ(RunEntry(machine, options).outcome, Outcome::kOutOfFuel);
  const std::uint64_t next = machine.run_number() + 1;
  machine.Interrupt(next, InterruptReason::kTimeout);  // a watchdog of the start alone
  const RunResult init = machine.RunInit(options);
  EXPECT_EQ(init.outcome, Outcome::kHalted);
  EXPECT_EQ(init.steps, 0u);
  EXPECT_EQ(init.digest, isa::kDigestSeed);
  EXPECT_EQ(machine.run_number(), next);
  EXPECT_FALSE(machine.resumable());
  EXPECT_TRUE(machine.stack().empty());
  EXPECT_EQ(RunEntry(machine, options).outcome, Outcome::kOutOfFuel);
}

TEST_P(NumberedRuns, AStaleRequestDuringARunDoesNotHideOneThatIsMeant) {
  Machine machine = MachineOf(kEndless, GetParam());
  machine.Interrupt(InterruptReason::kSignal);  // for run 0: there is none
  std::jthread other([&] {
    while (machine.run_number() == 0) std::this_thread::yield();
    machine.Interrupt(1, InterruptReason::kTimeout);
    machine.Interrupt(0, InterruptReason::kSignal);
  });
  const RunResult result = RunEntry(machine);
  EXPECT_EQ(result.outcome, Outcome::kInterrupted);
  EXPECT_EQ(result.interrupt, InterruptReason::kTimeout);
}

TXVM_ON_EACH_ENGINE(NumberedRuns);

class Steps : public OnEachEngine {};

TEST_P(Steps, AreShownBeforeTheyAreMadeAndMayBeStoppedAt) {
  Machine machine = MachineOf(kCountdown, GetParam());
  RunOptions whole;
  whole.digest = true;
  const RunResult expected = *CallMain(machine, 3, whole);
  std::vector<std::uint64_t> steps;
  RunOptions watched = whole;
  watched.before_step = [&](std::uint32_t, std::uint64_t step) {
    steps.push_back(step);
    return true;
  };
  const RunResult seen = *CallMain(machine, 3, watched);
  EXPECT_EQ(seen.digest, expected.digest);
  ASSERT_EQ(steps.size(), expected.steps);
  EXPECT_EQ(steps.front(), 0u);
  EXPECT_EQ(steps.back(), expected.steps - 1);

  watched.before_step = [&](std::uint32_t, std::uint64_t step) { return step != 9; };
  const RunResult stopped = *CallMain(machine, 3, watched);
  EXPECT_EQ(stopped.outcome, Outcome::kInterrupted);
  EXPECT_EQ(stopped.interrupt, InterruptReason::kBreakpoint);
  EXPECT_EQ(stopped.steps, 9u);
  EXPECT_EQ(machine.Resume(whole).digest, expected.digest);
}

TEST_P(Steps, EndWithTheFuel) {
  Machine machine = MachineOf(kEndless, GetParam());
  RunOptions options;
  options.fuel = 7;
  options.before_step = [](std::uint32_t, std::uint64_t) { return true; };
  const RunResult result = RunEntry(machine, options);
  EXPECT_EQ(result.outcome, Outcome::kOutOfFuel);
  EXPECT_EQ(result.steps, 7u);
}

TXVM_ON_EACH_ENGINE(Steps);

TEST(Heads, AreReportedWithTheKeyThatWonAndItsMargin) {
  Machine machine = MachineOf(kCountdown, EngineKind::kAttention);
  machine.memory().data()[0] = 40;
  std::vector<HeadReading> readings;
  RunOptions options;
  options.stats = true;
  options.heads = [&](const HeadReading& reading) { readings.push_back(reading); };
  const RunResult result = *CallMain(machine, 2, options);
  ASSERT_EQ(result.results, std::vector<Word>{100});
  std::array<std::uint64_t, kSpaceCount> heads{};
  std::uint64_t loads = 0;
  for (const HeadReading& reading : readings) {
    ++heads[static_cast<std::size_t>(weights::Spec(reading.head).space)];
    EXPECT_EQ(reading.winner, static_cast<std::int64_t>(reading.query));
    EXPECT_EQ(reading.margin, 1);  // the neighbour's score is one less: a^2 - (a - k)^2
    const auto digit = static_cast<std::int64_t>(reading.query % reading.keys);
    EXPECT_EQ(reading.score, digit * digit);
    if (reading.head == weights::HeadId::kByte0) {
      EXPECT_EQ(reading.query, loads++ == 0 ? 0u : 40u);
    }
  }
  EXPECT_EQ(heads[static_cast<std::size_t>(Space::kCode)], result.steps);
  EXPECT_EQ(heads, result.stats->heads);
  EXPECT_EQ(loads, 2u);
  EXPECT_EQ(CallMain(machine, 2)->steps, result.steps);
}

class Backtraces : public testing::TestWithParam<EngineKind> {};

TEST_P(Backtraces, LeadFromTheTrapToTheStub) {
  Machine machine = MachineOf(R"(
.func inner params=1 results=1
  PUSH 0
  DIV_U
.end
.func middle params=1 results=1
  NOP
  CALL inner
.end
.func main results=1
  PUSH 7
  CALL middle
.end
.export "main" main
)",
                              GetParam());
  const RunResult result = machine.Call(*machine.program().FindExport("main"), {}).value();
  ASSERT_EQ(result.outcome, Outcome::kTrapped);
  const std::vector<std::uint32_t> ips = machine.Backtrace(10);
  std::vector<std::string> names;
  for (const std::uint32_t ip : ips) names.push_back(machine.program().FunctionAt(ip)->name);
  ASSERT_EQ(names.size(), 4u);
  EXPECT_EQ(names[0], "inner");
  EXPECT_EQ(names[1], "middle");
  EXPECT_EQ(names[2], "main");
  EXPECT_EQ(ips[0], result.trap->ip);
  EXPECT_EQ(machine.Backtrace(2).size(), 2u);
  EXPECT_TRUE(machine.Backtrace(0).empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, Backtraces, testing::ValuesIn(AllEngines()), EngineTestName);

}  // namespace
}  // namespace txvm::vm
