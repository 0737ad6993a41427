// Goldilocks kernels over arrays, one implementation per SIMD target, bit-identical on all of them:
// every result is the canonical element, which is unique.
//
// Inputs are canonical elements, any alignment, any length including 0. No allocation; thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "vm/tensor/goldilocks.h"

namespace txvm::vm::goldilocks {

/// out[i] = a[i] + b[i]. REQUIRES equal sizes; out may be a or b. So for SubVectors and MulVectors.
void AddVectors(std::span<const Element> a, std::span<const Element> b, std::span<Element> out);
/// out[i] = a[i] - b[i].
void SubVectors(std::span<const Element> a, std::span<const Element> b, std::span<Element> out);
/// out[i] = a[i] * b[i].
void MulVectors(std::span<const Element> a, std::span<const Element> b, std::span<Element> out);

/// out[i] = 1 / a[i], and 0 where a[i] = 0: one inversion per lane and three multiplications per
/// element. REQUIRES equal sizes; out must not overlap a.
void InvertVector(std::span<const Element> a, std::span<Element> out);

/// The sum of a[i] * b[i]; 0 for empty vectors. REQUIRES equal sizes.
Element Dot(std::span<const Element> a, std::span<const Element> b);

/// y = M x. M: (rows, cols) row-major. REQUIRES m.size() = y.size() * x.size(); y overlaps neither.
void MatVec(std::span<const Element> m, std::span<const Element> x, std::span<Element> y);

/// C = A B. A: (rows, inner), B: (inner, cols), C: (rows, cols), all row-major. REQUIRES sizes to
/// match and C to overlap neither.
void MatMul(std::span<const Element> a, std::span<const Element> b, std::span<Element> c,
            std::size_t rows, std::size_t inner, std::size_t cols);

/// The name of the SIMD target that the kernels run on, e.g. "AVX2".
const char* GoldilocksTarget();

/// For benchmarks: runs these kernels, and all of the process, on the target of this name from now
/// on. False, changing nothing, when this machine or build has none.
bool ChooseGoldilocksTarget(std::string_view name);

}  // namespace txvm::vm::goldilocks
