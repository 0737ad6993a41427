// Declared in frontends/screen/film.h.
#include <fmt/format.h>

#include "frontends/screen/film.h"

#ifdef TXVM_HAS_PNG
#include <png.h>
#endif

namespace txvm::frontends::screen {

#ifdef TXVM_HAS_PNG

isa::Result<void> CheckPng() { return {}; }

isa::Result<std::string> PngOf(const Picture& picture) {
  std::string rows;
  rows.reserve(picture.pixels.size() * 3);
  for (const std::uint32_t pixel : picture.pixels) {
    rows += static_cast<char>(pixel >> 16);
    rows += static_cast<char>(pixel >> 8);
    rows += static_cast<char>(pixel);
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGB;
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, rows.data(), 0, nullptr) == 0) {
    return isa::Fail(isa::ErrorCode::kHost,
                     fmt::format("libpng cannot write a frame: {}", image.message));
  }
  bytes.resize(size);
  return bytes;
}

#else

isa::Result<void> CheckPng() {
  return isa::Fail(isa::ErrorCode::kUnsupported,
                   "this txvm was built without libpng: install libpng-dev and build it again");
}

isa::Result<std::string> PngOf(const Picture&) {
  TXVM_CHECK_OK(CheckPng());
  return std::string();
}

#endif

}  // namespace txvm::frontends::screen
