#include "vm/engines/transformer.h"

#include <fmt/format.h>

#include <utility>

#include "vm/engines/hull_history.h"
#include "vm/engines/transformer_state.h"
#include "weights/tokens.h"

namespace txvm::vm {
namespace {

namespace sf = weights::state_field;
namespace mf = weights::memory_field;
using weights::MemoryRecord;
using weights::StateRecord;

/// The token of a record the model wrote; valid is false when its fields are no token.
HullPass::Write TokenOf(const MemoryRecord& record) {
  HullPass::Write write;
  write.present = !weights::IsEmpty(record);
  if (!write.present) return write;
  write.token.space = static_cast<std::uint8_t>(weights::SpaceOf(record));
  for (std::size_t i = 0; i < write.token.key.size(); ++i) {
    write.token.key[i] = static_cast<std::uint8_t>(record[mf::kKey + i]);
  }
  for (std::size_t i = 0; i < write.token.value.size(); ++i) {
    write.token.value[i] = static_cast<std::uint8_t>(record[mf::kValue + i]);
  }
  write.valid = write.token.space < weights::kSpaceCount && MemoryRecordOf(write.token) == record;
  return write;
}

// mirror_ keeps the State's arrays and the tokens in step; its envelopes decide nothing here.
class TransformerEngine final : public Engine {
 public:
  TransformerEngine(const EngineContext& context, std::shared_ptr<const TransformerModel> model)
      : context_(context), model_(std::move(model)), cache_(model_) {}

  Stop Run(State& state, std::uint64_t fuel, Observer* observer) override;
  std::uint64_t LiveKeys(const State&, Space space) const override {
    return mirror_.Vertices(static_cast<weights::Space>(space));
  }

 private:
  void CacheNewTokens();
  bool StoreWrites(const TransformerOutput& output, State& state);
  void Count(Observer& observer) const;

  EngineContext context_;
  std::shared_ptr<const TransformerModel> model_;
  TransformerCache cache_;
  HullHistory mirror_;
};

void TransformerEngine::CacheNewTokens() {
  std::vector<MemoryRecord> records;
  for (const HullToken& token : mirror_.tokens().subspan(cache_.tokens())) {
    records.push_back(MemoryRecordOf(token));
  }
  cache_.Append(records);
}

bool TransformerEngine::StoreWrites(const TransformerOutput& output, State& state) {
  for (std::size_t slot = 0; slot < weights::kWriteTokens; ++slot) {
    const HullPass::Write write = TokenOf(WriteOf(output, slot));
    if (write.present && (!write.valid || !mirror_.Store(write.token, state))) return false;
  }
  CacheNewTokens();
  return true;
}

void TransformerEngine::Count(Observer& observer) const {
  for (const weights::HeadSpec& head : weights::kHeads) {
    const std::size_t space = static_cast<std::size_t>(head.space);
    ++observer.stats().heads[space];
    observer.stats().keys[space] += cache_.tokens();
  }
}

Stop TransformerEngine::Run(State& state, std::uint64_t fuel, Observer* observer) {
  mirror_.Absorb(context_.program, state);
  CacheNewTokens();
  StateRecord record = RecordOf(context_, state);
  const TransformerCache* cache = &cache_;
  const std::uint64_t last =
      fuel > isa::kUnlimitedFuel - state.steps ? isa::kUnlimitedFuel : state.steps + fuel;
  std::uint32_t passes = 0;  // of the current instruction
  for (;;) {
    if (++passes > kMaxPasses) return Stop::Trapped(isa::Trap::kUnsupported, kEndless);
    if (record[sf::kMicro] == 0) {
      if (state.steps == last) return Stop::Of(Stop::Kind::kOutOfFuel);
      if (context_.interrupt.requested()) return Stop::Of(Stop::Kind::kInterrupted);
    }
    const TransformerOutput output =
        TransformerForward(*model_, std::span(&record, 1), std::span(&cache, 1)).front();
    if (observer != nullptr && observer->wants_stats()) Count(*observer);
    const StateRecord next = StateOf(output);
    if (next[sf::kHost] != 0) return Stop::Of(Stop::Kind::kHostCall);
    if (!StoreWrites(output, state)) return Stop::Trapped(isa::Trap::kUnsupported, kNoToken);
    if (next[sf::kCounted] != 0) {
      RecordStep(state, record, next, observer);
      passes = 0;
    }
    record = next;
    if (record[sf::kMicro] == 0) CopyRegisters(record, state);
    if (record[sf::kStopped] != 0) return StopOf(record, context_.limits);
  }
}

}  // namespace

std::shared_ptr<const TransformerModel> CompiledTransformerModel() {
  static const std::shared_ptr<const TransformerModel> model = [] {
    auto created = TransformerModel::Create(weights::CompileModel());
    TXVM_ASSERT(created.has_value());
    return *created;
  }();
  return model;
}

isa::Result<std::unique_ptr<Engine>> MakeTransformerEngine(const EngineContext& context) {
  return MakeTransformerEngine(context, CompiledTransformerModel());
}

isa::Result<std::unique_ptr<Engine>> MakeTransformerEngine(
    const EngineContext& context, std::shared_ptr<const TransformerModel> model) {
  const std::size_t prefix = weights::PrefixTokens(context.program);
  if (prefix > kMaxPrefixTokens) {
    return isa::Fail(isa::ErrorCode::kLimit,
                     fmt::format("the program is {} tokens long, engine transformer takes {}",
                                 prefix, kMaxPrefixTokens));
  }
  return std::make_unique<TransformerEngine>(context, std::move(model));
}

}  // namespace txvm::vm
