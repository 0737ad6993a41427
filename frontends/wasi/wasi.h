// WASI preview 1: what command-line programs ask of their surroundings.
// Goals: programs linked with wasi-libc run unmodified, those of the older module wasi_unstable
// too; the same run gives the same result everywhere unless real time or randomness is asked for; a
// program reaches no file it was not granted, and no host memory through a bad pointer.
// Non-goals: sockets. Their calls answer "not a socket".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/program.h"
#include "isa/support/result.h"
#include "vm/host.h"

namespace txvm::frontends::wasi {

inline constexpr std::string_view kModule = "wasi_snapshot_preview1";
/// The module's name before preview 1: other numbers for "whence", another layout of a file's
/// status and of a subscription to a clock.
inline constexpr std::string_view kUnstableModule = "wasi_unstable";

/// A folder a program may use, and the name it knows it by.
struct Directory {
  std::string host, guest;
  bool read_only = false;  // nothing in it can be created, changed or removed
};

/// Types of files, by their numbers in fdstat, filestat and dirent.
enum class FileType : std::uint8_t {
  kUnknown = 0,  // a pipe, for example
  kBlockDevice = 1,
  kCharacterDevice = 2,
  kFolder = 3,
  kRegular = 4,
  kDatagramSocket = 5,
  kStreamSocket = 6,
  kLink = 7,
};

/// Reads into the bytes and returns how many, 0 at the end; a negative errno of the system.
using ReadFunction = std::function<std::int64_t(std::span<std::uint8_t>)>;
/// Writes from the bytes and returns how many; a negative errno of the system.
using WriteFunction = std::function<std::int64_t(std::span<const std::uint8_t>)>;
/// Waits at most so many nanoseconds for input; whether a read would not wait.
using ReadyFunction = std::function<bool(std::uint64_t nanoseconds)>;
/// Goes to this byte of the input, counted from its beginning. Whether it has such places.
using SeekFunction = std::function<bool(std::uint64_t place)>;
/// Sleeps for so many nanoseconds, or less where the run is to be stopped.
using SleepFunction = std::function<void(std::uint64_t nanoseconds)>;

/// Standard streams. An empty function reads nothing and drops what is written.
struct Streams {
  ReadFunction input;
  WriteFunction output, errors;
  ReadyFunction input_ready;  // empty: a read never waits
  SeekFunction seek_input;    // for State::Restore; empty: input has no places
  /// What input, output and errors are to the program. A character device is a terminal to it.
  std::array<FileType, 3> types = {FileType::kUnknown, FileType::kUnknown, FileType::kUnknown};
};

/// What a program finds. By default time is virtual and random numbers come from a seed.
struct Options {
  std::vector<std::string> arguments;    // the program's name first
  std::vector<std::string> environment;  // NAME=VALUE
  std::vector<Directory> directories;    // none: no file can be opened
  /// Else every look at a clock is 1 ms after the last, sleeping costs no time, and a file has the
  /// times that the program gave it: 0 before that.
  bool real_clock = false;
  bool real_random = false;  // else a fixed sequence
  std::uint64_t random_seed = 0;
  std::size_t most_files = 256;  // open at once, streams included
  /// Bytes that the program may write to files and streams, or add to files by growing them.
  std::uint64_t most_written = std::numeric_limits<std::uint64_t>::max();
  Streams streams;
  SleepFunction sleep;  // for the real clock; empty: sleeps without being disturbed
};

struct System;

/// What the calls of one program have come to: its open files with their places, its clock, its
/// random numbers, what it wrote. Copies are the same state.
class State {
 public:
  explicit State(std::shared_ptr<System> system) : system_(std::move(system)) {}

  /// All of it as text, for a snapshot. The contents of files are not in it. Cost O(open files and
  /// the names of folders that are being listed).
  std::string Save() const;
  /// Makes the state what Save wrote. Files are opened again by the names in the granted folders
  /// that they had then. Arguments and environment are those of then unless there are others now.
  /// The result has a sentence for each file that cannot be opened: it is not there any more,
  /// another file has its name, its folder is not granted now. Its descriptor is then closed. It
  /// also has one for each that is shorter or longer than it was, or can be read alone now, for
  /// input that cannot go to its place, and for other kinds of clock and random numbers.
  /// `cuts_grown_files`: those that may be written and have grown get their length back. Errors:
  /// kCorrupt; the state is then as it was.
  isa::Result<std::vector<std::string>> Restore(std::string_view text,
                                                bool cuts_grown_files = false) const;
  /// Whether Restore takes the text. Errors: kCorrupt.
  static isa::Result<void> Check(std::string_view text);
  /// How many calls have changed files or folders. Never less than before, whatever is restored.
  std::uint64_t changes() const;

 private:
  std::shared_ptr<System> system_;
};

/// Whether the program imports a function of either module.
bool IsImportedBy(const isa::Program& program);

/// Defines every function of functions.def, proc_exit and proc_raise in `linker`, for both modules.
/// The linker's copies share one set of open files: give each instance its own. Errors: kIo, a
/// directory that cannot be opened; kLimit, more directories than most_files. Not thread-safe.
isa::Result<State> Define(vm::Linker& linker, Options options);

}  // namespace txvm::frontends::wasi
