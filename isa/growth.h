// Functions that a program gets when they are first called.
#pragma once

#include <cstdint>
#include <string>

#include "isa/support/result.h"

namespace txvm::isa {

struct Program;

/// What makes the code of the functions that a program has as stubs. A stub is the two instructions
/// `CALL import; RETURN`, where the import is one of kGrowImports; a machine that comes to it asks
/// for the function and goes on there, without a step. Afterwards every CALL of the stub in the
/// program is a CALL of the function. Immutable and thread-safe.
/// INVARIANT: what Grow makes depends on the program and the stub alone, so the list
/// Program::grown says all about a program that grew.
class Growth {
 public:
  Growth() = default;
  Growth(const Growth&) = delete;
  Growth& operator=(const Growth&) = delete;
  virtual ~Growth() = default;

  /// Appends the function of the stub at `ip`, and others that may be called next, to the program's
  /// code, and its index in the order of stubs to Program::grown. Instructions keep their
  /// addresses; the stub becomes `CALL function; RETURN`. REQUIRES: there is a stub. Errors: kLimit
  /// when the program cannot hold them; it is unchanged then.
  virtual Result<void> Grow(Program& program, std::uint32_t ip) const = 0;
  /// Where the stub is that Program::grown names by `index`. kInvalid: there is none.
  virtual Result<std::uint32_t> StubOf(std::uint32_t index) const = 0;
  /// The program with all its functions, lowered at once; its addresses are others.
  virtual Result<Program> Whole() const = 0;
  /// Equal for programs that start alike and grow alike: SHA-256 in 64 hex digits.
  virtual const std::string& Hash() const = 0;
};

/// Imports of module "txvm" whose names begin like this stand for functions to be made.
inline constexpr const char* kGrowImports = "lower.";

}  // namespace txvm::isa
