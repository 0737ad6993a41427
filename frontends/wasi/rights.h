// The rights of descriptors as sets of bits.
#pragma once

#include <cstdint>

namespace txvm::frontends::wasi {

using Rights = std::uint64_t;

#define WASI_RIGHT(bit, Name, file, folder, changes) \
  inline constexpr Rights kRight##Name = Rights{1} << (bit);
#include "frontends/wasi/rights.def"
#undef WASI_RIGHT

/// All rights that a regular file can have.
inline constexpr Rights kFileRights = 0
#define WASI_RIGHT(bit, Name, file, folder, changes) | ((file) != 0 ? kRight##Name : 0)
#include "frontends/wasi/rights.def"
#undef WASI_RIGHT
    ;

/// All rights that a folder can have.
inline constexpr Rights kFolderRights = 0
#define WASI_RIGHT(bit, Name, file, folder, changes) | ((folder) != 0 ? kRight##Name : 0)
#include "frontends/wasi/rights.def"
#undef WASI_RIGHT
    ;

/// The rights that a read-only folder, and all that is opened through it, lacks.
inline constexpr Rights kChangingRights = 0
#define WASI_RIGHT(bit, Name, file, folder, changes) | ((changes) != 0 ? kRight##Name : 0)
#include "frontends/wasi/rights.def"
#undef WASI_RIGHT
    ;

}  // namespace txvm::frontends::wasi
