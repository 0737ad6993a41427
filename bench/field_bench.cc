// Goldilocks kernels against two scalar loops in the same run, and the Triton machine's speed.
//
//   txvm_field_bench [--target NAME] [--seconds-per-case S]
//
// Prints one JSON object per line: median of 9 samples (the fastest of some short bursts each), in
// units of 10^9 multiply-accumulates (or elements) or 10^6 instructions a second, with the ratios
// to both loops.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/random.h"
#include "neural/triton/tasm/machine.h"
#include "neural/triton/tasm/text.h"
#include "vm/tensor/goldilocks_kernels.h"

namespace {

namespace gl = txvm::vm::goldilocks;
using Elements = std::vector<gl::Element>;
constexpr int kSamples = 9;

Elements RandomElements(std::size_t n, std::uint64_t seed) {
  txvm::isa::SplitMix64 rng(seed);
  Elements elements(n);
  for (gl::Element& element : elements) element = gl::Canonical(rng.Next());
  return elements;
}

// The first scalar loop: one reduction per product.
void MatVecEager(const Elements& m, const Elements& x, Elements& y) {
  for (std::size_t row = 0; row < y.size(); ++row) {
    gl::Element sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum = gl::Add(sum, gl::Mul(m[row * x.size() + i], x[i]));
    }
    y[row] = sum;
  }
}

// The second: 192-bit sums, one reduction per row.
void MatVecLazy(const Elements& m, const Elements& x, Elements& y) {
  for (std::size_t row = 0; row < y.size(); ++row) {
    gl::Uint128 low = 0;
    std::uint64_t high = 0;
    const gl::Element* a = m.data() + row * x.size();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const gl::Uint128 product = static_cast<gl::Uint128>(a[i]) * x[i];
      low += product;
      high += low < product ? 1 : 0;
    }
    // 2^128 = -2^32 (mod p).
    y[row] = gl::Sub(gl::Reduce128(low), gl::Mul(high, std::uint64_t{1} << 32));
  }
}

using Call = std::function<void()>;

double Time(const Call& call, std::size_t calls) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < calls; ++i) call();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Median of 9 samples of each call, in seconds. A sample is the fastest of some bursts shorter than
// a scheduler's time slice, and the calls take turns, so that other load meets all of them alike
// and mostly falls out.
std::vector<double> SecondsPerCall(double budget, const std::vector<Call>& calls) {
  constexpr double kBurst = 0.5e-3;  // seconds
  std::vector<std::size_t> repeats(calls.size(), 1);
  for (std::size_t c = 0; c < calls.size(); ++c) {
    while (Time(calls[c], repeats[c]) < kBurst) repeats[c] *= 2;
  }
  const auto bursts =
      std::max<std::size_t>(3, static_cast<std::size_t>(budget / kSamples / kBurst));
  std::vector<std::array<double, kSamples>> samples(calls.size());
  for (std::size_t i = 0; i < kSamples; ++i) {
    for (auto& sample : samples) sample[i] = std::numeric_limits<double>::infinity();
    for (std::size_t burst = 0; burst < bursts; ++burst) {
      for (std::size_t c = 0; c < calls.size(); ++c) {
        const double seconds = Time(calls[c], repeats[c]) / static_cast<double>(repeats[c]);
        samples[c][i] = std::min(samples[c][i], seconds);
      }
    }
  }
  std::vector<double> medians;
  for (auto& sample : samples) {
    std::ranges::nth_element(sample, sample.begin() + kSamples / 2);
    medians.push_back(sample[kSamples / 2]);
  }
  return medians;
}

double SecondsPerCall(double budget, const Call& call) {
  return SecondsPerCall(budget, std::vector<Call>{call})[0];
}

void BenchMatVec(std::size_t rows, std::size_t cols, double budget) {
  const Elements m = RandomElements(rows * cols, 1);
  const Elements x = RandomElements(cols, 2);
  Elements y(rows);
  Elements expected(rows);
  const auto macs = static_cast<double>(rows * cols);
  Elements lazy_y(rows);
  const auto seconds =
      SecondsPerCall(budget, {[&] { MatVecEager(m, x, expected); },
                              [&] { MatVecLazy(m, x, lazy_y); }, [&] { gl::MatVec(m, x, y); }});
  const double eager = seconds[0];
  const double lazy = seconds[1];
  const double kernel = seconds[2];
  fmt::print(
      "{{\"bench\": \"matvec\", \"rows\": {}, \"cols\": {}, \"target\": \"{}\", \"gmacs\": {:.3f}, "
      "\"eager_gmacs\": {:.3f}, \"lazy_gmacs\": {:.3f}, \"ratio_eager\": {:.2f}, \"ratio_lazy\": "
      "{:.2f}, \"equal\": {}}}\n",
      rows, cols, gl::GoldilocksTarget(), macs / kernel * 1e-9, macs / eager * 1e-9,
      macs / lazy * 1e-9, eager / kernel, lazy / kernel, y == expected && lazy_y == expected);
}

void BenchElementwise(double budget) {
  constexpr std::size_t kCount = 4096;
  const Elements a = RandomElements(kCount, 3);
  const Elements b = RandomElements(kCount, 4);
  Elements out(kCount);
  const std::pair<const char*, std::function<void()>> cases[] = {
      {"mul", [&] { gl::MulVectors(a, b, out); }},
      {"mul_scalar",
       [&] {
         for (std::size_t i = 0; i < kCount; ++i) out[i] = gl::Mul(a[i], b[i]);
       }},
      {"add", [&] { gl::AddVectors(a, b, out); }},
      {"invert", [&] { gl::InvertVector(a, out); }},
      {"dot", [&] { out[0] = gl::Dot(a, b); }},
      {"matmul", [&] { gl::MatMul(a, b, out, 64, 64, 64); }},
  };
  for (const auto& [name, call] : cases) {
    const double operations =
        std::string_view(name) == "matmul" ? 64.0 * 64 * 64 : static_cast<double>(kCount);
    fmt::print("{{\"bench\": \"{}\", \"target\": \"{}\", \"gops\": {:.3f}}}\n", name,
               gl::GoldilocksTarget(), operations / SecondsPerCall(budget, call) * 1e-9);
  }
}

void BenchTriton(std::string_view name, std::string_view text, bool heights, double budget) {
  const auto program = txvm::triton::AssembleTasm(text);
  const auto machine = txvm::triton::TasmMachine::Load(*program);
  txvm::triton::TasmOptions options;
  options.heights = heights;
  std::uint64_t cycles = 0;
  const double seconds =
      SecondsPerCall(budget, [&] { cycles = machine->Run({}, options)->cycles; });
  fmt::print(
      "{{\"bench\": \"triton\", \"program\": \"{}\", \"heights\": {}, \"cycles\": {}, "
      "\"million_instructions_per_second\": {:.1f}}}\n",
      name, heights, cycles, static_cast<double>(cycles) / seconds * 1e-6);
}

}  // namespace

int main(int argc, char** argv) {
  double budget = 1.0;
  std::string target;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--target") target = argv[i + 1];
    if (std::string_view(argv[i]) == "--seconds-per-case") budget = std::atof(argv[i + 1]);
  }
  if (!target.empty() && !gl::ChooseGoldilocksTarget(target)) {
    fmt::print(stderr, "this machine has no target {}\n", target);
    return 2;
  }
  for (const auto& [rows, cols] :
       {std::pair<std::size_t, std::size_t>{64, 64}, {64, 256}, {128, 128}, {256, 1024}}) {
    BenchMatVec(rows, cols, budget);
  }
  BenchElementwise(budget);
  constexpr std::string_view kArithmetic =
      "push 0 push 1 push 100000 call l halt l: pick 2 dup 2 add place 2 pick 1 dup 2 mul place 1 "
      "push -1 add dup 0 skiz recurse return";
  constexpr std::string_view kFibonacci =
      "push 0 push 1 push 100000 call l halt l: push -1 add swap 2 dup 1 add swap 1 swap 2 dup 0 "
      "skiz recurse return";
  constexpr std::string_view kU32 =
      "push 50000 call l halt l: dup 0 push 1000 lt pop 1 dup 0 push 255 and pop 1 push -1 add dup "
      "0 skiz recurse return";
  constexpr std::string_view kHash =
      "push 2000 call l halt l: dup 9 dup 9 dup 9 dup 9 dup 9 dup 9 dup 9 dup 9 dup 9 dup 9 hash "
      "pop 5 push -1 add dup 0 skiz recurse return";
  for (const bool heights : {false, true}) {
    BenchTriton("arithmetic", kArithmetic, heights, budget);
    BenchTriton("fibonacci", kFibonacci, heights, budget);
    BenchTriton("u32", kU32, heights, budget);
    BenchTriton("hash", kHash, heights, budget);
  }
  return 0;
}
