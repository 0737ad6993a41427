/* txvm in another program: the C interface. docs/EMBEDDING.md tells the story, txvm.hpp wraps it
 * for C++.
 *
 * OBJECTS: engine (which engine runs, where handles live) -> program (verified, immutable) ->
 * instance (one running state). A linker holds host functions. Each _new or _load has its _delete,
 * which takes NULL. An object stays alive inside as long as another needs it: delete them in any
 * order.
 *
 * ERRORS: a function that can fail returns NULL, or an error to be deleted; then what it would have
 * handed out is NULL. A program's own fault
 * is no error: the call succeeds and its outcome says what happened. Nothing is thrown; memory
 * exhaustion is an error.
 *
 * STRUCTS: options and outcomes begin with their size: `txvm_outcome outcome = {.size = sizeof
 * outcome};`. All other fields 0 means the defaults. Bytes a library does not know must be 0.
 *
 * THREADS: engines and programs may be used by any number of threads at once. A linker and an
 * instance belong to one thread at a time. Only txvm_interrupt, txvm_interrupt_run and
 * txvm_run_number may be called on an instance another thread is using, and from signal handlers.
 *
 * INSIDE A HOST FUNCTION the caller may be looked at (memory, globals, backtrace), changed (memory,
 * globals) and called (txvm_host_call). Other runs of it are refused: txvm_call, txvm_resume and
 * the like return TXVM_ERROR_USAGE. Other instances may be run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TXVM_API __attribute__((visibility("default")))
#define TXVM_ABI_VERSION 1u

typedef struct txvm_engine txvm_engine;
typedef struct txvm_program txvm_program;
typedef struct txvm_linker txvm_linker;
typedef struct txvm_instance txvm_instance;
typedef struct txvm_error txvm_error;

/* TXVM_ABI_VERSION of the library, and its version as "0.2.0". */
TXVM_API uint32_t txvm_abi_version(void);
TXVM_API const char* txvm_version(void);
/* Whether this library reads .wasm: every one does. */
TXVM_API bool txvm_reads_wasm(void);
/* Whether this library reads .wat: every one does. */
TXVM_API bool txvm_reads_wat(void);

/* ---- errors ---- */

typedef enum txvm_error_code {
  TXVM_ERROR_SYNTAX = 1,      /* text that cannot be parsed */
  TXVM_ERROR_INVALID = 2,     /* breaks a rule of the validator, or of linking */
  TXVM_ERROR_UNSUPPORTED = 3, /* well formed, but outside what this library does */
  TXVM_ERROR_CORRUPT = 4,     /* a binary file that is truncated, altered or of another version */
  TXVM_ERROR_LIMIT = 5,       /* refused by a limit that may be raised */
  TXVM_ERROR_IO = 6,          /* a file that cannot be read or written */
  TXVM_ERROR_USAGE = 7,    /* a request that makes no sense: unknown export, wrong argument count */
  TXVM_ERROR_HOST = 8,     /* the embedding failed */
  TXVM_ERROR_INTERNAL = 9, /* should not happen */
  TXVM_ERROR_MEMORY = 10   /* the system refused memory */
} txvm_error_code;

/* One sentence, without place; the error's. */
TXVM_API const char* txvm_error_message(const txvm_error* error);
TXVM_API txvm_error_code txvm_error_get_code(const txvm_error* error);
/* "file:line:column: error: message", the line and a caret where known; the error's. */
TXVM_API const char* txvm_error_report(const txvm_error* error);
/* From 1; 0: unknown. */
TXVM_API uint32_t txvm_error_line(const txvm_error* error);
TXVM_API uint32_t txvm_error_column(const txvm_error* error);
TXVM_API void txvm_error_delete(txvm_error* error);

/* ---- engine ---- */

/* Where engines, programs, linkers, instances, and the buffers handed to the host come from. What
 * it does not cover: errors, and what is inside those objects (code tables, names, the C++
 * library's memory), which comes from operator new; stacks and linear memories, which are reserved
 * from the system by mmap and limited by txvm_instance_options. allocate returns memory aligned as
 * malloc's, or NULL, which becomes TXVM_ERROR_MEMORY. Called from every thread that uses the
 * engine's objects. */
typedef struct txvm_allocator {
  void* user;
  void* (*allocate)(void* user, size_t bytes);
  void (*release)(void* user, void* memory, size_t bytes);
} txvm_allocator;

typedef struct txvm_engine_options {
  size_t size;
  const char* engine;       /* "attention" (default), "native", "folded", "hull", ... as `txvm run
                               --engine` */
  txvm_allocator allocator; /* all NULL: malloc and free */
} txvm_engine_options;

/* options may be NULL. */
TXVM_API txvm_error* txvm_engine_new(const txvm_engine_options* options, txvm_engine** engine);
TXVM_API void txvm_engine_delete(txvm_engine* engine);
/* The name of the engine that runs. */
TXVM_API const char* txvm_engine_name(const txvm_engine* engine);
/* Releases a buffer that a function below handed out with its size. */
TXVM_API void txvm_buffer_delete(txvm_engine* engine, void* buffer, size_t size);

/* ---- programs ---- */

/* Loads and verifies. The format is found out: .txp and .wasm by their first bytes, .wat by the
 * name's ending or by the parenthesis that a text begins with, comments apart; all else is .txa.
 * `name` stands in errors and backtraces and may be NULL. The bytes are not needed afterwards.
 * Needs 128 KiB of stack, whatever the nesting. Starts no process and no thread. */
TXVM_API txvm_error* txvm_program_load(txvm_engine* engine, const void* bytes, size_t size,
                                       const char* name, txvm_program** program);
TXVM_API txvm_error* txvm_program_load_file(txvm_engine* engine, const char* path,
                                            txvm_program** program);
TXVM_API void txvm_program_delete(txvm_program* program);

/* A WebAssembly module to be linked with others. */
typedef struct txvm_module {
  const char* name;  /* what the modules after it import from it as */
  const char* file;  /* stands in errors and backtraces, and is read when bytes is NULL; NULL: name.
                        One that ends in .wat is text */
  const void* bytes; /* may be NULL */
  size_t size;
} txvm_module;

/* Several modules as one program. Each may import functions, memories, tables and globals, mutable
 * ones too, from those before it: what it imports is what that module exports, so a store of one is
 * seen by the other. The last is the program itself. The others' exports are NAME.export, functions
 * and globals alike: txvm_export_find(program, "lib.f", &index). What no module exports comes from
 * a linker. An instance is an instance of all: one memory, fuel, backtrace, snapshot. The start
 * functions run by txvm_start, in order. The bytes are not needed afterwards. INVALID, with module,
 * field and both types: an import that its module does not export, or with another type.
 * LIMIT: the modules' memories have more than 65,535 pages at first. USAGE: no module, or one that
 * is no WebAssembly. */
TXVM_API txvm_error* txvm_program_link(txvm_engine* engine, const txvm_module* modules,
                                       size_t count, txvm_program** program);

/* The same, and every memory, table and global that is still imported is made. `imports` are
 * `import_count` texts MODULE.NAME=WHAT: memory, memory:PAGES, table, or a number for a global; *
 * in the name is any text, "env.*=memory:17". One that no text names is made as it is declared,
 * zero or null; what a loader of position-independent code sets (env.__memory_base, GOT.mem and
 * their like) is known. An i32 global that was imported is found by txvm_global_find as
 * "module.name", to be read and, where it is mutable, set. Functions come from a linker as ever.
 * USAGE: a text that makes no sense or does not suit its import. */
TXVM_API txvm_error* txvm_program_link_importing(txvm_engine* engine, const txvm_module* modules,
                                                 size_t count, const char* const* imports,
                                                 size_t import_count, txvm_program** program);
/* The program as a .txp file; txvm_buffer_delete releases it. */
TXVM_API txvm_error* txvm_program_save(const txvm_program* program, void** buffer, size_t* size);

/* A program that `txvm compile --target c` made C text of, and a C compiler code of
 * (txvm_folded.h). From now on the engine "folded" runs it by that code, on every machine; other
 * engines do not look at it. `folded` has to live as long as the program. Its own program is in
 * folded->program. INVALID for the text of another program or another version of the library: code
 * never runs with a program that it was not made from. USAGE once an instance runs it folded. */
typedef struct txvm_folded_program txvm_folded_program;
TXVM_API txvm_error* txvm_program_attach_folded(txvm_program* program,
                                                const txvm_folded_program* folded);

/* An exported function is known by its index. TXVM_ENTRY is the program's entry, which every
 * program has. */
#define TXVM_ENTRY 0xFFFFFFFFu
typedef struct txvm_function {
  const char* module; /* imports; NULL for exports */
  const char* name;   /* the program's */
  uint32_t params, results;
} txvm_function;

TXVM_API uint32_t txvm_export_count(const txvm_program* program);
TXVM_API uint32_t txvm_import_count(const txvm_program* program);
/* USAGE when there is no such index. */
TXVM_API txvm_error* txvm_export_get(const txvm_program* program, uint32_t index,
                                     txvm_function* function);
TXVM_API txvm_error* txvm_import_get(const txvm_program* program, uint32_t index,
                                     txvm_function* function);
/* The types of a function, "lf:d": a letter for each parameter, ':', one for each result. i is a
 * 32-bit integer, l a 64-bit integer, f a float, d a double. `params` and `results` above count
 * 32-bit words, of which l and d have two; a program that states no types has i for each word. The
 * program's; NULL when there is no such index. */
TXVM_API const char* txvm_export_signature(const txvm_program* program, uint32_t index);
TXVM_API const char* txvm_import_signature(const txvm_program* program, uint32_t index);
/* USAGE, listing the exports, when there is none of this name. */
TXVM_API txvm_error* txvm_export_find(const txvm_program* program, const char* name,
                                      uint32_t* index);

/* Globals are numbered in the order of the program, of linked modules in the order of these. The
 * names of WebAssembly's exported ones are known where this library read the .wat or .wasm; .txa
 * and .txp name none. */
TXVM_API uint32_t txvm_global_count(const txvm_program* program);
TXVM_API txvm_error* txvm_global_find(const txvm_program* program, const char* name,
                                      uint32_t* index);

/* Instructions, and the first one of a source line (from 1); USAGE when the program has none of
 * that line. */
TXVM_API uint32_t txvm_code_size(const txvm_program* program);
TXVM_API txvm_error* txvm_line_find(const txvm_program* program, uint32_t line, uint32_t* ip);

/* ---- values ---- */

/* Numbers as functions take and return them. The machine inside has 32-bit words alone: txvm_call
 * and txvm_host_function pass those, an i64 or f64 as two, the low one first; the functions with
 * `value` in their names pass these. Both can be used on any function. */
typedef enum txvm_type {
  TXVM_I32 = 0,
  TXVM_I64 = 1,
  TXVM_F32 = 2,
  TXVM_F64 = 3,
  TXVM_V128 = 4
} txvm_type;
typedef struct txvm_value {
  txvm_type type; /* which of the five */
  union {
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    int32_t v128[4]; /* i32 lanes, the lowest first; each is its bits in the host's order */
  } of;
} txvm_value;

/* ---- host functions ---- */

typedef enum txvm_host_status {
  TXVM_HOST_CONTINUE = 0, /* results are filled in */
  TXVM_HOST_TRAP = 1,     /* see txvm_host_trap */
  TXVM_HOST_EXIT = 2,     /* see txvm_host_exit */
  TXVM_HOST_FAIL = 3,     /* see txvm_host_fail */
  TXVM_HOST_THROW = 4     /* see txvm_host_throw */
} txvm_host_status;

/* args: the parameters, first deepest. results: as many as the signature says, all 0. */
typedef txvm_host_status (*txvm_host_function)(void* user, txvm_instance* caller,
                                               const int32_t* args, int32_t* results);
/* The same with typed values. results have their types, and are 0. */
typedef txvm_host_status (*txvm_host_value_function)(void* user, txvm_instance* caller,
                                                     const txvm_value* args, txvm_value* results);
/* End the run of `caller`: trapped (cause host, this text), exited (this code), host_failed (this
 * text). A status that is returned without its function has no text, and the code 0. */
TXVM_API txvm_host_status txvm_host_trap(txvm_instance* caller, const char* message);
TXVM_API txvm_host_status txvm_host_exit(txvm_instance* caller, int32_t code);
TXVM_API txvm_host_status txvm_host_fail(txvm_instance* caller, const char* message);

/* Ends the run of `caller` with the trap of the last txvm_host_call of this host function: its
 * cause, with its place in the text; an exception that came out of that call is thrown. After a
 * call that neither halted nor trapped the run has ended anyway. host_failed when no call has
 * trapped. */
TXVM_API txvm_host_status txvm_host_pass(txvm_instance* caller);

/* Throws an exception of the caller's tag, with the values of its types. It goes on in the program,
 * which may catch it; where nothing could catch it, and after functions of WASI, the run ends as
 * TRAPPED (TXVM_TRAP_UNCAUGHT_EXCEPTION). HOST_FAILED: there is no such tag, or the values have
 * other types; and with the engines "hull" and "transformer". The values are copied. */
TXVM_API txvm_host_status txvm_host_throw(txvm_instance* caller, uint32_t tag,
                                          const txvm_value* values, size_t count);

TXVM_API txvm_error* txvm_linker_new(txvm_engine* engine, txvm_linker** linker);
TXVM_API void txvm_linker_delete(txvm_linker* linker);
/* Defines or replaces module.name for instances made from now on. signature: one 'i' (32-bit
 * integer) per parameter, ':', one per result: "ii:i", ":". `finalizer` (may be NULL) gets `user`
 * once, when the last linker or instance that has the function lets go of it; not when this fails
 * (USAGE: signature, NULL function). */
TXVM_API txvm_error* txvm_linker_define(txvm_linker* linker, const char* module, const char* name,
                                        const char* signature, txvm_host_function function,
                                        void* user, void (*finalizer)(void* user));

/* The same for a function of typed values; signature: letters as txvm_export_signature's, "ld:f".
 * It links with imports of these types, and of as many words where the program states no types. A
 * result of another type ends the run as host_failed. */
TXVM_API txvm_error* txvm_linker_define_values(txvm_linker* linker, const char* module,
                                               const char* name, const char* signature,
                                               txvm_host_value_function function, void* user,
                                               void (*finalizer)(void* user));

/* Defines every function that a living instance exports as module.NAME, for instances made from now
 * on. They call that very instance, which keeps its memory and globals between calls and may be
 * called otherwise too; it lives as long as they do. Its steps count in the caller's run and take
 * from the caller's fuel; its own fuel is not asked. Traps and exits pass through with their cause
 * and place. A run that ends inside it by fuel or an interrupt of the caller ends so for good: it
 * cannot be resumed. txvm_message and txvm_backtrace of the instance tell of its part. The two
 * belong to one thread. Memories, tables and globals are not shared: txvm_program_link does that. A
 * clone of the caller calls the same instance. */
TXVM_API txvm_error* txvm_linker_define_instance(txvm_linker* linker, const char* module,
                                                 txvm_instance* instance);

/* ---- instances ---- */

typedef struct txvm_instance_options {
  size_t size;
  uint32_t max_slots;  /* operand stack; 0: 1,048,576 */
  uint32_t max_depth;  /* call frames; 0: 200,000 */
  uint32_t max_locals; /* slots of locals, globals included; 0: 4,194,304 */
  uint32_t max_pages;  /* pages of 65,536 bytes, whatever the program declares; 0: 65,536. So much
                          address space is reserved, or the program's maximum if that is less, or
                          as much as the system allows: growth beyond it fails */
  void* user;          /* txvm_instance_user, and the first argument of grow */
  /* Asked before memory.grow within the limits; false: it returns -1. NULL: always granted. */
  bool (*grow)(void* user, uint32_t old_pages, uint32_t new_pages);
} txvm_instance_options;

/* Links and applies data; runs nothing. linker (NULL: no host functions) and options may be NULL.
 * INVALID: unknown import, other signature, data out of bounds; LIMIT: more memory or locals than
 * the limits; MEMORY: the system refuses the address space of stacks or initial memory. About 10
 * us. */
TXVM_API txvm_error* txvm_instance_new(const txvm_program* program, const txvm_linker* linker,
                                       const txvm_instance_options* options,
                                       txvm_instance** instance);
/* Does nothing while the instance runs. */
TXVM_API void txvm_instance_delete(txvm_instance* instance);
TXVM_API void* txvm_instance_user(const txvm_instance* instance);
/* Its program; the instance's, not to be deleted. */
TXVM_API const txvm_program* txvm_instance_program(const txvm_instance* instance);

/* ---- running ---- */

typedef enum txvm_stop {
  TXVM_HALTED = 0,
  TXVM_TRAPPED = 1,
  TXVM_EXITED = 2,
  TXVM_OUT_OF_FUEL = 3, /* can be resumed */
  TXVM_INTERRUPTED = 4, /* can be resumed */
  TXVM_HOST_FAILED = 5
} txvm_stop;

typedef enum txvm_trap {
  TXVM_TRAP_NONE = 0,
  TXVM_TRAP_DIVIDE_BY_ZERO = 1,
  TXVM_TRAP_INTEGER_OVERFLOW = 2,
  TXVM_TRAP_OUT_OF_BOUNDS = 3,
  TXVM_TRAP_UNREACHABLE = 4,
  TXVM_TRAP_STACK_UNDERFLOW = 5,
  TXVM_TRAP_EXHAUSTED = 6, /* operand slots, locals or call depth */
  TXVM_TRAP_INVALID_INSTRUCTION = 7,
  TXVM_TRAP_INVALID_PC = 8,
  TXVM_TRAP_INDIRECT_TYPE = 9,
  TXVM_TRAP_UNDEFINED_ELEMENT = 10,
  TXVM_TRAP_UNINITIALIZED_ELEMENT = 11,
  TXVM_TRAP_UNSUPPORTED = 12,
  TXVM_TRAP_HOST = 13,
  TXVM_TRAP_INVALID_CONVERSION = 14,
  TXVM_TRAP_TABLE_OUT_OF_BOUNDS = 15,
  TXVM_TRAP_UNCAUGHT_EXCEPTION = 16 /* see txvm_exception_get */
} txvm_trap;

typedef enum txvm_interrupt_reason {
  TXVM_INTERRUPT_NONE = 0,
  TXVM_INTERRUPT_TIMEOUT = 1,
  TXVM_INTERRUPT_SIGNAL = 2,
  TXVM_INTERRUPT_BREAKPOINT = 3, /* a breakpoint, or a step callback that said stop */
  TXVM_INTERRUPT_STEP = 4        /* txvm_step has made its steps */
} txvm_interrupt_reason;

/* How a run ended. */
typedef struct txvm_outcome {
  size_t size;
  txvm_stop stop;
  txvm_trap trap;                  /* TXVM_TRAPPED */
  txvm_interrupt_reason interrupt; /* TXVM_INTERRUPTED */
  int32_t exit_code;               /* TXVM_EXITED */
  uint32_t ip;                     /* the instruction that trapped, or the next one */
  uint32_t
      result_count; /* TXVM_HALTED: values on the operand stack, normally the declared results */
  uint64_t steps;   /* of the invocation so far, over all resumes */
  uint64_t digest;  /* of the trace, if it was asked for (txvm_watch); else 0 */
} txvm_outcome;

/* Runs the start function, which WebAssembly calls before any export, under the same fuel, limits
 * and interrupts as any call. A program without one has halted at once. Exports cannot be called
 * before it has halted. */
TXVM_API txvm_error* txvm_start(txvm_instance* instance, txvm_outcome* outcome);
/* Calls an export (or TXVM_ENTRY). USAGE when `arg_count` or `result_count` are not the function's,
 * with both numbers; results are written when it halts. A call drops an unfinished one. */
TXVM_API txvm_error* txvm_call(txvm_instance* instance, uint32_t function, const int32_t* args,
                               size_t arg_count, int32_t* results, size_t result_count,
                               txvm_outcome* outcome);
/* Places a call without making a step: out of fuel before its first, as it were. For txvm_step. */
TXVM_API txvm_error* txvm_begin(txvm_instance* instance, uint32_t function, const int32_t* args,
                                size_t arg_count);
/* Goes on after TXVM_OUT_OF_FUEL or TXVM_INTERRUPTED as if the run had never stopped. Arguments as
 * txvm_call's. */
TXVM_API txvm_error* txvm_resume(txvm_instance* instance, int32_t* results, size_t result_count,
                                 txvm_outcome* outcome);
/* The same for at most `steps` steps; then interrupted (TXVM_INTERRUPT_STEP). A host call, with all
 * that the host function calls, is not cut: it may make more. */
TXVM_API txvm_error* txvm_step(txvm_instance* instance, uint64_t steps, int32_t* results,
                               size_t result_count, txvm_outcome* outcome);
/* The four with typed values; arg_count and result_count count values. USAGE, with the signature,
 * for another number or type of arguments, or number of results. outcome->result_count counts
 * words. */
TXVM_API txvm_error* txvm_call_values(txvm_instance* instance, uint32_t function,
                                      const txvm_value* args, size_t arg_count, txvm_value* results,
                                      size_t result_count, txvm_outcome* outcome);
TXVM_API txvm_error* txvm_begin_values(txvm_instance* instance, uint32_t function,
                                       const txvm_value* args, size_t arg_count);
TXVM_API txvm_error* txvm_resume_values(txvm_instance* instance, txvm_value* results,
                                        size_t result_count, txvm_outcome* outcome);
TXVM_API txvm_error* txvm_step_values(txvm_instance* instance, uint64_t steps, txvm_value* results,
                                      size_t result_count, txvm_outcome* outcome);
/* Calls an export of the instance whose host function this is called in; arguments as txvm_call's.
 * It is a part of the run: same fuel, limits, interrupts and watching, its steps count in the run's
 * steps and digest, and a backtrace goes through it. `outcome`: HALTED, with results; TRAPPED,
 * which the host function may handle or pass on (txvm_host_pass); all others have ended the whole
 * run the same way, whatever the host function returns, and it cannot be resumed. txvm_message puts
 * it into words. Fuel: every host function under way keeps the step of its own call. TRAPPED
 * (EXHAUSTED, "calls of host functions") where 200 such calls are under way: each takes stack of
 * the host. The engines "hull" and "transformer" end the run as HOST_FAILED. USAGE outside a host
 * function of the instance. */
TXVM_API txvm_error* txvm_host_call(txvm_instance* caller, uint32_t function, const int32_t* args,
                                    size_t arg_count, int32_t* results, size_t result_count,
                                    txvm_outcome* outcome);
/* The same with typed values. */
TXVM_API txvm_error* txvm_host_call_values(txvm_instance* caller, uint32_t function,
                                           const txvm_value* args, size_t arg_count,
                                           txvm_value* results, size_t result_count,
                                           txvm_outcome* outcome);
TXVM_API bool txvm_resumable(const txvm_instance* instance);

/* Steps that runs may still make; in a host function or a step callback, the run in progress too.
 * An instance starts with TXVM_UNLIMITED_FUEL, which never decreases. */
#define TXVM_UNLIMITED_FUEL UINT64_MAX
TXVM_API txvm_error* txvm_fuel_set(txvm_instance* instance, uint64_t fuel);
TXVM_API uint64_t txvm_fuel_get(const txvm_instance* instance);

/* Asks the run in progress to stop: it does within 1,024 steps and can be resumed. reason: TIMEOUT
 * or SIGNAL. A request never stops a later run. From any thread, and from signal handlers. */
TXVM_API void txvm_interrupt(txvm_instance* instance, txvm_interrupt_reason reason);
/* The same for one run by its number: the one in progress, or the next, which then stops at its
 * start; others are forgotten. Every start, call, begin, resume and step is a run; txvm_run_number
 * is that of the last. A watchdog armed before a call takes txvm_run_number() + 1. */
TXVM_API void txvm_interrupt_run(txvm_instance* instance, uint64_t run,
                                 txvm_interrupt_reason reason);
TXVM_API uint64_t txvm_run_number(const txvm_instance* instance);

/* How the last run ended, in one sentence with its place; the instance's, until its next run. In a
 * host function: how its last txvm_host_call did. "" before one, and after one that ended in an
 * error (MEMORY, or INTERNAL for an exception of a callback): that has used its fuel and cannot be
 * resumed. */
TXVM_API const char* txvm_message(txvm_instance* instance);

typedef struct txvm_frame {
  uint32_t ip;
  uint32_t line;        /* of source; 0: unknown */
  const char* function; /* "" when it has no name; good until the next run of the instance */
  const char* source;   /* "" when unknown; the same */
} txvm_frame;

/* Where the stopped run, or the host call in progress, is: innermost first. Fills at most
 * `capacity` frames and returns how many there are. */
TXVM_API size_t txvm_backtrace(const txvm_instance* instance, txvm_frame* frames, size_t capacity);

/* ---- exceptions ---- */

/* The tags of a program, docs/EXCEPTIONS.md: a name (NULL when there is no such tag), the letters
 * of its values' types, "il"; both the program's. A tag's name is what it is exported as, else
 * imported as "module.name", else "tag N"; linked modules' tags have the numbers of one program. */
TXVM_API uint32_t txvm_tag_count(const txvm_program* program);
TXVM_API const char* txvm_tag_name(const txvm_program* program, uint32_t index);
TXVM_API const char* txvm_tag_signature(const txvm_program* program, uint32_t index);
/* USAGE when there is none of this name. */
TXVM_API txvm_error* txvm_tag_find(const txvm_program* program, const char* name, uint32_t* index);
/* The exception that came out of the last run, TRAPPED (TXVM_TRAP_UNCAUGHT_EXCEPTION); in a host
 * function, out of its last txvm_host_call. Fills at most `capacity` values; `count` (may be NULL)
 * is how many there are. USAGE when no exception came out. */
TXVM_API txvm_error* txvm_exception_get(const txvm_instance* instance, uint32_t* tag,
                                        txvm_value* values, size_t capacity, size_t* count);

/* ---- state ---- */

/* Linear memory never moves: a pointer to it is good until the instance is deleted, within the size
 * at that time. */
TXVM_API uint64_t txvm_memory_size(const txvm_instance* instance);
TXVM_API uint8_t* txvm_memory_data(txvm_instance* instance);
/* LIMIT, with all numbers, when [offset, offset + count) is not inside the memory; nothing is
 * copied then. */
TXVM_API txvm_error* txvm_memory_read(const txvm_instance* instance, uint64_t offset, void* to,
                                      size_t count);
TXVM_API txvm_error* txvm_memory_write(txvm_instance* instance, uint64_t offset, const void* from,
                                       size_t count);
/* Adds pages of zeros. LIMIT beyond the program's maximum or max_pages. old_pages may be NULL. */
TXVM_API txvm_error* txvm_memory_grow(txvm_instance* instance, uint32_t pages, uint32_t* old_pages);

TXVM_API txvm_error* txvm_global_get(const txvm_instance* instance, uint32_t index, int32_t* value);
/* USAGE for a WebAssembly global that is not mutable. */
TXVM_API txvm_error* txvm_global_set(txvm_instance* instance, uint32_t index, int32_t value);

/* The machine between two steps. */
typedef struct txvm_state {
  size_t size;
  uint32_t ip, sp, depth;
  uint64_t steps;
} txvm_state;
TXVM_API txvm_error* txvm_state_get(const txvm_instance* instance, txvm_state* state);
/* The operand stack, first deepest; the instance's, until it runs. */
TXVM_API const int32_t* txvm_stack(const txvm_instance* instance, size_t* count);

/* ---- snapshots ---- */

/* The state of a stopped instance, between two steps or between runs, as a .txs file
 * (docs/SNAPSHOTS.md): memory, globals, stacks, steps and digest, not the fuel, what is watched,
 * and what host functions keep. txvm_buffer_delete releases it. */
TXVM_API txvm_error* txvm_snapshot_save(const txvm_instance* instance, void** buffer, size_t* size);
/* Makes the instance what the snapshot says: of the same program, by whichever engine. What was
 * running can be resumed, with any result_count; a snapshot taken between runs, or inside a start
 * function that is an export too, counts as started.
 * INVALID for another program, CORRUPT, LIMIT: the instance is as it was. */
TXVM_API txvm_error* txvm_snapshot_restore(txvm_instance* instance, const void* bytes, size_t size);
/* Another instance of the program in the same state, with the same host functions, options, fuel,
 * breakpoints and watching; from then on they have nothing in common. */
TXVM_API txvm_error* txvm_instance_clone(const txvm_instance* instance, txvm_instance** clone);

/* ---- watching: nothing is paid for what is off ---- */

typedef struct txvm_trace_record {
  uint64_t step; /* from 1 */
  uint32_t ip;
  uint32_t op, aux, arg; /* the instruction */
  uint32_t sp, top;      /* after it */
} txvm_trace_record;

/* One attention head, evaluated: which address it asked for, and which key won by how much. */
typedef struct txvm_head {
  uint64_t step; /* from 1 */
  uint32_t ip;
  const char* name;  /* "Fetch", "StackSecond", ... */
  const char* space; /* "code", "stack", "locals", "memory", "call" */
  uint64_t query;
  int64_t winner; /* address of the winning key; -1: no key reached the query */
  int64_t score;  /* of the best key, 2qk - k^2 on the address's last digit */
  int64_t margin; /* to the second-best key scored */
  uint32_t keys;  /* keys scored */
} txvm_head;

typedef struct txvm_watch {
  size_t size;
  void* user;
  /* Before each step, breakpoint or not, with the steps made so far; false stops the run there,
   * interrupted (BREAKPOINT). Going on, it is not asked again about that instruction. Runs step by
   * step. */
  bool (*step)(void* user, txvm_instance* instance, uint32_t ip, uint64_t steps);
  /* Every step, in batches of at most 4,096, before the run returns. */
  void (*trace)(void* user, const txvm_trace_record* records, size_t count);
  /* Every head, by the engine "attention" alone: USAGE with others. Runs its checked variant. */
  void (*head)(void* user, const txvm_head* head);
  bool digest; /* outcomes have the digest; to be on from an invocation's start */
  bool stats;  /* txvm_stats_get has counts */
} txvm_watch;

/* Replaces what is watched in the runs from now on; NULL: nothing. */
TXVM_API txvm_error* txvm_watch_set(txvm_instance* instance, const txvm_watch* watch);
/* Stops before the instruction, interrupted (BREAKPOINT), each time it is reached. USAGE beyond the
 * code. */
TXVM_API txvm_error* txvm_breakpoint_set(txvm_instance* instance, uint32_t ip, bool on);

/* Attention work of the last run by space: code, stack, locals, memory, call. */
typedef struct txvm_stats {
  size_t size;
  uint64_t heads[5]; /* heads evaluated */
  uint64_t keys[5];  /* keys scored for them */
  uint64_t live[5];  /* keys that could have been */
} txvm_stats;
/* USAGE when the last run was not watched with `stats`. */
TXVM_API txvm_error* txvm_stats_get(const txvm_instance* instance, txvm_stats* stats);

#ifdef __cplusplus
}
#endif
