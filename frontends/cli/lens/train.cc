// txvm train classifier: an adapter that makes the lens read the operation.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "frontends/cli/lens/lens.h"
#include "frontends/cli/lens/text.h"
#include "frontends/cli/support/arguments.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "frontends/nl/lens/lens.h"
#include "frontends/nl/lens/study.h"
#include "frontends/nl/lens/training.h"
#include "isa/support/file.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
#include "neural/llm/mapped_file.h"
#include "neural/llm/workers.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kLensTrainExamples =
    "  txvm train classifier --out my-lens\n"
    "  txvm train classifier --base my-model --out my-lens --rank 8 --projections v,o\n"
    "  txvm lens --table --model my-model --adapter my-lens\n";
constexpr std::uint64_t kMostSteps = 10'000'000;

struct ClassifierCommandOptions {
  std::string what, base, out, log, questions;
  nl::ClassifierOptions training;
  std::uint64_t items = 1'000, rank = training.lora.rank;
  std::uint64_t alpha = static_cast<std::uint64_t>(training.lora.alpha);
};

isa::Result<void> SetRate(std::string_view text, double& rate) {
  constexpr double kMostRate = 1;
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size() ||
      !(number > 0 && number <= kMostRate)) {
    return isa::Fail(
        isa::ErrorCode::kUsage,
        fmt::format("--rate is a number above 0 and up to {}, not '{}'", kMostRate, text));
  }
  rate = number;
  return {};
}

isa::Result<void> SetProjections(std::string_view text, std::vector<std::string>& projections) {
  projections.clear();
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    projections.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return {};
}

void Declare(Arguments& arguments, ClassifierCommandOptions& options) {
  nl::ClassifierOptions& training = options.training;
  arguments.Positional("what", "classifier: an adapter for the lens", options.what, true);
  arguments.Text("--base", "PATH", "The model to adapt (default: the one that comes with txvm)",
                 options.base);
  arguments.Text("-o,--out", "DIR", "Folder of the adapter and of the checkpoint", options.out);
  arguments.Count("--steps", "N", "Updates (default {})", training.steps, 1, kMostSteps);
  arguments.Count("--batch", "N", "Examples of an update (default {})", training.batch, 1, 4'096);
  arguments.Option("--rate", "R", fmt::format("Highest learning rate (default {})", training.rate),
                   [&training](std::string_view text) { return SetRate(text, training.rate); });
  arguments.Text("--log", "FILE",
                 "Add a line of JSON for each update to FILE: its losses and more; after a kill, "
                 "some updates come again",
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
                   [&training](std::string_view text) {
                     return SetProjections(text, training.lora.projections);
                   });
  arguments.Count("--threads", "N", "Threads (default: one a processor); changes no bit",
                  training.threads, 1, 1'024);
  arguments.Count("--checkpoint-steps", "N", "Updates between checkpoints (default {})",
                  training.checkpoint_steps, 1, kMostSteps);
  arguments.Count("--items", "N", "Fresh questions measured before and after (default {}; 0: none)",
                  options.items, 0, 1'000'000);
}

isa::Result<std::string> Measure(const neural::questions::QuestionBank& bank,
                                 const ClassifierCommandOptions& options,
                                 const std::string& adapter) {
  TXVM_TRY(const neural::llm::Bundle bundle, OpenLensModel(options.base, adapter));
  TXVM_TRY(const nl::LensTable table,
           nl::StudyLens(bank, bundle.model, *bundle.tokenizer,
                         {options.training.seed, options.items, 0, options.training.threads}));
  return LensTableText(table, false);
}

/// One update: the mean losses of its batch before it, the share of lens labels that were right,
/// the gradient's norm and the learning rate.
std::string LogLine(std::uint64_t step, const neural::train::StepReport& report) {
  const neural::train::Loss& loss = report.loss;
  const auto labels = static_cast<double>(std::max<std::uint64_t>(1, loss.lens_items));
  return fmt::format(
      "{{\"step\": {}, \"loss\": {:.6f}, \"lens\": {:.6f}, \"lens_right\": {:.6f}, \"norm\": "
      "{:.4f}, "
      "\"rate\": {:.8f}}}",
      step, loss.nats / static_cast<double>(loss.tokens), loss.lens_nats / labels,
      static_cast<double>(loss.lens_right) / labels, report.norm, report.rate);
}

isa::Result<int> TrainIt(const ClassifierCommandOptions& options, isa::Console& console) {
  if (options.out.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, "a folder for the adapter is needed: --out DIR");
  }
  TXVM_TRY(const neural::llm::Bundle base, OpenLensModel(options.base, ""));
  TXVM_TRY(const auto bank, neural::questions::ReadQuestions(options.questions));
  // Before minutes of measuring.
  TXVM_CHECK_OK(nl::CheckClassifier(base, options.training));
  TXVM_CHECK_OK(neural::llm::MakeFolder(options.out));
  TXVM_TRY(isa::LineLog log, isa::LineLog::Open(options.log));
  if (options.items > 0) {
    TXVM_TRY(const std::string before, Measure(*bank, options, ""));
    console.Out("before\n" + before);
  }
  std::optional<StopFlag> stop(std::in_place);
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t first = 0;
  const auto progress = [&](std::uint64_t done, std::uint64_t steps,
                            const neural::train::StepReport& step) {
    if (first == 0) first = done;
    if (!log.Add(LogLine(done, step))) return false;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    const double left =
        spent.count() / static_cast<double>(done - first + 1) * static_cast<double>(steps - done);
    const neural::train::Loss& loss = step.loss;
    const auto labels = static_cast<double>(std::max<std::uint64_t>(1, loss.lens_items));
    console.Progress(
        done, steps,
        fmt::format("loss {:.4f}  lens {:.4f}  right {:.1f} %  left {}",
                    loss.nats / static_cast<double>(loss.tokens), loss.lens_nats / labels,
                    100 * static_cast<double>(loss.lens_right) / labels, isa::TimeText(left)));
    return !stop->requested();
  };
  TXVM_TRY(const nl::ClassifierReport report,
           nl::TrainClassifier(*bank, base, options.out, options.training, progress));
  console.EndProgress();
  stop.reset();  // from here on Ctrl-C ends the command: nothing is left to save
  TXVM_CHECK_OK(log.Check());
  if (!report.finished) {
    console.Note("stopped; the same command goes on from the checkpoint");
    return Value(ExitCode::kInterrupted);
  }
  console.Out(fmt::format("{}\n", UpdatesText(options.training.steps, report.steps)));
  if (options.items > 0) {
    TXVM_TRY(const std::string after, Measure(*bank, options, options.out));
    console.Out("after\n" + after);
  }
  return Value(ExitCode::kHalted);
}

}  // namespace

std::string UpdatesText(std::uint64_t all, std::uint64_t of_this_call) {
  const std::string text = isa::CountText(all, "update");
  return all == of_this_call ? text : fmt::format("{}, resumed after {}", text, all - of_this_call);
}

int TrainClassifierCommand(const CommandLine& line, isa::Console& console) {
  ClassifierCommandOptions options;
  options.training.threads = neural::llm::ProcessorCount();
  Arguments arguments("train", "Train a low-rank adapter with which the lens reads the operation.",
                      kLensTrainExamples);
  Declare(arguments, options);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  options.training.lora.rank = options.rank;
  options.training.lora.alpha = static_cast<double>(options.alpha);
  const isa::Result<int> code = TrainIt(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
