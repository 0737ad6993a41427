// Cartridges of WASM-4, a small console: 160 x 160 pixels of four colours, 64 KiB, two buttons.
// Goals: everything that its documentation describes, but sound; the same frames on every engine.
// Non-goals: sound, the network, its own font.
// Source: https://wasm4.org/docs/reference/functions
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/screen/stage.h"
#include "frontends/wasm/module.h"
#include "isa/program.h"
#include "isa/support/result.h"
#include "vm/host.h"
#include "vm/machine.h"

namespace txvm::frontends::screen::wasm4 {

/// Makes the memory that a cartridge imports from "env" its own, of one page at least; other
/// modules stay as they are.
void OwnMemory(wat::Module& module);

/// Whether the program is a cartridge: it exports `update`, without parameters and results.
bool IsCartridge(const isa::Program& program);

inline constexpr std::size_t kDiskBytes = 1'024;

/// What functions of a cartridge reach beside its memory.
struct Surroundings {
  std::vector<std::uint8_t> disk;                 // at most kDiskBytes
  std::function<void(std::string_view)> trace{};  // takes a line; may be empty
  std::uint64_t tones = 0;                        // calls of tone
};

/// The functions of "env": blit, blitSub, line, hline, vline, oval, rect, text, textUtf8,
/// textUtf16, tone (silent), diskr, diskw, trace, traceUtf8, traceUtf16 and tracef. Texts and disk
/// spaces outside the memory trap. An import of `program` with another number of parameters gets
/// zeros for those it lacks, as in JavaScript.
void Define(vm::Linker& linker, const isa::Program& program,
            const std::shared_ptr<Surroundings>& surroundings);

/// The console: memory as it is when a cartridge starts, buttons, and one frame after another.
class Console {
 public:
  /// kInvalid where the cartridge has less than 64 KiB of memory. `machine` outlives the console.
  static isa::Result<Console> Begin(vm::Machine& machine);

  /// A key of player 1 (arrows; x, v or blank; z, c or n) or 2 (e, s, d and f; a or tab; q or 1).
  void Press(const KeyEvent& event);
  void SetMouse(const Mouse& mouse);
  /// `start`, where the cartridge has it. Its outcome is the run's.
  vm::RunResult Start(const vm::RunOptions& options);
  /// Writes the buttons, clears the screen unless the cartridge keeps it, and runs `update`.
  vm::RunResult Update(const vm::RunOptions& options);
  Picture Show() const;

 private:
  explicit Console(vm::Machine& machine) : machine_(machine) {}
  std::span<std::uint8_t> Memory() const;

  vm::Machine& machine_;
  std::array<std::uint8_t, 4> gamepads_{};
  Mouse mouse_{INT16_MAX, INT16_MAX, false, false, false};  // off the screen
  bool is_first_ = true;
};

}  // namespace txvm::frontends::screen::wasm4
