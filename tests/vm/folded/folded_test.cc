// The folded engine keeps every promise of a run: states at exits, exact fuel, interrupts, limits,
// and pages that are never writable and executable at once.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/differential.h"
#include "tests/support/random.h"
#include "tests/vm/vm_fixture.h"
#include "vm/folded/constant_division.h"
#include "vm/folded/constant_heads.h"
#include "vm/folded/folded_engine.h"
#include "vm/folded/folded_program.h"
#include "vm/folded/simplify.h"
#include "vm/prepared.h"
#include "vm/snapshot.h"

namespace txvm::vm {
namespace {

// Asks itself down to 0: sum(n) = n + sum(n - 1), one frame each.
constexpr std::string_view kDeep = R"(
.func sum params=1 results=1
  LOCAL.SET 0
  LOCAL.GET 0
  JZ none
  LOCAL.GET 0
  LOCAL.GET 0
  PUSH 1
  SUB
  CALL sum
  ADD
  RETURN
none:
  PUSH 0
  RETURN
.end
.export "main" sum
)";

isa::Result<RunResult> CallMain(Machine& machine, std::vector<Word> args,
                                const RunOptions& options = {}) {
  return machine.Call(*machine.program().FindExport("main"), args, options);
}

void ExpectSameState(const Machine& folded, const Machine& native, const std::string& where) {
  const State& a = folded.state();
  const State& b = native.state();
  EXPECT_EQ(a.ip, b.ip) << where;
  EXPECT_EQ(a.sp, b.sp) << where;
  EXPECT_EQ(a.depth, b.depth) << where;
  EXPECT_EQ(a.steps, b.steps) << where;
  EXPECT_EQ(a.locals_base, b.locals_base) << where;
  EXPECT_TRUE(std::ranges::equal(folded.stack(), native.stack())) << where;
  EXPECT_EQ(folded.Backtrace(100), native.Backtrace(100)) << where;
}

TEST(Folded, AgreesWithTheReferenceOnRandomPrograms) {
  support::Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    const auto difference = support::FirstDifference(support::MakeRandomCase(seed), seed, coverage,
                                                     {EngineKind::kFolded});
    ASSERT_FALSE(difference) << *difference;
  }
}

TEST(Folded, RunsUnverifiedProgramsInTheCheckedLoop) {
  support::Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    const auto difference = support::FirstDifference(support::MakeDamagedCase(seed), seed, coverage,
                                                     {EngineKind::kFolded});
    ASSERT_FALSE(difference) << *difference;
  }
  EXPECT_GT(coverage.rejected, 100u);
}

TEST(Folded, RecursionGoesAsDeepAsTheLimitsSay) {
  for (const Word depth : {1u, 255u, 256u, 257u, 513u, 5'000u, 199'000u, 250'000u}) {
    Machine folded = MachineOf(kDeep, EngineKind::kFolded);
    Machine native = MachineOf(kDeep, EngineKind::kNative);
    const auto a = CallMain(folded, {depth});
    const auto b = CallMain(native, {depth});
    EXPECT_EQ(a->outcome, b->outcome) << depth;
    EXPECT_EQ(a->results, b->results) << depth;
    EXPECT_EQ(a->steps, b->steps) << depth;
    ExpectSameState(folded, native, fmt::format("depth {}", depth));
  }
}

TEST(Folded, FuelCutsAreExactInTheMiddleOfEverything) {
  Machine whole = MachineOf(kDeep, EngineKind::kFolded);
  const auto uncut = CallMain(whole, {2'000});
  support::Random random(7);
  for (int round = 0; round < 20; ++round) {
    Machine folded = MachineOf(kDeep, EngineKind::kFolded);
    Machine native = MachineOf(kDeep, EngineKind::kNative);
    RunOptions options;
    options.fuel = random.Below(3'000);
    RunResult a = *CallMain(folded, {2'000}, options);
    RunResult b = *CallMain(native, {2'000}, options);
    while (a.outcome == Outcome::kOutOfFuel) {
      ASSERT_EQ(b.outcome, Outcome::kOutOfFuel);
      ExpectSameState(folded, native, fmt::format("round {} step {}", round, a.steps));
      options.fuel = 1 + random.Below(9'000);
      a = folded.Resume(options);
      b = native.Resume(options);
    }
    EXPECT_EQ(a.steps, uncut->steps);
    EXPECT_EQ(a.results, uncut->results);
  }
}

TEST(Folded, InterruptsStopALoopWithinAMillisecondAndItGoesOn) {
  constexpr std::string_view kLoop = R"(
.func main params=1 results=1
  LOCAL.SET 0
again:
  LOCAL.GET 0
  PUSH 1
  SUB
  LOCAL.TEE 0
  JNZ again
  PUSH 42
  RETURN
.end
.export "main" main
)";
  using Clock = std::chrono::steady_clock;
  Machine machine = MachineOf(kLoop, EngineKind::kFolded);
  Clock::duration quickest = std::chrono::hours(1);
  for (int i = 0; i < 20; ++i) {
    Clock::time_point asked;
    std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      asked = Clock::now();
      machine.Interrupt(InterruptReason::kTimeout);
    });
    const RunResult result = i == 0 ? *CallMain(machine, {0}) : machine.Resume();
    const Clock::time_point stopped = Clock::now();
    other.join();
    ASSERT_EQ(result.outcome, Outcome::kInterrupted);
    quickest = std::min(quickest, stopped - asked);
    Machine native = MachineOf(kLoop, EngineKind::kNative);
    if (i < 3) {
      RunOptions options;
      options.fuel = result.steps;
      CallMain(native, {0}, options).value();
      ExpectSameState(machine, native, "interrupted");
    }
  }
  // The quickest of 20: the machine that runs the tests may be busy.
  EXPECT_LT(quickest, std::chrono::milliseconds(1));
}

TEST(Folded, ATrapLooksAsItDoesOnTheNativeEngine) {
  constexpr std::string_view kTrap = R"(
.memory 1 1
.func load params=2 results=1
  LOCAL.SET 0
  LOCAL.SET 1
  PUSH 77
  LOCAL.GET 0
  LOCAL.GET 1
  PUSH 1
  SUB
  JZ at
  LOCAL.GET 1
  PUSH 1
  SUB
  LOCAL.GET 0
  CALL load
  ADD
  ADD
  RETURN
at:
  I32.LOAD 8
  ADD
  RETURN
.end
.export "main" load
)";
  for (const Word address : {0u, 65'524u, 65'525u, 0xFFFF'FFFFu}) {
    Machine folded = MachineOf(kTrap, EngineKind::kFolded);
    Machine native = MachineOf(kTrap, EngineKind::kNative);
    const auto a = CallMain(folded, {5, address});
    const auto b = CallMain(native, {5, address});
    ASSERT_EQ(a->outcome, b->outcome) << address;
    EXPECT_EQ(a->outcome == Outcome::kTrapped, address > 65'524) << address;
    EXPECT_EQ(a->steps, b->steps);
    ExpectSameState(folded, native, fmt::format("address {}", address));
  }
}

TEST(Folded, AFunctionOfBillionsOfCellsStaysWithTheInterpreter) {
  constexpr std::uint32_t kResults = 3'000'000'000;
  isa::Program program;
  program.memory = isa::MemorySpec{1, 1};
  program.imports.push_back({"env", "many", 0, kResults});
  program.code = {isa::Instruction(isa::Opcode::kPush, 0),
                  isa::Instruction(isa::Opcode::kLoad, 0),
                  isa::Instruction(isa::Opcode::kJz, 5),
                  isa::Instruction(isa::Opcode::kCall, isa::kHostCallBit),
                  isa::Instruction(isa::Opcode::kTrap, 1),
                  isa::Instruction(isa::Opcode::kHalt)};
  program.functions.push_back({0, 5, 0, 0, 0, "main"});
  Linker linker;
  linker.Define("env", "many", 0, kResults,
                [](HostContext&, auto, auto) { return HostStatus::Continue(); });
  MachineOptions options;
  options.engine = EngineKind::kFolded;
  Machine machine =
      Machine::Load(std::make_shared<const isa::Program>(program), linker, options).value();
  EXPECT_EQ(machine.CallStub(0, {}).outcome, Outcome::kHalted);
}

// Whether /proc/self/maps lists a page that is writable and executable.
bool HasWritableCode() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t space = line.find(' ');
    const std::string access = line.substr(space + 1, 4);
    if (access[1] == 'w' && access[2] == 'x') return true;
  }
  return false;
}

std::size_t AnonymousCode() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(" r-xp ") != std::string::npos && line.find('/') == std::string::npos) ++count;
  }
  return count;
}

TEST(Folded, NoPageIsWritableAndExecutable) {
  if (!WhyNotFolded().empty()) GTEST_SKIP() << WhyNotFolded();
  const std::size_t before = AnonymousCode();
  Machine machine = MachineOf(kDeep, EngineKind::kFolded);
  EXPECT_EQ(CallMain(machine, {10})->results, std::vector<Word>{55});
  EXPECT_GT(AnonymousCode(), before);
  EXPECT_FALSE(HasWritableCode());
}

TEST(Folded, AThousandInstancesShareTheCode) {
  const auto prepared = Prepared::Create(ProgramOf(kDeep)).value();
  MachineOptions options;
  options.engine = EngineKind::kFolded;
  options.limits.max_slots = 20'000;
  options.limits.max_locals = 20'000;
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (Word t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (Word i = 0; i < 125; ++i) {
          Machine machine = Machine::Load(prepared, {}, options).value();
          const Word n = t * 125 + i;
          const auto result = CallMain(machine, {n});
          if (result->results != std::vector<Word>{n * (n + 1) / 2}) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(ConstantDivision, AgreesWithTheInstruction) {
  support::Random random(11);
  const auto word = [&] { return random.InterestingWord() >> random.Below(32); };
  for (int i = 0; i < 200'000; ++i) {
    const Word d = std::max(word(), 2u);
    const Word n = random.InterestingWord();
    if (const auto r = folded::UnsignedReciprocal(d)) {
      ASSERT_EQ(static_cast<Word>((n * r->multiplier) >> r->shift), n / d) << n << '/' << d;
    }
    if (d > 0x7FFF'FFFF) continue;
    const folded::Reciprocal r = folded::SignedReciprocal(d);
    const auto product =
        static_cast<std::int64_t>(isa::Signed(n)) * static_cast<std::int64_t>(r.multiplier);
    ASSERT_EQ(static_cast<Word>(product >> r.shift) + (n >> 31), isa::DivS(n, d)) << n << '/' << d;
  }
}

TEST(Simplify, NeverChangesAValue) {
  support::Random random(5);
  const auto word = [&] {
    return random.OneIn(2) ? random.Below(3) - 1 : random.InterestingWord();
  };
  for (const isa::OpcodeInfo& row : isa::kOpcodes) {
    const bool pure = row.op_class == isa::OpClass::kArith ||
                      row.op_class == isa::OpClass::kCompare ||
                      row.op_class == isa::OpClass::kBits || row.op_class == isa::OpClass::kShift ||
                      row.op == isa::Opcode::kSelect;
    if (!pure) continue;
    for (int i = 0; i < 2'000; ++i) {
      // Values 0 and 1 are unknown words, possibly the same one.
      const Word words[] = {word(), word(), word()};
      folded::Pattern pattern{row.op, {}, {}, {}};
      std::uint32_t next = 0;
      for (folded::PatternOperand* operand : {&pattern.a, &pattern.b, &pattern.c}) {
        if (operand != &pattern.a && next >= row.pops) break;
        operand->value = random.OneIn(3) ? 0 : next;
        if (random.OneIn(2)) {
          operand->value = next;
          operand->constant = words[next];
        }
        ++next;
      }
      const auto value_of = [&](const folded::PatternOperand& operand) {
        return operand.constant                 ? *operand.constant
               : operand.value == folded::kNone ? 0
                                                : words[operand.value];
      };
      const Word expected =
          folded::Evaluate(row.op, value_of(pattern.a), value_of(pattern.b), value_of(pattern.c));
      const folded::Simplified simple = folded::Simplify(pattern);
      Word actual = simple.constant;
      if (simple.kind == folded::Simplified::Kind::kOperand) {
        const auto& of = simple.operand == pattern.a.value   ? pattern.a
                         : simple.operand == pattern.b.value ? pattern.b
                                                             : pattern.c;
        actual = value_of(of);
      } else if (simple.kind == folded::Simplified::Kind::kPattern) {
        const folded::Pattern& p = simple.pattern;
        actual = folded::Evaluate(p.opcode, value_of(p.a), value_of(p.b), value_of(p.c));
      }
      ASSERT_EQ(actual, expected) << row.text << ' ' << i;
    }
  }
}

TEST(ConstantHeads, AnswerWithTheirOwnAddress) {
  const auto program = ProgramOf(kDeep);
  const auto heads = folded::ConstantHeads::Create(*program, weights::CompileHeads()).value();
  EXPECT_TRUE(heads.Check().has_value());
  for (std::uint64_t ip = 0; ip < program->code.size(); ++ip) {
    EXPECT_EQ(heads.Winner(weights::HeadId::kFetch, ip), static_cast<std::int64_t>(ip));
  }
  EXPECT_EQ(heads.Winner(weights::HeadId::kFetch, program->code.size()), -1);
  EXPECT_EQ(heads.Winner(weights::HeadId::kStackThird, 40), 38);
}

// Blocks of a function without calls and loops that run without a look at interrupts, at most.
std::uint32_t LongestUnchecked(const std::string& text) {
  const auto program = ProgramOf(text);
  const auto paths = isa::AnalyzePaths(*program).value();
  const folded::FunctionIr ir = folded::Lift(*program, paths, 0, false);
  std::vector<std::uint32_t> steps(ir.blocks.size(), 0);
  std::uint32_t longest = 0;
  for (std::size_t b = 0; b < ir.blocks.size(); ++b) {
    const folded::Block& block = ir.blocks[b];
    if (block.check_exit != folded::kNone) steps[b] = 0;
    steps[b] += block.steps;
    longest = std::max(longest, steps[b]);
    if (block.end.kind != folded::EndKind::kGoto && block.end.kind != folded::EndKind::kBranch) {
      continue;
    }
    steps[block.end.target] = std::max(steps[block.end.target], steps[b]);
    if (block.end.kind == folded::EndKind::kBranch) {
      steps[block.end.other] = std::max(steps[block.end.other], steps[b]);
    }
  }
  return longest;
}

TEST(Folding, LooksAtInterruptsEvery1024StepsOfForwardCode) {
  std::string straight;
  for (int i = 0; i < 10'000; ++i) straight += "NOP\n";
  EXPECT_LE(LongestUnchecked(straight + "HALT\n"), 1'024u);
  std::string jumps = "PUSH 7\n";
  for (int poll = 1, ip = 1; poll <= 20; ++poll) {
    for (; ip < poll * 512 - 2; ++ip) jumps += "NOP\n";
    const std::string label = "over" + std::to_string(poll);
    jumps += "DUP\nJNZ " + label + "\nNOP\n" + label + ":\n";
    ip += 3;
  }
  EXPECT_LE(LongestUnchecked(jumps + "HALT\n"), 1'024u);
}

TEST(Folding, ListsItsRegisterForm) {
  const auto program = ProgramOf(kDeep);
  const auto paths = isa::AnalyzePaths(*program).value();
  const std::string text = folded::IrText(folded::Lift(*program, paths, 0, false));
  EXPECT_EQ(text, R"(function 0: 1 params, 1 locals
b0: 0..2, 3 steps, entered
  check fuel else poll at 0
  v0 = [c0]
  l0 := v0
  if v0 goto b1 else b3
b1: 3..7, 5 steps
  v3 = ADD l0 4294967295
  [c0] = l0
  [c1] = v3
  c0 := l0
  call function 0 at c1, then b2
b2: 8..9, 2 steps, entered
  check fuel else poll at 8 [c0]=c0
  v1 = [c1]
  v2 = ADD c0 v1
  [c0] = v2
  return 1
b3: 10..11, 2 steps
  [c0] = 0
  return 1
)");
}

}  // namespace
}  // namespace txvm::vm
