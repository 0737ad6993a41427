/* POSIX's calls on files, as far as the host's go: the folders are those of --dir. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
typedef long long off_t;
typedef int pid_t;
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
int access(const char* path, int mode);
ssize_t read(int fd, void* bytes, size_t count);
ssize_t write(int fd, const void* bytes, size_t count);
off_t lseek(int fd, off_t offset, int whence);
int close(int fd);
int unlink(const char* path);
int rmdir(const char* path);
int isatty(int fd);
unsigned sleep(unsigned seconds);
int usleep(unsigned microseconds);
_Noreturn void _exit(int code);
/* The words of main, as POSIX has them: -a, -b VALUE. */
extern char* optarg;
extern int optind, opterr, optopt;
int getopt(int count, char* const words[], const char* options);
/* A program has no process of its own: always 1. */
pid_t getpid(void);
