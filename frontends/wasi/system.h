// What the calls of one program share.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "frontends/wasi/files.h"
#include "frontends/wasi/wasi.h"
#include "isa/support/random.h"

namespace txvm::frontends::wasi {

/// Times of a file in nanoseconds since 1970, or since the virtual clock's start.
struct Times {
  std::uint64_t access = 0, modified = 0, changed = 0;
};

inline constexpr std::uint64_t kSecond = 1'000'000'000;   // in ns
inline constexpr std::uint64_t kVirtualTick = 1'000'000;  // ns between two looks at a virtual clock

/// One program's files, clock, random numbers and budgets.
struct System {
  explicit System(Options given)
      : options(std::move(given)),
        files(options.streams, options.most_files),
        random(options.random_seed) {}

  Options options;
  Files files;
  isa::SplitMix64 random;
  std::uint64_t virtual_time = 0;  // ns; a look adds kVirtualTick, a sleep its length
  std::uint64_t written = 0;       // bytes, of options.most_written
  std::uint64_t input_read = 0;    // bytes of standard input
  std::uint64_t changes = 0;       // calls that changed files or folders
  /// With the virtual clock, the times of files by {device, node}: what the program did to them.
  std::map<std::pair<std::uint64_t, std::uint64_t>, Times> times;

  /// The time of `clock` (0: since 1970, others: since some start) without a look.
  std::uint64_t Now(std::uint32_t clock) const;
  /// The times of a file, by the clock that the program has.
  Times TimesOf(const struct stat& status) const;
  /// With the virtual clock: the file was created, or its contents changed, now.
  void Touch(const struct stat& status, bool is_new);
  /// The same for an open file.
  void Touch(int descriptor, bool is_new);
  /// Counts a call that changed files or folders, unless it came to an error. Returns the error.
  Errno Changed(Errno error) {
    changes += error == Errno::kSuccess ? 1 : 0;
    return error;
  }
  /// Bytes that may still be written.
  std::uint64_t BudgetLeft() const {
    return options.most_written - std::min(written, options.most_written);
  }
  /// Takes as many of the bytes that may still be written as there are, at most `bytes`.
  std::uint64_t TakeBudget(std::uint64_t bytes);
};

}  // namespace txvm::frontends::wasi
