// txvm train optimizer: a network that guides the search for short Triton assembly.
#include "frontends/cli/triton/optimizer_train.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "frontends/cli/support/arguments.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "frontends/cli/triton/files.h"
#include "frontends/cli/triton/learning.h"
#include "isa/support/file.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
#include "neural/llm/workers.h"
#include "neural/triton/guide/default_network.h"
#include "neural/triton/guide/guide.h"
#include "neural/triton/guide/network_file.h"
#include "neural/triton/guide/training.h"
#include "neural/triton/guide/weights_store.h"

namespace txvm::frontends::cli {
namespace {

namespace guide = triton::guide;

constexpr std::string_view kOptimizerTrainExamples =
    "  txvm train optimizer my-programs/*.tasm --out mine.safetensors\n"
    "  txvm train optimizer corpus/*.tir --hold-out hash. --hold-out sort. -o "
    "corpus.safetensors\n"
    "  txvm tir optimize program.tasm --guide mine.safetensors\n";

struct OptimizerCommandOptions {
  std::string what, out;
  std::vector<std::string> files, held_out;
  std::uint64_t threads = 1;
  guide::TrainOptions training;
};

void Declare(Arguments& arguments, OptimizerCommandOptions& options) {
  guide::TrainOptions& training = options.training;
  arguments.Positional("what", "optimizer: a guide for txvm tir optimize", options.what, true);
  arguments.Rest("files",
                 "Programs to learn from: TIR (*.tir) or Triton assembly; a file may hold several, "
                 "each after a line '=== name'",
                 options.files, 1);
  arguments.Text("-o,--out", "FILE", "Write the network there", options.out);
  arguments.List("--hold-out", "TEXT",
                 "Do not learn from programs with TEXT in FILE or FILE:NAME: measure on them",
                 options.held_out);
  const auto count = [&arguments](const std::string& name, std::string_view help, auto& value,
                                  std::uint64_t least, std::uint64_t most) {
    arguments.Count(name, "N", std::string(help) + " (default {})", value, least, most);
  };
  count("--fragments", "Random fragments to learn from, too", training.fragments, 0, 1'000'000);
  count("--beam", "States of each length that the teacher keeps", training.beam, 1, 100'000);
  count("--rounds", "Rounds: each learns from what the last one's network found, too",
        training.rounds, 1, 100);
  count("--epochs", "Times that a round goes through its lessons", training.epochs, 1, 10'000);
  count("--generations", "Generations of evolution after the rounds", training.generations, 0,
        1'000'000);
  count("--seed", "Seed of weights, fragments, windows and mutations", training.seed, 0,
        ~std::uint64_t{0});
  arguments.Count("--threads", "N", "Threads (default: one a processor); changes no bit",
                  options.threads, 1, 1'024);
}

struct Programs {
  std::vector<triton::TasmProgram> learnt, held_out;
};

bool IsHeldOut(const OptimizerCommandOptions& options, const std::string& path,
               const std::string& section) {
  const std::string name = section.empty() ? path : path + ":" + section;
  return std::ranges::any_of(options.held_out,
                             [&](const std::string& text) { return name.contains(text); });
}

// TIR comes twice: as its plain lowering, and with the peepholes.
isa::Result<Programs> ReadPrograms(const OptimizerCommandOptions& options) {
  Programs programs;
  for (const std::string& path : options.files) {
    TXVM_TRY(const std::vector<TirFile> files, ReadTirPrograms(path));
    for (const TirFile& file : files) {
      const bool held_out = IsHeldOut(options, path, file.section);
      std::vector<triton::TasmProgram>& into = held_out ? programs.held_out : programs.learnt;
      for (const bool peepholes : {false, true}) {
        if (peepholes && !file.is_tir) continue;
        TXVM_TRY(triton::TasmProgram program, AsTasm(file, peepholes));
        into.push_back(std::move(program));
      }
    }
  }
  return programs;
}

std::string TrialText(const guide::Trial& trial) {
  if (trial.before == 0) return "nothing held out";
  return fmt::format(
      "held out {} -> {} instructions ({:.2f} % fewer, {} states)", trial.before, trial.after,
      100.0 - 100.0 * static_cast<double>(trial.after) / static_cast<double>(trial.before),
      isa::Grouped(trial.states));
}

std::string ReportText(const guide::TrainReport& report) {
  std::string text = fmt::format("windows       {}, {} with a shorter schedule\nno guide      {}\n",
                                 report.windows, report.taught, TrialText(report.without));
  for (std::size_t i = 0; i < report.rounds.size(); ++i) {
    const guide::RoundReport& round = report.rounds[i];
    text += fmt::format("{:<14}{} moves learnt, {:.1f} % the first choice; {}\n",
                        fmt::format("round {}", i + 1), round.lessons, 100 * round.right,
                        TrialText(round.held_out));
  }
  if (report.evolved) text += fmt::format("{:<14}{}\n", "evolved", TrialText(*report.evolved));
  return text;
}

// Checks before minutes of training that --out can be written and is none of the programs.
isa::Result<void> CheckTarget(const OptimizerCommandOptions& options) {
  if (options.out == "-") return {};
  namespace fs = std::filesystem;
  std::error_code error;
  for (const std::string& path : options.files) {
    if (!fs::equivalent(path, options.out, error)) continue;
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--out '{}' is one of the programs to learn from",
                                 isa::Printable(options.out)));
  }
  const fs::path folder = fs::absolute(options.out, error).parent_path();
  if (fs::is_directory(options.out, error) || !fs::is_directory(folder, error)) {
    return isa::Fail(
        isa::ErrorCode::kHost,
        fmt::format("--out '{}' is no file in a folder that exists", isa::Printable(options.out)));
  }
  return {};
}

isa::Result<int> TrainIt(OptimizerCommandOptions& options, isa::Console& console) {
  if (options.out.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, "a file for the network is needed: --out FILE");
  }
  TXVM_TRY(const Programs programs, ReadPrograms(options));
  if (programs.learnt.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, "--hold-out leaves no program to learn from");
  }
  TXVM_CHECK_OK(CheckTarget(options));
  std::optional<StopFlag> stop(std::in_place);
  options.training.progress = [&](std::string_view phase, std::size_t done, std::size_t all) {
    console.Progress(done, all, phase);
    return !stop->requested();
  };
  neural::llm::Workers workers(options.threads);
  TXVM_TRY(const guide::TrainReport report,
           guide::TrainOptimizer(programs.learnt, programs.held_out, options.training, workers));
  console.EndProgress();
  const bool stopped = !report.network || stop->requested();  // in the last trial, perhaps
  stop.reset();
  if (stopped) {
    console.Note("stopped; nothing is written");
    return Value(ExitCode::kInterrupted);
  }
  const std::vector<std::uint8_t> bytes = guide::WriteNetwork(*report.network);
  TXVM_CHECK_OK(isa::ReplaceFile(options.out, std::string(bytes.begin(), bytes.end())));
  const std::string text = ReportText(report);
  options.out == "-" ? console.Err(text) : console.Out(text);
  return Value(ExitCode::kHalted);
}

}  // namespace

isa::Result<std::unique_ptr<triton::ScheduleGuide>> OpenGuide(const std::string& name) {
  if (name == "none") return nullptr;
  if (name == "network") return std::make_unique<guide::NetworkGuide>(guide::DefaultNetwork());
  if (name == "learned") {
    TXVM_TRY(const std::string folder, OptimizerFolder());
    TXVM_TRY(guide::Network network, guide::WeightsStore(folder).Load());
    return std::make_unique<guide::NetworkGuide>(std::move(network));
  }
  TXVM_TRY(const std::string bytes, isa::ReadFile(name));
  auto network =
      guide::ReadNetwork({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  if (!network) {
    network.error().place.file = isa::DisplayName(name);
    return std::unexpected(std::move(network).error());
  }
  return std::make_unique<guide::NetworkGuide>(*std::move(network));
}

int TrainOptimizerCommand(const CommandLine& line, isa::Console& console) {
  OptimizerCommandOptions options;
  options.threads = neural::llm::ProcessorCount();
  Arguments arguments("train", "Train the network that guides `txvm tir optimize`.",
                      kOptimizerTrainExamples);
  Declare(arguments, options);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<int> code = TrainIt(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
