/* Facts of files, and folders made. */
#pragma once
#include <sys/types.h>
struct stat {
  unsigned long long st_dev, st_ino, st_nlink;
  mode_t st_mode;
  off_t st_size;
  time_t st_atime, st_mtime, st_ctime;
};
#define S_IFMT 0170000
#define S_IFREG 0100000
#define S_IFDIR 0040000
#define S_IFCHR 0020000
#define S_ISREG(mode) (((mode) & S_IFMT) == S_IFREG)
#define S_ISDIR(mode) (((mode) & S_IFMT) == S_IFDIR)
#define S_ISCHR(mode) (((mode) & S_IFMT) == S_IFCHR)
int stat(const char* restrict path, struct stat* restrict to);
int fstat(int fd, struct stat* to);
int mkdir(const char* path, mode_t mode);
