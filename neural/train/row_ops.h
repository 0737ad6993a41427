// The parts of a llama block that are not matrix products, row by row, forward and backward.
#pragma once

#include <cstddef>
#include <vector>

namespace txvm::neural::train {

/// out = x * scale * weight by rows of d, scale[t] = 1 / sqrt(mean(x_t^2) + epsilon). Resizes out
/// and scale.
void NormRows(const std::vector<float>& x, const float* weight, float epsilon, std::size_t d,
              std::vector<float>& out, std::vector<float>& scale);
/// Adds the gradient of NormRows' input to dx, of its weight to d_weight.
void NormRowsBack(const std::vector<float>& d_out, const std::vector<float>& x, const float* weight,
                  const std::vector<float>& scale, std::size_t d, std::vector<float>& dx,
                  float* d_weight);

/// sigmoid = 1 / (1 + e^-gate), product = gate * sigmoid * up. Resizes both.
void GateRows(const std::vector<float>& gate, const std::vector<float>& up,
              std::vector<float>& sigmoid, std::vector<float>& product);
/// Gradients of gate and up. Resizes both.
void GateRowsBack(const std::vector<float>& d_product, const std::vector<float>& gate,
                  const std::vector<float>& up, const std::vector<float>& sigmoid,
                  std::vector<float>& d_gate, std::vector<float>& d_up);

/// row[0..seen) = softmax(scale * row), row[seen..n) = 0. 1 <= seen <= n.
void CausalSoftmax(float* row, std::size_t seen, std::size_t n, float scale);
/// d_row, the gradient of the softmax's output p, becomes that of its input.
void SoftmaxBack(const float* p, std::size_t seen, std::size_t n, float scale, float* d_row);

/// Nats of `target` under softmax(logits); logits become scale times their gradient.
double CrossEntropy(float* logits, std::size_t n, std::size_t target, float scale);

}  // namespace txvm::neural::train
