// Random programs on this machine and on the real Triton VM: outputs, crashes and all nine heights.
// Optional: TXVM_TRITON_RUNNER names the runner built from interop/Cargo.toml.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "neural/triton/tasm/machine.h"
#include "neural/triton/tasm/text.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

using nlohmann::json;
constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kPrograms = 400;

struct Case {
  std::string text;
  TasmInput input;
};

// Programs from small pieces that mostly keep the stack deep enough; about every twelfth piece is
// any instruction at all, so that crashes occur.
class Generator {
 public:
  Generator(TasmIsa isa, std::uint64_t seed) : isa_(isa), rng_(seed) {}

  Case Make() {
    Case made;
    for (int i = 0; i < 12; ++i) {
      made.input.input.push_back(Element());
      made.input.secret.push_back(Element());
      made.input.ram.emplace_back(Below(40), Element());
    }
    for (int i = 0; i < 3; ++i) {
      Digest digest{};
      for (std::uint64_t& word : digest) word = Element();
      made.input.digests.push_back(digest);
    }
    std::string functions;
    std::string text = "push 3 push 4 push 5 push 6 push 7 push 8 push 9 push 10 push 11 push 12 ";
    for (std::uint64_t n = 3 + Below(20); n > 0; --n) text += Piece(functions);
    made.text = text + "write_io 5 write_io 2 halt\n" + functions;
    return made;
  }

 private:
  std::uint64_t Below(std::uint64_t n) { return rng_() % n; }

  std::uint64_t Element() {
    switch (Below(4)) {
      case 0:
        return Below(20);
      case 1:
        return rng_() >> 32;
      case 2:
        return vm::goldilocks::kPrime - 1 - Below(3);
      default:
        return vm::goldilocks::Canonical(rng_());
    }
  }

  std::string U32() { return fmt::format("push {} ", rng_() >> 32 >> Below(32)); }
  std::string Push() { return fmt::format("push {} ", Element()); }

  std::string Any() {
    for (;;) {
      const TasmOpInfo& info = kTasmOps[Below(kTasmOps.size())];
      if (!IsInIsa(info.op, isa_)) continue;
      switch (info.arg) {
        case TasmArg::kNone:
          return fmt::format("{} ", info.text);
        case TasmArg::kElement:
          return fmt::format("{} {} ", info.text, Element());
        case TasmArg::kCount:
          return fmt::format("{} {} ", info.text, 1 + Below(5));
        case TasmArg::kRegister:
          return fmt::format("{} {} ", info.text, Below(16));
        case TasmArg::kLabel:
          break;
      }
    }
  }

  // A piece that leaves the stack at least as deep as it was.
  std::string Straight() {
    switch (Below(24)) {
      case 0:
        return U32() + U32() + "lt ";
      case 1:
        return U32() + U32() + "and ";
      case 2:
        return U32() + U32() + "xor ";
      case 3:
        return U32() + U32() + "div_mod ";
      case 4:
        return U32() + "pop_count ";
      case 5:
        return U32() + "log_2_floor ";
      case 6:
        return U32() + Push() + "pow ";
      case 7:
        return Push() + "split ";
      case 8:
        return Push() + "invert ";
      case 9:
        return fmt::format("push {} read_mem {} ", Below(40), 1 + Below(5));
      case 10:
        return Push() + Push() + fmt::format("push {} write_mem 2 ", Below(40));
      case 11:
        return Push() + Push() + Push() + "xx_mul push 1 push 2 push 3 ";
      case 12:
        return Push() + Push() + Push() + "x_invert ";
      case 13:
        return Push() + "xb_mul " + Push();
      case 14:
        return fmt::format("dup {} ", Below(16));
      case 15:
        return fmt::format("pick {} place {} swap {} ", Below(16), Below(16), Below(16));
      case 16:
        return "dup 9 dup 9 dup 9 dup 9 dup 9 hash ";
      case 17:
        return "sponge_init dup 3 sponge_squeeze sponge_absorb ";
      case 18:
        return "sponge_init " + fmt::format("push {} sponge_absorb_mem ", Below(40));
      case 19:
        return U32() + Push() + Push() + Push() + Push() + Push() + "merkle_step ";
      case 20:
        return fmt::format("push {} ", Below(40)) + Push() + U32() + Push() + Push() + Push() +
               Push() + Push() + "merkle_step_mem ";
      case 21:
        return "read_io 1 divine 1 add ";
      case 22:
        if (isa_ == TasmIsa::kDot) {
          return fmt::format("push {} push {} {} ", Below(40), Below(40),
                             Below(2) == 0 ? "xx_dot_step" : "xb_dot_step");
        }
        return Below(2) == 0 ? "b_horner_step " : "x_horner_step ";
      default:
        return Push() + "dup 1 mul eq ";
    }
  }

  std::string Piece(std::string& functions) {
    if (Below(12) == 0) return Any();
    const std::uint64_t id = next_label_++;
    switch (Below(8)) {
      case 0:
        functions += fmt::format("f{}: {}return\n", id, Straight());
        return fmt::format("call f{} ", id);
      case 1:
        functions += fmt::format(
            "f{}: push -1 add dup 0 dup 0 mul push 7 eq pop 1 dup 0 skiz recurse return\n", id);
        return fmt::format("push {} call f{} pop 1 ", 1 + Below(9), id);
      case 2:
        return fmt::format("push {} skiz nop ", Below(2));
      default:
        return Straight();
    }
  }

  TasmIsa isa_;
  std::mt19937_64 rng_;
  std::uint64_t next_label_ = 0;
};

json ToJson(const Case& made) {
  auto words = [](const auto& values) {
    json list = json::array();
    for (const std::uint64_t value : values) list.push_back(std::to_string(value));
    return list;
  };
  json object;
  object["tasm"] = made.text;
  object["input"] = words(made.input.input);
  object["secret"] = words(made.input.secret);
  object["digests"] = json::array();
  for (const Digest& digest : made.input.digests) object["digests"].push_back(words(digest));
  object["ram"] = json::object();
  for (const auto& [address, value] : made.input.ram) {
    object["ram"][std::to_string(address)] = std::to_string(value);
  }
  return object;
}

// The beginning of Triton's sentence for each crash.
std::string TritonsWords(TasmCrash crash) {
  switch (crash) {
    case TasmCrash::kNotU32:
      return "failed to convert BFieldElement";
    case TasmCrash::kInverseOfZero:
      return "0 does not have a multiplicative inverse";
    case TasmCrash::kDivideByZero:
      return "division by 0";
    case TasmCrash::kLogOfZero:
      return "the logarithm of 0";
    case TasmCrash::kAssert:
      return "assertion failed";
    case TasmCrash::kAssertVector:
      return "vector assertion failed";
    case TasmCrash::kJumpEmpty:
      return "jump stack is empty";
    case TasmCrash::kInputEmpty:
      return "public input buffer is empty";
    case TasmCrash::kSecretEmpty:
      return "secret input buffer is empty";
    case TasmCrash::kDigestEmpty:
      return "no more secret digests";
    case TasmCrash::kSpongeUninit:
      return "the Sponge state must be initialized";
    case TasmCrash::kShallow:
      return "operational stack is too shallow";
    case TasmCrash::kIpOverflow:
      return "instruction pointer points outside";
    case TasmCrash::kCycleLimit:
    case TasmCrash::kMemoryLimit:
      break;
  }
  return "no such crash in Triton";
}

void ExpectSame(const Case& made, const json& real, TasmIsa isa) {
  const auto program = AssembleTasm(made.text, isa);
  ASSERT_TRUE(program) << program.error().ToString();
  const auto run = TasmMachine::Load(*program)->Run(made.input);
  ASSERT_TRUE(run);
  if (run->crash) {
    ASSERT_TRUE(real.contains("error")) << made.text;
    EXPECT_TRUE(real.at("error").get<std::string>().starts_with(TritonsWords(*run->crash)))
        << real.at("error") << made.text;
    return;
  }
  ASSERT_TRUE(real.contains("output")) << real << made.text;
  std::vector<std::string> output;
  for (const std::uint64_t word : run->output) output.push_back(std::to_string(word));
  EXPECT_EQ(real.at("output").get<std::vector<std::string>>(), output) << made.text;
  for (std::size_t i = 0; i < kTasmTables; ++i) {
    const std::string name(kTasmTableNames[i]);
    EXPECT_EQ(real.at("heights").at(name).get<std::uint64_t>(), run->heights.rows[i])
        << name << "\n"
        << made.text;
  }
}

TEST(TasmInterop, RandomProgramsAgreeWithTheRealTritonVm) {
  const char* runner = std::getenv("TXVM_TRITON_RUNNER");
  if (runner == nullptr) {
    GTEST_SKIP() << "TXVM_TRITON_RUNNER is not set: build tests/interop/triton with cargo";
  }
  const TasmIsa isa = TasmIsa::kDot;  // the released crates, up to 9.0.1, have no Horner steps
  const std::filesystem::path folder = ::testing::TempDir();
  const std::string cases_path = folder / "txvm_triton_cases.jsonl";
  const std::string results_path = folder / "txvm_triton_results.jsonl";
  Generator generator(isa, kSeed);
  std::vector<Case> cases;
  std::ofstream cases_file(cases_path);
  for (std::size_t i = 0; i < kPrograms; ++i) {
    cases.push_back(generator.Make());
    cases_file << ToJson(cases.back()).dump() << "\n";
  }
  cases_file.close();
  const std::string command = fmt::format("'{}' < '{}' > '{}'", runner, cases_path, results_path);
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream results(results_path);
  std::string line;
  std::size_t finished = 0;
  for (const Case& made : cases) {
    ASSERT_TRUE(std::getline(results, line));
    const json real = json::parse(line);
    finished += real.contains("output") ? 1 : 0;
    ExpectSame(made, real, isa);
  }
  EXPECT_GE(finished, 200u) << "too few programs ran to their end to say much";
  RecordProperty("finished", static_cast<int>(finished));
  fmt::print("{} of {} programs halted, the others crashed alike\n", finished, kPrograms);
}

}  // namespace
}  // namespace txvm::triton
