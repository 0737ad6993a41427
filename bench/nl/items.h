// Questions with the answers they must get, and where they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/questions/bank.h"
#include "neural/questions/generator.h"

namespace txvm::bench::nl {

struct Item {
  std::string question;
  std::string answer;   // lowest terms, "7/2"; empty: it has none, and abstaining is right
  std::string program;  // "(N0 + N1) * 2", "?chat"; empty when it is not known
  int schema = 0;       // of the generator, as phrasing
  int phrasing = 0;
};

struct ItemSet {
  std::string name;
  std::vector<Item> items;
};

/// The test sentences of sentences/: the published ones of the original compiler, and those written
/// for this evaluation.
struct SentenceSets {
  std::vector<ItemSet> fixed, written;
};

/// Reads fixed.txt and written.txt of a folder; of the source tree's if that is empty. Errors: kIo,
/// kSyntax with file and line.
isa::Result<SentenceSets> ReadSentenceSets(const std::string& folder);

/// A file of JSON objects, one a line: the text under "question", "nl_input" or "text", the number
/// under "expected_result", "answer", "expected" or "result", as a number or a string. Empty lines
/// are skipped. Errors: kIo; kInvalid for a line without one of the two, with its number and
/// nothing of its text.
isa::Result<ItemSet> ReadItems(const std::string& path);

/// What to take from the generator.
struct Draw {
  neural::questions::GeneratorOptions options;
  std::size_t count = 1'000;
  /// Which examples, by program in printed form; empty: all.
  std::function<bool(std::string_view program)> wanted;
  std::uint64_t most_tries = 2'000'000;
};

/// The first `count` wanted examples of the generator; fewer where `most_tries` held too few.
std::vector<Item> DrawItems(const neural::questions::QuestionBank& bank, const Draw& draw);

/// How many distinct texts there are when numbers and names are masked.
std::size_t DistinctPhrasings(const neural::questions::Lexicon& lexicon,
                              const std::vector<Item>& items);
/// How many distinct (schema, phrasing) pairs.
std::size_t DistinctTemplates(const std::vector<Item>& items);

/// The generator's program in the form in which programs are printed: without spaces that no one
/// needs, without "=". REQUIRES: a program of the generator.
std::string PrintedProgram(std::string_view canonical);

/// The text without the last sentence that ends with "?". Nothing when there is none, or when
/// nothing with a number in it is left.
std::optional<std::string> WithoutQuestion(std::string_view question);

}  // namespace txvm::bench::nl
