// The drawing functions of WASM-4, on the memory of a cartridge.
// Source: https://wasm4.org/docs/reference/functions and .../memory. The font is our own.
#pragma once

#include <cstdint>
#include <span>

#include "frontends/screen/picture.h"

namespace txvm::frontends::screen::wasm4 {

inline constexpr std::uint32_t kSide = 160;           // pixels of the screen, both ways
inline constexpr std::uint32_t kPalette = 0x04;       // four words 0x00RRGGBB
inline constexpr std::uint32_t kDrawColors = 0x14;    // 16 bits, four for each draw colour
inline constexpr std::uint32_t kGamepads = 0x16;      // a byte each
inline constexpr std::uint32_t kMouseX = 0x1A;        // signed, 16 bits
inline constexpr std::uint32_t kMouseY = 0x1C;        // signed, 16 bits
inline constexpr std::uint32_t kMouseButtons = 0x1E;  // a byte
inline constexpr std::uint32_t kSystemFlags = 0x1F;   // a byte; bit 0 keeps the framebuffer
inline constexpr std::uint32_t kFramebuffer = 0xA0;   // two bits a pixel, the lowest first
inline constexpr std::uint32_t kFramebufferBytes = kSide * kSide / 4;
inline constexpr std::uint32_t kMemoryBytes = 0x1'0000;  // of a cartridge

/// Bits of blit's flags.
enum BlitFlag : std::uint32_t { kTwoBits = 1, kFlipX = 2, kFlipY = 4, kRotate = 8 };

/// Coordinates of the screen, and beyond it on all sides.
using Coordinate = std::int32_t;

/// Draws in a cartridge's memory with the draw colours that are there. What lies outside the screen
/// is not drawn, and no coordinates take longer than the screen has pixels, but for ovals: those
/// with a side above 32,768 are not drawn. REQUIRES: kMemoryBytes of memory.
class Canvas {
 public:
  explicit Canvas(std::span<std::uint8_t> memory) : memory_(memory) {}

  /// Fills the framebuffer with colour 1.
  void Clear();
  /// A sprite of `width` x `height` at (x, y). Bytes beyond the memory read 0.
  void Blit(std::uint32_t sprite, Coordinate x, Coordinate y, Coordinate width, Coordinate height,
            std::uint32_t flags);
  /// The same of a part of a sprite `stride` pixels wide, from (source_x, source_y) in it.
  void BlitPart(std::uint32_t sprite, Coordinate x, Coordinate y, Coordinate width,
                Coordinate height, Coordinate source_x, Coordinate source_y, Coordinate stride,
                std::uint32_t flags);
  /// From one point to another, both included.
  void Line(Coordinate x1, Coordinate y1, Coordinate x2, Coordinate y2);
  void HorizontalLine(Coordinate x, Coordinate y, Coordinate length);
  void VerticalLine(Coordinate x, Coordinate y, Coordinate length);
  void Oval(Coordinate x, Coordinate y, Coordinate width, Coordinate height);
  void Rect(Coordinate x, Coordinate y, Coordinate width, Coordinate height);
  /// Characters of 8 x 8 pixels in Latin-1; 10 begins a line. Draw colour 1 is the text's, 2 the
  /// background's.
  void Text(std::span<const std::uint8_t> text, Coordinate x, Coordinate y);

  /// The framebuffer in the colours of the palette.
  Picture Show() const;

 private:
  std::uint8_t DrawColor(unsigned number) const;
  void Point(std::uint8_t draw_color, std::int64_t x, std::int64_t y);
  void Span(std::uint8_t draw_color, std::int64_t from, std::int64_t to, std::int64_t y);
  void Column(std::uint8_t draw_color, std::int64_t x, std::int64_t from, std::int64_t to);
  unsigned SpriteColor(std::uint32_t sprite, std::int64_t pixel, bool two_bits) const;
  void Character(std::uint8_t character, std::int64_t x, std::int64_t y);

  std::span<std::uint8_t> memory_;
};

}  // namespace txvm::frontends::screen::wasm4
