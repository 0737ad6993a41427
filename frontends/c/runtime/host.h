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
WASI(fd_seek) int host_seek(int fd, int64_t offset, int whence, uint64_t* place);
WASI(fd_close) int host_close(int fd);
WASI(fd_fdstat_get) int host_fdstat(int fd, void* stat);
WASI(fd_prestat_get) int host_prestat(int fd, void* stat);
WASI(fd_prestat_dir_name) int host_folder_name(int fd, char* name, size_t size);
WASI(fd_filestat_get) int host_file_facts(int fd, void* facts);
WASI(path_open)
int host_open(int folder, int look_up, const char* path, size_t size, int how, uint64_t rights,
              uint64_t later_rights, int flags, int* fd);
WASI(path_filestat_get)
int host_path_facts(int folder, int look_up, const char* path, size_t size, void* facts);
WASI(path_unlink_file) int host_unlink(int folder, const char* path, size_t size);
WASI(path_remove_directory) int host_remove_folder(int folder, const char* path, size_t size);
WASI(path_create_directory) int host_create_folder(int folder, const char* path, size_t size);
WASI(path_rename)
int host_rename(int folder, const char* path, size_t size, int to_folder, const char* to,
                size_t to_size);
WASI(poll_oneoff) int host_poll(const void* wanted, void* happened, size_t count, size_t* done);
