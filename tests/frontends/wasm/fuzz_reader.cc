// Mutated modules: the own reader and WABT agree whether they are valid, and on the module that
// valid ones are. Usage: txvm_fuzz_wasm_reader [--cases N] [--seed S]
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wasm/reader.h"
#include "frontends/wat/reader.h"
#include "tests/frontends/wasm/compare_modules.h"
#include "tests/frontends/wasm/mutate_module.h"
#include "tests/frontends/wasm/suite_modules.h"
#include "tests/support/random.h"
#include "tests/support/random_wasm.h"
#include "tests/support/wabt_interp.h"

namespace {

using namespace txvm;

constexpr std::size_t kMaxSeedBytes = 4096;
constexpr std::uint64_t kRandomModules = 300;

/// Where the readers judge differently, by how their messages begin ("accepted" when there is
/// none), and why.
struct Known {
  std::string_view own, wabt, why;
};
constexpr auto kKnown = std::to_array<Known>({
#include "tests/frontends/wasm/known_differences.inc"
});

std::vector<std::vector<std::uint8_t>> Corpus() {
  std::vector<std::vector<std::uint8_t>> corpus;
  for (tests::SuiteModule& module : tests::SuiteModules()) {
    if (module.bytes.size() <= kMaxSeedBytes) corpus.push_back(std::move(module.bytes));
  }
  for (std::uint64_t seed = 0; seed < kRandomModules; ++seed) {
    corpus.push_back(tests::WabtBinary(tests::MakeRandomWasm(seed, {.bulk = true}).text));
  }
  return corpus;
}

/// A message without its numbers and names, to count messages by.
std::string Shape(std::string_view message) {
  std::string shape;
  for (const char c : message) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      if (shape.empty() || shape.back() != '#') shape += '#';
    } else {
      shape += c;
    }
  }
  return shape;
}

std::string Hex(const std::vector<std::uint8_t>& bytes) {
  std::string hex;
  for (const std::uint8_t byte : bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

bool IsKnown(std::string_view own, std::string_view wabt) {
  for (const Known& known : kKnown) {
    const bool fits = own.starts_with(known.own) && wabt.find(known.wabt) != std::string_view::npos;
    if (fits) return true;
  }
  return false;
}

struct Tally {
  std::uint64_t valid = 0, invalid = 0, known = 0;
  std::map<std::string, std::uint64_t> unknown;  // by the messages
};

void Try(const std::vector<std::uint8_t>& bytes, std::uint64_t number, Tally& tally) {
  const auto own = frontends::wasm::ReadModule(bytes, "m.wasm");
  const auto wabt = frontends::wat::ReadBinary(bytes, "m.wasm");
  const std::string own_text = own ? "accepted" : own.error().message;
  const std::string wabt_text = wabt ? "accepted" : wabt.error().message;
  std::string difference;
  if (own && wabt) difference = tests::Difference(*own, *wabt);
  const bool agree = own.has_value() == wabt.has_value() && difference.empty();
  if (agree) {
    ++(own ? tally.valid : tally.invalid);
    return;
  }
  const std::string_view second = difference.empty() ? wabt_text : difference;
  if (IsKnown(own_text, second)) {
    ++tally.known;
    return;
  }
  if (tally.unknown[Shape(own_text) + " | " + Shape(second)]++ == 0) {
    fmt::print("case {}: {} | {}\n  {}\n", number, own_text, second, Hex(bytes));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t cases = 20'000, seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const std::uint64_t value = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--cases") cases = value;
    if (option == "--seed") seed = value;
  }
  const std::vector<std::vector<std::uint8_t>> corpus = Corpus();
  Tally tally;
  for (std::uint64_t i = 0; i < cases; ++i) {
    support::Random random(seed * cases + i);
    const auto& module = corpus[random.Below(static_cast<std::uint32_t>(corpus.size()))];
    Try(tests::MutateModule(module, random), i, tally);
  }
  std::uint64_t unknown = 0;
  for (const auto& [messages, count] : tally.unknown) {
    fmt::print("{:6} {}\n", count, messages);
    unknown += count;
  }
  fmt::print("{} cases from {} modules: {} valid, {} refused by both, {} known differences, {} unknown\n",
             cases, corpus.size(), tally.valid, tally.invalid, tally.known, unknown);
  return unknown == 0 ? 0 : 1;
}
