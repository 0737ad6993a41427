#include "weights/layer_work.h"

#include <algorithm>
#include <span>

#include "weights/wrap.h"

namespace txvm::weights {
namespace {

using Vector = std::vector<std::int64_t>;

Vector Apply(const SparseMatrix& matrix, std::span<const std::int32_t> bias,
             std::span<const std::int64_t> x) {
  Vector y(matrix.rows, 0);
  std::ranges::copy(bias, y.begin());
  for (const Entry& e : matrix.entries) {
    y[e.row] = WrapPlus(y[e.row], WrapTimes(e.weight, x[e.column]));
  }
  return y;
}

void Add(Vector& sum, std::span<const std::int64_t> part) {
  for (std::size_t i = 0; i < part.size(); ++i) sum[i] = WrapPlus(sum[i], part[i]);
}

std::vector<LaneWrite> WritesOf(std::span<const std::int64_t> added) {
  std::vector<LaneWrite> writes;
  for (std::uint32_t lane = 0; lane < added.size(); ++lane) {
    if (added[lane] != 0) writes.push_back({lane, added[lane]});
  }
  return writes;
}

}  // namespace

std::vector<LayerWork> LayersOfPass(const ReferenceModel& model) {
  const Model& weights = model.model();
  std::vector<LayerWork> layers;
  auto choice = model.choices().begin();
  for (const ModelLayer& layer : weights.layers) {
    LayerWork work;
    Vector added(weights.d_model(), 0);
    for (const ModelHead& head : layer.heads) {
      Vector token(kTokenFields, 0);
      std::ranges::copy(model.history()[(choice++)->token],
                        token.begin() + static_cast<std::ptrdiff_t>(state_field::kCount));
      Add(added, Apply(head.w_o, {}, Apply(head.w_v, {}, Apply(weights.w_embed, {}, token))));
    }
    work.heads = WritesOf(added);
    Vector gate = Apply(layer.ffn.w_gate, layer.ffn.b_gate, model.residual());
    const Vector up = Apply(layer.ffn.w_up, layer.ffn.b_up, model.residual());
    for (std::uint32_t unit = 0; unit < gate.size(); ++unit) {
      if (gate[unit] > 0) work.open.push_back(unit);
      gate[unit] = WrapTimes(std::max<std::int64_t>(gate[unit], 0), up[unit]);
    }
    work.units = WritesOf(Apply(layer.ffn.w_down, {}, gate));
    layers.push_back(std::move(work));
  }
  return layers;
}

}  // namespace txvm::weights
