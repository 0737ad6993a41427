// Program specialisation: a program folded into feed-forward weights runs as it did from tokens.
#include "weights/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <set>

#include "isa/verify.h"
#include "tests/support/reference_interpreter.h"
#include "tests/support/test_hosts.h"
#include "tests/weights/model_run.h"
#include "vm/engines/hull_model.h"
#include "weights/bounds.h"
#include "weights/reduce.h"

namespace txvm::weights {
namespace {

using isa::Instruction;
using isa::Opcode;
using Word = std::uint32_t;
namespace sf = state_field;

constexpr std::size_t kLong = 10'000;  // instructions
constexpr std::int32_t kByteHigh = 255;

/// n instructions of random bytes.
std::vector<Instruction> RandomCode(std::size_t n, std::uint64_t seed) {
  support::Random random(seed);
  std::vector<Instruction> code(n);
  for (Instruction& instruction : code) {
    instruction.head = random.Word();
    instruction.arg = random.OneIn(2) ? random.Word() : random.Below(3);
  }
  return code;
}

/// A model that fetches and does nothing else: the instruction at ip becomes the output's.
struct Fetcher {
  ModelBuilder builder;
  WireWord ip;
  FetchOutputs outputs;

  Fetcher() {
    for (std::size_t i = 0; i < kWordBytes; ++i) {
      ip[i] = builder.Embed(Indexed("ip", i), sf::kIp + i, kByteHigh);
    }
    outputs.flag = builder.Lane("flag", 0, 1);
    for (std::size_t i = 0; i < outputs.bytes.size(); ++i) {
      outputs.bytes[i] = builder.Lane(Indexed("byte", i), 0, kByteHigh);
    }
  }
  Model Build() && {
    builder.Emit(sf::kCounted, outputs.flag);
    for (std::size_t i = 0; i < outputs.bytes.size(); ++i) {
      builder.Emit(sf::kOp + i, outputs.bytes[i]);  // op, aux, arg follow each other
    }
    return std::move(builder).Build();
  }
};

Model FoldedFetcher(std::span<const Instruction> code) {
  Fetcher fetcher;
  FetchUnits(fetcher.builder, fetcher.ip, code, fetcher.outputs);
  return std::move(fetcher).Build();
}

StateRecord At(Word ip) {
  StateRecord state{};
  SetWord(std::span(state).subspan(sf::kIp), ip);
  return state;
}

class FetchRun {
 public:
  explicit FetchRun(const Model& model)
      : pass_([&] {
          auto hull = vm::HullModel::Create(model, false);  // untrusted: no unit is skipped
          EXPECT_TRUE(hull) << hull.error().message;
          return *hull;
        }()) {}

  /// What the units write at `ip`: the flag, and the instruction.
  std::pair<std::int32_t, Instruction> Fetch(Word ip) {
    pass_.Run(At(ip), [](HeadId, Space, std::int64_t) -> const vm::HullToken* { return nullptr; });
    const StateRecord out = pass_.State();
    Instruction instruction;
    instruction.head = WordAt(std::span(out).subspan(sf::kOp));
    instruction.arg = WordAt(std::span(out).subspan(sf::kArg));
    return {out[sf::kCounted], instruction};
  }

 private:
  vm::HullPass pass_;
};

TEST(Fold, EveryInstructionOfALongProgramIsFetchedAndNoOther) {
  const std::vector<Instruction> code = RandomCode(kLong, 1);
  FetchRun run(FoldedFetcher(code));
  for (Word ip = 0; ip < code.size(); ++ip) {
    const auto [flag, instruction] = run.Fetch(ip);
    ASSERT_EQ(flag, 1) << ip;
    ASSERT_EQ(instruction, code[ip]) << ip;
  }
  std::set<Word> outside = {65'535, 65'536, 65'537, 0x00FFFFFF, 0x01000000, 0x7FFFFFFF, 0xFFFFFFFF};
  for (Word i = 0; i < 600; ++i) outside.insert(static_cast<Word>(kLong) + i);
  for (const Word far : {0x00010000u, 0x00FF0000u, 0x01000000u, 0xFF000000u, 0x01010000u}) {
    for (Word ip = 0; ip < kLong; ip += 97) outside.insert(far + ip);
  }
  for (const Word ip : outside) {
    const auto [flag, instruction] = run.Fetch(ip);
    ASSERT_EQ(flag, 0) << ip;
    ASSERT_EQ(instruction, Instruction()) << ip;
  }
}

TEST(Fold, ProgramsOfEverySmallSizeEndWhereTheyEnd) {
  const std::vector<Instruction> code = RandomCode(600, 2);
  for (const std::size_t n : {1u, 2u, 15u, 16u, 17u, 255u, 256u, 257u, 511u, 512u, 513u, 600u}) {
    FetchRun run(FoldedFetcher(std::span(code).first(n)));
    for (Word ip = 0; ip < 700; ++ip) {
      const auto [flag, instruction] = run.Fetch(ip);
      ASSERT_EQ(flag, ip < n ? 1 : 0) << n << " " << ip;
      ASSERT_EQ(instruction, ip < n ? code[ip] : Instruction()) << n << " " << ip;
    }
  }
}

/// The fetch as sums of hinges over the whole ip, which is what must not be done.
Model HingeFetcher(std::span<const Instruction> code) {
  Fetcher fetcher;
  const Linear x = fetcher.ip[0] + 256 * Linear(fetcher.ip[1]);
  const auto byte = [&](std::size_t ip, std::size_t v) -> std::int32_t {
    if (ip >= code.size()) return 0;
    const Word word = v < kWordBytes ? code[ip].head : code[ip].arg;
    return static_cast<std::int32_t>(word >> (8 * (v % kWordBytes)) & 0xFF);
  };
  for (std::size_t v = 0; v < fetcher.outputs.bytes.size(); ++v) {
    const Wire to = fetcher.outputs.bytes[v];
    for (std::size_t ip = 0; ip <= code.size() + 1; ++ip) {
      // relu(x - ip + 1) changes the slope so that the sum goes through every byte.
      const std::int32_t bend =
          byte(ip, v) - 2 * (ip > 0 ? byte(ip - 1, v) : 0) + (ip > 1 ? byte(ip - 2, v) : 0);
      if (bend != 0) {
        fetcher.builder.Hinge(x - static_cast<std::int32_t>(ip) + 1, {{to, bend}});
      }
    }
  }
  return std::move(fetcher).Build();
}

/// y = W x + bias in float32, a row's products summed as a vector unit does: 16 sums side by side,
/// then those.
std::vector<float> FloatProduct(const SparseMatrix& matrix, const std::vector<float>& x,
                                const std::vector<std::int32_t>& bias) {
  constexpr std::size_t kSums = 16;
  std::vector<std::array<float, kSums>> sums(matrix.rows);
  for (std::size_t row = 0; row < bias.size(); ++row) sums[row][0] = static_cast<float>(bias[row]);
  for (const Entry& e : matrix.entries) {
    sums[e.row][e.column % kSums] += static_cast<float>(e.weight) * x[e.column];
  }
  std::vector<float> y;
  for (const auto& row : sums) y.push_back(std::accumulate(row.begin(), row.end(), 0.0f));
  return y;
}

/// The lanes after all layers of a model without heads.
std::vector<float> FloatLanes(const Model& model, Word ip) {
  std::vector<float> lanes(model.lanes.size(), 0.0f);
  const StateRecord state = At(ip);
  for (const Entry& e : model.w_embed.entries) lanes[e.row] = static_cast<float>(state[e.column]);
  for (const ModelLayer& layer : model.layers) {
    std::vector<float> open = FloatProduct(layer.ffn.w_gate, lanes, layer.ffn.b_gate);
    const std::vector<float> up = FloatProduct(layer.ffn.w_up, lanes, layer.ffn.b_up);
    for (std::size_t i = 0; i < open.size(); ++i) open[i] = std::max(open[i], 0.0f) * up[i];
    const std::vector<float> added = FloatProduct(layer.ffn.w_down, open, {});
    for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] += added[i];
  }
  return lanes;
}

/// How many of every 20th instruction come out wrong in float32.
std::size_t WrongFetches(const Model& model, std::span<const Instruction> code) {
  constexpr std::size_t kEvery = 20;
  std::size_t wrong = 0;
  const std::size_t first = kWordBytes + 1;  // lanes: ip, flag, bytes
  for (std::size_t ip = 0; ip < code.size(); ip += kEvery) {
    const std::vector<float> lanes = FloatLanes(model, static_cast<Word>(ip));
    Instruction got;
    for (std::size_t i = 0; i < 8; ++i) {
      Word& word = i < kWordBytes ? got.head : got.arg;
      const float byte = lanes[first + i];
      if (byte < 0 || byte > 255) continue;
      word |= static_cast<Word>(byte) << (8 * (i % kWordBytes));
    }
    wrong += got == code[ip] ? 0 : 1;
  }
  return wrong;
}

TEST(Fold, HingesBreakTheBoundThatConjunctionsKeep) {
  const std::vector<Instruction> code = RandomCode(kLong, 3);
  const Model hinges = HingeFetcher(code), folded = FoldedFetcher(code);
  EXPECT_FALSE(CheckFloat32Exact(hinges));
  const auto exact = CheckFloat32Exact(folded);
  EXPECT_TRUE(exact) << exact.error().message;
  const std::size_t wrong = WrongFetches(hinges, code);
  EXPECT_GT(wrong, 0u);
  EXPECT_EQ(WrongFetches(folded, code), 0u);
  std::printf("hinges: largest row %lld, %zu of %zu fetches wrong; folded: largest row %lld\n",
              static_cast<long long>(BoundModel(hinges)[0].Largest()), wrong, kLong / 20,
              static_cast<long long>(BoundModel(folded)[1].Largest()));
}

TEST(Fold, TheLimitIsWhereTheBoundEnds) {
  // Bytes of 255, but not the same in a whole block, which would need one weight: the worst
  // program.
  Instruction full;
  full.head = full.arg = ~Word{0};
  std::vector<Instruction> most(kMaxFolded, full), more(kMaxFolded + 512, full);
  for (std::vector<Instruction>* code : {&most, &more}) {
    for (std::size_t ip = 0; ip < code->size(); ip += 16)
      (*code)[ip].head = (*code)[ip].arg = 0xFEFEFEFE;
  }
  const auto exact = CheckFloat32Exact(FoldedFetcher(most));
  EXPECT_TRUE(exact) << exact.error().message;
  EXPECT_FALSE(CheckFloat32Exact(FoldedFetcher(more)));
  isa::Program program;
  program.code.assign(kMaxFolded + 1, Instruction(Opcode::kNop));
  const auto refused = FoldProgram(TheModel(), program);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the program has 65537 instructions, at most 65536 can be folded: beyond, a row of the "
            "weights could reach 2^24");
}

TEST(Fold, WhatCannotBeFoldedIsRefused) {
  isa::Program program;
  EXPECT_EQ(FoldProgram(TheModel(), program).error().message,
            "a program without instructions cannot be folded");
  program.code = {Instruction(Opcode::kHalt)};
  const auto folded = FoldProgram(TheModel(), program);
  ASSERT_TRUE(folded) << folded.error().message;
  EXPECT_EQ(FoldProgram(*folded, program).error().message, "the model has no fetch head to fold");
  Model edited = TheModel();
  edited.layers[0].heads[0].b_q[0] = 1;
  EXPECT_EQ(FoldProgram(edited, program).error().message,
            "the fetch head is not the compiled one: it cannot be folded");
  program.code.push_back(Instruction(Opcode::kNop));
  EXPECT_EQ(CheckFoldedWith(*folded, program).error().message,
            "the weights are folded with another program, of 1 instruction");
}

// Verify's programs need no check of their operands; the same code without its globals does.
TEST(Fold, CodeThatIsNotVerifiedIsAnotherProgram) {
  isa::Program program;
  program.code = {Instruction(Opcode::kLocalGet, 1, 1), Instruction(Opcode::kPop),
                  Instruction(Opcode::kHalt)};
  program.functions = {{0, 2, 0, 0, 0, ""}};
  program.globals = {5, 6};
  ASSERT_TRUE(isa::Verify(program)) << isa::Verify(program).error().message;
  isa::Program damaged = program;
  damaged.globals.clear();
  ASSERT_FALSE(isa::Verify(damaged));
  const auto folded = FoldProgram(TheModel(), program);
  ASSERT_TRUE(folded) << folded.error().message;
  EXPECT_TRUE(CheckFoldedWith(*folded, program));
  EXPECT_FALSE(CheckFoldedWith(*folded, damaged));
  program.globals.push_back(7);
  EXPECT_TRUE(CheckFoldedWith(*folded, program));
  const auto careful = FoldProgram(TheModel(), damaged);
  ASSERT_TRUE(careful) << careful.error().message;
  EXPECT_TRUE(CheckFoldedWith(*careful, damaged));
}

/// Runs a case on its folded model and expects what the interpreter says.
void ExpectAgreement(const support::RandomCase& c, std::uint64_t fuel, const std::string& label) {
  support::ReferenceInterpreter oracle(c.program, c.limits, support::TestReferenceHosts());
  const auto expected = oracle.Run(c.start, c.args, fuel);
  const auto folded = FoldProgram(TheModel(), c.program);
  ASSERT_TRUE(folded) << label << ": " << folded.error().message;
  const Trial trial = RunOnModel(c, fuel, *folded);
  EXPECT_EQ(trial.run.steps, expected.steps) << label;
  EXPECT_EQ(trial.run.digest, expected.digest) << label;
  EXPECT_EQ(trial.stack, oracle.stack()) << label;
  EXPECT_EQ(trial.fault, "") << label;
  EXPECT_LT(trial.largest_row, kFloat32Exact) << label;
}

TEST(Fold, EveryOpcodeAloneAgreesWithTheInterpreter) {
  for (const isa::OpcodeInfo& op : isa::kOpcodes) {
    support::Random random(static_cast<std::uint64_t>(op.op));
    for (int trial = 0; trial < 4; ++trial) {
      const Word arg = op.operand == isa::Operand::kValue   ? random.InterestingWord()
                       : op.operand == isa::Operand::kCause ? random.Between(1, isa::kTrapCount)
                       : op.operand == isa::Operand::kLocal ? random.Below(3)
                                                            : 0;
      std::vector<Word> args;
      for (int i = 0; i < trial; ++i) args.push_back(random.InterestingWord());
      if (op.op_class == isa::OpClass::kMemory && trial > 1) args[args.size() - 2] = 65'532;
      ExpectAgreement(CaseOf({Instruction(op.op, arg), Instruction(Opcode::kHalt)}, args, 1), 4,
                      std::string(op.text) + " trial " + std::to_string(trial));
    }
  }
}

// TXVM_FOLD_CASES=20000 and TXVM_FOLD_SEED=1 set how many programs and where they start.
TEST(Fold, RandomProgramsAgreeWithTheInterpreter) {
  constexpr std::uint64_t kSteps = 50;
  const char* count = std::getenv("TXVM_FOLD_CASES");
  const char* first = std::getenv("TXVM_FOLD_SEED");
  std::uint64_t left = count == nullptr ? 220 : std::strtoull(count, nullptr, 10);
  std::uint64_t seed = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
  for (; left > 0; --left, ++seed) {
    support::RandomCase c = support::MakeRandomCase(seed);
    c.fuel = std::min(c.fuel, kSteps);
    // The model runs up to a host call; what the host answers is tested with the engines.
    const Trial trial = RunOnModel(c, c.fuel);
    if (trial.run.stop == ModelRun::Stop::kHost) c.fuel = trial.run.steps - 1;
    ExpectAgreement(c, c.fuel, "seed " + std::to_string(seed));
  }
}

TEST(Fold, WhatAProgramNeverUsesIsGone) {
  isa::Program program;
  program.code = {Instruction(Opcode::kPush, 300), Instruction(Opcode::kPush, 7),
                  Instruction(Opcode::kAdd), Instruction(Opcode::kHalt)};
  const auto folded = FoldProgram(TheModel(), program);
  ASSERT_TRUE(folded);
  const ModelCard whole = Describe(TheModel()), card = Describe(*folded);
  EXPECT_LT(card.units * 20, whole.units);
  EXPECT_EQ(card.heads, 1u);  // the second operand
  EXPECT_EQ(Reduce(*folded).layers, folded->layers);
  // What is declared 0 is 0: no shift, product or memory access is left to be wrong.
  for (const LaneInfo& lane : folded->lanes) EXPECT_FALSE(lane.name.starts_with("product"));
}

TEST(Reduce, KeepsEveryOutputOfTheCompiledModel) {
  const Model reduced = Reduce(TheModel());
  EXPECT_EQ(Reduce(reduced), reduced);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const support::RandomCase c = support::MakeRandomCase(seed);
    const Trial whole = RunOnModel(c, 40), less = RunOnModel(c, 40, reduced);
    EXPECT_EQ(less.run.digest, whole.run.digest) << seed;
    EXPECT_EQ(less.run.state, whole.run.state) << seed;
  }
}

}  // namespace
}  // namespace txvm::weights
