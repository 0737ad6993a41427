// What is written can be read again, pixel by pixel, by the libraries' own readers.
#include "frontends/screen/film.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "isa/support/random.h"

#ifdef TXVM_HAS_GIF
#include <gif_lib.h>
#endif
#ifdef TXVM_HAS_PNG
#include <png.h>
#endif

namespace txvm::frontends::screen {
namespace {

Picture RandomPicture(isa::Random& random, std::uint32_t width, std::uint32_t height,
                      std::uint32_t colors) {
  std::vector<std::uint32_t> palette(colors);
  for (std::uint32_t& color : palette) color = static_cast<std::uint32_t>(random.Next()) & 0xFFFFFF;
  Picture picture{width, height, {}};
  for (std::uint32_t i = 0; i < width * height; ++i) {
    picture.pixels.push_back(palette[random.Below(palette.size())]);
  }
  return picture;
}

TEST(Picture, TheHashDependsOnSizesAndEveryPixel) {
  Picture picture{2, 3, {1, 2, 3, 4, 5, 6}};
  const std::uint64_t hash = HashPicture(picture);
  EXPECT_NE(HashPicture({3, 2, picture.pixels}), hash);
  picture.pixels[5] = 7;
  EXPECT_NE(HashPicture(picture), hash);
  EXPECT_EQ(HashText(0xABC), "0000000000000abc");
}

#ifdef TXVM_HAS_GIF

struct Reader {
  std::string_view bytes;
  std::size_t place = 0;
};

int Read(GifFileType* file, GifByteType* out, int count) {
  auto& reader = *static_cast<Reader*>(file->UserData);
  const std::size_t taken =
      std::min(static_cast<std::size_t>(count), reader.bytes.size() - reader.place);
  std::memcpy(out, reader.bytes.data() + reader.place, taken);
  reader.place += taken;
  return static_cast<int>(taken);
}

struct Film {
  std::vector<Picture> pictures;
  std::vector<int> delays;  // hundredths of a second
};

/// What a viewer shows: each image over the last one.
Film Play(std::string_view bytes) {
  Reader reader{bytes};
  int error = 0;
  GifFileType* const file = DGifOpen(&reader, Read, &error);
  EXPECT_EQ(DGifSlurp(file), GIF_OK);
  Film film;
  Picture shown{
      static_cast<std::uint32_t>(file->SWidth), static_cast<std::uint32_t>(file->SHeight), {}};
  shown.pixels.resize(std::size_t{shown.width} * shown.height);
  for (int i = 0; i < file->ImageCount; ++i) {
    const SavedImage& image = file->SavedImages[i];
    GraphicsControlBlock control;
    EXPECT_EQ(DGifSavedExtensionToGCB(file, i, &control), GIF_OK);
    const GifImageDesc& place = image.ImageDesc;
    for (int y = 0; y < place.Height; ++y) {
      for (int x = 0; x < place.Width; ++x) {
        const int index = image.RasterBits[y * place.Width + x];
        if (index == control.TransparentColor) continue;
        const GifColorType color = place.ColorMap->Colors[index];
        shown.pixels[static_cast<std::size_t>(y + place.Top) * shown.width +
                     static_cast<std::size_t>(x + place.Left)] =
            static_cast<std::uint32_t>(color.Red << 16 | color.Green << 8 | color.Blue);
      }
    }
    film.pictures.push_back(shown);
    film.delays.push_back(control.DelayTime);
  }
  DGifCloseFile(file, &error);
  return film;
}

TEST(Gif, FramesOfUpTo256ColorsAreExact) {
  isa::Random random(1);
  for (const std::uint32_t colors : {1U, 2U, 7U, 255U, 256U}) {
    GifWriter writer;
    std::vector<Picture> pictures;
    for (int frame = 0; frame < 5; ++frame) {
      pictures.push_back(RandomPicture(random, 31, 17, colors));
      ASSERT_TRUE(writer.Add(pictures.back(), static_cast<std::uint64_t>(frame) * 30));
    }
    const isa::Result<std::string> bytes = writer.Finish(150);
    ASSERT_TRUE(bytes);
    const Film film = Play(*bytes);
    EXPECT_EQ(film.pictures, pictures) << colors;
    EXPECT_EQ(film.delays, std::vector<int>(5, 3)) << colors;
  }
}

TEST(Gif, AChangeInOnePlaceKeepsTheRest) {
  isa::Random random(2);
  Picture picture = RandomPicture(random, 40, 30, 200);
  GifWriter writer;
  std::vector<Picture> pictures;
  for (std::uint64_t frame = 0; frame < 20; ++frame) {
    for (int i = 0; i < 5; ++i) picture.pixels[random.Below(picture.pixels.size())] ^= 0x10203;
    pictures.push_back(picture);
    ASSERT_TRUE(writer.Add(picture, frame * 40));
  }
  EXPECT_EQ(Play(writer.Finish(800).value()).pictures, pictures);
}

TEST(Gif, FramesThatViewersSlowDownAreLeftOut) {
  isa::Random random(3);
  GifWriter writer;
  for (std::uint64_t frame = 0; frame < 60; ++frame) {  // 60 frames a second
    ASSERT_TRUE(writer.Add(RandomPicture(random, 8, 8, 4), frame * 1000 / 60));
  }
  const Film film = Play(writer.Finish(1000).value());
  EXPECT_EQ(film.pictures.size(), 30);
  int total = 0;
  for (const int delay : film.delays) total += delay;
  EXPECT_EQ(total, 100);
}

TEST(Gif, ManyColorsGoToNearOnes) {
  Picture picture{64, 64, {}};
  for (std::uint32_t i = 0; i < 4096; ++i)
    picture.pixels.push_back((i % 64) << 18 | (i / 64) << 10);
  GifWriter writer;
  ASSERT_TRUE(writer.Add(picture, 0));
  const Film film = Play(writer.Finish(20).value());
  ASSERT_EQ(film.pictures.size(), 1);
  for (std::size_t i = 0; i < 4096; ++i) {
    for (const unsigned shift : {8U, 16U}) {
      const int wanted = static_cast<int>(picture.pixels[i] >> shift & 255);
      const int shown = static_cast<int>(film.pictures[0].pixels[i] >> shift & 255);
      EXPECT_NEAR(wanted, shown, 32);
    }
  }
}

TEST(Gif, AFrameOfAnotherSizeIsRefusedAndNoFrameIsNoFile) {
  GifWriter writer;
  EXPECT_EQ(writer.Finish(0).error().message, "the program has drawn no frame to write");
  ASSERT_TRUE(writer.Add({2, 1, {1, 2}}, 0));
  EXPECT_EQ(writer.Add({1, 2, {1, 2}}, 100).error().message,
            "a GIF holds frames of one size; after 2 x 1 came 1 x 2");
}

#else
TEST(Gif, SaysWhatToInstall) {
  EXPECT_NE(GifWriter::CheckThere().error().message.find("libgif-dev"), std::string::npos);
}
#endif

#ifdef TXVM_HAS_PNG
TEST(Png, IsExact) {
  isa::Random random(4);
  const Picture picture = RandomPicture(random, 37, 11, 5000);
  const std::string bytes = PngOf(picture).value();
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0);
  EXPECT_EQ(image.width, 37);
  EXPECT_EQ(image.height, 11);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> rows(PNG_IMAGE_SIZE(image));
  ASSERT_NE(png_image_finish_read(&image, nullptr, rows.data(), 0, nullptr), 0);
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    const std::uint32_t read = static_cast<std::uint32_t>(rows[3 * i]) << 16 |
                               static_cast<std::uint32_t>(rows[3 * i + 1]) << 8 | rows[3 * i + 2];
    ASSERT_EQ(read, picture.pixels[i]) << i;
  }
}
#else
TEST(Png, SaysWhatToInstall) {
  EXPECT_NE(CheckPng().error().message.find("libpng-dev"), std::string::npos);
}
#endif

}  // namespace
}  // namespace txvm::frontends::screen
