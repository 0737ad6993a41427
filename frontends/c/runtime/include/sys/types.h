/* The types of POSIX's calls. */
#pragma once
#include <stddef.h>
#include <time.h>
#include <unistd.h>
typedef unsigned mode_t;
