// txvm_nl_eval: how well a model reads questions, on fixed sentences, files from elsewhere,
// held-out axes, every construct and questions that have no answer, beside its baselines.
//
//   txvm_nl_eval --model models/nl.safetensors --data DIR --markdown docs/NL-RESULTS.md
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ranges>
#include <string>
#include <vector>

#include "bench/nl/evaluation.h"
#include "isa/support/console.h"
#include "isa/support/file.h"

namespace {

using namespace txvm::bench::nl;
using txvm::isa::Console;
using txvm::isa::Result;

struct Arguments {
  std::string model, data, json, markdown, sections, questions, sentences;
  EvaluationOptions evaluation;
  PoolOptions pool;
};

// Programs of the sets take far fewer; a wrong one that asks for a huge loop is given up here.
constexpr std::uint64_t kFuel = 100'000'000;

void Declare(CLI::App& app, Arguments& arguments) {
  EvaluationOptions& evaluation = arguments.evaluation;
  arguments.pool.fuel = kFuel;
  app.add_option("--model", arguments.model, "folder or file of the model")->required();
  app.add_option("--adapter", arguments.pool.adapter,
                 "folder of an adapter that `txvm train adapter` made of the model");
  app.add_option("--data", arguments.data, "folder with test questions, *.jsonl");
  app.add_option("--questions", arguments.questions,
                 "folder of the sentences that questions are made of");
  app.add_option("--sentences", arguments.sentences,
                 "folder of the fixed and the written test sentences");
  app.add_option("--items", evaluation.items, "items of each axis")->capture_default_str();
  app.add_option("--construct-items", evaluation.construct_items, "items of each construct")
      ->capture_default_str();
  app.add_option("--seed", evaluation.seed, "of the questions drawn")->capture_default_str();
  app.add_option("--training-seed", evaluation.training.seed, "of the training stream")
      ->capture_default_str();
  app.add_option("--training-examples", evaluation.training.examples,
                 "training examples that contaminate")
      ->capture_default_str();
  app.add_option("--contamination-cache", evaluation.training.cache,
                 "file that keeps what is contaminated");
  app.add_option("--threads", arguments.pool.threads, "threads")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'024));
  app.add_option("--least-confidence", arguments.pool.least_confidence,
                 "below it an answer counts as an abstention")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--fuel", arguments.pool.fuel, "steps a program may take")->capture_default_str();
  app.add_option("--readings", arguments.pool.readings,
                 "programs that are compared by what they answer; 1: the most probable")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  const auto names = EvaluationParts() | std::views::transform(&EvaluationPart::name);
  app.add_option("--sections", arguments.sections,
                 fmt::format("only these, separated by commas: {}", fmt::join(names, ", ")));
  app.add_option("--json", arguments.json, "write the figures to this file");
  app.add_option("--markdown", arguments.markdown,
                 "write the tables to this file, between its markers if it has them");
}

/// The command as documents show it.
std::string CommandOf(const Arguments& arguments) {
  const EvaluationOptions& evaluation = arguments.evaluation;
  std::string text = fmt::format("txvm_nl_eval --model {}", arguments.model);
  if (!arguments.pool.adapter.empty()) text += " --adapter " + arguments.pool.adapter;
  if (!arguments.data.empty()) text += " --data DIR";
  if (!arguments.sections.empty()) text += " --sections " + arguments.sections;
  text += fmt::format(" --items {} --construct-items {} --seed {} --training-examples {}",
                      evaluation.items, evaluation.construct_items, evaluation.seed,
                      evaluation.training.examples);
  if (arguments.pool.readings != PoolOptions().readings) {
    text += fmt::format(" --readings {}", arguments.pool.readings);
  }
  if (arguments.pool.least_confidence > 0) {
    text += fmt::format(" --least-confidence {}", arguments.pool.least_confidence);
  }
  return text;
}

/// The files of a folder, by name.
Result<std::vector<ItemSet>> ReadFolder(const std::string& folder) {
  std::vector<ItemSet> sets;
  if (folder.empty()) return sets;
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".jsonl") paths.push_back(entry.path().string());
  }
  if (error) return txvm::isa::Fail(txvm::isa::ErrorCode::kIo, "cannot read the folder " + folder);
  if (paths.empty()) {
    return txvm::isa::Fail(txvm::isa::ErrorCode::kIo, "no *.jsonl in the folder " + folder);
  }
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    TXVM_TRY(ItemSet set, ReadItems(path));
    sets.push_back(std::move(set));
  }
  return sets;
}

Result<std::vector<EvaluationPart>> PartsOf(const std::string& names) {
  if (names.empty()) return EvaluationParts();
  std::vector<EvaluationPart> parts;
  for (const std::string& name : CLI::detail::split(names, ',')) {
    const auto found = std::ranges::find(EvaluationParts(), name, &EvaluationPart::name);
    if (found == EvaluationParts().end()) {
      return txvm::isa::Fail(txvm::isa::ErrorCode::kUsage, "no section is called " + name);
    }
    parts.push_back(*found);
  }
  return parts;
}

Result<void> Run(const Arguments& arguments, Console& console) {
  TXVM_TRY(const std::vector<EvaluationPart> parts, PartsOf(arguments.sections));
  TXVM_TRY(std::vector<ItemSet> sets, ReadFolder(arguments.data));
  TXVM_TRY(ReaderPool pool, ReaderPool::Open(arguments.model, arguments.pool));
  TXVM_TRY(const auto bank, txvm::neural::questions::ReadQuestions(arguments.questions));
  TXVM_TRY(SentenceSets sentences, ReadSentenceSets(arguments.sentences));
  Evaluation evaluation(*bank, std::move(pool), arguments.evaluation, std::move(sentences),
                        std::move(sets));
  const auto begin = std::chrono::steady_clock::now();
  for (const EvaluationPart& part : parts) {
    const std::size_t before = evaluation.report.sections().size();
    TXVM_CHECK_OK(part.run(evaluation));
    Report shown;
    for (std::size_t i = before; i < evaluation.report.sections().size(); ++i) {
      shown.Add(evaluation.report.sections()[i]);
    }
    console.Out(shown.Text());
    console.Finish();
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  console.Note(
      fmt::format("{} questions read, {:.0f} s", evaluation.pool.answered(), seconds.count()));
  const std::string command = CommandOf(arguments);
  if (!arguments.json.empty()) {
    TXVM_CHECK_OK(txvm::isa::WriteFile(arguments.json, evaluation.report.Json(command)));
  }
  if (arguments.markdown.empty()) return {};
  const auto document = txvm::isa::ReadFile(arguments.markdown);
  return txvm::isa::WriteFile(
      arguments.markdown,
      WithGenerated(document.value_or(""), evaluation.report.Markdown(command)));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How well a model reads questions: scores, intervals, baselines.", "txvm_nl_eval");
  Arguments arguments;
  Declare(app, arguments);
  CLI11_PARSE(app, argc, argv);
  arguments.evaluation.training.threads = arguments.pool.threads;
  Console console;
  if (const auto result = Run(arguments, console); !result) {
    console.Error(result.error());
    return 1;
  }
  return 0;
}
