#include "neural/triton/prove/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "isa/support/text.h"
#include "neural/triton/prove/skeleton.h"

namespace txvm::triton {
namespace {

// Labels that the library itself calls.
std::set<std::size_t> Called(const TasmProgram& program) {
  std::set<std::size_t> called;
  for (const TasmInstruction& instruction : program.code) {
    if (instruction.op == TasmOp::kCall) called.insert(instruction.arg);
  }
  return called;
}

// A routine that only one side has, for others to call.
std::optional<std::string> Unmatched(const TasmProgram& one, const TasmProgram& other) {
  const std::set<std::size_t> called = Called(one);
  for (std::size_t i = 0; i < one.labels.size(); ++i) {
    const std::string& name = one.labels[i].name;
    if (!called.contains(i) && !other.FindLabel(name)) return name;
  }
  return std::nullopt;
}

// Adds what was found about one routine.
void Note(const std::string& name, VerifyReport&& routine, VerifyReport& report) {
  report.routines.push_back({name, routine.verdict, routine.reason});
  report.paths += routine.paths;
  report.trials += routine.trials;
  report.bounded = report.bounded || routine.bounded;
  const bool refuted = routine.verdict == Verdict::kRefuted;
  if (refuted && report.verdict != Verdict::kRefuted) {
    report.verdict = Verdict::kRefuted;
    report.routine = name;
    report.counterexample = std::move(routine.counterexample);
  }
}

}  // namespace

isa::Result<VerifyReport> VerifyRoutines(const Subject& first, const Subject& second,
                                         const VerifyOptions& options) {
  const TasmProgram& a = first.tasm();
  const TasmProgram& b = second.tasm();
  VerifyReport report;
  if (SameSkeletonProved(a, b, Skeleton::kLibrary)) {
    report.verdict = Verdict::kProved;
    report.reason = fmt::format("the same control flow in {}, over straight runs proved equal",
                                isa::CountText(a.labels.size(), "routine"));
    return report;
  }
  for (std::size_t i = 0; i < a.labels.size(); ++i) {
    const std::string& name = a.labels[i].name;
    const std::optional<std::size_t> there = b.FindLabel(name);
    if (!there) continue;
    TXVM_TRY(VerifyReport routine,
             Verify(Subject::Routine(a, i), Subject::Routine(b, *there), options));
    Note(name, std::move(routine), report);
  }
  if (report.verdict == Verdict::kRefuted) {
    report.reason =
        fmt::format("the routine {} differs, confirmed by running both", report.routine);
    return report;
  }
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (const auto name = Unmatched(*one, *other)) {
      report.reason = fmt::format("the routine {} is on one side only", *name);
      return report;
    }
  }
  const auto open = std::ranges::find_if(
      report.routines, [](const auto& routine) { return routine.verdict != Verdict::kProved; });
  if (open != report.routines.end()) {
    report.reason = fmt::format("the routine {} is not decided{}{}", open->name,
                                open->reason.empty() ? "" : ": ", open->reason);
  } else if (report.routines.empty()) {
    report.reason = "they have no routine of the same name";
  } else {
    report.verdict = Verdict::kProved;
    report.reason = fmt::format("{} proved equal on any stack",
                                isa::CountText(report.routines.size(), "routine"));
  }
  return report;
}

}  // namespace txvm::triton
