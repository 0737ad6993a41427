// The attention engine's reads are its heads': matrices, keys and counts decide what a program
// sees.
#include "vm/engines/attention.h"

#include "hwy/targets.h"
#include "tests/vm/vm_fixture.h"
#include "vm/tensor/simd_target.h"

namespace txvm::vm {
namespace {

using weights::HeadId;
using weights::HeadMatrices;
using weights::Lane;

constexpr std::string_view kSubtract = "PUSH 1\nPUSH 20\nPUSH 3\nSUB\nHALT\n";

constexpr std::string_view kMixed = R"(
.memory 1 1
.data 4 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
.global 5
.func work params=2 results=1
  LOCAL.SET 1
  LOCAL.SET 0
  PUSH 0
  PUSH 0
  LOCAL.GET 1
  I32.LOAD 4
  I32.STORE 40
  PUSH 30
  LOCAL.SET 2
  loop
    LOCAL.GET 0
    LOCAL.GET 2
    I32.LOAD16_U 1
    ADD
    LOCAL.GET 2
    I32.LOAD8_S 14
    XOR
    LOCAL.SET 0
    LOCAL.GET 2
    PUSH 1
    SUB
    LOCAL.TEE 2
    br_if 0
  end
  POP
  LOCAL.GET 0
  GLOBAL.GET 0
  LOCAL.GET 1
  SELECT
.end
.func main results=1
  PUSH 12
  PUSH 3
  CALL work
.end
.export "main" main
)";

TEST(AttentionHeads, AnEditedBiasChangesWhatIsRead) {
  AttentionHarness plain(kSubtract);
  EXPECT_EQ(plain.Run().kind, Stop::Kind::kHalted);
  EXPECT_EQ(plain.stack(), (std::vector<Word>{1, 17}));  // 20 - 3

  HeadMatrices matrices = weights::CompileHeads();
  matrices[HeadId::kStackSecond].b_q[0] -= 1;  // reads slot sp-2: 1 - 3
  AttentionHarness edited(kSubtract, matrices);
  EXPECT_EQ(edited.Run().kind, Stop::Kind::kHalted);
  EXPECT_EQ(edited.stack(), (std::vector<Word>{1, static_cast<Word>(-2)}));
}

TEST(AttentionHeads, AnEditedFetchBiasRunsOtherInstructions) {
  HeadMatrices matrices = weights::CompileHeads();
  matrices[HeadId::kFetch].b_q[0] += 1;
  AttentionHarness edited(kSubtract, matrices);  // skips PUSH 1: 20 - 3 alone
  EXPECT_EQ(edited.Run().kind, Stop::Kind::kHalted);
  EXPECT_EQ(edited.stack(), std::vector<Word>{17});
}

TEST(AttentionHeads, AnEditedLaneKeyOrValueIsRefusedByName) {
  const auto program = ProgramOf(kSubtract);
  const isa::Verified verified = isa::Verify(*program).value();
  const InterruptFlag interrupt(5);
  const EngineContext context{*program, &verified, {}, interrupt};
  const auto refuse = [&](auto edit) {
    HeadMatrices matrices = weights::CompileHeads();
    edit(matrices);
    const auto engine = MakeAttentionEngine(context, matrices);
    return engine ? std::string("accepted") : engine.error().message;
  };
  const std::string lane = refuse(
      [](HeadMatrices& m) { m[HeadId::kLocal].w_q[0][static_cast<std::size_t>(Lane::kIp)] = 1; });
  EXPECT_NE(lane.find("Local"), std::string::npos) << lane;
  EXPECT_NE(refuse([](HeadMatrices& m) { m[HeadId::kFetch].b_k[1] = 1; }), "accepted");
  EXPECT_NE(refuse([](HeadMatrices& m) {
              for (float& weight : m[HeadId::kFrame].w_v[0]) weight *= 2;
            }),
            "accepted");
}

TEST(AttentionHeads, PoisonedKeysChangeResults) {
  AttentionHarness harness(kSubtract);
  ASSERT_EQ(harness.Run().kind, Stop::Kind::kHalted);
  // Swap the keys of slots 1 and 2 (slots start at address 0, digit = slot): the second operand is
  // then found in slot 1.
  const std::span<std::int16_t> keys = harness.engine->KeyTile(Space::kStack, 2);
  const std::size_t tile = harness.engine->tile_keys();
  std::swap(keys[1], keys[2]);
  std::swap(keys[tile + 1], keys[tile + 2]);
  harness.state.ip = harness.state.sp = 0;
  EXPECT_EQ(harness.Run().kind, Stop::Kind::kHalted);
  EXPECT_EQ(harness.stack(), (std::vector<Word>{1, static_cast<Word>(-2)}));
}

TEST(AttentionHeads, AnAbsentKeyReadsZeroAndAnAbsentInstructionTraps) {
  AttentionHarness harness(kSubtract);
  ASSERT_EQ(harness.Run().kind, Stop::Kind::kHalted);
  const std::size_t tile = harness.engine->tile_keys();
  harness.engine->KeyTile(Space::kStack, 2)[tile + 2] =
      -32'768;  // slot 2's key reaches no query's maximum
  harness.state.ip = harness.state.sp = 0;
  EXPECT_EQ(harness.Run().kind, Stop::Kind::kHalted);
  EXPECT_EQ(harness.stack().back(), static_cast<Word>(-3));  // 0 - 3

  harness.engine->KeyTile(Space::kCode, 3)[tile + 3] = -32'768;
  harness.state.ip = harness.state.sp = 0;
  const Stop stop = harness.Run();
  EXPECT_EQ(stop.kind, Stop::Kind::kTrapped);
  EXPECT_EQ(stop.cause, isa::Trap::kInvalidPc);
  EXPECT_EQ(harness.state.ip, 3u);
}

TEST(AttentionStats, CountFetchesStepsAndTheReadsOfTheOpcodeTable) {
  Machine machine = MachineOf(kMixed, EngineKind::kAttention);
  std::array<std::uint64_t, kSpaceCount> expected{};
  RunOptions options;
  options.stats = true;
  options.trace = [&](std::span<const isa::TraceRecord> batch) {
    for (const isa::TraceRecord& record : batch) {
      const isa::OpcodeInfo& op = isa::Info(record.instruction.op());
      expected[0] += 1;
      expected[1] += op.stack_reads;
      expected[2] += op.local_reads;
      expected[3] += op.memory_reads;
      expected[4] += op.call_reads;
    }
  };
  const RunResult result = RunEntry(machine, options);
  ASSERT_EQ(result.outcome, Outcome::kHalted);
  EXPECT_EQ(result.stats->heads, expected);
  EXPECT_EQ(result.stats->heads[0], result.steps);
  for (std::size_t s = 0; s < kSpaceCount; ++s) {
    EXPECT_GT(result.stats->keys[s], 0u);
    EXPECT_GT(result.stats->live[s], 0u);
  }
  // Each read of a word scores one tile, or one per byte where it crosses tiles.
  EXPECT_GE(result.stats->keys[1], result.stats->heads[1] * 8);
}

TEST(AttentionTargets, AllGiveTheSameDigestAndSteps) {
  Machine native = MachineOf(kMixed, EngineKind::kNative);
  RunOptions options;
  options.digest = true;
  const RunResult expected = RunEntry(native, options);
  int targets = 0;
  for (const std::int64_t target : SimdTargets()) {
    SelectSimdTarget(target);
    Machine machine = MachineOf(kMixed, EngineKind::kAttention);
    const RunResult observed = RunEntry(machine, options);
    const RunResult plain = RunEntry(machine);
    EXPECT_EQ(observed.digest, expected.digest) << hwy::TargetName(target);
    EXPECT_EQ(observed.results, expected.results) << hwy::TargetName(target);
    EXPECT_EQ(plain.results, expected.results) << hwy::TargetName(target);
    EXPECT_EQ(plain.steps, expected.steps) << hwy::TargetName(target);
    ++targets;
  }
  SelectSimdTarget(0);
  EXPECT_GE(targets, 1);
}

}  // namespace
}  // namespace txvm::vm
