#include "tests/frontends/nl/language/differential_canonical.h"

#include <fmt/format.h>

#include <set>
#include <span>

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/evaluate.h"
#include "frontends/nl/language/parser.h"
#include "frontends/nl/language/printer.h"
#include "tests/frontends/nl/language/oracle.h"
#include "tests/support/wabt_interp.h"

namespace txvm::frontends::nl {
namespace {

constexpr std::uint64_t kFuel = 4'000'000;   // steps of one run
constexpr std::uint64_t kLongRange = 2'000;  // terms; longer ranges run on one engine alone

std::string Text(const Answer& answer) {
  if (answer.value) return ToText(*answer.value);
  return "refused: " + std::string(RefusalReason(answer.refusal->kind));
}

std::string Text(const Expected& expected) {
  if (expected.refusal == RefusalKind::kNone) return expected.value;
  return "refused: " + std::string(RefusalReason(expected.refusal));
}

/// The program in WABT's interpreter.
Answer RunWabt(const Ast& ast, const Lowered& lowered) {
  const auto instance = tests::WabtInstance::Load(lowered.wasm);
  if (!instance->ok()) return {std::nullopt, Refusal{RefusalKind::kNone, 0, instance->error(), {}}};
  const tests::WabtOutcome outcome = instance->Call("compute", {});
  if (lowered.wide) {
    return ReadWide(ast, lowered, outcome.trapped,
                    std::span(instance->MemoryData(), instance->MemorySize()));
  }
  Answer answer;
  if (outcome.trapped) {
    answer.refusal = Refusal{RefusalKind::kNone, 0, outcome.message, {}};
  } else {
    answer.value = Rational::FromInt(static_cast<std::int32_t>(outcome.results.at(0)));
  }
  return answer;
}

void Count(const Ast& ast, const Expected& expected, Coverage& coverage) {
  ++coverage.programs;
  std::set<NodeKind> kinds;
  for (const Node& node : ast.nodes) kinds.insert(node.kind);
  for (const NodeKind kind : kinds) ++coverage.kinds[static_cast<std::size_t>(kind)];
  const bool refused = expected.refusal != RefusalKind::kNone;
  ++(refused ? coverage.refusals : coverage.answers);
  ++coverage.reasons[static_cast<std::size_t>(expected.refusal)];
  if (expected.value.find('/') != std::string::npos) ++coverage.fractions;
}

/// A program whose ranges are too long for the oracle's bound: the answer, or stopped in time.
std::string CompareLong(const Ast& ast, std::span<const Rational> numbers, const Expected& expected,
                        Coverage& coverage) {
  ++coverage.long_ranges;
  EvaluateOptions options;
  options.engine = vm::EngineKind::kNative;
  options.fuel = kFuel;
  const auto answer = Evaluate(ast, numbers, options);
  if (!answer) return answer.error().message;
  const bool stopped = answer->refusal && answer->refusal->kind == RefusalKind::kOutOfFuel;
  if (stopped || Text(*answer) == Text(expected)) return {};
  return Text(*answer) + ", expected " + Text(expected);
}

/// Whether a range was refused for its length before the run, which would have been refused for
/// something before the range.
bool ToldTooLong(const Answer& answer, const Expected& expected) {
  return answer.refusal && answer.refusal->kind == RefusalKind::kOutOfFuel && answer.steps == 0 &&
         expected.refusal != RefusalKind::kNone;
}

std::string CompareEngines(const Ast& ast, std::span<const Rational> numbers,
                           const Expected& expected, const LowerOptions& lower,
                           Coverage& coverage) {
  std::uint64_t steps = 0;
  for (const vm::EngineKind engine : {vm::EngineKind::kNative, vm::EngineKind::kAttention}) {
    const EvaluateOptions options{engine, kFuel, lower, {}, {}};
    const auto answer = Evaluate(ast, numbers, options);
    if (!answer) return std::string(vm::EngineName(engine)) + ": " + answer.error().message;
    if (ToldTooLong(*answer, expected)) {
      ++coverage.told_too_long;
      return {};
    }
    if (Text(*answer) != Text(expected)) {
      return fmt::format("{} {} gives {}", vm::EngineName(engine), answer->wide ? "wide" : "narrow",
                         Text(*answer));
    }
    if (steps != 0 && steps != answer->steps) return "step counts differ";
    steps = answer->steps;
    if (answer->refusal && answer->refusal->text.empty()) return "a refusal without a text";
    if (engine == vm::EngineKind::kNative) ++(answer->wide ? coverage.wide : coverage.narrow);
  }
  coverage.steps += steps;
  const auto lowered = Lower(ast, numbers, lower);
  if (!lowered) return lowered.error().message;
  const Answer answer = RunWabt(ast, *lowered);
  if (Text(answer) != Text(expected)) return "WABT gives " + Text(answer);
  return {};
}

}  // namespace

std::string CompareOne(Rng& rng, Coverage& coverage) {
  const std::size_t slots = 1 + rng.Below(6);
  const GrammarOptions grammar{slots, 4 + rng.Below(40), false};
  const std::vector<Token> tokens = RandomTokens(grammar, rng);
  const std::vector<Rational> numbers = RandomNumbers(slots, rng);
  const auto ast = Parse(tokens, slots);
  std::string problem;
  if (!ast) {
    problem = ast.error().message;
  } else {
    const Expected expected = EvaluateExactly(*ast, numbers, kLongRange);
    Count(*ast, expected, coverage);
    if (expected.has_long_range) {
      problem = CompareLong(*ast, numbers, expected, coverage);
    } else {
      const LowerOptions plain{rng.Below(2) == 0, false}, wide{rng.Below(2) == 0, true};
      problem = CompareEngines(*ast, numbers, expected, plain, coverage);
      const bool was_narrow = problem.empty() && rng.Below(3) == 0;
      if (was_narrow) problem = CompareEngines(*ast, numbers, expected, wide, coverage);
    }
    if (!problem.empty()) problem += ", expected " + Text(expected);
  }
  if (problem.empty()) return {};
  std::vector<std::string> texts;
  for (const Rational& number : numbers) texts.push_back(ToText(number));
  return TokensText(tokens) + "  [" + fmt::format("{}", fmt::join(texts, ", ")) + "]: " + problem;
}

std::string CoverageText(const Coverage& coverage) {
  std::string text = fmt::format(
      "{} programs: {} answers ({} fractions), {} refusals, {} long ranges, {} told too long\n"
      "runs compared: {} narrow, {} wide; {} steps on the attention engine\n",
      coverage.programs, coverage.answers, coverage.fractions, coverage.refusals,
      coverage.long_ranges, coverage.told_too_long, coverage.narrow, coverage.wide, coverage.steps);
  for (std::size_t i = 0; i < coverage.kinds.size(); ++i) {
    if (coverage.kinds[i] == 0) continue;
    text += fmt::format("  {:<14} {}\n", Info(static_cast<NodeKind>(i)).name, coverage.kinds[i]);
  }
  for (std::size_t i = 1; i < coverage.reasons.size(); ++i) {
    if (coverage.reasons[i] == 0) continue;
    text += fmt::format("  {:>6} x {}\n", coverage.reasons[i],
                        RefusalReason(static_cast<RefusalKind>(i)));
  }
  return text;
}

}  // namespace txvm::frontends::nl
