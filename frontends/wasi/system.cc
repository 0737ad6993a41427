#include "frontends/wasi/system.h"

#include <algorithm>
#include <chrono>

namespace txvm::frontends::wasi {
namespace {

std::uint64_t Nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

std::uint64_t System::Now(std::uint32_t clock) const {
  using std::chrono::duration_cast, std::chrono::nanoseconds;
  if (!options.real_clock) return virtual_time;
  const nanoseconds time =
      clock == 0 ? duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
                 : duration_cast<nanoseconds>(std::chrono::steady_clock::now().time_since_epoch());
  return static_cast<std::uint64_t>(time.count());
}

Times System::TimesOf(const struct stat& status) const {
  if (options.real_clock) {
    return {Nanoseconds(status.st_atim), Nanoseconds(status.st_mtim), Nanoseconds(status.st_ctim)};
  }
  const auto found = times.find({status.st_dev, status.st_ino});
  return found == times.end() ? Times{} : found->second;
}

void System::Touch(const struct stat& status, bool is_new) {
  if (options.real_clock) return;
  Times& file = times[{status.st_dev, status.st_ino}];
  const std::uint64_t now = virtual_time + kVirtualTick;  // what the next look would see
  file.modified = file.changed = now;
  if (is_new) file.access = now;
}

void System::Touch(int descriptor, bool is_new) {
  struct stat status = {};
  if (!options.real_clock && fstat(descriptor, &status) == 0) Touch(status, is_new);
}

std::uint64_t System::TakeBudget(std::uint64_t bytes) {
  const std::uint64_t taken = std::min(bytes, BudgetLeft());
  written += taken;
  return taken;
}

}  // namespace txvm::frontends::wasi
