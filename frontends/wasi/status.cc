#include "frontends/wasi/status.h"

namespace txvm::frontends::wasi {
namespace {

/// Where the fields of a filestat are.
struct StatusLayout {
  std::uint32_t node, type, links, size, access, modified, changed, bytes;
};
constexpr StatusLayout kPreview1Status = {8, 16, 24, 32, 40, 48, 56, 64};
constexpr StatusLayout kUnstableStatus = {8, 16, 20, 24, 32, 40, 48, 56};  // links has 32 bits

constexpr std::uint32_t kAccess = 1, kAccessNow = 2, kModified = 4, kModifiedNow = 8;

timespec Timespec(std::uint64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / kSecond), static_cast<long>(nanoseconds % kSecond)};
}

}  // namespace

Errno WriteStatus(const System& system, const Guest& guest, std::uint32_t address,
                  const struct stat& status) {
  const StatusLayout& layout = guest.is_unstable() ? kUnstableStatus : kPreview1Status;
  if (!guest.Slice(address, layout.bytes)) return Errno::kFault;
  const Times times = system.TimesOf(status);
  guest.Write64(address, status.st_dev);
  guest.Write64(address + layout.node, status.st_ino);
  guest.Write32(address + layout.type, 0);
  guest.Write8(address + layout.type, static_cast<std::uint8_t>(TypeOfMode(status.st_mode)));
  if (guest.is_unstable()) {
    guest.Write32(address + layout.links, static_cast<std::uint32_t>(status.st_nlink));
  } else {
    guest.Write32(address + layout.type + sizeof(std::uint32_t), 0);
    guest.Write64(address + layout.links, status.st_nlink);
  }
  guest.Write64(address + layout.size, static_cast<std::uint64_t>(status.st_size));
  guest.Write64(address + layout.access, times.access);
  guest.Write64(address + layout.modified, times.modified);
  guest.Write64(address + layout.changed, times.changed);
  return Errno::kSuccess;
}

std::expected<NewTimes, Errno> ReadTimes(const System& system, Params& params) {
  NewTimes times;
  times.access = params.Next64();
  times.modified = params.Next64();
  const std::uint32_t flags = params.Next32();
  const auto has = [flags](std::uint32_t bit) { return (flags & bit) != 0; };
  if ((has(kAccess) && has(kAccessNow)) || (has(kModified) && has(kModifiedNow)) ||
      (flags & ~(kAccess | kAccessNow | kModified | kModifiedNow)) != 0) {
    return std::unexpected(Errno::kInvalid);
  }
  const std::uint64_t now = system.Now(0);
  if (has(kAccessNow)) times.access = now;
  if (has(kModifiedNow)) times.modified = now;
  times.sets_access = has(kAccess) || has(kAccessNow);
  times.sets_modified = has(kModified) || has(kModifiedNow);
  const auto system_time = [](bool is_now, bool is_set, std::uint64_t time) {
    if (is_now) return timespec{0, UTIME_NOW};
    return is_set ? Timespec(time) : timespec{0, UTIME_OMIT};
  };
  times.system[0] = system_time(has(kAccessNow), times.sets_access, times.access);
  times.system[1] = system_time(has(kModifiedNow), times.sets_modified, times.modified);
  return times;
}

void KeepTimes(System& system, const struct stat& status, const NewTimes& times) {
  if (system.options.real_clock) return;
  Times& kept = system.times[{status.st_dev, status.st_ino}];
  if (times.sets_access) kept.access = times.access;
  if (times.sets_modified) kept.modified = times.modified;
  kept.changed = system.virtual_time + kVirtualTick;
}

}  // namespace txvm::frontends::wasi
