// A window on the screen with keyboard and mouse, through SDL2.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "frontends/screen/picture.h"
#include "isa/support/result.h"

namespace txvm::frontends::screen {

/// Keys without a character of their own; the others are their lower-case ASCII character.
enum Key : std::uint8_t {
  kBackspace = 8,
  kTab = 9,
  kEnter = 13,
  kEscape = 27,
  kLeft = 128,
  kRight = 129,
  kUp = 130,
  kDown = 131,
  kShift = 132,
  kControl = 133,
  kAlt = 134,
  kFunction1 = 135,  // and F2 to F12 after it
};

/// A key went down or up.
struct KeyEvent {
  std::uint8_t key = 0;
  bool is_down = false;
};

/// Where the mouse is, in pixels of the picture, and which buttons are down.
struct Mouse {
  std::int32_t x = 0, y = 0;
  bool left = false, right = false, middle = false;
};

/// A window that shows one picture at a time, enlarged by a whole number. SDL2 is loaded when a
/// window opens, not linked: txvm starts no slower for it, and runs without it.
class Window {
 public:
  /// kUnsupported: a build without SDL2, or a machine without its library. kHost: SDL2 finds no
  /// display, with its reason. Each says what to do instead.
  static isa::Result<Window> Open(const std::string& title, std::uint32_t width,
                                  std::uint32_t height);
  ~Window();
  Window(Window&&) noexcept;
  Window& operator=(Window&&) noexcept;

  /// Shows the picture, of any size.
  isa::Result<void> Show(const Picture& picture);
  void SetTitle(const std::string& title);
  /// The next key that went down or up; repeats of a held key are left out.
  std::optional<KeyEvent> NextKey();
  /// As of the last call of NextKey.
  const Mouse& mouse() const;
  /// Whether the person closed it.
  bool closed() const;

 private:
  struct Impl;
  explicit Window(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace txvm::frontends::screen
