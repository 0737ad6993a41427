// Inside of wasi.cc: the calls themselves.
#pragma once

#include <cstdint>

#include "frontends/wasi/files.h"
#include "frontends/wasi/guest.h"
#include "frontends/wasi/wasi.h"
#include "isa/support/random.h"

namespace txvm::frontends::wasi {

/// What one program's calls share.
struct System {
  Options options;
  Files files;
  std::uint64_t clock_looks = 0;   // at the virtual clock
  isa::SplitMix64 random;
};

#define WASI_CALL(name, params, Handler) \
  Errno Handler(System& system, const Guest& guest, Params parameters);
#define WASI_LACKS(name, params)
#include "frontends/wasi/functions.def"
#undef WASI_LACKS
#undef WASI_CALL

}  // namespace txvm::frontends::wasi
