// Three kinds of failure, three types: a bug in txvm aborts (TXVM_ASSERT), bad input is a
// Result<T>, a program's fault is a Trap inside a successful run.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace txvm::isa {

/// What kind of bad input an Error is about; frontends/cli/support/exit_code.h maps them to exit
/// codes.
enum class ErrorCode : std::uint8_t {
  kSyntax,       // text that cannot be parsed
  kInvalid,      // a module or program that breaks a rule of its format or of the validator
  kUnsupported,  // well formed, but outside what txvm runs
  kCorrupt,      // a binary file that is truncated, altered or of another version
  kLimit,        // refused by a limit the user may raise
  kMemory,       // memory or address space that the system refuses
  kIo,           // a file that cannot be read or written
  kUsage,        // a request that makes no sense: unknown export, wrong argument count
  kHost,         // the embedding failed
  kInterrupted,  // the user stopped it before it was done
  kInternal,     // should not happen; reported instead of crashing
};

/// A place in a source text. line and column count from 1; 0 means unknown.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// Bad input in one sentence that names the thing, the value and the limit, with its place where
/// there is one.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  Place place;
  std::string source_line;  // the text of place.line, without its newline; empty when there is none

  /// "file:line:col: error: message", then the source line and a caret when known; '?' for bytes
  /// that a terminal might obey or not know. No trailing newline.
  std::string ToString() const;
};

template <typename T>
using Result = std::expected<T, Error>;

/// An Error with no place, ready to return.
inline std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error{code, std::move(message), {}, {}});
}

namespace internal {
[[noreturn]] void AssertFailed(const char* condition, const char* file, int line);
}  // namespace internal

}  // namespace txvm::isa

// A condition whose failure is a bug in txvm. Always on; prints the condition and its place, then
// aborts.
#define TXVM_ASSERT(condition) \
  ((condition) ? void(0) : ::txvm::isa::internal::AssertFailed(#condition, __FILE__, __LINE__))

#define TXVM_CONCAT_INNER(a, b) a##b
#define TXVM_CONCAT(a, b) TXVM_CONCAT_INNER(a, b)
// TXVM_TRY(const Program program, Assemble(text)): declares `program`, or returns the error from
// this function.
#define TXVM_TRY(declaration, expression) \
  TXVM_TRY_IMPL(TXVM_CONCAT(txvm_try_, __LINE__), declaration, expression)
#define TXVM_TRY_IMPL(name, declaration, expression)          \
  auto name = (expression);                                   \
  if (!name) return std::unexpected(std::move(name).error()); \
  declaration = *std::move(name)
// TXVM_CHECK_OK(expression): returns the error of a Result<void> from this function.
#define TXVM_CHECK_OK(expression)                                                                  \
  do {                                                                                             \
    if (auto txvm_ok = (expression); !txvm_ok) return std::unexpected(std::move(txvm_ok).error()); \
  } while (false)
