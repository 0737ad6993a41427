#include "vm/engines/hull.h"

#include <bit>
#include <utility>

#include "vm/engines/hull_history.h"
#include "vm/engines/hull_model.h"
#include "vm/engines/transformer_state.h"

namespace txvm::vm {
namespace {

namespace sf = weights::state_field;
using weights::StateRecord;

constexpr std::uint64_t kPollInterval = 1'024;  // steps, isa.md "Outcomes"

class HullEngine final : public Engine {
 public:
  HullEngine(const EngineContext& context, std::shared_ptr<const HullModel> model)
      : context_(context), pass_(std::move(model)) {}

  Stop Run(State& state, std::uint64_t fuel, Observer* observer) override;
  std::uint64_t LiveKeys(const State&, Space space) const override {
    return history_.Vertices(static_cast<weights::Space>(space));
  }

 private:
  bool StoreWrites(State& state);
  void Count(Observer& observer);

  EngineContext context_;
  HullPass pass_;
  HullHistory history_;
};

bool HullEngine::StoreWrites(State& state) {
  for (std::size_t slot = 0; slot < weights::kWriteTokens; ++slot) {
    const HullPass::Write write = pass_.WriteToken(slot);
    if (!write.present) continue;
    if (!write.valid || !history_.Store(write.token, state)) return false;
  }
  return true;
}

void HullEngine::Count(Observer& observer) {
  for (const weights::HeadSpec& head : weights::kHeads) {
    const std::size_t space = static_cast<std::size_t>(head.space);
    ++observer.stats().heads[space];
    // An envelope of n lines is decided by the comparisons of a binary search.
    observer.stats().keys[space] += std::bit_width(history_.Vertices(head.space));
  }
}

Stop HullEngine::Run(State& state, std::uint64_t fuel, Observer* observer) {
  history_.Absorb(context_.program, state);
  StateRecord record = RecordOf(context_, state);
  const auto attend = [&](weights::HeadId, weights::Space space, std::int64_t address) {
    return history_.Winner(space, address);
  };
  const std::uint64_t last =
      fuel > isa::kUnlimitedFuel - state.steps ? isa::kUnlimitedFuel : state.steps + fuel;
  std::uint32_t passes = 0;  // of the current instruction
  for (;;) {
    if (++passes > kMaxPasses) return Stop::Trapped(isa::Trap::kUnsupported, kEndless);
    if (record[sf::kMicro] == 0) {
      if (state.steps == last) return Stop::Of(Stop::Kind::kOutOfFuel);
      if (state.steps % kPollInterval == 0 && context_.interrupt.requested()) {
        return Stop::Of(Stop::Kind::kInterrupted);
      }
    }
    pass_.Run(record, attend);
    if (observer != nullptr && observer->wants_stats()) Count(*observer);
    const StateRecord next = pass_.State();
    if (next[sf::kHost] != 0) return Stop::Of(Stop::Kind::kHostCall);
    if (!StoreWrites(state)) return Stop::Trapped(isa::Trap::kUnsupported, kNoToken);
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

std::shared_ptr<const HullModel> CompiledHullModel() {
  static const std::shared_ptr<const HullModel> model = [] {
    auto created = HullModel::Create(weights::CompileModel(), true);
    TXVM_ASSERT(created.has_value());
    return *created;
  }();
  return model;
}

std::unique_ptr<Engine> MakeHullEngine(const EngineContext& context) {
  return MakeHullEngine(context, CompiledHullModel());
}

std::unique_ptr<Engine> MakeHullEngine(const EngineContext& context,
                                       std::shared_ptr<const HullModel> model) {
  return std::make_unique<HullEngine>(context, std::move(model));
}

}  // namespace txvm::vm
