// What folded code and its driver hand each other. One for each instance; the code is shared.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "vm/state.h"

namespace txvm::vm::folded {

/// Why Enter came back.
enum class Left : std::uint32_t {
  kReturned,  // the function that was entered has returned, to a caller in the state alone
  kExit,      // at exit `exit` of function `function`
  kUnfolded,  // a CALL was made; the callee has no code yet
};

/// INVARIANT: standard layout; the code knows the offsets.
struct Context {
  const std::atomic<std::int64_t>* floor = nullptr;  // of the interrupt flag
  std::uint8_t* memory = nullptr;
  std::uint64_t memory_size = 0;
  Word* globals = nullptr;
  Frame* frame_limit = nullptr;  // a CALL at this frame or above leaves
  void* saved_stack = nullptr;   // the machine's, of Enter
  // Registers of the entered function, and of the one that left.
  Word* locals = nullptr;  // its local 0
  Word* cells = nullptr;   // its operand cell 0
  Frame* frame = nullptr;  // the frame of its caller, frames[depth]; written only on leaving
  std::int64_t fuel = 0;
  std::uint32_t entry = 0;      // which entry of the function; 0: its start
  Left left = Left::kReturned;  // code writes the others
  std::uint32_t exit = 0;
  std::uint32_t function = 0;
  std::uint32_t return_site = 0;  // ip of the RETURN executed last
};

}  // namespace txvm::vm::folded
