#include "vm/machine.h"

#include "tests/vm/vm_fixture.h"

namespace txvm::vm {
namespace {

using isa::Trap;

class MachineRuns : public OnEachEngine {};

TEST_P(MachineRuns, TheDigestVectorOfTheSpecification) {
  Machine machine = MachineOf("PUSH 3\nPUSH 5\nADD\nHALT\n", GetParam());
  RunOptions options;
  options.digest = true;
  const RunResult result = RunEntry(machine, options);
  EXPECT_EQ(result.outcome, Outcome::kHalted);
  EXPECT_EQ(result.results, std::vector<Word>{8});
  EXPECT_EQ(result.steps, 4u);
  EXPECT_EQ(isa::DigestText(result.digest.value()), "13e1978966cc965b");
}

TEST_P(MachineRuns, ResultsAreTheWholeStackFirstDeepest) {
  Machine machine = MachineOf("PUSH 1\nPUSH 2\nPUSH 3\nROT\nHALT\n", GetParam());
  EXPECT_EQ(RunEntry(machine).results, (std::vector<Word>{2, 3, 1}));
}

TEST_P(MachineRuns, MemoryAndGlobalsPersistBetweenCalls) {
  Machine machine = MachineOf(R"(
.global 10
.memory 1 1
.func next results=2
  GLOBAL.GET 0
  PUSH 1
  ADD
  GLOBAL.SET 0
  PUSH 0
  PUSH 0
  I32.LOAD 0
  PUSH 2
  ADD
  I32.STORE 0
  GLOBAL.GET 0
  PUSH 0
  I32.LOAD 0
.end
.export "next" next
)",
                              GetParam());
  const isa::Export& next = *machine.program().FindExport("next");
  EXPECT_EQ(machine.Call(next, {})->results, (std::vector<Word>{11, 2}));
  EXPECT_EQ(machine.Call(next, {})->results, (std::vector<Word>{12, 4}));
  EXPECT_EQ(machine.globals()[0], 12u);
  EXPECT_EQ(machine.memory().data()[0], 4);
}

TEST_P(MachineRuns, AWrongNumberOfArgumentsIsRefusedWithBothNumbers) {
  Machine machine = MachineOf(
      ".func add params=2 results=1\n  LOCAL.SET 1\n  LOCAL.SET 0\n  LOCAL.GET 0\n  LOCAL.GET 1\n"
      "  ADD\n.end\n.export \"add\" add\n",
      GetParam());
  const Word args[] = {1};
  const isa::Result<RunResult> result = machine.Call(machine.program().exports[0], args);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, isa::ErrorCode::kUsage);
  EXPECT_EQ(result.error().message, "function 'add' takes 2 arguments, but 1 was given");
}

struct TrapCase {
  std::string_view text;
  Trap cause;
  std::uint32_t ip;
  std::uint64_t steps;
};

TEST_P(MachineRuns, EveryTrapStopsAtItsInstructionWithItsOperands) {
  const TrapCase cases[] = {
      {"PUSH 7\nPUSH 0\nDIV_S\nHALT\n", Trap::kDivideByZero, 2, 3},
      {"PUSH 7\nPUSH 0\nDIV_U\nHALT\n", Trap::kDivideByZero, 2, 3},
      {"PUSH 7\nPUSH 0\nREM_S\nHALT\n", Trap::kDivideByZero, 2, 3},
      {"PUSH 7\nPUSH 0\nREM_U\nHALT\n", Trap::kDivideByZero, 2, 3},
      {"PUSH -2147483648\nPUSH -1\nDIV_S\nHALT\n", Trap::kIntegerOverflow, 2, 3},
      {".memory 1 1\nPUSH 65533\nI32.LOAD 0\nHALT\n", Trap::kOutOfBounds, 1, 2},
      {".memory 1 1\nPUSH -1\nI32.LOAD8_U 1\nHALT\n", Trap::kOutOfBounds, 1, 2},
      {".memory 1 1\nPUSH 65535\nPUSH 1\nI32.STORE16 0\nHALT\n", Trap::kOutOfBounds, 2, 3},
      {"PUSH 0\nI32.LOAD8_U 0\nHALT\n", Trap::kOutOfBounds, 1, 2},
      {"RETURN\n", Trap::kStackUnderflow, 0, 1},
      {"TRAP 4\n", Trap::kUnreachable, 0, 1},
      {"NOP\nTRAP 10\n", Trap::kUndefinedElement, 1, 2},
  };
  for (const TrapCase& c : cases) {
    Machine machine = MachineOf(c.text, GetParam());
    const RunResult result = RunEntry(machine);
    ASSERT_EQ(result.outcome, Outcome::kTrapped) << c.text;
    EXPECT_EQ(result.trap->cause, c.cause) << c.text;
    EXPECT_EQ(result.trap->ip, c.ip) << c.text;
    EXPECT_EQ(result.steps, c.steps) << c.text;
    EXPECT_TRUE(result.results.empty()) << c.text;
    EXPECT_FALSE(machine.resumable()) << c.text;
  }
}

TEST_P(MachineRuns, ATrappingStoreWritesNothing) {
  Machine machine = MachineOf(".memory 1 1\nPUSH 65534\nPUSH -1\nI32.STORE 0\nHALT\n", GetParam());
  EXPECT_EQ(RunEntry(machine).outcome, Outcome::kTrapped);
  EXPECT_EQ(machine.memory().data()[65534], 0);
  EXPECT_EQ(machine.stack().size(), 2u);  // operands stay
}

TEST_P(MachineRuns, TheInitStubRunsApart) {
  Machine machine = MachineOf(
      ".global 1\n.func start\n  PUSH 42\n  GLOBAL.SET 0\n.end\n.func main results=1\n"
      "  GLOBAL.GET 0\n.end\n.init start\n.export \"main\" main\n",
      GetParam());
  EXPECT_EQ(machine.RunInit().steps, 5u);  // CALL, PUSH, GLOBAL.SET, RETURN, HALT
  const RunResult result = machine.Call(machine.program().exports[0], {}).value();
  EXPECT_EQ(result.results, std::vector<Word>{42});
  EXPECT_EQ(result.steps, 4u);
}

TEST_P(MachineRuns, TraceRecordsComeInOrderAndFeedTheDigest) {
  Machine machine = MachineOf("PUSH 2\nagain:\nPUSH 1\nSUB\nDUP\nJNZ again\nHALT\n", GetParam());
  std::vector<isa::TraceRecord> records;
  RunOptions options;
  options.digest = true;
  options.trace = [&](std::span<const isa::TraceRecord> batch) {
    records.insert(records.end(), batch.begin(), batch.end());
  };
  const RunResult result = RunEntry(machine, options);
  ASSERT_EQ(records.size(), result.steps);
  std::uint64_t digest = isa::kDigestSeed;
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].step, i + 1);
    digest = isa::ExtendDigest(digest, records[i].ip, records[i].instruction, records[i].sp,
                               records[i].top);
  }
  EXPECT_EQ(digest, result.digest.value());
  EXPECT_EQ(records[2].ip, 2u);   // SUB
  EXPECT_EQ(records[2].top, 1u);  // 2 - 1
}

TXVM_ON_EACH_ENGINE(MachineRuns);

TEST(ChooseEntry, PrefersStartThenMainThenTheOnlyFunctionWithoutParams) {
  const auto choose = [](std::string_view exports) {
    const auto program =
        ProgramOf(".func a results=1\n  PUSH 1\n.end\n.func b params=1\n  POP\n.end\n" +
                  std::string(exports));
    const isa::Result<const isa::Export*> entry = ChooseEntry(*program, std::nullopt);
    return entry ? (*entry == nullptr ? std::string("none") : (*entry)->name)
                 : entry.error().message;
  };
  EXPECT_EQ(choose(".export \"main\" a\n.export \"_start\" a\n"), "_start");
  EXPECT_EQ(choose(".export \"main\" a\n.export \"x\" a\n"), "main");
  EXPECT_EQ(choose(".export \"x\" a\n.export \"y\" b\n"), "x");
  EXPECT_EQ(choose(".export \"x\" a\n.export \"y\" a\n"),
            "no export named _start or main, and 2 exported functions without params: choose one "
            "with --invoke; there is "
            "'x', 'y'");
  EXPECT_EQ(choose(".export \"y\" b\n"),
            "no export named _start or main, and no exported functions without params: choose one "
            "with --invoke; there is 'y'");
}

TEST(ChooseEntry, NamesTheExportsWhenTheRequestedOneIsMissing) {
  const auto program = ProgramOf(".func a results=1\n  PUSH 1\n.end\n.export \"x\" a\n");
  EXPECT_EQ(ChooseEntry(*program, "nope").error().message,
            "no exported function 'nope'; there is 'x'");
  EXPECT_EQ(ChooseEntry(*ProgramOf("HALT\n"), "nope").error().message,
            "no exported function 'nope': the program exports none");
  EXPECT_EQ(ChooseEntry(*program, "").error().message, "no exported function ''; there is 'x'");
  std::string many = ".func a results=1\n  PUSH 1\n.end\n";
  for (int i = 0; i < 12; ++i) many += ".export \"x" + std::to_string(i) + "\" a\n";
  EXPECT_TRUE(ChooseEntry(*ProgramOf(many), "nope").error().message.ends_with("'x9' and 2 more"));
}

}  // namespace
}  // namespace txvm::vm
