// Steps, breakpoints, traces, heads and counts through the C interface.
#include <set>

#include "tests/vm/capi/api.h"

namespace txvm {
namespace {

using testing::Call;
using testing::Message;
using testing::Ok;

constexpr const char* kLoop = R"(
.memory 1 1
.func main params=1 results=1
  LOCAL.SET 0
  loop
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if 0
  end
  PUSH 12
  I32.LOAD
.end
.export "main" main
)";
constexpr std::uint32_t kSubtractLine = 8;

struct Fixture {
  explicit Fixture(const char* name)
      : engine(testing::NewEngine(name)),
        program(testing::LoadText(engine.get(), kLoop)),
        instance(testing::NewInstance(program.get())) {
    Ok(txvm_line_find(program.get(), kSubtractLine, &subtract));
  }
  void Watch(const txvm_watch& watch) { Ok(txvm_watch_set(instance.get(), &watch)); }
  testing::EnginePtr engine;
  testing::ProgramPtr program;
  testing::InstancePtr instance;
  std::uint32_t subtract = 0;
  std::vector<std::int32_t> results;
};

txvm_watch NewWatch(void* user) {
  txvm_watch watch{};
  watch.size = sizeof(watch);
  watch.user = user;
  return watch;
}

class Watching : public testing::OnEachEngine {};

TEST_P(Watching, BreakpointsStopBeforeTheirInstructionEachTime) {
  Fixture f(GetParam());
  const std::uint64_t steps = Call(f.instance.get(), "main", {3}, &f.results).steps;
  Ok(txvm_breakpoint_set(f.instance.get(), f.subtract, true));
  txvm_outcome outcome = Call(f.instance.get(), "main", {3}, &f.results);
  for (int times = 0; times < 3; ++times) {
    ASSERT_EQ(outcome.stop, TXVM_INTERRUPTED);
    EXPECT_EQ(outcome.interrupt, TXVM_INTERRUPT_BREAKPOINT);
    EXPECT_EQ(outcome.ip, f.subtract);
    std::size_t count = 0;
    const std::int32_t* stack = txvm_stack(f.instance.get(), &count);
    ASSERT_EQ(count, 2u);
    EXPECT_EQ(stack[0], 3 - times);
    Ok(txvm_resume(f.instance.get(), f.results.data(), 1, &outcome));
  }
  EXPECT_EQ(outcome.stop, TXVM_HALTED);
  EXPECT_EQ(outcome.steps, steps);
  Ok(txvm_breakpoint_set(f.instance.get(), f.subtract, false));
  EXPECT_EQ(Call(f.instance.get(), "main", {3}, &f.results).stop, TXVM_HALTED);
  EXPECT_EQ(Message(txvm_breakpoint_set(f.instance.get(), 1'000, true)),
            "breakpoint at 1000 is outside the code of " +
                std::to_string(txvm_code_size(f.program.get())) + " instructions");
}

TEST_P(Watching, TheStepCallbackSeesTheStepsAtBreakpointsToo) {
  Fixture f(GetParam());
  std::vector<std::uint64_t> seen;
  txvm_watch watch = NewWatch(&seen);
  watch.step = [](void* user, txvm_instance*, uint32_t, uint64_t steps) {
    static_cast<std::vector<std::uint64_t>*>(user)->push_back(steps);
    return true;
  };
  f.Watch(watch);
  Ok(txvm_breakpoint_set(f.instance.get(), f.subtract, true));
  txvm_outcome outcome = Call(f.instance.get(), "main", {2}, &f.results);
  while (outcome.stop == TXVM_INTERRUPTED) {
    EXPECT_EQ(outcome.ip, f.subtract);
    EXPECT_EQ(seen.back(), outcome.steps);
    Ok(txvm_resume(f.instance.get(), f.results.data(), 1, &outcome));
  }
  ASSERT_EQ(seen.size(), outcome.steps);
  for (std::uint64_t step = 0; step < outcome.steps; ++step) EXPECT_EQ(seen[step], step);
}

// Whatever ends a run at a breakpoint before its instruction is made.
TEST_P(Watching, AStopIsToldOnceHoweverTheRunGoesOn) {
  Fixture f(GetParam());
  Ok(txvm_breakpoint_set(f.instance.get(), f.subtract, true));
  txvm_outcome outcome = Call(f.instance.get(), "main", {1}, &f.results);
  ASSERT_EQ(outcome.interrupt, TXVM_INTERRUPT_BREAKPOINT);
  const std::uint64_t steps = outcome.steps;
  Ok(txvm_step(f.instance.get(), 0, f.results.data(), 1, &outcome));
  txvm_interrupt_run(f.instance.get(), txvm_run_number(f.instance.get()) + 1,
                     TXVM_INTERRUPT_TIMEOUT);
  Ok(txvm_resume(f.instance.get(), f.results.data(), 1, &outcome));
  ASSERT_EQ(outcome.interrupt, TXVM_INTERRUPT_TIMEOUT);
  EXPECT_EQ(outcome.steps, steps);
  Ok(txvm_resume(f.instance.get(), f.results.data(), 1, &outcome));
  EXPECT_EQ(outcome.stop, TXVM_HALTED);
}

TEST_P(Watching, StepsAreMadeOneByOne) {
  Fixture f(GetParam());
  const txvm_outcome whole = Call(f.instance.get(), "main", {4}, &f.results);
  const std::int32_t argument = 4;
  Ok(txvm_begin(f.instance.get(), 0, &argument, 1));
  txvm_outcome outcome = testing::NewOutcome();
  for (std::uint64_t step = 1; step < whole.steps; ++step) {
    Ok(txvm_step(f.instance.get(), 1, f.results.data(), 1, &outcome));
    ASSERT_EQ(outcome.stop, TXVM_INTERRUPTED);
    EXPECT_EQ(outcome.interrupt, TXVM_INTERRUPT_STEP);
    EXPECT_EQ(outcome.steps, step);
    txvm_state state{};
    state.size = sizeof(state);
    Ok(txvm_state_get(f.instance.get(), &state));
    EXPECT_EQ(state.ip, outcome.ip);
    EXPECT_EQ(state.steps, step);
  }
  Ok(txvm_step(f.instance.get(), 1, f.results.data(), 1, &outcome));
  EXPECT_EQ(outcome.stop, TXVM_HALTED);
}

TEST_P(Watching, AStepCallbackMayStopTheRun) {
  Fixture f(GetParam());
  std::uint64_t asked = 0;
  txvm_watch watch = NewWatch(&asked);
  watch.step = [](void* user, txvm_instance*, uint32_t, uint64_t steps) {
    ++*static_cast<std::uint64_t*>(user);
    return steps != 5;
  };
  f.Watch(watch);
  txvm_outcome outcome = Call(f.instance.get(), "main", {3}, &f.results);
  EXPECT_EQ(outcome.interrupt, TXVM_INTERRUPT_BREAKPOINT);
  EXPECT_EQ(outcome.steps, 5u);
  EXPECT_EQ(asked, 6u);
  Ok(txvm_resume(f.instance.get(), f.results.data(), 1, &outcome));
  EXPECT_EQ(outcome.stop, TXVM_HALTED);
  EXPECT_EQ(asked, outcome.steps);
  Ok(txvm_watch_set(f.instance.get(), nullptr));
  Call(f.instance.get(), "main", {3}, &f.results);
  EXPECT_EQ(asked, outcome.steps);
}

TEST_P(Watching, TraceAndDigestCoverEveryStep) {
  Fixture f(GetParam());
  std::vector<txvm_trace_record> records;
  txvm_watch watch = NewWatch(&records);
  watch.digest = true;
  watch.trace = [](void* user, const txvm_trace_record* batch, std::size_t count) {
    auto& all = *static_cast<std::vector<txvm_trace_record>*>(user);
    all.insert(all.end(), batch, batch + count);
  };
  f.Watch(watch);
  const txvm_outcome outcome = Call(f.instance.get(), "main", {1'000}, &f.results);
  ASSERT_EQ(records.size(), outcome.steps);
  for (std::size_t i = 0; i < records.size(); ++i) ASSERT_EQ(records[i].step, i + 1);
  EXPECT_EQ(records.back().op, 5u);  // HALT
  EXPECT_NE(outcome.digest, 0u);
  const testing::EnginePtr other = testing::NewEngine("hull");
  const testing::ProgramPtr program = testing::LoadText(other.get(), kLoop);
  const testing::InstancePtr instance = testing::NewInstance(program.get());
  watch.trace = nullptr;
  Ok(txvm_watch_set(instance.get(), &watch));
  EXPECT_EQ(Call(instance.get(), "main", {1'000}, &f.results).digest, outcome.digest);
}

TXVM_ON_EACH_ENGINE(Watching);

TEST(WatchingHeads, ShowsWhichKeyWonAndByHowMuch) {
  Fixture f("attention");
  std::vector<txvm_head> heads;
  txvm_watch watch = NewWatch(&heads);
  watch.stats = true;
  watch.head = [](void* user, const txvm_head* head) {
    static_cast<std::vector<txvm_head>*>(user)->push_back(*head);
  };
  f.Watch(watch);
  const txvm_outcome outcome = Call(f.instance.get(), "main", {2}, &f.results);
  std::uint64_t fetches = 0;
  std::set<std::string> spaces;
  for (const txvm_head& head : heads) {
    EXPECT_EQ(head.winner, static_cast<std::int64_t>(head.query));
    EXPECT_EQ(head.margin, 1);
    spaces.insert(head.space);
    if (std::string(head.name) == "Fetch") ++fetches;
    if (std::string(head.name) == "Byte0") {
      EXPECT_EQ(head.query, 12u);
    }
  }
  EXPECT_EQ(fetches, outcome.steps);
  EXPECT_EQ(spaces, (std::set<std::string>{"call", "code", "locals", "memory", "stack"}));
  txvm_stats stats{};
  stats.size = sizeof(stats);
  Ok(txvm_stats_get(f.instance.get(), &stats));
  EXPECT_EQ(stats.heads[0], outcome.steps);
  Ok(txvm_watch_set(f.instance.get(), nullptr));
  Call(f.instance.get(), "main", {2}, &f.results);
  EXPECT_EQ(Message(txvm_stats_get(f.instance.get(), &stats)),
            "the last run was not watched with stats");

  Fixture native("native");
  EXPECT_EQ(Message(txvm_watch_set(native.instance.get(), &watch)),
            "engine native does not show its heads: attention does");
}

}  // namespace
}  // namespace txvm
