// What is new in a question's wording beside everything that training says.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/nl/training_stream.h"

namespace txvm::bench::nl {

/// The smallest part of a question, numbers and names masked (neural/data/contamination.h), that
/// no example has. The ends of a text count as words.
enum class Novelty : std::uint8_t { kWord, kPair, kTriple, kNothing };

/// In the order of the enumeration, in words.
inline constexpr std::array<std::string_view, 4> kNoveltyTexts = {
    "a word", "two words side by side", "three words in a row", "nothing up to three words"};

/// Of each question. Exact. Cost: about 0.1 ms an example, whatever the questions are.
std::vector<Novelty> NoveltyBesideTraining(const std::vector<std::string>& questions,
                                           const TrainingStream& stream);

}  // namespace txvm::bench::nl
