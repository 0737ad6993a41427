#include "weights/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace txvm::weights {
namespace {

using isa::ErrorCode;

std::int64_t Plus(std::int64_t a, std::int64_t b) {
  return std::clamp(a + b, -kBoundBeyond, kBoundBeyond);
}

std::int64_t Times(std::int64_t a, std::int64_t b) {
  if (b == 0 || std::abs(a) <= kBoundBeyond / std::abs(b)) return a * b;
  return (a < 0) == (b < 0) ? kBoundBeyond : -kBoundBeyond;
}

struct Interval {
  std::int64_t low = 0, high = 0;
  std::int64_t size() const { return std::max(std::abs(low), std::abs(high)); }
};

/// What a row's value can be, and what sum |w x| + |b| can be.
struct Row {
  Interval value;
  std::int64_t sum = 0;
};

std::vector<Row> Rows(const SparseMatrix& matrix, const std::vector<std::int32_t>& bias,
                      const std::vector<Interval>& x) {
  std::vector<Row> rows(matrix.rows);
  for (std::size_t i = 0; i < bias.size(); ++i) {
    rows[i] = {{bias[i], bias[i]}, std::abs(std::int64_t{bias[i]})};
  }
  for (const Entry& e : matrix.entries) {
    const Interval& in = x[e.column];
    const std::int64_t a = Times(e.weight, in.low), b = Times(e.weight, in.high);
    Row& row = rows[e.row];
    row.value.low = Plus(row.value.low, std::min(a, b));
    row.value.high = Plus(row.value.high, std::max(a, b));
    row.sum = Plus(row.sum, std::max(std::abs(a), std::abs(b)));
  }
  return rows;
}

/// Raises `bound` to the rows' largest sum; keeps the name of the largest row of the layer.
template <typename Name>
void Raise(LayerBounds& layer, std::int64_t& bound, const std::vector<Row>& rows, Name name) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].sum > layer.Largest()) layer.widest_row = name(i);
    bound = std::max(bound, rows[i].sum);
  }
}

void BoundHead(LayerBounds& layer, const ModelHead& head, const std::vector<Interval>& lanes) {
  const std::string name(Spec(head.id).name);
  const auto queries = Rows(head.w_q, head.b_q, lanes);
  const auto keys = Rows(head.w_k, head.b_k, lanes);
  Raise(layer, layer.query, queries,
        [&](std::size_t i) { return fmt::format("{}.w_q[{}]", name, i); });
  Raise(layer, layer.query, keys,
        [&](std::size_t i) { return fmt::format("{}.w_k[{}]", name, i); });
  Row score;
  for (std::size_t i = 0; i < kScoreSize; ++i) {
    score.sum = Plus(score.sum, Times(queries[i].value.size(), keys[i].value.size()));
  }
  Raise(layer, layer.score, {score}, [&](std::size_t) { return name + " score"; });
}

LayerBounds BoundLayer(const ModelLayer& source, const Model& model,
                       const std::vector<Interval>& lanes) {
  LayerBounds layer;
  for (const ModelHead& head : source.heads) BoundHead(layer, head, lanes);
  const FeedForward& ffn = source.ffn;
  const auto gates = Rows(ffn.w_gate, ffn.b_gate, lanes);
  const auto ups = Rows(ffn.w_up, ffn.b_up, lanes);
  Raise(layer, layer.gate, gates, [](std::size_t i) { return fmt::format("w_gate[{}]", i); });
  Raise(layer, layer.up, ups, [](std::size_t i) { return fmt::format("w_up[{}]", i); });
  std::vector<Interval> activations(gates.size());
  std::vector<Row> products(gates.size());
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const std::int64_t gate = std::max<std::int64_t>(gates[i].value.high, 0);
    const Interval& up = ups[i].value;
    activations[i] = {std::min<std::int64_t>(Times(gate, up.low), 0),
                      std::max<std::int64_t>(Times(gate, up.high), 0)};
    products[i] = {activations[i], activations[i].size()};
  }
  Raise(layer, layer.product, products, [](std::size_t i) { return fmt::format("unit {}", i); });
  auto downs = Rows(ffn.w_down, {}, activations);
  for (std::size_t i = 0; i < downs.size(); ++i) downs[i].sum = Plus(downs[i].sum, lanes[i].size());
  Raise(layer, layer.down, downs, [&](std::size_t i) { return "w_down " + model.lanes[i].name; });
  return layer;
}

}  // namespace

std::int64_t LayerBounds::Largest() const {
  return std::max({query, score, gate, up, product, down});
}

std::vector<LayerBounds> BoundModel(const Model& model) {
  std::vector<Interval> lanes;
  for (const LaneInfo& lane : model.lanes) {
    // Before its writers a lane is 0; between them it holds a part of its sum.
    lanes.push_back({std::min(lane.low, 0), std::max(lane.high, 0)});
  }
  std::vector<LayerBounds> bounds;
  for (const ModelLayer& layer : model.layers) bounds.push_back(BoundLayer(layer, model, lanes));
  LayerBounds output;
  Raise(output, output.down, Rows(model.w_out, model.b_out, lanes),
        [](std::size_t i) { return fmt::format("w_out[{}]", i); });
  bounds.push_back(output);
  return bounds;
}

isa::Result<void> CheckFloat32Exact(const Model& model) {
  const std::vector<LayerBounds> bounds = BoundModel(model);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i].Largest() < kFloat32Exact) continue;
    return isa::Fail(ErrorCode::kInvalid,
                     fmt::format("layer {}: row {} can reach {}, the float32 limit is {}", i,
                                 bounds[i].widest_row, bounds[i].Largest(), kFloat32Exact));
  }
  return {};
}

}  // namespace txvm::weights
