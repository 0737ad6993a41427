// Golden programs: .txa and .wat files that carry what is expected of them in their comments.
//
//   ;;; RUN: NAME ARG...     a case: call the export NAME with these numbers
//   ;;; RUN: x=10 y=-3       a plain .txa: the operand of the line that ends with "; x" becomes 10
//   ;;; RUN:                 a plain .txa as it is
//   ;;; RESULTS: 55          the operand stack in the end, as signed numbers, first deepest
//   ;;; TRAP: unreachable    instead of RESULTS: the cause
//   ;;; STEPS: 111           if the file states it
//   ;;; INSTRUCTIONS: 19     the program's length, if the file states it
//
// A case's expectations follow its RUN line. TXVM_BLESS=1 rewrites those that differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace txvm::golden {

/// What a run shows, as the file spells it. RESULTS or TRAP, and STEPS if wanted.
using Expectation = std::map<std::string, std::string>;

struct GoldenCase {
  std::size_t line = 0;  // of its RUN, from 1
  std::string run;       // after "RUN:"
  std::string call;      // export name, empty: from the program's entry
  std::vector<std::uint32_t> arguments;
  std::map<std::string, std::string> variables;  // x=10
  Expectation expected;
  std::map<std::string, std::size_t> lines;  // of each expectation, index into GoldenFile::lines
};

struct GoldenFile {
  std::vector<std::string> lines;
  std::vector<GoldenCase> cases;
  std::string fault;  // what is wrong with its comments; empty: nothing
};

/// Reads the cases of a text.
GoldenFile ParseGolden(std::string_view text);

/// The text with the variables of a case put in; a fault when a variable has no line.
std::optional<std::string> Substituted(const GoldenFile& file, const GoldenCase& one);

/// The lines of `expected` and of `actual` that differ, as "- RESULTS: 3" and "+ RESULTS: 4".
std::string Diff(const Expectation& expected, const Expectation& actual);

/// The file's text with the expectations of case `index` replaced by `actual`.
void Bless(GoldenFile& file, std::size_t index, const Expectation& actual);

/// The lines joined again.
std::string TextOf(const GoldenFile& file);

}  // namespace txvm::golden
