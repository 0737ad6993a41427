#include "weights/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace txvm::weights {
namespace {

constexpr int kEmbedded = -1;  // ready before the attention of layer 0, which is time 0
constexpr int kAttention = 0;  // parity of the times of attention
constexpr int kFfn = 1;        // parity of the times of the FFN
constexpr std::int32_t kMaxByte = 255;

SparseMatrix Sorted(std::uint32_t rows, std::uint32_t columns, const std::vector<Entry>& entries) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> sum;
  for (const Entry& e : entries) sum[{e.row, e.column}] += e.weight;
  SparseMatrix matrix{rows, columns, {}};
  for (const auto& [place, weight] : sum) {
    if (weight != 0) matrix.entries.push_back({place.first, place.second, weight});
  }
  return matrix;
}

void AddRow(std::vector<Entry>& entries, std::size_t row, const Linear& value) {
  for (const auto& [lane, weight] : value.terms) {
    entries.push_back({static_cast<std::uint32_t>(row), lane, weight});
  }
}

}  // namespace

std::string Indexed(std::string_view name, std::size_t index) {
  return fmt::format("{}.{}", name, index);
}

Linear& Linear::operator+=(const Linear& other) {
  terms.insert(terms.end(), other.terms.begin(), other.terms.end());
  constant += other.constant;
  return *this;
}

Linear operator+(Linear a, const Linear& b) {
  a += b;
  return a;
}

Linear operator*(std::int32_t scale, Linear a) {
  for (auto& term : a.terms) term.second *= scale;
  a.constant *= scale;
  return a;
}

Linear operator-(const Linear& a, const Linear& b) { return a + -1 * b; }

Wire ModelBuilder::Lane(const std::string& name, std::int32_t low, std::int32_t high) {
  lanes_.push_back({name, low, high});
  ready_.push_back(kEmbedded);
  sealed_.push_back(false);
  return Wire{static_cast<std::uint32_t>(lanes_.size() - 1)};
}

Wire ModelBuilder::Embed(const std::string& name, std::size_t field, std::int32_t high) {
  const Wire wire = Lane(name, 0, high);
  embed_.push_back({wire.index, static_cast<std::uint32_t>(field), 1});
  sealed_[wire.index] = true;
  return wire;
}

WireWord ModelBuilder::LaneWord(const std::string& name) {
  WireWord word;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    word[i] = Lane(Indexed(name, i), 0, kMaxByte);
  }
  return word;
}

int ModelBuilder::TimeAfter(const Linear& value, int parity) const {
  int time = kEmbedded;
  for (const auto& [lane, weight] : value.terms) time = std::max(time, ready_[lane]);
  ++time;
  return time % 2 == parity ? time : time + 1;
}

int ModelBuilder::LayerAfter(const Linear& value) const { return TimeAfter(value, kAttention) / 2; }

void ModelBuilder::Seal(const Linear& value) {
  for (const auto& [lane, weight] : value.terms) sealed_[lane] = true;
}

void ModelBuilder::Write(Wire wire, int time) {
  TXVM_ASSERT(!sealed_[wire.index]);
  ready_[wire.index] = std::max(ready_[wire.index], time);
}

void ModelBuilder::Unit(const Linear& gate, const Linear& up, std::span<const Output> outputs) {
  const int time = std::max(TimeAfter(gate, kFfn), TimeAfter(up, kFfn));
  const std::size_t layer = static_cast<std::size_t>(time / 2);
  Seal(gate);
  Seal(up);
  for (const Output& output : outputs) Write(output.wire, time);
  if (units_.size() <= layer) units_.resize(layer + 1);
  units_[layer].push_back({gate, up, {outputs.begin(), outputs.end()}});
}

void ModelBuilder::Unit(const Linear& gate, const Linear& up,
                        std::initializer_list<Output> outputs) {
  Unit(gate, up, std::span(outputs.begin(), outputs.size()));
}

void ModelBuilder::Hinge(const Linear& gate, std::initializer_list<Output> outputs) {
  Unit(gate, 1, outputs);
}

void ModelBuilder::Step(const Linear& y, std::initializer_list<Output> outputs) {
  // [y >= 0] = relu(y + 1) - relu(y) for an integer y
  Unit(y + 1, 1, outputs);
  std::vector<Output> negated(outputs);
  for (Output& output : negated) output.weight = -output.weight;
  Unit(y, 1, negated);
}

Wire ModelBuilder::StepLane(const std::string& name, const Linear& y) {
  const Wire wire = Lane(name, 0, 1);
  Step(y, {{wire}});
  return wire;
}

Wire ModelBuilder::HingeLane(const std::string& name, const Linear& gate, std::int32_t high) {
  const Wire wire = Lane(name, 0, high);
  Hinge(gate, {{wire}});
  return wire;
}

void ModelBuilder::Select(const Linear& gate, const LinearWord& from, const WireWord& to) {
  for (std::size_t i = 0; i < kWordBytes; ++i) Unit(gate, from[i], {{to[i]}});
}

void ModelBuilder::ByteFunctions(const Linear& x, std::span<const ByteFunction> functions) {
  for (std::int32_t v = 0; v < kMaxByte; ++v) {
    std::vector<Output> outputs;
    for (const ByteFunction& f : functions) {
      // f is linear between integers; a hinge at v changes its slope there.
      const std::size_t at = static_cast<std::size_t>(v);
      const std::int32_t before = v == 0 ? 0 : f.table[at] - f.table[at - 1];
      const std::int32_t bend = f.table[at + 1] - f.table[at] - before;
      if (bend != 0) outputs.push_back({f.wire, bend});
    }
    if (!outputs.empty()) Unit(x - v, 1, outputs);
  }
}

HeadWires ModelBuilder::Head(HeadId id, const LinearWord& query, std::size_t values, bool check,
                             int not_before) {
  const std::string name(Spec(id).name);
  int time = 2 * not_before;
  for (const Linear& digit : query) {
    time = std::max(time, TimeAfter(digit, kAttention));
    Seal(digit);
  }
  HeadSpecs spec{id, query, {}, {}};
  const auto read = [&](Wire source, const std::string& lane_name, std::int32_t high) {
    const Wire wire = Lane(lane_name, 0, high);
    Write(wire, time);
    spec.values.push_back(source.index);
    spec.outputs.push_back(wire.index);
    return wire;
  };
  HeadWires wires;
  if (check) {
    for (std::size_t i = 0; i < kWordBytes; ++i) {
      wires.key[i] = read(memory_.key[i], Indexed(name + ".key", i), kMaxByte);
    }
    wires.flag = read(memory_.space[static_cast<std::size_t>(Spec(id).space)], name + ".flag", 1);
  }
  for (std::size_t i = 0; i < values; ++i) {
    wires.values.push_back(read(memory_.value[i], Indexed(name + ".value", i), kMaxByte));
  }
  const std::size_t layer = static_cast<std::size_t>(time / 2);
  if (heads_.size() <= layer) heads_.resize(layer + 1);
  heads_[layer].push_back(std::move(spec));
  return wires;
}

void ModelBuilder::Emit(std::size_t field, const Linear& value) {
  Seal(value);
  AddRow(out_, field, value);
  b_out_[field] += value.constant;
}

ModelHead ModelBuilder::BuildHead(const HeadSpecs& spec) const {
  constexpr std::size_t kSquareRow = kWordBytes;
  constexpr std::size_t kMaskRow = kWordBytes + 1;
  const std::uint32_t width = static_cast<std::uint32_t>(lanes_.size());
  ModelHead head;
  head.id = spec.id;
  head.b_q.assign(kScoreSize, 0);
  head.b_k.assign(kScoreSize, 0);
  std::vector<Entry> q, k, v, o;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    AddRow(q, i, spec.query[i]);
    head.b_q[i] = spec.query[i].constant;
    AddRow(k, i, 2 * Linear(memory_.key[i]));
  }
  head.b_q[kSquareRow] = 1;
  AddRow(k, kSquareRow, -1 * Linear(memory_.square));
  head.b_q[kMaskRow] = 1;
  head.b_k[kMaskRow] = -kSpaceMask;
  AddRow(k, kMaskRow,
         kSpaceMask * Linear(memory_.space[static_cast<std::size_t>(Spec(spec.id).space)]));
  for (std::uint32_t i = 0; i < spec.values.size(); ++i) {
    v.push_back({i, spec.values[i], 1});
    o.push_back({spec.outputs[i], i, 1});
  }
  const std::uint32_t count = static_cast<std::uint32_t>(spec.values.size());
  head.w_q = Sorted(kScoreSize, width, q);
  head.w_k = Sorted(kScoreSize, width, k);
  head.w_v = Sorted(count, width, v);
  head.w_o = Sorted(width, count, o);
  return head;
}

FeedForward ModelBuilder::BuildFeedForward(const std::vector<UnitSpec>& units) const {
  const std::uint32_t width = static_cast<std::uint32_t>(lanes_.size());
  const std::uint32_t count = static_cast<std::uint32_t>(units.size());
  FeedForward ffn;
  std::vector<Entry> gate, up, down;
  for (std::uint32_t i = 0; i < count; ++i) {
    AddRow(gate, i, units[i].gate);
    ffn.b_gate.push_back(units[i].gate.constant);
    AddRow(up, i, units[i].up);
    ffn.b_up.push_back(units[i].up.constant);
    for (const Output& output : units[i].outputs) {
      down.push_back({output.wire.index, i, output.weight});
    }
  }
  ffn.w_gate = Sorted(count, width, gate);
  ffn.w_up = Sorted(count, width, up);
  ffn.w_down = Sorted(width, count, down);
  return ffn;
}

Model ModelBuilder::Build() && {
  const std::uint32_t width = static_cast<std::uint32_t>(lanes_.size());
  Model model;
  model.lanes = lanes_;
  model.w_embed = Sorted(width, kTokenFields, embed_);
  const std::size_t layers = std::max(units_.size(), heads_.size());
  units_.resize(layers);
  heads_.resize(layers);
  for (std::size_t i = 0; i < layers; ++i) {
    ModelLayer layer;
    for (const HeadSpecs& spec : heads_[i]) layer.heads.push_back(BuildHead(spec));
    layer.ffn = BuildFeedForward(units_[i]);
    model.layers.push_back(std::move(layer));
  }
  model.w_out = Sorted(kOutputFields, width, out_);
  model.b_out = b_out_;
  return model;
}

}  // namespace txvm::weights
