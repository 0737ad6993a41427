/* The whole runtime in one translation unit; the linker keeps what a program uses. Compiled with
   -ffreestanding -fno-builtin, so that no loop here becomes a call of itself. */
#include "string.c"
#include "memory.c"
#include "stream.c"
#include "format.c"
#include "number.c"
#include "start.c"
