// Error objects, and the struct sizes of the interface.
// Declared in vm/txvm.h.
#include <fmt/format.h>

#include <algorithm>

#include "vm/capi/handles.h"

// INVARIANT: the code is one of txvm_error_code.
struct txvm_error {
  txvm_error_code code = TXVM_ERROR_INTERNAL;
  std::string message, report;
  std::uint32_t line = 0, column = 0;
};

namespace txvm::vm::capi {
namespace {

// Shared by all who run out of memory: making one would need some.
txvm_error* MemoryError() {
  static txvm_error* const error = [] {
    static txvm_error object;
    object.code = TXVM_ERROR_MEMORY;
    object.message = "out of memory";  // short enough to be stored in place
    object.report = "out of memory";
    return &object;
  }();
  return error;
}

txvm_error_code CodeOf(isa::ErrorCode code) {
  switch (code) {
    case isa::ErrorCode::kSyntax:
      return TXVM_ERROR_SYNTAX;
    case isa::ErrorCode::kInvalid:
      return TXVM_ERROR_INVALID;
    case isa::ErrorCode::kUnsupported:
      return TXVM_ERROR_UNSUPPORTED;
    case isa::ErrorCode::kCorrupt:
      return TXVM_ERROR_CORRUPT;
    case isa::ErrorCode::kLimit:
      return TXVM_ERROR_LIMIT;
    case isa::ErrorCode::kMemory:
      return TXVM_ERROR_MEMORY;
    case isa::ErrorCode::kIo:
      return TXVM_ERROR_IO;
    case isa::ErrorCode::kUsage:
      return TXVM_ERROR_USAGE;
    case isa::ErrorCode::kHost:
    case isa::ErrorCode::kInterrupted:  // by whom the embedding asks
      return TXVM_ERROR_HOST;
    case isa::ErrorCode::kInternal:
      return TXVM_ERROR_INTERNAL;
  }
  return TXVM_ERROR_INTERNAL;
}

}  // namespace

txvm_error* OutOfMemory() noexcept { return MemoryError(); }

txvm_error* NewError(isa::Error error) noexcept {
  const auto make = [&error] {
    auto made = std::make_unique<txvm_error>();
    made->code = CodeOf(error.code);
    made->report = error.ToString();
    made->message = std::move(error.message);
    made->line = error.place.line;
    made->column = error.place.column;
    return made.release();
  };
  return isa::OrOnException(make, [] { return OutOfMemory(); });
}

isa::Result<void> NullError(std::string_view name) {
  return isa::Fail(isa::ErrorCode::kUsage, fmt::format("{} is NULL", name));
}

isa::Result<void> CheckStructSize(const void* given, std::size_t known, std::string_view name) {
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof(size));
  constexpr std::size_t kLargest = 4096;  // far above any version's; more is not a size
  if (size < sizeof(std::size_t) || size > kLargest) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("{} begins with size {}: set it to sizeof, {} in this version",
                                 name, size, known));
  }
  const auto* bytes = static_cast<const unsigned char*>(given);
  if (size > known &&
      std::any_of(bytes + known, bytes + size, [](auto byte) { return byte != 0; })) {
    return isa::Fail(isa::ErrorCode::kUnsupported,
                     fmt::format("{} has {} bytes with fields this library does not know: it knows "
                                 "the first {}",
                                 name, size, known));
  }
  return {};
}

}  // namespace txvm::vm::capi

const char* txvm_error_message(const txvm_error* error) {
  return error == nullptr ? "" : error->message.c_str();
}
txvm_error_code txvm_error_get_code(const txvm_error* error) {
  return error == nullptr ? TXVM_ERROR_INTERNAL : error->code;
}
const char* txvm_error_report(const txvm_error* error) {
  return error == nullptr ? "" : error->report.c_str();
}
uint32_t txvm_error_line(const txvm_error* error) { return error == nullptr ? 0 : error->line; }
uint32_t txvm_error_column(const txvm_error* error) { return error == nullptr ? 0 : error->column; }
void txvm_error_delete(txvm_error* error) {
  if (error != txvm::vm::capi::OutOfMemory()) delete error;
}
