/* Comparison without regard to case, in the "C" locale. */
#pragma once
#include <stddef.h>
int strcasecmp(const char* a, const char* b);
int strncasecmp(const char* a, const char* b, size_t count);
