// The hull engine against the interpreter and the other engines.
#include "vm/engines/hull.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "asm/assembler.h"
#include "isa/support/system/touched_pages.h"
#include "tests/support/differential.h"
#include "vm/engines/hull_model.h"
#include "vm/machine.h"

namespace txvm::vm {
namespace {

using isa::Instruction;
using isa::Opcode;

RunOptions Digested(std::uint64_t fuel) {
  RunOptions options;
  options.fuel = fuel;
  options.digest = true;
  return options;
}

RunResult RunCode(std::vector<Instruction> code, EngineKind engine, std::uint64_t fuel,
                  const isa::Limits& limits = {}) {
  auto program = std::make_shared<isa::Program>();
  program->code = std::move(code);
  program->functions = {{0, static_cast<std::uint32_t>(program->code.size() - 1), 0, 0, 0, ""}};
  auto machine = Machine::Load(program, Linker(), {engine, limits, false});
  EXPECT_TRUE(machine) << machine.error().message;
  return machine->CallStub(0, {}, Digested(fuel));
}

// TXVM_HULL_CASES=20000 and TXVM_HULL_SEED=1 set how many programs and where they start.
TEST(Hull, RandomProgramsAgreeWithTheInterpreterAndTheNativeEngine) {
  const char* count = std::getenv("TXVM_HULL_CASES");
  const char* first = std::getenv("TXVM_HULL_SEED");
  const std::uint64_t cases = count == nullptr ? 300 : std::strtoull(count, nullptr, 10);
  const std::uint64_t seed = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
  support::Coverage coverage;
  for (std::uint64_t i = seed; i < seed + cases; ++i) {
    const auto difference = support::FirstDifference(support::MakeRandomCase(i), i, coverage,
                                                     {EngineKind::kNative, EngineKind::kHull});
    ASSERT_FALSE(difference) << *difference;
  }
  for (const isa::OpcodeInfo& row : isa::kOpcodes) {
    EXPECT_GT(coverage.opcodes[static_cast<std::size_t>(row.op)], 0u) << row.text;
  }
}

TEST(Hull, DeepRecursionReturnsToEveryFrame) {
  // f: depth counts down in global 0; every return adds one to global 1.
  const std::vector<Instruction> body = {Instruction(Opcode::kCall, 2),
                                         Instruction(Opcode::kHalt),
                                         Instruction(Opcode::kLocalGet, 0, 1),
                                         Instruction(Opcode::kJz, 9),
                                         Instruction(Opcode::kLocalGet, 0, 1),
                                         Instruction(Opcode::kPush, 1),
                                         Instruction(Opcode::kSub),
                                         Instruction(Opcode::kLocalSet, 0, 1),
                                         Instruction(Opcode::kCall, 2),
                                         Instruction(Opcode::kLocalGet, 1, 1),
                                         Instruction(Opcode::kPush, 1),
                                         Instruction(Opcode::kAdd),
                                         Instruction(Opcode::kLocalSet, 1, 1),
                                         Instruction(Opcode::kReturn)};
  for (const Word depth : {300u, 500u, 1'000u, 100'000u}) {
    auto program = std::make_shared<isa::Program>();
    program->code = body;
    program->functions = {{0, 1, 0, 0, 0, "stub"}, {2, 13, 0, 0, 0, "f"}};
    program->globals = {depth, 0};
    auto machine = Machine::Load(program, Linker(), {EngineKind::kHull, {}, false});
    ASSERT_TRUE(machine) << machine.error().message;
    const RunResult result = machine->CallStub(0, {});
    EXPECT_EQ(result.outcome, Outcome::kHalted);
    EXPECT_EQ(machine->globals()[1], depth + 1);
  }
}

RunResult RunAssembly(const std::string& text, EngineKind engine, std::uint64_t fuel) {
  auto program = assembler::Assemble(text, "test.txa");
  EXPECT_TRUE(program) << program.error().ToString();
  const auto shared = std::make_shared<const isa::Program>(*std::move(program));
  auto machine = Machine::Load(shared, Linker(), {engine, {}, false});
  EXPECT_TRUE(machine) << machine.error().message;
  const isa::Export* entry = shared->FindExport("main");
  const auto result = machine->Call(*entry, {}, Digested(fuel));
  EXPECT_TRUE(result);
  return *result;
}

TEST(Hull, AMillionWritesToOneSpaceLeaveTheLatest) {
  // 1,000 writes a turn to 8 locals, 1,001 turns; what a local holds was written last.
  std::string text = ".func main results=8 locals=8\n  PUSH 1001\nturn:\n";
  for (int i = 0; i < 1'000; ++i) text += fmt::format("  LOCAL.TEE {}\n", i % 8);
  text += "  PUSH 1\n  SUB\n  DUP\n  JNZ turn\n  POP\n";
  for (int i = 0; i < 8; ++i) text += fmt::format("  LOCAL.GET {}\n", i);
  text += "  RETURN\n.end\n.export \"main\" main\n";
  const RunResult hull = RunAssembly(text, EngineKind::kHull, isa::kUnlimitedFuel);
  EXPECT_EQ(hull.outcome, Outcome::kHalted);
  EXPECT_GT(hull.steps, 1'000'000u);
  EXPECT_EQ(hull.results, std::vector<Word>(8, 1));
  EXPECT_EQ(hull.digest, RunAssembly(text, EngineKind::kNative, isa::kUnlimitedFuel).digest);
}

// TXVM_HULL_STEPS=10000000 makes it as long as the claim: calls, locals and memory in use.
TEST(Hull, LongRunWithCallsLocalsAndMemoryAgrees) {
  const char* steps = std::getenv("TXVM_HULL_STEPS");
  const std::uint64_t fuel = steps == nullptr ? 100'000 : std::strtoull(steps, nullptr, 10);
  const std::string text = R"(
.memory 4 4
.func main locals=2
turn:
  LOCAL.GET 0
  CALL mix
  LOCAL.GET 1
  XOR
  LOCAL.SET 1
  LOCAL.GET 0
  PUSH 1
  ADD
  LOCAL.TEE 0
  JNZ turn
  RETURN
.end
.func mix params=1 results=1 locals=2
  LOCAL.TEE 0
  PUSH 2654435761
  MUL
  PUSH 15
  SHR_U
  LOCAL.TEE 1
  LOCAL.GET 0
  I32.STORE
  LOCAL.GET 1
  CALL scattered
  I32.LOAD
  LOCAL.GET 1
  LOCAL.GET 0
  I32.STORE8 3
  RETURN
.end
.func scattered params=1 results=1
  PUSH 12345
  MUL
  PUSH 131071
  AND
  RETURN
.end
.export "main" main
)";
  const RunResult hull = RunAssembly(text, EngineKind::kHull, fuel);
  EXPECT_EQ(hull.outcome, Outcome::kOutOfFuel);
  EXPECT_EQ(hull.steps, fuel);
  EXPECT_EQ(hull.digest, RunAssembly(text, EngineKind::kNative, fuel).digest);
}

TEST(Hull, FuelMayRunOutInsideNoDivision) {
  // A division's micro-steps use no fuel: one step of fuel is one division.
  const std::vector<Instruction> code = {Instruction(Opcode::kPush, 1'000'000),
                                         Instruction(Opcode::kPush, 7), Instruction(Opcode::kDivU),
                                         Instruction(Opcode::kHalt)};
  const RunResult result = RunCode(code, EngineKind::kHull, 3);
  EXPECT_EQ(result.outcome, Outcome::kOutOfFuel);
  EXPECT_EQ(result.steps, 3u);
  EXPECT_EQ(result.digest, RunCode(code, EngineKind::kNative, 3).digest);
}

TEST(Hull, EditedWeightChangesWhatIsExecuted) {
  weights::Model model = weights::CompileModel();
  model.layers[0].heads[0].b_q[0] = 1;  // fetches the instruction after ip
  const auto hull = HullModel::Create(model, false);
  ASSERT_TRUE(hull) << hull.error().message;
  const isa::Program program{{Instruction(Opcode::kPush, 5), Instruction(Opcode::kTrap, 4)},
                             {},
                             {},
                             {},
                             {},
                             {},
                             {},
                             {},
                             0,
                             {},
                             {},
                             {}};
  const InterruptFlag interrupt(0);
  const isa::Limits limits;
  const isa::Verified verified{};
  const auto engine = MakeHullEngine({program, &verified, limits, interrupt}, *hull);
  State state;
  state.slots = *Reservation<Word>::Create(limits.max_slots + 1);
  state.locals = *Reservation<Word>::Create(limits.max_locals);
  state.frames = *Reservation<Frame>::Create(limits.max_depth + 1);
  const Stop stop = engine->Run(state, 10, nullptr);
  // The presence check finds another address than ip: no instruction.
  EXPECT_EQ(stop.cause, isa::Trap::kInvalidPc);
}

/// The compiled model, `lane` embedded from the two fields before its own too.
weights::Model EmbeddedFromThree(std::uint32_t lane) {
  weights::Model model = weights::CompileModel();
  std::vector<weights::Entry>& entries = model.w_embed.entries;
  const auto own = std::ranges::find(entries, lane, &weights::Entry::row);
  const weights::Entry entry = *own;
  entries.insert(own, {{lane, entry.column - 2, 1}, {lane, entry.column - 1, 1}});
  return model;
}

TEST(Hull, LaneEmbeddedFromThreeFieldsIsNoCopy) {
  const weights::Model compiled = weights::CompileModel();
  const weights::ModelHead& head = compiled.layers[0].heads[0];
  constexpr std::size_t kDigit = 3;
  const std::uint32_t key = head.w_k.entries[kDigit].column, query = head.w_q.entries[3].column;
  const auto of_key = HullModel::Create(EmbeddedFromThree(key), false);
  ASSERT_FALSE(of_key);
  EXPECT_EQ(of_key.error().message, "head Fetch: row 3 of w_k is not that of a digit head");
  const auto of_state = HullModel::Create(EmbeddedFromThree(query), false);
  ASSERT_FALSE(of_state);
  EXPECT_EQ(of_state.error().message, "embedding of lane ip.3 is not a copy of a field");
}

isa::Result<Machine> OnHull(std::string_view text) {
  TXVM_TRY(isa::Program program, assembler::Assemble(text, "test.txa"));
  return Machine::Load(std::make_shared<const isa::Program>(std::move(program)), Linker(),
                       {EngineKind::kHull, {}, false});
}

// 64 MiB of which nothing is used: looking at all of it would take a page of the system for each.
TEST(Hull, MemoryNobodyWroteIsNotLookedAt) {
  auto machine = OnHull(R"(
.memory 1024 1024
.func main results=1
  PUSH 4000000
  PUSH 7
  I32.STORE
  PUSH 4000000
  I32.LOAD
  RETURN
.end
.export "main" main
)");
  ASSERT_TRUE(machine) << machine.error().message;
  for (int run = 0; run < 2; ++run) {
    const auto result = machine->Call(*machine->program().FindExport("main"), {}, Digested(100));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->results, std::vector<Word>{7});
  }
  const LinearMemory& memory = machine->memory();
  constexpr std::size_t kPage = 4'096, kSome = 64;  // a page of the system; pages of it in use
  std::vector<unsigned char> resident(memory.size_bytes() / kPage);
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(memory.data()) / kPage * kPage;
  ASSERT_EQ(mincore(reinterpret_cast<void*>(start), resident.size() * kPage, resident.data()), 0);
  EXPECT_LT(std::ranges::count_if(resident, [](unsigned char page) { return (page & 1) != 0; }),
            kSome);
}

TEST(Hull, MemoryTheEmbeddingClearsReadsZero) {
  auto machine = OnHull(R"(
.memory 2 2
.func store
  PUSH 70000
  PUSH 7
  I32.STORE
  RETURN
.end
.func load results=1
  PUSH 70000
  I32.LOAD
  RETURN
.end
.export "store" store
.export "load" load
)");
  ASSERT_TRUE(machine) << machine.error().message;
  ASSERT_TRUE(machine->Call(*machine->program().FindExport("store"), {}, Digested(100)));
  isa::ClearBytes(machine->memory().data(), machine->memory().size_bytes());
  const auto result = machine->Call(*machine->program().FindExport("load"), {}, Digested(100));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->results, std::vector<Word>{0});
}

TEST(Hull, UntrustedRangesGiveTheSameRun) {
  const auto hull = HullModel::Create(weights::CompileModel(), false);
  ASSERT_TRUE(hull);
  HullPass careful(*hull), skipping(CompiledHullModel());
  support::Random random(11);
  // Whatever a token holds, the lanes after a pass are the same: only exact zeros were skipped.
  for (int trial = 0; trial < 400; ++trial) {
    weights::StateRecord state{};
    for (std::size_t i = 0; i < weights::state_field::kCarried; ++i) {
      state[i] = static_cast<std::int32_t>(random.Below(random.OneIn(2) ? 3 : 256));
    }
    state[weights::state_field::kPages + 2] &= 1;
    state[weights::state_field::kMicro] =
        random.OneIn(3) ? static_cast<std::int32_t>(random.Below(34)) : 0;
    std::array<HullToken, weights::kHeadCount> tokens;
    for (HullToken& token : tokens) {
      for (std::uint8_t& byte : token.key) byte = static_cast<std::uint8_t>(random.Below(3));
      for (std::uint8_t& byte : token.value) byte = static_cast<std::uint8_t>(random.Below(256));
    }
    tokens[0].value[0] = static_cast<std::uint8_t>(random.Below(100));
    const auto attend = [&](weights::HeadId id, weights::Space, std::int64_t q) {
      HullToken* token = &tokens[static_cast<std::size_t>(id)];
      for (std::size_t i = 0; i < token->key.size() && !random.OneIn(9); ++i) {
        token->key[i] = static_cast<std::uint8_t>(q >> (8 * i));
      }
      return static_cast<const HullToken*>(token);
    };
    careful.Run(state, attend);
    skipping.Run(state, [&](weights::HeadId id, weights::Space, std::int64_t) {
      return static_cast<const HullToken*>(&tokens[static_cast<std::size_t>(id)]);
    });
    ASSERT_TRUE(std::ranges::equal(careful.lanes(), skipping.lanes())) << trial;
  }
}

/// How `PUSH 3; PUSH 5; ADD; HALT` ends on the compiled weights with one output's bias raised.
std::string EndingWith(EngineKind engine, std::size_t field, std::int32_t more,
                       std::size_t stopped_more) {
  auto model = std::make_shared<weights::Model>(weights::CompileModel());
  model->b_out[field] += more;
  model->b_out[weights::state_field::kStopped] += static_cast<std::int32_t>(stopped_more);
  auto program = std::make_shared<isa::Program>();
  program->code = {Instruction(Opcode::kPush, 3), Instruction(Opcode::kPush, 5),
                   Instruction(Opcode::kAdd), Instruction(Opcode::kHalt)};
  program->functions = {{0, 3, 0, 0, 0, ""}};
  auto machine = Machine::Load(program, Linker(), {engine, {}, false, nullptr, model});
  if (!machine) return machine.error().message;
  const RunResult result = machine->CallStub(0, {}, Digested(10));
  if (!result.trap) return std::string(OutcomeText(result.outcome));
  EXPECT_EQ(machine->Backtrace(2).size(), 1u);
  return fmt::format("{}: {}", isa::TrapText(result.trap->cause), result.trap->detail);
}

TEST(Hull, EditedWeightsReachNothingOutsideTheMachine) {
  namespace sf = weights::state_field;
  constexpr std::size_t kTopByte = 3;
  for (const EngineKind engine : {EngineKind::kHull, EngineKind::kTransformer}) {
    for (const std::size_t word : {sf::kSp, sf::kDepth, sf::kBase}) {
      EXPECT_EQ(EndingWith(engine, word + kTopByte, 10, 1),
                "unsupported instruction: the weights moved a register out of its space");
    }
    EXPECT_EQ(EndingWith(engine, sf::kMicro, 1, 0),
              "unsupported instruction: the weights do not finish an instruction");
    EXPECT_EQ(EndingWith(engine, sf::kHost, 1, 0),
              "unsupported instruction: the weights made a host call where there is none");
  }
}

// What Verify rejects: operands out of their tables, underflow, jumps into nowhere, code that ends.
// TXVM_HULL_CASES and TXVM_HULL_SEED as above.
TEST(Hull, DamagedProgramsAgreeWithTheInterpreter) {
  const char* count = std::getenv("TXVM_HULL_CASES");
  const char* first = std::getenv("TXVM_HULL_SEED");
  const std::uint64_t cases = count == nullptr ? 300 : std::strtoull(count, nullptr, 10);
  const std::uint64_t seed = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
  support::Coverage coverage;
  for (std::uint64_t i = seed; i < seed + cases; ++i) {
    const auto difference =
        support::FirstDifference(support::MakeDamagedCase(i), i, coverage, {EngineKind::kHull});
    ASSERT_FALSE(difference) << *difference;
  }
  EXPECT_GT(coverage.rejected * 2, cases);
  for (const isa::Trap trap :
       {isa::Trap::kInvalidInstruction, isa::Trap::kInvalidPc, isa::Trap::kStackUnderflow}) {
    EXPECT_GT(coverage.traps[static_cast<std::size_t>(trap)], 0u) << isa::TrapText(trap);
  }
}

}  // namespace
}  // namespace txvm::vm
