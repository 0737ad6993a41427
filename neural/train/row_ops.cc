#include "neural/train/row_ops.h"

#include <algorithm>
#include <cmath>

#include "vm/tensor/nn.h"

namespace txvm::neural::train {

void NormRows(const std::vector<float>& x, const float* weight, float epsilon, std::size_t d,
              std::vector<float>& out, std::vector<float>& scale) {
  const std::size_t rows = x.size() / d;
  out.resize(x.size());
  scale.resize(rows);
  for (std::size_t t = 0; t < rows; ++t) {
    const float* row = &x[t * d];
    float squares = 0;
    for (std::size_t j = 0; j < d; ++j) squares += row[j] * row[j];
    scale[t] = 1 / std::sqrt(squares / static_cast<float>(d) + epsilon);
    for (std::size_t j = 0; j < d; ++j) out[t * d + j] = row[j] * scale[t] * weight[j];
  }
}

void NormRowsBack(const std::vector<float>& d_out, const std::vector<float>& x, const float* weight,
                  const std::vector<float>& scale, std::size_t d, std::vector<float>& dx,
                  float* d_weight) {
  const std::size_t rows = x.size() / d;
  for (std::size_t t = 0; t < rows; ++t) {
    const float* row = &x[t * d];
    const float* up = &d_out[t * d];
    float along = 0;  // of the gradient, along the row
    for (std::size_t j = 0; j < d; ++j) {
      along += up[j] * weight[j] * row[j];
      d_weight[j] += up[j] * row[j] * scale[t];
    }
    const float pull = along * scale[t] * scale[t] * scale[t] / static_cast<float>(d);
    for (std::size_t j = 0; j < d; ++j) {
      dx[t * d + j] += up[j] * weight[j] * scale[t] - row[j] * pull;
    }
  }
}

void GateRows(const std::vector<float>& gate, const std::vector<float>& up,
              std::vector<float>& sigmoid, std::vector<float>& product) {
  sigmoid = gate;
  vm::Sigmoid(sigmoid.data(), sigmoid.size());
  product.resize(gate.size());
  for (std::size_t i = 0; i < gate.size(); ++i) product[i] = gate[i] * sigmoid[i] * up[i];
}

void GateRowsBack(const std::vector<float>& d_product, const std::vector<float>& gate,
                  const std::vector<float>& up, const std::vector<float>& sigmoid,
                  std::vector<float>& d_gate, std::vector<float>& d_up) {
  d_gate.resize(gate.size());
  d_up.resize(gate.size());
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const float s = sigmoid[i];
    d_up[i] = d_product[i] * gate[i] * s;
    d_gate[i] = d_product[i] * up[i] * s * (1 + gate[i] * (1 - s));
  }
}

void CausalSoftmax(float* row, std::size_t seen, std::size_t n, float scale) {
  for (std::size_t j = 0; j < seen; ++j) row[j] *= scale;
  vm::Softmax(row, seen);
  std::fill(row + seen, row + n, 0.0f);
}

void SoftmaxBack(const float* p, std::size_t seen, std::size_t n, float scale, float* d_row) {
  float along = 0;
  for (std::size_t j = 0; j < seen; ++j) along += p[j] * d_row[j];
  for (std::size_t j = 0; j < seen; ++j) d_row[j] = scale * p[j] * (d_row[j] - along);
  std::fill(d_row + seen, d_row + n, 0.0f);
}

double CrossEntropy(float* logits, std::size_t n, std::size_t target, float scale) {
  const auto of_target = static_cast<double>(logits[target]);
  const double log_sum = vm::Softmax(logits, n);
  for (std::size_t j = 0; j < n; ++j) logits[j] *= scale;
  logits[target] -= scale;
  return log_sum - of_target;
}

}  // namespace txvm::neural::train
