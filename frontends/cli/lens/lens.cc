// txvm lens: which operation a model has in mind, layer by layer.
#include "frontends/cli/lens/lens.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "frontends/cli/lens/json.h"
#include "frontends/cli/lens/text.h"
#include "frontends/cli/support/arguments.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/stop.h"
#include "frontends/nl/lens/lens.h"
#include "frontends/nl/lens/study.h"
#include "frontends/nl/lens/suffix.h"
#include "frontends/nl/reader/batch.h"
#include "frontends/nl/reader/default_model.h"
#include "isa/support/file.h"
#include "isa/support/lines.h"
#include "isa/support/text.h"
#include "neural/llm/adapter.h"
#include "neural/llm/workers.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kLensExamples =
    "  txvm lens \"Janet has 50 apples. She gives away 15. How many remain?\"\n"
    "  txvm lens --adapter models/nl-lens.safetensors --file questions.txt --json\n"
    "  txvm lens --table --items 1000 --adapter models/nl-lens.safetensors\n"
    "  txvm lens suffix --steps 100\n";
constexpr std::string_view kSuffixWord = "suffix";

struct LensOptions {
  std::vector<std::string> words;
  std::string file, model, adapter, family, questions;
  std::uint64_t top = 5;
  nl::LensStudyOptions study;
  nl::SuffixOptions suffix;  // seed and threads are the study's
  bool table = false, json = false;
};

void Declare(Arguments& arguments, LensOptions& options) {
  constexpr std::uint64_t kMostItems = 1'000'000, kMostTop = 1'000;
  arguments.Rest("question",
                 "Questions, or - for lines of standard input; the one word `suffix` asks for the "
                 "study of suffix routing",
                 options.words);
  arguments.Text("--file", "FILE", "Look at every line of FILE, or of - for standard input",
                 options.file);
  arguments.Text("--model", "PATH",
                 "Look at the model at PATH instead of the one that comes with txvm",
                 options.model);
  arguments.Text("--adapter", "PATH", "Apply the low-rank adapter at PATH, a folder or its tensors",
                 options.adapter);
  arguments.Count("--top", "N", "Tokens shown of a layer (default {})", options.top, 0, kMostTop);
  arguments.Flag("--table", "Accuracy of lens and linear probe by layer, on generated questions",
                 options.table);
  arguments.Count("--items", "N", "Questions of the table (default {})", options.study.items, 1,
                  kMostItems);
  arguments.Text("--family", "NAME", "Questions of the table: those of one family of the generator",
                 options.family);
  arguments.Text(
      "--questions", "DIR",
      "Folder of the sentences that generated questions are made of (default: the installed one)",
      options.questions);
  arguments.Count("--probe-items", "N", "Questions the probe learns from (default {}; 0: none)",
                  options.study.probe_items, 0, kMostItems);
  arguments.Count("--steps", "N", "suffix: updates of each arm (default {}; 0: no training)",
                  options.suffix.steps, 0, kMostItems);
  arguments.Count("--batch", "N", "suffix: examples of an update (default {})",
                  options.suffix.batch, 2, 4'096);
  arguments.Count("--seed", "N", "Seed of generated questions and of training (default {})",
                  options.study.seed, 0, ~std::uint64_t{0});
  arguments.Count("--threads", "N", "Threads (default: one a processor); changes no bit",
                  options.study.threads, 1, 1'024);
  arguments.Flag("--json", "Print JSON: an object a question, or one for the table", options.json);
}

/// A question of the command line, or a line of --file as it stands.
struct Question {
  std::string text;
  std::uint32_t line = 0;  // 0: the command line
};

/// Those of the command line, then those of --file, blank lines aside.
isa::Result<std::vector<Question>> ReadQuestions(const LensOptions& options) {
  std::vector<Question> questions;
  for (const std::string& word : options.words) questions.push_back({word});
  if (options.file.empty()) return questions;
  TXVM_TRY(const std::string text, isa::ReadFile(options.file));
  std::uint32_t line_number = 0;
  for (const std::string_view line : isa::LinesOf(text)) {
    ++line_number;
    if (isa::IsBlankLine(line)) continue;
    questions.push_back({std::string(line), line_number});
  }
  return questions;
}

/// Errors: of the line that the question stands in, and the reader's; with their place.
isa::Result<nl::LensReport> Look(const Question& question, const LensOptions& options,
                                 nl::LensReader& reader) {
  if (question.line == 0) return reader.Read(question.text, options.top);
  const auto in_line = [&](isa::Error error, bool is_line) {
    error.place = {isa::DisplayName(options.file), question.line, is_line ? error.place.column : 0};
    return std::unexpected(std::move(error));
  };
  const isa::Result<nl::BatchItem> item = nl::ReadBatchLine(question.text);
  if (!item) return in_line(item.error(), false);
  isa::Result<nl::LensReport> report = reader.Read(item->question, options.top);
  if (!report) return in_line(report.error(), item->question == question.text);
  return report;
}

/// What fails is told, and the next one looked at; the exit code is the first that is not 0.
isa::Result<int> Questions(const LensOptions& options, const neural::llm::Bundle& bundle,
                           isa::Console& console) {
  TXVM_TRY(const std::vector<Question> questions, ReadQuestions(options));
  TXVM_TRY(nl::LensReader reader, nl::LensReader::Make(bundle.model, *bundle.tokenizer));
  std::size_t compared = 0, agreed = 0;
  int first = Value(ExitCode::kHalted);
  for (const Question& question : questions) {
    const isa::Result<nl::LensReport> report = Look(question, options, reader);
    if (!report) {
      const int code = FailWith(report.error(), console);
      if (first == Value(ExitCode::kHalted)) first = code;
      continue;
    }
    compared += report->label ? 1 : 0;
    agreed += report->Agrees().value_or(false) ? 1 : 0;
    console.Out(options.json ? LensJson(*report) + "\n" : LensText(*report));
    if (!options.json && questions.size() > 1) console.Out("\n");
  }
  if (!options.json && questions.size() > 1) {
    console.Out(fmt::format("lens and program agree on {} of {} with an operator\n", agreed,
                            isa::CountText(compared, "question")));
  }
  return first;
}

isa::Result<int> Table(const LensOptions& options, const neural::llm::Bundle& bundle,
                       isa::Console& console) {
  nl::LensStudyOptions study = options.study;
  if (!options.family.empty()) {
    study.family = neural::questions::FindFamily(options.family);
    if (!study.family) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("--family {}: the families of questions are {}", options.family,
                                   fmt::join(neural::questions::FamilyNames(), ", ")));
    }
  }
  TXVM_TRY(const auto bank, neural::questions::ReadQuestions(options.questions));
  TXVM_TRY(const nl::LensTable table, nl::StudyLens(*bank, bundle.model, *bundle.tokenizer, study));
  const bool has_probe = study.probe_items > 0;
  console.Out(options.json ? LensTableJson(table, has_probe) + "\n"
                           : LensTableText(table, has_probe));
  return Value(ExitCode::kHalted);
}

isa::Result<int> Suffixes(const LensOptions& options, const neural::llm::Bundle& bundle,
                          isa::Console& console) {
  std::vector<nl::SuffixArmReport> arms;
  if (options.suffix.steps == 0) {
    TXVM_TRY(nl::SuffixArmReport before,
             nl::MeasureSuffixes(bundle.model, *bundle.tokenizer, nl::SuffixArm::kBefore));
    arms.push_back(std::move(before));
  } else {
    nl::SuffixOptions study = options.suffix;
    study.seed = options.study.seed;
    study.threads = options.study.threads;
    const StopFlag stop;
    const auto progress = [&](nl::SuffixArm arm, std::uint64_t done, std::uint64_t steps,
                              const neural::train::StepReport&) {
      console.Progress(done, steps,
                       fmt::format("arm {}", nl::kSuffixArms[static_cast<std::size_t>(arm)]));
      return !stop.requested();
    };
    TXVM_TRY(const auto bank, neural::questions::ReadQuestions(options.questions));
    TXVM_TRY(arms, nl::StudySuffixes(*bank, bundle, study, progress));
    console.EndProgress();
    if (arms.empty()) return Value(ExitCode::kInterrupted);
  }
  console.Out(options.json ? SuffixJson(arms) + "\n" : SuffixText(arms));
  return Value(ExitCode::kHalted);
}

/// kUsage: what training and generated questions need, given where there is neither.
isa::Result<void> CheckTraining(const LensOptions& options, const Arguments& arguments,
                                bool suffix) {
  if (suffix && options.suffix.steps == 0) {
    for (const char* const name : {"--batch", "--seed", "--threads"}) {
      if (!arguments.Has(name)) continue;
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("{} is of training: --steps 0 does none", name));
    }
  }
  if (suffix || options.table) return {};
  for (const char* const name : {"--seed", "--threads"}) {
    if (!arguments.Has(name)) continue;
    return isa::Fail(
        isa::ErrorCode::kUsage,
        fmt::format("{} is of generated questions and of training: it needs --table or suffix",
                    name));
  }
  return {};
}

/// kUsage: a count that would be ignored.
isa::Result<void> CheckCounts(const LensOptions& options, const Arguments& arguments, bool suffix) {
  for (const char* const name : {"--items", "--probe-items"}) {
    if (arguments.Has(name) && !options.table) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("{} is of the table: it needs --table", name));
    }
  }
  for (const char* const name : {"--steps", "--batch"}) {
    if (arguments.Has(name) && !suffix) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("{} is of the study of suffix routing: it needs suffix", name));
    }
  }
  if (arguments.Has("--top") && (options.table || suffix)) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "--top is of questions: --table and suffix show no tokens");
  }
  return CheckTraining(options, arguments, suffix);
}

isa::Result<int> Lens(const LensOptions& options, const Arguments& arguments,
                      isa::Console& console) {
  if (std::ranges::find(options.words, "-") != options.words.end()) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "- stands for the lines of standard input and takes no other question and no "
                     "--file");
  }
  const bool suffix = options.words.size() == 1 && options.words.front() == kSuffixWord;
  if (options.table && (!options.words.empty() || !options.file.empty())) {
    return isa::Fail(isa::ErrorCode::kUsage, "--table takes no questions: it generates them");
  }
  if (!options.table && !options.family.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, "--family chooses the questions of --table");
  }
  if (suffix && !options.file.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, "suffix takes no questions: it has its own");
  }
  if (!options.table && options.words.empty() && options.file.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "a question is needed: QUESTION, --file FILE, --table or suffix");
  }
  TXVM_CHECK_OK(CheckCounts(options, arguments, suffix));
  TXVM_TRY(const neural::llm::Bundle bundle, OpenLensModel(options.model, options.adapter));
  if (options.table) return Table(options, bundle, console);
  return suffix ? Suffixes(options, bundle, console) : Questions(options, bundle, console);
}

}  // namespace

isa::Result<neural::llm::Bundle> OpenLensModel(const std::string& path,
                                               const std::string& adapter) {
  TXVM_TRY(neural::llm::Bundle bundle,
           path.empty() ? nl::OpenDefaultModel() : neural::llm::OpenBundle(path));
  if (!bundle.tokenizer) {
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("{} has no tokenizer.json or tokenizer.model", path));
  }
  if (!adapter.empty()) {
    TXVM_TRY(bundle.model, neural::llm::WithAdapter(*bundle.model, adapter));
  }
  return bundle;
}

int LensCommand(const CommandLine& line, isa::Console& console) {
  LensOptions options;
  options.study.threads = neural::llm::ProcessorCount();
  Arguments arguments("lens", "Show which operation a model has in mind, layer by layer.",
                      kLensExamples);
  Declare(arguments, options);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  if (options.file.empty() && options.words == std::vector<std::string>{"-"}) {
    options.words.clear();
    options.file = "-";
  }
  const isa::Result<int> code = Lens(options, arguments, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
