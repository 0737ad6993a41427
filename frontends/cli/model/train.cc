// txvm train: makes the model that reads questions, and hands over to the other trainings.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string_view>

#include "frontends/cli/lens/lens.h"
#include "frontends/cli/lens/text.h"
#include "frontends/cli/model/train_adapter.h"
#include "frontends/cli/model/train_questions.h"
#include "frontends/cli/support/arguments.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "frontends/cli/triton/optimizer_train.h"
#include "frontends/nl/training/training.h"
#include "isa/support/file.h"
#include "neural/llm/mapped_file.h"
#include "neural/llm/workers.h"
#include "neural/questions/bank.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kTrainExamples =
    "  txvm train normalizer --out models\n"
    "  txvm train normalizer --out try --steps 200 --width 64 --layers 3 --heads 4 --kv-heads 2\n";
constexpr std::uint64_t kMostSteps = 10'000'000;

struct TrainOptions {
  std::string what, out, log, questions;
  bool adamw = false, no_recall = false, no_lessons = false;
  nl::TrainingOptions training;
};

void Declare(Arguments& arguments, TrainOptions& options) {
  constexpr std::uint64_t kMostWidth = 4'096, kMostLayers = 64, kMostBatch = 4'096;
  nl::TrainingOptions& training = options.training;
  arguments.Positional(
      "what",
      "normalizer: English to canonical programs; adapter: the same with a language model of "
      "yours; "
      "classifier: an adapter for txvm lens; optimizer: "
      "a guide for txvm tir optimize; questions: checks the sentences of training; each has a "
      "--help of its own, as `txvm train classifier --help`",
      options.what, true);
  arguments.Text("-o,--out", "DIR", "Folder of the model and of the checkpoint", options.out);
  arguments.Text("--log", "FILE",
                 "Add a line of JSON for each update to FILE: its loss and more; behind a kill, "
                 "some updates come again",
                 options.log);
  arguments.Text("--questions", "DIR",
                 "Folder of the sentences that questions are made of (default: the installed one)",
                 options.questions);
  const auto count = [&arguments](const std::string& names, std::string_view what, auto& value,
                                  std::uint64_t least, std::uint64_t most) {
    arguments.Count(names, "N", std::string(what) + " (default {})", value, least, most);
  };
  count("--steps", "Updates", training.steps, 1, kMostSteps);
  count("--branches", "Cycles behind the first, in two rounds whose ends are averaged",
        training.branches, 0, nl::kBranches.size());
  arguments.Flag("--adamw", "AdamW for all weights: Muon does not take the blocks' matrices",
                 options.adamw);
  count("--batch", "Examples of an update", training.batch, 1, kMostBatch);
  count("--seed", "Seed of weights and examples", training.seed, 0, ~std::uint64_t{0});
  arguments.Count("--threads", "N", "Threads (default: one a processor); changes no bit",
                  training.threads, 1, 1'024);
  count("--vocabulary", "Tokens", training.vocabulary, 512, 65'536);
  count("--width", "Width of the residual", training.width, 2, kMostWidth);
  count("--layers", "Blocks", training.layers, 1, kMostLayers);
  count("--feed-forward", "Units of a block", training.feed_forward, 1, kMostWidth * 4);
  count("--heads", "Heads of a block", training.heads, 1, kMostWidth);
  count("--kv-heads", "Key and value heads", training.kv_heads, 1, kMostWidth);
  count("--prompt-weight", "Per cent that a question's own token counts at first, falling to none",
        training.prompt_percent, 0, 1'000);
  arguments.Flag("--no-recall",
                 "Start from noise alone, without the compiled circuit that looks up (docs/LLM.md)",
                 options.no_recall);
  arguments.Flag("--no-lessons", "No examples that are lessons in looking up (docs/NL-DATA.md)",
                 options.no_lessons);
  count("--checkpoint-steps", "Updates between checkpoints", training.checkpoint_steps, 1,
        kMostSteps);
}

/// One update: the mean loss of its batch before it, the share of tokens that were right, the
/// gradient's norm and the learning rate.
std::string LogLine(std::uint64_t step, const neural::train::StepReport& report) {
  const auto tokens = static_cast<double>(report.loss.tokens);
  return fmt::format(
      "{{\"step\": {}, \"loss\": {:.6f}, \"right\": {:.6f}, \"norm\": {:.4f}, \"rate\": {:.8f}}}",
      step, report.loss.nats / tokens, static_cast<double>(report.loss.right) / tokens, report.norm,
      report.rate);
}

isa::Result<int> Train(const TrainOptions& options, isa::Console& console) {
  if (options.what != "normalizer") {
    return isa::Fail(
        isa::ErrorCode::kUsage,
        fmt::format(
            "txvm train '{}' is unknown: normalizer, adapter, classifier, optimizer or questions",
            options.what));
  }
  if (options.out.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, "a folder for the model is needed: --out DIR");
  }
  nl::TrainingOptions training = options.training;
  if (options.adamw) {
    training.muon = false;
    training.rate = nl::kAdamWRate;
  }
  training.recall = !options.no_recall;
  training.lessons = !options.no_lessons;
  TXVM_CHECK_OK(nl::CheckTraining(training));
  TXVM_TRY(const auto bank, neural::questions::ReadQuestions(options.questions));
  TXVM_CHECK_OK(neural::llm::MakeFolder(options.out));  // which the log may lie in
  TXVM_TRY(isa::LineLog log, isa::LineLog::Open(options.log));
  const StopFlag stop;
  const auto progress = [&](std::uint64_t done, std::uint64_t steps,
                            const neural::train::StepReport& step) {
    const auto tokens = static_cast<double>(step.loss.tokens);
    if (!log.Add(LogLine(done, step))) return false;
    console.Progress(done, steps,
                     fmt::format("loss {:.4f}  right {:.2f} %", step.loss.nats / tokens,
                                 100 * static_cast<double>(step.loss.right) / tokens));
    return !stop.requested();
  };
  TXVM_TRY(const nl::TrainingReport report,
           nl::TrainNormalizer(*bank, options.out, training, progress));
  console.EndProgress();
  TXVM_CHECK_OK(log.Check());
  if (!report.finished) {
    console.Note("stopped; the same command goes on from the checkpoint");
    return Value(ExitCode::kInterrupted);
  }
  const auto tokens = static_cast<double>(report.held_out.tokens);
  const std::uint64_t updates = nl::UpdatesOf(training);
  const bool resumed = report.steps != updates;
  console.Out(fmt::format("{}, {} tokens{}; fresh examples: loss {:.4f}, {:.2f} % of tokens\n",
                          UpdatesText(updates, report.steps), report.tokens,
                          resumed ? " since" : "", report.held_out.nats / tokens,
                          100 * static_cast<double>(report.held_out.right) / tokens));
  return Value(ExitCode::kHalted);
}

/// What is to be trained, which decides what options there are: the first word that is neither an
/// option nor an option's value. Flags have none, and "--out=DIR" and "-oDIR" hold theirs.
std::string_view WhatOf(const CommandLine& line) {
  constexpr std::array<std::string_view, 7> kFlags = {
      "-h", "--help", "--adamw", "--no-recall", "--no-lessons", "--check", "--full"};
  bool is_value = false;
  for (const std::string_view word : line) {
    if (!is_value && word == "--") continue;
    const bool is_option = !is_value && word.starts_with('-');
    if (!is_option && !is_value) return word;
    const bool holds_value = word.contains('=') || (word.size() > 2 && word[1] != '-');
    is_value = is_option && !holds_value && std::ranges::find(kFlags, word) == kFlags.end();
  }
  return {};
}

}  // namespace

int TrainCommand(const CommandLine& line, isa::Console& console) {
  const std::string_view what = WhatOf(line);
  if (what == "adapter") return TrainAdapterCommand(line, console);
  if (what == "classifier") return TrainClassifierCommand(line, console);
  if (what == "optimizer") return TrainOptimizerCommand(line, console);
  if (what == "questions") return TrainQuestionsCommand(line, console);
  TrainOptions options;
  options.training.threads = neural::llm::ProcessorCount();
  Arguments arguments("train", "Train the model that reads questions, from generated examples.",
                      kTrainExamples);
  Declare(arguments, options);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<int> code = Train(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
