// The attention engine around its loop: keys, queries and biases from the head matrices, and the
// checked variant.

#include <algorithm>
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
  TiledEngine(const EngineContext& context, const HeadPlan& plan);
  isa::Result<void> Reserve(const HeadMatrices& matrices);

  Stop Run(State& state, std::uint64_t fuel, Observer* observer) override;
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
  const Code& CodeFor(bool observe);
  bool PlanIsTabled() const;
  FastExit RunFast(State& state, std::uint64_t* fuel, Observer* observer);
  void EnsureKeys(const State& state);
  bool PrepareCall(LoopContext* loop, std::uint32_t target, std::uint32_t sp, std::uint64_t base,
                   std::uint32_t depth);
  std::int64_t Winner(const std::int16_t* keys, std::uint64_t address) const;

  EngineContext context_;
  FrameRoom room_;
  FastGate gate_;
  HeadPlan plan_;
  AttentionTarget target_;
  TileKeys code_keys_, stack_keys_, local_keys_, call_keys_;
  SharedKeys memory_keys_;
  std::uint32_t ready_depth_ = 0;
  Code plain_, observed_;
  bool altered_ = false;  // keys were handed out to be changed: the fast loop's invariant is off
};

KeyTile TileOf(const HeadMatrices& matrices, HeadId head, std::size_t tile_keys) {
  const weights::KeyRows rows = weights::TileKeys(matrices, head, tile_keys);
  KeyTile tile = rows.k0;
  tile.insert(tile.end(), rows.k1.begin(), rows.k1.end());
  return tile;
}

TiledEngine::TiledEngine(const EngineContext& context, const HeadPlan& plan)
    : context_(context),
      room_(FrameRoom::Of(context)),
      plan_(plan),
      target_(ChooseAttentionTarget()) {}

isa::Result<void> TiledEngine::Reserve(const HeadMatrices& matrices) {
  const std::size_t tile = target_.tile_keys;
  const std::size_t size = context_.program.code.size();
  TXVM_TRY(code_keys_,
           TileKeys::Create(size, TileOf(matrices, HeadId::kFetch, tile), PageOffset::kAny));
  TXVM_TRY(stack_keys_,
           TileKeys::Create(context_.limits.max_slots + 1u,
                            TileOf(matrices, HeadId::kStackSecond, tile), PageOffset::kStackKeys));
  TXVM_TRY(local_keys_,
           TileKeys::Create(context_.limits.max_locals, TileOf(matrices, HeadId::kLocal, tile),
                            PageOffset::kLocalKeys));
  TXVM_TRY(call_keys_,
           TileKeys::Create(context_.limits.max_depth + 1u, TileOf(matrices, HeadId::kFrame, tile),
                            PageOffset::kCallKeys));
  const std::uint64_t pages = context_.program.memory ? context_.program.memory->maximum : 0;
  TXVM_TRY(memory_keys_,
           SharedKeys::Create(
               std::min<std::uint64_t>(pages, context_.limits.max_pages) * isa::kPageBytes,
               TileOf(matrices, HeadId::kByte0, tile)));
  code_keys_.Ensure(size - 1);
  for (std::size_t ip = size; ip % tile != 0;
       ++ip) {  // positions of the last tile that hold no instruction
    const std::span<std::int16_t> keys = code_keys_.Tile(ip);
    keys[ip % tile] = 0;
    keys[tile + ip % tile] = kNoKeyScore;
  }
  return {};
}

/// The fast loop is compiled for the plan of heads.def; any other plan runs the checked variant,
/// which takes every bias as it is.
bool TiledEngine::PlanIsTabled() const {
  return std::all_of(plan_.reads.begin(), plan_.reads.end(), [](const weights::HeadRead& read) {
    return read.bias == weights::Spec(read.id).offset;
  });
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
    const std::int64_t query = static_cast<std::int64_t>(address) + engine.plan_[head].bias;
    if (query < 0 || query >= static_cast<std::int64_t>(limit)) return std::nullopt;
    return static_cast<std::uint64_t>(query);
  }

  bool Fetch(std::uint32_t ip, isa::Instruction* instruction) const {
    const auto& code = engine.context_.program.code;
    const auto query = Query(HeadId::kFetch, ip, code.size());
    const std::int64_t winner = query ? engine.Winner(engine.code_keys_.data(), *query) : -1;
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
    const std::int64_t winner = engine.Winner(engine.stack_keys_.data(), *query);
    return winner < 0 ? 0 : state.slots[static_cast<std::size_t>(winner)];
  }
  Word Second(std::uint32_t sp) const { return Slot(HeadId::kStackSecond, sp); }
  Word Third(std::uint32_t sp) const { return Slot(HeadId::kStackThird, sp); }
  Word Local(std::uint32_t slot) const {
    Count(Space::kLocals, 1, 1);
    const auto query = Query(HeadId::kLocal, slot, engine.context_.limits.max_locals);
    if (!query) return 0;
    engine.local_keys_.Ensure(*query);
    const std::int64_t winner = engine.Winner(engine.local_keys_.data(), *query);
    return winner < 0 ? 0 : state.locals[static_cast<std::size_t>(winner)];
  }
  Frame Call(std::uint32_t depth) const {
    Count(Space::kCall, 1, 1);
    const auto query =
        Query(HeadId::kFrame, depth, std::uint64_t{engine.context_.limits.max_depth} + 1);
    if (!query) return {};
    engine.call_keys_.Ensure(*query);
    const std::int64_t winner = engine.Winner(engine.call_keys_.data(), *query);
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
      const std::uint64_t within = *query % SharedKeys::kPageAddresses;
      const std::int64_t winner = engine.Winner(engine.memory_keys_.view().Page(*query), within);
      if (winner < 0) continue;
      value |= static_cast<Word>(
                   state.memory.data()[*query - within + static_cast<std::uint64_t>(winner)])
               << (8 * i);
    }
    return value;
  }
  void WroteStack(std::uint32_t slot) const { engine.stack_keys_.Ensure(slot); }
  void WroteLocal(std::uint32_t slot) const { engine.local_keys_.Ensure(slot); }
  void WroteCall(std::uint32_t depth) const { engine.call_keys_.Ensure(depth); }
};

const TiledEngine::Code& TiledEngine::CodeFor(bool observe) {
  Code& code = observe ? observed_ : plain_;
  if (code.tiles.size() != 0) return code;
  const std::size_t size = context_.program.code.size();
  const void* const* labels = target_.labels(observe);
  isa::Result<Threaded> threaded = Thread(context_.program, {labels, kHandlerCount});
  TXVM_ASSERT(threaded.has_value());
  code.threaded = *std::move(threaded);
  auto tiles = Reservation<std::byte>::Create(
      (size / target_.tile_keys + 2) * target_.code_tile_bytes, PageOffset::kCodeTiles);
  TXVM_ASSERT(tiles.has_value());
  code.tiles = *std::move(tiles);
  target_.build_code(code.threaded, size, code_keys_.data(), labels[kAbsent], code.tiles.data());
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

FastExit TiledEngine::RunFast(State& state, std::uint64_t* fuel, Observer* observer) {
  EnsureKeys(state);
  const Code& code = CodeFor(observer != nullptr);
  LoopContext loop{
      .engine = &context_,
      .threaded = &code.threaded,
      .code = code.tiles.data(),
      .stack_keys = stack_keys_.data(),
      .local_keys = local_keys_.data(),
      .call_keys = call_keys_.data(),
      .memory_keys = memory_keys_.view(),
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
  if (context_.verified == nullptr || altered_ || !PlanIsTabled()) {
    return RunChecked(context_, room_, gate_, state, reads, observer, &fuel, fuel);
  }
  return RunAlternating(context_, room_, gate_, state, reads, observer, fuel,
                        [&](std::uint64_t* slice) { return RunFast(state, slice, observer); });
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
  altered_ = true;
  switch (space) {
    case Space::kCode:
      return code_keys_.Tile(address);
    case Space::kStack:
      return stack_keys_.Tile(address);
    case Space::kLocals:
      return local_keys_.Tile(address);
    case Space::kMemory:
      return memory_keys_.Tile(address);
    case Space::kCall:
      return call_keys_.Tile(address);
  }
  return {};
}

}  // namespace

isa::Result<std::unique_ptr<AttentionEngine>> MakeAttentionEngine(const EngineContext& context,
                                                                  const HeadMatrices& matrices) {
  TXVM_TRY(const HeadPlan plan, weights::DerivePlan(matrices));
  auto engine = std::make_unique<TiledEngine>(context, plan);
  TXVM_CHECK_OK(engine->Reserve(matrices));
  return engine;
}

}  // namespace txvm::vm
