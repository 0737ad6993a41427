#include "neural/triton/lower/straight_runs.h"

#include <algorithm>
#include <utility>

#include "neural/triton/prove/terms.h"
#include "neural/triton/prove/world.h"
#include "neural/triton/tir/tasm_step.h"

namespace txvm::triton {
namespace {

// An assertion of straight code, by the terms that it requires to be equal.
struct Assertion {
  std::size_t at;
  std::vector<std::pair<Term, Term>> equal;
};

// The assertions of the code, as terms over its initial stack.
std::vector<Assertion> Assertions(const std::vector<TasmInstruction>& code, TermTable& table) {
  constexpr std::size_t kMostTaken = 5;  // words by which an instruction shortens the stack
  std::vector<Term> stack;
  for (std::size_t i = kTasmRegisters + kMostTaken * code.size(); i-- > 0;) {
    stack.push_back(table.FromAtom(AtomKind::kStack, {}, static_cast<std::uint32_t>(i)));
  }
  PathOracle oracle;
  SymbolicWorld world(table, oracle, true);
  StackMachine<SymbolicWorld> machine(world, std::move(stack), 0);
  std::vector<Assertion> found;
  for (std::size_t i = 0; i < code.size() && !world.failed(); ++i) {
    if (code[i].op == TasmOp::kAssert) {
      found.push_back({i, {{machine.At(0), table.Const(1)}}});
    } else if (code[i].op == TasmOp::kAssertVector) {
      found.push_back({i, {}});
      for (std::size_t word = 0; word < kDigestWords; ++word) {
        found.back().equal.push_back(
            std::minmax({machine.At(word), machine.At(word + kDigestWords)}));
      }
    }
    StepTasm(machine, code[i]);
  }
  return found;
}

// The error_ids of a run move to the assertions of the same words in its replacement. Where several
// assert the same words, the first is the one that can fail. An id without such an assertion is
// dropped. The two lists of ids count from the start of their code.
std::vector<TasmErrorId> MoveIds(const std::vector<TasmErrorId>& ids,
                                 const std::vector<TasmInstruction>& before,
                                 const std::vector<TasmInstruction>& after) {
  constexpr std::size_t kMostInstructions = 4096;  // more would cost seconds for the sake of ids
  if (ids.empty() || before == after) return ids;
  if (before.size() > kMostInstructions || after.size() > kMostInstructions) return {};
  TermTable table;
  const std::vector<Assertion> old = Assertions(before, table);
  std::vector<Assertion> left = Assertions(after, table);
  std::vector<TasmErrorId> moved;
  for (const Assertion& assertion : old) {
    const auto same = std::find_if(left.begin(), left.end(), [&](const Assertion& other) {
      return other.equal == assertion.equal;
    });
    if (same == left.end()) continue;
    const auto id = std::find_if(ids.begin(), ids.end(),
                                 [&](const TasmErrorId& i) { return i.index == assertion.at; });
    if (id != ids.end()) moved.push_back({same->at, id->id});
    left.erase(same);
  }
  std::sort(moved.begin(), moved.end(),
            [](const TasmErrorId& a, const TasmErrorId& b) { return a.index < b.index; });
  return moved;
}

// The ids of the instructions [start, start + length), counted from `start`.
std::vector<TasmErrorId> IdsOf(const TasmProgram& program, const StraightRun& run) {
  std::vector<TasmErrorId> ids;
  const auto end = program.error_ids.end();
  auto at = std::lower_bound(program.error_ids.begin(), end, run.start,
                             [](const TasmErrorId& id, std::size_t i) { return id.index < i; });
  for (; at != end && at->index < run.start + run.length; ++at) {
    ids.push_back({at->index - run.start, at->id});
  }
  return ids;
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
  // New place of an instruction; not needed inside a run.
  std::vector<std::size_t> moved(program.code.size() + 1, 0);
  std::size_t at = 0;
  for (std::size_t r = 0; r <= runs.size(); ++r) {
    const std::size_t end = r < runs.size() ? runs[r].start : program.code.size();
    result.AddErrorIds(IdsOf(program, {at, end - at}), result.code.size());
    for (; at < end; ++at) {
      moved[at] = result.code.size();
      result.code.push_back(program.code[at]);
    }
    if (r == runs.size()) break;
    moved[at] = result.code.size();
    result.AddErrorIds(MoveIds(IdsOf(program, runs[r]), RunCode(program, runs[r]), replacements[r]),
                       result.code.size());
    result.code.insert(result.code.end(), replacements[r].begin(), replacements[r].end());
    at += runs[r].length;
  }
  moved[program.code.size()] = result.code.size();
  for (const TasmLabel& label : program.labels) {
    result.labels.push_back({label.name, moved[label.index]});
  }
  return result;
}

}  // namespace txvm::triton
