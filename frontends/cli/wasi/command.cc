// The WASI command txvm.wasm: `run` and `wast` with the options that a machine without threads,
// signals and exceptions can keep. What it prints is what the program txvm prints.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "asm/assembler.h"
#include "frontends/cli/run/call_values.h"
#include "frontends/cli/run/report.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/wat/load.h"
#include "frontends/wat/wast.h"
#include "isa/program_file.h"
#include "isa/support/console.h"
#include "isa/support/file.h"
#include "isa/support/number.h"
#include "isa/support/text.h"
#include "isa/trace.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kHelp =
    "txvm.wasm, the machine as a WASI command\n"
    "\n"
    "  run FILE [--invoke NAME] [ARGUMENTS]   run a .txa, .txp, .wasm or .wat program\n"
    "  wast FILES                             run WebAssembly test scripts\n"
    "\n"
    "  --engine NAME     attention, native, folded (runs as native), hull, transformer\n"
    "  --fuel N          stop after this many steps, such as 10M\n"
    "  --trace-digest    print the 64-bit digest of the trace\n"
    "  --json            print one JSON object\n"
    "  --max-pages N     memory pages of 64 KiB, whatever the program declares\n";

struct Options {
  std::string command;
  std::vector<std::string> words;  // files, and the arguments of `run`
  std::optional<std::string> invoke;
  vm::EngineKind engine = vm::EngineKind::kAttention;
  std::optional<std::uint64_t> fuel;
  isa::Limits limits;
  bool digest = false;
  bool json = false;
};

isa::Result<void> SetEngine(Options& options, std::string_view name) {
  const std::optional<vm::EngineKind> engine = vm::FindEngine(name);
  if (!engine) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--engine '{}' is unknown", isa::Printable(name)));
  }
  options.engine = *engine;
  return {};
}

/// An option with a value.
isa::Result<void> SetOption(Options& options, std::string_view name, const std::string& value) {
  if (name == "--engine") return SetEngine(options, value);
  if (name == "--fuel") {
    TXVM_TRY(options.fuel, isa::ParseCount(name, value, isa::kUnlimitedFuel));
  } else if (name == "--max-pages") {
    TXVM_TRY(const std::uint64_t pages, isa::ParseCount(name, value, isa::kMaxPages));
    options.limits.max_pages = static_cast<std::uint32_t>(pages);
  } else {
    options.invoke = value;
  }
  return {};
}

isa::Result<Options> ParseOptions(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 4> kWithValue = {"--engine", "--fuel", "--max-pages",
                                                          "--invoke"};
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (std::ranges::find(kWithValue, word) != kWithValue.end()) {
      if (i + 1 == words.size()) {
        return isa::Fail(isa::ErrorCode::kUsage, fmt::format("{} needs a value", word));
      }
      TXVM_CHECK_OK(SetOption(options, word, words[++i]));
    } else if (word == "--trace-digest") {
      options.digest = true;
    } else if (word == "--json") {
      options.json = true;
    } else if (word.starts_with("--")) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("option '{}' is unknown: txvm.wasm help lists those there are",
                                   isa::Printable(word)));
    } else if (options.command.empty()) {
      options.command = word;
    } else {
      options.words.push_back(word);
    }
  }
  if (!options.command.empty() && options.words.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, fmt::format("{} needs a file", options.command));
  }
  return options;
}

isa::Result<isa::Program> Load(const std::string& path) {
  TXVM_TRY(const std::string text, isa::ReadFile(path));
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  const wat::LoadOptions load{.optimize = true, .lower_i64 = true};
  const std::string name = isa::DisplayName(path);
  if (isa::IsProgramFile(bytes)) return isa::ReadProgram(bytes);
  if (wat::IsWasm(bytes)) return wat::LoadWasm(bytes, name, load);
  if (path.ends_with(".wat")) return wat::LoadWat(text, name, load);
  return assembler::Assemble(text, name);
}

/// One machine and the run that is reported.
class Session {
 public:
  Session(vm::Machine& machine, const Options& options)
      : machine_(machine), fuel_(options.fuel.value_or(isa::kUnlimitedFuel)) {}

  /// Runs the start function, a library's _initialize and then the entry.
  isa::Result<void> Run(const isa::Export* entry, std::span<const isa::Word> words, bool digest) {
    const isa::Program& program = machine_.program();
    if (program.init && !Halts([&](const auto& part) { return machine_.RunInit(part); })) return {};
    const isa::Export* const initializer = vm::FindInitializer(program, entry);
    if (initializer != nullptr &&
        !Halts([&](const auto& part) { return machine_.CallStub(initializer->start, {}, part); })) {
      return {};
    }
    vm::RunOptions run;
    run.fuel = fuel_;
    run.digest = digest;
    const auto begin = std::chrono::steady_clock::now();
    if (entry == nullptr) {
      result_ = machine_.CallStub(program.entry, words, run);
    } else {
      TXVM_TRY(result_, machine_.Call(*entry, words, run));
    }
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return {};
  }

  const vm::RunResult& result() const { return result_; }
  double seconds() const { return seconds_; }

 private:
  template <typename Begin>
  bool Halts(const Begin& begin) {
    vm::RunOptions part;
    part.fuel = fuel_;
    result_ = begin(part);
    if (fuel_ != isa::kUnlimitedFuel) fuel_ -= result_.steps;
    return result_.outcome == vm::Outcome::kHalted;
  }

  vm::Machine& machine_;
  std::uint64_t fuel_;
  vm::RunResult result_;
  double seconds_ = 0;
};

isa::Result<int> RunProgram(const Options& options, isa::Console& console) {
  const std::string& path = options.words.front();
  TXVM_TRY(isa::Program loaded, Load(path));
  const auto program = std::make_shared<const isa::Program>(std::move(loaded));
  TXVM_TRY(const isa::Export* const entry, vm::ChooseEntry(*program, options.invoke));
  const std::vector<std::string> texts(options.words.begin() + 1, options.words.end());
  TXVM_TRY(const std::vector<isa::Word> words, ParseArguments(entry, texts));
  vm::MachineOptions load;
  load.engine = options.engine;
  load.limits = options.limits;
  TXVM_TRY(vm::Machine machine, vm::Machine::Load(program, vm::Linker(), load));
  Session session(machine, options);
  vm::RunOptions observe;
  observe.digest = options.digest;
  if (const std::string_view why = machine.Substitute(observe); !why.empty()) console.Note(why);
  TXVM_CHECK_OK(session.Run(entry, words, options.digest));
  const RunReport report{*program,     session.result(),    options.engine,
                         machine.ip(), session.seconds(),   0,
                         path,         ResultTypesOf(entry)};
  if (options.json) {
    isa::JsonWriter json;
    WriteRunJson(report, json);
    console.Out(json.text() + "\n");
  } else {
    console.Out(ResultLines(report));
    if (report.result.digest) {
      console.Out(fmt::format("digest {}\n", isa::DigestText(*report.result.digest)));
    }
  }
  if (const std::string sentence = OutcomeSentence(report); !sentence.empty()) {
    console.Note(sentence);
  }
  return ExitCodeFor(session.result());
}

isa::Result<int> RunScripts(const Options& options, isa::Console& console) {
  wat::WastOptions run;
  run.engine = options.engine;
  run.limits = options.limits;
  if (options.fuel) run.fuel = *options.fuel;
  std::uint64_t failed = 0;
  for (const std::string& path : options.words) {
    TXVM_TRY(const std::string text, isa::ReadFile(path));
    TXVM_TRY(const wat::WastReport report, wat::RunWast(text, path, run));
    std::uint64_t passed = 0, unsupported = 0;
    for (const wat::WastCount& count : report.counts) {
      passed += count.passed;
      unsupported += count.unsupported;
    }
    for (const wat::WastNote& note : report.notes) {
      if (!note.failed) continue;
      console.Err(fmt::format("{}:{}: {}: failed: {}\n", path, note.line,
                              wat::WastKindText(note.kind), note.text));
    }
    failed += report.failed();
    console.Out(fmt::format("{}: {} passed, {} failed, {} unsupported\n", path, passed,
                            report.failed(), unsupported));
  }
  return Value(failed == 0 ? ExitCode::kHalted : ExitCode::kMismatch);
}

isa::Result<int> Dispatch(const std::vector<std::string>& words, isa::Console& console) {
  if (words.empty() || words.front() == "help" || words.front() == "--help") {
    console.Out(kHelp);
    return Value(ExitCode::kHalted);
  }
  TXVM_TRY(const Options options, ParseOptions(words));
  if (options.command == "run") return RunProgram(options, console);
  if (options.command == "wast") return RunScripts(options, console);
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("'{}' is no command of txvm.wasm: it has run and wast",
                               isa::Printable(options.command)));
}

}  // namespace
}  // namespace txvm::frontends::cli

int main(int argc, char** argv) {
  using namespace txvm;
  isa::Console console;
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const isa::Result<int> code = frontends::cli::Dispatch(words, console);
  if (!code) console.Error(code.error());
  const bool written = console.Finish(true);
  if (!code) return Value(frontends::cli::ExitCodeFor(code.error().code));
  return written ? *code : Value(frontends::cli::ExitCode::kInternal);
}
