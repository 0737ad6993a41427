/* What C text of `txvm compile --target c` is made of, and what it hands to the library: a program
 * folded at build time. docs/FOLDED.md tells how to use it; nobody has to write any of this.
 *
 * NOTATION  L, S  the locals and the operand cells of the function that runs, F the frame of its
 *                 caller. All three lie in the state of the instance.
 * FACTS     A function leaves in three ways: it returns the fuel that is left, or it calls leave
 *           or unfolded below, which unwind the machine's stack and do not come back. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "txvm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of this form. The library takes text of this number alone. */
#define TXVM_FOLDED_ABI 1u

typedef struct txvm_folded_frame {
  uint32_t return_ip, locals_base;
} txvm_folded_frame;

/* Why a function came back. */
enum { TXVM_FOLDED_RETURNED = 0, TXVM_FOLDED_EXIT = 1, TXVM_FOLDED_CALLS = 2 };

/* What the library and a function hand each other. */
typedef struct txvm_folded_context {
  const int64_t* floor; /* fuel below it: look at fuel and interrupts. Other threads write it */
  uint8_t* memory;
  uint64_t memory_size;
  uint32_t* globals;
  txvm_folded_frame* frame_limit;              /* a CALL at this frame or above leaves */
  void (*unwind)(struct txvm_folded_context*); /* to where the library entered */
  /* Of the function entered, and of the one that left. */
  uint32_t* locals;
  uint32_t* cells;
  txvm_folded_frame* frame;
  int64_t fuel;
  uint32_t entry; /* which entry of the function; 0: its start */
  uint32_t left;
  uint32_t exit, function; /* where it left */
  uint32_t return_site;    /* ip of the RETURN made last */
} txvm_folded_context;

/* A function; returns the fuel that is left. */
typedef int64_t (*txvm_folded_code)(txvm_folded_context* ctx, uint32_t* L, uint32_t* S,
                                    txvm_folded_frame* F, int64_t fuel);

/* Where a function can stop: at this instruction, with that many operand cells. kind: 0 halted,
 * 1 trapped, 2 host call, 3 looks at fuel, 4 looks at limits. */
typedef struct txvm_folded_exit {
  uint32_t ip, height;
  uint8_t kind, cause;
} txvm_folded_exit;

/* Where a function can be entered. */
typedef struct txvm_folded_entry {
  uint32_t ip, number;
} txvm_folded_entry;

typedef struct txvm_folded_function {
  txvm_folded_code code; /* NULL: the library interprets it */
  const txvm_folded_exit* exits;
  const txvm_folded_entry* entries; /* by ip */
  uint32_t exit_count, entry_count;
} txvm_folded_function;

/* A program and its functions. It is never written and has to outlive what it is attached to. */
struct txvm_folded_program {
  uint32_t abi; /* TXVM_FOLDED_ABI */
  uint32_t function_count;
  const txvm_folded_function* functions;
  const char* hash;       /* of the program: 64 hex digits */
  const uint8_t* program; /* the program itself, a .txp file */
  size_t program_size;
};

#ifdef TXVM_FOLDED_TEXT /* ---- what the text calls ---- */

#if defined(__GNUC__)
#define TXVM_FOLDED_COLD __attribute__((noinline, cold, noreturn, unused))
#define TXVM_FOLDED_OP __attribute__((always_inline, unused)) inline
#define TXVM_FOLDED_RARELY(condition) __builtin_expect(!!(condition), 0)
#define TXVM_FOLDED_FLOOR(ctx) __atomic_load_n((ctx)->floor, __ATOMIC_RELAXED)
#else
#error "C text of txvm needs gcc or clang"
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "C text of txvm is for machines that store the low byte first"
#endif

static TXVM_FOLDED_COLD void txvm_folded_unwind(txvm_folded_context* ctx, uint32_t* L, uint32_t* S,
                                                txvm_folded_frame* F, int64_t fuel, uint32_t left) {
  ctx->locals = L;
  ctx->cells = S;
  ctx->frame = F;
  ctx->fuel = fuel;
  ctx->left = left;
  ctx->unwind(ctx);
  __builtin_unreachable();
}

static TXVM_FOLDED_COLD void txvm_folded_leave(txvm_folded_context* ctx, uint32_t* L, uint32_t* S,
                                               txvm_folded_frame* F, int64_t fuel,
                                               uint32_t function, uint32_t exit) {
  ctx->function = function;
  ctx->exit = exit;
  txvm_folded_unwind(ctx, L, S, F, fuel, TXVM_FOLDED_EXIT);
}

/* A callee that the library enters: it has no code, or may need much of the machine's stack. */
static TXVM_FOLDED_COLD void txvm_folded_call(txvm_folded_context* ctx, uint32_t* L, uint32_t* S,
                                              txvm_folded_frame* F, int64_t fuel) {
  txvm_folded_unwind(ctx, L, S, F, fuel, TXVM_FOLDED_CALLS);
}

#define TXVM_FOLDED_TWO(name, value) \
  static TXVM_FOLDED_OP uint32_t txvm_##name(uint32_t a, uint32_t b) { return (value); }
#define TXVM_FOLDED_ONE(name, value) \
  static TXVM_FOLDED_OP uint32_t txvm_##name(uint32_t a) { return (value); }
#define TXVM_FOLDED_LOAD(name, type, value)                                                    \
  static TXVM_FOLDED_OP uint32_t txvm_##name(const uint8_t* memory, uint32_t a, uint64_t at) { \
    type word;                                                                                 \
    memcpy(&word, memory + (a + at), sizeof word);                                             \
    return (value);                                                                            \
  }
#define TXVM_FOLDED_STORE(name, type)                                                            \
  static TXVM_FOLDED_OP void txvm_##name(uint8_t* memory, uint32_t a, uint64_t at, uint32_t b) { \
    const type word = (type)b;                                                                   \
    memcpy(memory + (a + at), &word, sizeof word);                                               \
  }

/* The opcodes, as isa/opcodes.def says. Quotients are checked before. */
TXVM_FOLDED_TWO(add, a + b)
TXVM_FOLDED_TWO(sub, a - b)
TXVM_FOLDED_TWO(mul, a* b)
TXVM_FOLDED_TWO(div_s, (uint32_t)((int32_t)a / (int32_t)b))
TXVM_FOLDED_TWO(div_u, a / b)
TXVM_FOLDED_TWO(rem_s, b == UINT32_MAX ? 0 : (uint32_t)((int32_t)a % (int32_t)b))
TXVM_FOLDED_TWO(rem_u, a % b)
TXVM_FOLDED_ONE(eqz, a == 0)
TXVM_FOLDED_TWO(eq, a == b)
TXVM_FOLDED_TWO(ne, a != b)
TXVM_FOLDED_TWO(lt_s, (int32_t)a < (int32_t)b)
TXVM_FOLDED_TWO(lt_u, a < b)
TXVM_FOLDED_TWO(gt_s, (int32_t)a > (int32_t)b)
TXVM_FOLDED_TWO(gt_u, a > b)
TXVM_FOLDED_TWO(le_s, (int32_t)a <= (int32_t)b)
TXVM_FOLDED_TWO(le_u, a <= b)
TXVM_FOLDED_TWO(ge_s, (int32_t)a >= (int32_t)b)
TXVM_FOLDED_TWO(ge_u, a >= b)
TXVM_FOLDED_TWO(and, a& b)
TXVM_FOLDED_TWO(or, a | b)
TXVM_FOLDED_TWO(xor, a ^ b)
TXVM_FOLDED_TWO(shl, a << (b & 31))
TXVM_FOLDED_TWO(shr_s, (uint32_t)((int32_t)a >> (b & 31)))
TXVM_FOLDED_TWO(shr_u, a >> (b & 31))
TXVM_FOLDED_TWO(rotl, a << (b & 31) | a >> (-b & 31))
TXVM_FOLDED_TWO(rotr, a >> (b & 31) | a << (-b & 31))
TXVM_FOLDED_ONE(clz, a == 0 ? 32 : (uint32_t)__builtin_clz(a))
TXVM_FOLDED_ONE(ctz, a == 0 ? 32 : (uint32_t)__builtin_ctz(a))
TXVM_FOLDED_ONE(popcnt, (uint32_t)__builtin_popcount(a))
TXVM_FOLDED_ONE(abs, (int32_t)a < 0 ? -a : a)
TXVM_FOLDED_ONE(neg, -a)
static TXVM_FOLDED_OP uint32_t txvm_select(uint32_t a, uint32_t b, uint32_t c) {
  return c != 0 ? a : b;
}
TXVM_FOLDED_LOAD(i32_load, uint32_t, word)
TXVM_FOLDED_LOAD(i32_load8_u, uint8_t, word)
TXVM_FOLDED_LOAD(i32_load8_s, int8_t, (uint32_t)(int32_t)word)
TXVM_FOLDED_LOAD(i32_load16_u, uint16_t, word)
TXVM_FOLDED_LOAD(i32_load16_s, int16_t, (uint32_t)(int32_t)word)
TXVM_FOLDED_STORE(i32_store, uint32_t)
TXVM_FOLDED_STORE(i32_store8, uint8_t)
TXVM_FOLDED_STORE(i32_store16, uint16_t)

#endif

#ifdef __cplusplus
}
#endif
