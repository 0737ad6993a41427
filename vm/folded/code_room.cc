#include "vm/folded/code_room.h"

#include <sys/mman.h>
#include <unistd.h>

namespace txvm::vm::folded {
namespace {

// Address space only: the code of some ten million instructions; where the system refuses that, the
// code of forty thousand at least.
constexpr std::size_t kReserved = std::size_t{1} << 28, kLeastReserved = std::size_t{1} << 20;

}  // namespace

CodeRoom::~CodeRoom() {
  if (start_ != nullptr) munmap(start_, reserved_);
}

const std::byte* CodeRoom::Place(std::size_t size,
                                 const std::function<bool(std::byte* start)>& write) {
  if (start_ == nullptr) {
    void* start = MAP_FAILED;
    std::size_t bytes = 2 * kReserved;
    while (start == MAP_FAILED && bytes > kLeastReserved) {
      bytes /= 2;
      start = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    if (start == MAP_FAILED) return nullptr;
    start_ = static_cast<std::byte*>(start);
    reserved_ = bytes;
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = (size + page - 1) / page * page;
  if (bytes > reserved_ - used_) return nullptr;
  std::byte* place = start_ + used_;
  if (mprotect(place, bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
  const bool written = write(place);
  if (!written || mprotect(place, bytes, PROT_READ | PROT_EXEC) != 0) {
    mprotect(place, bytes, PROT_NONE);
    return nullptr;
  }
  used_ += bytes;
  return place;
}

}  // namespace txvm::vm::folded
