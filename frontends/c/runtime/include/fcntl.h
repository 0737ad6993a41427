/* Opening files by number. */
#pragma once
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 0x40
#define O_EXCL 0x80
#define O_TRUNC 0x200
#define O_APPEND 0x400
int open(const char* path, int flags, ...);
int creat(const char* path, int mode);
