#include "neural/triton/superopt/search.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_set>

#include "neural/triton/field/memory.h"
#include "neural/triton/prove/equivalence.h"
#include "neural/triton/superopt/estimate.h"
#include "neural/triton/superopt/model.h"

namespace txvm::triton {
namespace {

constexpr std::uint32_t kMostAdvice = 0x4000'0000;  // a score with it still fits

struct Trace {
  std::uint32_t parent;
  TasmInstruction instruction;
};

std::uint64_t HashOf(const SearchState& state) {
  std::uint64_t hash = state.checks;
  for (const std::uint64_t part :
       {std::uint64_t{state.inputs}, std::uint64_t{state.secrets}, std::uint64_t{state.outputs},
        std::uint64_t{state.stores}, std::uint64_t{state.events}}) {
    hash = MixBits(hash * 31 + part);
  }
  for (const Value value : state.stack) hash = MixBits(hash ^ (value + 0x9E37'79B9'7F4A'7C15));
  return hash;
}

class Search {
 public:
  Search(const BlockModel& model, std::size_t length, const ScheduleOptions& options)
      : model_(model),
        estimator_(model),
        guide_(options.guide ? options.guide->Begin(model) : nullptr),
        beam_(options.beam),
        limit_(length) {
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
    SearchState start;
    start.stack = model_.start;
    if (IsGoal(start)) return {{}};
    std::vector<SearchState> layer = {start};
    for (std::size_t length = 0; length + 1 <= limit_ && !layer.empty(); ++length) {
      next_.clear();
      length_ = length + 1;
      for (const SearchState& state : layer) Expand(state);
      if (!found_.empty()) return found_;
      if (next_.size() > beam_) {
        std::nth_element(
            next_.begin(), next_.begin() + static_cast<std::ptrdiff_t>(beam_), next_.end(),
            [](const SearchState& a, const SearchState& b) { return a.score < b.score; });
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
  Value Top(const SearchState& state, std::size_t i) const {
    return state.stack[state.stack.size() - 1 - i];
  }

  void Expand(const SearchState& state) {
    const std::uint32_t left = estimator_.Count(state);
    // The estimator is used again for the successors: take the decisions first.
    moves_.clear();
    Moves(state);
    order_.resize(moves_.size());
    std::iota(order_.begin(), order_.end(), 0);
    if (guide_ && !moves_.empty()) Advise(state, left);
    for (const std::size_t i : order_) Accept(state, moves_[i].second, moves_[i].first);
  }

  void Advise(const SearchState& state, std::uint32_t left) {
    instructions_.clear();
    for (const auto& move : moves_) instructions_.push_back(move.first);
    costs_.assign(moves_.size(), 0);
    guide_->Rate(estimator_.View(state, left), instructions_, costs_);
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      const std::uint64_t sum = std::uint64_t{state.advice} + costs_[i];
      moves_[i].second.advice =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, kMostAdvice));
    }
    // Of two moves to one state the first is kept.
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return costs_[a] < costs_[b]; });
  }

  void Add(const TasmInstruction& instruction, SearchState successor) {
    moves_.emplace_back(instruction, std::move(successor));
  }

  void Accept(const SearchState& from, SearchState& state, const TasmInstruction& instruction) {
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
    if (guide_) state.score = state.score * (kGuideUnit / 8) + state.advice;
    next_.push_back(std::move(state));
  }

  bool IsGoal(const SearchState& state) const {
    return state.stack == model_.target && state.inputs == model_.inputs.size() &&
           state.secrets == model_.secrets.size() && state.outputs == model_.outputs.size() &&
           state.stores == model_.stores.size() && state.events == model_.events.size() &&
           (state.checks & model_.checks) == model_.checks;
  }

  std::vector<TasmInstruction> CodeOf(std::uint32_t trace) const {
    std::vector<TasmInstruction> code;
    for (; trace != kNoTrace; trace = traces_[trace].parent)
      code.push_back(traces_[trace].instruction);
    std::reverse(code.begin(), code.end());
    return code;
  }

  void Moves(const SearchState& state) {
    StackMoves(state);
    Constants(state);
    Operations(state);
    Streams(state);
    Memory(state);
    Events(state);
  }

  void StackMoves(const SearchState& state) {
    const std::size_t size = state.stack.size();
    const std::size_t reach = std::min(
        reach_ + (size > model_.start.size() ? size - model_.start.size() : 0), kTasmRegisters);
    for (std::size_t i = 0; i < std::min(size, kTasmRegisters); ++i) {
      if (!estimator_.Wanted(Top(state, i))) continue;
      SearchState next = state;
      next.stack.push_back(Top(state, i));
      Add({TasmOp::kDup, i}, std::move(next));
    }
    for (std::size_t i = 1; i < std::min(reach, size); ++i) {
      if (Top(state, i) != Top(state, 0)) {
        SearchState next = state;
        std::swap(next.stack[size - 1], next.stack[size - 1 - i]);
        Add({TasmOp::kSwap, i}, std::move(next));
      }
      if (i == 1) continue;
      SearchState up = state;
      const auto end = up.stack.end();
      std::rotate(end - static_cast<std::ptrdiff_t>(i) - 1, end - static_cast<std::ptrdiff_t>(i),
                  end);
      Add({TasmOp::kPick, i}, std::move(up));
      SearchState down = state;
      const auto last = down.stack.end();
      std::rotate(last - static_cast<std::ptrdiff_t>(i) - 1, last - 1, last);
      Add({TasmOp::kPlace, i}, std::move(down));
    }
    SearchState next = state;
    for (std::size_t n = 1; n <= kTasmMaxCount && n <= size; ++n) {
      if (!estimator_.Surplus(Top(state, n - 1))) break;
      next.stack.pop_back();
      Add({TasmOp::kPop, n}, next);
    }
  }

  void Constants(const SearchState& state) {
    for (std::size_t value = 0; value < model_.sources.size(); ++value) {
      if (model_.sources[value].kind != Source::Kind::kConstant) continue;
      // Addresses of RAM are not counted as uses.
      if (!estimator_.Wanted(static_cast<Value>(value)) &&
          !IsAddress(static_cast<Value>(value), state)) {
        continue;
      }
      SearchState next = state;
      next.stack.push_back(static_cast<Value>(value));
      Add({TasmOp::kPush, model_.sources[value].constant}, std::move(next));
    }
    if (state.stack.empty()) return;
    for (const auto& [constant, sum] : model_.additions[Top(state, 0)]) {
      if (!estimator_.Wanted(sum) && !IsAddress(sum, state) && !IsMissing(sum, state)) continue;
      SearchState next = state;
      next.stack.back() = sum;
      Add({TasmOp::kAddI, constant}, std::move(next));
    }
  }

  bool IsMissing(Value value, const SearchState& state) const {
    return model_.sources[value].kind != Source::Kind::kStack &&
           std::find(state.stack.begin(), state.stack.end(), value) == state.stack.end();
  }

  bool IsAddress(Value value, const SearchState& state) const {
    const auto is = [&](const Access& access) { return access.address == value; };
    const auto& loads = model_.loads[state.stores];
    return (state.stores < model_.stores.size() && is(model_.stores[state.stores])) ||
           std::any_of(loads.begin(), loads.end(), is);
  }

  bool Matches(const SearchState& state, const std::vector<Value>& takes) const {
    if (takes.size() > state.stack.size()) return false;
    for (std::size_t i = 0; i < takes.size(); ++i) {
      if (Top(state, i) != takes[i]) return false;
    }
    return true;
  }

  static SearchState Replaced(const SearchState& state, std::size_t takes,
                              const std::vector<Value>& leaves) {
    SearchState next = state;
    next.stack.resize(next.stack.size() - takes);
    for (std::size_t i = leaves.size(); i-- > 0;) next.stack.push_back(leaves[i]);
    return next;
  }

  void Operations(const SearchState& state) {
    for (std::size_t i = 0; i < model_.operations.size(); ++i) {
      const Operation& operation = model_.operations[i];
      if (!estimator_.Needed(i)) continue;
      if (operation.instruction.op == TasmOp::kAddI) continue;  // see Constants
      bool matches = Matches(state, operation.takes);
      if (!matches && operation.takes.size() == 2 && Info(operation.instruction.op).commutes) {
        matches = Matches(state, {operation.takes[1], operation.takes[0]});
      }
      if (!matches) continue;
      SearchState next = Replaced(state, operation.takes.size(), operation.leaves);
      next.checks |= operation.checks;
      Add(operation.instruction, std::move(next));
    }
  }

  void Streams(const SearchState& state) {
    SearchState in = state;
    for (std::size_t n = 1; n <= kTasmMaxCount && in.inputs < model_.inputs.size(); ++n) {
      in.stack.push_back(model_.inputs[in.inputs++]);
      Add({TasmOp::kReadIo, n}, in);
    }
    SearchState secret = state;
    for (std::size_t n = 1; n <= kTasmMaxCount && secret.secrets < model_.secrets.size(); ++n) {
      secret.stack.push_back(model_.secrets[secret.secrets++]);
      Add({TasmOp::kDivine, n}, secret);
    }
    SearchState out = state;
    for (std::size_t n = 1; n <= kTasmMaxCount && out.outputs < model_.outputs.size(); ++n) {
      if (out.stack.empty() || out.stack.back() != model_.outputs[out.outputs]) break;
      out.stack.pop_back();
      ++out.outputs;
      Add({TasmOp::kWriteIo, n}, out);
    }
  }

  void Memory(const SearchState& state) {
    if (state.stack.empty()) return;
    const Value pointer = Top(state, 0);
    SearchState store = state;
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
      SearchState next = store;
      next.stack.push_back(after);
      Add({TasmOp::kWriteMem, n}, std::move(next));
    }
    SearchState load = state;
    load.stack.pop_back();
    for (std::size_t n = 1; n <= kTasmMaxCount; ++n) {
      const Value here = n == 1 ? pointer : model_.steps[pointer][5 - (n - 1)];
      const Value after = model_.steps[pointer][5 - n];
      const auto& loads = model_.loads[state.stores];
      const auto found = std::find_if(loads.begin(), loads.end(),
                                      [&](const Access& access) { return access.address == here; });
      if (here == kNoValue || after == kNoValue || found == loads.end()) break;
      load.stack.push_back(found->value);
      SearchState next = load;
      next.stack.push_back(after);
      Add({TasmOp::kReadMem, n}, std::move(next));
    }
  }

  void Events(const SearchState& state) {
    if (state.events == model_.events.size()) return;
    const Event& event = model_.events[state.events];
    if (event.reads_ram && event.stores != state.stores) return;
    if (!Matches(state, event.takes)) return;
    SearchState next = Replaced(state, event.takes.size(), event.leaves);
    ++next.events;
    Add(event.instruction, std::move(next));
  }

  const BlockModel& model_;
  Estimator estimator_;
  std::unique_ptr<BlockGuide> guide_;  // may be null
  std::size_t beam_;
  std::size_t limit_;  // longest schedule of interest
  std::size_t reach_;
  std::size_t length_ = 0;
  bool dropped_ = false;
  std::uint64_t states_ = 0;
  std::vector<std::pair<TasmInstruction, SearchState>> moves_;
  std::vector<TasmInstruction> instructions_;  // of moves_
  std::vector<std::uint32_t> costs_;
  std::vector<std::size_t> order_;  // in which moves_ are accepted
  std::vector<SearchState> next_;
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
  Search search(*model, code.size() - 1, options);
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

}  // namespace txvm::triton
