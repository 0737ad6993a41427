#include "tests/neural/triton/support/tasm_describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "neural/triton/tasm/machine.h"
#include "neural/triton/tasm/op.h"

namespace txvm::triton {
namespace {

std::string_view ArgumentText(TasmArg arg) {
  switch (arg) {
    case TasmArg::kNone:
      return "";
    case TasmArg::kElement:
      return " a";
    case TasmArg::kCount:
      return " n";
    case TasmArg::kRegister:
      return " i";
    case TasmArg::kLabel:
      return " label";
  }
  return "";
}

std::string_view SetText(TasmSet set) {
  switch (set) {
    case TasmSet::kAll:
      return "";
    case TasmSet::kDot:
      return "dot";
    case TasmSet::kHorner:
      return "horner";
  }
  return "";
}

// "+n", "-1", "0"
std::string NetText(const TasmOpInfo& info) {
  if (info.net_per_unit != 0) return info.net_per_unit > 0 ? "+n" : "-n";
  return info.net == 0 ? "0" : fmt::format("{:+}", info.net);
}

std::string RamText(const TasmOpInfo& info) {
  return info.ram_per_unit ? "n" : fmt::format("{}", info.ram_rows);
}

}  // namespace

std::string TasmInstructionTable() {
  std::vector<TasmOpInfo> rows(kTasmOps.begin(), kTasmOps.end());
  std::ranges::stable_sort(rows, {}, &TasmOpInfo::code);
  std::string text =
      "| code | instruction | set | stack | ram | hash | effect |\n|--|--|--|--|--|--|--|\n";
  for (const TasmOpInfo& info : rows) {
    text += fmt::format("| {} | `{}{}` | {} | {} | {} | {} | {} |\n", info.code, info.text,
                        ArgumentText(info.arg), SetText(info.set), NetText(info), RamText(info),
                        info.hash_rows, info.effect);
  }
  return text;
}

std::string TasmCrashTable() {
  std::string text = "| crash | meaning |\n|--|--|\n";
#define TXVM_TASM_CRASH(Name, short_text, detail) \
  text += fmt::format("| `{}` | {} |\n", short_text, detail);
#include "neural/triton/tasm/crashes.def"
#undef TXVM_TASM_CRASH
  return text;
}

}  // namespace txvm::triton
