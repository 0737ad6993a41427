/* The whole runtime in one translation unit; the linker keeps what a program uses. Compiled with
   -ffreestanding -fno-builtin, so that no loop here becomes a call of itself. */

/* What a header declares is weak: a program that defines a function of the library itself, its own
   strdup for instance, gets that one everywhere. */
#define _GNU_SOURCE /* for memmem */
#pragma clang attribute push(__attribute__((weak)), apply_to = function)
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <txvm.h>
#pragma clang attribute pop

#include "error.c"
#include "string.c"
#include "memory.c"
#include "stream.c"
#include "format.c"
#include "number.c"
#include "scan.c"
#include "time.c"
#include "wide.c"
#include "start.c"
