// Runs WebAssembly script files (.wast), the format of the official test suite.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/limits.h"
#include "isa/support/result.h"
#include "vm/host.h"
#include "vm/outcome.h"

namespace txvm::frontends::wat {

/// The kinds of command that are counted; a projection of wast_kinds.def.
enum class WastKind : std::uint8_t {
#define TXVM_WAST_KIND(Name, text) k##Name,
#include "frontends/wat/wast_kinds.def"
#undef TXVM_WAST_KIND
};
inline constexpr std::size_t kWastKindCount = 0
#define TXVM_WAST_KIND(Name, text) +1
#include "frontends/wat/wast_kinds.def"
#undef TXVM_WAST_KIND
    ;

/// "module", "action", "assert_return", ...
std::string_view WastKindText(WastKind kind);

/// How many commands of one kind did what the script says. `unsupported` ones were not judged: they
/// need a value type, an instruction or a way of sharing that txvm does not have.
struct WastCount {
  std::uint64_t passed = 0, failed = 0, unsupported = 0;
};

/// One command that failed, or one that was not judged and why.
struct WastNote {
  std::uint32_t line = 0;
  WastKind kind = WastKind::kModule;
  bool failed = false;  // else unsupported
  std::string text;     // "expected 3, got 4", "needs i64.add", ...
};

struct WastReport {
  std::array<WastCount, kWastKindCount> counts{};  // (kinds,)
  std::vector<WastNote> notes;                     // in script order

  const WastCount& operator[](WastKind kind) const {
    return counts[static_cast<std::size_t>(kind)];
  }
  /// Adds the counts of another script; notes are not copied.
  void Add(const WastReport& other);
  std::uint64_t failed() const;
};

struct WastOptions {
  vm::EngineKind engine = vm::EngineKind::kAttention;
  bool optimize = true;
  isa::Limits limits;
  std::uint64_t fuel = 1'000'000'000;  // steps one invocation may take before it counts as failed
  /// Functions that modules may import besides those of spectest and of each other, made anew for
  /// each instance, which so has its own state of them. Empty: none.
  std::function<isa::Result<vm::Linker>()> host{};
};

/// Runs one script. An assertion is judged when its arguments and results are numbers and running
/// it meets no unsupported instruction. Errors: kSyntax and kLimit when the script itself cannot be
/// read; a command that goes wrong is a count and a note, not an error.
isa::Result<WastReport> RunWast(std::string_view text, std::string_view file,
                                const WastOptions& options = {});

}  // namespace txvm::frontends::wat
