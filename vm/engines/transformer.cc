#include "vm/engines/transformer.h"

#include <fmt/format.h>

#include <utility>

#include "vm/engines/hull_history.h"
#include "vm/engines/pass_loop-inl.h"
#include "weights/tokens.h"

namespace txvm::vm {
namespace {

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
  static constexpr std::uint64_t kPollInterval = 1;  // a step takes milliseconds

  TransformerEngine(const EngineContext& context, std::shared_ptr<const TransformerModel> model)
      : context_(context),
        heads_(model->heads()),
        model_(std::move(model)),
        cache_(model_),
        mirror_(ReadsCode(heads_)) {}

  Stop Run(State& state, std::uint64_t fuel, Observer* observer) override {
    mirror_.Absorb(context_.program, state);
    CacheNewTokens();
    return RunPasses(context_, state, fuel, observer, *this);
  }
  std::uint64_t LiveKeys(const State&, Space space) const override {
    return mirror_.Vertices(static_cast<weights::Space>(space));
  }

  StateRecord Forward(const StateRecord& record) {
    const TransformerCache* cache = &cache_;
    output_ = TransformerForward(*model_, std::span(&record, 1), std::span(&cache, 1)).front();
    return StateOf(output_);
  }
  bool StoreWrites(State& state);
  void Count(Stats& stats) const;

 private:
  void CacheNewTokens();

  EngineContext context_;
  std::vector<weights::HeadId> heads_;
  std::shared_ptr<const TransformerModel> model_;
  TransformerCache cache_;
  HullHistory mirror_;
  TransformerOutput output_;
};

void TransformerEngine::CacheNewTokens() {
  std::vector<MemoryRecord> records;
  for (const HullToken& token : mirror_.tokens().subspan(cache_.tokens())) {
    records.push_back(MemoryRecordOf(token));
  }
  cache_.Append(records);
}

bool TransformerEngine::StoreWrites(State& state) {
  for (std::size_t slot = 0; slot < weights::kWriteTokens; ++slot) {
    const HullPass::Write write = TokenOf(WriteOf(output_, slot));
    if (write.present && (!write.valid || !mirror_.Store(write.token, state))) return false;
  }
  CacheNewTokens();
  return true;
}

void TransformerEngine::Count(Stats& stats) const {
  for (const weights::HeadId id : heads_) {
    const std::size_t space = static_cast<std::size_t>(Spec(id).space);
    ++stats.heads[space];
    stats.keys[space] += cache_.tokens();
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
