#include "frontends/screen/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#ifdef TXVM_HAS_SDL2
#include <SDL2/SDL.h>
#include <dlfcn.h>
#endif

namespace txvm::frontends::screen {

constexpr std::string_view kInstead = "write frames to a file by --gif FILE or --png DIR";

#ifdef TXVM_HAS_SDL2
namespace {

// NOLINTBEGIN(bugprone-macro-parentheses): names of members
#define TXVM_SDL_FUNCTIONS(X)                                                         \
  X(Init)                                                                             \
  X(Quit)                                                                             \
  X(GetError) X(CreateWindow) X(DestroyWindow) X(SetWindowTitle) X(CreateRenderer)    \
      X(DestroyRenderer) X(RenderSetLogicalSize) X(CreateTexture) X(DestroyTexture)   \
          X(UpdateTexture) X(RenderClear) X(RenderCopy) X(RenderPresent) X(PollEvent) \
              X(GetMouseState) X(RenderWindowToLogical) X(SetHint) X(GetCurrentVideoDriver)

/// The functions of the library that are called here.
struct Library {
#define TXVM_SDL_MEMBER(name) decltype(&SDL_##name) name = nullptr;
  TXVM_SDL_FUNCTIONS(TXVM_SDL_MEMBER)
#undef TXVM_SDL_MEMBER

  /// False where the library or one of the functions is not there.
  bool Load() {
    void* const handle = dlopen("libSDL2-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return false;
    bool is_whole = true;
#define TXVM_SDL_FIND(name)                                             \
  name = reinterpret_cast<decltype(name)>(dlsym(handle, "SDL_" #name)); \
  is_whole = is_whole && name != nullptr;
    TXVM_SDL_FUNCTIONS(TXVM_SDL_FIND)
#undef TXVM_SDL_FIND
    return is_whole;
  }
};
#undef TXVM_SDL_FUNCTIONS
// NOLINTEND(bugprone-macro-parentheses)

/// 0 for keys that programs are not told of.
std::uint8_t KeyOf(SDL_Keycode code) {
  constexpr SDL_Keycode kLastCharacter = 126;
  if (code >= SDLK_SPACE && code <= kLastCharacter) return static_cast<std::uint8_t>(code);
  if (code >= SDLK_F1 && code <= SDLK_F12) {
    return static_cast<std::uint8_t>(kFunction1 + (code - SDLK_F1));
  }
  switch (code) {
    case SDLK_BACKSPACE:
      return kBackspace;
    case SDLK_TAB:
      return kTab;
    case SDLK_RETURN:
    case SDLK_KP_ENTER:
      return kEnter;
    case SDLK_ESCAPE:
      return kEscape;
    case SDLK_LEFT:
      return kLeft;
    case SDLK_RIGHT:
      return kRight;
    case SDLK_UP:
      return kUp;
    case SDLK_DOWN:
      return kDown;
    case SDLK_LSHIFT:
    case SDLK_RSHIFT:
      return kShift;
    case SDLK_LCTRL:
    case SDLK_RCTRL:
      return kControl;
    case SDLK_LALT:
    case SDLK_RALT:
      return kAlt;
    default:
      return 0;
  }
}

/// Whether the display is one that nobody sees, and nobody asked for: SDL2 takes it where there is
/// no other.
bool IsHidden(const char* driver) {
  const bool is_hidden = driver == nullptr || driver == std::string_view("offscreen") ||
                         driver == std::string_view("dummy") || driver == std::string_view("evdev");
  return is_hidden && std::getenv("SDL_VIDEODRIVER") == nullptr;
}

}  // namespace

struct Window::Impl {
  Library sdl;
  SDL_Window* window = nullptr;
  SDL_Renderer* renderer = nullptr;
  SDL_Texture* texture = nullptr;
  std::uint32_t width = 0, height = 0;  // of the texture
  Mouse mouse;
  bool started = false, closed = false;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (texture != nullptr) sdl.DestroyTexture(texture);
    if (renderer != nullptr) sdl.DestroyRenderer(renderer);
    if (window != nullptr) sdl.DestroyWindow(window);
    if (started) sdl.Quit();
  }

  std::unexpected<isa::Error> Failed(std::string_view what) const {
    return isa::Fail(isa::ErrorCode::kHost,
                     fmt::format("{}: {}; {}", what, sdl.GetError(), kInstead));
  }
  isa::Result<void> Resize(std::uint32_t new_width, std::uint32_t new_height) {
    if (texture != nullptr) sdl.DestroyTexture(texture);
    width = new_width, height = new_height;
    texture = sdl.CreateTexture(renderer, SDL_PIXELFORMAT_RGB888, SDL_TEXTUREACCESS_STREAMING,
                                static_cast<int>(width), static_cast<int>(height));
    if (texture == nullptr) return Failed("SDL2 cannot make a texture");
    sdl.RenderSetLogicalSize(renderer, static_cast<int>(width), static_cast<int>(height));
    return {};
  }
};

isa::Result<Window> Window::Open(const std::string& title, std::uint32_t width,
                                 std::uint32_t height) {
  constexpr std::uint32_t kWantedWidth = 960;
  auto impl = std::make_unique<Impl>();
  Library& sdl = impl->sdl;
  if (!sdl.Load()) {
    return isa::Fail(
        isa::ErrorCode::kUnsupported,
        fmt::format("there is no SDL2 for a window: install libsdl2-2.0-0, or {}", kInstead));
  }
  sdl.SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");  // Ctrl-C is txvm's
  if (sdl.Init(SDL_INIT_VIDEO) != 0) return impl->Failed("there is no display for a window");
  impl->started = true;
  if (IsHidden(sdl.GetCurrentVideoDriver())) {
    return isa::Fail(isa::ErrorCode::kHost,
                     fmt::format("there is no display for a window; {}", kInstead));
  }
  const std::uint32_t scale = std::max(1U, kWantedWidth / std::max(1U, width));
  impl->window = sdl.CreateWindow(title.c_str(), SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                  static_cast<int>(width * scale), static_cast<int>(height * scale),
                                  SDL_WINDOW_RESIZABLE);
  if (impl->window == nullptr) return impl->Failed("SDL2 cannot open a window");
  impl->renderer = sdl.CreateRenderer(impl->window, -1, 0);
  if (impl->renderer == nullptr) return impl->Failed("SDL2 cannot draw in a window");
  TXVM_CHECK_OK(impl->Resize(width, height));
  return Window(std::move(impl));
}

isa::Result<void> Window::Show(const Picture& picture) {
  Impl& impl = *impl_;
  if (picture.width != impl.width || picture.height != impl.height) {
    TXVM_CHECK_OK(impl.Resize(picture.width, picture.height));
  }
  const int pitch = static_cast<int>(picture.width * sizeof(std::uint32_t));
  impl.sdl.UpdateTexture(impl.texture, nullptr, picture.pixels.data(), pitch);
  impl.sdl.RenderClear(impl.renderer);
  impl.sdl.RenderCopy(impl.renderer, impl.texture, nullptr, nullptr);
  impl.sdl.RenderPresent(impl.renderer);
  return {};
}

void Window::SetTitle(const std::string& title) {
  impl_->sdl.SetWindowTitle(impl_->window, title.c_str());
}

std::optional<KeyEvent> Window::NextKey() {
  Impl& impl = *impl_;
  SDL_Event event;
  std::optional<KeyEvent> found;
  while (!found && impl.sdl.PollEvent(&event) != 0) {
    if (event.type == SDL_QUIT) impl.closed = true;
    if (event.type != SDL_KEYDOWN && event.type != SDL_KEYUP) continue;
    const std::uint8_t key = KeyOf(event.key.keysym.sym);
    if (key != 0 && event.key.repeat == 0) found = KeyEvent{key, event.type == SDL_KEYDOWN};
  }
  int x = 0, y = 0;
  const std::uint32_t buttons = impl.sdl.GetMouseState(&x, &y);
  float picture_x = 0, picture_y = 0;
  impl.sdl.RenderWindowToLogical(impl.renderer, x, y, &picture_x, &picture_y);
  impl.mouse = {static_cast<std::int32_t>(std::floor(picture_x)),
                static_cast<std::int32_t>(std::floor(picture_y)), (buttons & SDL_BUTTON_LMASK) != 0,
                (buttons & SDL_BUTTON_RMASK) != 0, (buttons & SDL_BUTTON_MMASK) != 0};
  return found;
}

const Mouse& Window::mouse() const { return impl_->mouse; }

bool Window::closed() const { return impl_->closed; }

#else

struct Window::Impl {
  Mouse mouse;
};

isa::Result<Window> Window::Open(const std::string&, std::uint32_t, std::uint32_t) {
  return isa::Fail(isa::ErrorCode::kUnsupported,
                   fmt::format("this txvm was built without SDL2, which opens windows: install "
                               "libsdl2-dev and build it again, or {}",
                               kInstead));
}
isa::Result<void> Window::Show(const Picture&) { return {}; }
void Window::SetTitle(const std::string&) {}
std::optional<KeyEvent> Window::NextKey() { return std::nullopt; }
const Mouse& Window::mouse() const { return impl_->mouse; }
bool Window::closed() const { return false; }

#endif

Window::Window(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Window::~Window() = default;
Window::Window(Window&&) noexcept = default;
Window& Window::operator=(Window&&) noexcept = default;

}  // namespace txvm::frontends::screen
