// Where the frames of a program go and its input comes from: a window, files, or nowhere.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "frontends/screen/picture.h"
#include "frontends/screen/window.h"
#include "isa/support/result.h"

namespace txvm::frontends::screen {

struct StageOptions {
  bool has_window = false;
  std::string title;                  // of the window
  std::string gif;                    // a file; empty: none
  std::string png;                    // a folder; empty: none
  std::uint64_t frames = 0;           // the program ends after them; 0: it ends by itself
  std::uint32_t rate = 60;            // frames a second, at most in a window
  std::optional<std::uint64_t> keys;  // seed of input at random; none: a person's, or none
  std::function<bool()> stop;         // asked while it waits; may be empty
  std::function<void(std::uint64_t frame, std::uint64_t hash)> each_frame;  // may be empty
};

/// One showing. With a window, time is the clock's and keys are a person's. Without, time is what
/// frames and sleeps take: the same program then draws the same frames everywhere.
class Stage {
 public:
  /// kUsage for a picture folder that is not there; what GifWriter, CheckPng and Window refuse. The
  /// window opens with the first frame.
  static isa::Result<Stage> Make(StageOptions options);
  ~Stage();
  Stage(Stage&&) noexcept;
  Stage& operator=(Stage&&) noexcept;

  /// Shows and writes a frame; in a window it waits until the next one is due. kIo for a file that
  /// cannot be written, kHost without a display.
  isa::Result<void> Show(const Picture& picture);
  /// Whether all frames were shown, or the window was closed.
  bool is_over() const;
  /// Frames shown, and the hash of them all (HashFilm).
  std::uint64_t frames() const;
  std::uint64_t hash() const;

  /// Milliseconds since the beginning.
  std::uint64_t Ticks() const;
  /// Lets time go by: less than asked where a stop is wanted.
  void Sleep(std::uint64_t milliseconds);
  void SetTitle(const std::string& title);
  /// The next key; with input at random at most one a frame.
  std::optional<KeyEvent> NextKey();
  const Mouse& mouse() const;

  /// Writes what has to be whole before it can be written: the GIF. Errors: Show's, and
  /// GifWriter::Finish's.
  isa::Result<void> Finish();

 private:
  struct Impl;
  explicit Stage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace txvm::frontends::screen
