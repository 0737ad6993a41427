/* A program has one process: wait has nothing to wait for and says so. */
#pragma once
#include <sys/types.h>
#define WNOHANG 1
#define WUNTRACED 2
#define WEXITSTATUS(status) ((status) >> 8 & 0xFF)
#define WTERMSIG(status) ((status) & 0x7F)
#define WIFEXITED(status) (WTERMSIG(status) == 0)
#define WIFSIGNALED(status) (WTERMSIG(status) != 0)
pid_t wait(int* status);
pid_t waitpid(pid_t process, int* status, int options);
