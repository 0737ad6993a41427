/* What C++ calls of its own: new, delete, and a virtual function without a body. Names as clang
   writes them, where size_t is an unsigned long. */
#include "library.h"

static const char no_memory[] = "new: no memory is left\n";
static const char no_body[] = "a virtual function without a body was called\n";

static _Noreturn void end_with(const char* text) {
  fputs(text, stderr);
  abort();
}

void* _Znwm(size_t size) {
  void* block = malloc(size == 0 ? 1 : size);
  if (block == NULL) end_with(no_memory);
  return block;
}
void* _Znam(size_t size) { return _Znwm(size); }
void _ZdlPv(void* block) { free(block); }
void _ZdaPv(void* block) { free(block); }
void _ZdlPvm(void* block, size_t size) { (void)size, free(block); }
void _ZdaPvm(void* block, size_t size) { (void)size, free(block); }
_Noreturn void __cxa_pure_virtual(void) { end_with(no_body); }
