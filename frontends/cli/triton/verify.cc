// txvm tir verify: do two programs mean the same?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frontends/cli/support/arguments.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/triton/files.h"
#include "frontends/cli/triton/tir_commands.h"
#include "isa/support/json_writer.h"
#include "neural/triton/prove/equivalence.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kTirVerifyExamples =
    "  txvm tir verify program.tir program.tasm\n"
    "  txvm tir verify before.tasm after.tasm --time 5000 --json\n";

isa::Result<triton::VerifyReport> Compare(const std::string& first, const std::string& second,
                                          const triton::VerifyOptions& options,
                                          const TasmReading& reading) {
  if (first == "-" && second == "-") {
    return isa::Fail(isa::ErrorCode::kUsage, "the two sides cannot both come from standard input");
  }
  TXVM_TRY(TirFile a, ReadTirFile(first, reading));
  TXVM_TRY(TirFile b, ReadTirFile(second, reading));
  TXVM_TRY(triton::Subject left, AsSubject(std::move(a)));
  TXVM_TRY(triton::Subject right, AsSubject(std::move(b)));
  // Beside a program, assembly without halt is a program that cannot end well.
  for (const auto& [one, other] : {std::pair(&left, &right), std::pair(&right, &left)}) {
    if (one->is_fragment() && !one->is_tir() && !other->is_fragment()) *one = one->AsProgram();
  }
  return triton::Verify(left, right, options);
}

std::string Digests(const triton::TirInputs& inputs) {
  std::string text;
  for (const auto& digest : inputs.digests) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", fmt::join(digest, ":"));
  }
  return text;
}

std::string Ram(const triton::TirInputs& inputs) {
  std::string text;
  for (const auto& [address, value] : inputs.ram) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", address, value);
  }
  return text;
}

std::string Text(const triton::VerifyReport& report) {
  std::string text = fmt::format("{}: {}\n", triton::VerdictText(report.verdict), report.reason);
  text += fmt::format("paths    {}\ntrials   {}\n", report.paths, report.trials);
  if (report.bounded) text += "loops    checked only up to the limits\n";
  for (const triton::RoutineVerdict& routine : report.routines) {
    text += fmt::format("routine  {}: {}\n", routine.name, triton::VerdictText(routine.verdict));
  }
  if (!report.counterexample) return text;
  const triton::Counterexample& found = *report.counterexample;
  text += "counterexample\n";
  if (!report.routine.empty()) text += fmt::format("  routine  {}\n", report.routine);
  if (!found.stack.empty()) {
    text += fmt::format("  stack    {} (bottom first)\n", fmt::join(found.stack, ","));
  }
  text += fmt::format("  input    {}\n  secret   {}\n", fmt::join(found.inputs.input, ","),
                      fmt::join(found.inputs.secret, ","));
  text += fmt::format("  digests  {}\n  ram      {}\n", Digests(found.inputs), Ram(found.inputs));
  return text + fmt::format("  first    {}\n  second   {}\n", found.first, found.second);
}

void Elements(isa::JsonWriter& json, std::string_view key,
              const std::vector<std::uint64_t>& words) {
  json.Key(key).BeginArray();
  for (const std::uint64_t word : words) json.String(fmt::format("{}", word));
  json.EndArray();
}

std::string Json(const triton::VerifyReport& report) {
  isa::JsonWriter json;
  json.BeginObject();
  json.Key("verdict").String(triton::VerdictText(report.verdict));
  json.Key("reason").String(report.reason);
  json.Key("paths").Uint(report.paths);
  json.Key("bounded").Bool(report.bounded);
  json.Key("trials").Uint(report.trials);
  json.Key("error_bits").Number(report.error_bits);
  json.Key("routines").BeginArray();
  for (const triton::RoutineVerdict& routine : report.routines) {
    json.BeginObject();
    json.Key("name").String(routine.name);
    json.Key("verdict").String(triton::VerdictText(routine.verdict));
    json.Key("reason").String(routine.reason);
    json.EndObject();
  }
  json.EndArray();
  json.Key("counterexample");
  if (report.counterexample) {
    const triton::Counterexample& found = *report.counterexample;
    json.BeginObject();
    Elements(json, "stack", found.stack);
    Elements(json, "input", found.inputs.input);
    Elements(json, "secret", found.inputs.secret);
    json.Key("digests").String(Digests(found.inputs));
    json.Key("ram").String(Ram(found.inputs));
    json.Key("first").String(found.first);
    json.Key("second").String(found.second);
    json.EndObject();
  } else {
    json.Null();
  }
  json.EndObject();
  return json.text() + "\n";
}

ExitCode CodeOf(triton::Verdict verdict) {
  switch (verdict) {
    case triton::Verdict::kProved:
      return ExitCode::kHalted;
    case triton::Verdict::kRefuted:
      return ExitCode::kMismatch;
    case triton::Verdict::kProbable:
    case triton::Verdict::kUnknown:
      return ExitCode::kLimit;
  }
  return ExitCode::kInternal;
}

}  // namespace

int TirVerifyCommand(const CommandLine& line, isa::Console& console) {
  std::string first;
  std::string second;
  bool as_json = false;
  triton::VerifyOptions options;
  TasmReading reading;
  constexpr std::uint64_t kMost = 1'000'000'000;
  Arguments arguments("tir verify",
                      "Prove two programs or fragments equal, or find an input that tells them "
                      "apart. Exit code 0 proved, 8 refuted, 7 probable or unknown.",
                      kTirVerifyExamples);
  arguments.Positional("first", "TIR (*.tir) or Triton assembly", first);
  arguments.Positional("second", "the other side", second);
  arguments.Count("--time", "MS", "Search this long for a counterexample (default {})",
                  options.milliseconds, 0, kMost);
  arguments.Count("--trials", "N", "Try at most this many inputs (default {})", options.trials, 0,
                  kMost);
  arguments.Count("--steps", "N", "Follow all paths for at most this many steps (default {})",
                  options.steps, 1, kMost);
  arguments.Count("--seed", "N", "Seed of the random inputs (default {})", options.seed, 0,
                  ~std::uint64_t{0});
  arguments.Flag("--same-digest",
                 "Count the own digest of both programs as one unknown input, the same for both",
                 options.same_digest);
  reading.AddTo(arguments);
  arguments.Flag("--json", "Print one JSON object", as_json);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<triton::VerifyReport> report = Compare(first, second, options, reading);
  if (!report) return FailWith(report.error(), console);
  console.Out(as_json ? Json(*report) : Text(*report));
  return Value(CodeOf(report->verdict));
}

}  // namespace txvm::frontends::cli
