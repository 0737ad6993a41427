/* The calls of WASI preview 1 that the runtime makes. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#define WASI(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))

struct host_bytes {
  void* bytes;
  size_t count;
};

WASI(fd_write) int host_write(int fd, const struct host_bytes* parts, size_t count, size_t* done);
WASI(fd_read) int host_read(int fd, const struct host_bytes* parts, size_t count, size_t* done);
WASI(args_sizes_get) int host_args_sizes(size_t* count, size_t* bytes);
WASI(args_get) int host_args(char** words, char* bytes);
WASI(environ_sizes_get) int host_environ_sizes(size_t* count, size_t* bytes);
WASI(environ_get) int host_environ(char** words, char* bytes);
WASI(clock_time_get) int host_clock_time(int clock, uint64_t precision, uint64_t* time);
WASI(proc_exit) _Noreturn void host_exit(int code);
