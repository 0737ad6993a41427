// Mutated texts: the own reader and WABT agree whether they are valid, and on the module that valid
// ones are. Usage: txvm_fuzz_wasm_text [--cases N] [--seed S]
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

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

#include "frontends/wat/reader.h"
#include "tests/frontends/wat/compare_text.h"
#include "tests/frontends/wat/mutate_text.h"
#include "tests/frontends/wat/text_modules.h"
#include "tests/support/random.h"
#include "tests/support/random_wasm.h"

namespace {

using namespace txvm;

constexpr std::size_t kMaxSeedBytes = 2'048;
constexpr std::uint64_t kRandomModules = 200;

/// Valid texts, and one in eight of the others.
std::vector<std::string> Corpus() {
  constexpr std::size_t kInvalidOneIn = 8;
  std::vector<std::string> corpus;
  std::size_t invalid = 0;
  for (tests::TextModule& module : tests::SuiteTexts()) {
    if (module.text.size() > kMaxSeedBytes) continue;
    if (!frontends::wat::ReadQuoted(module.text, "m") && ++invalid % kInvalidOneIn != 0) continue;
    corpus.push_back(std::move(module.text));
  }
  for (std::uint64_t seed = 0; seed < kRandomModules; ++seed) {
    corpus.push_back(tests::MakeRandomWasm(seed, {.bulk = true, .numbers = seed % 2 == 0}).text);
  }
  return corpus;
}

/// A message without its numbers and names, to count messages by.
std::string Shape(std::string_view message) {
  std::string shape;
  bool in_name = false;
  for (const char c : message) {
    if (c == '\'' || c == '"') {
      in_name = !in_name;
      if (in_name) shape += "'#'";
      continue;
    }
    if (in_name) continue;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      if (shape.empty() || shape.back() != '#') shape += '#';
    } else {
      shape += c;
    }
  }
  return shape;
}

/// Counts that the processes share. A process ends where WABT aborts; the next one goes on after
/// that case.
struct Tally {
  std::uint64_t next = 0;  // the case that is being tried
  std::uint64_t same = 0, valid = 0, refused = 0, known = 0, unknown = 0, aborts = 0;
};

void Try(const std::string& text, std::uint64_t number, Tally& tally,
         std::set<std::string>& shown) {
  const tests::TextComparison comparison = tests::CompareText(text);
  if (comparison.agrees()) {
    if (comparison.own != "accepted") {
      ++tally.refused;
    } else {
      ++(comparison.is_same_bytes ? tally.same : tally.valid);
    }
    return;
  }
  if (tests::IsKnownTextDifference(comparison, text)) {
    ++tally.known;
    return;
  }
  ++tally.unknown;
  if (!shown.insert(Shape(comparison.own) + " | " + Shape(comparison.wabt)).second) return;
  fmt::print("case {}: {} | {}\n  {}\n", number, comparison.own, comparison.wabt, text);
  std::fflush(stdout);
}

std::string CaseOf(const std::vector<std::string>& corpus, std::uint64_t seed,
                   std::uint64_t number) {
  constexpr std::uint64_t kApart = 0x9E3779B97F4A7C15;  // seeds of one run from those of another
  support::Random random(seed * kApart + number);
  const auto any = [&]() -> const std::string& {
    return corpus[random.Below(static_cast<std::uint32_t>(corpus.size()))];
  };
  const std::string& text = any();
  const std::string& other = any();
  return tests::MutateText(text, other, random);
}

/// Tries the cases from tally.next on in a process of their own, up to one that WABT aborts on.
void RunProcess(const std::vector<std::string>& corpus, std::uint64_t seed, std::uint64_t cases,
                Tally& tally) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    (void)std::freopen("/dev/null", "w", stderr);  // WABT's last words
    std::set<std::string> shown;
    for (; tally.next < cases; ++tally.next) {
      Try(CaseOf(corpus, seed, tally.next), tally.next, tally, shown);
    }
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) std::abort();
  if (!WIFSIGNALED(status)) return;
  const std::string text = CaseOf(corpus, seed, tally.next);
  const auto own = frontends::wat::ReadText(text, "m");
  fmt::print("case {}: {} | WABT ends with signal {}\n", tally.next,
             own ? "accepted" : own.error().message, WTERMSIG(status));
  ++(WTERMSIG(status) == SIGABRT ? tally.aborts : tally.unknown);
  ++tally.next;
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
  const std::vector<std::string> corpus = Corpus();
  void* shared =
      mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  Tally& tally = *new (shared) Tally;
  while (tally.next < cases) RunProcess(corpus, seed, cases, tally);
  fmt::print(
      "{} cases from {} texts: {} valid with the same bytes, {} valid and equal, {} refused by "
      "both, {} known differences, {} that WABT aborts on, {} unknown\n",
      cases, corpus.size(), tally.same, tally.valid, tally.refused, tally.known, tally.aborts,
      tally.unknown);
  return tally.unknown == 0 ? 0 : 1;
}
