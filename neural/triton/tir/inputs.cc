#include "neural/triton/tir/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "neural/triton/field/field_text.h"

namespace txvm::triton {
namespace {

using isa::Result;

constexpr std::string_view kMark = "input:";
constexpr std::size_t kMostInputs = 64;  // each is run several times

// Text up to the next separator, which is taken too.
std::string_view Take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

// True when the whole part was understood.
bool ReadNumbers(std::string_view text, std::vector<std::uint64_t>& numbers) {
  while (!text.empty()) {
    const auto number = ParseElement(Take(text, ','));
    if (!number) return false;
    numbers.push_back(*number);
  }
  return true;
}

bool ReadDigests(std::string_view text, TirInputs& inputs) {
  while (!text.empty()) {
    std::string_view digest = Take(text, ',');
    std::array<std::uint64_t, 5> words{};
    for (std::uint64_t& word : words) {
      const auto number = ParseElement(Take(digest, ':'));
      if (!number) return false;
      word = *number;
    }
    if (!digest.empty()) return false;
    inputs.digests.push_back(words);
  }
  return true;
}

bool ReadRam(std::string_view text, TirInputs& inputs) {
  while (!text.empty()) {
    std::string_view value = Take(text, ',');
    const auto address = ParseElement(Take(value, '='));
    const auto word = ParseElement(value);
    if (!address || !word) return false;
    inputs.ram[*address] = *word;
  }
  return true;
}

bool ReadPart(std::string_view part, TirInputs& inputs) {
  const std::size_t equals = part.find('=');
  const std::string_view name = equals == part.npos ? "" : part.substr(0, equals);
  if (equals != part.npos) part.remove_prefix(equals + 1);
  if (name.empty()) return ReadNumbers(part, inputs.input);
  if (name == "secret") return ReadNumbers(part, inputs.secret);
  if (name == "digests") return ReadDigests(part, inputs);
  return name == "ram" && ReadRam(part, inputs);
}

// The text after the mark when the line is a declaration.
std::optional<std::string_view> Declaration(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  if (!line.starts_with("//")) return std::nullopt;
  line.remove_prefix(2);
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  if (!line.starts_with(kMark)) return std::nullopt;
  line.remove_prefix(kMark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::unexpected<isa::Error> FailAt(std::uint32_t line, std::size_t offset, isa::ErrorCode code,
                                   std::string message) {
  return std::unexpected(
      isa::Error{code, std::move(message), {{}, line, static_cast<std::uint32_t>(offset + 1)}, {}});
}

}  // namespace

Result<std::vector<TirInputs>> DeclaredInputs(std::string_view text) {
  std::vector<TirInputs> all;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::string_view line = Take(text, '\n');
    std::optional<std::string_view> parts = Declaration(line);
    if (!parts) continue;
    if (all.size() == kMostInputs) {
      return FailAt(number, line.find("//"), isa::ErrorCode::kLimit,
                    fmt::format("more than {} declared inputs", kMostInputs));
    }
    TirInputs inputs;
    while (!parts->empty()) {
      const std::string_view part = Take(*parts, ' ');
      if (part.empty() || ReadPart(part, inputs)) continue;
      constexpr std::size_t kShown = 40;
      return FailAt(number, static_cast<std::size_t>(part.data() - line.data()),
                    isa::ErrorCode::kSyntax,
                    fmt::format("'{}' is no declared input; expected numbers a with -p < a < p, "
                                "secret=, digests= or ram=",
                                part.substr(0, kShown)));
    }
    all.push_back(std::move(inputs));
  }
  if (all.empty()) all.emplace_back();
  return all;
}

std::string DeclarationsOf(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const auto parts = Declaration(Take(text, '\n'));
    if (parts) lines += fmt::format("// {}{}\n", kMark, *parts);
  }
  return lines;
}

TasmInput ToTasmInput(const TirInputs& inputs) {
  TasmInput tasm{inputs.input, inputs.secret, inputs.digests, {}};
  tasm.ram.assign(inputs.ram.begin(), inputs.ram.end());
  std::sort(tasm.ram.begin(), tasm.ram.end());
  return tasm;
}

}  // namespace txvm::triton
