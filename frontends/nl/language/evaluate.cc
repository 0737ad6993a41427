#include "frontends/nl/language/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>

#include "frontends/nl/language/runtime.h"
#include "frontends/nl/language/word_values.h"
#include "isa/support/text.h"

namespace txvm::frontends::nl {
namespace {

using isa::ErrorCode;
using isa::Result;

constexpr std::array kReasons = {
#define TXVM_REFUSAL(Name, number, reason) std::string_view(reason),
#include "frontends/nl/language/refusals.def"
#undef TXVM_REFUSAL
};

constexpr std::uint32_t kWordBytes = 4, kByteBits = 8, kLimbCount = kLimbs;
constexpr std::size_t kLongNumber = 90;  // characters; longer ones are cut in messages

std::uint32_t WordAt(std::span<const std::uint8_t> memory, std::uint32_t address) {
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < kWordBytes; ++i) {
    word |= std::uint32_t{memory[address + i]} << (kByteBits * i);
  }
  return word;
}

Rational FractionAt(std::span<const std::uint8_t> memory, std::uint32_t address) {
  Rational value;
  for (std::uint32_t i = 0; i < kLimbCount; ++i) {
    value.numerator[i] = WordAt(memory, address + kWordBytes * i);
    value.denominator[i] = WordAt(memory, address + kWordBytes * (kLimbCount + i));
  }
  return value;
}

std::string Shown(const Rational& value) {
  const std::string text = ToText(value);
  if (text.size() <= kLongNumber) return text;
  return fmt::format("{}... ({} characters)", text.substr(0, kLongNumber), text.size());
}

const Node* NodeAt(const Ast& ast, std::uint32_t token) {
  const auto found = std::ranges::find_if(ast.nodes, [token](const Node& node) {
    return node.place == token && Info(node.kind).form != NodeForm::kLeaf;
  });
  return found == ast.nodes.end() ? nullptr : &*found;
}

/// The operation that a wide program noted; null before the first.
const Node* NotedNode(const Ast& ast, std::span<const std::uint8_t> memory) {
  const bool has_begun = WordAt(memory, kOperandAddress) != 0;
  return has_begun ? NodeAt(ast, WordAt(memory, kPlaceAddress)) : nullptr;
}

/// Whether an operation of two was refused for both of them. An element of a list meets what became
/// of those before it, if any.
bool HasTwoOperands(RefusalKind kind, const Node* node, std::uint32_t a, std::uint32_t b) {
  if (kind == RefusalKind::kNoInteger) return false;
  const NodeForm form = node != nullptr ? Info(node->kind).form : NodeForm::kLeaf;
  return a != b || form == NodeForm::kInfix || form == NodeForm::kRange;
}

std::string Operands(RefusalKind kind, const Node* node, std::span<const std::uint8_t> memory) {
  if (kind == RefusalKind::kEmptyList) return {};
  const std::uint32_t a = WordAt(memory, kOperandAddress);
  const std::uint32_t b = WordAt(memory, kOperandAddress + kWordBytes);
  const std::string first = Shown(FractionAt(memory, a));
  if (!HasTwoOperands(kind, node, a, b)) return first;
  return first + " and " + Shown(FractionAt(memory, b));
}

/// "division by zero; '/' (token 2) of 7 and 0" and the like, of what a wide program noted.
Refusal MakeRefusal(const Ast& ast, RefusalKind kind, std::span<const std::uint8_t> memory) {
  const std::uint32_t token = WordAt(memory, kPlaceAddress);
  const Node* node = NodeAt(ast, token);
  const std::string operation = node != nullptr ? TokenText(Info(node->kind).token) : "?";
  const std::string operands = Operands(kind, node, memory);
  Refusal refusal{kind, token, {}, vm::InterruptReason::kNone};
  refusal.text = fmt::format("{}; '{}' (token {}){}{}", RefusalReason(kind), operation, token + 1,
                             operands.empty() ? "" : " of ", operands);
  return refusal;
}

/// The range whose loop a narrow program was in; null where it was elsewhere. Loops are the only
/// jumps back in compute, the first function.
const Node* LoopingNode(const Ast& ast, const Lowered& lowered, const vm::Machine& machine) {
  const isa::Program& program = machine.program();
  const isa::Function& compute = program.functions.front();
  std::size_t loop = 0;
  for (std::uint32_t at = compute.first; at <= compute.last; ++at) {
    const isa::Instruction& last = program.code[at];
    if (last.op() != isa::Opcode::kJnz || last.arg > at) continue;
    if (machine.ip() <= at) {
      return machine.ip() >= last.arg ? NodeAt(ast, lowered.loops[loop]) : nullptr;
    }
    ++loop;
  }
  return nullptr;
}

/// What a program was at when its steps were used up, if that can be told.
const Node* BusyNode(const Ast& ast, const Lowered& lowered, const vm::Machine& machine) {
  return lowered.wide ? NotedNode(ast, machine.memory().bytes())
                      : LoopingNode(ast, lowered, machine);
}

/// The ends of a range where both are known before the run, else nothing.
std::string Bounds(const Node& node, const WordValues& values) {
  if (Info(node.kind).form != NodeForm::kRange) return {};
  const std::optional<std::int32_t> a = values.of[node.args[0]], b = values.of[node.args[1]];
  return a && b ? fmt::format(" from {} to {}", *a, *b) : std::string();
}

Refusal OutOfFuel(const Node* node, const WordValues& values, std::uint64_t fuel) {
  Refusal refusal{RefusalKind::kOutOfFuel, 0, {}, vm::InterruptReason::kNone};
  refusal.text = fmt::format("{}, {}", RefusalReason(refusal.kind), fuel);
  if (node == nullptr) return refusal;
  refusal.token = node->place;
  refusal.text += fmt::format("; '{}' (token {}){}", TokenText(Info(node->kind).token),
                              node->place + 1, Bounds(*node, values));
  return refusal;
}

Answer Refuse(Refusal refusal, bool wide) {
  Answer answer;
  answer.refusal = std::move(refusal);
  answer.wide = wide;
  return answer;
}

Result<Answer> ReadAnswer(const Ast& ast, const Lowered& lowered, const vm::RunResult& run,
                          const vm::Machine& machine) {
  const bool halted = run.outcome == vm::Outcome::kHalted;
  if (!lowered.wide && halted && run.results.size() == 1) {
    Answer answer;
    answer.value = Rational::FromInt(static_cast<std::int32_t>(run.results[0]));
    return answer;
  }
  const bool refused = run.outcome == vm::Outcome::kTrapped &&
                       run.trap->cause == isa::Trap::kUnreachable && lowered.wide;
  if (lowered.wide && (halted || refused)) {
    return ReadWide(ast, lowered, refused, machine.memory().bytes());
  }
  if (run.outcome == vm::Outcome::kInterrupted) {
    Refusal refusal{RefusalKind::kInterrupted, 0, {}, run.interrupt};
    refusal.text = fmt::format("{} ({}) after {}", RefusalReason(refusal.kind),
                               vm::InterruptText(run.interrupt), isa::CountText(run.steps, "step"));
    return Refuse(std::move(refusal), lowered.wide);
  }
  return isa::Fail(ErrorCode::kInternal,
                   fmt::format("a canonical program ended as {} after {}",
                               vm::OutcomeWords(run.outcome), isa::CountText(run.steps, "step")));
}

}  // namespace

std::string_view RefusalReason(RefusalKind kind) {
  return kReasons[static_cast<std::size_t>(kind)];
}

Answer ReadWide(const Ast& ast, const Lowered& lowered, bool trapped,
                std::span<const std::uint8_t> memory) {
  if (trapped) {
    const auto kind = static_cast<RefusalKind>(WordAt(memory, kRefusalAddress));
    return Refuse(MakeRefusal(ast, kind, memory), true);
  }
  Answer answer;
  answer.wide = true;
  answer.value = FractionAt(memory, lowered.result_at);
  return answer;
}

Result<Answer> Evaluate(const Ast& ast, std::span<const Rational> numbers,
                        const EvaluateOptions& options) {
  TXVM_TRY(const Lowered lowered, Lower(ast, numbers, options.lower));
  const WordValues& values = lowered.values;
  if (const auto range = FindLongRange(ast, values, lowered.wide, options.fuel)) {
    return Refuse(OutOfFuel(&ast.nodes[*range], values, options.fuel), lowered.wide);
  }
  TXVM_TRY(isa::Program program, ToProgram(lowered));
  vm::MachineOptions machine_options;
  machine_options.engine = options.engine;
  TXVM_TRY(vm::Machine machine,
           vm::Machine::Load(std::make_shared<const isa::Program>(std::move(program)), {},
                             machine_options));
  if (options.started) options.started(machine);
  vm::RunOptions run_options;
  run_options.fuel = options.fuel;
  const isa::Export* entry = machine.program().FindExport("compute");
  TXVM_ASSERT(entry != nullptr);
  const auto begin = std::chrono::steady_clock::now();
  const isa::Result<vm::RunResult> run = machine.Call(*entry, {}, run_options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (options.ended) options.ended();
  if (!run) return std::unexpected(run.error());
  const bool out_of_fuel = run->outcome == vm::Outcome::kOutOfFuel;
  Result<Answer> read =
      out_of_fuel
          ? Refuse(OutOfFuel(BusyNode(ast, lowered, machine), values, options.fuel), lowered.wide)
          : ReadAnswer(ast, lowered, *run, machine);
  TXVM_TRY(Answer answer, std::move(read));
  answer.steps = run->steps;
  answer.seconds = seconds.count();
  return answer;
}

}  // namespace txvm::frontends::nl
