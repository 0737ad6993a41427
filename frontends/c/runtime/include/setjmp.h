/* runtime/jump.c says how. There is no signal mask to keep. */
#pragma once
struct __jump_place {
  const void* call;
  int label;
};
typedef struct __jump_place jmp_buf[1];
typedef jmp_buf sigjmp_buf;
int setjmp(jmp_buf place) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf place, int value);
#define setjmp(place) setjmp(place)
#define _setjmp(place) setjmp(place)
#define _longjmp(place, value) longjmp(place, value)
#define sigsetjmp(place, keeps_mask) ((void)(keeps_mask), setjmp(place))
#define siglongjmp(place, value) longjmp(place, value)
