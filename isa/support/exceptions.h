// Exceptions where the build has them. Without (-fno-exceptions) what would be thrown ends the
// process or, in WebAssembly, traps.
#pragma once

#include <cstdlib>
#include <exception>
#include <new>

namespace txvm::isa {

#ifdef __cpp_exceptions

/// What `body()` returns or, where it throws, what `handle()` does, inside the handler.
template <typename Body, typename Handle>
auto OrOnException(const Body& body, const Handle& handle) {
  try {
    return body();
  } catch (...) {
    return handle();
  }
}

/// Calls `body()`; where it throws, `clean_up()` first and then throws on.
template <typename Body, typename CleanUp>
auto CleaningUp(const Body& body, const CleanUp& clean_up) {
  try {
    return body();
  } catch (...) {
    clean_up();
    throw;
  }
}

[[noreturn]] inline void ThrowOutOfMemory() { throw std::bad_alloc(); }

#else

/// What `body()` returns.
template <typename Body, typename Handle>
auto OrOnException(const Body& body, const Handle&) {
  return body();
}

/// Calls `body()`.
template <typename Body, typename CleanUp>
auto CleaningUp(const Body& body, const CleanUp&) {
  return body();
}

[[noreturn]] inline void ThrowOutOfMemory() { std::abort(); }

#endif

}  // namespace txvm::isa
