// Folded programs on the engines: the same runs as from tokens, and every folded weight matters.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "tests/support/random_program.h"
#include "tests/support/test_hosts.h"
#include "tests/weights/model_run.h"
#include "vm/machine.h"
#include "weights/fold.h"

namespace txvm::vm {
namespace {

using isa::Instruction;
using isa::Opcode;

std::shared_ptr<const weights::Model> Folded(const isa::Program& program) {
  auto model = weights::FoldProgram(weights::TheModel(), program);
  EXPECT_TRUE(model) << model.error().message;
  return std::make_shared<const weights::Model>(*std::move(model));
}

/// How a run ends, in one line.
std::string Ending(const std::shared_ptr<const isa::Program>& program, EngineKind engine,
                   std::shared_ptr<const weights::Model> model, const support::RandomCase& c) {
  MachineOptions options;
  options.engine = engine;
  options.limits = c.limits;
  options.model = std::move(model);
  auto machine = Machine::Load(program, support::TestLinker(), options);
  if (!machine) return machine.error().message;
  RunOptions run;
  run.fuel = c.fuel;
  run.digest = true;
  const RunResult result = machine->CallStub(c.start, c.args, run);
  std::string text = std::string(OutcomeText(result.outcome)) + " after " +
                     std::to_string(result.steps) + ", digest " + isa::DigestText(*result.digest) +
                     ", ip " + std::to_string(machine->ip());
  for (const Word word : machine->stack()) text += " " + std::to_string(word);
  return text;
}

TEST(FoldEngine, RandomProgramsEndAsTheyDoNatively) {
  constexpr std::uint64_t kPrograms = 200;
  for (std::uint64_t seed = 1'001; seed < 1'001 + kPrograms; ++seed) {
    const support::RandomCase c = support::MakeRandomCase(seed);
    const auto program = std::make_shared<const isa::Program>(c.program);
    ASSERT_EQ(Ending(program, EngineKind::kHull, Folded(c.program), c),
              Ending(program, EngineKind::kNative, nullptr, c))
        << seed;
  }
}

TEST(FoldEngine, DenseRunsEndAsTheyDoNatively) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    support::RandomCase c = support::MakeRandomCase(seed);
    c.fuel = std::min<std::uint64_t>(c.fuel, 25);
    const auto program = std::make_shared<const isa::Program>(c.program);
    ASSERT_EQ(Ending(program, EngineKind::kTransformer, Folded(c.program), c),
              Ending(program, EngineKind::kNative, nullptr, c))
        << seed;
  }
}

/// Loops of random bodies, `size` instructions or a few more, every one of them executed: locals
/// 1..7 are mixed by arithmetic, comparisons, shifts, divisions and through memory.
support::RandomCase LoopsProgram(std::size_t size) {
  constexpr std::uint32_t kLocals = 8, kTurns = 3, kBody = 24;
  constexpr Opcode kOps[] = {Opcode::kAdd,  Opcode::kSub,  Opcode::kMul,  Opcode::kXor,
                             Opcode::kOr,   Opcode::kLtS,  Opcode::kGeU,  Opcode::kRotl,
                             Opcode::kShrS, Opcode::kDivU, Opcode::kRemS, Opcode::kAnd};
  support::RandomCase c;
  std::vector<Instruction>& code = c.program.code;
  support::Random random(99);
  const auto local = [&] { return random.Between(1, kLocals - 1); };
  while (code.size() < size) {
    code.emplace_back(Opcode::kPush, kTurns);
    code.emplace_back(Opcode::kLocalSet, 0);
    const std::uint32_t turn = static_cast<std::uint32_t>(code.size());
    for (std::uint32_t i = 0; i < kBody; ++i) {
      code.emplace_back(Opcode::kLocalGet, local());
      code.emplace_back(Opcode::kPush, random.Word() | 2);
      code.emplace_back(kOps[random.Below(std::size(kOps))]);
      code.emplace_back(Opcode::kLocalSet, local());
      const Word address = random.Below(isa::kPageBytes - 4);
      code.emplace_back(Opcode::kPush, address);
      code.emplace_back(Opcode::kLocalGet, local());
      code.emplace_back(Opcode::kStore);
      code.emplace_back(Opcode::kPush, address);
      code.emplace_back(Opcode::kLoad16S, 1);
      code.emplace_back(Opcode::kLocalSet, local());
    }
    for (const Instruction last : {Instruction(Opcode::kLocalGet, 0), Instruction(Opcode::kPush, 1),
                                   Instruction(Opcode::kSub), Instruction(Opcode::kLocalTee, 0),
                                   Instruction(Opcode::kJnz, turn)}) {
      code.push_back(last);
    }
  }
  for (std::uint32_t i = 1; i < kLocals; ++i) code.emplace_back(Opcode::kLocalGet, i);
  code.emplace_back(Opcode::kHalt);
  c.program.functions = {{0, static_cast<std::uint32_t>(code.size() - 1), 0, 0, kLocals, "main"}};
  c.program.memory = isa::MemorySpec{1, 1};
  c.fuel = isa::kUnlimitedFuel;
  return c;
}

TEST(FoldEngine, LongProgramRunsToItsEnd) {
  const support::RandomCase c = LoopsProgram(10'000);
  const auto program = std::make_shared<const isa::Program>(c.program);
  EXPECT_GE(program->code.size(), 10'000u);
  const auto model = Folded(c.program);
  const std::string native = Ending(program, EngineKind::kNative, nullptr, c);
  EXPECT_TRUE(native.starts_with("halted")) << native;
  EXPECT_EQ(Ending(program, EngineKind::kHull, model, c), native);
  EXPECT_EQ(Ending(program, EngineKind::kHull, nullptr, c), native);
  const weights::ModelCard card = weights::Describe(*model);
  std::printf(
      "%zu instructions folded: %zu lanes, %zu heads, %zu units, %zu parameters, %zu not 0; %s\n",
      program->code.size(), card.d_model, card.heads, card.units, card.parameters, card.non_zeros,
      native.substr(0, native.find(',')).c_str());
}

TEST(FoldEngine, OtherProgramAndOtherEngineAreRefused) {
  const support::RandomCase c = LoopsProgram(1), other = LoopsProgram(300);
  const auto program = std::make_shared<const isa::Program>(c.program);
  EXPECT_EQ(Ending(program, EngineKind::kHull, Folded(other.program), c),
            "the weights are folded with another program, of " +
                std::to_string(other.program.code.size()) + " instructions");
  EXPECT_EQ(Ending(program, EngineKind::kAttention, Folded(c.program), c),
            "engine attention takes no weights: hull and transformer do");
}

/// The weights of the first two layers: the ones that hold the program.
std::vector<std::vector<weights::Entry>*> FetchWeights(weights::Model& model) {
  std::vector<std::vector<weights::Entry>*> all;
  for (std::size_t layer = 0; layer < 2; ++layer) {
    weights::FeedForward& ffn = model.layers[layer].ffn;
    for (weights::SparseMatrix* m : {&ffn.w_gate, &ffn.w_up, &ffn.w_down}) {
      all.push_back(&m->entries);
    }
  }
  return all;
}

// TXVM_MUTATIONS=2000 takes that many weights, each negated and set to 0.
TEST(FoldEngine, FoldedWeightsAreLoadBearing) {
  const char* count = std::getenv("TXVM_MUTATIONS");
  const std::uint64_t sample = count == nullptr ? 12 : std::strtoull(count, nullptr, 10);
  support::RandomCase c = LoopsProgram(1'000);
  const auto program = std::make_shared<const isa::Program>(c.program);
  const auto model = Folded(c.program);
  const std::string ending = Ending(program, EngineKind::kHull, model, c);
  c.fuel = 20'000;  // ten times what the program needs
  support::Random random(1);
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < sample; ++i) {
    for (const bool negate : {true, false}) {
      weights::Model mutant = *model;
      const auto all = FetchWeights(mutant);
      std::size_t total = 0;
      for (const auto* entries : all) total += entries->size();
      std::size_t index = (i * 7'919 + 13) % total;  // prime: spreads over all matrices
      auto entries = all.begin();
      for (; index >= (*entries)->size(); ++entries) index -= (*entries)->size();
      weights::Entry& entry = (**entries)[index];
      if (negate) entry.weight = -entry.weight;
      if (!negate) (*entries)->erase((*entries)->begin() + static_cast<std::ptrdiff_t>(index));
      const auto changed = std::make_shared<const weights::Model>(std::move(mutant));
      found += Ending(program, EngineKind::kHull, changed, c) != ending ? 1 : 0;
    }
  }
  std::printf("%llu of %llu mutations of folded weights change the program's ending\n",
              static_cast<unsigned long long>(found), static_cast<unsigned long long>(2 * sample));
  EXPECT_GE(found * 100, 2 * sample * 90);
}

}  // namespace
}  // namespace txvm::vm
