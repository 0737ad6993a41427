#include "neural/triton/superopt/estimate.h"

namespace txvm::triton {
namespace {

std::uint32_t Batches(std::size_t words) { return static_cast<std::uint32_t>((words + 4) / 5); }

}  // namespace

Estimator::Estimator(const BlockModel& model) : model_(model) {
  // Such a load of several words may bring a word that is counted as computed or copied.
  for (const auto& loads : model.loads) {
    for (const Access& access : loads) {
      loads_known_ |= model.sources[access.value].kind != Source::Kind::kLoad;
    }
  }
}

std::uint32_t Estimator::Count(const SearchState& state) {
  const std::size_t n = model_.sources.size();
  uses_.assign(n, 0);
  copies_.assign(n, 0);
  done_.assign(model_.operations.size(), false);
  for (const Value value : state.stack) ++copies_[value];
  work_.clear();
  for (const Value value : model_.target) Use(value);
  for (std::size_t i = state.outputs; i < model_.outputs.size(); ++i) Use(model_.outputs[i]);
  for (std::size_t i = state.stores; i < model_.stores.size(); ++i) Use(model_.stores[i].value);
  for (std::size_t i = state.events; i < model_.events.size(); ++i) {
    for (const Value value : model_.events[i].takes) Use(value);
    for (const Value value : model_.events[i].leaves) ++copies_[value];
  }
  for (std::size_t i = state.inputs; i < model_.inputs.size(); ++i) ++copies_[model_.inputs[i]];
  for (std::size_t i = state.secrets; i < model_.secrets.size(); ++i) {
    ++copies_[model_.secrets[i]];
  }
  std::uint32_t cost = Batches(model_.inputs.size() - state.inputs) +
                       Batches(model_.secrets.size() - state.secrets) +
                       Batches(model_.outputs.size() - state.outputs) +
                       Batches(model_.stores.size() - state.stores) +
                       static_cast<std::uint32_t>(model_.events.size() - state.events);
  cost += MissingOperations(state);
  return cost + Balance();
}

void Estimator::Perform(std::size_t index, std::uint32_t& cost) {
  if (done_[index]) return;
  done_[index] = true;
  ++cost;
  const Operation& operation = model_.operations[index];
  const bool add = operation.instruction.op == TasmOp::kAdd;
  for (const Value value : operation.takes) {
    // addi needs no word for its constant.
    if (add && model_.sources[value].kind == Source::Kind::kConstant) continue;
    Use(value);
  }
  for (const Value value : operation.leaves) ++copies_[value];
}

// Marks the operations that must still run: for missing values, and for checks.
std::uint32_t Estimator::MissingOperations(const SearchState& state) {
  std::uint32_t cost = 0;
  std::uint32_t loads = 0;
  PerformWanted(cost, loads);
  // Checks that no value needs: which operation does them, and how many, is a guess.
  std::uint64_t checks = model_.checks & ~state.checks;
  for (std::size_t i = 0; i < model_.operations.size(); ++i) {
    if (done_[i]) checks &= ~model_.operations[i].checks;
  }
  is_bound_ = checks == 0 && !loads_known_;
  for (std::size_t i = 0; i < model_.operations.size() && checks != 0; ++i) {
    if ((model_.operations[i].checks & checks) == 0) continue;
    checks &= ~model_.operations[i].checks;
    Perform(i, cost);
  }
  PerformWanted(cost, loads);
  return cost + Batches(loads);
}

void Estimator::PerformWanted(std::uint32_t& cost, std::uint32_t& loads) {
  while (!work_.empty()) {
    const Value value = work_.back();
    work_.pop_back();
    if (copies_[value] != 0) continue;
    const Source& source = model_.sources[value];
    if (source.kind == Source::Kind::kOperation) Perform(source.operation, cost);
    if (source.kind == Source::Kind::kLoad) {
      ++loads;
      ++copies_[value];
    }
  }
}

std::uint32_t Estimator::Balance() const {
  std::uint32_t copies = 0, surplus = 0;
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    if (uses_[i] > copies_[i]) copies += uses_[i] - copies_[i];
    if (copies_[i] > uses_[i]) surplus += copies_[i] - uses_[i];
  }
  return copies + Batches(surplus);
}

}  // namespace txvm::triton
