#include "frontends/cli/step/debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>
#include <utility>

#include "frontends/cli/run/call_values.h"
#include "frontends/cli/run/report.h"
#include "frontends/cli/run/snapshot_option.h"
#include "frontends/cli/step/attention.h"
#include "frontends/cli/step/view.h"
#include "isa/support/number.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
#include "vm/state.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::uint64_t kForever = isa::kUnlimitedFuel;
constexpr std::uint64_t kMostShown = 1'000'000;

struct CommandInfo {
  std::string_view name, brief, arguments, help;
};
constexpr auto kCommands = std::to_array<CommandInfo>({
#define TXVM_STEP_COMMAND(name, brief, Function, arguments, help) {name, brief, arguments, help},
#include "frontends/cli/step/step_commands.def"
#undef TXVM_STEP_COMMAND
});

std::unexpected<isa::Error> Refuse(std::string message) {
  return isa::Fail(isa::ErrorCode::kUsage, std::move(message));
}

std::vector<std::string> WordsOf(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Its line of the list that help shows.
std::string HelpLine(const CommandInfo& command) {
  return fmt::format("  {:<9} {:<3} {:<13} {}\n", command.name, command.brief, command.arguments,
                     command.help);
}

/// The command that `word` names: by its name, its brief form, or the beginning of one name alone.
isa::Result<std::string_view> FindCommand(std::string_view word) {
  std::string candidates;
  std::string_view found;
  for (const CommandInfo& command : kCommands) {
    if (command.name == word || command.brief == word) return command.name;
    if (!command.name.starts_with(word)) continue;
    candidates += fmt::format("{}{}", candidates.empty() ? "" : ", ", command.name);
    found = candidates == command.name ? command.name : std::string_view();
  }
  if (!found.empty()) return found;
  if (candidates.empty()) return Refuse(fmt::format("no command is called '{}'; see help", word));
  return Refuse(fmt::format("'{}' may be {}", word, candidates));
}

/// Argument `index`, a count that an error calls `what`, or `otherwise` when it is missing.
isa::Result<std::uint64_t> Count(const std::vector<std::string>& words, std::size_t index,
                                 std::uint64_t otherwise, std::uint64_t most = kForever,
                                 std::string_view what = "the count") {
  if (words.size() <= index) return otherwise;
  return isa::ParseCount(what, words[index], most);
}

/// Argument 1, how many bytes at an address: 1..most, or `otherwise` when it is missing.
isa::Result<std::uint64_t> Bytes(const std::vector<std::string>& words, std::uint64_t otherwise,
                                 std::uint64_t most) {
  TXVM_TRY(const std::uint64_t count, Count(words, 1, otherwise));
  if (count != 0 && count <= most) return count;
  return Refuse(fmt::format("the count of bytes is 1..{}, not {}", most, words[1]));
}

/// Argument 0, an address in decimal or hex.
isa::Result<std::uint32_t> Address(const std::vector<std::string>& words) {
  if (words.empty()) return Refuse("an address is missing");
  const isa::Result<isa::Word> address = isa::ParseWord(1, words[0]);
  if (address && !words[0].starts_with('-')) return *address;
  return Refuse(
      fmt::format("'{}' is no address (0..4294967295, or hex 0x0..0xffffffff)", words[0]));
}

isa::Result<void> AtMost(const std::vector<std::string>& words, std::size_t most) {
  if (words.size() <= most) return {};
  return Refuse(fmt::format("'{}' is one argument too many", words[most]));
}

}  // namespace

Debugger::Debugger(Timeline timeline, const RunSettings& settings, isa::Console& console)
    : timeline_(std::move(timeline)),
      limits_(settings.limits),
      path_(settings.path),
      console_(console),
      source_(timeline_.machine().program(), path_) {}

bool Debugger::Execute(std::string_view line) {
  std::vector<std::string> words = WordsOf(line);
  if (words.empty() || words[0].starts_with('#')) return true;
  const isa::Result<std::string_view> name = FindCommand(words[0]);
  words.erase(words.begin());
  isa::Result<void> done;
  if (!name) {
    done = std::unexpected(name.error());
  }
#define TXVM_STEP_COMMAND(command, brief, Function, arguments, help) \
  else if (*name == command) {                                       \
    done = Function(words);                                          \
  }
#include "frontends/cli/step/step_commands.def"
#undef TXVM_STEP_COMMAND
  if (!done) {
    const std::string& file = done.error().place.file;
    console_.Out(
        fmt::format("error: {}{}{}\n", file, file.empty() ? "" : ": ", done.error().message));
  }
  return !leave_;
}

// ----------------------------------------------------------------------------------------- moving

std::string Debugger::EndText() const {
  const vm::RunResult& result = *timeline_.ended();
  const vm::Machine& machine = timeline_.machine();
  std::string text = fmt::format("step {:<8} {}", result.steps, vm::OutcomeWords(result.outcome));
  if (result.outcome == vm::Outcome::kHalted) {
    text += result.results.empty() ? ", no results" : ", results ";
    text += ValuesText(ResultValues(timeline_.result_types(), result.results));
  }
  if (result.outcome == vm::Outcome::kExited) text += fmt::format(" with {}", result.exit_code);
  text += "\n";
  const std::string sentence =
      OutcomeSentence({machine.program(), result, machine.engine(), machine.ip(), 0, 0, path_});
  return sentence.empty() ? text : text + sentence + "\n";
}

void Debugger::Show() {
  console_.Out(timeline_.ended() != nullptr ? EndText() : NextText(timeline_.machine()));
}

void Debugger::Arrive(Timeline::Reason reason) {
  if (reason == Timeline::Reason::kStopTest && !hit_.empty()) console_.Out(hit_ + "\n");
  if (reason == Timeline::Reason::kInterrupted) console_.Out("stopped by Ctrl-C\n");
  hit_.clear();
  Show();
  // Said when a walk passes changes on its way back; forward, it answers calls from the recording.
  const std::uint64_t ahead = timeline_.changes_ahead();
  if (ahead > changes_ahead_) {
    console_.Out(fmt::format("files keep {} that the run made after this step\n",
                             isa::CountText(ahead, "change")));
  }
  changes_ahead_ = ahead;
}

/// The watched bytes as they are now; fewer when the memory ends before.
std::vector<std::uint8_t> Debugger::Watched(const Breakpoint& watch) const {
  const std::span<const std::uint8_t> memory = timeline_.machine().memory().bytes();
  if (watch.address >= memory.size()) return {};
  const std::size_t count = std::min<std::size_t>(watch.count, memory.size() - watch.address);
  const auto bytes = memory.subspan(watch.address, count);
  return {bytes.begin(), bytes.end()};
}

/// Asks at every step, in their order; where steps were left out, watches begin anew.
Timeline::StopTest Debugger::StopAtBreakpoints() {
  std::vector<std::vector<std::uint8_t>> seen;
  bool watches = false;
  for (const Breakpoint& breakpoint : breakpoints_) {
    seen.push_back(Watched(breakpoint));
    watches = watches || breakpoint.ips.empty();
  }
  return [this, seen = std::move(seen), watches, last = timeline_.now()](
             std::uint32_t ip, std::uint64_t steps) mutable {
    const bool follows = steps == last + 1;
    last = steps;
    bool stop = false;
    for (std::size_t i = 0; i < breakpoints_.size(); ++i) {
      const Breakpoint& breakpoint = breakpoints_[i];
      bool hit = std::ranges::find(breakpoint.ips, ip) != breakpoint.ips.end();
      if (watches && breakpoint.ips.empty()) {
        std::vector<std::uint8_t> now = Watched(breakpoint);
        hit = follows && now != seen[i];
        if (!follows || hit) seen[i] = std::move(now);
      }
      if (!hit) continue;
      stop = true;
      hit_ = fmt::format("{} {}: {}", breakpoint.ips.empty() ? "watch" : "breakpoint",
                         breakpoint.number, breakpoint.text);
    }
    return stop;
  };
}

isa::Result<void> Debugger::Step(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 1));
  TXVM_TRY(const std::uint64_t count, Count(words, 0, 1));
  if (timeline_.ended() != nullptr) return Refuse("the run has ended; go back first");
  const std::uint64_t now = timeline_.now();
  Arrive(timeline_.Forward(count > kForever - now ? kForever : now + count, {}));
  return {};
}

isa::Result<void> Debugger::Back(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 1));
  TXVM_TRY(const std::uint64_t count, Count(words, 0, 1));
  const std::uint64_t now = timeline_.now();
  if (count > now - timeline_.earliest()) {
    const std::uint64_t most = now - timeline_.earliest();
    return Refuse(fmt::format("there {} {} to go back, to step {}", most == 1 ? "is" : "are",
                              isa::CountText(most, "step"), timeline_.earliest()));
  }
  TXVM_TRY(const Timeline::Reason reason, timeline_.GoTo(now - count));
  Arrive(reason);
  return {};
}

isa::Result<void> Debugger::Next(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 1));
  TXVM_TRY(const std::uint64_t count, Count(words, 0, 1));
  if (timeline_.ended() != nullptr) return Refuse("the run has ended; go back first");
  Timeline::Reason reason = Timeline::Reason::kArrived;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t depth = timeline_.machine().depth();
    const Timeline::StopTest at_breakpoint = StopAtBreakpoints();
    reason = timeline_.Forward(kForever, [&](std::uint32_t ip, std::uint64_t steps) {
      return at_breakpoint(ip, steps) || timeline_.machine().depth() <= depth;
    });
    if (reason != Timeline::Reason::kStopTest || !hit_.empty()) break;
  }
  Arrive(reason);
  return {};
}

isa::Result<void> Debugger::Finish(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 0));
  if (timeline_.ended() != nullptr) return Refuse("the run has ended; go back first");
  const std::uint32_t depth = timeline_.machine().depth();
  if (depth == 0) return Refuse("no function is running that could return; continue instead");
  const Timeline::StopTest at_breakpoint = StopAtBreakpoints();
  Arrive(timeline_.Forward(kForever, [&](std::uint32_t ip, std::uint64_t steps) {
    return at_breakpoint(ip, steps) || timeline_.machine().depth() < depth;
  }));
  return {};
}

isa::Result<void> Debugger::Continue(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 0));
  if (timeline_.ended() != nullptr) return Refuse("the run has ended; go back first");
  Arrive(timeline_.Forward(kForever,
                           breakpoints_.empty() ? Timeline::StopTest() : StopAtBreakpoints()));
  return {};
}

isa::Result<void> Debugger::Reverse(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 0));
  TXVM_TRY(const Timeline::Reason reason, timeline_.Backward(StopAtBreakpoints()));
  Arrive(reason);
  return {};
}

isa::Result<void> Debugger::Goto(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 1));
  if (words.empty()) return Refuse("a step is missing");
  TXVM_TRY(const std::uint64_t step, isa::ParseCount("the step", words[0], kForever));
  if (step < timeline_.earliest()) {
    return Refuse(fmt::format("the history begins at step {}", timeline_.earliest()));
  }
  TXVM_TRY(const Timeline::Reason reason, timeline_.GoTo(step));
  Arrive(reason);
  return {};
}

isa::Result<void> Debugger::Restart(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 0));
  TXVM_TRY(const Timeline::Reason reason, timeline_.GoTo(timeline_.earliest()));
  Arrive(reason);
  return {};
}

// ------------------------------------------------------------------------------------ breakpoints

isa::Result<void> Debugger::Break(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 1));
  if (words.empty()) return Refuse("a place is missing: 12, fib, fib+3, :7 or a label");
  const isa::Program& program = timeline_.machine().program();
  Breakpoint breakpoint;
  TXVM_TRY(breakpoint.ips, FindPlace(program, source_, words[0]));
  breakpoint.number = next_number_++;
  breakpoint.text = words[0];
  console_.Out(fmt::format("breakpoint {} at {}\n", breakpoint.number,
                           PlaceAndLine(program, breakpoint.ips.front())));
  breakpoints_.push_back(std::move(breakpoint));
  return {};
}

isa::Result<void> Debugger::Watch(const Words& words) {
  constexpr std::uint64_t kDefault = 4, kMost = 4'096;  // bytes compared at every step
  TXVM_CHECK_OK(AtMost(words, 2));
  Breakpoint watch;
  TXVM_TRY(watch.address, Address(words));
  TXVM_TRY(watch.count, Bytes(words, kDefault, kMost));
  watch.number = next_number_++;
  watch.text = fmt::format("{} at address {}", isa::CountText(watch.count, "byte"), watch.address);
  console_.Out(fmt::format("watch {} of {}\n", watch.number, watch.text));
  breakpoints_.push_back(std::move(watch));
  return {};
}

isa::Result<void> Debugger::Delete(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 1));
  if (words.empty()) return Refuse("a number is missing, or all");
  if (words[0] == "all") {
    breakpoints_.clear();
    return {};
  }
  TXVM_TRY(const std::uint64_t number,
           isa::ParseCount("the number", words[0], std::numeric_limits<std::uint32_t>::max()));
  const auto removed = std::erase_if(
      breakpoints_, [&](const Breakpoint& breakpoint) { return breakpoint.number == number; });
  if (removed != 0) return {};
  return Refuse(fmt::format("there is no breakpoint or watch {}", number));
}

// ---------------------------------------------------------------------------------------- showing

isa::Result<void> Debugger::Stack(const Words& words) {
  constexpr std::uint64_t kDefault = 16;
  TXVM_CHECK_OK(AtMost(words, 1));
  TXVM_TRY(const std::uint64_t count, Count(words, 0, kDefault, kMostShown));
  console_.Out(StackText(timeline_.machine(), count));
  return {};
}

isa::Result<void> Debugger::Locals(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 1));
  TXVM_TRY(const std::uint64_t frame, Count(words, 0, 0, kForever, "the frame"));
  const std::uint32_t depth = timeline_.machine().depth();
  if (frame > depth) return Refuse(fmt::format("there are frames 0..{}", depth));
  console_.Out(LocalsText(timeline_.machine(), static_cast<std::uint32_t>(frame)));
  return {};
}

isa::Result<void> Debugger::Globals(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 0));
  console_.Out(GlobalsText(timeline_.machine()));
  return {};
}

isa::Result<void> Debugger::Memory(const Words& words) {
  constexpr std::uint64_t kDefault = 64;
  TXVM_CHECK_OK(AtMost(words, 2));
  TXVM_TRY(const std::uint32_t address, Address(words));
  TXVM_TRY(const std::uint64_t count, Bytes(words, kDefault, kMostShown));
  console_.Out(MemoryText(timeline_.machine(), address, count));
  return {};
}

isa::Result<void> Debugger::Backtrace(const Words& words) {
  constexpr std::uint64_t kDefault = 20;
  TXVM_CHECK_OK(AtMost(words, 1));
  TXVM_TRY(const std::uint64_t count, Count(words, 0, kDefault, kMostShown));
  console_.Out(BacktraceText(timeline_.machine(), count));
  return {};
}

isa::Result<void> Debugger::Source(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 1));
  const vm::Machine& machine = timeline_.machine();
  TXVM_TRY(const std::uint64_t line,
           Count(words, 0, machine.program().LineAt(machine.ip()), kForever, "the line"));
  if (!words.empty() && (line == 0 || line > source_.lines())) {
    return Refuse(source_.lines() == 0 ? "the program has no source to show"
                                       : fmt::format("there are lines 1..{}", source_.lines()));
  }
  console_.Out(SourceListing(source_, static_cast<std::uint32_t>(line)));
  return {};
}

isa::Result<void> Debugger::Code(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 0));
  console_.Out(CodeListing(timeline_.machine()));
  return {};
}

isa::Result<void> Debugger::Attention(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 0));
  if (timeline_.ended() != nullptr) return Refuse("the run has ended; go back first");
  TXVM_TRY(const std::string text, AttentionText(timeline_.machine(), limits_));
  console_.Out(text);
  return {};
}

isa::Result<void> Debugger::Info(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 0));
  const vm::Machine& machine = timeline_.machine();
  Show();
  console_.Out(fmt::format("engine {}, depth {}, memory {}, digest {}\n",
                           vm::EngineName(machine.engine()), machine.depth(),
                           isa::CountText(machine.memory().pages(), "page"),
                           machine.has_digest() ? isa::DigestText(machine.state().digest) : "-"));
  console_.Out(fmt::format("history from step {}: {} in {}\n", timeline_.earliest(),
                           isa::CountText(timeline_.snapshots(), "snapshot"),
                           isa::Grouped(timeline_.bytes(), "byte")));
  for (const Breakpoint& breakpoint : breakpoints_) {
    console_.Out(fmt::format("{} {}: {}\n", breakpoint.ips.empty() ? "watch" : "breakpoint",
                             breakpoint.number, breakpoint.text));
  }
  return {};
}

isa::Result<void> Debugger::Save(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 1));
  if (words.empty()) return Refuse("a file is missing");
  if (words[0] == "-") return Refuse("standard output shows the run: name a file");
  TXVM_TRY(const std::string note,
           SaveSnapshot(timeline_.machine(), words[0], timeline_.HostState()));
  console_.Out(note + "\n");
  if (timeline_.has_no_host_state()) {
    console_.Out(
        "it holds no open files: the run has been further, and files keep what was written\n");
  }
  return {};
}

isa::Result<void> Debugger::Help(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 1));
  if (words.empty()) {
    console_.Out(StepCommandHelp());
    return {};
  }
  TXVM_TRY(const std::string_view name, FindCommand(words[0]));
  console_.Out(HelpLine(*std::ranges::find(kCommands, name, &CommandInfo::name)));
  return {};
}

isa::Result<void> Debugger::Quit(const Words& words) {
  TXVM_CHECK_OK(AtMost(words, 0));
  leave_ = true;
  return {};
}

std::string StepCommandHelp() {
  std::string text;
  for (const CommandInfo& command : kCommands) text += HelpLine(command);
  return text;
}

}  // namespace txvm::frontends::cli
