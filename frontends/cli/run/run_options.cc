// The options every command that runs a program shares.
#include "frontends/cli/run/run_options.h"

#include <fmt/format.h>

#include "frontends/wasm/on_demand.h"
#include "isa/support/number.h"
#include "vm/load.h"

namespace txvm::frontends::cli {

std::string EngineChoices() {
  std::string choices;
  for (const vm::EngineKind engine : vm::AllEngines()) {
    if (!choices.empty()) choices += ", ";
    choices += vm::EngineName(engine);
  }
  return choices;
}

void AddEntryOptions(Arguments& arguments, RunSettings& settings) {
  settings.command = arguments.command();
  arguments.Positional("file", "Program: .c, .wat, .wasm, .txa or .txp; - for standard input",
                       settings.path);
  arguments.Rest("args",
                 "Arguments: numbers of the function's types, or text for a program with main",
                 settings.arguments);
  arguments.Text("-i,--invoke", "NAME", "Call this export; results print one per line",
                 settings.invoke);
}

// DIR, DIR:NAME or DIR:NAME:ro.
isa::Result<wasi::Directory> ParseDirectory(std::string_view text) {
  constexpr std::string_view kReadOnly = ":ro";
  std::string_view rest = text;
  const bool read_only =
      rest.ends_with(kReadOnly) && rest.substr(0, rest.size() - kReadOnly.size()).contains(':');
  if (read_only) rest.remove_suffix(kReadOnly.size());
  const std::size_t colon = rest.find(':');
  const std::string_view folder = rest.substr(0, colon);
  const std::string_view name = colon == rest.npos ? folder : rest.substr(colon + 1);
  if (folder.empty() || name.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--dir '{}' lacks a folder or its name", text));
  }
  return wasi::Directory{std::string(folder), std::string(name), read_only};
}

void AddHostOptions(Arguments& arguments, wasi::Options& host, std::string& input_path) {
  arguments.List("--dir", "DIR",
                 "Folder a WASI program may use, or DIR:NAME to call it NAME; DIR:NAME:ro to read "
                 "only; may be repeated",
                 [&host](std::string_view text) -> isa::Result<void> {
                   TXVM_TRY(wasi::Directory directory, ParseDirectory(text));
                   host.directories.push_back(std::move(directory));
                   return {};
                 });
  arguments.Option("--max-open-files", "N",
                   "Files a WASI program may have open, streams included (default 256)",
                   [&host](std::string_view text) -> isa::Result<void> {
                     constexpr std::uint64_t kMost = 1'000'000;
                     TXVM_TRY(host.most_files, isa::ParseCount("--max-open-files", text, kMost));
                     return {};
                   });
  arguments.Option("--max-written", "BYTES",
                   "Bytes a WASI program may write to files and streams (default: no limit)",
                   [&host](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(host.most_written,
                              isa::ParseCount("--max-written", text, UINT64_MAX));
                     return {};
                   });
  arguments.List("--env", "NAME=VALUE", "Environment of a WASI program; may be repeated",
                 [&host](std::string_view text) -> isa::Result<void> {
                   if (const std::size_t equals = text.find('=');
                       equals == 0 || equals == text.npos) {
                     return isa::Fail(isa::ErrorCode::kUsage,
                                      fmt::format("--env '{}' is not NAME=VALUE", text));
                   }
                   host.environment.emplace_back(text);
                   return {};
                 });
  arguments.Option("--clock", "KIND", "Clocks of a WASI program: virtual (default) or real",
                   [&host](std::string_view text) -> isa::Result<void> {
                     if (text != "virtual" && text != "real") {
                       return isa::Fail(
                           isa::ErrorCode::kUsage,
                           fmt::format("--clock '{}' is unknown: virtual or real", text));
                     }
                     host.real_clock = text == "real";
                     return {};
                   });
  arguments.Option(
      "--random", "SEED", "Random numbers of a WASI program: a seed (default 0) or real",
      [&host](std::string_view text) -> isa::Result<void> {
        host.real_random = text == "real";
        if (host.real_random) return {};
        const isa::Result<std::uint64_t> seed = isa::ParseCount("--random", text, UINT64_MAX);
        if (!seed) {
          return isa::Fail(
              isa::ErrorCode::kUsage,
              fmt::format("--random '{}' is unknown: a seed such as 42, or real", text));
        }
        host.random_seed = *seed;
        return {};
      });
  arguments.Text("--stdin", "FILE", "What a WASI program reads (default: standard input)",
                 input_path);
}

void AddSurroundings(Arguments& arguments, RunSettings& settings) {
  AddHostOptions(arguments, settings.host, settings.input_path);
  AddImportOptions(arguments, settings.imports);
  AddLinkOption(arguments, settings.libraries);
}

void AddEngineOption(Arguments& arguments, vm::EngineKind& engine) {
  arguments.Option(
      "-e,--engine", "NAME",
      fmt::format("Engine (default {}; txvm --version lists them)", vm::EngineName(engine)),
      [&engine](std::string_view text) -> isa::Result<void> {
        const std::optional<vm::EngineKind> found = vm::FindEngine(text);
        if (!found) {
          return isa::Fail(isa::ErrorCode::kUsage,
                           fmt::format("--engine '{}' is unknown: {}", text, EngineChoices()));
        }
        engine = *found;
        return {};
      });
}

void AddLimitOptions(Arguments& arguments, isa::Limits& limits) {
  arguments.Count("--max-pages", "N",
                  "Memory pages of 64 KiB, whatever the program declares (default {})",
                  limits.max_pages, 0, isa::kMaxPages);
  arguments.Count("--max-slots", "N", "Operand stack slots (default {})", limits.max_slots, 0,
                  vm::kMaxStackLimit);
  arguments.Count("--max-depth", "N", "Call frames (default {})", limits.max_depth, 0,
                  vm::kMaxStackLimit);
  arguments.Count("--max-locals", "N", "Slots of globals and frames (default {})",
                  limits.max_locals, 0, vm::kMaxStackLimit);
}

void AddBoundOptions(Arguments& arguments, RunSettings& settings) {
  arguments.Count("--fuel", "STEPS", "Stop after this many steps, such as 10M", settings.fuel, 0,
                  isa::kUnlimitedFuel);
  arguments.Option("--timeout", "TIME", "Stop after this time, such as 500ms, 2s or 5m",
                   [&settings](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(settings.timeout, isa::ParseSeconds("--timeout", text));
                     return {};
                   });
  AddLimitOptions(arguments, settings.limits);
  AddInputOptions(arguments, settings.input);
  arguments.Flag("--unverified",
                 "Run what the validator rejects, every instruction checked as it runs",
                 settings.unverified);
}

void AddOnDemandOption(Arguments& arguments, RunSettings& settings) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;
  settings.input.on_demand = wat::kOnDemandBytes;
  arguments.Count("--on-demand", "BYTES",
                  "Least size of a .wasm file whose functions are lowered when they are first "
                  "called (default {})",
                  *settings.input.on_demand, 0, kMostBytes);
}

isa::Result<std::shared_ptr<const isa::Program>> LoadProgram(const RunSettings& settings) {
  return LoadLinked(settings.path, settings.input, settings.libraries, settings.imports);
}

}  // namespace txvm::frontends::cli
