// Files damaged at random, the same way in every run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

namespace txvm::neural::llm {

/// `text` with one to four of: a byte changed, bytes cut out, repeated, the end cut off, eight
/// bytes set to a number that is large or small. Changes fall into the first `reach` bytes.
inline std::string Damaged(std::string text, std::size_t reach, std::mt19937_64& random) {
  const auto place = [&] {
    return random() % std::min(std::max<std::size_t>(reach, 1), text.size());
  };
  for (std::uint64_t left = random() % 4 + 1; left > 0 && !text.empty(); --left) {
    const std::size_t at = place();
    const std::size_t size = std::min<std::size_t>(random() % 16 + 1, text.size() - at);
    switch (random() % 6) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ 1 << random() % 8);
        break;
      case 2:
        text.erase(at, size);
        break;
      case 3:
        text.insert(at, text.substr(at, size));
        break;
      case 4:
        text.resize(random() % 8 == 0 ? at : text.size() - random() % 9 % text.size());
        break;
      default: {
        std::uint64_t number = random() >> random() % 64;
        if (random() % 4 == 0) number = ~std::uint64_t{0} >> random() % 3;
        for (std::size_t i = 0; i < 8 && at + i < text.size(); ++i) {
          text[at + i] = static_cast<char>(number >> (8 * i));
        }
      }
    }
  }
  return text;
}

}  // namespace txvm::neural::llm
