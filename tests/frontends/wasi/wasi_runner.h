// Calls WASI functions one by one, as a program would.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wasi/guest.h"
#include "frontends/wasi/wasi.h"
#include "vm/host.h"
#include "vm/memory/linear_memory.h"

namespace txvm::tests {

// What path_open takes: oflags, rights, lookupflags.
inline constexpr std::uint32_t kCreate = 1, kFolder = 2, kExclusive = 4, kTruncate = 8;
inline constexpr std::uint32_t kRead = 2, kReadWrite = 2 | 64;
inline constexpr std::uint32_t kFollow = 1;

/// One page of memory and the functions of one program. Parameters are words, an i64 as two of
/// them, low first.
class WasiRunner {
 public:
  /// `module`: kModule or kUnstableModule.
  explicit WasiRunner(frontends::wasi::Options options = {},
                      std::string_view module = frontends::wasi::kModule);

  /// The error number a function returns. Fails the test when it is unknown or takes another number
  /// of words.
  frontends::wasi::Errno Call(std::string_view name, std::vector<vm::Word> words);

  std::uint32_t Read32(std::uint32_t address) const;
  std::uint64_t Read64(std::uint32_t address) const;
  std::string ReadText(std::uint32_t address, std::uint32_t count) const;
  void Write32(std::uint32_t address, std::uint32_t value);
  void WriteText(std::uint32_t address, std::string_view text);
  vm::LinearMemory& memory() { return memory_; }
  /// What the calls so far came to.
  const frontends::wasi::State& state() const { return *state_; }

  /// path_open of a path below descriptor 3; the new descriptor, or the error in `error`.
  struct Opened {
    frontends::wasi::Errno error;
    std::uint32_t number;
  };
  Opened Open(std::string_view path, std::uint32_t how = 0, std::uint32_t rights = 2,
              std::uint32_t lookup = 0);
  /// What one fd_read of at most 100 bytes gives; "error N" when it fails.
  std::string ReadFrom(std::uint32_t number);
  frontends::wasi::Errno WriteTo(std::uint32_t number, std::string_view text);

 private:
  vm::LinearMemory memory_;
  vm::Linker linker_;
  std::optional<frontends::wasi::State> state_;
  std::string module_;
};

}  // namespace txvm::tests
