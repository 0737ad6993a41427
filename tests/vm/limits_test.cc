// Each limit: refused at load with both numbers, or a trap that says which limit it was.
#include "isa/limits.h"

#include "tests/vm/vm_fixture.h"

namespace txvm::vm {
namespace {

constexpr std::string_view kRecursion = R"(
.func down params=1 results=0 locals=4
  LOCAL.SET 0
  LOCAL.GET 0
  PUSH 1
  ADD
  CALL down
.end
.func main
  PUSH 0
  CALL down
.end
.export "main" main
)";

class Limits : public OnEachEngine {
 protected:
  RunResult Run(std::string_view text, const isa::Limits& limits) {
    Machine machine = MachineOf(text, GetParam(), limits);
    return RunEntry(machine);
  }
};

TEST_P(Limits, CallDepth) {
  isa::Limits limits;
  limits.max_depth = 100;
  const RunResult result = Run(kRecursion, limits);
  ASSERT_EQ(result.outcome, Outcome::kTrapped);
  EXPECT_EQ(result.trap->cause, isa::Trap::kExhausted);
  EXPECT_EQ(result.trap->detail, "call depth");
}

TEST_P(Limits, LocalSlots) {
  isa::Limits limits;
  limits.max_locals = 100;
  const RunResult result = Run(kRecursion, limits);
  ASSERT_EQ(result.outcome, Outcome::kTrapped);
  EXPECT_EQ(result.trap->detail, "locals");
}

TEST_P(Limits, OperandSlots) {
  isa::Limits limits;
  limits.max_slots = 100;
  const RunResult result = Run(R"(
.func deeper results=0
  PUSH 1
  CALL deeper
  POP
.end
.func main
  CALL deeper
.end
.export "main" main
)",
                               limits);
  ASSERT_EQ(result.outcome, Outcome::kTrapped);
  EXPECT_EQ(result.trap->detail, "operand slots");
  EXPECT_EQ(
      result.steps,
      2u + 2u * 100u + 1u);  // stub, main, 100 times PUSH and CALL, the PUSH that does not fit
}

TEST_P(Limits, DefaultsHoldDeepRecursion) {
  const RunResult result = Run(kRecursion, {});
  ASSERT_EQ(result.outcome, Outcome::kTrapped);
  EXPECT_EQ(result.trap->detail, "call depth");
  EXPECT_GT(result.steps, 5u * 199'000u);
}

TXVM_ON_EACH_ENGINE(Limits);

std::string LoadError(std::string_view text, const isa::Limits& limits) {
  MachineOptions options;
  options.limits = limits;
  const isa::Result<Machine> machine = Machine::Load(ProgramOf(text), {}, options);
  if (machine) return "loaded";
  EXPECT_TRUE(machine.error().code == isa::ErrorCode::kLimit ||
              machine.error().code == isa::ErrorCode::kInvalid);
  return machine.error().message;
}

TEST(LoadLimits, NameTheValueAndTheLimit) {
  isa::Limits limits;
  limits.max_pages = 2;
  EXPECT_EQ(LoadError(".memory 3\nHALT\n", limits),
            "initial memory of 3 pages exceeds the limit of 2 pages");
  limits = {};
  limits.max_slots = 0xFFFF'FFFF;
  EXPECT_EQ(LoadError("HALT\n", limits),
            "the limit max_slots is 4294967295; at most 2147483647 can be had");
  limits = {};
  limits.max_depth = 0x8000'0000;
  EXPECT_EQ(LoadError("HALT\n", limits),
            "the limit max_depth is 2147483648; at most 2147483647 can be had");
  limits = {};
  limits.max_pages = 65'537;
  EXPECT_EQ(LoadError("HALT\n", limits), "the limit max_pages is 65537; at most 65536 can be had");
  limits = {};
  limits.max_locals = 10;
  EXPECT_EQ(LoadError("LOCAL.GET 11\nHALT\n", limits),
            "0 globals and a largest frame of 12 locals exceed the limit of 10 local slots");
  EXPECT_EQ(
      LoadError(".memory 1\n.data 65535 1 2\nHALT\n", {}),
      "data segment 0 of 2 bytes at offset 65535 does not fit into the memory of 65536 bytes");
}

TEST(LoadLimits, MemoryGrowsNoFurtherThanTheLimit) {
  isa::Limits limits;
  limits.max_pages = 2;
  MachineOptions options;
  options.limits = limits;
  Machine machine = Machine::Load(ProgramOf(".memory 1\nHALT\n"), {}, options).value();
  EXPECT_EQ(machine.memory().Grow(1), 1u);
  EXPECT_EQ(machine.memory().Grow(1), 0xFFFFFFFFu);
}

MachineOptions Unverified(EngineKind engine) {
  MachineOptions options;
  options.engine = engine;
  options.allow_unverified = true;
  return options;
}

TEST(LoadLimits, AnUnverifiedProgramIsRefusedUnlessAllowed) {
  auto program = std::make_shared<isa::Program>(*ProgramOf("HALT\n"));
  program->code = {isa::Instruction(isa::Opcode::kPop), isa::Instruction(isa::Opcode::kHalt)};
  program->functions[0].last = 1;
  EXPECT_FALSE(Machine::Load(program, {}).has_value());
  for (const EngineKind engine : DirectEngines()) {
    Machine machine = Machine::Load(program, {}, Unverified(engine)).value();
    EXPECT_FALSE(machine.verified());
    const RunResult result = machine.CallStub(0, {});
    ASSERT_EQ(result.outcome, Outcome::kTrapped);
    EXPECT_EQ(result.trap->cause, isa::Trap::kStackUnderflow);
  }
}

TEST(LoadLimits, AnUnverifiedMemoryAboveItsMaximumIsRefused) {
  auto program = std::make_shared<isa::Program>(*ProgramOf("HALT\n"));
  program->memory = isa::MemorySpec{5, 2};
  for (const EngineKind engine : DirectEngines()) {
    const auto machine = Machine::Load(program, {}, Unverified(engine));
    ASSERT_FALSE(machine.has_value());
    EXPECT_EQ(machine.error().code, isa::ErrorCode::kInvalid);
    EXPECT_EQ(machine.error().message, "memory of 5 pages is above its maximum of 2 pages");
  }
}

TEST(LoadLimits, AnUnverifiedProgramWithoutInstructionsTrapsAtOnce) {
  const auto program = std::make_shared<const isa::Program>();
  for (const EngineKind engine : AllEngines()) {
    Machine machine = Machine::Load(program, {}, Unverified(engine)).value();
    const RunResult result = machine.CallStub(0, {});
    ASSERT_EQ(result.outcome, Outcome::kTrapped);
    EXPECT_EQ(result.trap->cause, isa::Trap::kInvalidPc);
    EXPECT_EQ(result.steps, 0u);
  }
}

// A function that never returns may declare any number of results, and its callers reach that high.
TEST(LoadLimits, FunctionsOfTwoToThe31SlotsRunUpToTheirCall) {
  auto program = std::make_shared<isa::Program>();
  program->code = {isa::Instruction(isa::Opcode::kCall, 2), isa::Instruction(isa::Opcode::kHalt),
                   isa::Instruction(isa::Opcode::kTrap, 4)};
  program->functions = {{0, 1, 0, 0, 0, ""}, {2, 2, 0, 0x8000'0000, 0, ""}};
  for (const EngineKind engine : DirectEngines()) {
    MachineOptions options;
    options.engine = engine;
    Machine machine = Machine::Load(program, {}, options).value();
    const RunResult result = machine.CallStub(0, {});
    ASSERT_EQ(result.outcome, Outcome::kTrapped);
    EXPECT_EQ(result.trap->cause, isa::Trap::kUnreachable);
    EXPECT_EQ(result.steps, 2u);
  }
}

}  // namespace
}  // namespace txvm::vm
