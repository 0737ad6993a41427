// The attention engine around its loop: keys, queries and biases from the head matrices, and the
// checked variant.
// Declared in vm/engines/attention.h.

#include <algorithm>
#include <limits>
#include <utility>

#include "vm/engines/alternate-inl.h"
#include "vm/engines/attention.h"
#include "vm/engines/attention_loop.h"
#include "vm/memory/tile_keys.h"
#include "weights/plan.h"

namespace txvm::vm {
namespace {

using weights::HeadId;
using weights::HeadMatrices;
using weights::HeadPlan;

class TiledEngine final : public AttentionEngine {
 public:
  explicit TiledEngine(const EngineContext& context);
  isa::Result<void> Reserve(const HeadMatrices& matrices);

  Stop Run(State& state, std::uint64_t fuel, Observer* observer) override;
  bool Forget() override {
    gate_ = {};
    return true;
  }
  std::uint64_t LiveKeys(const State& state, Space space) const override;
  std::span<std::int16_t> KeyTile(Space space, std::uint64_t address) override;
  std::size_t tile_keys() const override { return target_.tile_keys; }

 private:
  friend struct HeadReads;
  /// Threaded code of the plain or the observed loop, and its code tiles.
  struct Code {
    Threaded threaded;
    Reservation<std::byte> tiles;
  };
  /// What the weights say for every program instance: keys of the code, tiles of the other spaces.
  struct Keys {
    HeadPlan plan;
    bool tabled = false;  // the plan is that of heads.def
    TileKeys code;
    vm::KeyTile stack, locals, call, memory;
  };
  isa::Result<Keys> MakeKeys(const HeadMatrices& matrices) const;
  std::shared_ptr<const Code> CodeFor(bool observe);
  isa::Result<Code> MakeCode(bool observe) const;
  /// A number of this target's tables among a program's.
  std::uint64_t Variant() const { return reinterpret_cast<std::uintptr_t>(target_.run); }
  FastExit RunFast(const Code& code, State& state, std::uint64_t* fuel, Observer* observer);
  void EnsureKeys(const State& state);
  bool PrepareCall(LoopContext* loop, std::uint32_t target, std::uint32_t sp, std::uint64_t base,
                   std::uint32_t depth);
  std::int64_t Winner(const std::int16_t* keys, std::uint64_t address) const;

  EngineContext context_;
  FrameRoom room_;
  FastGate gate_;
  AttentionTarget target_;
  std::shared_ptr<const Keys> keys_;
  std::shared_ptr<const SharedKeys> memory_keys_;
  TileKeys stack_keys_, local_keys_, call_keys_;
  std::uint32_t ready_depth_ = 0;
  std::shared_ptr<const Code> plain_, observed_;  // nullptr until first needed
  bool altered_ = false;  // keys were handed out to be changed: the fast loop's invariant is off
};

KeyTile TileOf(const HeadMatrices& matrices, HeadId head, std::size_t tile_keys) {
  const weights::KeyRows rows = weights::TileKeys(matrices, head, tile_keys);
  KeyTile tile = rows.k0;
  tile.insert(tile.end(), rows.k1.begin(), rows.k1.end());
  return tile;
}

TiledEngine::TiledEngine(const EngineContext& context)
    : context_(context), room_(FrameRoom::Of(context)), target_(ChooseAttentionTarget()) {}

/// The fast loop is compiled for the plan of heads.def; any other plan runs the checked variant,
/// which takes every bias as it is.
bool IsTabled(const HeadPlan& plan) {
  return std::all_of(plan.reads.begin(), plan.reads.end(), [](const weights::HeadRead& read) {
    return read.bias == weights::Spec(read.id).offset;
  });
}

isa::Result<TiledEngine::Keys> TiledEngine::MakeKeys(const HeadMatrices& matrices) const {
  const std::size_t tile = target_.tile_keys;
  const std::size_t size = context_.program.code.size();
  Keys keys;
  TXVM_TRY(keys.plan, weights::DerivePlan(matrices));
  keys.tabled = IsTabled(keys.plan);
  keys.stack = TileOf(matrices, HeadId::kStackSecond, tile);
  keys.locals = TileOf(matrices, HeadId::kLocal, tile);
  keys.call = TileOf(matrices, HeadId::kFrame, tile);
  keys.memory = TileOf(matrices, HeadId::kByte0, tile);
  TXVM_TRY(keys.code,
           TileKeys::Create(size, TileOf(matrices, HeadId::kFetch, tile), PageOffset::kAny));
  if (size != 0) keys.code.Ensure(size - 1);  // 0: not verified
  for (std::size_t ip = size; ip % tile != 0;
       ++ip) {  // positions of the last tile that hold no instruction
    const std::span<std::int16_t> last = keys.code.Tile(ip);
    last[ip % tile] = 0;
    last[tile + ip % tile] = kNoKeyScore;
  }
  return keys;
}

isa::Result<void> TiledEngine::Reserve(const HeadMatrices& matrices) {
  isa::Error error;  // of whatever `kept` could not make
  const auto kept = [&]<typename T>(isa::Result<T> made) -> std::shared_ptr<const T> {
    if (made) return std::make_shared<const T>(*std::move(made));
    error = std::move(made).error();
    return nullptr;
  };
  keys_ = TableOf<Keys>(context_.tables, TableKind::kAttentionKeys, Variant(),
                        [&] { return kept(MakeKeys(matrices)); });
  if (keys_ == nullptr) return std::unexpected(std::move(error));
  const auto& memory = context_.program.memory;
  const std::uint64_t pages =
      std::min<std::uint64_t>(memory ? memory->maximum : 0, context_.limits.max_pages);
  memory_keys_ = TableOf<SharedKeys>(
      context_.tables, TableKind::kAttentionMemoryKeys, pages << 8 | target_.tile_keys,
      [&] { return kept(SharedKeys::Create(pages * isa::kPageBytes, keys_->memory)); });
  if (memory_keys_ == nullptr) return std::unexpected(std::move(error));
  TXVM_TRY(stack_keys_, TileKeys::Create(std::size_t{context_.limits.max_slots} + 1, keys_->stack,
                                         PageOffset::kStackKeys));
  TXVM_TRY(local_keys_,
           TileKeys::Create(context_.limits.max_locals, keys_->locals, PageOffset::kLocalKeys));
  TXVM_TRY(call_keys_, TileKeys::Create(std::size_t{context_.limits.max_depth} + 1, keys_->call,
                                        PageOffset::kCallKeys));
  return {};
}

std::int64_t TiledEngine::Winner(const std::int16_t* keys, std::uint64_t address) const {
  const std::uint64_t tile = address - address % target_.tile_keys;
  const std::uint32_t lane =
      target_.winning_key(keys + tile * 2, static_cast<std::uint32_t>(address));
  return lane < target_.tile_keys ? static_cast<std::int64_t>(tile + lane) : -1;
}

/// How the checked variant reads: one head at a time, its bias from the plan, absent addresses
/// looked at before any load.
struct HeadReads {
  TiledEngine& engine;
  State& state;
  Observer* observer;

  void Count(Space space, std::uint64_t heads, std::uint64_t tiles) const {
    if (observer == nullptr) return;
    observer->stats().heads[static_cast<std::size_t>(space)] += heads;
    observer->stats().keys[static_cast<std::size_t>(space)] += tiles * engine.target_.tile_keys;
  }
  /// Address of a head's query, or nothing when it lies outside 0..limit-1.
  std::optional<std::uint64_t> Query(HeadId head, std::uint64_t address,
                                     std::uint64_t limit) const {
    const std::int64_t query = static_cast<std::int64_t>(address) + engine.keys_->plan[head].bias;
    if (query < 0 || query >= static_cast<std::int64_t>(limit)) return std::nullopt;
    return static_cast<std::uint64_t>(query);
  }

  /// The address of the winning key of `keys` at `query`; -1 when none reaches it. `first` is the
  /// address of keys[0]. Tells an observer that wants to know.
  std::int64_t Attend(HeadId head, const std::int16_t* keys, std::uint64_t query,
                      std::uint64_t first = 0) const {
    const std::int64_t within = engine.Winner(keys, query - first);
    const std::int64_t winner = within < 0 ? -1 : static_cast<std::int64_t>(first) + within;
    if (observer != nullptr && observer->wants_heads()) Report(head, keys, query, first, winner);
    return winner;
  }
  void Report(HeadId head, const std::int16_t* keys, std::uint64_t query, std::uint64_t first,
              std::int64_t winner) const;

  bool Fetch(std::uint32_t ip, isa::Instruction* instruction) const {
    const auto& code = engine.context_.program.code;
    const auto query = Query(HeadId::kFetch, ip, code.size());
    const std::int64_t winner =
        query ? Attend(HeadId::kFetch, engine.keys_->code.data(), *query) : -1;
    if (winner < 0 || winner >= static_cast<std::int64_t>(code.size())) return false;
    Count(Space::kCode, 1, 1);
    *instruction = code[static_cast<std::size_t>(winner)];
    return true;
  }
  Word Slot(HeadId head, std::uint32_t sp) const {
    Count(Space::kStack, 1, 1);
    const auto query = Query(head, sp, std::uint64_t{engine.context_.limits.max_slots} + 1);
    if (!query) return 0;
    engine.stack_keys_.Ensure(*query);
    const std::int64_t winner = Attend(head, engine.stack_keys_.data(), *query);
    return winner < 0 ? 0 : state.slots[static_cast<std::size_t>(winner)];
  }
  Word Second(std::uint32_t sp) const { return Slot(HeadId::kStackSecond, sp); }
  Word Third(std::uint32_t sp) const { return Slot(HeadId::kStackThird, sp); }
  Word Local(std::uint32_t slot) const {
    Count(Space::kLocals, 1, 1);
    const auto query = Query(HeadId::kLocal, slot, engine.context_.limits.max_locals);
    if (!query) return 0;
    engine.local_keys_.Ensure(*query);
    const std::int64_t winner = Attend(HeadId::kLocal, engine.local_keys_.data(), *query);
    return winner < 0 ? 0 : state.locals[static_cast<std::size_t>(winner)];
  }
  Frame Call(std::uint32_t depth) const {
    Count(Space::kCall, 1, 1);
    const auto query =
        Query(HeadId::kFrame, depth, std::uint64_t{engine.context_.limits.max_depth} + 1);
    if (!query) return {};
    engine.call_keys_.Ensure(*query);
    const std::int64_t winner = Attend(HeadId::kFrame, engine.call_keys_.data(), *query);
    return winner < 0 ? Frame{} : state.frames[static_cast<std::size_t>(winner)];
  }
  Word Memory(std::uint64_t address, unsigned bytes) const {
    const std::size_t tile = engine.target_.tile_keys;
    Count(Space::kMemory, bytes, address % tile + bytes <= tile ? 1 : bytes);
    Word value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      const auto head = static_cast<HeadId>(static_cast<unsigned>(HeadId::kByte0) + i);
      const auto query = Query(head, address, state.memory.size_bytes());
      if (!query) continue;
      const std::int64_t winner = Attend(head, engine.memory_keys_->view().Page(*query), *query,
                                         *query - *query % SharedKeys::kPageAddresses);
      if (winner < 0) continue;
      value |= static_cast<Word>(state.memory.data()[winner]) << (8 * i);
    }
    return value;
  }
  void WroteStack(std::uint32_t slot) const { engine.stack_keys_.Ensure(slot); }
  void WroteLocal(std::uint32_t slot) const { engine.local_keys_.Ensure(slot); }
  void WroteCall(std::uint32_t depth) const { engine.call_keys_.Ensure(depth); }
};

void HeadReads::Report(HeadId head, const std::int16_t* keys, std::uint64_t query,
                       std::uint64_t first, std::int64_t winner) const {
  const std::size_t tile = engine.target_.tile_keys;
  const std::int64_t digit = static_cast<std::int64_t>(query % tile);
  const std::int16_t* const k0 = keys + (query - first) / tile * tile * 2;
  HeadReading reading{.step = state.steps + 1,
                      .ip = state.ip,
                      .head = head,
                      .query = query,
                      .winner = winner,
                      .score = std::numeric_limits<std::int64_t>::min(),
                      .margin = 0,
                      .keys = static_cast<std::uint32_t>(tile)};
  std::int64_t second = reading.score;
  for (std::size_t lane = 0; lane < tile; ++lane) {
    const std::int64_t score = digit * k0[lane] + k0[tile + lane];
    second = std::max(second, std::min(score, reading.score));
    reading.score = std::max(reading.score, score);
  }
  reading.margin = reading.score - second;
  observer->Report(reading);
}

isa::Result<TiledEngine::Code> TiledEngine::MakeCode(bool observe) const {
  Code code;
  const std::size_t size = context_.program.code.size();
  const void* const* labels = target_.labels(observe);
  TXVM_TRY(code.threaded, Thread(context_.program, {labels, kHandlerCount}));
  TXVM_TRY(code.tiles,
           Reservation<std::byte>::Create((size / target_.tile_keys + 2) * target_.code_tile_bytes,
                                          PageOffset::kCodeTiles));
  target_.build_code(code.threaded, size, keys_->code.data(), labels[kAbsent], code.tiles.data());
  return code;
}

/// The code of a loop; nullptr when the system refuses the memory for it.
std::shared_ptr<const TiledEngine::Code> TiledEngine::CodeFor(bool observe) {
  std::shared_ptr<const Code>& code = observe ? observed_ : plain_;
  if (code != nullptr) return code;
  const TableKind kind = observe ? TableKind::kAttentionObserved : TableKind::kAttentionPlain;
  code = TableOf<Code>(context_.tables, kind, Variant(), [&]() -> std::shared_ptr<const Code> {
    isa::Result<Code> made = MakeCode(observe);
    if (!made) return nullptr;
    return std::make_shared<const Code>(*std::move(made));
  });
  return code;
}

/// Writes the keys the function at state.ip may use before its next CALL, and those below it.
void TiledEngine::EnsureKeys(const State& state) {
  const std::uint64_t slots = std::uint64_t{state.sp} + room_.tallest;
  stack_keys_.Ensure(std::min<std::uint64_t>(slots, context_.limits.max_slots));
  const std::uint64_t locals = std::uint64_t{state.locals_base} + room_.largest_frame;
  local_keys_.Ensure(std::min<std::uint64_t>(locals, context_.limits.max_locals - 1));
  call_keys_.Ensure(state.depth);
}

/// Rare path of CALL: makes sure that the callee has its keys, and, well below the limits, that
/// many calls after it have.
bool TiledEngine::PrepareCall(LoopContext* loop, std::uint32_t target, std::uint32_t sp,
                              std::uint64_t base, std::uint32_t depth) {
  if (!room_.Allows(context_, target, sp, base, depth)) return false;
  std::uint64_t slots = std::uint64_t{sp} + room_.tallest;
  std::uint64_t locals = base + room_.largest_frame;
  std::uint64_t calls = std::uint64_t{depth} + 1;
  if (depth < room_.safe_depth) {
    ready_depth_ =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(room_.safe_depth, 2 * calls + 14));
    loop->ready_depth = ready_depth_;
    slots = std::max(slots, (std::uint64_t{ready_depth_} + 2) * room_.tallest);
    locals = std::max(locals, context_.program.globals.size() +
                                  (std::uint64_t{ready_depth_} + 2) * room_.largest_frame);
    calls = ready_depth_ + 1u;
  }
  stack_keys_.Ensure(std::min<std::uint64_t>(slots, context_.limits.max_slots));
  local_keys_.Ensure(std::min<std::uint64_t>(locals, context_.limits.max_locals - 1));
  call_keys_.Ensure(std::min<std::uint64_t>(calls, context_.limits.max_depth));
  return true;
}

FastExit TiledEngine::RunFast(const Code& code, State& state, std::uint64_t* fuel,
                              Observer* observer) {
  EnsureKeys(state);
  LoopContext loop{
      .engine = &context_,
      .threaded = &code.threaded,
      .code = code.tiles.data(),
      .stack_keys = stack_keys_.data(),
      .local_keys = local_keys_.data(),
      .call_keys = call_keys_.data(),
      .memory_keys = memory_keys_->view(),
      .constants = {1, 2, static_cast<std::int16_t>(target_.tile_keys - 1)},
      .ready_depth = ready_depth_,
      .prepare_call =
          [](LoopContext* context, std::uint32_t target, std::uint32_t sp, std::uint64_t base,
             std::uint32_t depth) {
            return static_cast<TiledEngine*>(context->owner)
                ->PrepareCall(context, target, sp, base, depth);
          },
      .owner = this,
      .state = &state,
      .fuel = *fuel,
      .observer = observer,
      .exit = Exit::kHalted,
      .cause = isa::Trap::kUnreachable,
  };
  (observer != nullptr ? target_.run_observed : target_.run)(&loop);
  *fuel = loop.fuel;
  return {loop.exit, loop.cause};
}

Stop TiledEngine::Run(State& state, std::uint64_t fuel, Observer* observer) {
  HeadReads reads{*this, state, observer};
  const bool checked = context_.verified == nullptr || altered_ || !keys_->tabled ||
                       (observer != nullptr && observer->wants_heads());
  const Code* const code = checked ? nullptr : CodeFor(observer != nullptr).get();
  if (code == nullptr) {
    return RunChecked(context_, room_, gate_, state, reads, observer, &fuel, fuel);
  }
  return RunAlternating(
      context_, room_, gate_, state, reads, observer, fuel,
      [&](std::uint64_t* slice) { return RunFast(*code, state, slice, observer); });
}

std::uint64_t TiledEngine::LiveKeys(const State& state, Space space) const {
  switch (space) {
    case Space::kCode:
      return context_.program.code.size();
    case Space::kStack:
      return stack_keys_.ready();
    case Space::kLocals:
      return local_keys_.ready();
    case Space::kMemory:
      return state.memory.size_bytes();
    case Space::kCall:
      return call_keys_.ready();
  }
  return 0;
}

std::span<std::int16_t> TiledEngine::KeyTile(Space space, std::uint64_t address) {
  TXVM_ASSERT(context_.tables == nullptr);  // else another instance's keys would change
  altered_ = true;
  switch (space) {
    case Space::kCode:
      return std::const_pointer_cast<Keys>(keys_)->code.Tile(address);
    case Space::kStack:
      return stack_keys_.Tile(address);
    case Space::kLocals:
      return local_keys_.Tile(address);
    case Space::kMemory:
      return std::const_pointer_cast<SharedKeys>(memory_keys_)->Tile(address);
    case Space::kCall:
      return call_keys_.Tile(address);
  }
  return {};
}

}  // namespace

isa::Result<std::unique_ptr<AttentionEngine>> MakeAttentionEngine(const EngineContext& context,
                                                                  const HeadMatrices& matrices) {
  auto engine = std::make_unique<TiledEngine>(context);
  TXVM_CHECK_OK(engine->Reserve(matrices));
  return engine;
}

}  // namespace txvm::vm
