// The font of text(): letters of five columns and seven rows, as small displays have them.
#pragma once

#include <array>
#include <cstdint>

namespace txvm::frontends::screen::wasm4 {

inline constexpr unsigned kGlyphColumns = 5;

/// The columns of a character from the left; bit 0 is the top row, bit 7 below the line. Latin-1;
/// letters with accents go without them, 0x80 to 0x85 are the keys X, Z, left, right, up and down,
/// and what is missing is blank.
std::array<std::uint8_t, kGlyphColumns> Glyph(std::uint8_t character);

}  // namespace txvm::frontends::screen::wasm4
