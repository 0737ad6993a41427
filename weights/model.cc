#include "weights/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace txvm::weights {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;

Result<void> CheckMatrix(const std::string& name, const SparseMatrix& matrix, std::size_t rows,
                         std::size_t columns) {
  if (matrix.rows != rows || matrix.columns != columns) {
    return Fail(ErrorCode::kInvalid, fmt::format("{} is {} x {}, must be {} x {}", name,
                                                 matrix.rows, matrix.columns, rows, columns));
  }
  const Entry* previous = nullptr;
  for (const Entry& e : matrix.entries) {
    const bool ascends = previous == nullptr || previous->row < e.row ||
                         (previous->row == e.row && previous->column < e.column);
    if (e.row >= rows || e.column >= columns || !ascends) {
      return Fail(ErrorCode::kInvalid,
                  fmt::format("{} entry [{}, {}] is out of place", name, e.row, e.column));
    }
    if (e.weight == 0 || e.weight > kMaxWeight || e.weight < -kMaxWeight) {
      return Fail(ErrorCode::kInvalid,
                  fmt::format("{}[{}, {}] is {}, must be within +-{} and not 0", name, e.row,
                              e.column, e.weight, kMaxWeight));
    }
    previous = &e;
  }
  return {};
}

Result<void> CheckVector(const std::string& name, const std::vector<std::int32_t>& vector,
                         std::size_t size) {
  if (vector.size() != size) {
    return Fail(ErrorCode::kInvalid,
                fmt::format("{} has {} values, must have {}", name, vector.size(), size));
  }
  for (const std::int32_t value : vector) {
    if (value <= kMaxWeight && value >= -kMaxWeight) continue;
    return Fail(ErrorCode::kInvalid,
                fmt::format("{} holds {}, must be within +-{}", name, value, kMaxWeight));
  }
  return {};
}

Result<void> CheckHead(const std::string& layer, const ModelHead& head, std::size_t width) {
  const std::string name = fmt::format("{}.{}", layer, Spec(head.id).name);
  TXVM_CHECK_OK(CheckMatrix(name + ".w_q", head.w_q, kScoreSize, width));
  TXVM_CHECK_OK(CheckVector(name + ".b_q", head.b_q, kScoreSize));
  TXVM_CHECK_OK(CheckMatrix(name + ".w_k", head.w_k, kScoreSize, width));
  TXVM_CHECK_OK(CheckVector(name + ".b_k", head.b_k, kScoreSize));
  if (head.w_v.rows > kMaxHeadValues) {
    return Fail(ErrorCode::kInvalid,
                fmt::format("{}.w_v has {} rows, at most {}", name, head.w_v.rows, kMaxHeadValues));
  }
  TXVM_CHECK_OK(CheckMatrix(name + ".w_v", head.w_v, head.w_v.rows, width));
  return CheckMatrix(name + ".w_o", head.w_o, width, head.w_v.rows);
}

Result<void> CheckFeedForward(const std::string& name, const FeedForward& ffn, std::size_t width) {
  const std::size_t units = ffn.w_gate.rows;
  TXVM_CHECK_OK(CheckMatrix(name + ".w_gate", ffn.w_gate, units, width));
  TXVM_CHECK_OK(CheckVector(name + ".b_gate", ffn.b_gate, units));
  TXVM_CHECK_OK(CheckMatrix(name + ".w_up", ffn.w_up, units, width));
  TXVM_CHECK_OK(CheckVector(name + ".b_up", ffn.b_up, units));
  return CheckMatrix(name + ".w_down", ffn.w_down, width, units);
}

Result<void> CheckHeadsAreIndependent(const std::string& name, const std::vector<ModelHead>& heads,
                                      const Model& model) {
  for (const ModelHead& writer : heads) {
    std::vector<bool> written(model.lanes.size(), false);
    for (const Entry& e : writer.w_o.entries) written[e.row] = true;
    for (const ModelHead& reader : heads) {
      if (&reader == &writer) continue;
      for (const Entry& e : reader.w_q.entries) {
        if (!written[e.column]) continue;
        return Fail(
            ErrorCode::kInvalid,
            fmt::format("{}: head {} reads lane {}, which head {} of the layer writes", name,
                        Spec(reader.id).name, model.lanes[e.column].name, Spec(writer.id).name));
      }
    }
  }
  return {};
}

Result<void> CheckUnwritten(const std::string& name, const SparseMatrix& writer,
                            const std::vector<bool>& key_lanes, const Model& model) {
  for (const Entry& e : writer.entries) {
    if (!key_lanes[e.row]) continue;
    return Fail(ErrorCode::kInvalid, fmt::format("{} writes lane {}, which keys or values read",
                                                 name, model.lanes[e.row].name));
  }
  return {};
}

Result<void> CheckKeysAreEmbedded(const Model& model) {
  std::vector<bool> key_lanes(model.lanes.size(), false);
  for (const ModelLayer& layer : model.layers) {
    for (const ModelHead& head : layer.heads) {
      for (const Entry& e : head.w_k.entries) key_lanes[e.column] = true;
      for (const Entry& e : head.w_v.entries) key_lanes[e.column] = true;
    }
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const ModelLayer& layer = model.layers[i];
    for (const ModelHead& head : layer.heads) {
      TXVM_CHECK_OK(CheckUnwritten(fmt::format("layer {} w_o", i), head.w_o, key_lanes, model));
    }
    TXVM_CHECK_OK(
        CheckUnwritten(fmt::format("layer {} w_down", i), layer.ffn.w_down, key_lanes, model));
  }
  return {};
}

std::size_t Size(const SparseMatrix& m) { return static_cast<std::size_t>(m.rows) * m.columns; }

std::size_t NonZeros(const std::vector<std::int32_t>& v) {
  return v.size() - static_cast<std::size_t>(std::ranges::count(v, 0));
}

void Count(ModelCard& card, const SparseMatrix& matrix) {
  card.parameters += Size(matrix);
  card.non_zeros += matrix.entries.size();
}

void Count(ModelCard& card, const std::vector<std::int32_t>& bias) {
  card.parameters += bias.size();
  card.non_zeros += NonZeros(bias);
}

}  // namespace

ModelCard Describe(const Model& model) {
  ModelCard card;
  card.layers = model.layers.size();
  card.d_model = model.d_model();
  Count(card, model.w_embed);
  for (const ModelLayer& layer : model.layers) {
    card.heads += layer.heads.size();
    card.head_layers += layer.heads.empty() ? 0 : 1;
    for (const ModelHead& head : layer.heads) {
      Count(card, head.w_q);
      Count(card, head.b_q);
      Count(card, head.w_k);
      Count(card, head.b_k);
      Count(card, head.w_v);
      Count(card, head.w_o);
    }
    card.units_per_layer.push_back(layer.ffn.w_gate.rows);
    card.units += layer.ffn.w_gate.rows;
    Count(card, layer.ffn.w_gate);
    Count(card, layer.ffn.b_gate);
    Count(card, layer.ffn.w_up);
    Count(card, layer.ffn.b_up);
    Count(card, layer.ffn.w_down);
  }
  Count(card, model.w_out);
  Count(card, model.b_out);
  return card;
}

Result<void> CheckModel(const Model& model) {
  const std::size_t width = model.lanes.size();
  TXVM_CHECK_OK(CheckMatrix("w_embed", model.w_embed, width, kTokenFields));
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const std::string name = fmt::format("layer {}", i);
    for (const ModelHead& head : model.layers[i].heads) {
      TXVM_CHECK_OK(CheckHead(name, head, width));
    }
    TXVM_CHECK_OK(CheckHeadsAreIndependent(name, model.layers[i].heads, model));
    TXVM_CHECK_OK(CheckFeedForward(name, model.layers[i].ffn, width));
  }
  TXVM_CHECK_OK(CheckMatrix("w_out", model.w_out, kOutputFields, width));
  TXVM_CHECK_OK(CheckVector("b_out", model.b_out, kOutputFields));
  return CheckKeysAreEmbedded(model);
}

}  // namespace txvm::weights
