/* WASI preview 1 for programs that another program runs: the C interface, beside txvm.h.
 * docs/WASI.md says what the functions do, docs/EMBEDDING.md how this is used, txvm_wasi.hpp wraps
 * it for C++.
 *
 * Nothing is inherited: a program that is given no options sees no arguments, no environment, no
 * file, input that is at its end, a virtual clock and a fixed sequence of random bytes. What it
 * writes is dropped. Errors, structs and threads are as in txvm.h. */
#pragma once

#include "txvm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A folder that the program may use. */
typedef struct txvm_wasi_directory {
  const char* host;  /* its path here */
  const char* guest; /* the program's name for it; NULL: host */
  bool read_only;    /* nothing in it can be created, changed or removed */
} txvm_wasi_directory;

/* What one of the standard streams is. */
typedef enum txvm_wasi_stream {
  TXVM_WASI_NONE = 0,    /* input is at its end, output is dropped */
  TXVM_WASI_INHERIT = 1, /* the stream of this process */
  TXVM_WASI_BUFFER = 2,  /* input_bytes; output is kept for txvm_wasi_output */
  TXVM_WASI_CALLBACK = 3 /* read; write */
} txvm_wasi_stream;

typedef struct txvm_wasi_options {
  size_t size;
  const char* const* arguments; /* the program's name first */
  size_t argument_count;
  const char* const* environment; /* "NAME=VALUE" */
  size_t environment_count;
  const txvm_wasi_directory* directories;
  size_t directory_count;
  bool real_clock;  /* else virtual: each look is 1 ms after the last, and sleeping takes no time */
  bool real_random; /* else a fixed sequence */
  uint64_t random_seed;    /* of that */
  uint32_t max_open_files; /* open at once, streams and directories included; 0: 256 */
  uint64_t max_written;    /* bytes the program may write or grow files by; 0: no limit */
  txvm_wasi_stream input, output, errors;
  const void* input_bytes; /* of TXVM_WASI_BUFFER; every instance reads all of them */
  size_t input_size;
  void* user; /* first argument of the callbacks */
  /* Puts at most `count` bytes at `to` and returns how many: 0 at the end, less than 0 when it
   * failed, which the program sees as an I/O error. */
  int64_t (*read)(void* user, void* to, size_t count);
  /* Takes bytes written to stream 1 (output) or 2 (errors), and returns how many it took; less than
   * 0: as read. */
  int64_t (*write)(void* user, int stream, const void* from, size_t count);
  /* Gets `user` once, when the last linker or instance that has these options lets go of them; not
   * when txvm_linker_define_wasi fails. May be NULL. */
  void (*finalizer)(void* user);
} txvm_wasi_options;

/* Defines every function of wasi_snapshot_preview1 and wasi_unstable for instances made from now
 * on. Each instance has its own open files, clock, random numbers and buffers. A function that
 * txvm_linker_define gives the same name goes before. options may be NULL: all 0; they are copied.
 * IO: a directory that cannot be opened; LIMIT: more directories than max_open_files; USAGE: a NULL
 * that is needed, a stream without its callback.
 *
 * What the program passes to proc_exit ends its run as TXVM_EXITED with this code. A real clock's
 * sleep and a read of inherited input end early, as interrupted system calls do, when the run is
 * interrupted. Snapshots hold the open files with their places, the clock and the random stream,
 * not the streams; so does a clone, which keeps a copy of the buffers too. IO when a clone cannot
 * open a file again. */
TXVM_API txvm_error* txvm_linker_define_wasi(txvm_linker* linker, const txvm_wasi_options* options);

/* Runs the program as a command: its start function, if it has not run, then the export `_start`,
 * or `_initialize` where there is none, which ends when it has run. The outcome of the last; USAGE
 * when there is neither. After TXVM_OUT_OF_FUEL or TXVM_INTERRUPTED in `_start`, txvm_resume goes
 * on; when the start function was cut off, txvm_wasi_run has to be called again after
 * txvm_resume. */
TXVM_API txvm_error* txvm_wasi_run(txvm_instance* instance, txvm_outcome* outcome);

/* What the program has written to stream 1 or 2 of kind TXVM_WASI_BUFFER, in txvm_wasi_clear's
 * absence all of it; good until the instance runs. NULL, with size 0, where there is nothing. */
TXVM_API const void* txvm_wasi_output(const txvm_instance* instance, int stream, size_t* size);
/* Forgets what has been written to the stream. */
TXVM_API void txvm_wasi_clear(txvm_instance* instance, int stream);
/* A sentence for each file that the last txvm_snapshot_restore could not open again, in lines; its
 * descriptor is closed. "" when there is none; the instance's. */
TXVM_API const char* txvm_wasi_notes(const txvm_instance* instance);

#ifdef __cplusplus
}
#endif
