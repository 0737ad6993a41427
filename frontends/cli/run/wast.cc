// txvm wast: WebAssembly test scripts, counted by assertion kind.
#include "frontends/wat/wast.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "frontends/cli/run/host_functions.h"
#include "frontends/cli/run/run_options.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "isa/support/file.h"
#include "isa/support/json_writer.h"
#include "isa/support/text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kWastExamples =
    "  txvm wast tests.wast\n"
    "  txvm wast wasm-testsuite/ --engine native --json\n"
    "  txvm wast linking.wast --notes   every failed or unjudged command, and why\n";

struct WastCommandOptions {
  std::vector<std::string> paths;
  wat::WastOptions run;
  RunSettings host;  // what --dir, --env, --clock, --random and --stdin give to every module
  bool no_opt = false;
  bool json = false;
  bool notes = false;
};

// The scripts of a folder in order of name; a file stands for itself.
isa::Result<std::vector<std::string>> FindScripts(const std::vector<std::string>& paths) {
  std::vector<std::string> scripts;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || !std::filesystem::is_directory(path, error)) {
      scripts.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      if (entry.path().extension() == ".wast") found.push_back(entry.path().string());
    }
    if (error || found.empty()) {
      return std::unexpected<isa::Error>(
          isa::Error{isa::ErrorCode::kIo,
                     error ? error.message() : "no .wast file in this folder",
                     {path, 0, 0},
                     {}});
    }
    std::ranges::sort(found);
    scripts.insert(scripts.end(), found.begin(), found.end());
  }
  return scripts;
}

void PrintNotes(const std::string& script, const wat::WastReport& report, bool all,
                isa::Console& console) {
  for (const wat::WastNote& note : report.notes) {
    if (!note.failed && !all) continue;
    console.Err(fmt::format("{}:{}: {}: {}: {}\n", script, note.line, wat::WastKindText(note.kind),
                            note.failed ? console.Alarm("failed") : "unsupported", note.text));
  }
}

std::string Table(const wat::WastReport& total, std::size_t scripts, vm::EngineKind engine) {
  std::string text =
      fmt::format("{} on {}\n{:<24} {:>10} {:>10} {:>12}\n", isa::CountText(scripts, "script"),
                  vm::EngineName(engine), "kind", "passed", "failed", "unsupported");
  for (std::size_t k = 0; k < wat::kWastKindCount; ++k) {
    const wat::WastCount& count = total.counts[k];
    if (count.passed + count.failed + count.unsupported == 0) continue;
    text += fmt::format("{:<24} {:>10} {:>10} {:>12}\n",
                        wat::WastKindText(static_cast<wat::WastKind>(k)), count.passed,
                        count.failed, count.unsupported);
  }
  return text;
}

std::string Json(const wat::WastReport& total) {
  isa::JsonWriter json;
  json.BeginObject();
  for (std::size_t k = 0; k < wat::kWastKindCount; ++k) {
    json.Key(wat::WastKindText(static_cast<wat::WastKind>(k))).BeginObject();
    json.Key("passed").Uint(total.counts[k].passed);
    json.Key("failed").Uint(total.counts[k].failed);
    json.Key("unsupported").Uint(total.counts[k].unsupported);
    json.EndObject();
  }
  json.EndObject();
  return json.text() + "\n";
}

isa::Result<int> RunScripts(WastCommandOptions& options, isa::Console& console) {
  TXVM_TRY(const std::vector<std::string> scripts, FindScripts(options.paths));
  TXVM_CHECK_OK(HostFunctions(options.host));  // a folder that is not there is told at once
  options.run.host = [&options]() -> isa::Result<vm::Linker> {
    TXVM_TRY(HostSet host, HostFunctions(options.host));
    return std::move(host.linker);
  };
  const StopFlag stop;
  wat::WastReport total;
  std::size_t done = 0;
  for (const std::string& script : scripts) {
    if (stop.requested()) break;
    console.Progress(done, scripts.size(), script);
    options.host.path = script;
    TXVM_TRY(const std::string text, isa::ReadFile(script));
    TXVM_TRY(const wat::WastReport report,
             wat::RunWast(text, isa::DisplayName(script), options.run));
    PrintNotes(isa::DisplayName(script), report, options.notes, console);
    total.Add(report);
    ++done;
  }
  console.EndProgress();
  console.Out(options.json ? Json(total) : Table(total, done, options.run.engine));
  if (stop.requested()) {
    console.Note(
        fmt::format("interrupted after {} of {}", done, isa::CountText(scripts.size(), "script")));
    return Value(ExitCode::kInterrupted);
  }
  return Value(total.failed() == 0 ? ExitCode::kHalted : ExitCode::kMismatch);
}

}  // namespace

int WastCommand(const CommandLine& line, isa::Console& console) {
  WastCommandOptions options;
  Arguments arguments("wast", "Run WebAssembly test scripts and count by assertion kind.",
                      kWastExamples);
  arguments.Rest("files", "Scripts, or folders of them; - for standard input", options.paths, 1);
  AddEngineOption(arguments, options.run.engine);
  AddLimitOptions(arguments, options.run.limits);
  arguments.Count("--fuel", "STEPS", "Steps one invocation may take (default {})", options.run.fuel,
                  1, isa::kUnlimitedFuel);
  AddHostOptions(arguments, options.host.host, options.host.input_path);
  arguments.Flag("--no-opt", "Lower literally, without the peephole pass", options.no_opt);
  arguments.Flag("--json", "Print counts per kind as one JSON object", options.json);
  arguments.Flag("--notes", "Print the unsupported commands too, with their reasons",
                 options.notes);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  options.run.optimize = !options.no_opt;
  const isa::Result<int> code = RunScripts(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
