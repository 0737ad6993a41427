// Mutated modules: the own reader and WABT agree whether they are valid, and on the module that
// valid ones are. Usage: txvm_fuzz_wasm_reader [--cases N] [--seed S] [--random N]
// --random: how many random modules, unchanged, are compared first.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wasm/reader.h"
#include "tests/frontends/wasm/compare_modules.h"
#include "tests/frontends/wasm/mutate_module.h"
#include "tests/frontends/wasm/suite_modules.h"
#include "tests/frontends/wasm/wabt_reader.h"
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
  std::string_view own, wabt;
  std::uint8_t byte;
  std::string_view why;
};
constexpr auto kKnown = std::to_array<Known>({
#define KNOWN(own, wabt, byte, why) {own, wabt, byte, why},
#include "tests/frontends/wasm/known_differences.def"
#undef KNOWN
});

std::vector<std::vector<std::uint8_t>> Corpus() {
  std::vector<std::vector<std::uint8_t>> corpus;
  for (tests::SuiteModule& module : tests::SuiteModules()) {
    if (module.bytes.size() <= kMaxSeedBytes) corpus.push_back(std::move(module.bytes));
  }
  for (std::uint64_t seed = 0; seed < kRandomModules; ++seed) {
    corpus.push_back(tests::WabtBinary(
        tests::MakeRandomWasm(seed, {.bulk = true, .numbers = seed % 2 == 0}).text));
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

bool IsKnown(std::string_view own, std::string_view wabt, const std::vector<std::uint8_t>& bytes) {
  for (const Known& known : kKnown) {
    if (std::ranges::find(bytes, known.byte) == bytes.end()) continue;
    if (own.starts_with(known.own) && wabt.find(known.wabt) != std::string_view::npos) return true;
  }
  return false;
}

/// Counts that the processes share. A process ends where WABT aborts; the next one goes on after
/// that case.
struct Tally {
  std::uint64_t next = 0;  // the case that is being tried
  std::uint64_t valid = 0, invalid = 0, known = 0, unknown = 0, aborts = 0;
};

/// Kinds of differences that one process has shown.
using Shown = std::set<std::string>;

void Try(const std::vector<std::uint8_t>& bytes, std::uint64_t number, Tally& tally, Shown& shown) {
  const auto own = frontends::wasm::ReadModule(bytes, "m.wasm");
  const auto wabt = tests::ReadWithWabt(bytes, "m.wasm");
  const std::string own_text = own ? "accepted" : own.error().message;
  const std::string wabt_text = wabt ? "accepted" : wabt.error().message;
  std::string difference;
  if (own && wabt) difference = tests::Difference(*own, *wabt);
  const bool is_newer =
      own && !wabt && !frontends::wasm::ReadModule(bytes, "m.wasm", {.is_version_2 = true});
  if (is_newer) {  // 3.0 allows it, and WABT reads 2.0
    ++tally.known;
    return;
  }
  const bool agree = own.has_value() == wabt.has_value() && difference.empty();
  if (agree) {
    ++(own ? tally.valid : tally.invalid);
    return;
  }
  const std::string_view second = difference.empty() ? wabt_text : difference;
  if (IsKnown(own_text, second, bytes)) {
    ++tally.known;
    return;
  }
  ++tally.unknown;
  if (!shown.insert(Shape(own_text) + " | " + Shape(second)).second) return;
  fmt::print("case {}: {} | {}\n  {}\n", number, own_text, second, Hex(bytes));
  std::fflush(stdout);
}

std::vector<std::uint8_t> CaseOf(const std::vector<std::vector<std::uint8_t>>& corpus,
                                 std::uint64_t seed, std::uint64_t number) {
  constexpr std::uint64_t kApart = 0x9E3779B97F4A7C15;  // seeds of one run from those of another
  support::Random random(seed * kApart + number);
  const auto& module = corpus[random.Below(static_cast<std::uint32_t>(corpus.size()))];
  return tests::MutateModule(module, random);
}

/// Tries the cases from tally.next on in a process of their own, up to one that WABT aborts on.
void RunProcess(const std::vector<std::vector<std::uint8_t>>& corpus, std::uint64_t seed,
                std::uint64_t cases, Tally& tally) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    (void)std::freopen("/dev/null", "w", stderr);  // WABT's last words
    Shown shown;
    for (; tally.next < cases; ++tally.next) {
      Try(CaseOf(corpus, seed, tally.next), tally.next, tally, shown);
    }
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) std::abort();
  if (!WIFSIGNALED(status)) return;
  const auto bytes = CaseOf(corpus, seed, tally.next);
  const auto own = frontends::wasm::ReadModule(bytes, "m.wasm");
  fmt::print("case {}: {} | WABT ends with signal {}\n", tally.next,
             own ? "accepted" : own.error().message, WTERMSIG(status));
  ++(WTERMSIG(status) == SIGABRT && !own ? tally.aborts : tally.unknown);
  ++tally.next;
}

/// How many of `count` random modules the readers see differently.
std::uint64_t CompareRandom(std::uint64_t count, std::uint64_t seed) {
  std::uint64_t different = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto bytes = tests::WabtBinary(
        tests::MakeRandomWasm(seed * count + i, {.bulk = i % 2 == 0, .numbers = i % 3 != 0}).text);
    const auto own = frontends::wasm::ReadModule(bytes, "m.wasm");
    const auto wabt = tests::ReadWithWabt(bytes, "m.wasm");
    if (own && wabt && tests::Difference(*own, *wabt).empty()) continue;
    ++different;
    fmt::print("random module {}: {}\n", i, own ? "differs" : own.error().message);
  }
  fmt::print("{} random modules, {} differ\n", count, different);
  return different;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t cases = 20'000, seed = 1, random = 1'000;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const std::uint64_t value = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--cases") cases = value;
    if (option == "--seed") seed = value;
    if (option == "--random") random = value;
  }
  if (CompareRandom(random, seed) != 0) return 1;
  const std::vector<std::vector<std::uint8_t>> corpus = Corpus();
  void* shared =
      mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  Tally& tally = *new (shared) Tally;
  while (tally.next < cases) RunProcess(corpus, seed, cases, tally);
  fmt::print(
      "{} cases from {} modules: {} valid, {} refused by both, {} known differences, {} that WABT "
      "aborts on, {} unknown\n",
      cases, corpus.size(), tally.valid, tally.invalid, tally.known, tally.aborts, tally.unknown);
  return tally.unknown == 0 ? 0 : 1;
}
