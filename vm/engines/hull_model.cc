#include "vm/engines/hull_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "weights/bounds.h"
#include "weights/wrap.h"

namespace txvm::vm {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;
using weights::Entry;
using weights::LaneInfo;
using weights::SparseMatrix;
namespace sf = weights::state_field;
namespace mf = weights::memory_field;

constexpr std::uint32_t kNoLane = ~std::uint32_t{0};
constexpr std::int64_t kDigitBase = 256;

/// The entries of each row, in order.
std::vector<std::span<const Entry>> RowsOf(const SparseMatrix& matrix) {
  std::vector<std::span<const Entry>> rows(matrix.rows);
  std::size_t at = 0;
  for (std::uint32_t row = 0; row < matrix.rows; ++row) {
    const std::size_t begin = at;
    while (at < matrix.entries.size() && matrix.entries[at].row == row) ++at;
    rows[row] = std::span(matrix.entries).subspan(begin, at - begin);
  }
  return rows;
}

SparseMatrix Transposed(const SparseMatrix& matrix) {
  SparseMatrix result{matrix.columns, matrix.rows, matrix.entries};
  for (Entry& e : result.entries) std::swap(e.row, e.column);
  std::ranges::sort(result.entries, {}, [](const Entry& e) { return std::tuple(e.row, e.column); });
  return result;
}

/// The token field a lane is embedded from; kNoLane when it is not a plain copy of one field.
std::vector<std::uint32_t> FieldsOfLanes(const weights::Model& model) {
  std::vector<std::uint32_t> fields(model.lanes.size(), kNoLane);
  const auto rows = RowsOf(model.w_embed);
  for (std::size_t lane = 0; lane < rows.size(); ++lane) {
    if (rows[lane].size() == 1 && rows[lane][0].weight == 1) fields[lane] = rows[lane][0].column;
  }
  return fields;
}

/// The byte of a HullToken that holds memory field `field` of a token of `space`; kNoLane for one
/// it does not hold.
std::uint32_t ByteOf(std::uint32_t field, weights::Space space) {
  const std::uint32_t memory = field - static_cast<std::uint32_t>(sf::kCount);
  if (memory == mf::kSpace + static_cast<std::size_t>(space)) return offsetof(HullToken, one);
  if (memory >= mf::kKey && memory < mf::kSquare) {
    return static_cast<std::uint32_t>(offsetof(HullToken, key) + memory - mf::kKey);
  }
  if (memory >= mf::kValue && memory < mf::kCount) {
    return static_cast<std::uint32_t>(offsetof(HullToken, value) + memory - mf::kValue);
  }
  return kNoLane;
}

std::int32_t Multiply(std::int32_t a, std::int32_t b) {  // wraps: an edited model may overflow
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}
std::int32_t Sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

/// What a key must be for the envelope to find its winner: the digits doubled, the square, the
/// mask; and the query's two constants.
Result<void> CheckDigitHead(const weights::Model& model, const weights::ModelHead& head) {
  const std::vector<std::uint32_t> fields = FieldsOfLanes(model);
  const weights::Space space = Spec(head.id).space;
  const std::uint32_t first = static_cast<std::uint32_t>(sf::kCount);
  const std::uint32_t flag =
      first + static_cast<std::uint32_t>(mf::kSpace) + static_cast<std::uint32_t>(space);
  const auto rows = RowsOf(head.w_k);
  for (std::size_t i = 0; i < weights::kScoreSize; ++i) {
    const bool digit = i < weights::kWordBytes;
    const bool square = i == weights::kWordBytes;
    const std::uint32_t field =
        digit ? first + static_cast<std::uint32_t>(mf::kKey + i)
              : (square ? first + static_cast<std::uint32_t>(mf::kSquare) : flag);
    const std::int32_t weight = digit ? 2 : (square ? -1 : weights::kSpaceMask);
    const std::int32_t bias = digit || square ? 0 : -weights::kSpaceMask;
    const bool key_fits = rows[i].size() == 1 && fields[rows[i][0].column] == field &&
                          rows[i][0].weight == weight && head.b_k[i] == bias;
    const bool query_fits = digit || (RowsOf(head.w_q)[i].empty() && head.b_q[i] == 1);
    if (key_fits && query_fits) continue;
    return Fail(ErrorCode::kInvalid,
                fmt::format("head {}: row {} of {} is not that of a digit head", Spec(head.id).name,
                            i, key_fits ? "w_q" : "w_k"));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const HullModel>> HullModel::Create(const weights::Model& model,
                                                           bool trusted) {
  TXVM_CHECK_OK(weights::CheckModel(model));
  TXVM_CHECK_OK(weights::CheckFloat32Exact(model));
  auto hull = std::make_shared<HullModel>();
  hull->lanes_ = model.lanes.size();
  for (std::uint32_t i = 0; i < model.lanes.size(); ++i) hull->root_.push_back(i);
  hull->has_writer_.assign(model.lanes.size(), false);
  for (const Entry& e : model.w_embed.entries) {
    const bool is_state = e.column < sf::kCount;
    const bool again = is_state && !hull->embed_.empty() && hull->embed_.back().lane == e.row;
    if (e.weight != 1 || again) {
      return Fail(ErrorCode::kInvalid, fmt::format("embedding of lane {} is not a copy of a field",
                                                   model.lanes[e.row].name));
    }
    if (is_state) hull->embed_.push_back({e.row, static_cast<std::int32_t>(e.column)});
  }
  for (const weights::ModelLayer& source : model.layers) {
    Layer layer;
    for (const weights::ModelHead& head : source.heads) {
      TXVM_CHECK_OK(hull->AddHead(model, head, layer));
    }
    hull->AddFeedForward(model, source.ffn, trusted, layer);
    hull->layers_.push_back(std::move(layer));
  }
  const auto rows = RowsOf(model.w_out);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t begin = static_cast<std::uint32_t>(hull->terms_.size());
    for (const Entry& e : rows[i]) hull->terms_.push_back({e.column, e.weight});
    hull->outputs_.push_back(
        {{begin, static_cast<std::uint32_t>(hull->terms_.size())}, model.b_out[i]});
  }
  return hull;
}

Result<void> HullModel::AddHead(const weights::Model& model, const weights::ModelHead& source,
                                Layer& layer) {
  TXVM_CHECK_OK(CheckDigitHead(model, source));
  Head head{source.id, Spec(source.id).space, {}, 0, {}};
  std::map<std::uint32_t, std::int64_t> query;
  const auto rows = RowsOf(source.w_q);
  std::int64_t scale = 1;
  for (std::size_t i = 0; i < weights::kWordBytes; ++i) {
    for (const Entry& e : rows[i]) query[e.column] += scale * e.weight;
    head.query_bias += scale * source.b_q[i];
    scale *= kDigitBase;
  }
  for (const auto& [lane, weight] : query) {
    if (weight != 0) head.query.push_back({lane, weight});
  }
  const std::vector<std::uint32_t> fields = FieldsOfLanes(model);
  const auto values = RowsOf(source.w_v);
  for (const Entry& out : source.w_o.entries) {
    for (const Entry& in : values[out.column]) {
      const std::uint32_t byte = ByteOf(fields[in.column], head.space);
      if (byte == kNoLane) {
        return Fail(ErrorCode::kInvalid,
                    fmt::format("head {}: its value reads lane {}, which tokens do not keep",
                                Spec(source.id).name, model.lanes[in.column].name));
      }
      head.values.push_back({out.row, byte, Multiply(out.weight, in.weight)});
    }
  }
  layer.heads.push_back(std::move(head));
  return {};
}

// A flag without which the gate is at most 0 over all values the lanes can hold; kNoLane if none.
// Of several, the one whose root comes first: the decoder's signals.
std::uint32_t HullModel::RequiredLane(const weights::Model& model, std::span<const Entry> gate,
                                      std::int64_t largest_bias) const {
  std::int64_t largest = largest_bias;
  for (const Entry& e : gate) {
    const LaneInfo& lane = model.lanes[e.column];
    largest += std::max(std::int64_t{e.weight} * std::min(lane.low, 0),
                        std::int64_t{e.weight} * std::max(lane.high, 0));
  }
  std::uint32_t best = kNoLane;
  for (const Entry& e : gate) {
    const LaneInfo& lane = model.lanes[e.column];
    const std::int64_t share = std::max(std::int64_t{e.weight} * std::min(lane.low, 0),
                                        std::int64_t{e.weight} * std::max(lane.high, 0));
    const LaneInfo& root = model.lanes[root_[e.column]];
    const bool is_flag = root.low == 0 && root.high == 1;  // bytes are hardly ever 0
    if (largest - share <= 0 && is_flag) best = std::min(best, root_[e.column]);
  }
  return best;
}

// A lane all of whose writers require one other lane has that lane as its root.
void HullModel::NoteWriters(std::span<const std::uint32_t> required,
                            const weights::FeedForward& source) {
  std::map<std::uint32_t, std::uint32_t> common;  // lane -> the root of all its writers here
  for (const Entry& e : source.w_down.entries) {
    const auto [place, first] = common.emplace(e.row, required[e.column]);
    if (!first && place->second != required[e.column]) place->second = kNoLane;
  }
  for (const auto& [lane, root] : common) {
    // A second layer of writers, or no root in common: the lane stands for itself.
    root_[lane] = has_writer_[lane] || root == kNoLane ? lane : root;
    has_writer_[lane] = true;
  }
}

void HullModel::AddFeedForward(const weights::Model& model, const weights::FeedForward& source,
                               bool trusted, Layer& layer) {
  const auto gates = RowsOf(source.w_gate);
  const auto ups = RowsOf(source.w_up);
  const SparseMatrix transposed = Transposed(source.w_down);
  const auto downs = RowsOf(transposed);
  const auto add_terms = [&](std::span<const Entry> row) {
    const std::uint32_t begin = static_cast<std::uint32_t>(terms_.size());
    for (const Entry& e : row) terms_.push_back({e.column, e.weight});
    return Range{begin, static_cast<std::uint32_t>(terms_.size())};
  };
  // Families: units with the same gate row.
  std::map<std::vector<std::pair<std::uint32_t, std::int32_t>>, std::vector<std::uint32_t>> same;
  for (std::uint32_t i = 0; i < gates.size(); ++i) {
    std::vector<std::pair<std::uint32_t, std::int32_t>> row;
    for (const Entry& e : gates[i]) row.emplace_back(e.column, e.weight);
    same[row].push_back(i);
  }
  std::vector<std::uint32_t> required(gates.size(), kNoLane);
  std::map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> by_lane;
  for (auto& [row, units] : same) {
    std::ranges::stable_sort(units, std::greater(), [&](auto u) { return source.b_gate[u]; });
    const std::uint32_t lane =
        trusted ? RequiredLane(model, gates[units[0]], source.b_gate[units[0]]) : kNoLane;
    for (const std::uint32_t unit : units) required[unit] = lane;
    by_lane[lane].push_back(units);
  }
  layer.groups.begin = static_cast<std::uint32_t>(groups_.size());
  for (const auto& [lane, families] : by_lane) {
    Group group{lane, {static_cast<std::uint32_t>(families_.size()), 0}};
    for (const std::vector<std::uint32_t>& units : families) {
      Family family{add_terms(gates[units[0]]), {static_cast<std::uint32_t>(units_.size()), 0}};
      for (const std::uint32_t u : units) {
        units_.push_back(
            {source.b_gate[u], source.b_up[u], add_terms(ups[u]), add_terms(downs[u])});
      }
      family.units.end = static_cast<std::uint32_t>(units_.size());
      families_.push_back(family);
    }
    group.families.end = static_cast<std::uint32_t>(families_.size());
    groups_.push_back(group);
  }
  layer.groups.end = static_cast<std::uint32_t>(groups_.size());
  std::vector<bool> written(lanes_, false);
  for (const Entry& e : source.w_down.entries) written[e.row] = true;
  const auto reads = [&](const Entry& e) { return written[e.column]; };
  layer.reads_what_it_writes = std::ranges::any_of(source.w_gate.entries, reads) ||
                               std::ranges::any_of(source.w_up.entries, reads);
  NoteWriters(required, source);
}

std::vector<weights::HeadId> HullModel::heads() const {
  std::vector<weights::HeadId> ids;
  for (const Layer& layer : layers_) {
    for (const Head& head : layer.heads) ids.push_back(head.id);
  }
  return ids;
}

HullPass::HullPass(std::shared_ptr<const HullModel> model)
    : model_(std::move(model)), x_(model_->lanes_), copy_(model_->lanes_) {}

void HullPass::Embed(const weights::StateRecord& state) {
  std::memset(x_.data(), 0, x_.size() * sizeof(x_[0]));
  for (const HullModel::Term& copy : model_->embed_) {
    x_[copy.lane] = state[static_cast<std::size_t>(copy.weight)];
  }
}

std::int64_t HullPass::Query(const HullModel::Head& head) const {
  constexpr std::int64_t kFar = std::int64_t{1} << 40;  // beyond every address: the same winner
  std::int64_t q = head.query_bias;
  for (const HullModel::WideTerm& term : head.query) {
    q = weights::WrapPlus(q, weights::WrapTimes(term.weight, x_[term.lane]));
  }
  return std::clamp(q, -kFar, kFar);
}

void HullPass::AddValue(const HullModel::Head& head, const HullToken& token) {
  std::array<std::uint8_t, sizeof(HullToken)> bytes;
  std::memcpy(bytes.data(), &token, sizeof(HullToken));
  for (const HullModel::Value& value : head.values) {
    x_[value.lane] = Sum(x_[value.lane], Multiply(value.weight, bytes[value.byte]));
  }
}

template <typename X>
void HullPass::RunFamily(const HullModel::Family& family, const X* x) {
  const HullModel::Term* terms = model_->terms_.data();
  std::int32_t gate = 0;
  for (std::uint32_t i = family.gate.begin; i < family.gate.end; ++i) {
    gate = Sum(gate, Multiply(terms[i].weight, x[terms[i].lane]));
  }
  for (std::uint32_t u = family.units.begin; u < family.units.end; ++u) {
    const HullModel::Unit& unit = model_->units_[u];
    const std::int32_t open = Sum(gate, unit.gate_bias);
    if (open <= 0) break;  // biases descend: the rest are 0 too
    std::int32_t up = unit.up_bias;
    for (std::uint32_t i = unit.up.begin; i < unit.up.end; ++i) {
      up = Sum(up, Multiply(terms[i].weight, x[terms[i].lane]));
    }
    const std::int32_t product = Multiply(open, up);
    if (product == 0) continue;
    for (std::uint32_t i = unit.down.begin; i < unit.down.end; ++i) {
      x_[terms[i].lane] = Sum(x_[terms[i].lane], Multiply(terms[i].weight, product));
    }
  }
}

void HullPass::FeedForward(const HullModel::Layer& layer) {
  const std::int32_t* x = x_.data();
  if (layer.reads_what_it_writes) {
    copy_ = x_;
    x = copy_.data();
  }
  for (std::uint32_t g = layer.groups.begin; g < layer.groups.end; ++g) {
    const HullModel::Group& group = model_->groups_[g];
    if (group.lane != kNoLane && x[group.lane] == 0) continue;
    for (std::uint32_t f = group.families.begin; f < group.families.end; ++f) {
      RunFamily(model_->families_[f], x);
    }
  }
}

void HullPass::RunLayersFrom(std::size_t first,
                             std::span<const std::pair<std::uint32_t, std::int32_t>> lanes) {
  std::ranges::fill(x_, 0);
  for (const auto& [lane, value] : lanes) x_[lane] = value;
  for (std::size_t l = first; l < model_->layers_.size(); ++l) FeedForward(model_->layers_[l]);
}

std::int32_t HullPass::Output(std::size_t field) const {
  const HullModel::Row& row = model_->outputs_[field];
  std::int32_t sum = row.bias;
  for (std::uint32_t i = row.terms.begin; i < row.terms.end; ++i) {
    const HullModel::Term& term = model_->terms_[i];
    sum = Sum(sum, Multiply(term.weight, x_[term.lane]));
  }
  return sum;
}

weights::StateRecord HullPass::State() const {
  weights::StateRecord state;
  for (std::size_t i = 0; i < state.size(); ++i) state[i] = Output(i);
  return state;
}

HullPass::Write HullPass::WriteToken(std::size_t slot) const {
  const std::size_t first = sf::kCount + slot * mf::kCount;
  Write write;
  for (std::size_t s = 0; s < weights::kSpaceCount; ++s) {
    const std::int32_t flag = Output(first + mf::kSpace + s);
    if (flag == 0) continue;
    write.valid = write.valid && flag == 1 && !write.present;
    write.present = true;
    write.token.space = static_cast<std::uint8_t>(s);
  }
  if (!write.present) return write;
  const auto byte = [&](std::size_t field) {
    const std::int32_t value = Output(first + field);
    write.valid = write.valid && value >= 0 && value < kDigitBase;
    return static_cast<std::uint8_t>(value);
  };
  std::int32_t square = 0;
  for (std::size_t i = 0; i < write.token.key.size(); ++i) {
    const std::uint8_t digit = byte(mf::kKey + i);
    write.token.key[i] = digit;
    square += digit * digit;
  }
  write.valid = write.valid && Output(first + mf::kSquare) == square;
  for (std::size_t i = 0; i < write.token.value.size(); ++i) {
    write.token.value[i] = byte(mf::kValue + i);
  }
  return write;
}

}  // namespace txvm::vm
