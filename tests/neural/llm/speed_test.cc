// How fast a model of TinyLlama's shape runs, with random weights made in memory. Prints a table;
// run by hand: ctest -L long -R llm_speed -V. TXVM_LLM_THREADS sets the threads (default: all).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "neural/llm/context.h"
#include "vm/tensor/gemm.h"
#include "vm/tensor/gemm_bf16.h"
#include "vm/tensor/nn.h"

namespace txvm::neural::llm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kSumBytes = std::size_t{2} << 30;
constexpr std::size_t kPrompt = 128, kSteps = 8;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Config TinyLlama() {
  Config c;
  c.vocab = 32000;
  c.hidden = 2048;
  c.feed_forward = 5632;
  c.layers = 22;
  c.heads = 32;
  c.kv_heads = 4;
  c.head_dim = 64;
  c.positions = 2048;
  c.epsilon = 1e-5f;
  c.rope_base = 10000;
  return c;
}

/// A matrix of cheap noise of the right size: rows are rotations of one encoded row.
Matrix NoiseMatrix(Element type, std::size_t rows, std::size_t cols, std::uint64_t& state) {
  Matrix matrix = NewMatrix(type, rows, cols);
  std::vector<float> values(cols);
  const auto bytes = MutableBytes(matrix);
  for (std::size_t r = 0; r < rows; ++r) {
    std::uint8_t* to = bytes.data() + r * matrix.row_bytes;
    if (r % 64 != 0) {
      std::copy_n(to - matrix.row_bytes, matrix.row_bytes, to);
      std::rotate(to, to + Info(type).bytes, to + matrix.row_bytes);
      continue;
    }
    for (float& value : values) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      value = (static_cast<float>(state >> 40) * 0x1p-24f - 0.5f) * 0.04f;
    }
    EncodeRow(type, values, to);
  }
  return matrix;
}

std::shared_ptr<Model> NoiseModel(Element type) {
  auto model = std::make_shared<Model>();
  const Config c = model->config = TinyLlama();
  std::uint64_t state = 1;
  model->frequencies = RopeFrequencies(c);
  model->embedding = NoiseMatrix(type, c.vocab, c.hidden, state);
  model->head = NoiseMatrix(type, c.vocab, c.hidden, state);
  model->final_norm.assign(c.hidden, 1);
  for (std::size_t i = 0; i < c.layers; ++i) {
    model->layers.push_back({std::vector<float>(c.hidden, 1), std::vector<float>(c.hidden, 1),
                             NoiseMatrix(type, c.q_rows(), c.hidden, state),
                             NoiseMatrix(type, c.kv_rows(), c.hidden, state),
                             NoiseMatrix(type, c.kv_rows(), c.hidden, state),
                             NoiseMatrix(type, c.hidden, c.q_rows(), state),
                             NoiseMatrix(type, c.feed_forward, c.hidden, state),
                             NoiseMatrix(type, c.feed_forward, c.hidden, state),
                             NoiseMatrix(type, c.hidden, c.feed_forward, state)});
  }
  return model;
}

/// Bytes of weights a token reads: all but the embedding.
std::size_t BytesPerToken(const Model& model) {
  std::size_t bytes = model.head.rows * model.head.row_bytes;
  for (const Layer& layer : model.layers) {
    for (const Matrix* m :
         {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down}) {
      bytes += m->rows * m->row_bytes;
    }
  }
  return bytes;
}

double SumBandwidth(const std::vector<float>& memory, Workers& workers) {
  constexpr std::size_t kChunks = 64;
  std::vector<float> sums(kChunks);
  const std::size_t part = memory.size() / kChunks;
  const auto start = Clock::now();
  workers.Run(kChunks, [&](std::size_t i) { sums[i] = vm::SumOf(memory.data() + i * part, part); });
  const double seconds = Since(start);
  EXPECT_EQ(sums[0], sums[1]);
  return static_cast<double>(memory.size() * sizeof(float)) / seconds / 1e9;
}

/// GFLOP/s of a product of the prompt with a layer's largest matrix, the best of five.
template <class Product>
double BestSpeed(Product product) {
  const Config c = TinyLlama();
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    product(kPrompt, c.feed_forward, c.hidden);
    const double flops = 2.0 * static_cast<double>(kPrompt * c.feed_forward * c.hidden);
    best = std::max(best, flops / Since(start) / 1e9);
  }
  return best;
}

/// oneDNN's own, on one thread: of floats.
double LibrarySpeed() {
  const Config c = TinyLlama();
  const std::vector<float> a(kPrompt * c.hidden, 0.5f), b(c.feed_forward * c.hidden, 0.25f);
  std::vector<float> out(kPrompt * c.feed_forward);
  return BestSpeed([&](std::size_t m, std::size_t n, std::size_t k) {
    vm::MultiplyTransposed(a.data(), b.data(), out.data(), m, n, k, 0);
  });
}

/// The same of bfloat16; 0 where there is none.
double LibrarySpeedOfBf16() {
  if (!vm::HasBf16Gemm()) return 0;
  const Config c = TinyLlama();
  const std::vector<std::uint16_t> a(kPrompt * c.hidden, FloatToBfloat(0.5f));
  const std::vector<std::uint16_t> b(c.feed_forward * c.hidden, FloatToBfloat(0.25f));
  std::vector<float> out(kPrompt * c.feed_forward);
  return BestSpeed([&](std::size_t m, std::size_t n, std::size_t k) {
    vm::MultiplyTransposedBf16(a.data(), b.data(), out.data(), m, n, k, n);
  });
}

TEST(Speed, DecodingReadsAtTheSpeedOfMemory) {
  if (std::getenv("TXVM_LLM_SPEED") == nullptr) {
    GTEST_SKIP() << "takes minutes and 7 GB: ctest -L long -R llm_speed -V runs it";
  }
  const char* chosen = std::getenv("TXVM_LLM_THREADS");
  Workers workers(chosen == nullptr ? ProcessorCount()
                                    : static_cast<std::size_t>(std::atoi(chosen)));
  const std::vector<float> memory(kSumBytes / sizeof(float), 1.0f);
  const double bf16 = LibrarySpeedOfBf16();
  std::printf("%zu threads; oneDNN's own product on one: %.0f GFLOP/s in f32, %s\n",
              workers.threads(), LibrarySpeed(),
              bf16 == 0 ? "no bf16 here" : fmt::format("{:.0f} in bf16", bf16).c_str());
  std::printf("storage  prefill tok/s  GFLOP/s (own / library)  decode tok/s  GB/s  of a sum's\n");
  for (const Element type : {Element::kF32, Element::kBF16, Element::kQ8_0}) {
    const std::size_t needed = ParameterCount(TinyLlama()) * Info(type).bytes / Info(type).block;
    const auto free = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) *
                      static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (free < needed + needed / 8) {
      std::printf("%-7s  skipped: needs %zu MB, %zu are free\n",
                  std::string(Info(type).name).c_str(), needed >> 20, free >> 20);
      continue;
    }
    const auto model = NoiseModel(type);
    const std::vector<Token> prompt(kPrompt, 7);
    // Of the layers: the embedding is not multiplied, the head only for the last token.
    const double flops = 2.0 * static_cast<double>(ParameterCount(model->config) -
                                                   2 * model->head.rows * model->head.cols);
    double speed[2] = {};
    for (const Gemm gemm : {Gemm::kOwn, Gemm::kLibrary}) {
      Context context(model, workers, gemm);
      const auto start = Clock::now();
      ASSERT_TRUE(context.Feed(prompt));
      speed[gemm == Gemm::kLibrary ? 1 : 0] = static_cast<double>(kPrompt) / Since(start);
    }
    Context context(model, workers);
    ASSERT_TRUE(context.Feed(std::vector<Token>(4, 7)));
    double best = 1e9, sum = 0;
    for (std::size_t i = 0; i < kSteps; ++i) {
      sum = std::max(sum, SumBandwidth(memory, workers));
      const auto start = Clock::now();
      ASSERT_TRUE(context.Feed(std::vector<Token>{static_cast<Token>(i)}));
      best = std::min(best, Since(start));
    }
    const double read = static_cast<double>(BytesPerToken(*model)) / best / 1e9;
    std::printf("%-7s  %6.1f / %6.1f  %6.0f / %6.0f  %6.2f  %5.1f  %3.0f %% of %.1f\n",
                std::string(Info(type).name).c_str(), speed[0], speed[1], speed[0] * flops / 1e9,
                speed[1] * flops / 1e9, 1 / best, read, 100 * read / sum, sum);
    EXPECT_TRUE(std::isfinite(context.logits()[0]));
  }
}

}  // namespace
}  // namespace txvm::neural::llm
