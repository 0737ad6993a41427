// The calls themselves, a function each, as functions.def lists them.
#pragma once

#include "frontends/wasi/guest.h"
#include "frontends/wasi/system.h"

namespace txvm::frontends::wasi {

#define WASI_CALL(name, params, Handler) \
  Errno Handler(System& system, const Guest& guest, Params parameters);
#include "frontends/wasi/functions.def"
#undef WASI_CALL

}  // namespace txvm::frontends::wasi
