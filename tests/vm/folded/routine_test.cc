// Routines as operations of the processor, beside the native engine, which runs their code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "asm/routines/routines.h"
#include "isa/verify.h"
#include "tests/asm/routines/operands.h"
#include "tests/vm/folded/both_engines.h"
#include "vm/folded/ir.h"
#include "vm/folded/machine_code.h"
#include "vm/machine.h"

namespace txvm::vm {
namespace {

using assembler::RoutineId;
using isa::Instruction;
using isa::Opcode;

constexpr std::uint32_t kBlocks = 8;  // of operand sets for each routine

// A function that calls a routine, after a NOP so that the jumps are moved.
isa::Program CallerOf(RoutineId id) {
  const assembler::RoutineInfo& info = assembler::Info(id);
  isa::Program program;
  program.code = {Instruction(Opcode::kHalt)};
  program.functions.push_back({0, 0, 0, 0, 0, "start"});
  const std::uint32_t first = assembler::AppendRoutine(id, program.code);
  const auto stub = static_cast<std::uint32_t>(program.code.size());
  program.functions.push_back(
      {first, stub - 1, info.cells_in, info.cells_out, assembler::CodeOf(id).locals, "anything"});
  program.code.push_back(Instruction(Opcode::kCall, first));
  program.code.push_back(Instruction(Opcode::kHalt));
  program.functions.push_back({stub, stub + 1, info.cells_in, info.cells_out, 0, ""});
  program.exports.push_back({"f", stub, info.cells_in, info.cells_out});
  return program;
}

// ctest runs these tests a second time with TXVM_FOLDED_SSE2 set.
TEST(FoldedSse2, UsesNoLaterInstruction) {
  if (std::getenv("TXVM_FOLDED_SSE2") == nullptr) GTEST_SKIP() << "TXVM_FOLDED_SSE2 is not set";
  for (const RoutineId id :
       {RoutineId::kF32Ceil, RoutineId::kF32Nearest, RoutineId::kF64Floor, RoutineId::kF64Trunc,
        RoutineId::kI64Clz, RoutineId::kI64Ctz, RoutineId::kI64Popcnt}) {
    EXPECT_FALSE(folded::CanCompute(id));
  }
}

TEST(FoldedRoutines, EqualNativeOnCornersAndRandomOperands) {
  for (const assembler::RoutineInfo& info : assembler::kRoutines) {
    BothEngines both(CallerOf(info.id));
    assembler::OperandSource source(info.id, 11);
    std::vector<assembler::Row> operands(info.cells_in);
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
      source.Fill(operands);
      for (std::size_t lane = 0; lane < assembler::kLanes; ++lane) {
        std::vector<Word> args;
        for (const assembler::Row& row : operands) args.push_back(row[lane]);
        ASSERT_EQ(both.Call("f", args), "") << info.name << " block " << block << " lane " << lane;
      }
    }
  }
}

TEST(FoldedRoutines, AreRecognizedByTheirCodeAlone) {
  for (const assembler::RoutineInfo& info : assembler::kRoutines) {
    const isa::Program program = CallerOf(info.id);
    EXPECT_EQ(isa::RecognizeRoutine(program, program.functions[1]), info.id) << info.name;
    EXPECT_EQ(isa::RecognizeRoutine(program, program.functions[0]), std::nullopt);
    const folded::RoutineMap map(program, folded::CanCompute);
    EXPECT_EQ(map.StartsAt(1), folded::CanCompute(info.id)) << info.name;
  }
}

// One word of the code is another: whatever its name, it runs as it is written.
TEST(FoldedRoutines, OthersRunAsTheyAreWritten) {
  constexpr std::uint32_t kChanges = 6;
  std::uint32_t changed = 0;
  for (const assembler::RoutineInfo& info : assembler::kRoutines) {
    const isa::Program whole = CallerOf(info.id);
    const isa::Function& routine = whole.functions[1];
    std::uint32_t left = kChanges;
    for (std::uint32_t ip = routine.first; ip <= routine.last && left != 0; ++ip) {
      if (whole.code[ip].op() != Opcode::kPush) continue;
      isa::Program program = whole;
      program.code[ip].arg ^= 1;
      program.functions[1].name = std::string(info.name);
      if (!isa::Verify(program)) continue;
      --left;
      ++changed;
      EXPECT_EQ(isa::RecognizeRoutine(program, program.functions[1]), std::nullopt) << info.name;
      BothEngines both(std::move(program));
      assembler::OperandSource source(info.id, ip);
      std::vector<assembler::Row> operands(info.cells_in);
      source.Fill(operands);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        std::vector<Word> args;
        for (const assembler::Row& row : operands) args.push_back(row[lane]);
        ASSERT_EQ(both.Call("f", args), "") << info.name << " changed at " << ip;
      }
    }
  }
  EXPECT_GT(changed, 300u);
}

TEST(FoldedRoutines, AreOneOperationOfTheRegisterForm) {
  const isa::Program program = WatProgram(R"((module
    (func (export "f") (param f64 f64 f64) (result f64)
      (f64.sub (f64.mul (local.get 0) (local.get 1)) (local.get 2)))))");
  const isa::PathFacts paths = isa::AnalyzePaths(program).value();
  const folded::RoutineMap map(program, [](isa::RoutineId) { return true; });
  const std::string text = IrText(folded::Lift(program, paths, 0, false, &map));
  EXPECT_NE(text.find("= f64.mul"), std::string::npos) << text;
  EXPECT_NE(text.find("= f64.sub"), std::string::npos) << text;
  EXPECT_EQ(text.find("call"), std::string::npos) << text;
  EXPECT_EQ(IrText(folded::Lift(program, paths, 0, false)).find("f64"), std::string::npos);
}

constexpr const char* kFloatLoop = R"((module
  (memory 1)
  (func (export "run") (param $n i32) (result f64 f32 i64)
    (local $i i32) (local $x f64) (local $y f32) (local $z i64)
    (local.set $x (f64.const 1)) (local.set $y (f32.const 0.5)) (local.set $z (i64.const 88172645463325252))
    (loop $again
      (f64.store (i32.shl (local.get $i) (i32.const 3))
        (f64.mul (local.get $x) (f64.convert_i32_s (local.get $i))))
      (local.set $x (f64.add (f64.sqrt (f64.load (i32.shl (local.get $i) (i32.const 3))))
        (f64.neg (f64.div (f64.const 1) (f64.add (local.get $x) (f64.const 3))))))
      (if (f64.lt (local.get $x) (f64.const 2))
        (then (local.set $y (f32.sub (local.get $y) (f32.demote_f64 (local.get $x))))))
      (local.set $z (i64.mul (i64.rotl (local.get $z) (i64.const 7))
        (i64.add (local.get $z) (i64.extend_i32_u (local.get $i)))))
      (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1)))
        (local.get $n))))
    (local.get $x) (local.get $y) (local.get $z))
  (func (export "trunc") (param f64 f32) (result i32 i64 i32)
    (i32.trunc_f64_s (local.get 0)) (i64.trunc_f32_u (local.get 1))
    (i32.trunc_sat_f32_u (f32.mul (local.get 1) (f32.const 3)))))
)";

TEST(FoldedRoutines, StopAtTheStepWhereFuelEnds) {
  BothEngines whole(WatProgram(kFloatLoop));
  ASSERT_EQ(whole.Call("run", {40}), "");
  BothEngines cut(WatProgram(kFloatLoop));
  for (std::uint64_t fuel = 0; fuel < 60'000; fuel += 397) {
    RunOptions options;
    options.fuel = fuel;
    ASSERT_EQ(cut.Call("run", {40}, options), "") << fuel;
    while (cut.outcome() == Outcome::kOutOfFuel) {
      options.fuel = 9'973;
      ASSERT_EQ(cut.Resume(options), "") << fuel;
    }
  }
}

TEST(FoldedRoutines, TrapWhereNativeTraps) {
  BothEngines both(WatProgram(kFloatLoop));
  const std::uint64_t doubles[] = {0,
                                   0x41DFFFFFFFFFFFFFu,
                                   0x41E0000000000000u,
                                   0xC1E0000000000000u,
                                   0xC1E00000001FFFFFu,
                                   0xC1E0000000200000u,
                                   0x7FF8000000000000u,
                                   0x7FF0000000000001u,
                                   0xFFF0000000000000u};
  const Word singles[] = {0,          0x5F7FFFFF, 0x5F800000, 0xBF7FFFFF, 0xBF800000,
                          0x7FC00000, 0xFF800001, 0x4F000000, 0x80000000};
  for (const std::uint64_t x : doubles) {
    for (const Word y : singles) {
      ASSERT_EQ(both.Call("trunc", {static_cast<Word>(x), static_cast<Word>(x >> 32), y}), "")
          << x << ' ' << y;
    }
  }
}

// Frames, locals and slots end inside a routine that a function calls, as on native.
TEST(FoldedRoutines, MeetTheLimitsOfNative) {
  const isa::Program program = WatProgram(R"((module
    (func $deep (export "deep") (param $n i32) (param $x f64) (result f64)
      (if (result f64) (i32.eqz (local.get $n))
        (then (f64.mul (local.get $x) (f64.const 0.5)))
        (else (f64.add (local.get $x)
          (call $deep (i32.sub (local.get $n) (i32.const 1))
            (f64.sqrt (f64.add (local.get $x) (f64.const 1))))))))))");
  for (std::uint32_t least = 20; least < 60; ++least) {
    isa::Limits depth, locals, slots;
    depth.max_depth = least;
    locals.max_locals = 5 * least;
    slots.max_slots = 12 * least;
    for (const isa::Limits& limits : {depth, locals, slots}) {
      BothEngines both(program, limits);
      for (Word n = 5; n < 65; n += 3) {
        ASSERT_EQ(both.Call("deep", {n, 0, 0x3FF00000}), "")
            << n << " of " << limits.max_depth << ' ' << limits.max_locals << ' '
            << limits.max_slots;
      }
    }
  }
}

// The first check of an address stands for the later ones.
TEST(FoldedRoutines, TrapAtTheAccessThatIsOutside) {
  BothEngines both(WatProgram(R"((module (memory 1)
    (func (export "f") (param $p i32) (result i32)
      (i32.store8 (local.get $p) (i32.const 7))
      (f64.store offset=4 (local.get $p) (f64.load (local.get $p)))
      (i64.store offset=1 (local.get $p) (i64.add (i64.load offset=9 (local.get $p)) (i64.const 1)))
      (i32.load16_u offset=13 (local.get $p)))))"));
  for (Word p = 65'536 - 20; p < 65'540; ++p) ASSERT_EQ(both.Call("f", {p}), "") << p;
  ASSERT_EQ(both.Call("f", {0xFFFFFFFF}), "");
}

#if defined(__x86_64__)
TEST(FoldedRoutines, RoundToNearestWhateverTheProgramAroundRounds) {
  constexpr unsigned kUpFlushed = 0x1F80 | 0x4000 | 0x8040;  // towards +infinity, no subnormals
  BothEngines both(WatProgram(kFloatLoop));
  const unsigned before = _mm_getcsr();
  _mm_setcsr(kUpFlushed);
  const std::string run = both.Call("run", {1'000});
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(run, "");
  constexpr unsigned kControls = 0xFFC0;
  EXPECT_EQ(after & kControls, kUpFlushed & kControls);
}
#endif

}  // namespace
}  // namespace txvm::vm
