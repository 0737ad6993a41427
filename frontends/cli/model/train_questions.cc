#include "frontends/cli/model/train_questions.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "frontends/cli/support/arguments.h"
#include "frontends/cli/support/exit_code.h"
#include "isa/support/text.h"
#include "neural/questions/check.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kQuestionsExamples =
    "  txvm train questions --check\n"
    "  txvm train questions --check --questions neural/questions/sentences\n";

struct QuestionsOptions {
  std::string what, questions;
  bool check = false;
};

isa::Result<int> Check(const QuestionsOptions& options, isa::Console& console) {
  if (!options.check) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "questions have nothing to train; `txvm train questions --check` checks them");
  }
  TXVM_TRY(const auto bank, neural::questions::ReadQuestions(options.questions));
  const neural::questions::QuestionCheck check = neural::questions::CheckQuestions(*bank);
  for (const isa::Error& fault : check.faults) console.Error(fault);
  for (const isa::Error& dropped : check.dropped) {
    console.Note(fmt::format("{}:{}: {}", dropped.place.file, dropped.place.line, dropped.message));
  }
  console.Out(
      fmt::format("{}, {} with {}; {} given twice; the next free number of a sentence is {}\n",
                  isa::CountText(check.sentences, "sentence"), isa::CountText(check.rules, "rule"),
                  isa::CountText(check.texts, "text"), check.repeated, check.next_number));
  if (check.faults.empty()) return Value(ExitCode::kHalted);
  return isa::Fail(
      isa::ErrorCode::kInvalid,
      fmt::format("{} in the sentences", isa::CountText(check.faults.size(), "fault")));
}

}  // namespace

int TrainQuestionsCommand(const CommandLine& line, isa::Console& console) {
  QuestionsOptions options;
  Arguments arguments("train", "Check the sentences that training questions are made of.",
                      kQuestionsExamples);
  arguments.Positional("what", "questions: the sentences of training", options.what, true);
  arguments.Flag("--check", "Read every line and make a question of every sentence", options.check);
  arguments.Text("--questions", "DIR", "Folder of the sentences (default: the installed one)",
                 options.questions);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<int> code = Check(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
