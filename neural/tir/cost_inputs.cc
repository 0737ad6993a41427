#include "neural/tir/cost_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "vm/tensor/goldilocks.h"

namespace txvm::neural {
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

std::optional<std::uint64_t> Number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  if (value >= vm::goldilocks::kPrime) return {};
  return value;
}

// True when the whole part was understood.
bool ReadNumbers(std::string_view text, std::vector<std::uint64_t>& numbers) {
  while (!text.empty()) {
    const auto number = Number(Take(text, ','));
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
      const auto number = Number(Take(digest, ':'));
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
    const auto address = Number(Take(value, '='));
    const auto word = Number(value);
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

}  // namespace

Result<std::vector<TirInputs>> DeclaredInputs(std::string_view text) {
  std::vector<TirInputs> all;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    std::string_view line = Take(text, '\n');
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    if (!line.starts_with("//")) continue;
    line.remove_prefix(2);
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    if (!line.starts_with(kMark)) continue;
    line.remove_prefix(kMark.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    TirInputs inputs;
    while (!line.empty()) {
      const std::string_view part = Take(line, ' ');
      if (part.empty() || ReadPart(part, inputs)) continue;
      return std::unexpected(isa::Error{
          isa::ErrorCode::kSyntax,
          fmt::format("'{}' is no declared input; expected numbers below p, secret=, digests= or "
                      "ram=",
                      part.substr(0, 40)),
          {{}, number, 1},
          {}});
    }
    if (all.size() == kMostInputs) {
      return isa::Fail(isa::ErrorCode::kLimit,
                       fmt::format("more than {} declared inputs", kMostInputs));
    }
    all.push_back(std::move(inputs));
  }
  if (all.empty()) all.emplace_back();
  return all;
}

TasmInput ToTasmInput(const TirInputs& inputs) {
  TasmInput tasm{inputs.input, inputs.secret, inputs.digests, {}};
  tasm.ram.assign(inputs.ram.begin(), inputs.ram.end());
  std::sort(tasm.ram.begin(), tasm.ram.end());
  return tasm;
}

}  // namespace txvm::neural
