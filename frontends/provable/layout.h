// Where things are in the RAM of an emitted program, and which locals stay on the stack.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontends/provable/code.h"
#include "frontends/provable/tree.h"
#include "frontends/wasm/module.h"

namespace txvm::frontends::provable {

/// RAM address of the first cell that is no word of linear memory. Memory is words of 32 bits from
/// address 0; 4 GiB of it end here.
inline constexpr std::uint64_t kFirstCell = std::uint64_t{1} << 30;
/// Where recursive functions keep what their callers had in their cells; grows upwards.
inline constexpr std::uint64_t kSaveStack = std::uint64_t{1} << 33;
inline constexpr std::uint32_t kPageWords = 16'384;
/// Words that a round of clearing writes: 4 times as many zeros as dup can still reach the pointer
/// under. 94 cycles a round, 1.57 a word.
inline constexpr std::uint32_t kZeroRuns = 4;
inline constexpr std::uint32_t kRunWords = 15;
inline constexpr std::uint64_t kRoundWords = kZeroRuns * kRunWords;

/// RAM addresses. Cells are handed out once and for ever: a function's locals lie at fixed
/// addresses.
struct Layout {
  std::uint64_t memory_words = 0;  // of linear memory, at addresses 0 ..
  std::uint64_t ready_words = 0;   // cleared at the start, from address 0 on
  bool memory_grows = false;       // pages and limit are cells
  std::uint32_t pages = 0;         // at the start
  std::uint32_t most_pages = 0;    // memory.grow to more of them fails
  std::uint64_t pages_cell = 0;
  std::uint64_t limit_cell = 0;  // words that may be accessed now
  // Index of the last word that is cleared; 0: all of them are at the start. What lies above it is
  // cleared when an access comes there.
  std::uint64_t ready_cell = 0;
  std::uint64_t save_cell = 0;    // top of the save stack; 0: nothing is ever saved
  std::uint64_t carry = 0;        // values on their way to a label further out, the top one first
  std::uint32_t carry_cells = 0;  // one more than the widest label needs
  std::vector<std::uint64_t> globals;  // by index; 0: it never changes and has no cell
  std::uint64_t next_cell = kFirstCell;

  std::uint64_t Allocate(std::uint64_t cells) {
    const std::uint64_t first = next_cell;
    next_cell += cells;
    return first;
  }
};

/// Where a local is.
struct LocalPlace {
  std::optional<std::uint64_t> address;  // in RAM
  std::uint32_t above = 0;               // on the stack: locals that lie above it
};

/// The locals of one function. On the stack its frame is: locals, deepest first, then operands.
struct Frame {
  std::vector<LocalPlace> locals;    // parameters first
  std::vector<std::uint32_t> order;  // locals on the stack, deepest first: parameters, then others
  std::uint32_t params = 0;
  std::uint64_t cells = 0;  // address of the locals in RAM, one after the other
  std::uint32_t cell_count = 0;
  bool saves = false;  // calls of itself may be open: its cells are saved on entry

  std::uint32_t stack_locals() const { return static_cast<std::uint32_t>(order.size()); }
};

/// Chooses the locals that stay on the stack, the most used ones first, so that dup and swap reach
/// them under all operands; gives the others cells. With `in_ram` all of them get
/// cells. Locals nobody uses are not kept at all.
Frame PlaceLocals(const Tree& tree, std::uint32_t params, bool recursive, bool in_ram,
                  Layout& layout);

/// From the arguments on the stack to the frame.
Code EnterFrame(const Frame& frame, const Layout& layout);
/// From the frame with `results` operands to the results alone.
Code LeaveFrame(const Frame& frame, const Layout& layout, std::uint32_t results);

/// `_ pointer counter -- _ pointer + kRoundWords, counter`: writes zeros from the pointer on.
Code ZeroRound();
/// Writes zeros to `count` words of RAM from `address` on.
Code ZeroCells(std::uint64_t address, std::uint64_t count);

}  // namespace txvm::frontends::provable
