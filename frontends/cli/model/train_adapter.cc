#include "frontends/cli/model/train_adapter.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "frontends/cli/lens/text.h"
#include "frontends/cli/support/arguments.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "frontends/nl/lens/lens.h"
#include "frontends/nl/training/adapter_training.h"
#include "isa/support/file.h"
#include "isa/support/shown_text.h"
#include "neural/llm/mapped_file.h"
#include "neural/llm/workers.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kAdapterExamples =
    "  txvm train adapter --base SmolLM2-135M-Instruct.Q4_1.gguf --out my-adapter\n"
    "  txvm train adapter --base my-model --out my-adapter --rank 16 --projections q,v,down\n"
    "  txvm ask --model SmolLM2-135M-Instruct.Q4_1.gguf --adapter my-adapter \"...\"\n";
constexpr std::uint64_t kMostSteps = 10'000'000;

struct AdapterCommandOptions {
  std::string what, base, out, log, questions;
  nl::AdapterTrainingOptions training;
  std::uint64_t rank = training.lora.rank;
  std::uint64_t alpha = static_cast<std::uint64_t>(training.lora.alpha);
  std::uint64_t lens_percent = 0;
  bool full = false;
};

isa::Result<void> SetRate(std::string_view text, double& rate) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && rest == text.data() + text.size() && number > 0 && number <= 1) {
    rate = number;
    return {};
  }
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("--rate is a number above 0 and up to 1, not '{}'", text));
}

isa::Result<void> SetPrecision(std::string_view text,
                               std::optional<neural::train::Precision>& precision) {
  using neural::train::Precision;
  if (text == PrecisionName(Precision::kFloat)) {
    precision = Precision::kFloat;
    return {};
  }
  if (text != PrecisionName(Precision::kBf16)) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--precision is bfloat16 or float32, not '{}'", text));
  }
  if (neural::train::BestPrecision() != Precision::kBf16) {
    return isa::Fail(isa::ErrorCode::kUnsupported,
                     "--precision bfloat16 needs a processor with AMX and the library oneDNN");
  }
  precision = Precision::kBf16;
  return {};
}

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

void Declare(Arguments& arguments, AdapterCommandOptions& options) {
  nl::AdapterTrainingOptions& training = options.training;
  arguments.Positional("what", "adapter: a language model learns to read questions", options.what,
                       true);
  arguments.Text("--base", "PATH",
                 "The model to adapt: a folder or a GGUF file, as txvm model info", options.base);
  arguments.Text("-o,--out", "DIR", "Folder of the adapter and of the checkpoint", options.out);
  arguments.Count("--steps", "N", "Updates (default {})", training.steps, 1, kMostSteps);
  arguments.Count("--batch", "N", "Examples of an update (default {})", training.batch, 1, 4'096);
  arguments.Option("--rate", "R", fmt::format("Highest learning rate (default {})", training.rate),
                   [&training](std::string_view text) { return SetRate(text, training.rate); });
  arguments.Text(
      "--log", "FILE",
      "Add a line of JSON for each update to FILE: its loss and more; after a kill, some "
      "updates come again",
      options.log);
  arguments.Text("--questions", "DIR",
                 "Folder of the sentences that questions are made of (default: the installed one)",
                 options.questions);
  arguments.Count("--seed", "N", "Seed of factors and examples (default {})", training.seed, 0,
                  ~std::uint64_t{0});
  arguments.Count("--rank", "N", "Rank of the factors (default {})", options.rank, 1, 4'096);
  arguments.Count("--alpha", "N", "Scale of the adapter times its rank (default {})", options.alpha,
                  1, 65'536);
  arguments.Option("--projections", "LIST",
                   "Which to adapt: q,k,v,o,gate,up,down or some of them (default: all)",
                   [&training](std::string_view text) -> isa::Result<void> {
                     training.lora.projections = Split(text);
                     return {};
                   });
  arguments.Count("--lens", "N",
                  "Per cent of the loss for the middle block to name the operation (default {})",
                  options.lens_percent, 0, 99);
  arguments.Option(
      "--precision", "TYPE",
      "How products are computed: bfloat16 or float32 (default: bfloat16 where the "
      "processor has AMX); another one changes bits",
      [&training](std::string_view text) { return SetPrecision(text, training.precision); });
  arguments.Flag("--full", "Write the adapter as float32 rather than bfloat16", options.full);
  arguments.Count("--threads", "N", "Threads (default: one a processor); changes no bit",
                  training.threads, 1, 1'024);
  arguments.Count("--checkpoint-steps", "N", "Updates between checkpoints (default {})",
                  training.checkpoint_steps, 1, kMostSteps);
}

/// One update: the mean loss of its batch before it, the share of tokens that were right, the
/// gradient's norm and the learning rate; of the lens, where it learns.
std::string LogLine(std::uint64_t step, const neural::train::StepReport& report) {
  const neural::train::Loss& loss = report.loss;
  const auto tokens = static_cast<double>(loss.tokens);
  std::string line = fmt::format(
      "{{\"step\": {}, \"loss\": {:.6f}, \"right\": {:.6f}, \"norm\": {:.4f}, \"rate\": {:.8f}",
      step, loss.nats / tokens, static_cast<double>(loss.right) / tokens, report.norm, report.rate);
  if (loss.lens_items > 0) {
    const auto items = static_cast<double>(loss.lens_items);
    line += fmt::format(", \"lens\": {:.6f}, \"lens_right\": {:.6f}", loss.lens_nats / items,
                        static_cast<double>(loss.lens_right) / items);
  }
  return line + "}";
}

isa::Result<int> TrainIt(const AdapterCommandOptions& options, isa::Console& console) {
  if (options.base.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, "a model to adapt is needed: --base PATH");
  }
  if (options.out.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, "a folder for the adapter is needed: --out DIR");
  }
  TXVM_TRY(const neural::llm::Bundle base, neural::llm::OpenBundle(options.base));
  nl::AdapterTrainingOptions training = options.training;
  training.lens_layer = nl::DecisionLayer(base.model->config.layers);
  TXVM_CHECK_OK(nl::CheckAdapterTraining(base, training));
  TXVM_TRY(const auto bank, neural::questions::ReadQuestions(options.questions));
  TXVM_CHECK_OK(neural::llm::MakeFolder(options.out));  // which the log may lie in
  TXVM_TRY(isa::LineLog log, isa::LineLog::Open(options.log));
  std::optional<StopFlag> stop(std::in_place);
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t first = 0, tokens = 0;
  const auto progress = [&](std::uint64_t done, std::uint64_t steps,
                            const neural::train::StepReport& step) {
    if (first == 0) first = done;
    if (!log.Add(LogLine(done, step))) return false;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    const double left =
        spent.count() / static_cast<double>(done - first + 1) * static_cast<double>(steps - done);
    tokens += step.tokens;
    const neural::train::Loss& loss = step.loss;
    console.Progress(
        done, steps,
        fmt::format("loss {:.4f}  right {:.2f} %  {:.0f} tokens/s  left {}",
                    loss.nats / static_cast<double>(loss.tokens),
                    100 * static_cast<double>(loss.right) / static_cast<double>(loss.tokens),
                    static_cast<double>(tokens) / spent.count(), isa::TimeText(left)));
    return !stop->requested();
  };
  TXVM_TRY(const nl::AdapterReport report,
           nl::TrainAdapter(*bank, base, options.out, training, progress));
  console.EndProgress();
  stop.reset();
  TXVM_CHECK_OK(log.Check());
  if (!report.finished) {
    console.Note("stopped; the same command goes on from the checkpoint");
    return Value(ExitCode::kInterrupted);
  }
  const auto counted = static_cast<double>(report.held_out.tokens);
  const bool resumed = report.steps != options.training.steps;
  console.Out(fmt::format("{}, {} tokens{}; fresh examples: loss {:.4f}, {:.2f} % of tokens\n",
                          UpdatesText(options.training.steps, report.steps), report.tokens,
                          resumed ? " since" : "", report.held_out.nats / counted,
                          100 * static_cast<double>(report.held_out.right) / counted));
  return Value(ExitCode::kHalted);
}

}  // namespace

int TrainAdapterCommand(const CommandLine& line, isa::Console& console) {
  AdapterCommandOptions options;
  options.training.threads = neural::llm::ProcessorCount();
  Arguments arguments("train",
                      "Train a low-rank adapter with which a language model reads questions.",
                      kAdapterExamples);
  Declare(arguments, options);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  options.training.lora.rank = options.rank;
  options.training.lora.alpha = static_cast<double>(options.alpha);
  options.training.lens = static_cast<double>(options.lens_percent) / 100;
  options.training.half = !options.full;
  const isa::Result<int> code = TrainIt(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
