// What engines compute from a program alone, made once and used by every instance of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "isa/support/system/threads.h"

namespace txvm::vm {

/// Which table; each has one type.
enum class TableKind : std::uint8_t {
  kFrameFacts,
  kPathFacts,
  kNativePlain,
  kNativeObserved,
  kAttentionKeys,
  kAttentionMemoryKeys,
  kAttentionPlain,
  kAttentionObserved,
  kFolded,
};

/// Immutable tables by kind and variant, each made at its first use. Thread-safe.
class SharedTables {
 public:
  /// The table of (kind, variant), made by `make() -> std::shared_ptr<const T>` if it is not there
  /// yet. A null pointer is handed on and not kept. `make` must not ask for another table.
  /// REQUIRES: the same T for the same kind, and everything `make` reads but the program in
  /// `variant`.
  template <typename T, typename Make>
  std::shared_ptr<const T> Get(TableKind kind, std::uint64_t variant, const Make& make) {
    const isa::Lock lock(mutex_);
    std::shared_ptr<const void>& table = tables_[{kind, variant}];
    if (table == nullptr) table = make();
    return std::static_pointer_cast<const T>(table);
  }

 private:
  isa::Mutex mutex_;
  std::map<std::pair<TableKind, std::uint64_t>, std::shared_ptr<const void>> tables_;
};

/// As SharedTables::Get, or a table of the caller's own where nothing is shared.
template <typename T, typename Make>
std::shared_ptr<const T> TableOf(SharedTables* tables, TableKind kind, std::uint64_t variant,
                                 const Make& make) {
  if (tables == nullptr) return make();
  return tables->Get<T>(kind, variant, make);
}

}  // namespace txvm::vm
