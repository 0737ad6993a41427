/* Characters of UTF-16 and UTF-32, from and to UTF-8. */
#pragma once
#include <wchar.h>
#ifndef __cplusplus
typedef __CHAR16_TYPE__ char16_t;
typedef __CHAR32_TYPE__ char32_t;
#endif
size_t mbrtoc16(char16_t* restrict to, const char* restrict text, size_t count,
                mbstate_t* restrict state);
size_t c16rtomb(char* restrict to, char16_t c, mbstate_t* restrict state);
size_t mbrtoc32(char32_t* restrict to, const char* restrict text, size_t count,
                mbstate_t* restrict state);
size_t c32rtomb(char* restrict to, char32_t c, mbstate_t* restrict state);
