// What is new in a question's wording beside everything that training says.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/nl/asked_words.h"

namespace txvm::bench::nl {

/// The smallest part of a question, numbers and names masked (neural/questions/contamination.h),
/// that no example has. The ends of a text count as words.
enum class Novelty : std::uint8_t { kWord, kPair, kTriple, kNothing };

/// In the order of the enumeration, in words.
inline constexpr std::array<std::string_view, 4> kNoveltyTexts = {
    "a word", "two words side by side", "three words in a row", "nothing up to three words"};

/// Looks for the parts of each question, runs of up to three words, in examples. Exact.
class NoveltySearch {
 public:
  NoveltySearch(const AskedWords& asked, std::size_t threads);

  /// Calls for different workers, 0..threads - 1, may run at once. Cost: that of the example's
  /// words, whatever the questions are.
  void See(std::size_t worker, const WordIds& example);
  /// Of each question, beside the examples seen.
  std::vector<Novelty> Found() const;

 private:
  static constexpr std::size_t kMostWords = 3;  // of a part

  std::unordered_map<std::uint64_t, std::size_t> parts_;
  std::vector<std::array<std::vector<std::size_t>, kMostWords>> of_question_;  // by length - 1
  // By thread, then by part: bits of one vector share their bytes.
  std::vector<std::vector<bool>> seen_;
};

}  // namespace txvm::bench::nl
