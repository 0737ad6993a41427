#include "weights/reference.h"

#include <algorithm>
#include <utility>

#include "weights/wrap.h"

namespace txvm::weights {
namespace {

namespace sf = state_field;

std::vector<std::int64_t> Multiply(const SparseMatrix& matrix, std::span<const std::int64_t> x) {
  std::vector<std::int64_t> y(matrix.rows, 0);
  for (const Entry& e : matrix.entries)
    y[e.row] = WrapPlus(y[e.row], WrapTimes(e.weight, x[e.column]));
  return y;
}

template <typename Record>
std::vector<std::int64_t> TokenFields(const Record& record, std::size_t first) {
  std::vector<std::int64_t> fields(kTokenFields, 0);
  std::ranges::copy(record, fields.begin() + static_cast<std::ptrdiff_t>(first));
  return fields;
}

ModelRun Unfinished(ModelRun run) {
  run.stop = ModelRun::Stop::kTrapped;
  run.cause = isa::Trap::kUnsupported;
  return run;
}

}  // namespace

ReferenceModel::ReferenceModel(const Model& model) : model_(model) {
  for (const ModelLayer& layer : model.layers) {
    for (const ModelHead& head : layer.heads) heads_.push_back(&head);
  }
  keys_.resize(heads_.size());
}

void ReferenceModel::Append(const MemoryRecord& record) {
  history_.push_back(record);
  const auto x = Multiply(model_.w_embed, TokenFields(record, sf::kCount));
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    const auto key = Apply(heads_[h]->w_k, heads_[h]->b_k, x);
    std::array<std::int64_t, kScoreSize> row{};
    std::ranges::copy(key, row.begin());
    keys_[h].push_back(row);
  }
}

std::vector<std::int64_t> ReferenceModel::Apply(const SparseMatrix& matrix,
                                                std::span<const std::int32_t> bias,
                                                std::span<const std::int64_t> x) {
  std::vector<std::int64_t> y(matrix.rows, 0), size(matrix.rows, 0);
  for (std::size_t i = 0; i < bias.size(); ++i) {
    y[i] = bias[i];
    size[i] = WrapAbs(bias[i]);
  }
  for (const Entry& e : matrix.entries) {
    const std::int64_t term = WrapTimes(e.weight, x[e.column]);
    y[e.row] = WrapPlus(y[e.row], term);
    size[e.row] = WrapPlus(size[e.row], WrapAbs(term));
  }
  for (const std::int64_t s : size) largest_row_ = std::max(largest_row_, s);
  return y;
}

void ReferenceModel::Attend(const ModelHead& head, std::size_t index) {
  HeadChoice choice;
  choice.id = head.id;
  std::ranges::copy(Apply(head.w_q, head.b_q, residual_), choice.query.begin());
  bool first = true;
  for (std::size_t t = 0; t < history_.size(); ++t) {
    const auto& key = keys_[index][t];
    std::int64_t score = 0, size = 0;
    for (std::size_t i = 0; i < kScoreSize; ++i) {
      const std::int64_t term = WrapTimes(choice.query[i], key[i]);
      score = WrapPlus(score, term);
      size = WrapPlus(size, WrapAbs(term));
    }
    largest_row_ = std::max(largest_row_, size);
    const bool other_key = first || key != keys_[index][choice.token];
    if (first || score >= choice.score) {
      if (other_key) choice.runner_up = first ? score : choice.score;
      choice.score = score;
      choice.token = t;
    } else if (other_key && (score > choice.runner_up || choice.runner_up == choice.score)) {
      choice.runner_up = score;
    }
    first = false;
  }
  const auto x = Multiply(model_.w_embed, TokenFields(history_[choice.token], sf::kCount));
  const auto value = Apply(head.w_v, {}, x);
  const auto added = Apply(head.w_o, {}, value);
  for (std::size_t i = 0; i < added.size(); ++i) residual_[i] = WrapPlus(residual_[i], added[i]);
  choices_.push_back(choice);
}

void ReferenceModel::FeedForwardStep(const FeedForward& ffn) {
  auto gate = Apply(ffn.w_gate, ffn.b_gate, residual_);
  const auto up = Apply(ffn.w_up, ffn.b_up, residual_);
  for (std::size_t i = 0; i < gate.size(); ++i) {
    gate[i] = WrapTimes(std::max<std::int64_t>(gate[i], 0), up[i]);
    largest_row_ = std::max(largest_row_, WrapAbs(gate[i]));
  }
  const auto added = Apply(ffn.w_down, {}, gate);
  for (std::size_t i = 0; i < added.size(); ++i) residual_[i] = WrapPlus(residual_[i], added[i]);
}

PassOutput ReferenceModel::Forward(const StateRecord& state) {
  TXVM_ASSERT(!history_.empty());
  choices_.clear();
  residual_ = Multiply(model_.w_embed, TokenFields(state, 0));
  std::size_t head_index = 0;
  for (const ModelLayer& layer : model_.layers) {
    // Heads of a layer read the residual before any of them has written: none reads a lane that
    // another writes (CheckModel), so the order does not matter.
    for (const ModelHead& head : layer.heads) Attend(head, head_index++);
    FeedForwardStep(layer.ffn);
  }
  const auto fields = Apply(model_.w_out, model_.b_out, residual_);
  PassOutput output;
  auto next = fields.begin();
  const auto take = [&](auto& record) {
    for (std::int32_t& field : record) field = static_cast<std::int32_t>(*next++);
  };
  take(output.state);
  for (MemoryRecord& write : output.writes) take(write);
  return output;
}

isa::TraceRecord RecordOf(const StateRecord& before, const StateRecord& after, std::uint64_t step) {
  const std::span b(before), a(after);
  isa::TraceRecord record;
  record.step = step;
  record.ip = WordAt(b.subspan(sf::kIp));
  record.instruction.head = WordAt(a.subspan(sf::kOp));  // op and aux are one word
  record.instruction.arg = WordAt(a.subspan(sf::kArg));
  record.sp = WordAt(a.subspan(sf::kSp));
  record.top = WordAt(a.subspan(sf::kTop));
  return record;
}

ModelRun RunReference(ReferenceModel& model, const StateRecord& state, std::uint64_t fuel,
                      const std::function<void(const isa::TraceRecord&)>& trace) {
  ModelRun run;
  run.state = state;
  std::uint32_t made = 0;  // passes of the current instruction
  while (run.steps < fuel || run.state[sf::kMicro] != 0) {
    if (++made > kMaxPasses) return Unfinished(std::move(run));
    const PassOutput output = model.Forward(run.state);
    ++run.passes;
    for (const MemoryRecord& write : output.writes) {
      if (!IsEmpty(write)) model.Append(write);
    }
    if (output.state[sf::kCounted] != 0) {
      const isa::TraceRecord record = RecordOf(run.state, output.state, ++run.steps);
      run.digest =
          isa::ExtendDigest(run.digest, record.ip, record.instruction, record.sp, record.top);
      if (trace) trace(record);
      made = 0;
      if (output.state[sf::kMicro] != 0) return Unfinished(std::move(run));
    }
    run.state = output.state;
    if (run.state[sf::kStopped] != 0) {
      run.cause = isa::FindTrap(static_cast<std::uint32_t>(run.state[sf::kCause]));
      run.stop = run.cause ? ModelRun::Stop::kTrapped : ModelRun::Stop::kHalted;
      return run;
    }
    if (run.state[sf::kHost] != 0) {
      run.stop = ModelRun::Stop::kHost;
      return run;
    }
  }
  return run;
}

}  // namespace txvm::weights
