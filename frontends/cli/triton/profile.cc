// txvm tir profile: one run of Triton assembly and what proving it would cost.
#include "neural/triton/tasm/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/triton/files.h"
#include "frontends/cli/triton/inputs.h"
#include "frontends/cli/triton/tir_commands.h"
#include "isa/support/file.h"
#include "isa/support/json_writer.h"
#include "neural/triton/tasm/text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kTirProfileExamples =
    "  txvm tir profile fib.tasm --input 100\n"
    "  txvm tir profile merkle.tasm --digests 1:2:3:4:5,6:7:8:9:10 --ram 100=7,101=-1\n"
    "  txvm tir profile program.tasm --from inputs.json --json\n";

struct Profiled {
  triton::TasmProgram program;
  triton::TasmRun run;
  std::uint64_t words = 0;
  triton::Digest digest{};
  triton::Seed6 seed6_static{};
};

isa::Result<Profiled> Profile(const std::string& path, const TirInputOptions& options,
                              std::uint64_t max_memory, const TasmReading& reading) {
  if (path.ends_with(".tir")) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("{} is TIR; txvm tir lower makes Triton assembly of it, txvm tir "
                                 "cost measures it on the inputs that it declares",
                                 path));
  }
  if (path == "-" && options.file == "-") {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "the program and its inputs cannot both come from standard input");
  }
  TXVM_TRY(const TirInputs inputs, options.Resolve());
  TXVM_TRY(const std::string text, ReadOneProgram(path));
  Profiled profiled;
  TXVM_TRY(profiled.program, triton::AssembleTasm(text, inputs.isa.value_or(triton::TasmIsa::kDot),
                                                  isa::DisplayName(path), reading.dialect()));
  TXVM_TRY(const triton::TasmMachine machine, triton::TasmMachine::Load(profiled.program));
  triton::TasmOptions run_options;
  run_options.max_cycles = inputs.max_cycles.value_or(run_options.max_cycles);
  run_options.max_memory_bytes = max_memory;
  TXVM_TRY(profiled.run, machine.Run(inputs.values, run_options));
  profiled.words = machine.words();
  profiled.digest = machine.digest();
  profiled.seed6_static = triton::StaticSeed6(profiled.program);
  return profiled;
}

// The keys are an interface: scripts and the vector tests read them.
std::string Json(const Profiled& profiled) {
  const triton::TasmRun& run = profiled.run;
  isa::JsonWriter json;
  json.BeginObject();
  json.Key("output").BeginArray();
  for (const std::uint64_t element : run.output) json.String(fmt::format("{}", element));
  json.EndArray();
  json.Key("crash").StringOrNull(run.crash ? triton::TasmCrashText(*run.crash)
                                           : std::string_view());
  json.Key("heights").BeginObject();
  for (std::size_t i = 0; i < triton::kTasmTables; ++i) {
    json.Key(triton::kTasmTableNames[i]).Uint(run.heights.rows[i]);
  }
  json.EndObject();
  json.Key("padded").Uint(run.heights.Padded());
  for (const auto& [key, seed] :
       {std::pair("seed6", &run.seed6), std::pair("seed6_static", &profiled.seed6_static)}) {
    json.Key(key).BeginArray();
    for (const std::uint64_t rows : *seed) json.Uint(rows);
    json.EndArray();
  }
  json.Key("words").Uint(profiled.words);
  json.Key("digest").BeginArray();
  for (const std::uint64_t word : profiled.digest) json.String(fmt::format("{}", word));
  json.EndArray();
  json.EndObject();
  return json.text() + "\n";
}

// "not u32 at instruction 5, line 3, `lt`: an operand ..."
std::string CrashLine(const Profiled& profiled) {
  const triton::TasmRun& run = profiled.run;
  if (!run.crash) return "none";
  std::string text(triton::TasmCrashText(*run.crash));
  if (run.stop_index < profiled.program.code.size()) {
    text += fmt::format(" at instruction {}, line {}, `{}`", run.stop_index + 1,
                        profiled.program.lines[run.stop_index],
                        triton::TasmInstructionText(profiled.program, run.stop_index));
  }
  for (const triton::TasmErrorId& id : profiled.program.error_ids) {
    if (id.index == run.stop_index) text += fmt::format(", error_id {}", id.id);
  }
  return fmt::format("{}: {}", text, triton::TasmCrashDetail(*run.crash));
}

std::string Table(const Profiled& profiled) {
  constexpr double kNsPerMs = 1e6;
  const triton::TasmRun& run = profiled.run;
  std::string text =
      fmt::format("output   {}\ncrash    {}\nwords    {}\ncycles   {}\n\n",
                  fmt::join(run.output, " "), CrashLine(profiled), profiled.words, run.cycles);
  text += fmt::format("{:<12}{:>14}\n", "table", "rows");
  for (std::size_t i = 0; i < triton::kTasmTables; ++i) {
    text += fmt::format("{:<12}{:>14}\n", triton::kTasmTableNames[i], run.heights.rows[i]);
  }
  const std::uint64_t padded = run.heights.Padded();
  text += fmt::format("{:<12}{:>14}\n\n", "padded", padded);
  text += fmt::format("proving  about {:.1f} ms by Trident's formula, not measured\n\n",
                      static_cast<double>(triton::ProvingTimeEstimateNs(padded)) / kNsPerMs);
  text += fmt::format("{:<12}{:>14}{:>14}\n", "six tables", "executed", "static");
  for (std::size_t i = 0; i < triton::kSeedTables; ++i) {
    text += fmt::format("{:<12}{:>14}{:>14}\n", triton::kSeedTableNames[i], run.seed6[i],
                        profiled.seed6_static[i]);
  }
  return text;
}

ExitCode CodeOf(const triton::TasmRun& run) {
  if (!run.crash) return ExitCode::kHalted;
  if (*run.crash == triton::TasmCrash::kCycleLimit) return ExitCode::kOutOfFuel;
  if (*run.crash == triton::TasmCrash::kMemoryLimit) return ExitCode::kLimit;
  return ExitCode::kTrap;
}

}  // namespace

int TirProfileCommand(const CommandLine& line, isa::Console& console) {
  std::string path;
  bool as_json = false;
  std::uint64_t max_memory = triton::TasmOptions::kDefaultMaxMemoryBytes;
  TirInputOptions options;
  TasmReading reading;
  Arguments arguments("tir profile", "Run Triton assembly and print its output, crash and cost.",
                      kTirProfileExamples);
  arguments.Positional("file", "Triton assembly; - for standard input", path);
  options.AddTo(arguments);
  reading.AddStrictTo(arguments);
  arguments.Count("--max-memory", "BYTES", "Crash with 'memory limit' beyond (default 1 GiB)",
                  max_memory, 0, ~std::uint64_t{0});
  arguments.Flag("--json", "Print one JSON object", as_json);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<Profiled> profiled = Profile(path, options, max_memory, reading);
  if (!profiled) return FailWith(profiled.error(), console);
  console.Out(as_json ? Json(*profiled) : Table(*profiled));
  return Value(CodeOf(profiled->run));
}

}  // namespace txvm::frontends::cli
