#include "frontends/screen/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <span>
#include <thread>
#include <utility>

#include "frontends/screen/film.h"
#include "isa/support/file.h"
#include "isa/support/random.h"

namespace txvm::frontends::screen {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint64_t kSecond = 1'000;  // milliseconds

/// Keys that players press: what input at random is drawn from.
constexpr auto kPlayKeys =
    std::to_array<std::uint8_t>({kLeft, kRight, kUp, kDown, 'x', 'z', ' ', kEnter, kControl});

}  // namespace

struct Stage::Impl {
  explicit Impl(StageOptions wanted)
      : options(std::move(wanted)), random(options.keys.value_or(0)) {}

  isa::Result<void> ShowInWindow(const Picture& picture);
  void DrawInput(const Picture& picture);
  bool Waits(Clock::time_point until) const;

  StageOptions options;
  std::optional<Window> window;
  std::optional<GifWriter> gif;
  std::string title;
  isa::Random random;
  std::optional<KeyEvent> drawn;  // at random, not taken yet
  std::array<bool, kPlayKeys.size()> is_down{};
  Mouse mouse;
  Clock::time_point begin = Clock::now(), due = begin;
  std::uint64_t slept = 0;  // milliseconds, without a window
  std::uint64_t frames = 0, hash = 0;
};

/// Waits; false where a stop came first.
bool Stage::Impl::Waits(Clock::time_point until) const {
  constexpr milliseconds kPiece(20);
  for (auto now = Clock::now(); now < until; now = Clock::now()) {
    if (options.stop && options.stop()) return false;
    std::this_thread::sleep_for(std::min<Clock::duration>(until - now, kPiece));
  }
  return true;
}

isa::Result<void> Stage::Impl::ShowInWindow(const Picture& picture) {
  if (!window) {
    TXVM_TRY(window, Window::Open(title, picture.width, picture.height));
    begin = due = Clock::now();
  }
  Waits(due);
  due = std::max(Clock::now(), due) + Clock::duration(std::chrono::seconds(1)) / options.rate;
  return window->Show(picture);
}

// A key goes down or up in every third frame or so, and the mouse jumps now and then.
void Stage::Impl::DrawInput(const Picture& picture) {
  constexpr std::uint64_t kKeyFrames = 3, kMouseFrames = 8;
  drawn.reset();
  if (random.Below(kKeyFrames) == 0) {
    const std::size_t key = random.Below(kPlayKeys.size());
    is_down[key] = !is_down[key];
    drawn = KeyEvent{kPlayKeys[key], is_down[key]};
  }
  if (random.Below(kMouseFrames) == 0) {
    mouse.x = static_cast<std::int32_t>(random.Below(picture.width));
    mouse.y = static_cast<std::int32_t>(random.Below(picture.height));
    mouse.left = random.Chance(50);
  }
}

isa::Result<Stage> Stage::Make(StageOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  impl->title = impl->options.title;
  if (!impl->options.gif.empty()) {
    TXVM_CHECK_OK(GifWriter::CheckThere());
    impl->gif.emplace();
  }
  if (const std::string& folder = impl->options.png; !folder.empty()) {
    TXVM_CHECK_OK(CheckPng());
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("--png '{}' is no folder: make it first", folder));
    }
  }
  return Stage(std::move(impl));
}

isa::Result<void> Stage::Show(const Picture& picture) {
  Impl& impl = *impl_;
  const std::uint64_t time = Ticks();
  const std::uint64_t hash = HashPicture(picture);
  impl.hash = HashFilm(impl.hash, hash);
  ++impl.frames;
  if (impl.options.each_frame) impl.options.each_frame(impl.frames, hash);
  if (impl.options.keys) impl.DrawInput(picture);
  if (impl.gif) TXVM_CHECK_OK(impl.gif->Add(picture, time));
  if (!impl.options.png.empty()) {
    TXVM_TRY(const std::string bytes, PngOf(picture));
    TXVM_CHECK_OK(isa::WriteFile(
        (std::filesystem::path(impl.options.png) / fmt::format("{:06}.png", impl.frames)).string(),
        bytes));
  }
  if (impl.options.has_window) return impl.ShowInWindow(picture);
  return {};
}

bool Stage::is_over() const {
  const Impl& impl = *impl_;
  return (impl.options.frames != 0 && impl.frames >= impl.options.frames) ||
         (impl.window && impl.window->closed());
}

std::uint64_t Stage::frames() const { return impl_->frames; }
std::uint64_t Stage::hash() const { return impl_->hash; }

std::uint64_t Stage::Ticks() const {
  const Impl& impl = *impl_;
  if (!impl.options.has_window) return impl.frames * kSecond / impl.options.rate + impl.slept;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<milliseconds>(Clock::now() - impl.begin).count());
}

void Stage::Sleep(std::uint64_t time) {
  if (impl_->options.has_window) {
    impl_->Waits(Clock::now() + milliseconds(time));
  } else {
    impl_->slept += time;
  }
}

void Stage::SetTitle(const std::string& title) {
  Impl& impl = *impl_;
  impl.title = title;
  if (impl.window) impl.window->SetTitle(title);
}

std::optional<KeyEvent> Stage::NextKey() {
  Impl& impl = *impl_;
  if (impl.options.keys) return std::exchange(impl.drawn, std::nullopt);
  if (impl.window) return impl.window->NextKey();
  return std::nullopt;
}

const Mouse& Stage::mouse() const {
  const Impl& impl = *impl_;
  return impl.window && !impl.options.keys ? impl.window->mouse() : impl.mouse;
}

isa::Result<void> Stage::Finish() {
  Impl& impl = *impl_;
  if (!impl.gif) return {};
  TXVM_TRY(const std::string bytes, impl.gif->Finish(Ticks()));
  impl.gif.reset();
  return isa::ReplaceFile(impl.options.gif, bytes);
}

Stage::Stage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Stage::~Stage() = default;
Stage::Stage(Stage&&) noexcept = default;
Stage& Stage::operator=(Stage&&) noexcept = default;

}  // namespace txvm::frontends::screen
