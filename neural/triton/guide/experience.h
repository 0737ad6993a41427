// What `txvm tir optimize --learn` remembers: straight runs, what a search without a guide made of
// them, and the shortest schedule known. A folder keeps them for later training.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/guide/teaching.h"
#include "neural/triton/superopt/program.h"

namespace txvm::triton::guide {

/// Blocks that a buffer keeps at most; beyond it the oldest leave.
inline constexpr std::size_t kMostExperiences = 20'000;

/// Straight runs on disk: one JSON object a line in FOLDER/experience.jsonl.
class ExperienceBuffer {
 public:
  /// Reads the folder's file; an empty buffer where there is none yet. An incomplete last line, of
  /// a process that was killed, counts as not written. Errors: kCorrupt names the line; kIo.
  static isa::Result<ExperienceBuffer> Open(const std::string& folder);

  /// Takes runs of at least kLeastBlock instructions that are new, and shorter results for known
  /// ones; appends both to the file, whole lines at a time. Returns how many. Errors: kHost names
  /// the file and the reason.
  isa::Result<std::size_t> Add(const std::vector<Experience>& experiences);

  const std::vector<Experience>& experiences() const { return experiences_; }

  /// The runs as windows to learn from (`held_out` false) or to measure on. A run's own text
  /// decides, about one in four is held out, so it stays on one side for ever.
  std::vector<Window> Windows(bool held_out) const;

 private:
  explicit ExperienceBuffer(std::string path) : path_(std::move(path)) {}
  bool Keep(const Experience& experience);
  isa::Result<void> Shrink();

  std::string path_;
  std::vector<Experience> experiences_;                  // oldest first, each block once
  std::unordered_map<std::string, std::size_t> places_;  // of a block, by its depth and text
};

/// Shorter blocks are found whole by every search.
inline constexpr std::size_t kLeastBlock = 3;

}  // namespace txvm::triton::guide
