/* setjmp and longjmp in Emscripten's scheme. Clang gives every setjmp of a function a number, its
   label, makes the calls in that function invocations, which end a throw (frontends/wasm/jumps.h),
   and looks at __THREW__ after each. A place is a call of the function and the label. Up to version
   14 the number of a call is the address of a table, later that of a local variable. */
#include "library.h"

#include <setjmp.h>

__attribute__((import_module("env"), import_name("_emscripten_throw_longjmp")))
void throw_jump(void);

int __THREW__, __threwValue; /* the place that is jumped to, or 0, and the value */
static jmp_buf thrown;       /* its place may be in a frame that is left */
static int second_result;

int getTempRet0(void) { return second_result; }

void setTempRet0(int value) { second_result = value; }

void __wasm_setjmp(struct __jump_place* place, int label, const void* call) {
  *place = (struct __jump_place){call, label};
}

int __wasm_setjmp_test(const struct __jump_place* place, const void* call) {
  return place->call == call ? place->label : 0;
}

void* saveSetjmp(struct __jump_place* place, int label, void* table, int size) {
  __wasm_setjmp(place, label, table);
  second_result = size;
  return table;
}

int testSetjmp(const void* call, const void* table, int size) {
  (void)call, (void)size;
  return __wasm_setjmp_test(thrown, table);
}

void emscripten_longjmp(const struct __jump_place* place, int value) {
  *thrown = *place;
  __THREW__ = (int)thrown;
  __threwValue = value == 0 ? 1 : value;
  throw_jump();
}
