// txvm tir optimize: the shortest proved schedule of every straight run, and moves beyond them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frontends/cli/support/arguments.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/triton/files.h"
#include "frontends/cli/triton/learning.h"
#include "frontends/cli/triton/optimizer_train.h"
#include "frontends/cli/triton/tir_commands.h"
#include "isa/support/file.h"
#include "isa/support/json_writer.h"
#include "isa/support/shown_text.h"
#include "neural/triton/superopt/cliff.h"
#include "neural/triton/superopt/program.h"
#include "neural/triton/tasm/text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kTirOptimizeExamples =
    "  txvm tir optimize program.tasm --out shorter.tasm\n"
    "  txvm tir optimize program.tir --time 60000 --json --out program.tasm\n"
    "  txvm tir optimize program.tasm --guide none\n"
    "  txvm tir optimize program.tasm --cliff --out cheaper.tasm\n"
    "  txvm tir optimize program.tasm --learn --learn-time 600 --guide learned\n";

// How a run ended that did not halt.
std::string Ending(const triton::InputCost& cost) {
  if (cost.stopped()) return fmt::format("  (stopped at {} cycles)", isa::Grouped(cost.cycles));
  return cost.crash ? "  (crashes)" : "";
}

// One row per table, a column pair per declared input.
std::string Tables(const triton::OptimizeReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.before.size(); ++i) {
    const triton::InputCost& before = report.before[i];
    const triton::InputCost& after = report.after[i];
    text += fmt::format("\ninput {:<6}{:>12}{:>12}{}\n", i + 1, "before", "after", Ending(before));
    for (std::size_t table = 0; table < triton::kTasmTables; ++table) {
      text += fmt::format("{:<12}{:>12}{:>12}\n", triton::kTasmTableNames[table],
                          before.heights.rows[table], after.heights.rows[table]);
    }
    text += fmt::format("{:<12}{:>12}{:>12}\n{:<12}{:>12}{:>12}\n", "padded", before.cost.padded,
                        after.cost.padded, "words", before.cost.words, after.cost.words);
  }
  return text;
}

// What cliff mode did; nullopt without it.
using Moves = std::optional<triton::CliffReport>;

std::string MovesText(const triton::CliffReport& cliff) {
  std::string text = fmt::format("moves           {}, {} programs measured", cliff.moves.size(),
                                 isa::Grouped(cliff.tried));
  if (cliff.unproved != 0) text += fmt::format(", {} cheaper ones not proved", cliff.unproved);
  for (const std::string& move : cliff.moves) text += fmt::format("\n                {}", move);
  return text + "\n";
}

std::string Text(const triton::OptimizeReport& report, const Moves& moves,
                 const std::string& guide) {
  std::string text = fmt::format(
      "instructions    {} -> {}\nstraight runs   {}, {} shorter, {} proved optimal\n"
      "searched        {} states, guide: {}\n",
      report.instructions_before, report.instructions_after, report.runs, report.improved,
      report.optimal, isa::Grouped(report.states), guide);
  if (report.refused != 0)
    text += fmt::format("given up        {} (dearer on an input)\n", report.refused);
  if (report.sees_itself) text += "may read its own digest: stays as it is; see --same-digest\n";
  if (moves) text += MovesText(*moves);
  if (report.timed_out) text += "stopped by the time budget\n";
  return text + Tables(report);
}

void Costs(isa::JsonWriter& json, std::string_view key,
           const std::vector<triton::InputCost>& costs) {
  json.Key(key).BeginArray();
  for (const triton::InputCost& cost : costs) {
    json.BeginObject();
    json.Key("halts").Bool(!cost.crash);
    json.Key("stopped").Bool(cost.stopped());
    json.Key("cycles").Uint(cost.cycles);
    json.Key("heights").BeginObject();
    for (std::size_t i = 0; i < triton::kTasmTables; ++i) {
      json.Key(triton::kTasmTableNames[i]).Uint(cost.heights.rows[i]);
    }
    json.EndObject();
    json.Key("padded").Uint(cost.cost.padded);
    json.Key("words").Uint(cost.cost.words);
    json.EndObject();
  }
  json.EndArray();
}

std::string Json(const triton::OptimizeReport& report, const Moves& moves,
                 const std::string& guide) {
  isa::JsonWriter json;
  json.BeginObject();
  json.Key("instructions_before").Uint(report.instructions_before);
  json.Key("instructions_after").Uint(report.instructions_after);
  json.Key("runs").Uint(report.runs);
  json.Key("improved").Uint(report.improved);
  json.Key("optimal").Uint(report.optimal);
  json.Key("states").Uint(report.states);
  json.Key("guide").String(guide);
  json.Key("refused").Uint(report.refused);
  json.Key("sees_itself").Bool(report.sees_itself);
  json.Key("timed_out").Bool(report.timed_out);
  if (moves) {
    json.Key("moves").BeginArray();
    for (const std::string& move : moves->moves) json.String(move);
    json.EndArray();
    json.Key("tried").Uint(moves->tried);
    json.Key("unproved").Uint(moves->unproved);
  }
  Costs(json, "before", report.before);
  Costs(json, "after", report.after);
  json.EndObject();
  return json.text() + "\n";
}

struct Optimized {
  triton::OptimizeReport report;
  Moves moves;
};

isa::Result<Optimized> Optimize(const TirFile& file, const triton::OptimizeOptions& options,
                                bool cliff) {
  TXVM_TRY(const triton::TasmProgram program, AsTasm(file, false));
  Optimized done;
  if (!cliff) {
    TXVM_TRY(done.report, triton::OptimizeProgram(program, file.inputs, options));
    return done;
  }
  TXVM_TRY(done.moves, triton::AttackCliff(program, file.inputs, options));
  done.report = done.moves->straight;
  done.report.program = done.moves->program;
  done.report.after = done.moves->after;
  done.report.instructions_after = done.moves->program.code.size();
  done.report.timed_out = done.report.timed_out || done.moves->timed_out;
  return done;
}

isa::Result<Optimized> OptimizeFile(const std::string& path, const std::string& out,
                                    triton::OptimizeOptions options, bool cliff,
                                    const TasmReading& reading) {
  TXVM_TRY(const TirFile file, ReadTirFile(path, reading));
  using Kind = triton::TirSummary::Kind;
  options.library = file.is_tir && file.summary.kind == Kind::kLibrary;
  options.fragment = file.is_tir && file.summary.kind == Kind::kFragment;
  TXVM_TRY(Optimized done, Optimize(file, options, cliff));
  if (!out.empty()) {
    TXVM_CHECK_OK(
        isa::ReplaceFile(out, file.declarations + triton::DisassembleTasm(done.report.program)));
  }
  return done;
}

}  // namespace

int TirOptimizeCommand(const CommandLine& line, isa::Console& console) {
  std::string path;
  std::string out;
  std::string guide = "network";
  bool as_json = false;
  bool cliff = false;
  std::uint64_t learn_seconds = 0;
  triton::OptimizeOptions options;
  TasmReading reading;
  std::uint64_t beam = options.beam;
  constexpr std::uint64_t kMost = 1'000'000'000;
  Arguments arguments("tir optimize",
                      "Give every straight run of a program its shortest proved schedule. No "
                      "`// input:` line of the file gets more expensive.",
                      kTirOptimizeExamples);
  arguments.Positional("file", "TIR (*.tir, lowered plainly first) or Triton assembly", path);
  arguments.Text("-o,--out", "FILE", "Write the assembly there; - for standard output", out);
  arguments.Count("--time", "MS", "Begin no search of a window after MS milliseconds (default {})",
                  options.milliseconds, 0, kMost);
  arguments.Count("--beam", "N", "Keep this many states per length (default {})", beam, 1,
                  1'000'000);
  arguments.Text(
      "--guide", "WHAT",
      "Guide of the second searches, after those without a guide: network (the default: the "
      "one that comes with txvm), learned (the one of txvm tir learn), none, or a FILE of txvm "
      "train optimizer; every rewrite is proved either way",
      guide);
  arguments.Flag(
      "--learn",
      "Remember the runs and the schedules found, for txvm tir learn; see txvm tir stats",
      options.record);
  arguments.Count("--learn-time", "S",
                  "With --learn: train S seconds afterwards, in the background (default {}: not)",
                  learn_seconds, 0, 86'400);
  arguments.Flag("--same-digest",
                 "Optimize a program that reads its own digest, too: it then does with its new "
                 "digest what it did with the old one",
                 options.same_digest);
  arguments.Flag("--cliff",
                 "Then move routines and loops, too, and spell the program anew, until its padded "
                 "height falls below the next power of two or all moves are spent; takes up to the "
                 "same time again",
                 cliff);
  reading.AddTo(arguments);
  arguments.Flag("--json", "Print the report as one JSON object", as_json);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  if (learn_seconds != 0 && !options.record) {
    return FailWith({isa::ErrorCode::kUsage, "--learn-time goes with --learn", {}, {}}, console);
  }
  options.beam = static_cast<std::size_t>(beam);
  options.progress = [&](std::size_t done, std::size_t total) {
    console.Progress(done, total, "straight runs");
  };
  const auto opened = OpenGuide(guide);
  if (!opened) return FailWith(opened.error(), console);
  options.guide = opened->get();
  const isa::Result<Optimized> done = OptimizeFile(path, out, options, cliff, reading);
  console.EndProgress();
  if (!done) return FailWith(done.error(), console);
  const std::string text =
      as_json ? Json(done->report, done->moves, guide) : Text(done->report, done->moves, guide);
  // With the assembly on standard output the report goes to people.
  out == "-" ? console.Err(text) : console.Out(text);
  if (!options.record) return Value(ExitCode::kHalted);
  const isa::Result<void> kept = KeepExperience(done->report, learn_seconds, console);
  return kept ? Value(ExitCode::kHalted) : FailWith(kept.error(), console);
}

}  // namespace txvm::frontends::cli
