// Files of pictures: an animated GIF, or a PNG for each frame. A build without giflib or libpng
// lacks the one or the other, and says so when it is asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "frontends/screen/picture.h"
#include "isa/support/result.h"

namespace txvm::frontends::screen {

/// Collects the frames of an animated GIF, which repeats for ever.
/// A frame has the colours of its picture where what changed has at most 255 (256 in the first),
/// else the nearest of 256 that giflib chooses. Frames less than 20 ms after the last one are left
/// out: viewers slow those down. What a frame has in common with the last one is not written again.
class GifWriter {
 public:
  GifWriter();
  ~GifWriter();
  GifWriter(GifWriter&&) noexcept;
  GifWriter& operator=(GifWriter&&) noexcept;

  /// kUnsupported with what to install, where this build has no giflib.
  static isa::Result<void> CheckThere();
  /// A frame that is shown from `milliseconds` on, which do not fall. All have the size of the
  /// first: kUsage names both sizes else. REQUIRES: CheckThere().
  isa::Result<void> Add(const Picture& picture, std::uint64_t milliseconds);
  /// The file, with the last frame shown until `milliseconds`. kUsage where there is no frame.
  isa::Result<std::string> Finish(std::uint64_t milliseconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// kUnsupported with what to install, where this build has no libpng.
isa::Result<void> CheckPng();

/// The bytes of a PNG file of 24 bits a pixel. Errors: CheckPng's.
isa::Result<std::string> PngOf(const Picture& picture);

}  // namespace txvm::frontends::screen
