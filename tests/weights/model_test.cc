#include "weights/model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "tests/support/reference_interpreter.h"
#include "tests/support/test_hosts.h"
#include "tests/weights/model_run.h"
#include "vm/engines/hull_model.h"
#include "weights/bounds.h"
#include "weights/wrap.h"

namespace txvm::weights {
namespace {

using isa::Instruction;
using isa::Opcode;
using Word = std::uint32_t;
using support::ReferenceResult;

/// Runs a case on the model and the interpreter and expects the same of both.
void ExpectAgreement(const support::RandomCase& random_case, std::uint64_t fuel,
                     const std::string& label) {
  support::ReferenceInterpreter oracle(random_case.program, random_case.limits,
                                       support::TestReferenceHosts());
  const ReferenceResult expected = oracle.Run(random_case.start, random_case.args, fuel);
  const Trial trial = RunOnModel(random_case, fuel);
  EXPECT_EQ(trial.run.steps, expected.steps) << label;
  EXPECT_EQ(trial.run.digest, expected.digest) << label;
  EXPECT_EQ(trial.stack, oracle.stack()) << label;
  EXPECT_EQ(trial.fault, "") << label;
  EXPECT_LT(trial.largest_row, kFloat32Exact) << label;
  switch (expected.outcome) {
    case ReferenceResult::Outcome::kHalted:
      EXPECT_EQ(trial.run.stop, ModelRun::Stop::kHalted) << label;
      break;
    case ReferenceResult::Outcome::kTrapped:
      EXPECT_EQ(trial.run.cause, expected.cause) << label;
      break;
    default:
      EXPECT_EQ(trial.run.stop, ModelRun::Stop::kFuel) << label;
  }
}

TEST(Model, ObeysItsOwnRules) {
  const auto checked = CheckModel(TheModel());
  EXPECT_TRUE(checked) << checked.error().message;
}

TEST(Model, EveryRowIsExactInFloat32) {
  const auto exact = CheckFloat32Exact(TheModel());
  EXPECT_TRUE(exact) << exact.error().message;
}

TEST(Model, RowPastTheBoundIsNamed) {
  Model model = TheModel();
  FeedForward& ffn = model.layers[4].ffn;
  Entry& entry = ffn.w_down.entries.front();
  entry.weight = kMaxWeight;
  const auto exact = CheckFloat32Exact(model);
  ASSERT_FALSE(exact);
  EXPECT_NE(exact.error().message.find("layer 4: row w_down " + model.lanes[entry.row].name),
            std::string::npos)
      << exact.error().message;
}

// The compiled model with other ranges declared, and the largest weights where they are products.
Model DeclaredModel(std::int32_t low, std::int32_t high) {
  Model model = TheModel();
  for (LaneInfo& lane : model.lanes) {
    lane.low = low;
    lane.high = high;
  }
  for (ModelLayer& layer : model.layers) {
    for (Entry& entry : layer.ffn.w_gate.entries) entry.weight = kMaxWeight;
    for (Entry& entry : layer.ffn.w_up.entries) entry.weight = kMaxWeight;
  }
  return model;
}

// Products of two rows pass 2^63 where lanes are declared as wide as their type.
TEST(Model, LanesDeclaredTooWideAreRefusedWithoutOverflow) {
  using Lane = std::numeric_limits<std::int32_t>;
  const Model model = DeclaredModel(Lane::min(), Lane::max());
  std::int64_t largest = 0;
  for (const LayerBounds& bounds : BoundModel(model)) {
    EXPECT_GE(bounds.product, 0);
    largest = std::max(largest, bounds.product);
  }
  EXPECT_EQ(largest, kBoundBeyond);
  EXPECT_FALSE(CheckFloat32Exact(model));
}

// Declared 0..0, every bound holds; what the lanes really hold soon passes 2^63.
TEST(Model, LanesThatPassWhatTheyDeclareGiveSomeNumber) {
  const Model model = DeclaredModel(0, 0);
  ASSERT_TRUE(CheckModel(model));
  ASSERT_TRUE(CheckFloat32Exact(model));
  ReferenceModel reference(model);
  reference.Append(MemoryRecord{});
  StateRecord state{};
  state.fill(1);
  for (int pass = 0; pass < 3; ++pass) state = reference.Forward(state).state;
  EXPECT_GT(reference.largest_row(), kFloat32Exact);
  const auto hull = vm::HullModel::Create(model, false);
  ASSERT_TRUE(hull) << hull.error().message;
  vm::HullPass pass(*hull);
  for (int i = 0; i < 3; ++i) {
    std::int64_t farthest = 0;
    const vm::HullToken token{};
    pass.Run(state, [&](HeadId, Space, std::int64_t address) {
      farthest = std::max(farthest, WrapAbs(address));
      return &token;
    });
    EXPECT_LE(farthest, std::int64_t{1} << 40);
    state = pass.State();
  }
}

TEST(Model, IsGeneratedWithinASecondAndAlwaysTheSame) {
  const auto start = std::chrono::steady_clock::now();
  const Model again = CompileModel();
  const auto taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken, std::chrono::seconds(1));
  EXPECT_EQ(again, TheModel());
}

TEST(Model, HeadThatWritesAKeyLaneIsRefused) {
  Model model = TheModel();
  ModelHead& head = model.layers[0].heads[0];
  head.w_o.entries.front().row = head.w_k.entries.front().column;
  const auto checked = CheckModel(model);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message, "layer 0 w_o writes lane key.0, which keys or values read");
}

TEST(Model, HeadOfMoreValuesThanATokenHasIsRefused) {
  Model model = TheModel();
  ModelHead& head = model.layers[0].heads[0];
  head.w_v.rows = head.w_o.columns = 19;
  const auto checked = CheckModel(model);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message, "layer 0.Fetch.w_v has 19 rows, at most 18");
}

// Heads of a layer attend together: what one finds must not depend on which is computed first.
TEST(Model, HeadThatReadsWhatAnotherOfItsLayerWritesIsRefused) {
  Model model = TheModel();
  std::size_t at = 0;
  while (model.layers[at].heads.size() < 2) ++at;
  const ModelHead& writer = model.layers[at].heads[1];
  ModelHead& reader = model.layers[at].heads[0];
  const std::uint32_t lane = writer.w_o.entries.front().row;
  reader.w_q.entries.front().column = lane;
  const auto checked = CheckModel(model);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message,
            fmt::format("layer {}: head {} reads lane {}, which head {} of the layer writes", at,
                        Spec(reader.id).name, model.lanes[lane].name, Spec(writer.id).name));
}

// Every opcode that computes, on edges and random words, one instruction at a time.
class ModelOpcode : public testing::TestWithParam<isa::OpcodeInfo> {};

TEST_P(ModelOpcode, AgreesWithTheInterpreter) {
  const isa::OpcodeInfo& op = GetParam();
  support::Random random(static_cast<std::uint64_t>(op.op));
  constexpr int kTrials = 60;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::uint32_t arg =
        op.operand == isa::Operand::kValue    ? random.InterestingWord()
        : op.operand == isa::Operand::kOffset ? random.OneOf({0u, 1u, 65'535u, 0xFFFFFFFFu})
        : op.operand == isa::Operand::kCause  ? random.Between(1, isa::kTrapCount)
        : op.operand == isa::Operand::kLocal  ? random.Below(3)
                                              : 0;
    std::vector<Word> args;
    for (std::uint32_t i = random.Below(5); i > 0; --i) args.push_back(random.InterestingWord());
    if (op.op_class == isa::OpClass::kMemory && args.size() > 1) {
      args[args.size() - 2] = random.Between(65'530, 65'537) - arg;
    }
    ExpectAgreement(CaseOf({Instruction(op.op, arg), Instruction(Opcode::kHalt)}, args, 1), 4,
                    std::string(op.text) + " trial " + std::to_string(trial));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModelOpcode, testing::ValuesIn(isa::kOpcodes), [](const auto& row) {
  std::string name(row.param.text);
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

TEST(Model, UnknownOpcodeAndMissingInstructionTrap) {
  support::RandomCase unknown = CaseOf({Instruction(static_cast<Opcode>(56))}, {7});
  ExpectAgreement(unknown, 4, "opcode 56");
  support::RandomCase past_end = CaseOf({Instruction(Opcode::kNop)}, {7});
  ExpectAgreement(past_end, 4, "past the end");
  EXPECT_EQ(RunOnModel(past_end, 4).run.cause, isa::Trap::kInvalidPc);
}

// Every opcode with operands at and beyond the edges of what it may have.
TEST(Model, MalformedInstructionsTrapBeforeAnythingElse) {
  constexpr std::array<Word, 12> kArgs = {
      0, 1, 2, 3, 13, 14, 256, 0x00010000, 0x01000001, 0x80000000, 0x80000001, 0x80010000};
  for (const isa::OpcodeInfo& op : isa::kOpcodes) {
    for (const Word arg : kArgs) {
      for (const Word aux : {0u, 1u, 2u, 256u, 0x10000u}) {
        for (const std::size_t operands : {0u, 3u}) {
          support::RandomCase c = CaseOf({Instruction(op.op, arg, aux), Instruction(Opcode::kHalt)},
                                         std::vector<Word>(operands, 1), 1);
          c.program.globals = {5, 6};
          c.limits.max_locals = 258;
          const bool host = op.op == Opcode::kCall && arg >= isa::kHostCallBit && aux == 0;
          if (host) c.program.imports.clear();  // every index is out of range
          ExpectAgreement(
              c, 3, fmt::format("{} aux {} arg {} with {} operands", op.text, aux, arg, operands));
        }
      }
    }
  }
}

TEST(Model, LatestWriteWinsAtAddressesThatDefeatFloatKeys) {
  constexpr std::array<Word, 7> kAddresses = {1'024,  4'096,      4'097,     131'072,
                                              65'535, 16'777'216, 0xFFFFFFFF};
  for (const Word address : kAddresses) {
    std::vector<Instruction> code;
    for (const Word value : {1u, 2u, 3u}) {
      for (const Word neighbour : {address - 1, address}) {
        code.emplace_back(Opcode::kPush, neighbour);
        code.emplace_back(Opcode::kPush, neighbour == address ? value : 77u);
        code.emplace_back(Opcode::kStore8);
      }
    }
    code.emplace_back(Opcode::kPush, address);
    code.emplace_back(Opcode::kLoad8U);
    code.emplace_back(Opcode::kHalt);
    const Trial trial = RunOnModel(CaseOf(code, {}, isa::kMaxPages), 100);
    EXPECT_EQ(trial.stack, std::vector<Word>{3}) << address;
  }
}

TEST(Model, DivisionTakesThirtyFourPassesAndOneStep) {
  const Trial trial =
      RunOnModel(CaseOf({Instruction(Opcode::kDivU), Instruction(Opcode::kHalt)}, {100, 7}), 10);
  EXPECT_EQ(trial.run.steps, 2u);
  EXPECT_EQ(trial.run.passes, 35u);
  EXPECT_EQ(trial.stack, std::vector<Word>{14});
}

TEST(Model, HostCallLeavesAsAToken) {
  support::RandomCase c = CaseOf({Instruction(Opcode::kCall, isa::kHostCallBit | 3)}, {5, 6});
  c.program.imports.resize(4);
  const Trial trial = RunOnModel(c, 10);
  EXPECT_EQ(trial.run.stop, ModelRun::Stop::kHost);
  EXPECT_EQ(WordAt(std::span(trial.run.state).subspan(state_field::kArg)), isa::kHostCallBit | 3);
  EXPECT_EQ(WordAt(std::span(trial.run.state).subspan(state_field::kIp)), 1u);
  EXPECT_EQ(trial.stack, (std::vector<Word>{5, 6}));
}

TEST(Model, RandomProgramsAgreeWithTheInterpreter) {
  constexpr std::uint64_t kPrograms = 300;
  constexpr std::uint64_t kSteps = 60;
  constexpr std::size_t kMaxCode = 256;
  std::uint64_t ran = 0;
  for (std::uint64_t seed = 1; ran < kPrograms; ++seed) {
    support::RandomCase random_case = support::MakeRandomCase(seed);
    if (random_case.program.code.size() > kMaxCode) continue;
    const std::uint64_t fuel = std::min(random_case.fuel, kSteps);
    // The model runs up to a host call; what the host answers is tested with the engines.
    const Trial trial = RunOnModel(random_case, fuel);
    if (trial.run.stop == ModelRun::Stop::kHost) {
      random_case.fuel = trial.run.steps - 1;
    }
    ExpectAgreement(random_case, std::min(random_case.fuel, fuel), "seed " + std::to_string(seed));
    ++ran;
  }
}

// Fuel counts steps and a division's passes are none: weights that never finish, or never count, an
// instruction would run for ever.
TEST(Reference, EditedWeightsDoNotRunForEver) {
  isa::Program program;
  program.code = {isa::Instruction(isa::Opcode::kPush, 1), isa::Instruction(isa::Opcode::kJnz, 0)};
  program.functions = {{0, 1, 0, 0, 0, ""}};
  for (const auto& [field, more] :
       {std::pair(state_field::kMicro, 1), std::pair(state_field::kCounted, -1)}) {
    Model model = CompileModel();
    model.b_out[field] += more;
    ReferenceModel reference(model);
    for (const MemoryRecord& token : Tokenise(program)) reference.Append(token);
    const ModelRun run = RunReference(reference, InitialState(program, {}, 0, {}, 0), 100);
    EXPECT_EQ(run.stop, ModelRun::Stop::kTrapped);
    EXPECT_EQ(run.cause, isa::Trap::kUnsupported);
    EXPECT_LE(run.passes, kMaxPasses);
  }
}

}  // namespace
}  // namespace txvm::weights
