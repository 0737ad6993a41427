#include "neural/triton/prove/equivalence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "neural/triton/prove/compare.h"
#include "neural/triton/prove/identity.h"
#include "neural/triton/prove/induction.h"
#include "neural/triton/prove/library.h"
#include "neural/triton/prove/search.h"
#include "neural/triton/prove/skeleton.h"
#include "neural/triton/prove/world.h"

namespace txvm::triton {
namespace {

constexpr std::size_t kFirstDepth = 48;   // words above 16 that a fragment starts with
constexpr std::size_t kMostDepth = 4096;  // a fragment that takes more is not decided
constexpr std::uint64_t kWorkSparedOnLoops = SymbolicWorld::kMostWork / 10 * 9;
constexpr std::size_t kMostTerms = 4'000'000;  // memory bound of one verification

std::vector<Term> InitialStack(TermTable& table, const Subject& subject, std::size_t depth,
                               std::uint32_t side) {
  std::vector<Term> stack;
  if (subject.is_fragment()) {
    for (std::size_t i = kTasmRegisters + depth; i-- > 0;) {
      stack.push_back(table.FromAtom(AtomKind::kStack, {}, static_cast<std::uint32_t>(i)));
    }
    return stack;
  }
  if (subject.is_tir()) return stack;
  stack.assign(kTasmRegisters, table.Const(0));
  for (std::uint32_t i = 0; i < kDigestWords; ++i) {
    stack[kDigestWords - 1 - i] = table.FromAtom(AtomKind::kOwnDigest, {}, 5 * side + i);
  }
  return stack;
}

SideRun RunSide(TermTable& table, PathOracle& oracle, const Subject& subject, std::size_t depth,
                std::uint32_t side, std::uint64_t& steps) {
  SideRun run{SymbolicWorld(table, oracle, subject.is_fragment()), {}, 0, true};
  std::vector<Term> stack = InitialStack(table, subject, depth, side);
  const std::size_t start = stack.size();
  const std::size_t floor = subject.is_tir() && !subject.is_fragment() ? 0 : kTasmRegisters;
  StackMachine<SymbolicWorld> machine(run.world, std::move(stack), floor);
  run.finished = subject.Run(machine, steps) && !run.world.undecided();
  run.stack = machine.stack();
  run.dip = start - machine.lowest();
  return run;
}

// A wish for all conditions of the path and the sides, and one for each condition that only one
// side has: that it alone is broken.
void AddWishes(const SideRun& a, const SideRun& b, const PathOracle& oracle, SearchHints& hints) {
  constexpr std::size_t kMostWishes = 64;
  const std::set<Condition> first = a.world.Conditions();
  const std::set<Condition> second = b.world.Conditions();
  std::vector<Wish> common;
  std::vector<Wish> single;
  for (const auto& [term, non_zero] : oracle.facts()) {
    const auto kind = non_zero ? Condition::Kind::kNonZero : Condition::Kind::kZero;
    common.push_back({{kind, {term}}, true});
  }
  std::set<Condition> all = first;
  all.insert(second.begin(), second.end());
  for (const Condition& condition : all) {
    const bool both = first.contains(condition) && second.contains(condition);
    (both ? common : single).push_back({condition, true});
  }
  std::vector<Wish> everything = single;
  everything.insert(everything.end(), common.begin(), common.end());
  hints.wishes.push_back(everything);
  for (std::size_t i = 0; i < single.size() && hints.wishes.size() < kMostWishes; ++i) {
    // The broken condition goes first, since inputs that a wish has set stay as they are.
    std::vector<Wish> wishes = everything;
    wishes[i].met = false;
    std::rotate(wishes.begin(), wishes.begin() + static_cast<std::ptrdiff_t>(i),
                wishes.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    hints.wishes.push_back(std::move(wishes));
  }
}

// Random words are never equal, so the other way of a comparison is tried on purpose.
void AddEqualities(const TermTable& table, SearchHints& hints) {
  constexpr std::size_t kMostEqualities = 16;
  const std::vector<Wish> everything = hints.wishes.front();
  std::size_t added = 0;
  for (const AtomInfo& atom : table.atoms()) {
    if (added == kMostEqualities) return;
    if (atom.kind != AtomKind::kIsZero) continue;
    ++added;
    std::vector<Wish> wishes = {{{Condition::Kind::kZero, {atom.arguments[0]}}, true}};
    wishes.insert(wishes.end(), everything.begin(), everything.end());
    hints.wishes.push_back(std::move(wishes));
  }
}

void NoteStreams(const SideRun& a, const SideRun& b, bool first_path, SearchHints& hints) {
  const auto x = a.world.Consumed();
  const auto y = b.world.Consumed();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t least = std::min(x[i], y[i]);
    const std::size_t most = std::max(x[i], y[i]);
    hints.least_streams[i] = first_path ? least : std::min(hints.least_streams[i], least);
    hints.most_streams[i] = first_path ? most : std::max(hints.most_streams[i], most);
  }
  const std::size_t least = std::min(a.dip, b.dip);
  hints.least_depth = first_path ? least : std::min(hints.least_depth, least);
  hints.most_depth = std::max({hints.most_depth, a.dip, b.dip});
}

// All paths of the two subjects, side by side.
class PathProof {
 public:
  PathProof(const Subject& first, const Subject& second, const VerifyOptions& options)
      : first_(first), second_(second), options_(options) {}

  void Run(VerifyReport& report) {
    // Of loops that no induction proved only the first rounds are seen here.
    if (first_.has_loops() || second_.has_loops()) table_.Charge(kWorkSparedOnLoops);
    std::size_t depth = kFirstDepth;
    while (!Attempt(depth, report)) {
      depth *= 4;
      if (depth > kMostDepth) {
        report.reason = "the fragments take more words from the stack than are tried";
        report.bounded = true;
        proved_ = false;
        probable_ = false;
        return;
      }
    }
  }

  TermTable& table() { return table_; }
  const SearchHints& hints() const { return hints_; }
  bool proved() const { return proved_; }
  /// Every path is equal, but some only at random points.
  bool probable() const { return probable_ && !proved_; }
  double error_bits() const { return error_bits_; }
  /// The first side crashes on every path.
  bool only_crashes() const { return only_crashes_; }

 private:
  // Only worth a try where products were too large to be written out.
  bool IsProbablySame(const SideRun& a, const SideRun& b, const Compared& compared) {
    const bool cut = std::any_of(table_.atoms().begin(), table_.atoms().end(),
                                 [](const auto& atom) { return atom.kind == AtomKind::kProduct; });
    if (!cut) return false;
    const IdentityResult result = TestIdentity(a, b, compared, table_, options_.seed);
    if (result.same) error_bits_ = std::min(error_bits_, result.error_bits);
    return result.same;
  }

  // False when a side ran out of initial stack, and more may help.
  bool Attempt(std::size_t depth, VerifyReport& report) {
    const bool fragment = first_.is_fragment();
    const bool depth_counts = !first_.is_tir() && !second_.is_tir();
    const DepthRule rule =
        fragment ? DepthRuleFor(first_.is_tir(), second_.is_tir()) : DepthRule::kIgnored;
    const std::size_t known = std::max({options_.known_depth, first_.needs(), second_.needs()});
    hints_ = {};
    report.paths = 0;
    proved_ = true;
    probable_ = true;
    only_crashes_ = true;
    PathOracle oracle;
    std::uint64_t steps = options_.steps;
    do {
      const SideRun a = RunSide(table_, oracle, first_, depth, 0, steps);
      const std::uint32_t digest_of = options_.same_digest ? 0 : 1;
      const SideRun b = RunSide(table_, oracle, second_, depth, digest_of, steps);
      if (fragment && (a.world.fault() == Fault::kShallow || b.world.fault() == Fault::kShallow)) {
        return false;
      }
      NoteStreams(a, b, report.paths == 0, hints_);
      only_crashes_ = only_crashes_ && a.world.Crashes();
      if (!a.finished || !b.finished) {
        report.bounded = true;
        proved_ = false;
        report.reason = fmt::format(
            "the paths take more than {} steps, or their terms grow too large", options_.steps);
        return true;
      } else if (const char* difference =
                     DifferenceWithSplits(a, b, {fragment, rule, known}, table_, oracle)) {
        proved_ = false;
        report.reason = difference;
        if (!IsProbablySame(a, b, {fragment, rule, known})) {
          probable_ = false;
          AddWishes(a, b, oracle, hints_);
          AddEqualities(table_, hints_);
          return true;
        }
      }
      if (++report.paths >= options_.paths || table_.size() > kMostTerms) {
        if (!oracle.NextPath()) break;
        report.bounded = true;
        proved_ = false;
        report.reason = fmt::format("there are more than {} paths", report.paths);
        break;
      }
    } while (oracle.NextPath());
    if (oracle.broken()) proved_ = probable_ = false;
    hints_.least_depth = depth_counts ? hints_.least_depth : std::max(known, hints_.most_depth);
    hints_.most_depth = std::max(hints_.most_depth, hints_.least_depth);
    return true;
  }

  const Subject& first_;
  const Subject& second_;
  const VerifyOptions& options_;
  TermTable table_;
  SearchHints hints_;
  bool proved_ = true;
  bool probable_ = true;
  bool only_crashes_ = true;
  double error_bits_ = 1000;  // more than any test gives
};

// A TIR fragment compared with a program: its lowering halts before the bodies of arms and loops.
bool IsFragmentBeside(const Subject& fragment, const Subject& program) {
  return fragment.is_fragment() && fragment.is_tir() && !program.is_tir();
}

}  // namespace

std::string_view VerdictText(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved:
      return "proved";
    case Verdict::kRefuted:
      return "refuted";
    case Verdict::kProbable:
      return "probable";
    case Verdict::kUnknown:
      return "unknown";
  }
  return "unknown";
}

isa::Result<VerifyReport> Verify(const Subject& first, const Subject& second,
                                 const VerifyOptions& options) {
  if (first.is_fragment() != second.is_fragment()) {
    if (IsFragmentBeside(first, second)) return Verify(first, second.EndingAtHalt(), options);
    if (IsFragmentBeside(second, first)) return Verify(first.EndingAtHalt(), second, options);
    return isa::Fail(isa::ErrorCode::kUsage,
                     "one side is a whole program, the other a fragment without halt or functions");
  }
  if (first.is_library() && second.is_library()) return VerifyRoutines(first, second, options);
  VerifyReport report;
  if (!first.is_tir() && !second.is_tir() && !first.is_fragment() &&
      SameSkeletonProved(first.tasm(), second.tasm(),
                         options.same_digest ? Skeleton::kSameDigest : Skeleton::kProgram)) {
    report.verdict = Verdict::kProved;
    report.reason = "the same control flow over straight runs that are each proved equal";
    return report;
  }
  const bool repeats = first.has_loops() || second.has_loops();
  if ((repeats || !first.is_fragment()) && ProvedByInduction(first, second, options)) {
    report.verdict = Verdict::kProved;
    report.reason = "equal states wherever both repeat, for any number of rounds";
    return report;
  }
  PathProof proof(first, second, options);
  proof.Run(report);
  if (proof.proved() && !report.bounded) {
    report.verdict = Verdict::kProved;
    // A text of subroutines, run from its start, ends in a return without a call.
    report.reason = proof.only_crashes()
                        ? "both crash on every input"
                        : fmt::format("equal canonical forms on {} paths", report.paths);
    return report;
  }
  SearchResult search = FindCounterexample(first, second, proof.table(), proof.hints(), options);
  report.trials = search.trials;
  if (search.counterexample) {
    report.verdict = Verdict::kRefuted;
    report.reason = "a counterexample, confirmed by running both";
    report.counterexample = std::move(search.counterexample);
  } else if (proof.probable() && !report.bounded) {
    report.verdict = Verdict::kProbable;
    report.error_bits = proof.error_bits() - std::log2(static_cast<double>(report.paths));
    report.reason = fmt::format("equal at random points of F_p^3, wrong with probability 2^-{:.0f}",
                                report.error_bits);
  }
  return report;
}

bool ProveStraight(const std::vector<TasmInstruction>& first,
                   const std::vector<TasmInstruction>& second, std::size_t known_depth) {
  TasmProgram a;
  TasmProgram b;
  a.code = first;
  b.code = second;
  const Subject left = Subject::FromTasm(std::move(a));
  const Subject right = Subject::FromTasm(std::move(b));
  VerifyOptions options;
  options.known_depth = known_depth;
  VerifyReport report;
  PathProof proof(left, right, options);
  proof.Run(report);
  return proof.proved() && !report.bounded;
}

}  // namespace txvm::triton
