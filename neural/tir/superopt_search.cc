#include "neural/tir/superopt_search.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "neural/tir/equivalence.h"
#include "neural/tir/superopt_model.h"
#include "neural/tir/tasm_memory.h"

namespace txvm::neural {
namespace {

constexpr std::uint32_t kRoot = 0xFFFF'FFFF;

// How far a schedule has come.
struct State {
  std::vector<Value> stack;  // bottom first
  std::uint16_t inputs = 0, secrets = 0, outputs = 0, stores = 0, events = 0;
  std::uint64_t checks = 0;
  std::uint32_t parent = kRoot;  // index of its trace
  std::uint32_t score = 0;
};

struct Trace {
  std::uint32_t parent;
  TasmInstruction instruction;
};

std::uint64_t HashOf(const State& state) {
  std::uint64_t hash = state.checks;
  for (const std::uint64_t part :
       {std::uint64_t{state.inputs}, std::uint64_t{state.secrets}, std::uint64_t{state.outputs},
        std::uint64_t{state.stores}, std::uint64_t{state.events}}) {
    hash = MixBits(hash * 31 + part);
  }
  for (const Value value : state.stack) hash = MixBits(hash ^ (value + 0x9E37'79B9'7F4A'7C15));
  return hash;
}

// What is left to do, in instructions, at least (for the usual ways to do it).
class Estimator {
 public:
  explicit Estimator(const BlockModel& model) : model_(model) {
    // Then a load of several words may bring a word that is counted as computed or copied.
    for (const auto& loads : model.loads) {
      for (const Access& access : loads) {
        loads_known_ |= model.sources[access.value].kind != Source::Kind::kLoad;
      }
    }
  }

  // uses(v) after Count: words of v that the rest of the run consumes or leaves. copies(v): words
  // there are, or one to come.
  std::uint32_t Count(const State& state) {
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

  bool Wanted(Value value) const { return uses_[value] > copies_[value]; }
  bool Surplus(Value value) const { return copies_[value] > uses_[value]; }
  bool Needed(std::size_t operation) const { return done_[operation]; }
  /// Whether the last count supposes nothing of how checks are done and words are loaded.
  bool IsBound() const { return is_bound_; }

 private:
  static std::uint32_t Batches(std::size_t words) {
    return static_cast<std::uint32_t>((words + 4) / 5);
  }

  void Use(Value value) {
    if (++uses_[value] == 1) work_.push_back(value);
  }

  void Perform(std::size_t index, std::uint32_t& cost) {
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

  // Marks the operations that must still run: for values nobody has, and for checks.
  std::uint32_t MissingOperations(const State& state) {
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

  void PerformWanted(std::uint32_t& cost, std::uint32_t& loads) {
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

  std::uint32_t Balance() const {
    std::uint32_t copies = 0, surplus = 0;
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      if (uses_[i] > copies_[i]) copies += uses_[i] - copies_[i];
      if (copies_[i] > uses_[i]) surplus += copies_[i] - uses_[i];
    }
    return copies + Batches(surplus);
  }

  const BlockModel& model_;
  std::vector<std::uint16_t> uses_;
  std::vector<std::uint16_t> copies_;
  std::vector<bool> done_;
  std::vector<Value> work_;
  bool loads_known_ = false;  // some load brings a word with another source
  bool is_bound_ = true;
};

class Search {
 public:
  Search(const BlockModel& model, std::size_t length, std::size_t beam)
      : model_(model), estimator_(model), beam_(beam), limit_(length) {
    reach_ = 2;
    for (std::size_t i = 0; i < model.target.size() && i < model.start.size(); ++i) {
      if (model.target[i] != model.start[i]) {
        reach_ = std::max(model.start.size(), model.target.size()) - i;
        break;
      }
    }
    reach_ = std::min(reach_ + kReachBelow, kTasmRegisters);
  }

  // The schedules found of the least length, shorter than the limit; empty when there is none.
  std::vector<std::vector<TasmInstruction>> Run() {
    State start;
    start.stack = model_.start;
    if (IsGoal(start)) return {{}};
    std::vector<State> layer = {start};
    for (std::size_t length = 0; length + 1 <= limit_ && !layer.empty(); ++length) {
      next_.clear();
      length_ = length + 1;
      for (const State& state : layer) Expand(state);
      if (!found_.empty()) return found_;
      if (next_.size() > beam_) {
        std::nth_element(next_.begin(), next_.begin() + static_cast<std::ptrdiff_t>(beam_),
                         next_.end(),
                         [](const State& a, const State& b) { return a.score < b.score; });
        next_.resize(beam_);
        dropped_ = true;
      }
      layer.swap(next_);
    }
    return found_;
  }

  bool dropped() const { return dropped_; }
  std::uint64_t states() const { return states_; }

 private:
  Value Top(const State& state, std::size_t i) const {
    return state.stack[state.stack.size() - 1 - i];
  }

  void Expand(const State& state) {
    estimator_.Count(state);
    // The estimator is used again for the successors: take the decisions first.
    moves_.clear();
    Moves(state);
    for (std::size_t i = 0; i < moves_.size(); ++i)
      Accept(state, moves_[i].second, moves_[i].first);
  }

  void Add(const TasmInstruction& instruction, State successor) {
    moves_.emplace_back(instruction, std::move(successor));
  }

  void Accept(const State& from, State& state, const TasmInstruction& instruction) {
    if (state.stack.size() < model_.lowest) return;
    ++states_;
    const std::uint32_t left = estimator_.Count(state);
    if (length_ + left > limit_) {
      dropped_ = dropped_ || !estimator_.IsBound();
      return;
    }
    if (!seen_.insert(HashOf(state)).second) return;
    traces_.push_back({from.parent, instruction});
    state.parent = static_cast<std::uint32_t>(traces_.size() - 1);
    if (left == 0 && IsGoal(state)) {
      constexpr std::size_t kMostFound = 8;
      if (found_.size() < kMostFound) found_.push_back(CodeOf(state.parent));
      return;
    }
    std::uint32_t misplaced = 0;
    const std::size_t n = model_.target.size();
    for (std::size_t i = 0; i < n; ++i) {
      misplaced += i >= state.stack.size() || state.stack[i] != model_.target[i] ? 1 : 0;
    }
    state.score = left * 8 + std::min<std::uint32_t>(misplaced, 7) + (misplaced == 0 ? 0 : 4);
    next_.push_back(std::move(state));
  }

  bool IsGoal(const State& state) const {
    return state.stack == model_.target && state.inputs == model_.inputs.size() &&
           state.secrets == model_.secrets.size() && state.outputs == model_.outputs.size() &&
           state.stores == model_.stores.size() && state.events == model_.events.size() &&
           (state.checks & model_.checks) == model_.checks;
  }

  std::vector<TasmInstruction> CodeOf(std::uint32_t trace) const {
    std::vector<TasmInstruction> code;
    for (; trace != kRoot; trace = traces_[trace].parent)
      code.push_back(traces_[trace].instruction);
    std::reverse(code.begin(), code.end());
    return code;
  }

  void Moves(const State& state) {
    StackMoves(state);
    Constants(state);
    Operations(state);
    Streams(state);
    Memory(state);
    Events(state);
  }

  void StackMoves(const State& state) {
    const std::size_t size = state.stack.size();
    const std::size_t reach = std::min(
        reach_ + (size > model_.start.size() ? size - model_.start.size() : 0), kTasmRegisters);
    for (std::size_t i = 0; i < std::min(size, kTasmRegisters); ++i) {
      if (!estimator_.Wanted(Top(state, i))) continue;
      State next = state;
      next.stack.push_back(Top(state, i));
      Add({TasmOp::kDup, i}, std::move(next));
    }
    for (std::size_t i = 1; i < std::min(reach, size); ++i) {
      if (Top(state, i) != Top(state, 0)) {
        State next = state;
        std::swap(next.stack[size - 1], next.stack[size - 1 - i]);
        Add({TasmOp::kSwap, i}, std::move(next));
      }
      if (i == 1) continue;
      State up = state;
      const auto end = up.stack.end();
      std::rotate(end - static_cast<std::ptrdiff_t>(i) - 1, end - static_cast<std::ptrdiff_t>(i),
                  end);
      Add({TasmOp::kPick, i}, std::move(up));
      State down = state;
      const auto last = down.stack.end();
      std::rotate(last - static_cast<std::ptrdiff_t>(i) - 1, last - 1, last);
      Add({TasmOp::kPlace, i}, std::move(down));
    }
    State next = state;
    for (std::size_t n = 1; n <= kTasmMaxCount && n <= size; ++n) {
      if (!estimator_.Surplus(Top(state, n - 1))) break;
      next.stack.pop_back();
      Add({TasmOp::kPop, n}, next);
    }
  }

  void Constants(const State& state) {
    for (std::size_t value = 0; value < model_.sources.size(); ++value) {
      if (model_.sources[value].kind != Source::Kind::kConstant) continue;
      // Addresses of RAM are not counted as uses.
      if (!estimator_.Wanted(static_cast<Value>(value)) &&
          !IsAddress(static_cast<Value>(value), state)) {
        continue;
      }
      State next = state;
      next.stack.push_back(static_cast<Value>(value));
      Add({TasmOp::kPush, model_.sources[value].constant}, std::move(next));
    }
    if (state.stack.empty()) return;
    for (const auto& [constant, sum] : model_.additions[Top(state, 0)]) {
      if (!estimator_.Wanted(sum) && !IsAddress(sum, state) && !IsMissing(sum, state)) continue;
      State next = state;
      next.stack.back() = sum;
      Add({TasmOp::kAddI, constant}, std::move(next));
    }
  }

  bool IsMissing(Value value, const State& state) const {
    return model_.sources[value].kind != Source::Kind::kStack &&
           std::find(state.stack.begin(), state.stack.end(), value) == state.stack.end();
  }

  bool IsAddress(Value value, const State& state) const {
    const auto is = [&](const Access& access) { return access.address == value; };
    const auto& loads = model_.loads[state.stores];
    return (state.stores < model_.stores.size() && is(model_.stores[state.stores])) ||
           std::any_of(loads.begin(), loads.end(), is);
  }

  bool Matches(const State& state, const std::vector<Value>& takes) const {
    if (takes.size() > state.stack.size()) return false;
    for (std::size_t i = 0; i < takes.size(); ++i) {
      if (Top(state, i) != takes[i]) return false;
    }
    return true;
  }

  static State Replaced(const State& state, std::size_t takes, const std::vector<Value>& leaves) {
    State next = state;
    next.stack.resize(next.stack.size() - takes);
    for (std::size_t i = leaves.size(); i-- > 0;) next.stack.push_back(leaves[i]);
    return next;
  }

  void Operations(const State& state) {
    for (std::size_t i = 0; i < model_.operations.size(); ++i) {
      const Operation& operation = model_.operations[i];
      if (!estimator_.Needed(i)) continue;
      if (operation.instruction.op == TasmOp::kAddI) continue;  // see Constants
      bool matches = Matches(state, operation.takes);
      if (!matches && operation.takes.size() == 2 && Commutes(operation.instruction.op)) {
        matches = Matches(state, {operation.takes[1], operation.takes[0]});
      }
      if (!matches) continue;
      State next = Replaced(state, operation.takes.size(), operation.leaves);
      next.checks |= operation.checks;
      Add(operation.instruction, std::move(next));
    }
  }

  static bool Commutes(TasmOp op) {
    return op == TasmOp::kAdd || op == TasmOp::kMul || op == TasmOp::kEq || op == TasmOp::kAnd ||
           op == TasmOp::kXor;
  }

  void Streams(const State& state) {
    State in = state;
    for (std::size_t n = 1; n <= kTasmMaxCount && in.inputs < model_.inputs.size(); ++n) {
      in.stack.push_back(model_.inputs[in.inputs++]);
      Add({TasmOp::kReadIo, n}, in);
    }
    State secret = state;
    for (std::size_t n = 1; n <= kTasmMaxCount && secret.secrets < model_.secrets.size(); ++n) {
      secret.stack.push_back(model_.secrets[secret.secrets++]);
      Add({TasmOp::kDivine, n}, secret);
    }
    State out = state;
    for (std::size_t n = 1; n <= kTasmMaxCount && out.outputs < model_.outputs.size(); ++n) {
      if (out.stack.empty() || out.stack.back() != model_.outputs[out.outputs]) break;
      out.stack.pop_back();
      ++out.outputs;
      Add({TasmOp::kWriteIo, n}, out);
    }
  }

  void Memory(const State& state) {
    if (state.stack.empty()) return;
    const Value pointer = Top(state, 0);
    State store = state;
    store.stack.pop_back();
    for (std::size_t n = 1; n <= kTasmMaxCount && store.stores < model_.stores.size(); ++n) {
      const Access& access = model_.stores[store.stores];
      const Value here = n == 1 ? pointer : model_.steps[pointer][n - 1 + 5];
      const Value after = model_.steps[pointer][n + 5];
      if (here != access.address || store.stack.empty() || store.stack.back() != access.value ||
          after == kNoValue) {
        break;
      }
      store.stack.pop_back();
      ++store.stores;
      State next = store;
      next.stack.push_back(after);
      Add({TasmOp::kWriteMem, n}, std::move(next));
    }
    State load = state;
    load.stack.pop_back();
    for (std::size_t n = 1; n <= kTasmMaxCount; ++n) {
      const Value here = n == 1 ? pointer : model_.steps[pointer][5 - (n - 1)];
      const Value after = model_.steps[pointer][5 - n];
      const auto& loads = model_.loads[state.stores];
      const auto found = std::find_if(loads.begin(), loads.end(),
                                      [&](const Access& access) { return access.address == here; });
      if (here == kNoValue || after == kNoValue || found == loads.end()) break;
      load.stack.push_back(found->value);
      State next = load;
      next.stack.push_back(after);
      Add({TasmOp::kReadMem, n}, std::move(next));
    }
  }

  void Events(const State& state) {
    if (state.events == model_.events.size()) return;
    const Event& event = model_.events[state.events];
    if (event.reads_ram && event.stores != state.stores) return;
    if (!Matches(state, event.takes)) return;
    State next = Replaced(state, event.takes.size(), event.leaves);
    ++next.events;
    Add(event.instruction, std::move(next));
  }

  const BlockModel& model_;
  Estimator estimator_;
  std::size_t beam_;
  std::size_t limit_;  // longest schedule of interest
  std::size_t reach_;
  std::size_t length_ = 0;
  bool dropped_ = false;
  std::uint64_t states_ = 0;
  std::vector<std::pair<TasmInstruction, State>> moves_;
  std::vector<State> next_;
  std::vector<Trace> traces_;
  std::unordered_set<std::uint64_t> seen_;
  std::vector<std::vector<TasmInstruction>> found_;
};

}  // namespace

Schedule FindSchedule(const std::vector<TasmInstruction>& code, const ScheduleOptions& options) {
  Schedule schedule;
  schedule.code = code;
  if (code.empty()) {
    schedule.optimal = true;
    return schedule;
  }
  const auto model = ModelRun(code, options.known_depth);
  if (!model) return schedule;
  Search search(*model, code.size() - 1, options.beam);
  auto found = search.Run();
  schedule.states = search.states();
  schedule.optimal = !search.dropped() && !MakesNothingNew(*model);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return TasmWordCount(a) < TasmWordCount(b);
  });
  for (const auto& candidate : found) {
    if (TasmWordCount(candidate) > TasmWordCount(code) ||
        !ProveStraight(code, candidate, options.known_depth))
      continue;
    schedule.code = candidate;
    schedule.improved = true;
    return schedule;
  }
  if (!found.empty()) schedule.optimal = false;
  return schedule;
}

}  // namespace txvm::neural
