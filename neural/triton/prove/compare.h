// One symbolic run of one side, and how two runs of one path differ. Internal to prove.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "neural/triton/prove/world.h"

namespace txvm::triton {

/// A symbolic run of one side.
struct SideRun {
  SymbolicWorld world;
  std::vector<Term> stack;
  std::size_t dip = 0;  // words below the initial stack that were free at some time
  bool finished = true;
};

/// How the least stack lengths of two runs from an arbitrary stack must compare. A TIR run never
/// takes more words than there are. So a TASM run compared with it is safe in two cases: it dips no
/// deeper, or it takes only words that are known to be there.
enum class DepthRule : std::uint8_t { kIgnored, kEqual, kFirstFits, kSecondFits };

/// What counts besides crashes, output and streams.
struct Compared {
  bool state = true;  // the stack, RAM and sponge at the end
  DepthRule depth = DepthRule::kEqual;
  std::size_t known_depth = 0;  // words known above the 16 lowest
};

/// The rule for a pair of languages.
DepthRule DepthRuleFor(bool first_is_tir, bool second_is_tir);

/// Whether the least stack lengths of two runs agree by the rule.
bool DepthsFit(std::size_t first, std::size_t second, const Compared& compared);

/// How two finished runs of one path compare under all that is known on it.
struct Comparison {
  const char* difference = nullptr;  // the first one; nullptr when they agree
  std::optional<Term> split;         // deciding whether it is 0 may make them agree
};

/// The same as Difference with conclusions from the facts of the path: paths that no input takes,
/// conditions that follow from others, words and stores that facts make equal. Slower.
Comparison CompareUnderFacts(const SideRun& a, const SideRun& b, const Compared& compared,
                             TermTable& table, const PathOracle& oracle);

/// Compares the runs of a path. Where that helps it lets the oracle decide more on this path, at
/// most kMostSplits times; then the path counts for those decisions only.
const char* DifferenceWithSplits(const SideRun& a, const SideRun& b, const Compared& compared,
                                 TermTable& table, PathOracle& oracle);
inline constexpr std::size_t kMostSplits = 6;

/// The first thing in which two finished runs of one path differ; nullptr when they agree.
const char* Difference(const SideRun& a, const SideRun& b, const Compared& compared,
                       TermTable& table, const PathOracle& oracle);

}  // namespace txvm::triton
