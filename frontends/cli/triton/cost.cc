// txvm tir cost: what a TIR program costs at most, without running it, and on the inputs it
// declares.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/triton/files.h"
#include "frontends/cli/triton/tir_commands.h"
#include "isa/support/json_writer.h"
#include "neural/triton/superopt/cost_analyzer.h"
#include "neural/triton/tasm/machine.h"
#include "neural/triton/tir/inputs.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kTirCostExamples =
    "  txvm tir cost program.tir\n"
    "  txvm tir cost program.tir --bounds outer=10,inner=100 --json\n";

using Bounds = std::map<std::string, std::uint64_t, std::less<>>;

/// "name=count,..." over what the file declares.
isa::Result<Bounds> ParseBounds(std::string_view text) {
  Bounds bounds;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    const std::size_t equals = item.find('=');
    std::uint64_t count = 0;
    const char* end = item.data() + item.size();
    const char* digits = equals == std::string_view::npos ? end : item.data() + equals + 1;
    const auto [stop, error] = std::from_chars(digits, end, count);
    if (error != std::errc() || stop != end || equals == 0) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("--bounds '{}' is not LOOP=COUNT", item));
    }
    if (count == 0) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("--bounds '{}': a loop is bounded by 1 round or more", item));
    }
    const std::string_view loop = item.substr(0, equals);
    if (!bounds.emplace(loop, count).second) {
      return isa::Fail(isa::ErrorCode::kUsage, fmt::format("--bounds names loop '{}' twice", loop));
    }
  }
  return bounds;
}

/// Sets the bounds of the loops named; takes these names out of `bounds`.
void SetBounds(std::vector<triton::TirOp>& ops, Bounds& bounds) {
  for (triton::TirOp& op : ops) {
    if (op.code == triton::TirCode::kLoop) {
      if (const auto found = bounds.find(op.name); found != bounds.end()) {
        op.value = found->second;
        bounds.erase(found);
      }
    }
    SetBounds(op.body, bounds);
    SetBounds(op.other, bounds);
  }
}

/// A run on a declared input.
struct Measured {
  std::string crash;  // empty after halt
  triton::TasmHeights heights;
  triton::TasmCost cost;
};

struct Report {
  triton::StaticCost bound;
  std::vector<Measured> measured;
};

isa::Result<Report> Analyze(const std::string& path, std::string_view bounds_text,
                            std::uint64_t max_cycles) {
  TXVM_TRY(Bounds bounds, ParseBounds(bounds_text));
  TXVM_TRY(TirFile file, ReadTirText(path, "txvm tir profile runs Triton assembly"));
  if (file.summary.kind == triton::TirSummary::Kind::kLibrary) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("{} is a library: without an entry nothing says which function "
                                 "runs",
                                 path));
  }
  SetBounds(file.tir.ops, bounds);
  if (!bounds.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--bounds names loop '{}', which {} does not have",
                                 bounds.begin()->first, path));
  }
  Report report;
  TXVM_TRY(report.bound, triton::AnalyzeCost(file.tir));
  TXVM_TRY(const triton::TasmProgram program, AsTasm(file, true));
  TXVM_TRY(const triton::TasmMachine machine, triton::TasmMachine::Load(program));
  triton::TasmOptions options;
  options.max_cycles = max_cycles;
  options.end_is_halt = file.summary.kind == triton::TirSummary::Kind::kFragment;
  for (const triton::TirInputs& inputs : file.inputs) {
    TXVM_TRY(const triton::TasmRun run, machine.Run(triton::ToTasmInput(inputs), options));
    report.measured.push_back({run.crash ? std::string(triton::TasmCrashText(*run.crash)) : "",
                               run.heights, triton::CostOf(run.heights, machine.words())});
  }
  return report;
}

void CostJson(isa::JsonWriter& json, const triton::TasmHeights& heights,
              const triton::TasmCost& cost) {
  json.Key("heights").BeginObject();
  for (std::size_t i = 0; i < triton::kTasmTables; ++i) {
    json.Key(triton::kTasmTableNames[i]).Uint(heights.rows[i]);
  }
  json.EndObject();
  json.Key("padded").Uint(cost.padded);
  json.Key("max").Uint(cost.max);
  json.Key("sum").Uint(cost.sum);
  json.Key("words").Uint(cost.words);
}

/// Tables that are higher in a run than the bounds of the loops allow.
std::vector<std::string_view> Above(const Report& report, const Measured& run) {
  std::vector<std::string_view> tables;
  for (std::size_t i = 0; i < triton::kTasmTables; ++i) {
    if (run.heights.rows[i] > report.bound.heights.rows[i]) {
      tables.push_back(triton::kTasmTableNames[i]);
    }
  }
  return tables;
}

std::string Json(const Report& report) {
  isa::JsonWriter json;
  json.BeginObject();
  json.Key("static").BeginObject();
  CostJson(json, report.bound.heights, report.bound.cost);
  json.Key("unbounded").BeginArray();
  for (const std::string& name : report.bound.unbounded) json.String(name);
  json.EndArray();
  json.Key("recursive").Bool(report.bound.recursive);
  json.EndObject();
  json.Key("inputs").BeginArray();
  for (const Measured& run : report.measured) {
    json.BeginObject();
    json.Key("crash").StringOrNull(run.crash);
    CostJson(json, run.heights, run.cost);
    json.Key("above_static").BeginArray();
    for (const std::string_view table : Above(report, run)) json.String(table);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.text() + "\n";
}

/// Whether another line of the report explains a run above the static cost.
bool Explained(const triton::StaticCost& cost) { return cost.recursive || !cost.unbounded.empty(); }

std::string Text(const Report& report) {
  std::string text = fmt::format("{:<12}{:>14}", "table", "static");
  for (std::size_t i = 0; i < report.measured.size(); ++i) {
    text += fmt::format("{:>14}", fmt::format("input {}", i + 1));
  }
  text += '\n';
  const auto row = [&](std::string_view name, std::uint64_t bound, const auto& measured) {
    text += fmt::format("{:<12}{:>14}", name, bound);
    for (const Measured& run : report.measured) text += fmt::format("{:>14}", measured(run));
    text += '\n';
  };
  for (std::size_t i = 0; i < triton::kTasmTables; ++i) {
    row(triton::kTasmTableNames[i], report.bound.heights.rows[i],
        [i](const Measured& run) { return run.heights.rows[i]; });
  }
  row("padded", report.bound.cost.padded, [](const Measured& run) { return run.cost.padded; });
  row("words", report.bound.cost.words, [](const Measured& run) { return run.cost.words; });
  for (std::size_t i = 0; i < report.measured.size(); ++i) {
    if (!report.measured[i].crash.empty()) {
      text += fmt::format("input {} crashes: {}\n", i + 1, report.measured[i].crash);
    }
    if (const auto above = Above(report, report.measured[i]); !above.empty()) {
      text += fmt::format("input {} is above static: {}{}\n", i + 1, fmt::join(above, ", "),
                          Explained(report.bound) ? "" : " (a loop goes on past its bound)");
    }
  }
  if (!report.bound.unbounded.empty()) {
    text += fmt::format("no bound for {}: counted once (--bounds LOOP=COUNT)\n",
                        fmt::join(report.bound.unbounded, ", "));
  }
  if (report.bound.recursive) text += "recursive: calls inside calls of itself count nothing\n";
  return text;
}

}  // namespace

int TirCostCommand(const CommandLine& line, isa::Console& console) {
  std::string path;
  std::string bounds;
  bool as_json = false;
  std::uint64_t max_cycles = triton::TasmOptions::kDefaultMaxCycles;
  Arguments arguments(
      "tir cost",
      "Bound the nine tables of a TIR program by its loops, and measure them on the "
      "inputs it declares.",
      kTirCostExamples);
  arguments.Positional("file", "TIR text, named *.tir", path);
  arguments.Text("--bounds", "LOOP=N,...", "Rounds of loops, over what the file declares", bounds);
  arguments.Count("--max-cycles", "N", "Stop a measured run after this many cycles (default {})",
                  max_cycles, 1, ~std::uint64_t{0});
  arguments.Flag("--json", "Print one JSON object", as_json);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<Report> report = Analyze(path, bounds, max_cycles);
  if (!report) return FailWith(report.error(), console);
  console.Out(as_json ? Json(*report) : Text(*report));
  return Value(ExitCode::kHalted);
}

}  // namespace txvm::frontends::cli
