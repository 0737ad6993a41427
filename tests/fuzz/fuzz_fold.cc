// libFuzzer: the fold pass and its machine code. A random program, edited where the input says as
// long as Verify accepts it, runs on the folded engine as on the reference interpreter.
//
// The first 8 bytes are the seed of the program. Edits of 6 bytes follow: place, opcode, argument.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "isa/opcode.h"
#include "isa/verify.h"
#include "tests/support/differential.h"

namespace {

using namespace txvm;

constexpr std::size_t kSeedBytes = 8, kEditBytes = 6;
constexpr std::size_t kMostEdits = 64;

std::uint64_t Number(const std::uint8_t* data, std::size_t bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, data, bytes);
  return number;
}

void Edit(isa::Program& program, const std::uint8_t* edit) {
  if (program.code.empty()) return;
  isa::Instruction& instruction = program.code[Number(edit, 2) % program.code.size()];
  const isa::Instruction before = instruction;
  const isa::OpcodeInfo& row = isa::kOpcodes[edit[2] % isa::kOpcodes.size()];
  // Three bytes of argument, at the low or at the high end of the words.
  const auto argument = static_cast<std::uint32_t>(Number(edit + 3, 3));
  const bool keeps = row.operand == isa::Info(before.op()).operand && (edit[5] & 1) != 0;
  instruction = isa::Instruction(row.op, keeps ? before.arg : argument ^ (0u - (argument >> 23)),
                                 keeps ? before.aux() : 0);
  if (!isa::Verify(program)) instruction = before;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kSeedBytes) return -1;
  const std::uint64_t seed = Number(data, kSeedBytes);
  support::RandomCase random_case = support::MakeRandomCase(seed);
  for (std::size_t i = 0, at = kSeedBytes; i < kMostEdits && at + kEditBytes <= size; ++i) {
    Edit(random_case.program, data + at);
    at += kEditBytes;
  }
  support::Coverage coverage;
  const auto difference =
      support::FirstDifference(random_case, seed, coverage, {vm::EngineKind::kFolded});
  if (!difference) return 0;
  std::fputs(difference->c_str(), stderr);
  std::abort();
}
