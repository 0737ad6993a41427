// The routines against the processor and the engines, and the tests against changed routines.
#include "asm/routines/routines.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "isa/verify.h"
#include "tests/asm/routines/check.h"
#include "tests/asm/routines/mutate.h"
#include "tests/asm/routines/operands.h"
#include "tests/asm/routines/routines_text.h"
#include "tests/asm/routines/vector_oracle.h"
#include "vm/machine.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;

/// A program of one routine, after a NOP so that its jumps are moved, and a stub that calls it.
isa::Program ProgramOf(RoutineId id) {
  const RoutineInfo& info = Info(id);
  isa::Program program;
  program.code = {Instruction(Opcode::kHalt)};
  program.functions.push_back({0, 0, 0, 0, 0, "start"});
  const std::uint32_t first = AppendRoutine(id, program.code);
  const auto stub = static_cast<std::uint32_t>(program.code.size());
  program.functions.push_back(
      {first, stub - 1, info.cells_in, info.cells_out, CodeOf(id).locals, std::string(info.name)});
  program.code.push_back(Instruction(Opcode::kCall, first));
  program.code.push_back(Instruction(Opcode::kHalt));
  program.functions.push_back({stub, stub + 1, info.cells_in, info.cells_out, 0, ""});
  program.exports.push_back({"f", stub, info.cells_in, info.cells_out});
  return program;
}

vm::Machine MachineOf(RoutineId id, vm::EngineKind engine) {
  vm::MachineOptions options;
  options.engine = engine;
  auto program = std::make_shared<const isa::Program>(ProgramOf(id));
  isa::Result<vm::Machine> machine = vm::Machine::Load(program, {}, options);
  EXPECT_TRUE(machine.has_value()) << Info(id).name << ": " << machine.error().ToString();
  return *std::move(machine);
}

std::vector<Word> Lane(std::span<const Row> rows, std::size_t lane) {
  std::vector<Word> cells;
  for (const Row& row : rows) cells.push_back(row[lane]);
  return cells;
}

TEST(Routines, EqualTheProcessorOnRandomOperands) {
  constexpr std::uint64_t kSets = 40 * kLanes, kSeed = 7;
  for (const RoutineInfo& info : kRoutines) {
    Checker checker(info.id);
    const auto difference = CheckRandom(checker, info.id, kSets, kSeed);
    EXPECT_FALSE(difference) << *difference;
  }
}

TEST(Routines, AreFoundByTheNameOfTheirInstruction) {
  for (const RoutineInfo& info : kRoutines) EXPECT_EQ(FindRoutine(info.name), &info);
  EXPECT_EQ(FindRoutine("f32.neg"), nullptr);
  EXPECT_EQ(FindRoutine(""), nullptr);
}

TEST(Routines, AreVerifiedWhereverTheyStand) {
  for (const RoutineInfo& info : kRoutines) {
    const auto verified = isa::Verify(ProgramOf(info.id));
    EXPECT_TRUE(verified) << info.name << ": " << verified.error().ToString();
  }
}

TEST(Routines, TrapOnlyWhereTheirRowSaysSo) {
  for (const RoutineInfo& info : kRoutines) {
    bool has_trap = false;
    for (const Instruction& instruction : CodeOf(info.id).code) {
      has_trap |= instruction.op() == Opcode::kTrap;
      EXPECT_NE(instruction.op(), Opcode::kCall) << info.name;
    }
    EXPECT_EQ(has_trap, info.may_trap) << info.name;
  }
}

/// Runs lanes of one block on an engine too.
void ExpectEngineEqual(RoutineId id, vm::EngineKind engine, std::size_t lanes) {
  const RoutineInfo& info = Info(id);
  const Routine routine = CodeOf(id);
  std::vector<Row> operands(info.cells_in);
  OperandSource(id, 3).Fill(operands);
  Lockstep lockstep(routine.code, routine.locals);
  const LockstepRun& run = lockstep.Run(operands, kLanes);
  ASSERT_FALSE(run.fault) << *run.fault;
  vm::Machine machine = MachineOf(id, engine);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::vector<Word> args = Lane(operands, lane);
    const auto result = machine.Call(machine.program().exports.front(), args);
    ASSERT_TRUE(result) << result.error().ToString();
    if (run.traps[lane] != 0) {
      ASSERT_TRUE(result->trap) << info.name << " lane " << lane;
      EXPECT_EQ(static_cast<std::uint8_t>(result->trap->cause), run.traps[lane]) << info.name;
      continue;
    }
    EXPECT_EQ(result->outcome, vm::Outcome::kHalted) << info.name;
    EXPECT_EQ(result->steps, info.steps + 1u) << info.name;  // and HALT
    EXPECT_EQ(result->results, Lane(run.results, lane)) << info.name << " lane " << lane;
  }
}

TEST(Routines, LockstepEqualsTheNativeEngine) {
  for (const RoutineInfo& info : kRoutines)
    ExpectEngineEqual(info.id, vm::EngineKind::kNative, kLanes);
}

TEST(Routines, LockstepEqualsTheAttentionEngine) {
  for (const RoutineInfo& info : kRoutines)
    ExpectEngineEqual(info.id, vm::EngineKind::kAttention, 8);
}

/// One call on an engine made of the weights: results, steps and digest are the native engine's.
void ExpectDigestEqual(RoutineId id, vm::EngineKind engine) {
  std::vector<Row> operands(Info(id).cells_in);
  OperandSource(id, 5).Fill(operands);
  const std::vector<Word> args = Lane(operands, 0);
  const auto call = [&](vm::EngineKind kind) {
    vm::Machine machine = MachineOf(id, kind);
    vm::RunOptions options;
    options.digest = true;
    return machine.Call(machine.program().exports.front(), args, options);
  };
  const auto expected = call(vm::EngineKind::kNative), actual = call(engine);
  ASSERT_TRUE(expected && actual);
  EXPECT_EQ(actual->outcome, expected->outcome) << Info(id).name;
  EXPECT_EQ(actual->results, expected->results) << Info(id).name;
  EXPECT_EQ(actual->steps, expected->steps) << Info(id).name;
  EXPECT_EQ(actual->digest, expected->digest) << Info(id).name;
}

TEST(Routines, HullDigestsEqualTheNativeEngine) {
  for (const RoutineInfo& info : kRoutines) ExpectDigestEqual(info.id, vm::EngineKind::kHull);
}

TEST(Routines, TransformerDigestsEqualTheNativeEngine) {
  for (const RoutineInfo& info : kRoutines)
    ExpectDigestEqual(info.id, vm::EngineKind::kTransformer);
}

// Two oracles that know nothing of each other.
TEST(VectorOracles, PlainLanesEqualTheProcessor) {
  constexpr int kBlocks = 8;
  for (const isa::VectorRoutine& row : isa::kVectorRoutines) {
    std::vector<Row> rows(Info(row.id).cells_in);
    OperandSource source(row.id, 21);
    for (int block = 0; block < kBlocks; ++block) {
      source.Fill(rows);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        VectorOperands operands;
        for (std::size_t i = 0; i < rows.size() / 4 * 4; ++i) {
          operands.vectors[i / 4][i % 4] = rows[i][lane];
        }
        if (rows.size() % 4 != 0) operands.count = rows.back()[lane];
        const std::optional<VectorWords> own = OfProcessor(row, operands);
        if (!own) continue;
        ASSERT_EQ(*own, LaneByLane(row, operands)) << Info(row.id).name;
      }
    }
  }
}

TEST(Routines, StepsOfVectorsAreTheirLengthAndAreInTheTable) {
  const std::string path = std::string(TXVM_SOURCE_DIR) + "/isa/vector_routines.def";
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " cannot be read";
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string made = text;
  for (const isa::VectorRoutine& row : isa::kVectorRoutines) {
    const RoutineInfo& info = Info(row.id);
    const std::size_t steps = CodeOf(row.id).code.size() + 1;  // and the CALL
    const std::size_t name = made.find(fmt::format("\"{}\"", info.name));
    const std::size_t out = made.find(", ", made.find(", ", name) + 1) + 2;  // cells out
    const std::size_t first = made.find(", ", out) + 2, end = made.find(',', first);
    made.replace(first, end - first, fmt::format("{:>5}", steps));
  }
  if (std::getenv("TXVM_BLESS") != nullptr) std::ofstream(path, std::ios::binary) << made;
  EXPECT_EQ(text, made) << "TXVM_BLESS=1 rewrites isa/vector_routines.def";
}

TEST(Lockstep, NamesTheLaneThatGoesAnotherWay) {
  // A branch on the operand that only skips a NOP: no trap, so no lane may take it alone.
  const std::vector<Instruction> code = {Instruction(Opcode::kJz, 2), Instruction(Opcode::kNop),
                                         Instruction(Opcode::kReturn)};
  Lockstep lockstep(code, 0);
  std::vector<Row> operands(1);
  operands[0].fill(0);
  EXPECT_FALSE(lockstep.Run(operands, kLanes).fault);
  operands[0][5] = 1;
  const auto& run = lockstep.Run(operands, kLanes);
  ASSERT_TRUE(run.fault);
  EXPECT_EQ(*run.fault, "lane 5 goes another way at instruction 0 and does not trap");
}

TEST(Lockstep, RefusesDivisionByZero) {
  const std::vector<Instruction> code = {Instruction(Opcode::kDivU), Instruction(Opcode::kReturn)};
  Lockstep lockstep(code, 0);
  std::vector<Row> operands(2);
  operands[0].fill(7);
  operands[1].fill(2);
  EXPECT_FALSE(lockstep.Run(operands, kLanes).fault);
  operands[1][9] = 0;
  EXPECT_TRUE(lockstep.Run(operands, kLanes).fault);
}

// A test that finds no changed constant and no changed opcode would prove little.
TEST(Routines, SmallChangesAreFound) {
  constexpr std::uint64_t kSets = 40 * kLanes, kSeed = 7;
  constexpr int kChangesEach = 6;
  int changes = 0, found = 0;
  std::string survivors;
  support::Random random(11);
  for (const RoutineInfo& info : kRoutines) {
    const Routine routine = CodeOf(info.id);
    for (int i = 0; i < kChangesEach; ++i) {
      std::string what;
      const std::vector<Instruction> changed = Mutate(routine, random, what);
      Checker checker(info.id, changed, routine.locals);
      ++changes;
      if (CheckRandom(checker, info.id, kSets, kSeed)) {
        ++found;
      } else {
        survivors += fmt::format("{}: {}\n", info.name, what);
      }
    }
  }
  RecordProperty("changes", changes);
  RecordProperty("found", found);
  if (std::getenv("TXVM_SHOW_SURVIVORS") != nullptr) {
    fmt::print("{} of {} found; not found:\n{}", found, changes, survivors);
  }
  EXPECT_GE(found * 100, changes * 90) << survivors;
}

// The rows of isa/routine_codes.def.
std::string RoutineCodesText() {
  std::string text;
  for (const RoutineInfo& info : kRoutines) {
    const Routine routine = CodeOf(info.id);
    std::string name;
    bool begins = true;
    for (const char c : info.name) {
      const bool separates = c == '.' || c == '_';
      if (!separates) name += begins ? static_cast<char>(std::toupper(c)) : c;
      begins = separates;
    }
    text += fmt::format(
        "TXVM_ROUTINE_CODE({:17} {:4}, {:3}, \"{}\")\n", name + ",", routine.code.size(),
        routine.locals,
        isa::RoutineDigest(info.cells_in, info.cells_out, routine.locals, routine.code, 0));
  }
  return text;
}

TEST(Routines, AreKnownByTheDigestOfTheirCode) {
  const std::string path = std::string(TXVM_SOURCE_DIR) + "/isa/routine_codes.def";
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t first = text.find("\nTXVM_ROUTINE_CODE(") + 1;
  const std::size_t end = text.rfind("// clang-format on");
  ASSERT_LT(first, end) << path << " cannot be read";
  if (std::getenv("TXVM_BLESS") != nullptr) {
    text.replace(first, end - first, RoutineCodesText());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(text.substr(first, end - first), RoutineCodesText())
      << "TXVM_BLESS=1 rewrites isa/routine_codes.def";
}

TEST(Routines, DocumentationIsGeneratedFromTheTable) {
  const std::string path = std::string(TXVM_SOURCE_DIR) + "/docs/ROUTINES.md";
  if (std::getenv("TXVM_BLESS") != nullptr) {
    std::ofstream(path, std::ios::binary) << RoutinesMarkdown();
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " cannot be read";
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, RoutinesMarkdown()) << "TXVM_BLESS=1 rewrites docs/ROUTINES.md";
}

}  // namespace
}  // namespace txvm::assembler
