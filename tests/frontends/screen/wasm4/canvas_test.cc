// The drawing functions against their documentation (https://wasm4.org/docs/reference/functions),
// pixel by pixel: an oracle written from its sentences, small pictures, and every edge.
#include "frontends/screen/wasm4/canvas.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/random.h"

namespace txvm::frontends::screen::wasm4 {
namespace {

constexpr int kEdge = static_cast<int>(kSide);
using Screen = std::vector<std::uint8_t>;  // a colour 0 to 3 a pixel

class CanvasTest : public testing::Test {
 protected:
  void SetColors(unsigned colors) {
    memory_[kDrawColors] = static_cast<std::uint8_t>(colors);
    memory_[kDrawColors + 1] = static_cast<std::uint8_t>(colors >> 8);
  }
  std::uint8_t At(int x, int y) const {
    const int pixel = y * kEdge + x;
    return memory_[kFramebuffer + static_cast<std::size_t>(pixel / 4)] >> pixel % 4 * 2 & 3;
  }
  Screen ReadScreen() const {
    Screen screen;
    for (int y = 0; y < kEdge; ++y) {
      for (int x = 0; x < kEdge; ++x) screen.push_back(At(x, y));
    }
    return screen;
  }
  /// Rows of what is at (x, y), a figure a pixel.
  std::string Show(int x, int y, int width, int height) const {
    std::string rows;
    for (int row = y; row < y + height; ++row) {
      for (int column = x; column < x + width; ++column) {
        rows += static_cast<char>('0' + At(column, row));
      }
      rows += '\n';
    }
    return rows;
  }
  /// Puts bits, the first on top, at `address`.
  void Put(std::uint32_t address, std::string_view bits) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      std::uint8_t& byte = memory_[address + i / 8];
      const auto mask = static_cast<std::uint8_t>(0x80 >> i % 8);
      byte = static_cast<std::uint8_t>(bits[i] == '1' ? byte | mask : byte & ~mask);
    }
  }
  /// Draws in colour 2 of the palette where `is_inside` says so, and compares.
  void ExpectOnly(const std::function<bool(int x, int y)>& is_inside, const std::string& what) {
    for (int y = 0; y < kEdge; ++y) {
      for (int x = 0; x < kEdge; ++x) {
        ASSERT_EQ(At(x, y), is_inside(x, y) ? 1 : 0) << what << " at " << x << ", " << y;
      }
    }
  }

  std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(kMemoryBytes);
  Canvas canvas_{memory_};
};

/// Coordinates at, before and after every edge, and far away.
constexpr auto kPlaces = std::to_array<int>(
    {-2147483647, -200, -161, -5, -1, 0, 1, 80, 158, 159, 160, 161, 400, 2147483647});
constexpr auto kLengths = std::to_array<int>({-3, 0, 1, 2, 7, 159, 160, 161, 2147483647});

TEST_F(CanvasTest, AHorizontalLineGoesFromXToXPlusLengthMinusOne) {
  SetColors(2);
  for (const int x : kPlaces) {
    for (const int y : kPlaces) {
      for (const int length : kLengths) {
        canvas_.Clear();
        canvas_.HorizontalLine(x, y, length);
        const std::int64_t end = std::int64_t{x} + length - 1;
        ExpectOnly([&](int at_x, int at_y) { return at_y == y && at_x >= x && at_x <= end; },
                   "hline");
        canvas_.Clear();
        canvas_.VerticalLine(y, x, length);
        ExpectOnly([&](int at_x, int at_y) { return at_x == y && at_y >= x && at_y <= end; },
                   "vline");
      }
    }
  }
}

TEST_F(CanvasTest, ARectangleIsFilledByColor1AndOutlinedByColor2) {
  for (const int x : kPlaces) {
    for (const int y : {-3, 0, 80, 158}) {
      for (const int width : {1, 2, 7, 160}) {
        for (const int height : {1, 2, 5, 200}) {
          canvas_.Clear();
          SetColors(0x42);
          canvas_.Rect(x, y, width, height);
          const std::int64_t right = std::int64_t{x} + width - 1, bottom = y + height - 1;
          for (int at_y = 0; at_y < kEdge; ++at_y) {
            for (int at_x = 0; at_x < kEdge; ++at_x) {
              const bool inside = at_x >= x && at_x <= right && at_y >= y && at_y <= bottom;
              const bool edge = at_x == x || at_x == right || at_y == y || at_y == bottom;
              ASSERT_EQ(At(at_x, at_y), !inside ? 0 : edge ? 3 : 1);
            }
          }
        }
      }
    }
  }
}

TEST_F(CanvasTest, ATransparentColorDrawsNothing) {
  SetColors(0);
  canvas_.Rect(10, 10, 50, 50);
  canvas_.Oval(10, 10, 50, 50);
  canvas_.Line(0, 0, 159, 159);
  canvas_.HorizontalLine(0, 5, 100);
  canvas_.VerticalLine(5, 0, 100);
  canvas_.Text(std::to_array<std::uint8_t>({'A', 'B'}), 20, 20);
  canvas_.Blit(0x19A0, 0, 0, 100, 100, kTwoBits);
  EXPECT_EQ(ReadScreen(), Screen(kSide * kSide, 0));
  SetColors(0x30);  // the outline alone
  canvas_.Rect(2, 2, 3, 3);
  EXPECT_EQ(Show(1, 1, 5, 5), "00000\n02220\n02020\n02220\n00000\n");
}

TEST_F(CanvasTest, ALineJoinsItsEndsInAllDirections) {
  isa::Random random(1);
  SetColors(2);
  for (int i = 0; i < 500; ++i) {
    const int x1 = static_cast<int>(random.Below(160)), y1 = static_cast<int>(random.Below(160));
    const int x2 = static_cast<int>(random.Below(160)), y2 = static_cast<int>(random.Below(160));
    canvas_.Clear();
    canvas_.Line(x1, y1, x2, y2);
    EXPECT_EQ(At(x1, y1), 1);
    EXPECT_EQ(At(x2, y2), 1);
    // One pixel for each column or row, whichever are more, and none further off than half a pixel.
    const int across = std::abs(x2 - x1), down = std::abs(y2 - y1);
    int count = 0;
    for (int y = 0; y < kEdge; ++y) {
      for (int x = 0; x < kEdge; ++x) {
        if (At(x, y) == 0) continue;
        ++count;
        const int area = std::abs((x - x1) * (y2 - y1) - (y - y1) * (x2 - x1));
        EXPECT_LE(2 * area, std::max(across, down) + 1);
      }
    }
    EXPECT_EQ(count, std::max(across, down) + 1);
  }
}

TEST_F(CanvasTest, ALineFromFarAwayIsCut) {
  SetColors(2);
  canvas_.Line(-2'000'000'000, 40, 2'000'000'000, 40);
  ExpectOnly([](int, int y) { return y == 40; }, "line");
  canvas_.Clear();
  canvas_.Line(-2'000'000'000, -2'000'000'000, 2'000'000'000, 2'000'000'000);
  ExpectOnly([](int x, int y) { return x == y; }, "diagonal");
  canvas_.Clear();
  canvas_.Line(-2'000'000'000, 300, 2'000'000'000, 1000);
  EXPECT_EQ(ReadScreen(), Screen(kSide * kSide, 0));
}

TEST_F(CanvasTest, OvalsAreRoundAndTouchAllFourSides) {
  SetColors(0x23);
  canvas_.Oval(1, 1, 7, 7);
  EXPECT_EQ(Show(0, 0, 9, 9),
            "000000000\n000111000\n001222100\n012222210\n012222210\n012222210\n001222100\n"
            "000111000\n000000000\n");
  canvas_.Clear();
  canvas_.Oval(1, 1, 8, 4);
  EXPECT_EQ(Show(0, 0, 10, 6),
            "0000000000\n0001111000\n0112222110\n0112222110\n0001111000\n0000000000\n");
  for (int width = 1; width < 70; ++width) {
    for (int height = 1; height < 70; ++height) {
      canvas_.Clear();
      canvas_.Oval(10, 20, width, height);
      bool left = false, right = false, top = false, bottom = false;
      for (int y = 0; y < kEdge; ++y) {
        for (int x = 0; x < kEdge; ++x) {
          if (At(x, y) == 0) continue;
          ASSERT_TRUE(x >= 10 && x < 10 + width && y >= 20 && y < 20 + height);
          ASSERT_EQ(At(x, y), At(20 + width - 1 - x, y));  // mirrored left and right
          left |= x == 10, right |= x == 10 + width - 1;
          top |= y == 20, bottom |= y == 20 + height - 1;
        }
      }
      ASSERT_TRUE(left && right && top && bottom) << width << " x " << height;
    }
  }
  canvas_.Clear();
  canvas_.Oval(0, 0, 2'000'000'000, 2'000'000'000);
  canvas_.Oval(0, 0, 0, -5);
  EXPECT_EQ(ReadScreen(), Screen(kSide * kSide, 0));
}

// An L of three by two pixels, which no flip or turn leaves as it is.
constexpr std::string_view kLetter = "100111";

TEST_F(CanvasTest, BlitFlipsAndThenTurnsAgainstTheClock) {
  Put(0x3000, kLetter);
  SetColors(0x21);
  const auto blit = [&](std::uint32_t flags, int width, int height) {
    canvas_.Clear();
    canvas_.Blit(0x3000, 0, 0, 3, 2, flags);
    return Show(0, 0, width, height);
  };
  EXPECT_EQ(blit(0, 3, 2), "100\n111\n");
  EXPECT_EQ(blit(kFlipX, 3, 2), "001\n111\n");
  EXPECT_EQ(blit(kFlipY, 3, 2), "111\n100\n");
  EXPECT_EQ(blit(kFlipX | kFlipY, 3, 2), "111\n001\n");
  // A quarter turn to the left: the right column becomes the top row.
  EXPECT_EQ(blit(kRotate, 2, 3), "01\n01\n11\n");
  EXPECT_EQ(blit(kRotate | kFlipX, 2, 3), "11\n01\n01\n");
  EXPECT_EQ(blit(kRotate | kFlipY, 2, 3), "10\n10\n11\n");
  EXPECT_EQ(blit(kRotate | kFlipX | kFlipY, 2, 3), "11\n10\n10\n");
}

TEST_F(CanvasTest, SpritesOfTwoBitsHaveFourDrawColors) {
  Put(0x3000, "00011011");
  SetColors(0x1234);
  canvas_.Blit(0x3000, 4, 4, 4, 1, kTwoBits);
  EXPECT_EQ(Show(4, 4, 4, 1), "3210\n");
  canvas_.Clear();
  SetColors(0x1204);  // the second is transparent
  memory_[kFramebuffer] = 0xFF;
  canvas_.Blit(0x3000, 0, 0, 4, 1, kTwoBits);
  EXPECT_EQ(Show(0, 0, 4, 1), "3310\n");
}

/// The sentence of the documentation for every pixel, without a thought for speed.
struct Sprite {
  std::uint32_t address;
  int x, y, width, height, source_x, source_y, stride;
  std::uint32_t flags;
};

TEST_F(CanvasTest, BlitIsWhatItsDocumentationSaysAtEveryEdge) {
  isa::Random random(5);
  for (std::uint8_t& byte : memory_) byte = static_cast<std::uint8_t>(random.Next());
  for (int i = 0; i < 3000; ++i) {
    SetColors(static_cast<unsigned>(random.Below(0x10000)));
    const Sprite s{0x3000 + static_cast<std::uint32_t>(random.Below(100)),
                   static_cast<int>(random.Between(-30, 170)),
                   static_cast<int>(random.Between(-30, 170)),
                   static_cast<int>(random.Between(0, 40)),
                   static_cast<int>(random.Between(0, 40)),
                   static_cast<int>(random.Between(0, 20)),
                   static_cast<int>(random.Between(0, 20)),
                   static_cast<int>(random.Between(1, 100)),
                   static_cast<std::uint32_t>(random.Below(16))};
    Screen expected = ReadScreen();
    const unsigned colors = memory_[kDrawColors] | memory_[kDrawColors + 1] << 8;
    for (int v = 0; v < s.height; ++v) {
      for (int u = 0; u < s.width; ++u) {
        const int bits = (s.flags & kTwoBits) != 0 ? 2 : 1;
        const int bit = ((s.source_y + v) * s.stride + s.source_x + u) * bits;
        const unsigned color =
            memory_[s.address + static_cast<std::uint32_t>(bit / 8)] >> (8 - bits - bit % 8) &
            ((1U << bits) - 1);
        const unsigned draw = colors >> 4 * color & 0xF;
        int x = (s.flags & kFlipX) != 0 ? s.width - 1 - u : u;
        int y = (s.flags & kFlipY) != 0 ? s.height - 1 - v : v;
        if ((s.flags & kRotate) != 0) {
          const int before = x;
          x = y, y = s.width - 1 - before;
        }
        x += s.x, y += s.y;
        if (draw == 0 || x < 0 || x >= kEdge || y < 0 || y >= kEdge) continue;
        expected[static_cast<std::size_t>(y * kEdge + x)] = (draw - 1) & 3;
      }
    }
    canvas_.BlitPart(s.address, s.x, s.y, s.width, s.height, s.source_x, s.source_y, s.stride,
                     s.flags);
    ASSERT_EQ(ReadScreen(), expected) << i;
  }
}

TEST_F(CanvasTest, ASpriteBeyondTheMemoryReadsZeros) {
  SetColors(0x21);
  memory_[kMemoryBytes - 1] = 0xFF;
  canvas_.Blit(kMemoryBytes - 1, 0, 0, 8, 2, 0);
  EXPECT_EQ(Show(0, 0, 8, 2), "11111111\n00000000\n");
  canvas_.Blit(0xFFFFFFFF, -2'000'000'000, 0, 2'147'483'647, 2'147'483'647, kTwoBits);
}

TEST_F(CanvasTest, TextIsEightPixelsACharacterAndALine) {
  SetColors(0x42);
  canvas_.Text(std::to_array<std::uint8_t>({'T', '\n', 'L'}), 3, 2);
  EXPECT_EQ(Show(3, 2, 8, 16),
            "31111133\n33313333\n33313333\n33313333\n33313333\n33313333\n33313333\n33333333\n"
            "31333333\n31333333\n31333333\n31333333\n31333333\n31333333\n31111133\n33333333\n");
  canvas_.Clear();
  SetColors(2);  // without a background
  canvas_.Text(std::to_array<std::uint8_t>({'-'}), 155, 156);
  EXPECT_EQ(Show(154, 158, 6, 2), "000000\n001111\n");
}

TEST_F(CanvasTest, EveryPrintableCharacterHasAGlyphOfItsOwn) {
  SetColors(2);
  std::vector<std::string> seen;
  for (int character = 0x21; character < 0x7F; ++character) {
    canvas_.Clear();
    canvas_.Text(std::to_array({static_cast<std::uint8_t>(character)}), 0, 0);
    const std::string shape = Show(0, 0, 8, 8);
    EXPECT_NE(shape.find('1'), std::string::npos) << character;
    EXPECT_EQ(std::ranges::find(seen, shape), seen.end()) << static_cast<char>(character);
    seen.push_back(shape);
  }
}

TEST_F(CanvasTest, TheFrameHasTheColorsOfThePalette) {
  const auto palette =
      std::to_array<std::uint8_t>({3, 2, 1, 0, 6, 5, 4, 0, 9, 8, 7, 0, 12, 11, 10, 99});
  std::ranges::copy(palette, memory_.begin() + kPalette);
  SetColors(4);
  canvas_.HorizontalLine(159, 159, 1);
  const Picture picture = canvas_.Show();
  ASSERT_EQ(picture.pixels.size(), kSide * kSide);
  EXPECT_EQ(picture.pixels.front(), 0x010203);
  EXPECT_EQ(picture.pixels.back(), 0x0A0B0C);
}

}  // namespace
}  // namespace txvm::frontends::screen::wasm4
