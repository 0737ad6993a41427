// txvm weights: the model as numbers and as files.
#include <fmt/format.h>

#include <memory>

#include "frontends/cli/run/run_options.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/weights/model_entry.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
#include "weights/artefact.h"
#include "weights/bounds.h"
#include "weights/fold.h"
#include "weights/onnx.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kWeightsExamples =
    "  txvm weights info\n"
    "  txvm weights export model/ --program examples/gcd.txa --invoke gcd 48 18\n"
    "  txvm weights export folded/ --fold --program examples/gcd.txa --invoke gcd 48 18\n"
    "  txvm weights import model/ --program examples/gcd.txa --invoke gcd 48 18\n";
constexpr std::uint64_t kDefaultFuel = 20'000;
constexpr std::uint64_t kMostFuel = 100'000'000;

struct Options {
  std::string action, directory;
  ModelEntry entry;
  std::uint64_t fuel = kDefaultFuel;
  bool onnx = false;
  bool fold = false;
};

std::string Card(const weights::Model& model) {
  const weights::ModelCard card = weights::Describe(model);
  const std::vector<weights::LayerBounds> bounds = weights::BoundModel(model);
  std::string text = fmt::format(
      "layers       {}\nd_model      {}\nheads        {} in {} layers\nunits        {} gated ReLU\n"
      "parameters   {} dense, {} of them not 0\n\n"
      "Largest sum |w x| + |b| of any row, below 2^24 = {} everywhere, so float32 is exact:\n"
      "layer  heads  units      query      score       gate         up    product       down  "
      "widest row\n",
      card.layers, card.d_model, card.heads, card.head_layers, card.units,
      isa::Grouped(card.parameters), isa::Grouped(card.non_zeros),
      isa::Grouped(weights::kFloat32Exact));
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const weights::LayerBounds& b = bounds[i];
    const bool output = i == model.layers.size();
    text +=
        fmt::format("{:>5}  {:>5}  {:>5} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}  {}\n",
                    output ? "out" : std::to_string(i), output ? 0 : model.layers[i].heads.size(),
                    output ? 0 : card.units_per_layer[i], b.query, b.score, b.gate, b.up, b.product,
                    b.down, b.widest_row);
  }
  return text;
}

/// The compiled model, folded with the program if that is asked for.
isa::Result<weights::Model> ModelFor(const Options& options, const isa::Program* program) {
  weights::Model model = weights::CompileModel();
  if (!options.fold) return model;
  if (program == nullptr) {
    return isa::Fail(isa::ErrorCode::kUsage, "--fold needs --program: the program to fold");
  }
  return weights::FoldProgram(model, *program);
}

isa::Result<ModelStart> LoadStart(const Options& options) {
  if (options.entry.path.empty()) return ModelStart{};
  return LoadModelEntry(options.entry);
}

isa::Result<int> Info(const Options& options, isa::Console& console) {
  std::shared_ptr<const isa::Program> program;  // all of it is folded, whatever its entries take
  if (!options.entry.path.empty()) {
    TXVM_TRY(program, LoadModelProgram(options.entry));
  }
  TXVM_TRY(const weights::Model model, ModelFor(options, program.get()));
  console.Out(Card(model));
  return Value(ExitCode::kHalted);
}

isa::Result<int> Export(const Options& options, isa::Console& console) {
  TXVM_TRY(const ModelStart start, LoadStart(options));
  TXVM_TRY(const weights::Model model, ModelFor(options, start.program.get()));
  TXVM_CHECK_OK(weights::ExportModel(model, options.directory));
  console.Out(fmt::format("{0}/{1}\n{0}/{2}\n", options.directory, weights::kConfigFile,
                          weights::kTensorFile));
  if (options.onnx) {
    TXVM_CHECK_OK(weights::ExportOnnx(model, options.directory));
    console.Out(fmt::format("{}/{}\n", options.directory, weights::kOnnxFile));
  }
  if (start.program == nullptr) return Value(ExitCode::kHalted);
  TXVM_CHECK_OK(weights::ExportProgram(model, *start.program, options.entry.limits, start.start,
                                       start.arguments, options.directory));
  console.Out(fmt::format("{}/{}\n", options.directory, weights::kProgramFile));
  return Value(ExitCode::kHalted);
}

/// Whose the weights are; of folded ones only their program, which may be absent, tells.
std::string Origin(const weights::Model& model, const isa::Program* program) {
  if (model.folded && program == nullptr) {
    return fmt::format("folded with a program of {} (--program FILE checks which)",
                       isa::CountText(model.folded->instructions, "instruction"));
  }
  const isa::Program none;
  const bool same = weights::IsGenerated(model, program != nullptr ? *program : none);
  return fmt::format("{} this build generates", same ? "the weights" : "not the weights");
}

isa::Result<int> Import(const Options& options, isa::Console& console) {
  TXVM_TRY(const weights::Model model, weights::ImportModel(options.directory));
  TXVM_TRY(const ModelStart start, LoadStart(options));
  if (start.program) TXVM_CHECK_OK(weights::CheckFoldedWith(model, *start.program));
  console.Out(fmt::format("{}, d_model {}, {}\n", isa::CountText(model.layers.size(), "layer"),
                          model.d_model(), Origin(model, start.program.get())));
  if (start.program == nullptr) return Value(ExitCode::kHalted);
  weights::ReferenceModel reference(model);
  const weights::StateRecord state = FeedProgram(start, options.entry.limits, reference);
  const weights::ModelRun run = weights::RunReference(reference, state, options.fuel);
  console.Out(ModelRunText(run));
  if (run.cause) return Value(ExitCode::kTrap);
  return Value(run.stop == weights::ModelRun::Stop::kFuel ? ExitCode::kOutOfFuel
                                                          : ExitCode::kHalted);
}

// What the action would not look at is refused.
isa::Result<void> CheckUsed(const Options& options, const Arguments& arguments) {
  const auto unused = [&options](std::string_view what) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("weights {} does not take {}", options.action, what));
  };
  const bool info = options.action == "info", import = options.action == "import";
  if (info && arguments.Has("--invoke")) return unused("--invoke");
  if (info && !options.directory.empty()) return unused("a directory");
  if (options.action != "export" && options.onnx) return unused("--onnx");
  if (import && options.fold) return unused("--fold");
  if (!import && arguments.Has("--fuel")) return unused("--fuel");
  if (!options.entry.path.empty()) return {};
  if (!options.entry.arguments.empty()) return unused("arguments without --program");
  for (const std::string& name : arguments.Given()) {
    const bool is_of_model = name == "--onnx" || name == "--fold" || name == "--config";
    if (!is_of_model) return unused(fmt::format("{} without --program", name));
  }
  return {};
}

isa::Result<int> Weights(const Options& options, const Arguments& arguments,
                         isa::Console& console) {
  if (options.action != "info" && options.action != "export" && options.action != "import") {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("weights does info, export or import, not '{}'", options.action));
  }
  TXVM_CHECK_OK(CheckUsed(options, arguments));
  if (options.action == "info") return Info(options, console);
  if (options.directory.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("weights {} needs a directory", options.action));
  }
  return options.action == "export" ? Export(options, console) : Import(options, console);
}

}  // namespace

int WeightsCommand(const CommandLine& line, isa::Console& console) {
  Options options;
  Arguments arguments("weights", "Describe, export or import the generated model.",
                      kWeightsExamples);
  arguments.Positional("action", "info, export or import", options.action);
  arguments.Positional("directory", "Where the model's files are", options.directory, false);
  arguments.Rest("args", "Arguments of the program's entry", options.entry.arguments);
  arguments.Text("--program", "FILE", "Export its tokens, or run it from the imported weights",
                 options.entry.path);
  arguments.Flag("--onnx", "Export model.onnx too", options.onnx);
  arguments.Flag("--fold", "Fold the program into the weights: no code tokens, less of the rest",
                 options.fold);
  arguments.Text("-i,--invoke", "NAME", "The program's export to run", options.entry.invoke);
  arguments.Count("--fuel", "N", "Steps an imported model may run (default {})", options.fuel, 1,
                  kMostFuel);
  AddLimitOptions(arguments, options.entry.limits);
  AddInputOptions(arguments, options.entry.input);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<int> code = Weights(options, arguments, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
