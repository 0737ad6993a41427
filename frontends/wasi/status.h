// The status of files as programs see it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <expected>

#include "frontends/wasi/guest.h"
#include "frontends/wasi/system.h"

namespace txvm::frontends::wasi {

/// Writes a filestat in the guest's layout. kFault outside of its memory.
Errno WriteStatus(const System& system, const Guest& guest, std::uint32_t address,
                  const struct stat& status);

/// New times of a file, as fstflags ask for them.
struct NewTimes {
  timespec system[2] = {};  // as utimensat takes them
  std::uint64_t access = 0, modified = 0;
  bool sets_access = false, sets_modified = false;
};

/// The times of the call fd_filestat_set_times or path_filestat_set_times: two times and flags.
/// kInvalid for a time that is both given and "now", and for unknown flags.
std::expected<NewTimes, Errno> ReadTimes(const System& system, Params& params);

/// Notes them for a program with the virtual clock.
void KeepTimes(System& system, const struct stat& status, const NewTimes& times);

}  // namespace txvm::frontends::wasi
