// The dense engine against the interpreter, the plain loops and the hull engine.
#include "vm/engines/transformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <set>
#include <string>

#include "tests/support/differential.h"
#include "tests/support/reference_interpreter.h"
#include "tests/support/test_hosts.h"
#include "vm/engines/transformer_model.h"
#include "vm/machine.h"
#include "vm/tensor/gemm.h"
#include "weights/reference.h"

namespace txvm::vm {
namespace {

using isa::Instruction;
using isa::Opcode;
namespace sf = weights::state_field;

TEST(Gemm, AgreesWithPlainLoopsOnIntegers) {
  support::Random random(3);
  for (const auto& [m, n, k] :
       {std::array<std::size_t, 3>{1, 1, 1}, {1, 37, 100}, {5, 3, 659}, {33, 64, 7}}) {
    std::vector<float> a(m * k), b(n * k), c(m * n, 7.0f);
    for (float& v : a) v = static_cast<float>(random.Below(511)) - 255;
    for (float& v : b) v = static_cast<float>(random.Below(3)) - 1;
    for (const float beta : {0.0f, 1.0f}) {
      std::vector<float> fast = c, plain = c;
      MultiplyTransposed(a.data(), b.data(), fast.data(), m, n, k, beta);
      MultiplyTransposedPlain(a.data(), b.data(), plain.data(), m, n, k, beta);
      EXPECT_EQ(fast, plain) << GemmName();
    }
  }
}

/// Many programs in lock step: one batched pass moves every program by one token.
class LockStep {
 public:
  struct Lane {
    support::RandomCase random_case;
    weights::StateRecord state{};
    std::unique_ptr<TransformerCache> cache;
    std::uint64_t steps = 0, fuel = 0, digest = isa::kDigestSeed;
    bool running = true;
  };

  explicit LockStep(std::shared_ptr<const TransformerModel> model) : model_(std::move(model)) {}

  void Add(const support::RandomCase& random_case, std::uint64_t fuel) {
    Lane lane;
    lane.random_case = random_case;
    lane.fuel = fuel;
    lane.running = fuel > 0;
    lane.cache = std::make_unique<TransformerCache>(model_);
    lane.cache->Append(weights::Tokenise(random_case.program));
    lane.cache->Append(weights::ArgumentTokens(random_case.args));
    const auto& memory = random_case.program.memory;
    lane.state = weights::InitialState(random_case.program, random_case.limits, random_case.start,
                                       random_case.args, memory ? memory->initial : 0);
    lanes_.push_back(std::move(lane));
  }

  void Run() {
    for (;;) {
      std::vector<Lane*> running;
      std::vector<weights::StateRecord> states;
      std::vector<const TransformerCache*> caches;
      for (Lane& lane : lanes_) {
        if (!lane.running) continue;
        running.push_back(&lane);
        states.push_back(lane.state);
        caches.push_back(lane.cache.get());
      }
      if (running.empty()) return;
      const auto outputs = TransformerForward(*model_, states, caches);
      for (std::size_t i = 0; i < running.size(); ++i) Advance(*running[i], outputs[i]);
    }
  }

  const std::vector<Lane>& lanes() const { return lanes_; }

 private:
  static void Advance(Lane& lane, const TransformerOutput& output) {
    for (std::size_t slot = 0; slot < weights::kWriteTokens; ++slot) {
      const weights::MemoryRecord write = WriteOf(output, slot);
      if (!weights::IsEmpty(write)) lane.cache->Append(std::span(&write, 1));
    }
    const weights::StateRecord next = StateOf(output);
    if (next[sf::kCounted] != 0) {
      const isa::TraceRecord record = weights::RecordOf(lane.state, next, ++lane.steps);
      lane.digest =
          isa::ExtendDigest(lane.digest, record.ip, record.instruction, record.sp, record.top);
    }
    lane.state = next;
    lane.running = next[sf::kStopped] == 0 && next[sf::kHost] == 0 &&
                   (lane.steps < lane.fuel || next[sf::kMicro] != 0);
  }

  std::shared_ptr<const TransformerModel> model_;
  std::vector<Lane> lanes_;
};

bool CallsHost(const isa::Program& program) {
  return std::ranges::any_of(program.code, [](const Instruction& instruction) {
    return instruction.op() == Opcode::kCall && instruction.arg >= isa::kHostCallBit;
  });
}

// TXVM_DENSE_CASES=20000 and TXVM_DENSE_SEED=1 set how many programs and where they start.
TEST(Transformer, RandomProgramsInLockStepAgreeWithTheInterpreter) {
  constexpr std::uint64_t kFuel = 100;
  constexpr std::size_t kMaxCode = 256;
  constexpr std::size_t kBatch = 128;
  const char* count = std::getenv("TXVM_DENSE_CASES");
  const char* first = std::getenv("TXVM_DENSE_SEED");
  std::uint64_t left = count == nullptr ? 60 : std::strtoull(count, nullptr, 10);
  std::uint64_t seed = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
  while (left > 0) {
    LockStep batch(CompiledTransformerModel());
    for (; left > 0 && batch.lanes().size() < kBatch; ++seed) {
      const support::RandomCase random_case = support::MakeRandomCase(seed);
      if (random_case.program.code.size() > kMaxCode || CallsHost(random_case.program)) continue;
      batch.Add(random_case, std::min(kFuel, random_case.fuel));
      --left;
    }
    batch.Run();
    for (const LockStep::Lane& lane : batch.lanes()) {
      support::ReferenceInterpreter oracle(lane.random_case.program, lane.random_case.limits,
                                           support::TestReferenceHosts());
      const auto expected = oracle.Run(lane.random_case.start, lane.random_case.args, lane.fuel);
      ASSERT_EQ(lane.steps, expected.steps) << "before seed " << seed;
      ASSERT_EQ(lane.digest, expected.digest) << "before seed " << seed;
    }
  }
}

// What the engine adds to the passes: host calls, resumption, the State's arrays.
TEST(Transformer, EngineAgreesWithTheInterpreter) {
  support::Coverage coverage;
  std::uint64_t ran = 0;
  for (std::uint64_t seed = 1; ran < 12; ++seed) {
    support::RandomCase random_case = support::MakeRandomCase(seed);
    random_case.fuel = std::min<std::uint64_t>(random_case.fuel, 12);
    if (!CallsHost(random_case.program) && seed % 4 != 0) continue;
    ++ran;
    const auto difference = support::FirstDifference(random_case, seed, coverage,
                                                     {EngineKind::kHull, EngineKind::kTransformer});
    ASSERT_FALSE(difference) << *difference;
  }
}

TEST(Transformer, DamagedProgramsAgreeWithTheInterpreter) {
  support::Coverage coverage;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    support::RandomCase damaged = support::MakeDamagedCase(seed);
    damaged.fuel = std::min<std::uint64_t>(damaged.fuel, 12);
    const auto difference =
        support::FirstDifference(damaged, seed, coverage, {EngineKind::kTransformer});
    ASSERT_FALSE(difference) << *difference;
  }
}

TEST(Transformer, ProgramLongerThanTheContextIsRefused) {
  auto program = std::make_shared<isa::Program>();
  program->code.assign(kMaxPrefixTokens + 1, Instruction(Opcode::kNop));
  program->code.back() = Instruction(Opcode::kHalt);
  program->functions = {{0, static_cast<std::uint32_t>(kMaxPrefixTokens), 0, 0, 0, ""}};
  const auto machine = Machine::Load(program, Linker(), {EngineKind::kTransformer, {}, false});
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().message,
            "the program is 1048577 tokens long, engine transformer takes 1048576");
}

// What edited weights yield can be anything.
TEST(Transformer, FieldsNoIntegerHoldsBecomeTheNearestOne) {
  using Field = std::numeric_limits<std::int32_t>;
  TransformerOutput output{};
  output[0] = 2'147'483'648.0f;
  output[1] = -std::numeric_limits<float>::infinity();
  output[2] = std::numeric_limits<float>::quiet_NaN();
  output[3] = -2'147'483'648.0f;
  output[weights::state_field::kCount] = 1e30f;
  const weights::StateRecord state = StateOf(output);
  EXPECT_EQ(state[0], Field::max());
  EXPECT_EQ(state[1], Field::min());
  EXPECT_EQ(state[2], 0);
  EXPECT_EQ(state[3], Field::min());
  EXPECT_EQ(WriteOf(output, 0)[0], Field::max());
}

/// The project files a file includes, directly or not.
void AddIncludes(const std::string& path, std::set<std::string>& found) {
  std::ifstream file(TXVM_SOURCE_DIR "/" + path);
  ASSERT_TRUE(file) << path;
  const std::string start = "#include \"";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(start)) continue;
    const std::string name = line.substr(start.size(), line.find('"', start.size()) - start.size());
    if (found.insert(name).second) AddIncludes(name, found);
  }
}

TEST(Transformer, PassesKnowNoWordArithmetic) {
  for (const std::string file : {"vm/engines/transformer_model.cc", "vm/engines/hull_model.cc"}) {
    std::set<std::string> includes;
    AddIncludes(file, includes);
    EXPECT_TRUE(includes.contains("weights/model.h")) << file;
    EXPECT_FALSE(includes.contains("isa/word_ops.h")) << file;
  }
}

}  // namespace
}  // namespace txvm::vm
