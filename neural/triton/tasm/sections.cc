#include "neural/triton/tasm/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "isa/support/text.h"

namespace txvm::triton {
namespace {

constexpr std::string_view kHeader = "=== ";

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = std::min(text.find_first_not_of(kSpace), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

bool IsName(std::string_view text) {
  const auto is_name_byte = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && std::ranges::all_of(text, is_name_byte);
}

}  // namespace

isa::Result<std::vector<ProgramSection>> SplitSections(std::string_view text,
                                                       std::string_view file) {
  const auto fail = [&](std::size_t at, std::string message) {
    return std::unexpected(
        isa::ErrorAt(text, at, file, isa::ErrorCode::kSyntax, std::move(message)));
  };
  std::vector<ProgramSection> sections;
  std::set<std::string_view> names;
  std::size_t code = text.size();  // the first code before a header
  std::uint32_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t next = std::min(end + 1, text.size());
    const std::string_view content = text.substr(at, end - at);
    if (content.starts_with(kHeader)) {
      const std::string_view name = Trim(content.substr(kHeader.size()));
      if (!IsName(name)) return fail(at, "=== needs a name of letters, digits and _ after it");
      if (!names.insert(name).second) {
        return fail(at, fmt::format("two sections are named {}", isa::QuotedShort(name)));
      }
      if (code != text.size()) return fail(code, "code stands before the first === header");
      sections.push_back({name, text.substr(next, 0), line + 1});
    } else if (!sections.empty()) {
      ProgramSection& section = sections.back();
      section.text = {section.text.data(), section.text.size() + (next - at)};
    } else if (const std::string_view word = Trim(content);
               code == text.size() && !word.empty() && !word.starts_with("//")) {
      code = at;
    }
    at = next;
  }
  if (sections.empty()) sections.push_back({{}, text, 1});
  return sections;
}

std::string AtItsLine(const ProgramSection& section) {
  return std::string(section.line - 1, '\n') + std::string(section.text);
}

}  // namespace txvm::triton
