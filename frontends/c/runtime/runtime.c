/* What every program gets, in one translation unit; the linker keeps what a program uses. Parts of
   their own, such as math_power.c, are compiled for the programs that use them. Compiled with
   -ffreestanding -fno-builtin, so that no loop here becomes a call of itself. */

#include "library.h"

#include "error.c"
#include "string.c"
#include "memory.c"
#include "stream.c"
#include "format.c"
#include "number.c"
#include "time.c"
#include "start.c"
