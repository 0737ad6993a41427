// txvm ask: a question, or a canonical program, and its exact answer.
#include "frontends/nl/reader/ask.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/cli/ask/model.h"
#include "frontends/cli/ask/show.h"
#include "frontends/cli/run/run_options.h"
#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/exit_code.h"
#include "frontends/cli/support/line_editor.h"
#include "frontends/cli/support/stop.h"
#include "isa/support/file.h"
#include "isa/support/lines.h"
#include "isa/support/number.h"
#include "isa/support/text.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::string_view kAskExamples =
    "  txvm ask \"Janet has 50 apples. She gives away 15. How many remain?\"\n"
    "  txvm ask --canonical \"(50 + 15) * 2\"\n"
    "  txvm ask --canonical \"N0 - N1\" \"Janet has 50 apples. She gives away 15.\" --show\n"
    "  txvm ask --canonical \"sum 1 to 1000000\" --engine native --json\n"
    "  txvm ask --canonical --batch programs.txt\n"
    "  txvm ask --model my-model --batch questions.txt\n"
    "  txvm ask --model SmolLM2-135M-Instruct.Q4_1.gguf --adapter my-adapter \"...\"\n"
    "  txvm ask --model TinyLlama-1.1B-Chat-v1.0/ --prompt seed --pipeline single-op "
    "--interactive\n";

struct AskCommandOptions {
  std::vector<std::string> words;  // the question, then what gives its numbers
  nl::EvaluateOptions evaluate;
  std::optional<double> timeout;  // seconds of one run
  std::string batch;
  std::string wasm;  // file to write the module to
  AskModelOptions model;
  bool canonical = false;
  bool interactive = false;
  bool show = false;
  bool json = false;
};

void Declare(Arguments& arguments, AskCommandOptions& options) {
  arguments.Rest(
      "question",
      "The question, - for the lines of standard input; with --canonical the program, then texts "
      "whose numbers are N0, N1, ...; beside --batch these texts alone",
      options.words);
  arguments.Flag("--canonical", "The question is a canonical program (docs/CANONICAL.md)",
                 options.canonical);
  DeclareModelOptions(arguments, options.model);
  arguments.Flag("--interactive", "Answer one question after another, to an empty line",
                 options.interactive);
  arguments.Flag("--show",
                 "Print canonical form, code book, WebAssembly, ISA and steps as well, where no "
                 "JSON is printed",
                 options.show);
  arguments.Flag("--json", "Print one JSON object instead of the answer", options.json);
  arguments.Text("--batch", "FILE",
                 "Answer every line of FILE, or of - for standard input, as JSON objects",
                 options.batch);
  arguments.OutputFile("--wasm", "Write the program as a WebAssembly module to FILE", options.wasm);
  arguments.Flag("--wide", "Compute in 256-bit fractions even where words do",
                 options.evaluate.lower.always_wide);
  arguments.Flag("--recursive", "Let fact, fib, gcd and ^ call themselves instead of looping",
                 options.evaluate.lower.recursive);
  AddEngineOption(arguments, options.evaluate.engine);
  arguments.Count("--fuel", "STEPS", "Refuse programs that need more steps (default {})",
                  options.evaluate.fuel, 1, isa::kUnlimitedFuel);
  arguments.Option("--timeout", "TIME", "Stop a run after TIME, such as 500ms or 2s",
                   [&options](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(options.timeout, isa::ParseSeconds("--timeout", text));
                     return {};
                   });
}

/// What reads questions: a model, or whoever wrote a canonical program.
isa::Result<AskReader> ChooseReader(const AskCommandOptions& options) {
  if (!options.canonical) return OpenAskModel(options.model);
  // The first word is the program, unless a file or standard input has the programs.
  const bool is_batch = !options.batch.empty();
  const std::size_t first = is_batch ? 0 : 1;
  const bool has_lines = is_batch || (!options.words.empty() && options.words.front() == "-");
  std::vector<nl::Number> given;
  for (std::size_t i = first; i < options.words.size(); ++i) {
    TXVM_TRY(nl::Lexed lexed, nl::Lex(options.words[i]));
    // Most likely a program, which would be ignored.
    if (has_lines && lexed.numbers.empty()) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("'{}' has no number: beside {}, words are texts that give N0, "
                                   "N1, ..., and {} has the programs",
                                   isa::Printable(options.words[i]), is_batch ? "--batch" : "-",
                                   is_batch ? "FILE" : "standard input"));
    }
    given.insert(given.end(), lexed.numbers.begin(), lexed.numbers.end());
  }
  if (given.size() > nl::kMaxSlots) {
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("{} numbers given; the limit is {}", given.size(), nl::kMaxSlots));
  }
  return AskReader{nl::CanonicalReader(std::move(given)), ""};
}

bool WasInterrupted(const nl::AskReport& report, vm::InterruptReason reason) {
  return report.answer && report.answer->refusal && report.answer->refusal->interrupt == reason;
}

/// Ask, stopped by Ctrl-C and --timeout.
isa::Result<nl::AskReport> AskStoppably(const std::string& question, const nl::Reader& reader,
                                        const AskCommandOptions& options) {
  std::optional<StopGuard> guard;
  nl::EvaluateOptions evaluate = options.evaluate;
  evaluate.started = [&](vm::Machine& machine) {
    guard.emplace(machine, options.timeout, StopGuard::Ends::kRun);
  };
  evaluate.ended = [&guard] { guard.reset(); };
  isa::Result<nl::AskReport> report = nl::Ask(question, reader, evaluate);
  if (report && WasInterrupted(*report, vm::InterruptReason::kTimeout)) {
    report->answer->refusal->text +=
        fmt::format("; the limit of time is {:g} s", options.timeout.value_or(0));
  }
  return report;
}

bool IsSignal(const nl::AskReport& report) {
  return WasInterrupted(report, vm::InterruptReason::kSignal);
}

int ExitCodeOf(const nl::AskReport& report) {
  if (!report.answer || report.answer->value) return Value(ExitCode::kHalted);
  if (IsSignal(report)) return Value(ExitCode::kInterrupted);
  switch (report.answer->refusal->kind) {
    case nl::RefusalKind::kInterrupted:
      return Value(ExitCode::kTimeout);
    case nl::RefusalKind::kOutOfFuel:
    case nl::RefusalKind::kTooLong:
      return Value(ExitCode::kOutOfFuel);
    default:
      return Value(ExitCode::kTrap);
  }
}

isa::Result<void> WriteModule(const nl::AskReport& report, const AskCommandOptions& options) {
  if (!report.ast) return {};  // an abstention has none
  TXVM_TRY(const nl::Lowered lowered,
           nl::Lower(*report.ast, report.reading.Values(), options.evaluate.lower));
  return isa::ReplaceFile(
      options.wasm, {reinterpret_cast<const char*>(lowered.wasm.data()), lowered.wasm.size()});
}

/// The answer, or why there is none, for people.
isa::Result<void> PrintAnswer(const nl::AskReport& report, const AskReader& reader,
                              const AskCommandOptions& options, isa::Console& console) {
  if (options.show) {
    if (!reader.what.empty()) console.Out(fmt::format("reader     {}\n", reader.what));
    TXVM_TRY(const std::string details, AskDetails(report, options.evaluate));
    console.Out(details);
  }
  if (report.abstained()) {
    console.Note(fmt::format("no answer: {}", report.Reason()));
  } else {
    console.Out((options.show ? "answer     " : "") + AnswerLine(report) + "\n");
  }
  return {};
}

/// Answers one question as the options say, and returns the exit code of that.
isa::Result<int> AskOne(const std::string& question, const AskReader& reader,
                        const AskCommandOptions& options, isa::Console& console) {
  TXVM_TRY(const nl::AskReport report, AskStoppably(question, reader.read, options));
  if (!options.wasm.empty()) TXVM_CHECK_OK(WriteModule(report, options));
  if (options.json) {
    console.Out(AskJson(report, {question, {}, false}) + "\n");
  } else {
    TXVM_CHECK_OK(PrintAnswer(report, reader, options, console));
  }
  if (!options.wasm.empty() && !report.ast) {
    console.Note(fmt::format("no program: '{}' is not written", isa::Printable(options.wasm)));
  }
  return ExitCodeOf(report);
}

/// AskOne, and what fails is told: as an object where objects are wanted, else on standard error.
int AskAndTell(const std::string& question, const AskReader& reader,
               const AskCommandOptions& options, isa::Console& console) {
  const isa::Result<int> asked = AskOne(question, reader, options, console);
  if (asked) return *asked;
  if (!options.json) return FailWith(asked.error(), console);
  console.Out(AskErrorJson({question, {}, false}, asked.error()) + "\n");
  return Value(ExitCodeFor(asked.error().code));
}

/// The lines of standard input, one question each: what fails is told, and the next one answered.
/// A conversation ends at an empty line, with exit code 0; other input with the first code that is
/// not 0. kLimit: a line that is too long, with which it ends. kIo: the rest cannot be read.
isa::Result<int> AskLines(const AskCommandOptions& options, isa::Console& console) {
  TXVM_TRY(const AskReader reader, ChooseReader(options));
  LineReader lines;
  int first = Value(ExitCode::kHalted);
  std::uint64_t number = 0;
  while (std::optional<std::string> line = lines.Next("ask> ")) {
    if (++number == 1) line = std::string(isa::WithoutByteOrderMark(*line));
    if (line->size() > kMostLineBytes) {
      return isa::Fail(isa::ErrorCode::kLimit,
                       fmt::format("line {} of standard input is longer than the limit of {} bytes",
                                   number, kMostLineBytes));
    }
    const bool is_blank = isa::IsBlankLine(*line);
    if (is_blank && options.interactive) break;
    if (is_blank) continue;
    const int code = AskAndTell(*line, reader, options, console);
    if (code == Value(ExitCode::kInterrupted)) return code;
    if (first == Value(ExitCode::kHalted)) first = code;
  }
  TXVM_CHECK_OK(lines.Check());
  return options.interactive ? Value(ExitCode::kHalted) : first;
}

/// One object per line, in order; a line that cannot be read is an object too.
isa::Result<int> AskBatch(const AskCommandOptions& options, isa::Console& console) {
  TXVM_TRY(const AskReader reader, ChooseReader(options));
  TXVM_TRY(const std::string text, isa::ReadFile(options.batch));
  const StopFlag stop;  // the answers there are end with a whole line
  for (const std::string_view line : isa::LinesOf(text)) {
    if (stop.requested()) return Value(ExitCode::kInterrupted);
    const isa::Result<nl::BatchItem> item = nl::ReadBatchLine(line);
    if (!item) {
      console.Out(AskErrorJson(nl::UnreadableItem(line), item.error()) + "\n");
      continue;
    }
    const isa::Result<nl::AskReport> report = AskStoppably(item->question, reader.read, options);
    if (report && IsSignal(*report)) return ExitCodeOf(*report);
    console.Out((report ? AskJson(*report, *item) : AskErrorJson(*item, report.error())) + "\n");
  }
  return Value(ExitCode::kHalted);
}

/// kUsage: options that make no sense together.
isa::Result<void> CheckOptions(const AskCommandOptions& options) {
  const bool has_question = !options.words.empty();
  if (options.interactive && (has_question || !options.batch.empty())) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "--interactive reads its questions from standard input: no QUESTION, no "
                     "--batch");
  }
  if (!options.batch.empty() && has_question && !options.canonical) {
    return isa::Fail(isa::ErrorCode::kUsage, "--batch reads its questions from FILE: no QUESTION");
  }
  if (options.canonical && options.model.given()) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "--canonical takes no model: no --model, --prompt, --pipeline, --threshold, "
                     "--no-abstain");
  }
  if (options.model.no_abstain && options.model.threshold) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     "--no-abstain takes the best program however unsure the model is: no "
                     "--threshold");
  }
  if (!options.canonical && options.words.size() > 1) {
    return isa::Fail(
        isa::ErrorCode::kUsage,
        fmt::format("{} words are given where one QUESTION is wanted: put it in quotes",
                    options.words.size()));
  }
  const bool asks_many = !options.batch.empty() || options.interactive ||
                         (has_question && options.words.front() == "-");
  if (asks_many && !options.wasm.empty()) {
    return isa::Fail(isa::ErrorCode::kUsage, "--wasm writes the program of one QUESTION");
  }
  if (!asks_many && !has_question) {
    return isa::Fail(isa::ErrorCode::kUsage, "a question is needed: QUESTION, - or --batch FILE");
  }
  return {};
}

isa::Result<int> AskAsTold(const AskCommandOptions& options, isa::Console& console) {
  TXVM_CHECK_OK(CheckOptions(options));
  if (!options.batch.empty()) return AskBatch(options, console);
  if (options.interactive) return AskLines(options, console);
  if (options.words.front() == "-") return AskLines(options, console);
  TXVM_TRY(const AskReader reader, ChooseReader(options));
  return AskAndTell(options.words.front(), reader, options, console);
}

}  // namespace

int AskCommand(const CommandLine& line, isa::Console& console) {
  AskCommandOptions options;
  Arguments arguments("ask", "Answer a question exactly by running a program for it.",
                      kAskExamples);
  Declare(arguments, options);
  if (const std::optional<int> code = ParseOrExit(arguments, line, console)) return *code;
  const isa::Result<int> code = AskAsTold(options, console);
  return code ? *code : FailWith(code.error(), console);
}

}  // namespace txvm::frontends::cli
