#include "neural/triton/prove/search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "isa/support/text.h"
#include "neural/triton/prove/evaluate.h"
#include "neural/triton/tasm/machine.h"
#include "neural/triton/tir/inputs.h"
#include "neural/triton/tir/world.h"

namespace txvm::triton {
namespace {

using Words = std::vector<std::uint64_t>;
using Ram = std::unordered_map<std::uint64_t, std::uint64_t>;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSteps = 100'000;   // of one concrete run
constexpr std::uint64_t kFewSteps = 2'000;  // of most runs of programs with loops
constexpr std::uint64_t kSmallWords = 8;    // loops count small words down
constexpr std::uint64_t kMoreInput = 40;    // words that loops may read besides

// One input for the two sides.
struct Trial {
  Words stack;
  TirInputs inputs;
  std::uint64_t scatter = 0;
  std::uint64_t steps = kSteps;
};

// All that a run leaves.
struct Outcome {
  bool finished = true;
  Fault fault = Fault::kNone;
  Words output;
  Words stack;
  std::array<std::size_t, 3> consumed{};
  Words sponge;
  Ram ram;
  Ram scattered;
};

// The words a whole TASM program starts on, bottom first; st11..st15 hold the digest, word 0 in
// st11.
Words StartOf(const Subject& named) {
  Words stack(kTasmRegisters, 0);
  const auto digest = TasmDigest(named.tasm());
  std::copy(digest.rbegin(), digest.rend(), stack.begin());
  return stack;
}

// A whole TASM program starts with the digest of `named`.
Outcome RunOnce(const Subject& subject, const Trial& trial, const Subject& named) {
  ConcreteWorld world(trial.inputs);
  world.ScatterRam(trial.scatter);
  const bool fragment = subject.is_fragment();
  // A TIR program has its own, empty stack; a TASM program starts on 16 words.
  Words stack = fragment           ? trial.stack
                : subject.is_tir() ? Words()
                                   : StartOf(named.is_tir() ? subject : named);
  StackMachine<ConcreteWorld> machine(world, std::move(stack),
                                      subject.is_tir() ? 0 : kTasmRegisters);
  Outcome outcome;
  std::uint64_t steps = trial.steps;
  outcome.finished = subject.Run(machine, steps);
  outcome.fault = world.fault();
  outcome.output = world.output();
  outcome.consumed = world.Consumed();
  outcome.ram = world.ram();
  outcome.scattered = world.scattered();
  if (!fragment) return outcome;
  outcome.stack = machine.stack();
  if (world.sponge()) {
    for (std::size_t i = 0; i < kTip5Width; ++i) outcome.sponge.push_back(world.sponge()->Lane(i));
  }
  return outcome;
}

// Whether a run comes back to a state that it was in, and so never ends: Brent's search.
template <class Control>
bool ComesBack(Control& control, StackMachine<ConcreteWorld>& machine) {
  ConcreteWorld& world = machine.domain();
  struct State {
    typename Control::Position position;
    Words stack;
    std::array<std::size_t, 3> consumed;
    Ram ram;
    Words sponge;
    bool operator==(const State&) const = default;
  };
  const auto state = [&] {
    State now{control.position(), machine.stack(), world.Consumed(), world.ram(), {}};
    if (world.sponge()) {
      for (std::size_t i = 0; i < kTip5Width; ++i) now.sponge.push_back(world.sponge()->Lane(i));
    }
    return now;
  };
  std::optional<State> saved;
  std::uint64_t next = 64;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    if (control.done() || world.failed()) return false;
    if (step == next) {
      saved = state();
      next *= 2;
    } else if (saved && machine.stack() == saved->stack && control.position() == saved->position &&
               state() == *saved) {
      return true;
    }
    control.Step();
  }
  return false;
}

bool NeverEnds(const Subject& subject, const Trial& trial, const Subject& named) {
  ConcreteWorld world(trial.inputs);
  world.ScatterRam(trial.scatter);
  Words stack = subject.is_fragment() ? trial.stack
                : subject.is_tir()    ? Words()
                                      : StartOf(named.is_tir() ? subject : named);
  StackMachine<ConcreteWorld> machine(world, std::move(stack),
                                      subject.is_tir() ? 0 : kTasmRegisters);
  if (subject.is_tir()) {
    TirControl<ConcreteWorld> control = subject.StartTir(machine);
    return ComesBack(control, machine);
  }
  TasmControl<ConcreteWorld> control(machine, subject.tasm(), subject.end_is_halt());
  return ComesBack(control, machine);
}

std::uint64_t WordOf(const Outcome& side, const Trial& trial, std::uint64_t address) {
  if (const auto found = side.ram.find(address); found != side.ram.end()) return found->second;
  ConcreteWorld world(trial.inputs);
  world.ScatterRam(trial.scatter);
  return world.Load(address);
}

// The least address at which RAM differs, as far as both sides know the initial words.
std::optional<std::uint64_t> DifferentRam(const Outcome& a, const Outcome& b, const Trial& trial) {
  std::optional<std::uint64_t> least;
  for (const Outcome* side : {&a, &b}) {
    for (const auto& [address, value] : side->ram) {
      if (least && *least <= address) continue;
      if (WordOf(a, trial, address) != WordOf(b, trial, address)) least = address;
    }
  }
  return least;
}

bool Differ(const Outcome& a, const Outcome& b, const Trial& trial, bool fragment) {
  if ((a.fault == Fault::kNone) != (b.fault == Fault::kNone)) return true;
  if (a.fault != Fault::kNone) return false;
  if (a.output != b.output) return true;
  if (!fragment) return false;
  return a.stack != b.stack || a.consumed != b.consumed || a.sponge != b.sponge ||
         DifferentRam(a, b, trial).has_value();
}

std::string Describe(const Outcome& outcome, bool fragment) {
  if (outcome.fault != Fault::kNone) return fmt::format("crashes: {}", FaultText(outcome.fault));
  std::string text = fmt::format("writes [{}]", fmt::join(outcome.output, ", "));
  if (fragment) {
    const std::size_t shown = std::min<std::size_t>(outcome.stack.size(), 6);
    text +=
        fmt::format(", leaves {}, on top [{}]", isa::CountText(outcome.stack.size(), "word"),
                    fmt::join(outcome.stack.rbegin(),
                              outcome.stack.rbegin() + static_cast<std::ptrdiff_t>(shown), ", "));
  }
  return text;
}

// One side's value of the first difference that Describe does not show.
std::string Detail(const Outcome& side, const Outcome& other, const Trial& trial) {
  if (side.consumed != other.consumed) {
    return fmt::format(", reads {}, {} and {}", isa::CountText(side.consumed[0], "word"),
                       isa::CountText(side.consumed[1], "secret one"),
                       isa::CountText(side.consumed[2], "digest"));
  }
  for (std::size_t i = 0; i < side.stack.size() && i < other.stack.size(); ++i) {
    const std::uint64_t word = side.stack[side.stack.size() - 1 - i];
    if (word != other.stack[other.stack.size() - 1 - i]) return fmt::format(", st{} = {}", i, word);
  }
  if (const auto address = DifferentRam(side, other, trial)) {
    return fmt::format(", RAM[{}] = {}", *address, WordOf(side, trial, *address));
  }
  if (side.sponge == other.sponge) return "";
  return side.sponge.empty() ? ", leaves the sponge as it was"
                             : fmt::format(", sponge [{}]", fmt::join(side.sponge, ", "));
}

// Confirms a run of TASM with the TASM machine. RunOnce is the reference interpreter of TIR.
bool Confirm(const Subject& subject, const Trial& trial, const Outcome& outcome,
             const Subject& named) {
  if (subject.is_tir()) return true;
  const auto machine = TasmMachine::Load(subject.tasm());
  if (!machine) return false;
  TasmOptions options;
  options.heights = false;
  options.end_is_halt = subject.end_is_halt();
  if (subject.is_fragment()) options.initial_stack = trial.stack;
  if (!subject.is_fragment() && !named.is_tir()) options.initial_stack = StartOf(named);
  const auto run = machine->Run(ToTasmInput(trial.inputs), options);
  if (!run || run->crash.has_value() != (outcome.fault != Fault::kNone)) return false;
  if (run->crash) return true;
  return run->output == outcome.output && (!subject.is_fragment() || run->stack == outcome.stack);
}

void AddConstants(const Subject& subject, std::set<std::uint64_t>& pool) {
  const auto add = [&](std::uint64_t value) {
    for (const std::uint64_t word : {value, vm::goldilocks::Add(value, 1),
                                     vm::goldilocks::Sub(value, 1), vm::goldilocks::Neg(value)}) {
      pool.insert(word);
    }
  };
  if (!subject.is_tir()) {
    for (const TasmInstruction& instruction : subject.tasm().code) {
      if (Info(instruction.op).arg == TasmArg::kElement) add(instruction.arg);
    }
    return;
  }
  std::vector<const std::vector<TirOp>*> bodies = {&subject.tir().ops};
  while (!bodies.empty()) {
    const std::vector<TirOp>& ops = *bodies.back();
    bodies.pop_back();
    for (const TirOp& op : ops) {
      if (op.code == TirCode::kPush) add(op.value);
      bodies.push_back(&op.body);
      bodies.push_back(&op.other);
    }
  }
}

// Whether code may run again, by a loop or by a call of a routine that is running.
bool MayRepeat(const Subject& subject) {
  if (subject.has_loops() || subject.is_tir()) return subject.has_loops();
  const TasmProgram& program = subject.tasm();
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const TasmInstruction& instruction = program.code[i];
    if (instruction.op == TasmOp::kCall && program.labels[instruction.arg].index <= i) return true;
  }
  return false;
}

class Search {
 public:
  Search(const Subject& first, const Subject& second, TermTable& table, const SearchHints& hints,
         const VerifyOptions& options)
      : first_(first),
        second_(second),
        table_(table),
        hints_(hints),
        options_(options),
        rng_(options.seed),
        loops_(MayRepeat(first) || MayRepeat(second)) {
    std::set<std::uint64_t> pool;
    AddConstants(first, pool);
    AddConstants(second, pool);
    pool_.assign(pool.begin(), pool.end());
  }

  SearchResult Run() {
    const auto end = Clock::now() + std::chrono::milliseconds(options_.milliseconds);
    SearchResult result;
    while (result.trials < options_.trials && Clock::now() < end) {
      const Trial trial = Make(result.trials++);
      result.counterexample = Judge(trial);
      if (result.counterexample) break;
    }
    return result;
  }

 private:
  Trial Make(std::uint64_t number) {
    TermEvaluator values(table_, rng_, pool_);
    if (!hints_.wishes.empty() && number % 4 != 3) {
      const auto& wishes = hints_.wishes[number % hints_.wishes.size()];
      for (int round = 0; round < 2; ++round) {
        for (const Wish& wish : wishes) values.Fulfil(wish);
      }
    }
    Trial trial;
    trial.scatter = rng_.Next();
    const std::size_t spread = hints_.most_depth - hints_.least_depth;
    const bool shallow = spread > 0 && rng_.OneIn(3);
    const std::size_t depth =
        shallow ? hints_.least_depth + rng_.Below(spread + 1) : hints_.most_depth + rng_.Below(3);
    const bool equal = number % 16 == 15;  // all words the same
    const std::uint64_t same = values.Random();
    for (std::size_t i = kTasmRegisters + depth; i-- > 0;) {
      trial.stack.push_back(equal ? same
                                  : values.Input(AtomKind::kStack, static_cast<std::uint32_t>(i)));
    }
    const auto length = [&](std::size_t stream) {
      const std::size_t least = hints_.least_streams[stream], most = hints_.most_streams[stream];
      return rng_.OneIn(4) ? least + rng_.Below(most - least + 1) : most + rng_.Below(2);
    };
    for (std::size_t i = 0, n = length(0); i < n; ++i) {
      trial.inputs.input.push_back(values.Input(AtomKind::kInput, static_cast<std::uint32_t>(i)));
    }
    for (std::size_t i = 0, n = length(1); i < n; ++i) {
      trial.inputs.secret.push_back(values.Input(AtomKind::kSecret, static_cast<std::uint32_t>(i)));
    }
    for (std::size_t i = 0, n = length(2); i < n; ++i) {
      Digest digest;
      for (std::uint32_t word = 0; word < digest.size(); ++word) {
        digest[word] = values.Input(AtomKind::kDigest, static_cast<std::uint32_t>(5 * i + word));
      }
      trial.inputs.digests.push_back(digest);
    }
    trial.inputs.ram = values.ram();
    if (loops_) ForLoops(trial, number);
    return trial;
  }

  // Loops end soon where words are small, and read more than the paths that were looked at.
  void ForLoops(Trial& trial, std::uint64_t number) {
    constexpr std::uint64_t kOneLong = 16, kSmall = 3;  // one of 16 is long, two of 3 are small
    if (number % kOneLong != 0) trial.steps = kFewSteps;
    if (number % kSmall == 0) return;
    const std::uint64_t bound = 2 + number % kSmallWords;
    for (Words* words : {&trial.inputs.input, &trial.inputs.secret, &trial.stack}) {
      if (words != &trial.stack) words->resize(words->size() + rng_.Below(kMoreInput));
      for (std::uint64_t& word : *words) word = rng_.Below(bound);
    }
  }

  std::optional<Counterexample> Judge(Trial trial) const {
    const bool fragment = first_.is_fragment();
    const Subject& named = options_.same_digest ? first_ : second_;
    Outcome a = RunOnce(first_, trial, first_);
    Outcome b = RunOnce(second_, trial, named);
    if (a.finished != b.finished) return JudgeEnds(std::move(trial), a, b, named);
    if (!a.finished || !Differ(a, b, trial, fragment)) return std::nullopt;
    // From here on the scattered words are initial RAM, for every interpreter.
    for (const Outcome* side : {&a, &b}) {
      trial.inputs.ram.insert(side->scattered.begin(), side->scattered.end());
    }
    if (!Confirm(first_, trial, a, first_) || !Confirm(second_, trial, b, named)) {
      return std::nullopt;
    }
    Counterexample found;
    if (fragment) found.stack = trial.stack;
    found.inputs = trial.inputs;
    found.first = Describe(a, fragment);
    found.second = Describe(b, fragment);
    if (found.first == found.second) {
      found.first += Detail(a, b, trial);
      found.second += Detail(b, a, trial);
    }
    return found;
  }

  // One side ended, the other was stopped: they differ when the first ended well and the other
  // comes back to a state that it was in.
  std::optional<Counterexample> JudgeEnds(Trial trial, const Outcome& a, const Outcome& b,
                                          const Subject& named) const {
    const Outcome& ended = a.finished ? a : b;
    const Subject& ends = a.finished ? first_ : second_;
    const Subject& goes_on = a.finished ? second_ : first_;
    if (ended.fault != Fault::kNone || looked_ >= kMostLooks) return std::nullopt;
    ++looked_;
    if (!NeverEnds(goes_on, trial, a.finished ? named : first_)) return std::nullopt;
    for (const Outcome* side : {&a, &b}) {
      trial.inputs.ram.insert(side->scattered.begin(), side->scattered.end());
    }
    if (!Confirm(ends, trial, ended, a.finished ? first_ : named)) return std::nullopt;
    Counterexample found;
    if (first_.is_fragment()) found.stack = trial.stack;
    found.inputs = trial.inputs;
    const std::string well = Describe(ended, first_.is_fragment());
    constexpr const char* kEndless = "never ends: it comes back to a state that it was in";
    found.first = a.finished ? well : kEndless;
    found.second = a.finished ? kEndless : well;
    return found;
  }

  static constexpr std::size_t kMostLooks = 20;  // for a run that never ends

  const Subject& first_;
  const Subject& second_;
  TermTable& table_;
  const SearchHints& hints_;
  const VerifyOptions& options_;
  TirRng rng_;
  std::vector<std::uint64_t> pool_;
  bool loops_;
  mutable std::size_t looked_ = 0;
};

}  // namespace

SearchResult FindCounterexample(const Subject& first, const Subject& second, TermTable& table,
                                const SearchHints& hints, const VerifyOptions& options) {
  return Search(first, second, table, hints, options).Run();
}

}  // namespace txvm::triton
