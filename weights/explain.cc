#include "weights/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "isa/disassemble.h"

namespace txvm::weights {
namespace {

namespace sf = state_field;
namespace mf = memory_field;

constexpr std::int64_t kDigitBase = 256;

std::uint32_t Field(std::span<const std::int32_t> record, std::size_t field) {
  return WordAt(record.subspan(field));
}

std::string StateText(const StateRecord& state) {
  std::string text =
      fmt::format("ip {} sp {} top {} depth {} locals_base {} pages {}", Field(state, sf::kIp),
                  Field(state, sf::kSp), Field(state, sf::kTop), Field(state, sf::kDepth),
                  Field(state, sf::kBase),
                  state[sf::kPages] +
                      kDigitBase * (state[sf::kPages + 1] + kDigitBase * state[sf::kPages + 2]));
  if (state[sf::kMicro] != 0) {
    text += fmt::format(", division micro-step {}: quotient {} remainder {} divisor {}",
                        state[sf::kMicro], Field(state, sf::kQuotient),
                        Field(state, sf::kRemainder), Field(state, sf::kDivisor));
  }
  return text;
}

std::string TokenText(const MemoryRecord& token, const isa::Program& program) {
  if (IsEmpty(token)) return "none";
  const Space space = SpaceOf(token);
  const std::uint32_t value = Field(token, mf::kValue);
  const std::uint32_t second = Field(token, mf::kValue + kWordBytes);
  const std::uint32_t key = Field(token, mf::kKey);
  switch (space) {
    case Space::kCode: {
      isa::Instruction instruction;
      instruction.head = value;
      instruction.arg = second;
      return fmt::format("code[{}] = {}", key, isa::InstructionText(program, instruction));
    }
    case Space::kCall:
      return fmt::format("call[{}] = return to {}, locals_base {}", key, value, second);
    case Space::kStack:
    case Space::kLocals:
    case Space::kMemory:
      break;
  }
  return fmt::format("{}[{}] = {}", SpaceName(space), key, value);
}

std::string HeadText(const HeadChoice& choice, const ReferenceModel& model,
                     const isa::Program& program) {
  std::int64_t address = 0, square = 0;
  for (std::size_t i = kWordBytes; i-- > 0;) {
    address = address * kDigitBase + choice.query[i];
    square += choice.query[i] * choice.query[i];
  }
  const bool found = choice.score == square;
  return fmt::format(
      "  {:<11} {:<6} query {:>10} = digits ({}), best {:>8} of {} tokens, next {}, "
      "{}: {}\n",
      Spec(choice.id).name, SpaceName(Spec(choice.id).space), address,
      fmt::join(choice.query.begin(), choice.query.begin() + kWordBytes, " "), choice.score,
      model.history().size(), choice.runner_up,
      found ? "score = |q|^2, the key is the query" : "score < |q|^2, absent, reads 0; nearest",
      TokenText(model.history()[choice.token], program));
}

/// Names of the signal lanes that are not 0, with their value where it is not 1.
std::string SignalText(const Model& weights, std::span<const std::int64_t> residual) {
  std::set<std::string> names;
#define TXVM_SIGNAL(name, high, value) names.insert(#name);
#include "weights/signals.def"
#undef TXVM_SIGNAL
  std::vector<std::string> active;
  for (std::size_t i = 0; i < weights.lanes.size(); ++i) {
    const std::string& name = weights.lanes[i].name;
    if (residual[i] == 0 || !names.contains(name)) continue;
    active.push_back(residual[i] == 1 ? name : fmt::format("{} {}", name, residual[i]));
  }
  return fmt::format("{}", fmt::join(active, ", "));
}

/// A word kept in four byte lanes, or nothing when the model has no such lanes.
std::string WordText(const Model& weights, std::span<const std::int64_t> residual,
                     const std::string& name) {
  std::int64_t word = 0;
  std::vector<std::int64_t> bytes;
  for (std::size_t i = 0; i < weights.lanes.size() && bytes.size() < kWordBytes; ++i) {
    if (weights.lanes[i].name != fmt::format("{}.{}", name, bytes.size())) continue;
    bytes.push_back(residual[i]);
  }
  for (std::size_t i = bytes.size(); i-- > 0;) word = word * kDigitBase + bytes[i];
  return fmt::format("{} {} = bytes ({})", name, word, fmt::join(bytes, " "));
}

// A lane is never written after it has been read, so the lanes after the pass give every gate.
std::size_t ActiveUnits(const FeedForward& ffn, std::span<const std::int64_t> residual) {
  std::vector<std::int64_t> gates(ffn.b_gate.begin(), ffn.b_gate.end());
  for (const Entry& e : ffn.w_gate.entries) gates[e.row] += e.weight * residual[e.column];
  std::size_t active = 0;
  for (const std::int64_t gate : gates) active += gate > 0 ? 1 : 0;
  return active;
}

std::string MatrixText(const Model& weights, const SparseMatrix& matrix,
                       const std::vector<std::int32_t>& bias, std::uint32_t row) {
  std::vector<std::string> terms;
  for (const Entry& e : matrix.entries) {
    if (e.row == row) {
      terms.push_back(fmt::format("{} {}", e.weight, weights.lanes[e.column].name));
    }
  }
  if (!bias.empty() && bias[row] != 0) terms.push_back(fmt::format("{}", bias[row]));
  return fmt::format("{}", fmt::join(terms, " + "));
}

}  // namespace

std::string ExplainPass(const Model& weights, const ReferenceModel& model,
                        const isa::Program& program, const StateRecord& before,
                        const PassOutput& output) {
  const auto residual = model.residual();
  std::string text = fmt::format("state   {}\n", StateText(before));
  for (const HeadChoice& choice : model.choices()) text += HeadText(choice, model, program);
  text += fmt::format("signals {}\n", SignalText(weights, residual));
  text += fmt::format("lanes   {}; {}; {}; {}\n", WordText(weights, residual, "a"),
                      WordText(weights, residual, "x"), WordText(weights, residual, "y"),
                      WordText(weights, residual, "result"));
  std::vector<std::size_t> active;
  for (const ModelLayer& layer : weights.layers) active.push_back(ActiveUnits(layer.ffn, residual));
  text += fmt::format("units   open by layer: {}\n", fmt::join(active, " "));
  for (const MemoryRecord& write : output.writes) {
    if (!IsEmpty(write)) text += fmt::format("writes  {}\n", TokenText(write, program));
  }
  text += fmt::format("next    {}{}{}{}\n", StateText(output.state),
                      output.state[sf::kCounted] == 0 ? ", no step yet" : "",
                      output.state[sf::kStopped] != 0
                          ? fmt::format(", stopped, cause {}", output.state[sf::kCause])
                          : "",
                      output.state[sf::kHost] != 0 ? ", calls the host" : "");
  return text;
}

std::string ExplainHeads(const Model& weights) {
  std::string text;
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    for (const ModelHead& head : weights.layers[i].heads) {
      text += fmt::format("layer {} head {} ({})\n", i, Spec(head.id).name,
                          SpaceName(Spec(head.id).space));
      for (std::uint32_t row = 0; row < kScoreSize; ++row) {
        text += fmt::format("  q[{}] = {:<60} k[{}] = {}\n", row,
                            MatrixText(weights, head.w_q, head.b_q, row), row,
                            MatrixText(weights, head.w_k, head.b_k, row));
      }
    }
  }
  return text;
}

}  // namespace txvm::weights
