// Declared in frontends/screen/film.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/screen/film.h"

#ifdef TXVM_HAS_GIF
#include <gif_lib.h>
#endif

namespace txvm::frontends::screen {

#ifdef TXVM_HAS_GIF
namespace {

constexpr std::size_t kMostColors = 256;
constexpr std::uint64_t kLeastMilliseconds = 20;
constexpr int kByteBits = 8;

int Append(GifFileType* file, const GifByteType* bytes, int count) {
  static_cast<std::string*>(file->UserData)
      ->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
  return count;
}

isa::Error GifError(const GifFileType* file) {
  const char* const text = file == nullptr ? nullptr : GifErrorString(file->Error);
  isa::Error error;
  error.code = isa::ErrorCode::kHost;
  error.message =
      fmt::format("giflib cannot write the frames: {}", text == nullptr ? "no memory" : text);
  return error;
}

/// Part of a picture, in colours of its own.
struct Image {
  int left = 0, top = 0, width = 0, height = 0;
  std::vector<GifByteType> indices;
  std::vector<GifColorType> colors;      // 1 to 256
  std::optional<GifByteType> unchanged;  // the index of pixels that stay
};

GifColorType ColorOf(std::uint32_t pixel) {
  return {static_cast<GifByteType>(pixel >> 16), static_cast<GifByteType>(pixel >> 8),
          static_cast<GifByteType>(pixel)};
}

/// The rectangle of what differs; the first pixel where nothing does.
Image FindChange(const Picture& picture, const Picture* last) {
  Image image{0, 0, static_cast<int>(picture.width), static_cast<int>(picture.height), {}, {}, {}};
  if (last == nullptr) return image;
  std::uint32_t left = picture.width, right = 0, top = picture.height, bottom = 0;
  for (std::uint32_t y = 0; y < picture.height; ++y) {
    for (std::uint32_t x = 0; x < picture.width; ++x) {
      const std::size_t at = std::size_t{y} * picture.width + x;
      if (picture.pixels[at] == last->pixels[at]) continue;
      left = std::min(left, x), right = std::max(right, x + 1);
      top = std::min(top, y), bottom = std::max(bottom, y + 1);
    }
  }
  if (right == 0) left = top = 0, right = bottom = 1;
  image.left = static_cast<int>(left), image.top = static_cast<int>(top);
  image.width = static_cast<int>(right - left), image.height = static_cast<int>(bottom - top);
  return image;
}

/// The pixels of the image's rectangle, row by row.
std::vector<std::uint32_t> Cut(const Picture& picture, const Image& image) {
  std::vector<std::uint32_t> pixels;
  pixels.reserve(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  for (int y = image.top; y < image.top + image.height; ++y) {
    const auto row = picture.pixels.begin() + static_cast<std::ptrdiff_t>(y) * picture.width;
    pixels.insert(pixels.end(), row + image.left, row + image.left + image.width);
  }
  return pixels;
}

/// Gives the image the colours that `pixels` have where they differ from `before`, and one for what
/// stays; `before` is empty for a first image. False where these are too many.
bool UseColors(Image& image, const std::vector<std::uint32_t>& pixels,
               const std::vector<std::uint32_t>& before) {
  std::vector<std::uint32_t> colors;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (before.empty() || pixels[i] != before[i]) colors.push_back(pixels[i]);
  }
  std::ranges::sort(colors);
  const auto rest = std::ranges::unique(colors);
  colors.erase(rest.begin(), rest.end());
  if (colors.size() + (before.empty() ? 0 : 1) > kMostColors) return false;
  for (const std::uint32_t color : colors) image.colors.push_back(ColorOf(color));
  const auto unchanged = static_cast<GifByteType>(colors.size());
  if (!before.empty()) {
    image.unchanged = unchanged;
    image.colors.push_back({});
  }
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const bool stays = !before.empty() && pixels[i] == before[i];
    const auto found = std::ranges::lower_bound(colors, pixels[i]);
    image.indices.push_back(stays ? unchanged : static_cast<GifByteType>(found - colors.begin()));
  }
  return true;
}

/// Gives it the 256 colours that giflib finds nearest.
bool ChooseColors(Image& image, const std::vector<std::uint32_t>& pixels) {
  std::array<std::vector<GifByteType>, 3> planes;
  for (const std::uint32_t pixel : pixels) {
    const GifColorType color = ColorOf(pixel);
    planes[0].push_back(color.Red), planes[1].push_back(color.Green),
        planes[2].push_back(color.Blue);
  }
  int count = kMostColors;
  image.colors.resize(kMostColors);
  image.indices.resize(pixels.size());
  return GifQuantizeBuffer(static_cast<unsigned>(image.width), static_cast<unsigned>(image.height),
                           &count, planes[0].data(), planes[1].data(), planes[2].data(),
                           image.indices.data(), image.colors.data()) == GIF_OK;
}

isa::Result<Image> MakeImage(const Picture& picture, const Picture* last) {
  Image image = FindChange(picture, last);
  const std::vector<std::uint32_t> pixels = Cut(picture, image);
  const std::vector<std::uint32_t> before =
      last == nullptr ? std::vector<std::uint32_t>() : Cut(*last, image);
  const bool fits = UseColors(image, pixels, before) || UseColors(image, pixels, {});
  if (!fits && !ChooseColors(image, pixels)) return std::unexpected(GifError(nullptr));
  return image;
}

}  // namespace

struct GifWriter::Impl {
  std::string bytes;
  GifFileType* file = nullptr;
  std::optional<Picture> last;
  std::unique_ptr<Image> waiting;  // to be written when its end is known
  std::uint64_t since = 0;         // when it is shown, milliseconds

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    int error = 0;
    if (file != nullptr) EGifCloseFile(file, &error);
  }

  isa::Result<void> Open(const Picture& picture);
  isa::Result<void> Write(Image& image, std::uint64_t until);
};

isa::Result<void> GifWriter::Impl::Open(const Picture& picture) {
  int error = 0;
  file = EGifOpen(&bytes, Append, &error);
  if (file == nullptr) return std::unexpected(GifError(nullptr));
  EGifSetGifVersion(file, true);
  // The extension that browsers repeat a GIF by: its name, then 1 and how often; 0 is for ever.
  constexpr std::string_view kName = "NETSCAPE2.0";
  constexpr std::array<GifByteType, 3> kForever = {1, 0, 0};
  const bool done =
      EGifPutScreenDesc(file, static_cast<int>(picture.width), static_cast<int>(picture.height),
                        kByteBits, 0, nullptr) == GIF_OK &&
      EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
      EGifPutExtensionBlock(file, static_cast<int>(kName.size()), kName.data()) == GIF_OK &&
      EGifPutExtensionBlock(file, static_cast<int>(kForever.size()), kForever.data()) == GIF_OK &&
      EGifPutExtensionTrailer(file) == GIF_OK;
  if (!done) return std::unexpected(GifError(file));
  return {};
}

isa::Result<void> GifWriter::Impl::Write(Image& image, std::uint64_t until) {
  constexpr std::uint64_t kTick = 10;  // a GIF counts in hundredths of a second
  GraphicsControlBlock control{};
  control.DisposalMode = DISPOSE_DO_NOT;
  control.DelayTime =
      static_cast<int>(std::min<std::uint64_t>(until / kTick - since / kTick, 65'535));
  control.TransparentColor = image.unchanged ? *image.unchanged : NO_TRANSPARENT_COLOR;
  std::array<GifByteType, 4> block{};
  EGifGCBToExtension(&control, block.data());
  std::size_t colors = 2;  // a power of two
  while (colors < image.colors.size()) colors *= 2;
  image.colors.resize(colors);
  ColorMapObject* const map = GifMakeMapObject(static_cast<int>(colors), image.colors.data());
  bool done = map != nullptr &&
              EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, static_cast<int>(block.size()),
                               block.data()) == GIF_OK &&
              EGifPutImageDesc(file, image.left, image.top, image.width, image.height, false,
                               map) == GIF_OK;
  GifFreeMapObject(map);
  for (int y = 0; done && y < image.height; ++y) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * image.width;
    done = EGifPutLine(file, image.indices.data() + at, image.width) == GIF_OK;
  }
  if (!done) return std::unexpected(GifError(file));
  return {};
}

GifWriter::GifWriter() : impl_(std::make_unique<Impl>()) {}

isa::Result<void> GifWriter::CheckThere() { return {}; }

isa::Result<void> GifWriter::Add(const Picture& picture, std::uint64_t milliseconds) {
  Impl& impl = *impl_;
  if (!impl.last) {
    TXVM_CHECK_OK(impl.Open(picture));
  } else if (picture.width != impl.last->width || picture.height != impl.last->height) {
    return isa::Fail(
        isa::ErrorCode::kUsage,
        fmt::format("a GIF holds frames of one size; after {} x {} came {} x {}", impl.last->width,
                    impl.last->height, picture.width, picture.height));
  } else if (milliseconds < impl.since + kLeastMilliseconds || picture == *impl.last) {
    return {};
  }
  if (impl.waiting) TXVM_CHECK_OK(impl.Write(*impl.waiting, milliseconds));
  TXVM_TRY(Image image, MakeImage(picture, impl.last ? &*impl.last : nullptr));
  impl.waiting = std::make_unique<Image>(std::move(image));
  impl.last = picture;
  impl.since = milliseconds;
  return {};
}

isa::Result<std::string> GifWriter::Finish(std::uint64_t milliseconds) {
  if (!impl_->waiting) {
    return isa::Fail(isa::ErrorCode::kUsage, "the program has drawn no frame to write");
  }
  TXVM_CHECK_OK(
      impl_->Write(*impl_->waiting, std::max(milliseconds, impl_->since + kLeastMilliseconds)));
  int error = 0;
  EGifCloseFile(std::exchange(impl_->file, nullptr), &error);
  return std::move(impl_->bytes);
}

#else

struct GifWriter::Impl {};
GifWriter::GifWriter() = default;
isa::Result<void> GifWriter::CheckThere() {
  return isa::Fail(isa::ErrorCode::kUnsupported,
                   "this txvm was built without giflib: install libgif-dev and build it again, or "
                   "write PNG files by --png DIR");
}
isa::Result<void> GifWriter::Add(const Picture&, std::uint64_t) { return CheckThere(); }
isa::Result<std::string> GifWriter::Finish(std::uint64_t) {
  TXVM_CHECK_OK(CheckThere());
  return std::string();
}

#endif

GifWriter::~GifWriter() = default;
GifWriter::GifWriter(GifWriter&&) noexcept = default;
GifWriter& GifWriter::operator=(GifWriter&&) noexcept = default;

}  // namespace txvm::frontends::screen
