#include "vm/engines/hull.h"

#include <bit>
#include <utility>

#include "vm/engines/hull_history.h"
#include "vm/engines/hull_model.h"
#include "vm/engines/pass_loop-inl.h"

namespace txvm::vm {
namespace {

using weights::StateRecord;

class HullEngine final : public Engine {
 public:
  static constexpr std::uint64_t kPollInterval = 1'024;  // steps, as machine.h promises

  HullEngine(const EngineContext& context, std::shared_ptr<const HullModel> model)
      : context_(context),
        heads_(model->heads()),
        pass_(std::move(model)),
        history_(ReadsCode(heads_)) {}

  Stop Run(State& state, std::uint64_t fuel, Observer* observer) override {
    history_.Absorb(context_.program, state);
    return RunPasses(context_, state, fuel, observer, *this);
  }
  std::uint64_t LiveKeys(const State&, Space space) const override {
    return history_.Vertices(static_cast<weights::Space>(space));
  }

  StateRecord Forward(const StateRecord& record) {
    pass_.Run(record, [&](weights::HeadId, weights::Space space, std::int64_t address) {
      return history_.Winner(space, address);
    });
    return pass_.State();
  }
  bool StoreWrites(State& state);
  void Count(Stats& stats) const;

 private:
  EngineContext context_;
  std::vector<weights::HeadId> heads_;
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

void HullEngine::Count(Stats& stats) const {
  for (const weights::HeadId id : heads_) {
    const weights::HeadSpec& head = Spec(id);
    const std::size_t space = static_cast<std::size_t>(head.space);
    ++stats.heads[space];
    // An envelope of n lines is decided by the comparisons of a binary search.
    stats.keys[space] += static_cast<std::uint64_t>(std::bit_width(history_.Vertices(head.space)));
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
