// Memory for machine code. No page of it is ever writable and executable at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace txvm::vm::folded {

/// A reserved range that fills up with code. Code never moves and is freed with the room. Not
/// thread-safe; code that is placed may run while more is placed.
class CodeRoom {
 public:
  CodeRoom() = default;
  ~CodeRoom();
  CodeRoom(const CodeRoom&) = delete;
  CodeRoom& operator=(const CodeRoom&) = delete;

  /// Places `size` bytes: `write(start)` writes them, to fresh pages that become executable, and no
  /// longer writable, afterwards. nullptr when the system refuses, the room is full or `write`
  /// returns false.
  const std::byte* Place(std::size_t size, const std::function<bool(std::byte* start)>& write);

  /// Bytes in use, whole pages.
  std::size_t size() const { return used_; }

 private:
  std::byte* start_ = nullptr;
  std::size_t reserved_ = 0;
  std::size_t used_ = 0;
};

}  // namespace txvm::vm::folded
