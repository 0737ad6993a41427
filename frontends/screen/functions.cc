#include "frontends/screen/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace txvm::frontends::screen {
namespace {

using Args = std::span<const vm::Word>;
using Results = std::span<vm::Word>;
using vm::HostStatus;

constexpr std::uint32_t kPixelBytes = 4;
constexpr std::uint32_t kColorBits = 0xFFFFFF;

HostStatus Draw(Stage& stage, vm::HostContext& context, Args args) {
  const auto [address, width, height] = std::to_array({args[0], args[1], args[2]});
  if (width == 0 || height == 0 || width > kMostSide || height > kMostSide) {
    return HostStatus::Trap(
        fmt::format("screen.draw of {} x {} pixels; a side has 1 to {}", width, height, kMostSide));
  }
  const std::uint64_t bytes = std::uint64_t{width} * height * kPixelBytes;
  if (!context.memory.Contains(address, bytes)) {
    return HostStatus::Trap(fmt::format("screen.draw of {} bytes at {}", bytes, address),
                            isa::Trap::kOutOfBounds);
  }
  Picture picture{width, height, std::vector<std::uint32_t>(std::size_t{width} * height)};
  std::memcpy(picture.pixels.data(), context.memory.data() + address, bytes);
  for (std::uint32_t& pixel : picture.pixels) pixel &= kColorBits;
  if (const isa::Result<void> shown = stage.Show(picture); !shown) {
    return HostStatus::Failed(shown.error().message);
  }
  return stage.is_over() ? HostStatus::Exit(0) : HostStatus::Continue();
}

HostStatus Title(Stage& stage, vm::HostContext& context, Args args) {
  constexpr std::size_t kMostTitle = 200;
  const std::span<const std::uint8_t> bytes = context.memory.bytes();
  if (args[0] >= bytes.size()) {
    return HostStatus::Trap(fmt::format("screen.title of a text at {}", args[0]),
                            isa::Trap::kOutOfBounds);
  }
  const auto text = bytes.subspan(args[0], std::min(kMostTitle, bytes.size() - args[0]));
  stage.SetTitle(std::string(text.begin(), std::ranges::find(text, 0)));
  return HostStatus::Continue();
}

}  // namespace

bool IsImportedBy(const isa::Program& program) {
  return std::ranges::any_of(program.imports,
                             [](const isa::Import& import) { return import.module == kModule; });
}

void Define(vm::Linker& linker, const std::shared_ptr<Stage>& stage) {
  linker.Define(kModule, "draw", 3, 0, [stage](vm::HostContext& context, Args args, Results) {
    return Draw(*stage, context, args);
  });
  linker.Define(kModule, "key", 0, 1, [stage](vm::HostContext&, Args, Results results) {
    constexpr vm::Word kDown = 0x100;
    if (const std::optional<KeyEvent> event = stage->NextKey()) {
      results[0] = event->key | (event->is_down ? kDown : 0);
    }
    return HostStatus::Continue();
  });
  linker.Define(kModule, "ticks", 0, 1, [stage](vm::HostContext&, Args, Results results) {
    results[0] = static_cast<vm::Word>(stage->Ticks());
    return HostStatus::Continue();
  });
  linker.Define(kModule, "sleep", 1, 0, [stage](vm::HostContext&, Args args, Results) {
    stage->Sleep(args[0]);
    return HostStatus::Continue();
  });
  linker.Define(kModule, "title", 1, 0, [stage](vm::HostContext& context, Args args, Results) {
    return Title(*stage, context, args);
  });
}

}  // namespace txvm::frontends::screen
