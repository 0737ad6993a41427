#include "neural/triton/tir/op.h"

#include <array>

namespace txvm::triton {
namespace {

constexpr std::array<TirInfo, kTirOps> kTable = {{
#define TXVM_TIR(kind, code, name, text, tier, operand, pops, pushes, ram, tasm, effect)      \
  {TirCode::k##name,   #name, text, tier, TirKind::kind, TirOperand::operand, RamAccess::ram, \
   TasmOpOrNone::tasm, effect},
#include "neural/triton/tir/ops.def"
}};

constexpr bool CodesAreDense() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].code) != i) return false;
  }
  return true;
}
static_assert(CodesAreDense(), "row i of ops.def has code i");

constexpr bool DirectRowsNameAnInstruction() {
  for (const TirInfo& row : kTable) {
    if ((row.kind == TirKind::kDirect) != row.tasm.has_value()) return false;
  }
  return true;
}
static_assert(DirectRowsNameAnInstruction(), "TXVM_TIR_DIRECT rows, and no others, name a TasmOp");

}  // namespace

const TirInfo& Info(TirCode code) { return kTable[static_cast<std::size_t>(code)]; }

const TirInfo* FindTir(std::string_view text) {
  for (const TirInfo& row : kTable) {
    if (row.code == TirCode::kFnEnd || row.code == TirCode::kComment) continue;
    if (row.text == text) return &row;
  }
  return nullptr;
}

}  // namespace txvm::triton
