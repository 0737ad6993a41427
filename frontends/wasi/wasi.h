// WASI preview 1: what command-line programs ask of their surroundings.
// Goals: programs linked with wasi-libc run unmodified; the same run gives the same result
// everywhere unless real time or randomness is asked for; a program reaches no file it was not
// granted, and no host memory through a bad pointer.
// Non-goals: sockets, directory listings, links, waiting for events: they return "no such call".
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "vm/host.h"

namespace txvm::frontends::wasi {

inline constexpr std::string_view kModule = "wasi_snapshot_preview1";

/// A folder a program may use, and the name it knows it by.
struct Directory {
  std::string host, guest;
};

/// Reads into the bytes and returns how many, 0 at the end; a negative errno of the system.
using ReadFunction = std::function<std::int64_t(std::span<std::uint8_t>)>;
/// Writes from the bytes and returns how many; a negative errno of the system.
using WriteFunction = std::function<std::int64_t(std::span<const std::uint8_t>)>;

/// Standard streams. An empty function reads nothing and drops what is written.
struct Streams {
  ReadFunction input;
  WriteFunction output, errors;
};

/// What a program finds. By default time is virtual and random numbers come from a seed.
struct Options {
  std::vector<std::string> arguments;    // the program's name first
  std::vector<std::string> environment;  // NAME=VALUE
  std::vector<Directory> directories;    // none: no file can be opened
  bool real_clock = false;               // else every look at a clock is 1 ms after the last
  bool real_random = false;              // else a fixed sequence
  std::uint64_t random_seed = 0;
  Streams streams;
};

/// Defines every function of functions.def and proc_exit in `linker`. The linker's copies share one
/// set of open files: give each instance its own. Errors: kIo, a directory that cannot be opened.
/// Not thread-safe.
isa::Result<void> Define(vm::Linker& linker, Options options);

}  // namespace txvm::frontends::wasi
