#include "isa/routine.h"

#include <algorithm>
#include <vector>

#include "isa/opcode.h"
#include "isa/support/sha256.h"

namespace txvm::isa {
namespace {

struct RoutineCode {
  std::uint32_t instructions = 0;
  std::uint32_t locals = 0;
  std::string_view digest;
};

constexpr RoutineCode kRoutineCodes[] = {
#define TXVM_ROUTINE_CODE(Name, instructions, locals, digest) {instructions, locals, digest},
#include "isa/routine_codes.def"
#undef TXVM_ROUTINE_CODE
};
static_assert(std::size(kRoutineCodes) == kRoutineCount);

// The rows of both tables are in one order.
constexpr RoutineId kRowIds[] = {
#define TXVM_ROUTINE_CODE(Name, instructions, locals, digest) RoutineId::k##Name,
#include "isa/routine_codes.def"
#undef TXVM_ROUTINE_CODE
};
static_assert([] {
  for (std::size_t i = 0; i < kRoutineCount; ++i) {
    if (static_cast<std::size_t>(kRowIds[i]) != i) return false;
  }
  return true;
}());

void AppendWord(std::vector<std::uint8_t>& bytes, std::uint32_t word) {
  for (const unsigned shift : {0u, 8u, 16u, 24u}) {
    bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  }
}

}  // namespace

const RoutineInfo* FindRoutine(std::string_view name) {
  const auto* found = std::ranges::find(kRoutines, name, &RoutineInfo::name);
  return found == std::end(kRoutines) ? nullptr : found;
}

std::string RoutineDigest(std::uint32_t cells_in, std::uint32_t cells_out, std::uint32_t locals,
                          std::span<const Instruction> code, std::uint32_t first) {
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t word : {cells_in, cells_out, locals}) AppendWord(bytes, word);
  for (const Instruction instruction : code) {
    const bool jumps = Info(instruction.op()).operand == Operand::kTarget;
    AppendWord(bytes, instruction.head);
    AppendWord(bytes, jumps ? instruction.arg - first : instruction.arg);
  }
  return Sha256(bytes);
}

std::optional<RoutineId> RecognizeRoutine(const Program& program, const Function& function) {
  const std::uint32_t instructions = function.last - function.first + 1;
  std::string digest;
  for (const RoutineInfo& info : kRoutines) {
    const RoutineCode& row = kRoutineCodes[static_cast<std::size_t>(info.id)];
    if (row.instructions != instructions || row.locals != function.locals ||
        info.cells_in != function.params || info.cells_out != function.results) {
      continue;
    }
    if (digest.empty()) {
      digest = RoutineDigest(function.params, function.results, function.locals,
                             std::span(program.code).subspan(function.first, instructions),
                             function.first);
    }
    if (row.digest == digest) return info.id;
  }
  return std::nullopt;
}

}  // namespace txvm::isa
