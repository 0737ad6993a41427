// Snapshots, restore and clones of a machine; what is refused, and that a refusal changes nothing.
#include "vm/snapshot.h"

#include <algorithm>
#include <functional>

#include "isa/support/system/touched_pages.h"
#include "tests/vm/vm_fixture.h"
#include "vm/engine.h"
#include "vm/snapshot_file.h"

namespace txvm::vm {
namespace {

// 0 PUSH 5, 1 LOCAL.SET 0, 2 PUSH 100, 3 LOCAL.GET 0, 4 CALL square ...
constexpr std::string_view kCalls = R"(
.global 3
.memory 1 4
.func square params=1 results=1 locals=2
  LOCAL.TEE 0
  LOCAL.GET 0
  MUL
  LOCAL.TEE 1
  GLOBAL.SET 0
  PUSH 8
  LOCAL.GET 1
  I32.STORE
  LOCAL.GET 1
.end
.func main results=1 locals=1
  PUSH 5
  LOCAL.SET 0
  PUSH 100
  LOCAL.GET 0
  CALL square
  ADD
  PUSH 8
  I32.LOAD
  SUB
.end
.export "main" main
)";
constexpr std::uint64_t kInSquare = 9;  // steps: stub, 5 of main, 3 of square

RunOptions Fuel(std::uint64_t fuel, bool digest = true) {
  RunOptions run;
  run.fuel = fuel;
  run.digest = digest;
  return run;
}

Machine StoppedInSquare(EngineKind engine = EngineKind::kNative, const isa::Limits& limits = {}) {
  Machine machine = MachineOf(kCalls, engine, limits);
  EXPECT_EQ(RunEntry(machine, Fuel(kInSquare)).outcome, Outcome::kOutOfFuel);
  return machine;
}

std::string RefusalOf(const Snapshot& snapshot, EngineKind engine = EngineKind::kNative,
                      const isa::Limits& limits = {}) {
  Machine machine = MachineOf(kCalls, engine, limits);
  const isa::Result<void> restored = machine.Restore(snapshot);
  if (restored) return "restored";
  EXPECT_FALSE(machine.resumable());
  EXPECT_EQ(RunEntry(machine).results, std::vector<Word>{100}) << "a refusal left something";
  return restored.error().message;
}

/// The refusal of a good snapshot after `change`.
std::string RefusalAfter(const std::function<void(Snapshot&)>& change) {
  Snapshot snapshot = StoppedInSquare().TakeSnapshot().value();
  change(snapshot);
  return RefusalOf(snapshot);
}

class SnapshotOn : public OnEachEngine {};
INSTANTIATE_TEST_SUITE_P(Engines, SnapshotOn, testing::ValuesIn(AllEngines()), EngineTestName);

TEST_P(SnapshotOn, HoldsTheLiveCells) {
  const Snapshot snapshot = StoppedInSquare(GetParam()).TakeSnapshot().value();
  EXPECT_TRUE(snapshot.running);
  EXPECT_TRUE(snapshot.has_digest);
  EXPECT_EQ(snapshot.steps, kInSquare);
  EXPECT_EQ(snapshot.stack, (std::vector<Word>{100, 25}));
  EXPECT_EQ(snapshot.frames.size(), 2u);
  EXPECT_EQ(snapshot.pages, 1u);
  EXPECT_EQ(snapshot.locals.size(), 1u);
  EXPECT_TRUE(snapshot.memory.empty());
}

TEST_P(SnapshotOn, GoesOnInTheMachineItCameFrom) {
  Machine machine = StoppedInSquare(GetParam());
  const Snapshot snapshot = machine.TakeSnapshot().value();
  const RunResult first = machine.Resume(Fuel(isa::kUnlimitedFuel));
  EXPECT_EQ(first.results, std::vector<Word>{100});
  EXPECT_EQ(machine.globals()[0], 25u);
  ASSERT_TRUE(machine.Restore(snapshot).has_value());
  EXPECT_EQ(machine.globals()[0], 3u);
  EXPECT_EQ(machine.memory().data()[8], 0u);
  EXPECT_EQ(machine.depth(), 2u);
  const RunResult second = machine.Resume(Fuel(isa::kUnlimitedFuel));
  EXPECT_EQ(second.results, first.results);
  EXPECT_EQ(second.digest, first.digest);
  EXPECT_EQ(second.steps, first.steps);
}

TEST_P(SnapshotOn, ClonesGoTheirOwnWays) {
  Machine machine = StoppedInSquare(GetParam());
  Machine clone = machine.Clone().value();
  const RunResult first = machine.Resume(Fuel(isa::kUnlimitedFuel));
  EXPECT_EQ(machine.memory().data()[8], 25u);
  EXPECT_EQ(clone.memory().data()[8], 0u);
  EXPECT_EQ(clone.globals()[0], 3u);
  EXPECT_TRUE(clone.has_digest());
  const RunResult second = clone.Resume(Fuel(isa::kUnlimitedFuel));
  EXPECT_EQ(second.digest, first.digest);
  EXPECT_EQ(second.results, first.results);
}

TEST_P(SnapshotOn, AtRestKeepsMemoryAndGlobals) {
  Machine machine = StoppedInSquare(GetParam());
  machine.Resume();
  machine.memory().Grow(1);
  machine.memory().data()[100'000] = 9;
  const Snapshot snapshot = machine.TakeSnapshot().value();
  EXPECT_FALSE(snapshot.running);
  EXPECT_TRUE(snapshot.stack.empty());
  MachineOptions options;
  options.engine = GetParam();
  Machine other = Machine::FromSnapshot(snapshot.program, {}, options, snapshot).value();
  EXPECT_FALSE(other.resumable());
  EXPECT_EQ(other.globals()[0], 25u);
  EXPECT_EQ(other.memory().pages(), 2u);
  EXPECT_EQ(other.memory().data()[8], 25u);
  EXPECT_EQ(other.memory().data()[100'000], 9u);
  EXPECT_EQ(RunEntry(other).results, std::vector<Word>{100});
}

TEST_P(SnapshotOn, ReplacesGrownMemoryBySmaller) {
  Machine machine = StoppedInSquare(GetParam());
  const Snapshot snapshot = machine.TakeSnapshot().value();
  machine.memory().Grow(3);
  machine.memory().data()[200'000] = 1;
  ASSERT_TRUE(machine.Restore(snapshot).has_value());
  EXPECT_EQ(machine.memory().pages(), 1u);
  machine.memory().Grow(3);
  EXPECT_EQ(machine.memory().data()[200'000], 0u) << "what the pages held before";
}

// Long and short runs of blocks, between, before and after those the snapshot has.
TEST(SnapshotState, RestoreZeroesWhatTheSnapshotDoesNotHold) {
  Machine machine =
      MachineOf(".memory 16 16\n.func main\n.end\n.export \"main\" main\n", EngineKind::kNative);
  const std::span<std::uint8_t> bytes = machine.memory().bytes();
  for (const std::size_t block : {3u, 5u, 100u, 255u}) bytes[block * 4'096 + 17] = 9;
  const std::vector<std::uint8_t> expected(bytes.begin(), bytes.end());
  const Snapshot snapshot = machine.TakeSnapshot().value();
  ASSERT_EQ(snapshot.memory.size(), 4u);
  std::ranges::fill(bytes, std::uint8_t{7});
  ASSERT_TRUE(machine.Restore(snapshot).has_value());
  EXPECT_TRUE(std::ranges::equal(bytes, expected));
}

TEST(SnapshotState, KnowsWhenTheDigestMissesSteps) {
  Machine machine = MachineOf(kCalls, EngineKind::kNative);
  RunEntry(machine, Fuel(3));
  EXPECT_TRUE(machine.has_digest());
  machine.Resume(Fuel(1, false));
  EXPECT_FALSE(machine.has_digest());
  const Snapshot snapshot = machine.TakeSnapshot().value();
  EXPECT_FALSE(snapshot.has_digest);
  ASSERT_TRUE(machine.Restore(snapshot).has_value());
  EXPECT_FALSE(machine.has_digest());
  RunEntry(machine, Fuel(3));
  EXPECT_TRUE(machine.has_digest()) << "a new invocation begins a new digest";
}

TEST(SnapshotState, SharesEqualBlocksWithTheOneBefore) {
  Machine machine = MachineOf(kCalls, EngineKind::kNative);
  std::fill_n(machine.memory().data(), 20'000, std::uint8_t{7});
  RunEntry(machine, Fuel(kInSquare));
  const Snapshot before = machine.TakeSnapshot().value();
  machine.memory().data()[5'000] = 8;
  const Snapshot after = machine.TakeSnapshot(&before).value();
  ASSERT_EQ(after.memory.size(), 5u);
  for (std::size_t i = 0; i < after.memory.size(); ++i) {
    EXPECT_EQ(after.memory[i].bytes == before.memory[i].bytes, i != 1) << i;
  }
}

TEST(SnapshotState, IsRefusedInsideAHostCall) {
  Machine* machine = nullptr;
  std::string snapshot, restore, clone;
  Linker linker;
  linker.Define("env", "f", 0, 0, [&](HostContext&, std::span<const Word>, std::span<Word>) {
    snapshot = machine->TakeSnapshot().error().message;
    clone = machine->Clone().error().message;
    restore = machine->Restore(Snapshot()).error().message;
    return HostStatus::Continue();
  });
  Machine made = MachineOf(R"(
.import f "env" "f"
.func main
  CALL f
.end
.export "main" main
)",
                           EngineKind::kNative, {}, linker);
  machine = &made;
  EXPECT_EQ(RunEntry(made).outcome, Outcome::kHalted);
  EXPECT_EQ(snapshot, "take a snapshot while an invocation runs: a host function cannot");
  EXPECT_EQ(clone, "clone while an invocation runs: a host function cannot");
  EXPECT_EQ(restore, "restore while an invocation runs: a host function cannot");
}

TEST(SnapshotState, ClonesCallTheHostFunctionsTheyAreGiven) {
  const auto counting = [](int& calls) {
    Linker linker;
    linker.Define("env", "f", 0, 0, [&](HostContext&, std::span<const Word>, std::span<Word>) {
      ++calls;
      return HostStatus::Continue();
    });
    return linker;
  };
  int first = 0, second = 0;
  Machine machine = MachineOf(R"(
.import f "env" "f"
.func main
  CALL f
.end
.export "main" main
)",
                              EngineKind::kNative, {}, counting(first));
  Machine same = machine.Clone().value();
  Machine other = machine.Clone(counting(second)).value();
  RunEntry(same);
  RunEntry(other);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
  EXPECT_EQ(machine.Clone(Linker()).error().message, "unknown import 'env.f'");
}

TEST(SnapshotCheck, AcceptsAProgramThatDiffersInNamesOnly) {
  Snapshot snapshot = StoppedInSquare().TakeSnapshot().value();
  isa::Program renamed = *snapshot.program;
  renamed.source = "elsewhere.txa";
  renamed.lines.clear();
  renamed.functions[0].name = "quadrat";
  snapshot.program = std::make_shared<isa::Program>(renamed);
  EXPECT_EQ(RefusalOf(snapshot), "restored");
}

TEST(SnapshotCheck, RefusesAnotherProgram) {
  Snapshot snapshot = StoppedInSquare().TakeSnapshot().value();
  isa::Program other = *snapshot.program;
  ++other.code[0].arg;
  snapshot.program = std::make_shared<isa::Program>(other);
  EXPECT_EQ(RefusalOf(snapshot).find("snapshot: it was taken of another program (SHA-256 "), 0u);
}

TEST(SnapshotCheck, RefusesWhatNoRunLeaves) {
  const auto refused = RefusalAfter;
  EXPECT_EQ(refused([](Snapshot& s) { s.ip = 99; }),
            "snapshot: instruction 99 is outside the program (it has 22 instructions)");
  EXPECT_EQ(refused([](Snapshot& s) { s.stack.push_back(1); }),
            "snapshot: it holds 3 operands at instruction 3, expected 2");
  EXPECT_EQ(refused([](Snapshot& s) { s.stack.pop_back(); }),
            "snapshot: it holds 1 operand at instruction 3, expected 2");
  EXPECT_EQ(refused([](Snapshot& s) { s.ip = 12; }),
            "snapshot: the run is at instruction 12, outside the function that was called (0..9)");
  EXPECT_EQ(refused([](Snapshot& s) { s.frames[1] = 0; }),
            "snapshot: frame 2 returns to instruction 0, which follows no CALL");
  EXPECT_EQ(refused([](Snapshot& s) { s.frames[1] = 4'000'000'000; }),
            "snapshot: frame 2 returns to instruction 4000000000, which follows no CALL");
  EXPECT_EQ(
      refused([](Snapshot& s) { s.frames[1] = s.frames[0]; }),
      "snapshot: frame 2 is at instruction 20, outside the function that was called (10..19)");
  EXPECT_EQ(refused([](Snapshot& s) { s.frames.pop_back(); }),
            "snapshot: the run is at instruction 3, outside the function that was called (10..19)");
  EXPECT_EQ(refused([](Snapshot& s) { s.running = false; }),
            "snapshot: it is of an instance at rest, yet holds part of an invocation");
  EXPECT_EQ(refused([](Snapshot& s) { s.pages = 0; }),
            "snapshot: its memory has 0 pages, the program starts with 1");
}

TEST(SnapshotCheck, RefusesBlocksThatDoNotFit) {
  const auto block = [](std::uint32_t index, std::size_t bytes) {
    return SnapshotBlock{index, std::make_shared<std::vector<std::uint8_t>>(bytes, 1)};
  };
  EXPECT_EQ(RefusalAfter([&](Snapshot& s) { s.memory = {block(16, 1)}; }),
            "snapshot: block 16 of memory ends at byte 65537, memory has 65536 bytes");
  EXPECT_EQ(RefusalAfter([&](Snapshot& s) { s.memory = {block(3, 1), block(3, 1)}; }),
            "snapshot: block 3 of memory does not come after block 3");
  EXPECT_EQ(RefusalAfter([&](Snapshot& s) { s.memory = {block(3, 4'097)}; }),
            "snapshot: block 3 of memory has 4097 bytes, expected 1..4096");
  EXPECT_EQ(RefusalAfter([&](Snapshot& s) { s.locals = {block(0xFFFFFFFF, 1)}; }),
            "snapshot: block 4294967295 of locals ends at byte 17592186040321, locals has 16777216 "
            "bytes");
  EXPECT_EQ(RefusalAfter([&](Snapshot& s) { s.memory = {{1, nullptr}}; }),
            "snapshot: block 1 of memory has 0 bytes, expected 1..4096");
}

TEST(SnapshotCheck, RefusesWhatExceedsTheLimits) {
  const Snapshot snapshot = StoppedInSquare().TakeSnapshot().value();
  Snapshot large = snapshot;
  large.pages = 5;
  EXPECT_EQ(RefusalOf(large), "snapshot: its 5 memory pages exceed the limit of 4");
  const isa::Limits slots{.max_slots = 4, .max_depth = 9, .max_locals = 9, .max_pages = 1};
  large = snapshot;
  large.stack.resize(5);
  EXPECT_EQ(RefusalOf(large, EngineKind::kNative, slots),
            "snapshot: its 5 operand slots exceed the limit of 4");
  large = snapshot;
  large.frames.resize(10, large.frames[1]);
  EXPECT_EQ(RefusalOf(large, EngineKind::kNative, slots),
            "snapshot: its 10 call frames exceed the limit of 9");
}

// frames of a program that recurses: consistent, but more than max_locals has room for.
TEST(SnapshotCheck, RefusesFramesWithoutRoomForTheirLocals) {
  constexpr std::string_view kDown = R"(
.func down locals=100
  CALL down
.end
.func main
  CALL down
.end
.export "main" main
)";
  isa::Limits limits;
  Machine machine = MachineOf(kDown, EngineKind::kNative, limits);
  RunEntry(machine, Fuel(40));
  const Snapshot snapshot = machine.TakeSnapshot().value();
  limits.max_locals = 3'000;
  Machine smaller = MachineOf(kDown, EngineKind::kNative, limits);
  EXPECT_EQ(smaller.Restore(snapshot).error().message,
            "snapshot: frame 32 needs 3100 local slots, the limit is 3000");
  EXPECT_EQ(smaller.Restore(snapshot).error().code, isa::ErrorCode::kLimit);
}

// After `PUSH 1; JNZ` the validator looks at one way only; a forged top must not take the other.
TEST(SnapshotCheck, RefusesATopThatIsNotWhatThePushBeforePushed) {
  constexpr std::string_view kDecided = R"(
  PUSH 1
  JNZ end
  POP
  POP
end:
  HALT
)";
  Machine machine = MachineOf(kDecided, EngineKind::kNative);
  RunEntry(machine, Fuel(1));
  Snapshot snapshot = machine.TakeSnapshot().value();
  EXPECT_TRUE(machine.Restore(snapshot).has_value());
  snapshot.stack[0] = 0;
  EXPECT_EQ(machine.Restore(snapshot).error().message,
            "snapshot: its top operand at instruction 1 is 0, the PUSH before it pushes 1");
  snapshot.ip = 2;
  EXPECT_EQ(machine.Restore(snapshot).error().message,
            "snapshot: the run is at instruction 2, which no path reaches");
}

TEST(SnapshotCheck, TakesAnyStateOfAnUnverifiedProgramThatFits) {
  constexpr std::string_view kUnderflow = "  PUSH 1\n  POP\n  POP\n  HALT\n";
  const auto program = ProgramOf(kUnderflow);
  MachineOptions options;
  options.allow_unverified = true;
  Machine machine = Machine::Load(program, {}, options).value();
  RunEntry(machine, Fuel(2));
  Snapshot snapshot = machine.TakeSnapshot().value();
  Machine other = Machine::FromSnapshot(program, {}, options, snapshot).value();
  EXPECT_EQ(other.Resume().trap->cause, isa::Trap::kStackUnderflow);
  snapshot.ip = 4'000'000'000;
  ASSERT_TRUE(other.Restore(snapshot).has_value());
  EXPECT_EQ(other.Resume().trap->cause, isa::Trap::kInvalidPc);
}

// Deep in a recursion that a fast loop entered long ago, restored where the slots are short: the
// limit must be met at the same step as without the detour.
TEST(SnapshotState, MeetsTheSlotLimitAfterRestoredFrames) {
  constexpr std::string_view kNested = R"(
.func leaf results=1
  PUSH 1
.end
.func wide results=1
  CALL leaf
  PUSH 1
  PUSH 1
  PUSH 1
  PUSH 1
  ADD
  ADD
  ADD
  ADD
.end
.func main results=1
  CALL wide
  CALL wide
  ADD
.end
.export "main" main
)";
  const isa::Limits limits{.max_slots = 4, .max_depth = 9, .max_locals = 9, .max_pages = 0};
  for (const EngineKind engine : AllEngines()) {
    Machine uncut = MachineOf(kNested, engine, limits);
    const RunResult expected = RunEntry(uncut, Fuel(isa::kUnlimitedFuel));
    ASSERT_EQ(expected.outcome, Outcome::kTrapped);
    for (std::uint64_t step = 0; step < expected.steps; ++step) {
      Machine machine = MachineOf(kNested, engine, limits);
      RunEntry(machine, Fuel(step));
      const Snapshot snapshot = machine.TakeSnapshot().value();
      ASSERT_TRUE(uncut.Restore(snapshot).has_value());
      const RunResult result = uncut.Resume(Fuel(isa::kUnlimitedFuel));
      EXPECT_EQ(result.digest, expected.digest) << EngineName(engine) << " at " << step;
      EXPECT_EQ(result.trap->ip, expected.trap->ip);
    }
  }
}

TEST(TouchedPages, NamesWhatWasWrittenAndForgetsWhatIsCleared) {
  auto array = Reservation<std::uint8_t>::Create(1u << 24, PageOffset::kLocals).value();
  EXPECT_TRUE(isa::TouchedRanges(array.data(), array.size()).empty());
  array[3] = 1;
  array[5'000'000] = 2;
  const std::vector<isa::ByteRange> ranges = isa::TouchedRanges(array.data(), array.size());
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].begin, 0u);
  EXPECT_LE(ranges[1].begin, 5'000'000u);
  EXPECT_GT(ranges[1].end, 5'000'000u);
  isa::ClearBytes(array.data(), array.size());
  EXPECT_EQ(array[3], 0);
  EXPECT_EQ(array[5'000'000], 0);
}

}  // namespace
}  // namespace txvm::vm
