/* malloc: blocks behind each other from __heap_base up, each with its size in front. A free block
   is joined with the free ones behind it when a search passes it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { kAlignment = 16, kPageBytes = 65536 };

struct block {
  size_t size; /* of the bytes behind this header, a multiple of kAlignment */
  size_t is_free;
  size_t unused[2]; /* keeps the bytes aligned */
};

extern unsigned char __heap_base;

static struct block* heap_first;
static struct block* heap_end; /* behind the last block */

static struct block* next_block(struct block* at) {
  return (struct block*)((unsigned char*)(at + 1) + at->size);
}

static int grow_heap(struct block* end) {
  const size_t have = (size_t)__builtin_wasm_memory_size(0) * kPageBytes;
  const uintptr_t need = (uintptr_t)end;
  if (need <= have) return 1;
  return __builtin_wasm_memory_grow(0, (need - have + kPageBytes - 1) / kPageBytes) != SIZE_MAX;
}

static void join_free(struct block* at) {
  struct block* next = next_block(at);
  while (next != heap_end && next->is_free) {
    at->size += sizeof(struct block) + next->size;
    next = next_block(at);
  }
}

/* Gives back what lies behind the first `size` bytes of a block. */
static void split_block(struct block* at, size_t size) {
  if (at->size < size + sizeof(struct block) + kAlignment) return;
  struct block* rest = (struct block*)((unsigned char*)(at + 1) + size);
  rest->size = at->size - size - sizeof(struct block);
  rest->is_free = 1;
  at->size = size;
}

void* malloc(size_t size) {
  if (size > SIZE_MAX / 2) return NULL;
  size = (size + (size == 0) + kAlignment - 1) & ~(size_t)(kAlignment - 1);
  if (heap_first == NULL) {
    const uintptr_t base = (uintptr_t)&__heap_base;
    heap_first = (struct block*)((base + kAlignment - 1) & ~(uintptr_t)(kAlignment - 1));
    heap_end = heap_first;
  }
  for (struct block* at = heap_first; at != heap_end; at = next_block(at)) {
    if (!at->is_free) continue;
    join_free(at);
    if (at->size < size) continue;
    split_block(at, size);
    at->is_free = 0;
    return at + 1;
  }
  struct block* fresh = heap_end;
  struct block* end = (struct block*)((unsigned char*)(fresh + 1) + size);
  if (end < fresh || !grow_heap(end)) return NULL;
  fresh->size = size;
  fresh->is_free = 0;
  heap_end = end;
  return fresh + 1;
}

void free(void* bytes) {
  if (bytes == NULL) return;
  struct block* at = (struct block*)bytes - 1;
  at->is_free = 1;
  join_free(at);
}

void* calloc(size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) return NULL;
  void* bytes = malloc(total);
  return bytes == NULL ? NULL : memset(bytes, 0, total);
}

void* realloc(void* bytes, size_t size) {
  if (bytes == NULL) return malloc(size);
  struct block* at = (struct block*)bytes - 1;
  if (size <= at->size) return bytes;
  void* moved = malloc(size);
  if (moved == NULL) return NULL;
  memcpy(moved, bytes, at->size);
  free(bytes);
  return moved;
}
