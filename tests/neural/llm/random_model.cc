#include "tests/neural/llm/random_model.h"

#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

namespace txvm::neural::llm {
namespace {

Matrix RandomMatrix(Element type, std::size_t rows, std::size_t cols, std::mt19937_64& random) {
  Matrix matrix = NewMatrix(type, rows, cols);
  const auto bytes = MutableBytes(matrix);
  const float size = 1 / std::sqrt(static_cast<float>(cols));
  std::normal_distribution<float> normal(0, size);
  std::vector<float> row(cols);
  for (std::size_t r = 0; r < rows; ++r) {
    std::uint8_t* to = bytes.data() + r * matrix.row_bytes;
    if (CanEncode(type)) {
      for (float& value : row) value = normal(random);
      EncodeRow(type, row, to);
      continue;
    }
    for (std::size_t i = 0; i < matrix.row_bytes; ++i) to[i] = static_cast<std::uint8_t>(random());
    const std::uint16_t scale = FloatToHalf(size / (type == Element::kQ4_0 ? 5.0f : 500.0f));
    for (std::size_t at = 0; at < matrix.row_bytes; at += Info(type).bytes) {
      std::uint8_t* half = to + at + (type == Element::kQ6_K ? 208 : 0);
      std::memcpy(half, &scale, sizeof(scale));
      if (type == Element::kQ4_K || type == Element::kQ5_K) std::memcpy(half + 2, &scale, 2);
    }
  }
  return matrix;
}

std::vector<float> RandomNorm(std::size_t size, std::mt19937_64& random) {
  std::uniform_real_distribution<float> uniform(0.5f, 1.5f);
  std::vector<float> values(size);
  for (float& value : values) value = uniform(random);
  return values;
}

}  // namespace

Config SmallConfig(std::size_t kv_heads, bool tied) {
  Config config;
  config.vocab = 97;
  config.hidden = 128;
  config.feed_forward = 352;
  config.layers = 3;
  config.heads = 8;
  config.kv_heads = kv_heads;
  config.head_dim = 16;
  config.positions = 256;
  config.epsilon = 1e-5f;
  config.rope_base = 10000;
  config.tied = tied;
  return config;
}

std::shared_ptr<Model> RandomModel(const Config& config, std::uint64_t seed, Element type) {
  std::mt19937_64 random(seed);
  auto model = std::make_shared<Model>();
  model->config = config;
  model->frequencies = RopeFrequencies(config);
  const std::size_t h = config.hidden, f = config.feed_forward;
  const auto matrix = [&](std::size_t rows, std::size_t cols) {
    return RandomMatrix(RowBytes(type, cols) ? type : Element::kF32, rows, cols, random);
  };
  model->embedding = matrix(config.vocab, h);
  model->head = config.tied ? model->embedding : matrix(config.vocab, h);
  model->final_norm = RandomNorm(h, random);
  for (std::size_t i = 0; i < config.layers; ++i) {
    Layer layer{RandomNorm(h, random), RandomNorm(h, random), {}, {}, {}, {}, {}, {}, {}};
    layer.q = matrix(config.q_rows(), h);
    layer.k = matrix(config.kv_rows(), h);
    layer.v = matrix(config.kv_rows(), h);
    layer.o = matrix(h, config.q_rows());
    layer.gate = matrix(f, h);
    layer.up = matrix(f, h);
    layer.down = matrix(h, f);
    model->layers.push_back(std::move(layer));
  }
  return model;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "txvm-llm-XXXXXX").string();
  path_ = mkdtemp(name.data());
}
TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(path_); }

std::string FileText(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
void WriteText(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

double RelativeError(std::span<const float> a, std::span<const double> b) {
  double gap = 0, most = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    gap = std::max(gap, std::fabs(static_cast<double>(a[i]) - b[i]));
    most = std::max(most, std::fabs(b[i]));
  }
  return gap / most;
}

}  // namespace txvm::neural::llm
