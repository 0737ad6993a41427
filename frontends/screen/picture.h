// One frame of a program that draws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace txvm::frontends::screen {

/// Rows from the top, 0x00RRGGBB a pixel. INVARIANT: pixels.size() == width * height.
struct Picture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint32_t> pixels;

  friend bool operator==(const Picture&, const Picture&) = default;
};

/// The most that a side of a picture may have.
inline constexpr std::uint32_t kMostSide = 4'096;

/// FNV-1a over words of 32 bits: width, height, then the pixels in order. Another program that
/// draws the same computes it in three lines. Cost O(pixels).
std::uint64_t HashPicture(const Picture& picture);

/// The hash of a film: that of the frames before, with one more frame. Begin with 0.
std::uint64_t HashFilm(std::uint64_t before, std::uint64_t frame);

/// 16 hex digits.
std::string HashText(std::uint64_t hash);

}  // namespace txvm::frontends::screen
