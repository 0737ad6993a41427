// Muon (Jordan et al., https://kellerjordan.github.io/posts/muon, 2024): momentum whose matrix is
// replaced by the nearest semi-orthogonal one, so that every direction of a weight matrix learns at
// the same pace.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "neural/train/layout.h"

namespace txvm::neural::train {

struct MuonOptions {
  double momentum = 0.95;      // Nesterov's
  std::size_t iterations = 5;  // of the Newton-Schulz step
  double scale = 0.2;          // root mean square of an update's elements, per unit of rate
};

/// The matrices that Muon updates: those of the blocks. The embedding is a table of rows that
/// mostly get no gradient, norms are no matrices.
std::vector<llm::ParameterView> MuonMatrices(const Layout& layout);

/// Steps of a quintic that drive the singular values of a (rows, cols) matrix toward 1: after five,
/// all but tiny ones lie between 0.6 and 1.3. In place; zero stays zero. Cost: 2 iterations (2 r^2
/// l + r^3) flops, r the shorter side and l the longer one.
void Orthogonalize(std::span<float> matrix, std::size_t rows, std::size_t cols,
                   std::size_t iterations);

/// One update of a matrix (rows, cols); its gradient is multiplied by `clip` first. The same bits
/// on any number of threads: a matrix is one thread's work. decay: per unit of rate. rates: each
/// element's part of the rate, (rows, cols); empty: 1.
void MuonUpdate(const MuonOptions& options, double rate, double decay, double clip,
                std::span<const float> gradient, std::size_t rows, std::size_t cols,
                std::span<const float> rates, std::span<float> weights, std::span<float> momentum);

}  // namespace txvm::neural::train
