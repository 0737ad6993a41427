#include "vm/engines/transformer_verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <unordered_map>

#include "isa/support/system/threads.h"
#include "vm/engines/hull.h"
#include "vm/engines/hull_history.h"
#include "vm/engines/transformer_state.h"

namespace txvm::vm {
namespace {

namespace sf = weights::state_field;
using weights::kHeadCount;
using weights::kScoreSize;
using weights::kWordBytes;
using weights::StateRecord;

constexpr std::size_t kBatch = 256;  // passes a product takes together
constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

RecordedPass Pack(const StateRecord& state, std::size_t tokens) {
  RecordedPass pass{};
  std::ranges::transform(state, pass.state.begin(),
                         [](std::int32_t field) { return static_cast<std::uint8_t>(field); });
  pass.tokens = static_cast<std::uint32_t>(tokens);
  return pass;
}

std::uint64_t SpaceAndKey(std::uint8_t space, std::span<const std::uint8_t> digits) {
  std::uint64_t key = space;
  for (std::size_t i = digits.size(); i-- > 0;) key = key << 8 | digits[i];
  return key;
}

/// Where each key is written: what the certificates are checked against.
class WriteIndex {
 public:
  explicit WriteIndex(const std::vector<HullToken>& tokens) : next_(tokens.size(), kNever) {
    std::unordered_map<std::uint64_t, std::uint32_t> last;
    for (std::uint32_t t = 0; t < tokens.size(); ++t) {
      const std::uint64_t key = SpaceAndKey(tokens[t].space, tokens[t].key);
      first_.try_emplace(key, t);
      const auto [place, fresh] = last.try_emplace(key, t);
      if (!fresh) {
        next_[place->second] = t;
        place->second = t;
      }
    }
  }
  /// The next token with the same space and key as token t.
  std::uint32_t Next(std::uint32_t t) const { return next_[t]; }
  /// The first token with this space and key.
  std::uint32_t First(std::uint64_t key) const {
    const auto found = first_.find(key);
    return found == first_.end() ? kNever : found->second;
  }

 private:
  std::vector<std::uint32_t> next_;
  std::unordered_map<std::uint64_t, std::uint32_t> first_;
};

/// Checks passes first..last-1 together.
class BatchCheck {
 public:
  BatchCheck(const TransformerModel& model, const RecordedRun& run, const WriteIndex& index,
             std::size_t first, std::size_t last)
      : model_(model), run_(run), index_(index), first_(first), count_(last - first) {}

  VerifyReport Run() {
    std::vector<StateRecord> states(count_);
    for (std::size_t i = 0; i < count_; ++i) states[i] = StateAt(first_ + i);
    LoadValues();
    const auto outputs = TransformerForward(
        model_, states, [&](std::size_t row, std::size_t layer, const float* q, float* values) {
          Answer(row, layer, q, values);
        });
    for (std::size_t i = 0; i < count_; ++i) Compare(first_ + i, outputs[i]);
    return report_;
  }

 private:
  StateRecord StateAt(std::size_t pass) const {
    StateRecord state;
    std::ranges::copy(run_.passes[pass].state, state.begin());
    return state;
  }

  void Fault(std::size_t pass, const std::string& what) {
    if (report_.first_fault.empty()) report_.first_fault = fmt::format("pass {}: {}", pass, what);
    bad_.resize(count_, false);
    bad_[pass - first_] = true;
  }

  // The values of all recorded winners of the batch: one product per layer.
  void LoadValues() {
    values_.resize(model_.layers.size());
    for (std::size_t l = 0; l < model_.layers.size(); ++l) {
      const TransformerModel::Layer& layer = model_.layers[l];
      if (layer.heads == 0) continue;
      std::vector<weights::MemoryRecord> records;
      for (std::size_t i = 0; i < count_; ++i) {
        for (const weights::HeadId id : layer.ids) {
          const std::uint32_t winner =
              run_.passes[first_ + i].winners[static_cast<std::size_t>(id)];
          records.push_back(winner < run_.tokens.size() ? MemoryRecordOf(run_.tokens[winner])
                                                        : weights::MemoryRecord{});
        }
      }
      values_[l] = TransformerValues(model_, l, records);
    }
  }

  void Answer(std::size_t row, std::size_t l, const float* q, float* values) {
    const TransformerModel::Layer& layer = model_.layers[l];
    for (std::size_t h = 0; h < layer.heads; ++h) {
      const float* found = values_[l].data() + (row * layer.heads + h) * layer.v.rows;
      std::copy(found + layer.first_value[h], found + layer.first_value[h + 1],
                values + layer.first_value[h]);
      CheckRead(first_ + row, layer.ids[h], q + h * kScoreSize);
    }
  }

  void CheckRead(std::size_t pass, weights::HeadId id, const float* q) {
    const std::uint32_t length = run_.passes[pass].tokens;
    const std::uint32_t winner = run_.passes[pass].winners[static_cast<std::size_t>(id)];
    const std::uint8_t space = static_cast<std::uint8_t>(weights::Spec(id).space);
    std::array<std::uint8_t, kWordBytes> digits{};
    bool is_address = true;  // an address has four byte digits; others name nothing
    for (std::size_t i = 0; i < kWordBytes; ++i) {
      is_address = is_address && q[i] >= 0 && q[i] <= 255;
      digits[i] = is_address ? static_cast<std::uint8_t>(q[i]) : 0;
    }
    const bool exists = is_address && index_.First(SpaceAndKey(space, digits)) < length;
    if (winner >= length && (winner != kNever || exists)) {
      return Fault(pass,
                   fmt::format("head {} found a token that is not there", weights::Spec(id).name));
    }
    if (!exists) return;
    const HullToken& token = run_.tokens[winner];
    if (token.space != space || token.key != digits || index_.Next(winner) < length) {
      Fault(pass, fmt::format("head {} did not find the latest token at its query",
                              weights::Spec(id).name));
    }
  }

  void Compare(std::size_t pass, const TransformerOutput& output) {
    const RecordedPass& next = run_.passes[pass + 1];
    const StateRecord state = StateOf(output);
    if (state != StateAt(pass + 1)) Fault(pass, "the next state is another");
    std::uint32_t at = run_.passes[pass].tokens;
    for (std::size_t slot = 0; slot < weights::kWriteTokens; ++slot) {
      const weights::MemoryRecord write = WriteOf(output, slot);
      if (weights::IsEmpty(write)) continue;
      if (at >= next.tokens || MemoryRecordOf(run_.tokens[at]) != write) {
        Fault(pass, fmt::format("write {} is not in the record", slot));
        break;
      }
      ++at;
    }
    if (at != next.tokens) Fault(pass, "the record holds another number of writes");
    ++report_.passes;
    report_.steps += state[sf::kCounted] != 0 ? 1 : 0;
    if (!bad_.empty() && bad_[pass - first_]) ++report_.wrong;
  }

  const TransformerModel& model_;
  const RecordedRun& run_;
  const WriteIndex& index_;
  std::size_t first_, count_;
  std::vector<std::vector<float>> values_;  // by layer: (passes * heads, values)
  std::vector<bool> bad_;
  VerifyReport report_;
};

}  // namespace

RecordedRun RecordRun(const EngineContext& context, State& state, std::uint64_t fuel) {
  RecordedRun run;
  HullHistory history;
  HullPass pass(CompiledHullModel());
  history.Absorb(context.program, state);
  StateRecord record = RecordOf(context, state);
  run.passes.push_back(Pack(record, history.tokens().size()));
  while (run.steps < fuel || record[sf::kMicro] != 0) {
    auto& winners = run.passes.back().winners;
    pass.Run(record, [&](weights::HeadId id, weights::Space space, std::int64_t address) {
      const HullToken* found = history.Winner(space, address);
      winners[static_cast<std::size_t>(id)] =
          found == nullptr ? kNever : static_cast<std::uint32_t>(found - history.tokens().data());
      return found;
    });
    for (std::size_t slot = 0; slot < weights::kWriteTokens; ++slot) {
      const HullPass::Write write = pass.WriteToken(slot);
      if (write.present) TXVM_ASSERT(history.Store(write.token, state));
    }
    record = pass.State();
    run.steps += record[sf::kCounted] != 0 ? 1 : 0;
    run.passes.push_back(Pack(record, history.tokens().size()));
    if (record[sf::kStopped] != 0 || record[sf::kHost] != 0) break;
  }
  run.tokens.assign(history.tokens().begin(), history.tokens().end());
  return run;
}

VerifyReport VerifyRun(const TransformerModel& model, const RecordedRun& run, unsigned threads) {
  const WriteIndex index(run.tokens);
  const std::size_t passes = run.passes.empty() ? 0 : run.passes.size() - 1;
  std::atomic<std::size_t> next{0};
  isa::Mutex mutex;
  VerifyReport total;
  std::size_t first_faulty = passes;
  const auto work = [&] {
    for (std::size_t first = next.fetch_add(kBatch); first < passes;
         first = next.fetch_add(kBatch)) {
      BatchCheck check(model, run, index, first, std::min(first + kBatch, passes));
      const VerifyReport report = check.Run();
      const isa::Lock lock(mutex);
      total.passes += report.passes;
      total.steps += report.steps;
      total.wrong += report.wrong;
      if (!report.first_fault.empty() && first < first_faulty) {
        first_faulty = first;
        total.first_fault = report.first_fault;
      }
    }
  };
  isa::RunOnThreads(threads, work);
  return total;
}

}  // namespace txvm::vm
