#include "neural/triton/guide/features.h"

#include <algorithm>
#include <bit>

#include "neural/triton/field/memory.h"

namespace txvm::triton::guide {
namespace {

constexpr std::size_t kCode = 16;         // numbers of a code
constexpr std::int32_t kSign = kOne / 2;  // of a code
constexpr std::size_t kSourceKinds =
    kTasmOps.size();  // kinds of source are numbered after instructions

// count / of in units of kOne, clamped to +-2.
std::int32_t Share(std::int64_t count, std::int64_t of) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(count * kOne / of, -2 * kOne, 2 * kOne));
}

// Signs that tell kinds apart; any fixed ones would do.
void WriteKind(std::size_t kind, std::int32_t* code) {
  const std::uint64_t bits = MixBits(kind + 1);
  for (std::size_t i = 0; i < kCode; ++i) code[i] = (bits >> i & 1) != 0 ? kSign : -kSign;
}

// Row `number` mod 16 of the Walsh matrix, negated from 16 on: no two have a positive product.
void WriteNumber(std::size_t number, std::int32_t* code) {
  for (std::size_t i = 0; i < kCode; ++i) {
    const bool odd = (std::popcount(number % kCode & i) + (number >= kCode ? 1 : 0)) % 2 != 0;
    code[i] = odd ? -kSign : kSign;
  }
}

// The facts of a value before any search.
struct Life {
  std::size_t kind = kSourceKinds;
  std::array<Value, 2> operands = {kNoValue, kNoValue};
  std::int64_t made = 0, last = 0, uses = 0;
  std::int64_t depth = -1;  // from the top of the target; -1: not there
  bool moves = false;       // there at the start, and not where it was at the end
};

class Lives {
 public:
  explicit Lives(const BlockModel& model) : model_(model), lives_(model.sources.size()) {
    for (std::size_t v = 0; v < lives_.size(); ++v) {
      lives_[v].kind = kSourceKinds + static_cast<std::size_t>(model.sources[v].kind);
    }
    for (const Operation& operation : model.operations) Instruct(operation);
    for (const Event& event : model.events) Instruct(event);
    for (const Value value : model.outputs) Use(value);
    for (const Access& store : model.stores) {
      Use(store.address);
      Use(store.value);
    }
    for (const auto& loads : model.loads) {
      for (const Access& load : loads) {
        Use(load.address);
        lives_[load.value].operands[0] = load.address;
      }
    }
    ReadTarget();
  }

  std::int64_t end() const { return now_ + 1; }
  const Life& operator[](std::size_t value) const { return lives_[value]; }

  bool HasNode(std::size_t value) const {
    const Life& life = lives_[value];
    return model_.sources[value].kind != Source::Kind::kStack || life.uses != 0 || life.moves;
  }

 private:
  template <typename Instruction>
  void Instruct(const Instruction& what) {
    ++now_;
    for (const Value value : what.takes) Use(value);
    for (const Value value : what.leaves) {
      Life& life = lives_[value];
      if (life.made != 0) continue;
      life.made = now_;
      life.kind = static_cast<std::size_t>(what.instruction.op);
      for (std::size_t i = 0; i < std::min(what.takes.size(), life.operands.size()); ++i) {
        life.operands[i] = what.takes[i];
      }
    }
  }

  void Use(Value value) {
    lives_[value].last = now_;
    ++lives_[value].uses;
  }

  void ReadTarget() {
    const auto& start = model_.start;
    const auto& target = model_.target;
    for (std::size_t i = 0; i < start.size(); ++i) {
      if (i >= target.size() || target[i] != start[i]) lives_[start[i]].moves = true;
    }
    for (std::size_t i = 0; i < target.size(); ++i) {
      Life& life = lives_[target[i]];
      life.depth = static_cast<std::int64_t>(target.size() - 1 - i);
      if (i < start.size() && target[i] == start[i]) continue;
      ++life.uses;
      life.last = now_ + 1;
    }
  }

  const BlockModel& model_;
  std::vector<Life> lives_;
  std::int64_t now_ = 0;
};

// The instructions that could run if their operands were on top, the likeliest first.
class Ready {
 public:
  Ready(const BlockModel& model, const GuidedState& state) : state_(state) {
    for (std::size_t i = 0; i < model.operations.size() && count_ < kLists; ++i) {
      if (state.needed[i]) Offer(model.operations[i].takes);
    }
    operations_ = count_;
    if (state.events < model.events.size()) Offer(model.events[state.events].takes);
    if (state.outputs < model.outputs.size()) Offer({&model.outputs[state.outputs], 1});
    if (state.stores < model.stores.size()) {
      const Access& store = model.stores[state.stores];
      store_ = {store.address, store.value};
      Offer(store_);
    }
  }
  Ready(const Ready&) = delete;
  Ready& operator=(const Ready&) = delete;

  /// The number of operations among them.
  std::size_t operations() const { return operations_; }

  void Write(Value value, std::int32_t& rank, std::int32_t& operand) const {
    for (std::size_t i = 0; i < count_; ++i) {
      const auto found = std::find(lists_[i].begin(), lists_[i].end(), value);
      if (found == lists_[i].end()) continue;
      rank = kOne >> i;
      const auto at = found - lists_[i].begin();
      operand = at == 0 ? kOne : at == 1 ? -kOne : -kOne / 2;
      return;
    }
  }

 private:
  static constexpr std::size_t kLists = 4;

  void Offer(std::span<const Value> takes) {
    if (count_ == kLists || takes.empty()) return;
    const auto& stack = state_.stack;
    for (const Value value : takes) {
      // The top is the likeliest place.
      if (std::find(stack.rbegin(), stack.rend(), value) == stack.rend()) return;
    }
    lists_[count_++] = takes;
  }

  const GuidedState& state_;
  std::array<Value, 2> store_{};
  std::array<std::span<const Value>, kLists> lists_;
  std::size_t count_ = 0, operations_ = 0;
};

}  // namespace

RunNodes NodesOf(const BlockModel& model) {
  const Lives lives(model);
  RunNodes nodes;
  nodes.of_value.assign(model.sources.size(), kNoNode);
  // Values that the run makes come first: words of the start stack go without when nodes run out.
  for (const bool stack : {false, true}) {
    for (std::size_t v = 0; v < model.sources.size() && nodes.count < kNodes; ++v) {
      if ((model.sources[v].kind == Source::Kind::kStack) != stack || !lives.HasNode(v)) continue;
      nodes.of_value[v] = static_cast<std::uint8_t>(nodes.count++);
    }
  }
  for (std::size_t v = 0; v < model.sources.size(); ++v) {
    const std::size_t node = nodes.of_value[v];
    if (node == kNoNode) continue;
    const Life& life = lives[v];
    std::int32_t* code = nodes.codes[node].data();
    WriteKind(life.kind, code);
    WriteNumber(node, code + kCode);
    for (std::size_t i = 0; i < life.operands.size(); ++i) {
      const Value from = life.operands[i];
      if (from == kNoValue || nodes.of_value[from] == kNoNode) continue;
      WriteNumber(nodes.of_value[from], code + (2 + i) * kCode);
    }
    nodes.scalars[node] = {Share(life.made, lives.end()), Share(life.last, lives.end()),
                           Share(life.uses, 4), life.depth < 0 ? 0 : Share(16 - life.depth, 16)};
  }
  return nodes;
}

StateInput Describe(const BlockModel& model, const RunNodes& nodes, const GuidedState& state) {
  StateInput input;
  input.nodes.fill(kNoNode);
  const Ready ready(model, state);
  const std::size_t size = state.stack.size();
  std::int64_t misplaced = 0;
  for (std::size_t i = 0; i < std::min(size, kWords); ++i) {
    const std::size_t place = size - 1 - i;
    const Value value = state.stack[place];
    std::int32_t* lanes = &input.lanes[i * kLanes];
    input.nodes[i] = nodes.of_value[value];
    lanes[3] = Share(std::int64_t{state.uses[value]} - state.copies[value], 2);
    const bool stays = place < model.target.size() && model.target[place] == value;
    misplaced += stays ? 0 : 1;
    lanes[4] = stays ? 0 : kOne;
    ready.Write(value, lanes[5], lanes[6]);
  }
  std::int64_t wanted = 0;
  for (std::size_t v = 0; v < model.sources.size(); ++v) {
    wanted += model.sources[v].kind == Source::Kind::kConstant && state.uses[v] > state.copies[v];
  }
  const auto left = [](std::size_t all, std::size_t done) {
    return Share(static_cast<std::int64_t>(all - done), 4);
  };
  const std::array whole = {
      Share(static_cast<std::int64_t>(size) - static_cast<std::int64_t>(model.target.size()), 4),
      left(model.outputs.size(), state.outputs),
      left(model.inputs.size(), state.inputs),
      left(model.secrets.size(), state.secrets),
      left(model.stores.size(), state.stores),
      left(model.events.size(), state.events),
      Share(std::count(state.needed.begin(), state.needed.end(), true), 8),
      Share(static_cast<std::int64_t>(state.left), 16),
      Share(static_cast<std::int64_t>(ready.operations()), 4),
      Share(misplaced, 8),
      Share(wanted, 2),
  };
  static_assert(whole.size() <= kWords);
  for (std::size_t i = 0; i < whole.size(); ++i) input.lanes[i * kLanes + 7] = whole[i];
  return input;
}

MoveCode CodeOf(const BlockModel& model, const TasmInstruction& instruction) {
  MoveCode code{static_cast<std::uint8_t>(instruction.op), 0, true};
  switch (Info(instruction.op).arg) {
    case TasmArg::kRegister:
    case TasmArg::kCount:
      code.arg = static_cast<std::uint8_t>(instruction.arg);
      return code;
    case TasmArg::kElement: {
      std::uint8_t number = 0;
      for (const Source& source : model.sources) {
        if (source.kind != Source::Kind::kConstant) continue;
        if (source.constant == instruction.arg || number == 15) break;
        ++number;
      }
      code.arg = number;
      return code;
    }
    case TasmArg::kNone:
    case TasmArg::kLabel:
      break;
  }
  code.has_arg = false;
  return code;
}

}  // namespace txvm::triton::guide
