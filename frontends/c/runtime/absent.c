/* Calls of POSIX that no host of a module has: processes, users, links. Each says so when it is
   called, and fails as POSIX lets it. */
#pragma clang attribute push(__attribute__((weak)), apply_to = function)
#include <sys/wait.h>
#pragma clang attribute pop
#include "library.h"

static int absent(const char* function) {
  fputs(function, stderr);
  fputs(": a txvm program has one process, without users and links\n", stderr);
  errno = ENOSYS;
  return -1;
}

pid_t fork(void) { return absent("fork"); }
pid_t vfork(void) { return absent("vfork"); }
int execl(const char* path, const char* word, ...) { return (void)path, (void)word, absent("execl"); }
int execlp(const char* path, const char* word, ...) {
  return (void)path, (void)word, absent("execlp");
}
int execv(const char* path, char* const words[]) { return (void)path, (void)words, absent("execv"); }
int execvp(const char* path, char* const words[]) {
  return (void)path, (void)words, absent("execvp");
}
int execve(const char* path, char* const words[], char* const environment[]) {
  return (void)path, (void)words, (void)environment, absent("execve");
}
int pipe(int ends[2]) { return (void)ends, absent("pipe"); }
int dup(int fd) { return (void)fd, absent("dup"); }
int dup2(int fd, int to) { return (void)fd, (void)to, absent("dup2"); }
pid_t wait(int* status) { return (void)status, absent("wait"); }
pid_t waitpid(pid_t process, int* status, int options) {
  return (void)process, (void)status, (void)options, absent("waitpid");
}
int kill(pid_t process, int number) {
  return process == getpid() ? raise(number) : absent("kill");
}
unsigned alarm(unsigned seconds) {
  if (seconds != 0) absent("alarm");
  return 0;
}
int pause(void) { return absent("pause"); }
int link(const char* path, const char* to) { return (void)path, (void)to, absent("link"); }
int symlink(const char* path, const char* to) { return (void)path, (void)to, absent("symlink"); }
ssize_t readlink(const char* restrict path, char* restrict bytes, size_t count) {
  return (void)path, (void)bytes, (void)count, absent("readlink");
}
int chown(const char* path, uid_t user, gid_t group) {
  return (void)path, (void)user, (void)group, absent("chown");
}
int chdir(const char* path) { return (void)path, absent("chdir"); }
int setuid(uid_t user) { return (void)user, absent("setuid"); }
int setgid(gid_t group) { return (void)group, absent("setgid"); }
pid_t getppid(void) { return 1; }
uid_t getuid(void) { return 0; }
uid_t geteuid(void) { return 0; }
gid_t getgid(void) { return 0; }
gid_t getegid(void) { return 0; }
/* The only folder that a path begins in without a name: that of --dir . */
char* getcwd(char* bytes, size_t count) {
  if (bytes == NULL) return strdup(".");
  if (count < 2) {
    errno = ERANGE;
    return NULL;
  }
  return strcpy(bytes, ".");
}
int gethostname(char* bytes, size_t count) {
  static const char name[] = "txvm";
  strncpy(bytes, name, count);
  return 0;
}
long sysconf(int name) {
  enum { kPageBytes = 65536, kOpenFiles = 256 };
  switch (name) {
    case _SC_PAGESIZE: return kPageBytes;
    case _SC_NPROCESSORS_ONLN: return 1;
    case _SC_OPEN_MAX: return kOpenFiles;
    case _SC_CLK_TCK: return 100;
    default: break;
  }
  errno = EINVAL;
  return -1;
}
