/* WebAssembly leaves a function only by its own return: no jump leads out of one here. A use is
   refused when it is compiled. */
#pragma once
typedef int jmp_buf[1];
typedef jmp_buf sigjmp_buf;
#define TXVM_NO_JUMP \
  __attribute__((unavailable("txvm has no setjmp and longjmp: return an error number instead")))
int setjmp(jmp_buf place) TXVM_NO_JUMP;
int sigsetjmp(sigjmp_buf place, int keeps_mask) TXVM_NO_JUMP;
_Noreturn void longjmp(jmp_buf place, int value) TXVM_NO_JUMP;
_Noreturn void siglongjmp(sigjmp_buf place, int value) TXVM_NO_JUMP;
