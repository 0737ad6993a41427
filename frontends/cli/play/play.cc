// txvm play: a program that draws, in a window or as pictures.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "frontends/cli/run/report.h"
#include "frontends/cli/run/run_options.h"
#include "frontends/cli/run/session.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "frontends/screen/functions.h"
#include "frontends/screen/stage.h"
#include "frontends/screen/wasm4/cartridge.h"
#include "frontends/wasm/load.h"
#include "frontends/wasm/reader.h"
#include "frontends/wat/reader.h"
#include "isa/support/file.h"
#include "isa/support/number.h"
#include "isa/support/shown_text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kPlayExamples =
    "  txvm play examples/screen/raycaster.c\n"
    "  txvm play examples/screen/raycaster.c --frames 120 --gif raycaster.gif\n"
    "  txvm play cart.wasm --engine native        a cartridge of WASM-4\n"
    "  txvm play cart.wasm --frames 300 --keys 1 --stats\n";
constexpr std::uint64_t kFramesWithoutWindow = 300;
constexpr std::uint64_t kMostFrames = 1'000'000'000;
constexpr std::uint32_t kMostRate = 1'000;

struct PlayOptions {
  RunSettings settings;
  screen::StageOptions stage;
  std::string disk;
  bool wants_window = false;
  bool hashes = false;
  bool stats = false;
};

void Declare(Arguments& arguments, PlayOptions& options) {
  AddEntryOptions(arguments, options.settings);
  AddEngineOption(arguments, options.settings.engine);
  arguments.Count("--frames", "N", "End after N frames; without a window, 300 unless given",
                  options.stage.frames, 1, kMostFrames);
  arguments.Count("--rate", "N", "Frames a second (default {})", options.stage.rate, 1, kMostRate);
  arguments.OutputFile("--gif", "FILE to write all frames to, as an animated GIF",
                       options.stage.gif);
  arguments.Text("--png", "DIR", "Folder to write each frame to, as 000001.png and so on",
                 options.stage.png);
  arguments.Flag("--hashes", "Print the hash of each frame", options.hashes);
  arguments.Option("--keys", "SEED", "Keys and mouse at random, by a seed",
                   [&options](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(options.stage.keys, isa::ParseCount("--keys", text, UINT64_MAX));
                     return {};
                   });
  arguments.Flag("--window", "Open a window although frames are counted or written",
                 options.wants_window);
  arguments.Text("--disk", "FILE", "What a cartridge saves: read, and written at the end",
                 options.disk);
  arguments.Flag("--stats", "Print frames a second and steps a frame", options.stats);
  AddSurroundings(arguments, options.settings);
  AddBoundOptions(arguments, options.settings);
}

/// A module that may import its memory as cartridges do; other programs as `run` loads them.
isa::Result<std::shared_ptr<const isa::Program>> LoadPlayed(const RunSettings& settings) {
  const InputOptions& input = settings.input;
  if (!settings.libraries.empty()) return LoadProgram(settings);
  TXVM_TRY(const Source source, ReadSource(settings.path, input));
  if (source.format != Format::kWasm && source.format != Format::kWat) {
    return ParseSource(source, input);
  }
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(source.bytes.data()),
                        source.bytes.size());
  isa::Result<wat::Module> module = source.format == Format::kWat
                                        ? wat::ReadText(source.bytes, source.name)
                                        : wasm::ReadModule(bytes, source.name);
  if (!module) return isa::InFile(std::move(module).error(), source.name);
  screen::wasm4::OwnMemory(*module);
  const wat::LoadOptions load{
      .optimize = !input.no_opt, .lower_i64 = true, .max_table = input.max_table};
  isa::Result<isa::Program> program = wat::LowerModule(*std::move(module), load);
  if (!program) return isa::InFile(std::move(program).error(), source.name);
  return std::make_shared<const isa::Program>(*std::move(program));
}

using Clock = std::chrono::steady_clock;

/// The runs of a cartridge: its start, then a frame after another until one does not halt.
class CartridgeRun {
 public:
  CartridgeRun(LoadedMachine& loaded, const RunSettings& settings, screen::Stage& stage)
      : machine_(loaded.machine),
        settings_(settings),
        stage_(stage),
        guard_(loaded.machine, settings.timeout) {}

  isa::Result<SessionResult> Run() {
    const auto begin = Clock::now();
    const std::clock_t cpu_begin = std::clock();
    TXVM_TRY(screen::wasm4::Console console, screen::wasm4::Console::Begin(machine_));
    if (RunBefore(console)) TXVM_CHECK_OK(RunFrames(console));
    session_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    session_.cpu_seconds = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
    session_.ip = machine_.ip();
    session_.result.steps = steps_;
    return std::move(session_);
  }

 private:
  /// Makes one run under the fuel that is left. Whether it halted.
  template <typename Begin>
  bool Halts(const Begin& begin) {
    const vm::InterruptReason reason = guard_.requested();
    vm::RunOptions options;
    if (settings_.fuel != isa::kUnlimitedFuel) options.fuel = settings_.fuel - steps_;
    if (reason == vm::InterruptReason::kNone) {
      session_.result = begin(options);
    } else {
      session_.result = {};
      session_.result.outcome = vm::Outcome::kInterrupted;
      session_.result.interrupt = reason;
    }
    steps_ += session_.result.steps;
    return session_.result.outcome == vm::Outcome::kHalted;
  }

  bool RunBefore(screen::wasm4::Console& console) {
    if (!Halts([&](const vm::RunOptions& options) { return machine_.RunInit(options); })) {
      return false;
    }
    for (const std::string_view name : {"_start", "_initialize"}) {
      const auto& exports = machine_.program().exports;
      const auto found = std::ranges::find_if(exports, [&](const isa::Export& entry) {
        return entry.name == name && entry.params == 0;
      });
      if (found == exports.end()) continue;
      if (!Halts([&](const vm::RunOptions& options) {
            return machine_.CallStub(found->start, {}, options);
          })) {
        return false;
      }
    }
    return Halts([&](const vm::RunOptions& options) { return console.Start(options); });
  }

  isa::Result<void> RunFrames(screen::wasm4::Console& console) {
    while (!stage_.is_over()) {
      while (const std::optional<screen::KeyEvent> event = stage_.NextKey()) console.Press(*event);
      if (stage_.frames() != 0) console.SetMouse(stage_.mouse());
      if (!Halts([&](const vm::RunOptions& options) { return console.Update(options); })) return {};
      TXVM_CHECK_OK(stage_.Show(console.Show()));
    }
    return {};
  }

  vm::Machine& machine_;
  const RunSettings& settings_;
  screen::Stage& stage_;
  StopGuard guard_;
  SessionResult session_;
  std::uint64_t steps_ = 0;
};

/// Runs a cartridge with the disk of the options.
isa::Result<SessionResult> PlayCartridge(const std::shared_ptr<const isa::Program>& program,
                                         PlayOptions& options, screen::Stage& stage,
                                         isa::Console& console) {
  const auto surroundings = std::make_shared<screen::wasm4::Surroundings>();
  surroundings->trace = [&console](std::string_view line) { console.Note(line); };
  if (!options.disk.empty() && std::filesystem::exists(options.disk)) {
    TXVM_TRY(const std::string bytes, isa::ReadFile(options.disk));
    const std::size_t count = std::min(bytes.size(), screen::wasm4::kDiskBytes);
    surroundings->disk.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  }
  options.settings.define = [surroundings, program](vm::Linker& linker) {
    screen::wasm4::Define(linker, *program, surroundings);
  };
  TXVM_TRY(LoadedMachine loaded, LoadMachine(program, options.settings));
  isa::Result<SessionResult> session = CartridgeRun(loaded, options.settings, stage).Run();
  if (session && !options.disk.empty()) {
    const std::string bytes(surroundings->disk.begin(), surroundings->disk.end());
    TXVM_CHECK_OK(isa::ReplaceFile(options.disk, bytes));
  }
  return session;
}

/// With a window, time is the clock's. Without, it is the processor's: other programs do not count.
std::string StatsLine(const PlayOptions& options, const screen::Stage& stage,
                      const SessionResult& session) {
  const bool has_window = options.stage.has_window;
  const double seconds = has_window ? session.seconds : session.cpu_seconds;
  const std::uint64_t frames = std::max<std::uint64_t>(stage.frames(), 1);
  return fmt::format("{}: {} frames in {:.2f} s{}, {:.1f} frames/s; {} steps, {} a frame\n",
                     vm::EngineName(options.settings.engine), isa::Grouped(stage.frames()), seconds,
                     has_window ? "" : " of processor time",
                     static_cast<double>(stage.frames()) / std::max(seconds, 1e-6),
                     isa::Grouped(session.result.steps),
                     isa::Grouped(session.result.steps / frames));
}

isa::Result<int> Play(PlayOptions& options, isa::Console& console) {
  screen::StageOptions& wanted = options.stage;
  RunSettings& settings = options.settings;
  TXVM_TRY(const std::shared_ptr<const isa::Program> program, LoadPlayed(settings));
  const bool is_cartridge = screen::wasm4::IsCartridge(*program);
  if (!is_cartridge && !screen::IsImportedBy(*program)) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("{} draws nothing: it neither imports screen.draw nor exports "
                                 "update, as cartridges do",
                                 isa::DisplayName(settings.path)));
  }
  const bool writes = !wanted.gif.empty() || !wanted.png.empty() || options.hashes ||
                      wanted.frames != 0 || wanted.keys;
  wanted.has_window = options.wants_window || !writes;
  if (!wanted.has_window && wanted.frames == 0) wanted.frames = kFramesWithoutWindow;
  wanted.title = std::filesystem::path(isa::DisplayName(settings.path)).filename().string();
  wanted.stop = StopGuard::AnyRequested;
  if (options.hashes) {
    wanted.each_frame = [&console](std::uint64_t frame, std::uint64_t hash) {
      console.Out(fmt::format("{} {}\n", frame, screen::HashText(hash)));
    };
  }
  TXVM_TRY(screen::Stage made, screen::Stage::Make(wanted));
  const auto stage = std::make_shared<screen::Stage>(std::move(made));
  settings.define = [stage](vm::Linker& linker) { screen::Define(linker, stage); };
  TXVM_TRY(const SessionResult session, is_cartridge
                                            ? PlayCartridge(program, options, *stage, console)
                                            : RunSession(program, settings, {}));
  const std::string sentence =
      OutcomeSentence({*program, session.result, settings.engine, session.ip, session.seconds,
                       session.first_step, settings.path, session.result_types});
  if (!sentence.empty()) console.Note(sentence);
  for (const std::string& note : session.notes) console.Note(note);
  if (stage->frames() != 0 || sentence.empty()) TXVM_CHECK_OK(stage->Finish());
  if (!wanted.has_window) {
    console.Out(
        fmt::format("{} frames, hash {}\n", stage->frames(), screen::HashText(stage->hash())));
  }
  if (options.stats) console.Err(StatsLine(options, *stage, session));
  return ExitCodeFor(session.result);
}

}  // namespace

int PlayCommand(const CommandLine& line, isa::Console& console) {
  PlayOptions options;
  Arguments arguments("play", "Play a program that draws: in a window, or into pictures.",
                      kPlayExamples);
  Declare(arguments, options);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<int> code = Play(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
