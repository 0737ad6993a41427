// Small models with random weights, and folders to write them to.
#pragma once

#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include "neural/llm/model.h"

namespace txvm::neural::llm {

/// Dimensions of a model that takes milliseconds. 8 heads of 16 over `kv_heads`.
Config SmallConfig(std::size_t kv_heads, bool tied);

/// Weights of the size real ones have, in this type: normal, scaled by 1 / sqrt(cols). Types that
/// cannot be encoded get random bits with small scales.
std::shared_ptr<Model> RandomModel(const Config& config, std::uint64_t seed,
                                   Element type = Element::kF32);

/// A folder that is removed with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string FileText(const std::string& path);
void WriteText(const std::string& path, std::string_view text);

/// max |a - b| / max |b|.
double RelativeError(std::span<const float> a, std::span<const double> b);

}  // namespace txvm::neural::llm
