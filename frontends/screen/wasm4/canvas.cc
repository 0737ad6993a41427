#include "frontends/screen/wasm4/canvas.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "frontends/screen/wasm4/font.h"

namespace txvm::frontends::screen::wasm4 {
namespace {

// Wide enough that no sum or product of coordinates wraps around.
using Wide = std::int64_t;

constexpr std::uint8_t kNibble = 0xF, kPixelMask = 3;
constexpr unsigned kNibbleBits = 4, kPixelsInByte = 4;
constexpr int kGlyphSide = 8;
constexpr Wide kEdge = kSide;

bool IsInside(Wide x, Wide y) { return x >= 0 && x < kEdge && y >= 0 && y < kEdge; }

struct Ends {
  Wide x1, y1, x2, y2;
};

/// What lies between the columns or rows `least` and `most` of a long line, rounded to pixels.
std::optional<Ends> CutLine(Ends line, Wide least, Wide most) {
  const auto cut = [&](Wide& a, Wide& other, Wide b, Wide other_b, Wide limit) {
    other += static_cast<Wide>(static_cast<double>(other_b - other) *
                               (static_cast<double>(limit - a) / static_cast<double>(b - a)));
    a = limit;
  };
  for (const bool across : {true, false}) {
    Wide& a = across ? line.x1 : line.y1;
    Wide& b = across ? line.x2 : line.y2;
    Wide& other_a = across ? line.y1 : line.x1;
    Wide& other_b = across ? line.y2 : line.x2;
    if (std::max(a, b) < least || std::min(a, b) > most) return std::nullopt;
    if (a < least) cut(a, other_a, b, other_b, least);
    if (a > most) cut(a, other_a, b, other_b, most);
    if (b < least) cut(b, other_b, a, other_a, least);
    if (b > most) cut(b, other_b, a, other_a, most);
  }
  return line;
}

}  // namespace

/// Draw colour 1 to 4: 0 is transparent, 1 to 4 a colour of the palette.
std::uint8_t Canvas::DrawColor(unsigned number) const {
  const unsigned colors = memory_[kDrawColors] | memory_[kDrawColors + 1] << 8;
  return static_cast<std::uint8_t>(colors >> ((number - 1) * kNibbleBits)) & kNibble;
}

void Canvas::Point(std::uint8_t draw_color, Wide x, Wide y) {
  if (draw_color == 0 || !IsInside(x, y)) return;
  std::uint8_t& byte =
      memory_[kFramebuffer + static_cast<std::size_t>(y * kEdge + x) / kPixelsInByte];
  const unsigned shift = static_cast<unsigned>(x % kPixelsInByte) * 2;
  const unsigned color = (draw_color - 1U) & kPixelMask;
  byte = static_cast<std::uint8_t>((byte & ~(kPixelMask << shift)) | color << shift);
}

/// The pixels from `from` to before `to` of a row.
void Canvas::Span(std::uint8_t draw_color, Wide from, Wide to, Wide y) {
  from = std::max<Wide>(from, 0), to = std::min(to, kEdge);
  for (Wide x = from; x < to; ++x) Point(draw_color, x, y);
}

void Canvas::Column(std::uint8_t draw_color, Wide x, Wide from, Wide to) {
  from = std::max<Wide>(from, 0), to = std::min(to, kEdge);
  for (Wide y = from; y < to; ++y) Point(draw_color, x, y);
}

void Canvas::Clear() {
  std::ranges::fill(memory_.subspan(kFramebuffer, kFramebufferBytes), std::uint8_t{0});
}

/// The number of the colour that a pixel of a sprite has, from 0. The first pixel of a byte is in
/// its highest bits.
unsigned Canvas::SpriteColor(std::uint32_t sprite, Wide pixel, bool two_bits) const {
  const unsigned bits = two_bits ? 2 : 1;
  const Wide in_byte = 8 / static_cast<Wide>(bits);
  const Wide in_sprite = pixel >= 0 ? pixel / in_byte : -((-pixel + in_byte - 1) / in_byte);
  const Wide at = sprite + in_sprite;
  if (at < 0 || at >= static_cast<Wide>(memory_.size())) return 0;
  const auto place = static_cast<unsigned>(pixel - in_sprite * in_byte);
  const unsigned byte = memory_[static_cast<std::size_t>(at)];
  return byte << bits * place >> (8 - bits) & ((1U << bits) - 1);
}

void Canvas::Blit(std::uint32_t sprite, Coordinate x, Coordinate y, Coordinate width,
                  Coordinate height, std::uint32_t flags) {
  BlitPart(sprite, x, y, width, height, 0, 0, width, flags);
}

// A turn by a quarter against the clock swaps the sides, and the sprite's rows go from the right:
// flips come first, so that this is one more flip of x.
void Canvas::BlitPart(std::uint32_t sprite, Coordinate x, Coordinate y, Coordinate width,
                      Coordinate height, Coordinate source_x, Coordinate source_y,
                      Coordinate stride, std::uint32_t flags) {
  const bool rotate = (flags & kRotate) != 0;
  const bool flip_x = ((flags & kFlipX) != 0) != rotate;
  const bool flip_y = (flags & kFlipY) != 0;
  // The sprite's pixel (column, row) goes to (x, y) + (column, row), or + (row, column).
  const Wide across = rotate ? y : x, down = rotate ? x : y;
  const Wide first_column = std::max<Wide>(0, -across), first_row = std::max<Wide>(0, -down);
  const Wide last_column = std::min<Wide>(width, kEdge - across);
  const Wide last_row = std::min<Wide>(height, kEdge - down);
  for (Wide row = first_row; row < last_row; ++row) {
    for (Wide column = first_column; column < last_column; ++column) {
      const Wide from_x = source_x + (flip_x ? width - column - 1 : column);
      const Wide from_y = source_y + (flip_y ? height - row - 1 : row);
      const unsigned color = SpriteColor(sprite, from_y * stride + from_x, (flags & kTwoBits) != 0);
      Point(DrawColor(color + 1), x + (rotate ? row : column), y + (rotate ? column : row));
    }
  }
}

// Bresenham's algorithm, from the upper end to the lower one.
void Canvas::Line(Coordinate from_x, Coordinate from_y, Coordinate to_x, Coordinate to_y) {
  constexpr Wide kFar = 1 << 14;  // from here on a line is cut before it is drawn
  Ends line{from_x, from_y, to_x, to_y};
  if (line.y1 > line.y2) line = {line.x2, line.y2, line.x1, line.y1};
  if (std::ranges::any_of(std::to_array({line.x1, line.y1, line.x2, line.y2}),
                          [](Wide value) { return std::abs(value) > kFar; })) {
    const std::optional<Ends> cut = CutLine(line, -kEdge, 2 * kEdge);
    if (!cut) return;
    line = *cut;
  }
  const std::uint8_t color = DrawColor(1);
  const Wide width = std::abs(line.x2 - line.x1), height = line.y2 - line.y1;
  const Wide step = line.x1 < line.x2 ? 1 : -1;
  Wide error = (width > height ? width : -height) / 2;
  Point(color, line.x1, line.y1);
  while (line.x1 != line.x2 || line.y1 != line.y2) {
    const Wide before = error;
    if (before > -width) error -= height, line.x1 += step;
    if (before < height) error += width, ++line.y1;
    Point(color, line.x1, line.y1);
  }
}

void Canvas::HorizontalLine(Coordinate x, Coordinate y, Coordinate length) {
  Span(DrawColor(1), x, Wide{x} + length, y);
}

void Canvas::VerticalLine(Coordinate x, Coordinate y, Coordinate length) {
  Column(DrawColor(1), x, y, Wide{y} + length);
}

void Canvas::Rect(Coordinate x, Coordinate y, Coordinate width, Coordinate height) {
  const Wide right = Wide{x} + width, bottom = Wide{y} + height;
  const std::uint8_t fill = DrawColor(1), outline = DrawColor(2);
  const Wide last = std::min(bottom, kEdge);
  for (Wide row = std::max<Wide>(y, 0); row < last; ++row) Span(fill, x, right, row);
  Column(outline, x, y, bottom);
  Column(outline, right - 1, y, bottom);
  Span(outline, x, right, y);
  Span(outline, x, right, bottom - 1);
}

// The midpoint algorithm in integers: one point of the outline for each step of a quadrant, and the
// row between its mirror images. `error` is the ellipse's equation at the point, times four.
void Canvas::Oval(Coordinate x, Coordinate y, Coordinate width, Coordinate height) {
  constexpr Coordinate kMostOval = 32'768;  // beyond it the terms do not fit in 64 bits
  if (width <= 0 || height <= 0 || width > kMostOval || height > kMostOval) return;
  const std::uint8_t fill = DrawColor(1), outline = DrawColor(2);
  const Wide across = width - 1, down = height - 1, odd = down % 2;
  const Wide across_2 = across * across, down_2 = down * down;
  Wide west = x, east = x + across, lower = y + Wide{height} / 2, upper = lower - odd;
  Wide step_x = 4 * (1 - across) * down_2, step_y = 4 * (odd + 1) * across_2;
  Wide error = step_x + step_y + odd * across_2;
  const auto mirror = [&](Wide left, Wide right) {
    for (const Wide row : {lower, upper}) {
      Point(outline, left, row);
      Point(outline, right, row);
    }
  };
  do {
    mirror(west, east);
    for (const Wide row : {lower, upper}) Span(fill, west + 1, east, row);
    const Wide twice = 2 * error;
    if (twice <= step_y) ++lower, --upper, step_y += 8 * across_2, error += step_y;
    if (twice >= step_x || twice > step_y) ++west, --east, step_x += 8 * down_2, error += step_x;
  } while (west <= east);
  // A flat oval ends before its tips are drawn.
  for (; lower - upper < height; ++lower, --upper) mirror(west - 1, east + 1);
}

void Canvas::Character(std::uint8_t character, Wide x, Wide y) {
  const auto columns = Glyph(character);
  for (int column = 0; column < kGlyphSide; ++column) {
    // One free column on the left, two on the right.
    const bool has_dots = column >= 1 && column <= static_cast<int>(kGlyphColumns);
    const unsigned dots = has_dots ? columns[static_cast<std::size_t>(column) - 1] : 0;
    for (int row = 0; row < kGlyphSide; ++row) {
      Point(DrawColor((dots >> row & 1) != 0 ? 1 : 2), x + column, y + row);
    }
  }
}

void Canvas::Text(std::span<const std::uint8_t> text, Coordinate x, Coordinate y) {
  constexpr std::uint8_t kFirstShown = 0x20;
  Wide column = x, row = y;
  for (const std::uint8_t character : text) {
    if (character == '\n') {
      column = x, row += kGlyphSide;
      continue;
    }
    if (character >= kFirstShown) Character(character, column, row);
    column += kGlyphSide;
  }
}

Picture Canvas::Show() const {
  constexpr std::uint32_t kColorBits = 0xFFFFFF;
  Picture picture{kSide, kSide, {}};
  picture.pixels.reserve(std::size_t{kSide} * kSide);
  std::array<std::uint32_t, 4> palette{};
  std::memcpy(palette.data(), memory_.data() + kPalette, sizeof palette);
  for (const std::uint8_t byte : memory_.subspan(kFramebuffer, kFramebufferBytes)) {
    for (unsigned i = 0; i < kPixelsInByte; ++i) {
      picture.pixels.push_back(palette[byte >> 2 * i & kPixelMask] & kColorBits);
    }
  }
  return picture;
}

}  // namespace txvm::frontends::screen::wasm4
