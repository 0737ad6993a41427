#include "neural/triton/tasm/profile.h"

#include <algorithm>
#include <charconv>

namespace txvm::triton {
namespace {

constexpr std::size_t kSeedProcessor = 0;
constexpr std::size_t kSeedRam = 4;
constexpr std::string_view kSpaces = " \t\r\v\f";

void AddWeights(Seed6& total, const TasmOpInfo& info, std::uint64_t units) {
  for (std::size_t i = 0; i < kSeedTables; ++i) total[i] += info.seed[i];
  if (info.ram_per_unit) total[kSeedRam] += units;
}

// The next word of `line` from `at`, which moves past it.
std::string_view NextWord(std::string_view line, std::size_t& at) {
  at = std::min(line.find_first_not_of(kSpaces, at), line.size());
  const std::size_t begin = at;
  at = std::min(line.find_first_of(kSpaces, at), line.size());
  return line.substr(begin, at - begin);
}

}  // namespace

Seed6 StaticSeed6(const TasmProgram& program) {
  Seed6 total{};
  for (const TasmInstruction& instruction : program.code) {
    AddWeights(total, Info(instruction.op), instruction.arg);
  }
  return total;
}

std::uint64_t TableProfile::Padded() const {
  return NextPowerOfTwo(*std::ranges::max_element(heights));
}

TableProfile ProfileTasm(std::span<const std::string> lines) {
  TableProfile profile;
  for (const std::string& line : lines) {
    std::size_t at = 0;
    const std::string_view word = NextWord(line, at);
    if (word.empty() || word.starts_with("//") || word.ends_with(':')) continue;
    std::optional<TasmOp> op = FindTasmMnemonic(word, TasmIsa::kDot);
    if (!op) op = FindTasmMnemonic(word, TasmIsa::kHorner);
    if (!op) {
      ++profile.heights[kSeedProcessor];
      continue;
    }
    const std::string_view argument = NextWord(line, at);
    std::uint64_t units = 0;
    std::from_chars(argument.data(), argument.data() + argument.size(), units);
    AddWeights(profile.heights, Info(*op), std::min(units, kTasmMaxCount));
  }
  return profile;
}

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace txvm::triton
