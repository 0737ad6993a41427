#include "neural/questions/sentence_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "isa/support/lines.h"

namespace txvm::neural::questions {
namespace {

constexpr std::size_t kMostLine = 4'000;  // letters

class SentenceParser {
 public:
  SentenceParser(const std::string& path, std::string_view text, Numbering numbering)
      : path_(path), lines_(isa::LinesOf(text)), numbering_(numbering) {}

  isa::Result<std::vector<SentenceSection>> Run() {
    for (const std::string_view line : lines_) {
      ++line_;
      if (isa::IsBlankLine(line) || line.starts_with('#')) continue;
      if (line.size() > kMostLine) {
        return Fail(
            fmt::format("the line has {} letters; at most {} are read", line.size(), kMostLine));
      }
      if (std::ranges::any_of(line, [](char c) { return c >= 0 && c < ' '; })) {
        return Fail("the line has a tab or another control character");
      }
      TXVM_CHECK_OK(line.starts_with("==") ? Open(line.substr(2)) : Add(line));
    }
    return std::move(sections_);
  }

 private:
  std::unexpected<isa::Error> Fail(std::string why) const {
    isa::Error error{isa::ErrorCode::kSyntax, std::move(why), {}, {}};
    error.place = {path_, line_, 0};
    error.source_line = lines_[line_ - 1].substr(0, kMostLine);
    return std::unexpected(std::move(error));
  }

  isa::Result<void> Open(std::string_view head) {
    if (!head.starts_with(' ')) return Fail("a section begins with '== ' and its name");
    while (head.starts_with(' ')) head.remove_prefix(1);
    while (head.ends_with(' ')) head.remove_suffix(1);
    if (head.empty()) return Fail("a section begins with '== ' and its name");
    sections_.push_back({head, {}});
    taken_.clear();
    return {};
  }

  isa::Result<void> Add(std::string_view text) {
    if (sections_.empty()) return Fail("the line stands before the first section, '== name'");
    SentenceLine line;
    if (numbering_ == Numbering::kNumbered) {
      const char* const end = text.data() + text.size();
      const auto [rest, error] = std::from_chars(text.data(), end, line.number);
      if (error != std::errc() || rest == end || *rest != ' ' || line.number == 0 ||
          line.number > kMostLineNumber) {
        return Fail(fmt::format("the line does not begin with a number from 1 to {} and a blank",
                                kMostLineNumber));
      }
      const auto [first, is_new] = taken_.emplace(line.number, line_);
      if (!is_new) {
        return Fail(
            fmt::format("the number {} is that of line {}, too; a new line takes one that "
                        "is free",
                        line.number, first->second));
      }
      text = std::string_view(rest + 1, end);
    }
    if (text.size() >= 2 && text.starts_with('"') && text.ends_with('"')) {
      text = text.substr(1, text.size() - 2);
    } else if (text.empty() || text.starts_with(' ') || text.ends_with(' ')) {
      return Fail(
          "the text is empty, or begins or ends with a blank; if that is meant, it stands "
          "between double quotes");
    }
    line.text = text;
    sections_.back().lines.push_back(line);
    return {};
  }

  const std::string& path_;
  std::vector<std::string_view> lines_;
  Numbering numbering_;
  std::uint32_t line_ = 0;
  std::vector<SentenceSection> sections_;
  std::unordered_map<std::size_t, std::uint32_t> taken_;  // numbers of the section
};

}  // namespace

isa::Result<std::vector<SentenceSection>> ParseSentences(const std::string& path,
                                                         std::string_view text,
                                                         Numbering numbering) {
  return SentenceParser(path, text, numbering).Run();
}

std::vector<std::string_view> Columns(std::string_view text, char separator) {
  std::vector<std::string_view> columns;
  while (true) {
    const std::size_t end = text.find(separator);
    std::string_view column = text.substr(0, end);
    while (column.starts_with(' ')) column.remove_prefix(1);
    while (column.ends_with(' ')) column.remove_suffix(1);
    columns.push_back(column);
    if (end == std::string_view::npos) return columns;
    text.remove_prefix(end + 1);
  }
}

}  // namespace txvm::neural::questions
