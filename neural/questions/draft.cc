#include "neural/questions/draft.h"

#include <algorithm>

#include "neural/questions/letters.h"

namespace txvm::neural::questions {

char AppendFilled(const Workshop& workshop, std::string text, std::span<const Opening> openings,
                  std::size_t numbers, Draft& draft) {
  for (const auto& [what, by] : openings) text = Replaced(text, what, by);
  if (!draft.marked.empty()) draft.marked += " ";
  draft.marked += workshop.expander.Expand(text, draft.next_variable);
  const char first = static_cast<char>('a' + draft.next_variable);
  draft.next_variable += numbers;
  return first;
}

void SetComposed(const std::string& program, int phrasing, Draft& draft) {
  draft.program = ParseProgram(program);
  draft.schema = kFirstComposition + static_cast<int>(HashText(program) % kCompositionSchemas);
  draft.phrasing = kFirstComposition + phrasing;
}

void SetAbstention(std::string_view reason, int schema, int phrasing, Draft& draft) {
  draft.abstention = reason;
  draft.schema = kFirstComposition + schema;
  draft.phrasing = kFirstComposition + phrasing;
}

void SetMissing(int phrasing, Draft& draft) { SetAbstention("?missing", 0, phrasing, draft); }

std::optional<Draft> Composed(const Workshop& workshop, const std::string& program, int phrasing,
                              Draft draft) {
  constexpr std::size_t kMost = 4;
  if (program.empty()) return std::nullopt;
  SetComposed(program, phrasing, draft);
  const std::size_t steps = Steps(draft.program), least = workshop.options.lessons ? 0 : 1;
  if (steps < least || steps > kMost) return std::nullopt;
  return draft;
}

std::string Excess(const std::string& larger, const std::string& smaller, Draft& draft) {
  draft.specification.Add("(" + larger + ") > (" + smaller + ")");
  return larger + " - (" + smaller + ")";
}

std::string Letters::PutInto(std::string_view program) const {
  std::string out;
  for (const char c : program) out += IsUpper(c) ? Of(c) : c;
  return out;
}

void Letters::Require(std::string_view condition, Draft& draft) const {
  const bool is_told =
      std::ranges::all_of(condition, [&](char c) { return !IsUpper(c) || Of(c) != 0; });
  if (is_told && !condition.empty()) draft.specification.Add(PutInto(condition));
}

std::string KeysOfScene(std::string_view scene) {
  std::string keys;
  for (const std::string_view item : Parts(scene, "; ")) {
    if (item.size() > 1 && item[1] == '=') keys += item[0];
  }
  return keys;
}

std::vector<std::string_view> Parts(std::string_view list, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    parts.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + separator.size(), list.size()));
  }
  return parts;
}

}  // namespace txvm::neural::questions
