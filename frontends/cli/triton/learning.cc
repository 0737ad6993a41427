// txvm tir learn, weights, stats: the guide that learns from use.
#include "frontends/cli/triton/learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/cli/support/arguments.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "frontends/cli/triton/tir_commands.h"
#include "isa/support/file.h"
#include "isa/support/json_writer.h"
#include "isa/support/system/child_process.h"
#include "isa/support/user_folder.h"
#include "neural/llm/workers.h"
#include "neural/triton/guide/weights_store.h"

namespace txvm::frontends::cli {
namespace {

namespace guide = triton::guide;
namespace fs = std::filesystem;

// The option --data, and its default.
struct Folder {
  std::string path;

  void AddTo(Arguments& arguments) {
    arguments.Text("--data", "DIR",
                   "Folder of experience and weights (default: $XDG_DATA_HOME/txvm/optimizer)",
                   path);
  }
  isa::Result<std::string> Get() const {
    if (!path.empty()) return path;
    return OptimizerFolder();
  }
};

int Finish(const isa::Result<int>& code, isa::Console& console) {
  return code ? *code : FailWith(code.error(), console);
}

double PercentFewer(std::size_t before, std::size_t after) {
  if (before == 0) return 0;
  return 100.0 - 100.0 * static_cast<double>(after) / static_cast<double>(before);
}

std::string_view Verdict(const guide::TrainingRecord& record) {
  if (record.promoted) return "yes: --guide learned uses it";
  if (record.after >= record.before) return "no: it gains nothing on what is held out";
  return "no: it is worse on random fragments";
}

std::string RecordText(const guide::TrainingRecord& record) {
  return fmt::format(
      "network        {}\nlearnt         {} blocks, in {} s\nheld out       {} blocks: {} "
      "instructions without a guide, {} before, {} after ({:.2f} % fewer)\nrandom         {} "
      "instructions before, {} after\npromoted       {}\n",
      record.hash, record.learnt, record.seconds, record.held_out, record.without, record.before,
      record.after, PercentFewer(record.before, record.after), record.random_before,
      record.random_after, Verdict(record));
}

struct LearnCommand {
  Folder folder;
  std::uint64_t seconds = 60, threads = neural::llm::ProcessorCount(), seed = 1;

  isa::Result<int> Run(isa::Console& console) const {
    TXVM_TRY(const std::string path, folder.Get());
    TXVM_TRY(const guide::ExperienceBuffer buffer, guide::ExperienceBuffer::Open(path));
    const guide::WeightsStore store(path);
    TXVM_TRY(const guide::Network start, store.Load());
    StopFlag stop;
    guide::ExperienceOptions options;
    options.seconds = seconds;
    options.seed = seed;
    options.progress = [&](std::uint64_t gone) {
      console.Progress(std::min(gone, seconds), seconds, "learning");
      return !stop.requested();
    };
    neural::llm::Workers workers(threads);
    auto learnt = guide::LearnFromExperience(buffer, start, options, workers);
    console.EndProgress();
    if (!learnt) return std::unexpected(std::move(learnt).error());
    if (stop.requested()) {
      console.Note("stopped; nothing is written");
      return Value(ExitCode::kInterrupted);
    }
    const auto& [network, record] = *learnt;
    if (record.promoted) TXVM_CHECK_OK(store.Promote(network));
    TXVM_CHECK_OK(store.Record(record));
    console.Out(RecordText(record));
    return Value(ExitCode::kHalted);
  }
};

isa::Result<int> ShowWeights(const guide::WeightsStore& store, bool as_json,
                             isa::Console& console) {
  TXVM_TRY(const std::optional<std::string> current, store.Current());
  std::vector<std::string> names = store.Names();
  names.insert(names.begin(), "shipped");
  isa::JsonWriter json;
  json.BeginArray();
  std::string text;
  for (const std::string& name : names) {
    const bool in_use = name == current.value_or("shipped");
    text += fmt::format("{} {}\n", in_use ? "*" : " ", name);
    json.BeginObject();
    json.Key("name").String(name);
    json.Key("in_use").Bool(in_use);
    json.EndObject();
  }
  json.EndArray();
  console.Out(as_json ? json.text() + "\n" : text);
  return Value(ExitCode::kHalted);
}

// What the buffer holds, summed.
struct Totals {
  std::size_t blocks = 0, instructions = 0, baseline = 0, result = 0, held_out = 0;
};

Totals TotalsOf(const guide::ExperienceBuffer& buffer) {
  Totals totals;
  for (const triton::Experience& experience : buffer.experiences()) {
    ++totals.blocks;
    totals.instructions += experience.block.size();
    totals.baseline += experience.baseline.size();
    totals.result += experience.result.size();
  }
  totals.held_out = buffer.Windows(true).size();
  return totals;
}

std::string StatsText(const Totals& totals, const std::vector<guide::TrainingRecord>& history) {
  std::string text = fmt::format(
      "blocks         {}, {} of them held out\ninstructions   {}; {} without a guide, {} at best\n"
      "trainings      {}, {} promoted\n",
      totals.blocks, totals.held_out, totals.instructions, totals.baseline, totals.result,
      history.size(), std::ranges::count(history, true, &guide::TrainingRecord::promoted));
  for (const guide::TrainingRecord& record : history) {
    text += fmt::format("  {} {:>7} -> {:<7} {}\n", record.hash.substr(0, 16), record.before,
                        record.after, record.promoted ? "promoted" : "not promoted");
  }
  return text;
}

std::string StatsJson(const Totals& totals, const std::vector<guide::TrainingRecord>& history) {
  isa::JsonWriter json;
  json.BeginObject();
  json.Key("blocks").Uint(totals.blocks);
  json.Key("held_out").Uint(totals.held_out);
  json.Key("instructions").Uint(totals.instructions);
  json.Key("baseline").Uint(totals.baseline);
  json.Key("result").Uint(totals.result);
  json.Key("trainings").BeginArray();
  for (const guide::TrainingRecord& record : history) {
    json.BeginObject();
    json.Key("hash").String(record.hash);
    json.Key("before").Uint(record.before);
    json.Key("after").Uint(record.after);
    json.Key("promoted").Bool(record.promoted);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.text() + "\n";
}

isa::Result<int> ShowStats(const std::string& folder, bool as_json, isa::Console& console) {
  TXVM_TRY(const guide::ExperienceBuffer buffer, guide::ExperienceBuffer::Open(folder));
  TXVM_TRY(const auto history, guide::WeightsStore(folder).History());
  const Totals totals = TotalsOf(buffer);
  console.Out(as_json ? StatsJson(totals, history) : StatsText(totals, history));
  return Value(ExitCode::kHalted);
}

}  // namespace

isa::Result<std::string> OptimizerFolder() {
  TXVM_TRY(const std::string folder, isa::UserFolder());
  return folder + "/optimizer";
}

isa::Result<void> KeepExperience(const triton::OptimizeReport& report, std::uint64_t seconds,
                                 isa::Console& console) {
  TXVM_TRY(const std::string folder, OptimizerFolder());
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return isa::FailIo(isa::ErrorCode::kHost, "cannot make the folder", folder, error.value());
  }
  TXVM_TRY(guide::ExperienceBuffer buffer, guide::ExperienceBuffer::Open(folder));
  TXVM_TRY(const std::size_t added, buffer.Add(report.experiences));
  console.Note(fmt::format("learnt: {} new blocks, {} in all, in {}", added,
                           buffer.experiences().size(), folder));
  if (seconds == 0) return {};
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    return isa::FailIo(isa::ErrorCode::kHost, "cannot find", "/proc/self/exe", error.value());
  }
  return isa::StartDetached({program.string(), "tir", "learn", "--threads", "1", "--data", folder,
                             "--time", std::to_string(seconds)},
                            folder + "/learn.log");
}

int TirLearnCommand(const CommandLine& line, isa::Console& console) {
  LearnCommand command;
  Arguments arguments("tir learn",
                      "Train the guide on what `txvm tir optimize --learn` has found. The new "
                      "network comes into use only where it leaves fewer instructions of blocks "
                      "that it has not learnt from.",
                      "  txvm tir learn --time 600\n  txvm tir optimize p.tasm --guide learned\n");
  arguments.Count("--time", "S", "Begin no pass over the blocks after S seconds (default {})",
                  command.seconds, 1, 86'400);
  arguments.Count("--seed", "N", "Seed of the order of blocks (default {})", command.seed, 0,
                  ~std::uint64_t{0});
  arguments.Count("--threads", "N", "Threads (default: one a processor)", command.threads, 1,
                  1'024);
  command.folder.AddTo(arguments);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  return Finish(command.Run(console), console);
}

int TirWeightsCommand(const CommandLine& line, isa::Console& console) {
  Folder folder;
  std::string use;
  bool as_json = false;
  Arguments arguments("tir weights",
                      "List the networks that learning has promoted; * is the one that --guide "
                      "learned uses.",
                      "  txvm tir weights\n  txvm tir weights --use shipped\n");
  arguments.Text("--use", "NAME", "Use this one from now on: the beginning of a name, or shipped",
                 use);
  folder.AddTo(arguments);
  arguments.Flag("--json", "Print them as JSON", as_json);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const auto run = [&]() -> isa::Result<int> {
    TXVM_TRY(const std::string path, folder.Get());
    const guide::WeightsStore store(path);
    if (!use.empty()) TXVM_CHECK_OK(store.Use(use));
    return ShowWeights(store, as_json, console);
  };
  return Finish(run(), console);
}

int TirStatsCommand(const CommandLine& line, isa::Console& console) {
  Folder folder;
  bool as_json = false;
  Arguments arguments("tir stats",
                      "Tell what `txvm tir optimize --learn` found and what it gained.",
                      "  txvm tir stats --json\n");
  folder.AddTo(arguments);
  arguments.Flag("--json", "Print one JSON object", as_json);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const auto run = [&]() -> isa::Result<int> {
    TXVM_TRY(const std::string path, folder.Get());
    return ShowStats(path, as_json, console);
  };
  return Finish(run(), console);
}

}  // namespace txvm::frontends::cli
