// txvm check: every segment of a run, replayed by itself.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <mutex>
#include <thread>

#include "frontends/cli/run/segments.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "isa/support/json_writer.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
#include "vm/snapshot_file.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kCheckExamples =
    "  txvm run examples/fib.wat --invoke fib 30 --segments fib-run --every 1M\n"
    "  txvm check fib-run                            each segment again, on native\n"
    "  txvm check fib-run --engine hull --jobs 2     by the weights alone, two at a time\n"
    "  txvm check fib-run --only 0,5-9 --json        a share of them, for one of many machines\n";

constexpr std::uint32_t kMostJobs = 1024;

struct CheckOptions {
  std::string folder;
  vm::EngineKind engine = vm::EngineKind::kNative;
  std::uint32_t jobs = 1;
  std::string only;
  bool json = false;
};

struct Wrong {
  std::size_t segment = 0;
  std::string what;
};

/// What the threads of a check share.
struct Work {
  std::vector<std::size_t> segments;
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<std::uint64_t> steps = 0;
  std::atomic<bool> stop = false;
  std::mutex mutex;  // of what follows
  std::vector<Wrong> wrong;
  std::optional<isa::Error> error;
};

/// "0,5-9" as numbers below `count`, each once, in order; all of them for an empty text.
isa::Result<std::vector<std::size_t>> Selected(std::string_view text, std::size_t count) {
  std::vector<std::size_t> selected;
  const auto refuse = [&](std::string_view part) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--only {}: '{}' is neither a segment nor a range of them; there "
                                 "are 0 to {}",
                                 text, part, count == 0 ? 0 : count - 1));
  };
  if (text.empty()) {
    for (std::size_t i = 0; i < count; ++i) selected.push_back(i);
    return selected;
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    std::size_t first = 0, last = 0;
    const char* const stop = part.data() + part.size();
    auto read = std::from_chars(part.data(), stop, first);
    if (read.ec != std::errc()) return refuse(part);
    last = first;
    if (read.ptr != stop && *read.ptr == '-') {
      read = std::from_chars(read.ptr + 1, stop, last);
      if (read.ec != std::errc()) return refuse(part);
    }
    if (read.ptr != stop || first > last || last >= count) return refuse(part);
    for (std::size_t i = first; i <= last; ++i) selected.push_back(i);
    at = end + 1;
  }
  std::ranges::sort(selected);
  selected.erase(std::ranges::unique(selected).begin(), selected.end());
  return selected;
}

void Replay(const std::shared_ptr<const isa::Program>& program, const Segments& segments,
            const CheckOptions& options, Work& work) {
  for (std::size_t i = work.next++; i < work.segments.size() && !work.stop; i = work.next++) {
    const std::size_t segment = work.segments[i];
    const isa::Result<std::string> difference =
        CheckSegment(program, segments, options.folder, segment, options.engine,
                     [&] { return work.stop.load(); });
    work.steps += segments.states[segment + 1].step - segments.states[segment].step;
    const std::lock_guard lock(work.mutex);
    if (!difference) {
      if (!work.error) work.error = difference.error();
      work.stop = true;
      return;
    }
    if (!difference->empty()) work.wrong.push_back({segment, *difference});
    ++work.done;
  }
}

/// Replays what `work` names, on options.jobs threads, and waits for them.
void ReplayAll(const std::shared_ptr<const isa::Program>& program, const Segments& segments,
               const CheckOptions& options, Work& work, isa::Console& console) {
  using namespace std::chrono_literals;
  const StopFlag flag;
  std::vector<std::jthread> threads;
  const std::size_t count = std::min<std::size_t>(options.jobs, work.segments.size());
  std::atomic<std::size_t> running = count;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      Replay(program, segments, options, work);
      --running;
    });
  }
  while (running > 0) {
    std::this_thread::sleep_for(20ms);
    if (flag.requested()) work.stop = true;
    console.Progress(work.done, work.segments.size(), "segments");
  }
  console.EndProgress();
  if (flag.requested() && !work.error) {
    work.error = isa::Error{isa::ErrorCode::kInterrupted,
                            fmt::format("stopped after {} of {}", work.done.load(),
                                        isa::Grouped(work.segments.size(), "segment")),
                            {},
                            {}};
  }
}

void PrintJson(const Segments& segments, const CheckOptions& options, const Work& work,
               isa::Console& console) {
  isa::JsonWriter json;
  json.BeginObject().Key("folder").String(options.folder);
  json.Key("engine").String(vm::EngineName(options.engine));
  json.Key("segments").Uint(segments.count()).Key("checked").Uint(work.segments.size());
  json.Key("steps").Uint(work.steps).Key("wrong").BeginArray();
  for (const Wrong& wrong : work.wrong) {
    json.BeginObject().Key("segment").Uint(wrong.segment).Key("what").String(wrong.what);
    json.EndObject();
  }
  json.EndArray().EndObject();
  console.Out(json.text() + "\n");
}

isa::Result<int> Check(const CheckOptions& options, isa::Console& console) {
  TXVM_TRY(const Segments segments, ReadManifest(options.folder));
  InputOptions input;
  input.format = Format::kTxp;
  TXVM_TRY(const std::shared_ptr<const isa::Program> program,
           LoadInput(fmt::format("{}/{}", options.folder, kProgramName), input));
  if (vm::ProgramHash(*program) != segments.program) {
    return std::unexpected(isa::Error{isa::ErrorCode::kCorrupt,
                                      "this is not the program that the manifest names",
                                      {fmt::format("{}/{}", options.folder, kProgramName), 0, 0},
                                      {}});
  }
  Work work;
  TXVM_TRY(work.segments, Selected(options.only, segments.count()));
  const auto start = std::chrono::steady_clock::now();
  if (options.only.empty() || work.segments.front() == 0) {
    TXVM_TRY(const std::string difference, CheckStart(program, segments, options.folder));
    if (!difference.empty()) work.wrong.push_back({0, "where the run begins: " + difference});
  }
  ReplayAll(program, segments, options, work, console);
  if (work.error) return std::unexpected(*work.error);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::ranges::sort(work.wrong, {}, &Wrong::segment);
  if (options.json) {
    PrintJson(segments, options, work, console);
  } else {
    for (const Wrong& wrong : work.wrong) {
      const std::string name =
          segments.count() == 0 ? "the start" : segments.Describe(wrong.segment);
      console.Out(fmt::format("{}: {}\n", name, wrong.what));
    }
    console.Out(fmt::format(
        "{} of {} replayed on {}: {}\n", isa::Grouped(work.segments.size(), "segment"),
        isa::Grouped(segments.count()), vm::EngineName(options.engine),
        work.wrong.empty() ? fmt::format("{} as recorded on {}, which ended '{}'",
                                         isa::Grouped(work.steps, "step"), segments.engine,
                                         vm::OutcomeWords(segments.end.outcome))
                           : fmt::format("{} wrong", isa::Grouped(work.wrong.size()))));
  }
  console.Note(
      fmt::format("{:.3f} s on {}", seconds.count(), isa::Grouped(options.jobs, "thread")));
  return Value(work.wrong.empty() ? ExitCode::kHalted : ExitCode::kMismatch);
}

}  // namespace

int CheckCommand(const CommandLine& line, isa::Console& console) {
  CheckOptions options;
  Arguments arguments("check",
                      "Replay the segments that `run --segments` left, each by itself, and compare "
                      "states, digests and the end.",
                      kCheckExamples);
  arguments.Positional("folder", "What run --segments made", options.folder);
  AddEngineOption(arguments, options.engine);
  arguments.Count("-j,--jobs", "N", "Segments at a time (default {})", options.jobs, 1, kMostJobs);
  arguments.Text("--only", "LIST", "Segments to replay, such as 0,5-9 (default: all)",
                 options.only);
  arguments.Flag("--json", "Print one JSON object", options.json);
  options.engine = vm::EngineKind::kNative;
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<int> code = Check(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
