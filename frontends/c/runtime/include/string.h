#pragma once
#include <stddef.h>
#include <strings.h>
void* memchr(const void* bytes, int c, size_t count);
int memcmp(const void* a, const void* b, size_t count);
void* memcpy(void* restrict to, const void* restrict from, size_t count);
#ifdef _GNU_SOURCE
void* memmem(const void* bytes, size_t count, const void* part, size_t part_count);
#endif
void* memmove(void* to, const void* from, size_t count);
void* memset(void* to, int c, size_t count);
char* stpcpy(char* restrict to, const char* restrict from);
char* strcat(char* restrict to, const char* restrict from);
char* strchr(const char* text, int c);
int strcmp(const char* a, const char* b);
int strcoll(const char* a, const char* b);
char* strcpy(char* restrict to, const char* restrict from);
size_t strcspn(const char* text, const char* stop);
char* strdup(const char* text);
char* strerror(int number);
char* strndup(const char* text, size_t count);
size_t strnlen(const char* text, size_t count);
size_t strlen(const char* text);
char* strncat(char* restrict to, const char* restrict from, size_t count);
int strncmp(const char* a, const char* b, size_t count);
char* strncpy(char* restrict to, const char* restrict from, size_t count);
char* strpbrk(const char* text, const char* stop);
char* strrchr(const char* text, int c);
char* strsep(char** restrict text, const char* restrict separators);
size_t strspn(const char* text, const char* accept);
char* strstr(const char* text, const char* part);
char* strtok(char* restrict text, const char* restrict separators);
char* strtok_r(char* restrict text, const char* restrict separators, char** restrict state);
size_t strxfrm(char* restrict to, const char* restrict from, size_t count);
