/* POSIX's calls on files, as far as the host's go: the folders are those of --dir. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
typedef long long off_t;
typedef int pid_t;
typedef unsigned uid_t;
typedef unsigned gid_t;
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
pid_t getppid(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
char* getcwd(char* bytes, size_t count);
int gethostname(char* bytes, size_t count);
enum { _SC_PAGESIZE = 30, _SC_OPEN_MAX = 4, _SC_CLK_TCK = 2, _SC_NPROCESSORS_ONLN = 84 };
long sysconf(int name);
/* These fail, and say so: there is one process, without users and links. */
pid_t fork(void);
pid_t vfork(void);
int execl(const char* path, const char* word, ...);
int execlp(const char* path, const char* word, ...);
int execv(const char* path, char* const words[]);
int execvp(const char* path, char* const words[]);
int execve(const char* path, char* const words[], char* const environment[]);
int pipe(int ends[2]);
int dup(int fd);
int dup2(int fd, int to);
unsigned alarm(unsigned seconds);
int pause(void);
int link(const char* path, const char* to);
int symlink(const char* path, const char* to);
ssize_t readlink(const char* restrict path, char* restrict bytes, size_t count);
int chown(const char* path, uid_t user, gid_t group);
int chdir(const char* path);
int setuid(uid_t user);
int setgid(gid_t group);
