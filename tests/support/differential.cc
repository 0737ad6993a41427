#include "tests/support/differential.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "isa/disassemble.h"
#include "isa/opcode.h"
#include "isa/verify.h"
#include "tests/support/reference_interpreter.h"
#include "tests/support/test_hosts.h"
#include "vm/machine.h"

namespace txvm::support {
namespace {

using Outcome = ReferenceResult::Outcome;
using Words = std::vector<std::uint32_t>;

// The ways to run a program, which must make no difference.
enum class Way : std::uint8_t { kDigest, kPlain, kPieces, kPlainPieces, kTrace, kStats };

struct Run {
  vm::EngineKind engine;
  Way way;
};

std::string WayText(Way way) {
  switch (way) {
    case Way::kDigest:
      return "with digest";
    case Way::kPlain:
      return "plain";
    case Way::kPieces:
      return "with digest, in pieces";
    case Way::kPlainPieces:
      return "plain, in pieces";
    case Way::kTrace:
      return "with trace";
    case Way::kStats:
      return "with stats";
  }
  return {};
}

vm::Outcome OutcomeOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHalted:
      return vm::Outcome::kHalted;
    case Outcome::kTrapped:
      return vm::Outcome::kTrapped;
    case Outcome::kExited:
      return vm::Outcome::kExited;
    case Outcome::kHostError:
      return vm::Outcome::kHostError;
    case Outcome::kOutOfFuel:
      return vm::Outcome::kOutOfFuel;
  }
  return vm::Outcome::kHalted;
}

std::string WordsText(std::span<const std::uint32_t> words) {
  return fmt::format("[{}]", fmt::join(words, " "));
}

// "outcome trapped, expected halted", or nothing.
template <typename T>
std::optional<std::string> Differs(std::string_view what, const T& actual, const T& expected) {
  if (actual == expected) return std::nullopt;
  return fmt::format("{} is {}, expected {}", what, actual, expected);
}

std::optional<std::string> WordsDiffer(std::string_view what, std::span<const std::uint32_t> actual,
                                       std::span<const std::uint32_t> expected) {
  return Differs(what, WordsText(actual), WordsText(expected));
}

std::optional<std::string> MemoryDiffers(const vm::LinearMemory& actual,
                                         const std::vector<std::uint8_t>& expected) {
  if (auto d = Differs("memory size", actual.size_bytes(), std::uint64_t{expected.size()}))
    return d;
  if (expected.empty() || std::memcmp(actual.data(), expected.data(), expected.size()) == 0) {
    return std::nullopt;
  }
  std::size_t at = 0;
  while (actual.data()[at] == expected[at]) ++at;
  return Differs(fmt::format("memory byte {}", at), unsigned{actual.data()[at]},
                 unsigned{expected[at]});
}

// What the reference says about one run, and the state it left.
struct Expected {
  ReferenceResult result;
  Words stack, globals;
  std::vector<std::uint8_t> memory;
  std::uint32_t depth = 0;
  std::array<std::uint64_t, vm::kSpaceCount> heads{};  // by opcodes.def
};

// The heads that the executed instructions evaluate: one for the fetch, the columns for the rest.
std::array<std::uint64_t, vm::kSpaceCount> HeadsOf(const std::vector<std::uint64_t>& executed) {
  std::array<std::uint64_t, vm::kSpaceCount> heads{};
  const auto add = [&](vm::Space space, std::uint64_t count) {
    heads[static_cast<std::size_t>(space)] += count;
  };
  for (const isa::OpcodeInfo& row : isa::kOpcodes) {
    const std::uint64_t times = executed[static_cast<std::size_t>(row.op)];
    add(vm::Space::kCode, times);
    add(vm::Space::kStack, times * row.stack_reads);
    add(vm::Space::kLocals, times * row.local_reads);
    add(vm::Space::kMemory, times * row.memory_reads);
    add(vm::Space::kCall, times * row.call_reads);
  }
  return heads;
}

// Which heads an instruction evaluates before it traps is the engine's affair. The weights evaluate
// all of them in every pass, needed or not.
std::optional<std::string> HeadsDiffer(const vm::RunResult& actual, const Expected& expected,
                                       vm::EngineKind engine) {
  if (!actual.stats) return "no stats";
  if (actual.outcome == vm::Outcome::kTrapped) return std::nullopt;
  for (std::size_t i = 0; i < vm::kSpaceCount; ++i) {
    if (engine != vm::EngineKind::kNative && engine != vm::EngineKind::kAttention) continue;
    const std::uint64_t heads = engine == vm::EngineKind::kNative ? 0 : expected.heads[i];
    const auto what = fmt::format("heads of {}", vm::SpaceName(static_cast<vm::Space>(i)));
    if (auto d = Differs(what, actual.stats->heads[i], heads)) return d;
  }
  return std::nullopt;
}

std::optional<std::string> ResultDiffers(const vm::RunResult& actual, const Expected& expected) {
  const ReferenceResult& result = expected.result;
  if (auto d = Differs("outcome", vm::OutcomeText(actual.outcome),
                       vm::OutcomeText(OutcomeOf(result.outcome)))) {
    return d;
  }
  if (actual.trap.has_value() != (result.outcome == Outcome::kTrapped))
    return "trap without a cause";
  if (actual.trap) {
    if (auto d = Differs("trap", isa::TrapText(actual.trap->cause), isa::TrapText(result.cause))) {
      return d;
    }
    if (auto d = Differs("ip of the trap", actual.trap->ip, result.ip)) return d;
  }
  if (auto d = Differs("exit code", actual.exit_code, result.exit_code)) return d;
  if (auto d = Differs("steps", actual.steps, result.steps)) return d;
  if (auto d = WordsDiffer("results", actual.results, result.results)) return d;
  if (!actual.digest) return std::nullopt;
  return Differs("digest", isa::DigestText(*actual.digest), isa::DigestText(result.digest));
}

std::optional<std::string> StateDiffers(vm::Machine& machine, const Expected& expected) {
  if (auto d = WordsDiffer("stack", machine.stack(), expected.stack)) return d;
  if (auto d = WordsDiffer("globals", machine.globals(), expected.globals)) return d;
  if (auto d = Differs("depth", machine.depth(), expected.depth)) return d;
  if (expected.result.outcome == Outcome::kOutOfFuel) {
    if (auto d = Differs("ip", machine.ip(), expected.result.ip)) return d;
    if (!machine.resumable()) return "out of fuel, but not resumable";
  }
  return MemoryDiffers(machine.memory(), expected.memory);
}

// One invocation, in one piece or in several.
class Invocation {
 public:
  Invocation(vm::Machine& machine, const RandomCase& c, Way way, Random& random)
      : machine_(machine), case_(c), way_(way), random_(random) {
    options_.digest = way == Way::kDigest || way == Way::kPieces;
    options_.stats = way == Way::kStats;
    if (way == Way::kTrace) {
      options_.trace = [this](std::span<const isa::TraceRecord> records) { Watch(records); };
    }
  }

  vm::RunResult Make() {
    const bool in_pieces = way_ == Way::kPieces || way_ == Way::kPlainPieces;
    std::uint64_t left = case_.fuel;
    options_.fuel = in_pieces ? Piece(left) : left;
    left -= options_.fuel;
    vm::RunResult result = machine_.CallStub(case_.start, case_.args, options_);
    while (result.outcome == vm::Outcome::kOutOfFuel && left > 0) {
      options_.fuel = Piece(left);
      left -= options_.fuel;
      result = machine_.Resume(options_);
    }
    if (way_ == Way::kTrace) result.digest = digest_;
    return result;
  }

  bool steps_in_order() const { return in_order_; }
  std::uint64_t records() const { return records_; }

 private:
  // Mostly short, sometimes none, sometimes all that is left.
  std::uint64_t Piece(std::uint64_t left) {
    const std::uint64_t piece = random_.OneIn(4) ? random_.Below(3) : random_.Below(300);
    return random_.OneIn(10) ? left : std::min(piece, left);
  }

  void Watch(std::span<const isa::TraceRecord> records) {
    for (const isa::TraceRecord& record : records) {
      in_order_ = in_order_ && record.step == ++records_;
      digest_ = isa::ExtendDigest(digest_, record.ip, record.instruction, record.sp, record.top);
    }
  }

  vm::Machine& machine_;
  const RandomCase& case_;
  Way way_;
  Random& random_;
  vm::RunOptions options_;
  std::uint64_t digest_ = isa::kDigestSeed, records_ = 0;
  bool in_order_ = true;
};

std::vector<Expected> RunReference(const RandomCase& c, int invocations, Coverage& coverage) {
  ReferenceInterpreter reference(c.program, c.limits, TestReferenceHosts());
  std::vector<Expected> expected;
  for (int i = 0; i < invocations; ++i) {
    Expected& run = expected.emplace_back();
    const std::vector<std::uint64_t> before = reference.executed();
    run.result = reference.Run(c.start, c.args, c.fuel);
    run.stack = reference.stack();
    run.globals = reference.globals();
    run.memory = reference.memory();
    run.depth = reference.depth();
    std::vector<std::uint64_t> executed = reference.executed();
    for (std::size_t op = 0; op < executed.size(); ++op) executed[op] -= before[op];
    run.heads = HeadsOf(executed);
    coverage.steps += run.result.steps;
    ++coverage.outcomes[static_cast<std::size_t>(run.result.outcome)];
    if (run.result.outcome == Outcome::kTrapped) {
      ++coverage.traps[static_cast<std::size_t>(run.result.cause)];
    }
  }
  for (std::size_t i = 0; i < coverage.opcodes.size(); ++i) {
    coverage.opcodes[i] += reference.executed()[i];
  }
  return expected;
}

std::optional<std::string> RunDiffers(const RandomCase& c, vm::Machine& machine, Way way,
                                      const std::vector<Expected>& expected, Random& random) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Invocation invocation(machine, c, way, random);
    const vm::RunResult result = invocation.Make();
    std::optional<std::string> difference = ResultDiffers(result, expected[i]);
    if (!difference) difference = StateDiffers(machine, expected[i]);
    if (!difference && !invocation.steps_in_order()) difference = "trace steps are out of order";
    if (!difference && way == Way::kTrace) {
      difference = Differs("trace records", invocation.records(), result.steps);
    }
    if (!difference && way == Way::kStats) {
      difference = HeadsDiffer(result, expected[i], machine.engine());
    }
    if (difference) return fmt::format("run {}: {}", i + 1, *difference);
  }
  return std::nullopt;
}

std::string Report(const RandomCase& c, std::uint64_t seed, const Run& run,
                   std::string_view difference) {
  const isa::Result<std::string> listing = isa::Disassemble(c.program);
  return fmt::format(
      "seed {}: {} engine, {}: {}\nstart {} args {} fuel {} limits slots {} depth {} locals {} "
      "pages "
      "{}\n{}",
      seed, vm::EngineName(run.engine), WayText(run.way), difference, c.start, WordsText(c.args),
      c.fuel, c.limits.max_slots, c.limits.max_depth, c.limits.max_locals, c.limits.max_pages,
      listing ? *listing : listing.error().message);
}

}  // namespace

std::optional<std::string> FirstDifference(const RandomCase& random_case, std::uint64_t seed,
                                           Coverage& coverage,
                                           const std::vector<vm::EngineKind>& engines) {
  return FirstDifference(random_case, random_case, seed, coverage, engines);
}

std::optional<std::string> FirstDifference(const RandomCase& for_reference,
                                           const RandomCase& for_engines, std::uint64_t seed,
                                           Coverage& coverage,
                                           const std::vector<vm::EngineKind>& engines) {
  Random random(seed ^ 0x5EED);
  ++coverage.cases;
  const bool accepted = isa::Verify(for_reference.program).has_value();
  if (!accepted) ++coverage.rejected;
  const auto program = std::make_shared<const isa::Program>(for_engines.program);
  const vm::Linker linker = TestLinker();
  std::vector<Expected> expected;
  const Way other = random.OneOf(
      {Way::kPlain, Way::kPlain, Way::kPieces, Way::kPlainPieces, Way::kTrace, Way::kStats});
  for (const vm::EngineKind engine : engines) {
    for (const Way way : {Way::kDigest, other}) {
      const Run run{engine, way};
      isa::Result<vm::Machine> machine = vm::Machine::Load(program, linker,
                                                           {.engine = engine,
                                                            .limits = for_engines.limits,
                                                            .allow_unverified = true,
                                                            .fold_at_first_call = true});
      if (!machine) {
        if (!expected.empty()) return Report(for_engines, seed, run, machine.error().message);
        ++coverage.not_loaded;
        return std::nullopt;
      }
      if (machine->verified() != accepted) return Report(for_engines, seed, run, "not verified");
      if (expected.empty()) {
        expected = RunReference(for_reference, random.OneIn(4) ? 2 : 1, coverage);
      }
      const auto difference = RunDiffers(for_engines, *machine, way, expected, random);
      if (difference) return Report(for_engines, seed, run, *difference);
    }
  }
  return std::nullopt;
}

std::string CoverageText(const Coverage& coverage) {
  std::string text = fmt::format("cases {}\nsteps {}\nrejected {}\nnot loaded {}\n", coverage.cases,
                                 coverage.steps, coverage.rejected, coverage.not_loaded);
  for (std::size_t i = 0; i < coverage.outcomes.size(); ++i) {
    if (coverage.outcomes[i] == 0) continue;
    text += fmt::format("outcome {} {}\n", vm::OutcomeText(OutcomeOf(static_cast<Outcome>(i))),
                        coverage.outcomes[i]);
  }
  for (std::size_t i = 0; i < coverage.traps.size(); ++i) {
    if (coverage.traps[i] == 0) continue;
    text +=
        fmt::format("trap {} {}\n", isa::TrapText(static_cast<isa::Trap>(i)), coverage.traps[i]);
  }
  for (const isa::OpcodeInfo& row : isa::kOpcodes) {
    text +=
        fmt::format("opcode {} {}\n", row.text, coverage.opcodes[static_cast<std::size_t>(row.op)]);
  }
  return text;
}

}  // namespace txvm::support
