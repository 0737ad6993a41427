// What the evaluation found, as text, markdown and JSON.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/nl/score.h"
#include "isa/support/result.h"

namespace txvm::bench::nl {

/// INVARIANT: every row is as long as the header.
struct Table {
  std::string title;  // may be empty
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// Part of a report: sentences, then tables.
struct Section {
  std::string title;
  std::vector<std::string> notes;
  std::vector<Table> tables;
};

/// INVARIANT: figures have the names that the sections' authors gave them, in order.
class Report {
 public:
  void Add(Section section) { sections_.push_back(std::move(section)); }
  /// A number of the tables under a name for other programs: "axes/templates/answer".
  void Figure(std::string name, const Tally& tally) {
    figures_.emplace_back(std::move(name), tally);
  }
  const std::vector<Section>& sections() const { return sections_; }

  /// Columns padded; for a terminal.
  std::string Text() const;
  /// Headings of level 3 and tables, with the command that made them.
  std::string Markdown(std::string_view command) const;
  /// {"command", "figures": {name: {"successes", "total", "share", "low", "high"}}, "sections"}.
  std::string Json(std::string_view command) const;

 private:
  std::vector<Section> sections_;
  std::vector<std::pair<std::string, Tally>> figures_;
};

inline constexpr std::string_view kGeneratedBegin = "<!-- generated-begin -->";
inline constexpr std::string_view kGeneratedEnd = "<!-- generated-end -->";

/// Puts `generated` between the two markers of a document; a document without them is replaced.
std::string WithGenerated(std::string_view document, std::string_view generated);

}  // namespace txvm::bench::nl
