// The headers and sources that C programs are compiled with; they are part of the binary.
#pragma once

#include <array>
#include <string_view>

namespace txvm::frontends::c {

/// Every file of the runtime, by its path below frontends/c.
inline constexpr auto kRuntimeFiles = std::to_array<std::string_view>({
    "runtime/include/assert.h", "runtime/include/ctype.h",
    "runtime/include/errno.h",  "runtime/include/inttypes.h",
    "runtime/include/stdio.h",  "runtime/include/stdlib.h",
    "runtime/include/string.h", "runtime/include/strings.h",
    "runtime/include/time.h",   "runtime/include/txvm.h",
    "runtime/error.c",          "runtime/format.c",
    "runtime/host.h",           "runtime/main.h",
    "runtime/memory.c",         "runtime/number.c",
    "runtime/runtime.c",        "runtime/scan.c",
    "runtime/start.c",          "runtime/stream.c",
    "runtime/string.c",         "runtime/time.c",
    "runtime/wide.c",
});

/// The text of one of kRuntimeFiles; empty for other names.
std::string_view RuntimeText(std::string_view name);

}  // namespace txvm::frontends::c
