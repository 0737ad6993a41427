/* What every part of the runtime sees. What a header declares is weak: a program that defines a
   function of the library itself, its own strdup for instance, gets that one everywhere. */
#pragma once
#define TXVM_RUNTIME
#define _GNU_SOURCE /* for memmem */
#pragma clang attribute push(__attribute__((weak)), apply_to = function)
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <txvm.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
#pragma clang attribute pop
