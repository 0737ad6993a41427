// txvm explain: a run on the weights, pass by pass, with the numbers that decided.
#include "weights/explain.h"

#include <fmt/format.h>

#include "frontends/cli/run/run_options.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/weights/model_entry.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kExplainExamples =
    "  txvm explain examples/gcd.txa --invoke gcd 48 18 --passes 4\n"
    "  txvm explain --heads examples/product.txa\n";
constexpr std::uint64_t kDefaultPasses = 20;
constexpr std::uint64_t kMostPasses = 1'000'000;

isa::Result<int> Explain(const ModelEntry& entry, std::uint64_t passes, bool heads,
                         isa::Console& console) {
  TXVM_TRY(const ModelStart start, LoadModelEntry(entry));
  const weights::Model model = weights::CompileModel();
  if (heads) console.Out(weights::ExplainHeads(model));
  weights::ReferenceModel reference(model);
  weights::StateRecord state = FeedProgram(start, entry.limits, reference);
  for (std::uint64_t pass = 1; pass <= passes; ++pass) {
    const weights::PassOutput output = reference.Forward(state);
    console.Out(fmt::format("pass {}\n{}\n", pass,
                            weights::ExplainPass(model, reference, *start.program, state, output)));
    for (const weights::MemoryRecord& write : output.writes) {
      if (!weights::IsEmpty(write)) reference.Append(write);
    }
    state = output.state;
    if (state[weights::state_field::kStopped] != 0 || state[weights::state_field::kHost] != 0) {
      break;
    }
  }
  return Value(ExitCode::kHalted);
}

}  // namespace

int ExplainCommand(const CommandLine& line, isa::Console& console) {
  ModelEntry entry;
  std::uint64_t passes = kDefaultPasses;
  bool heads = false;
  Arguments arguments("explain", "Show what every head found and what the layers made of it.",
                      kExplainExamples);
  arguments.Positional("file", "Program: .c, .wat, .wasm, .txa or .txp; - for standard input",
                       entry.path);
  arguments.Rest("args", "Arguments of the entry", entry.arguments);
  arguments.Text("-i,--invoke", "NAME", "The export to run", entry.invoke);
  arguments.Count("--passes", "N", "Forward passes to show (default {})", passes, 1, kMostPasses);
  arguments.Flag("--heads", "Print the heads' matrices first", heads);
  AddLimitOptions(arguments, entry.limits);
  AddInputOptions(arguments, entry.input);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<int> code = Explain(entry, passes, heads, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
