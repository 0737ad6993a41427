#include "neural/tir/lower_blocks.h"

#include <algorithm>

#include "neural/tir/tir_tasm_step.h"

namespace txvm::neural {
namespace {

bool IsAssertion(TasmOp op) { return op == TasmOp::kAssert || op == TasmOp::kAssertVector; }

// Places of the assertions of `code`, from `start`.
std::vector<std::size_t> Assertions(const std::vector<TasmInstruction>& code, std::size_t start) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (IsAssertion(code[i].op)) places.push_back(start + i);
  }
  return places;
}

}  // namespace

std::vector<StraightRun> StraightRuns(const TasmProgram& program) {
  std::vector<bool> entered(program.code.size() + 1, false);
  for (const TasmLabel& label : program.labels) entered[label.index] = true;
  std::vector<StraightRun> runs;
  std::size_t start = 0;
  const auto close = [&](std::size_t end) {
    if (end > start) runs.push_back({start, end - start});
  };
  bool skipped = false;  // the instruction at i follows a skiz
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const TasmOp op = program.code[i].op;
    if (entered[i]) {
      close(i);
      start = i;
    }
    if (!IsStraight(op) || skipped) {
      close(i);
      start = i + 1;
    }
    skipped = op == TasmOp::kSkiz;
  }
  close(program.code.size());
  return runs;
}

std::vector<TasmInstruction> RunCode(const TasmProgram& program, const StraightRun& run) {
  const auto first = program.code.begin() + static_cast<std::ptrdiff_t>(run.start);
  return {first, first + static_cast<std::ptrdiff_t>(run.length)};
}

TasmProgram ReplaceRuns(const TasmProgram& program, const std::vector<StraightRun>& runs,
                        const std::vector<std::vector<TasmInstruction>>& replacements) {
  TasmProgram result;
  result.isa = program.isa;
  constexpr std::size_t kGone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> moved(program.code.size() + 1, kGone);  // new place of an instruction
  std::size_t at = 0;
  for (std::size_t r = 0; r <= runs.size(); ++r) {
    const std::size_t end = r < runs.size() ? runs[r].start : program.code.size();
    for (; at < end; ++at) {
      moved[at] = result.code.size();
      result.code.push_back(program.code[at]);
    }
    if (r == runs.size()) break;
    moved[at] = result.code.size();
    const auto before = Assertions(RunCode(program, runs[r]), at);
    const auto after = Assertions(replacements[r], result.code.size());
    for (std::size_t k = 0; k < before.size() && before.size() == after.size(); ++k) {
      if (before[k] != at) moved[before[k]] = after[k];
    }
    result.code.insert(result.code.end(), replacements[r].begin(), replacements[r].end());
    at += runs[r].length;
  }
  moved[program.code.size()] = result.code.size();
  for (const TasmLabel& label : program.labels) {
    result.labels.push_back({label.name, moved[label.index]});
  }
  for (const TasmErrorId& error : program.error_ids) {
    const std::size_t place = moved[error.index];
    if (place >= result.code.size() || !IsAssertion(result.code[place].op)) continue;
    result.error_ids.push_back({place, error.id});
  }
  return result;
}

}  // namespace txvm::neural
