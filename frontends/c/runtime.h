// The headers and sources that C programs are compiled with; they are part of the binary.
#pragma once

#include <array>
#include <string_view>

namespace txvm::frontends::c {

/// Every file of the runtime, by its path below frontends/c.
inline constexpr auto kRuntimeFiles = std::to_array<std::string_view>({
    "runtime/calendar.c",
    "runtime/complex.c",
    "runtime/conversion.h",
    "runtime/cxx.c",
    "runtime/double_double.h",
    "runtime/error.c",
    "runtime/exponential.h",
    "runtime/file.c",
    "runtime/float_number.c",
    "runtime/float_text.c",
    "runtime/format.c",
    "runtime/format.h",
    "runtime/host.h",
    "runtime/include/assert.h",
    "runtime/include/complex.h",
    "runtime/include/ctype.h",
    "runtime/include/errno.h",
    "runtime/include/fcntl.h",
    "runtime/include/fenv.h",
    "runtime/include/inttypes.h",
    "runtime/include/locale.h",
    "runtime/include/math.h",
    "runtime/include/pthread.h",
    "runtime/include/setjmp.h",
    "runtime/include/signal.h",
    "runtime/include/stdio.h",
    "runtime/include/stdlib.h",
    "runtime/include/string.h",
    "runtime/include/strings.h",
    "runtime/include/sys/stat.h",
    "runtime/include/sys/time.h",
    "runtime/include/sys/types.h",
    "runtime/include/tgmath.h",
    "runtime/include/threads.h",
    "runtime/include/time.h",
    "runtime/include/txvm.h",
    "runtime/include/txvm_screen.h",
    "runtime/include/uchar.h",
    "runtime/include/unistd.h",
    "runtime/include/wchar.h",
    "runtime/include/wctype.h",
    "runtime/jump.c",
    "runtime/library.h",
    "runtime/main.h",
    "runtime/math_angle.c",
    "runtime/math_exact.c",
    "runtime/math_power.c",
    "runtime/math_special.c",
    "runtime/memory.c",
    "runtime/number.c",
    "runtime/process.c",
    "runtime/quad.c",
    "runtime/quad.h",
    "runtime/runtime.c",
    "runtime/scan.c",
    "runtime/sort.c",
    "runtime/start.c",
    "runtime/stream.c",
    "runtime/stream.h",
    "runtime/string.c",
    "runtime/time.c",
    "runtime/unicode.c",
    "runtime/wide.c",
    "runtime/wide_number.c",
    "runtime/wide_search.c",
    "runtime/wide_text.c",
});

/// The text of one of kRuntimeFiles; empty for other names.
std::string_view RuntimeText(std::string_view name);

}  // namespace txvm::frontends::c
