// txvm view: a run as one page that a browser shows.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "frontends/cli/run/report.h"
#include "frontends/cli/run/run_options.h"
#include "frontends/cli/step/timeline.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/view/page_data.h"
#include "isa/support/file.h"
#include "isa/support/text.h"
#include "vm/load.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kViewExamples =
    "  txvm view examples/fib.wat --invoke fib 7 -o fib.html\n"
    "  txvm view examples/product.txa --engine transformer -o product.html   layer by layer\n"
    "  txvm view examples/c/sudoku.c --from 1M --steps 5k -o sudoku.html -- 1\n";
constexpr std::uint64_t kFollowed = 100'000'000;  // steps, unless --fuel says otherwise
constexpr std::uint64_t kMostSteps = 200'000;

struct ViewOptions {
  RunSettings settings;
  std::uint64_t from = 0;
  std::uint64_t steps = 10'000;
};

std::string TitleOf(const RunSettings& settings) {
  std::string title = std::filesystem::path(isa::DisplayName(settings.path)).filename().string();
  if (settings.invoke) title += fmt::format(" {}", *settings.invoke);
  for (const std::string& argument : settings.arguments) title += " " + argument;
  return isa::Printable(title, 200);
}

bool RunsOnWeights(vm::EngineKind engine) {
  return engine == vm::EngineKind::kTransformer || engine == vm::EngineKind::kHull;
}

isa::Result<int> View(const ViewOptions& options, isa::Console& console) {
  const RunSettings& settings = options.settings;
  if (settings.output.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, "-o says where the page goes, such as -o run.html");
  }
  TXVM_TRY(const std::shared_ptr<const isa::Program> program, LoadProgram(settings));
  Timeline::Bounds timeline_bounds;
  timeline_bounds.interval = UINT64_C(1) << 62;  // it never goes back
  timeline_bounds.start_steps = settings.fuel;
  TXVM_TRY(Timeline timeline, Timeline::Start(program, settings, nullptr, timeline_bounds));
  if (const vm::RunResult* start = timeline.ended()) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("the run {} before its entry: there is no step to show",
                                 vm::OutcomeWords(start->outcome)));
  }
  RecordingBounds bounds;
  bounds.steps = options.steps;
  bounds.first = options.from - std::min(options.from, options.steps / 2);
  bounds.most = settings.fuel;
  if (settings.timeout) bounds.time = std::chrono::duration<double>(*settings.timeout);
  TXVM_TRY(const Recording recording, RecordRun(timeline, bounds));
  const std::uint64_t last = recording.first + recording.steps.size() - 1;
  if (options.from > last) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("there is no step {}: the last one is {}",
                                 isa::Grouped(options.from), isa::Grouped(last)));
  }
  if (recording.steps.size() < 2 && recording.first == 0) {
    return isa::Fail(isa::ErrorCode::kUsage, "the run has no step to show");
  }
  for (const std::string& note : timeline.notes()) console.Note(note);
  const SourceText source(*program, settings.path);
  PageSettings page{TitleOf(settings), std::string(vm::EngineName(settings.engine)), options.from};
  std::optional<LayerRecording> layers;
  if (RunsOnWeights(settings.engine) && recording.first == 0) {
    isa::Result<LayerRecording> recorded =
        RecordLayers(program, settings, std::min(last, kMostLayerSteps));
    if (recorded) {
      page.layers = &layers.emplace(*std::move(recorded));
    } else {
      console.Note(fmt::format("the page has no layers: {}", recorded.error().message));
    }
  }
  const std::string text = PageOf(recording, timeline, source, page);
  TXVM_CHECK_OK(isa::WriteFile(settings.output, text));
  console.Note(fmt::format("{}: steps {} to {} of {}{}, {} KB", settings.output,
                           isa::Grouped(recording.first), isa::Grouped(last),
                           isa::Grouped(timeline.now()), recording.is_whole ? "" : " and more",
                           isa::Grouped(text.size() / 1000)));
  return Value(ExitCode::kHalted);
}

}  // namespace

int ViewCommand(const CommandLine& line, isa::Console& console) {
  ViewOptions options;
  options.settings.fuel = kFollowed;
  Arguments arguments("view", "Write a run as one HTML page: every step, forward and back.",
                      kViewExamples);
  AddEntryOptions(arguments, options.settings);
  arguments.Text("-o,--output", "FILE", "Where the page goes", options.settings.output);
  arguments.Count("--from", "STEP", "Open at this step, in the middle of the window (default {})",
                  options.from, 0, UINT64_MAX);
  arguments.Count("--steps", "N", "Steps in the page (default {})", options.steps, 1, kMostSteps);
  AddEngineOption(arguments, options.settings.engine);
  AddSurroundings(arguments, options.settings);
  AddBoundOptions(arguments, options.settings);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  options.settings.imports.console = &console;
  const isa::Result<int> code = View(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
