/* malloc: blocks one after another from __heap_base up, each with a header in front. Free blocks
   hang in lists by size, so that no call walks the blocks in use. Neighbours are never both free,
   and the last block never is: it goes back to the room after the heap. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  kAlignment = 16,
  kPageBytes = 65536,
  kBins = 32,     /* list i holds free blocks of 16 * 2^i bytes and more, below those of the next */
  kMostTries = 16 /* blocks of a request's own list that are looked at; in later ones all fit */
};

struct block {
  size_t size; /* of the bytes after this header, a multiple of kAlignment */
  size_t is_free;
  struct block* before; /* the block in front of this one, or NULL */
  size_t unused;        /* keeps the bytes aligned */
};

struct links { /* the first bytes of a free block */
  struct block *next, *previous;
};

extern unsigned char __heap_base;

static struct block* heap_last; /* NULL: no block */
static struct block* heap_end;  /* after the last block */
static struct block* bins[kBins];
static uint32_t filled; /* bit i: bins[i] is not empty */

static struct block* next_block(struct block* at) {
  return (struct block*)((unsigned char*)(at + 1) + at->size);
}

static struct links* links_of(struct block* at) { return (struct links*)(at + 1); }

static int bin_of(size_t size) { return 31 - __builtin_clz((unsigned)(size / kAlignment)); }

static void add_free(struct block* at) {
  const int bin = bin_of(at->size);
  at->is_free = 1;
  *links_of(at) = (struct links){bins[bin], NULL};
  if (bins[bin] != NULL) links_of(bins[bin])->previous = at;
  bins[bin] = at;
  filled |= 1u << bin;
}

static void remove_free(struct block* at) {
  const struct links links = *links_of(at);
  const int bin = bin_of(at->size);
  at->is_free = 0;
  if (links.next != NULL) links_of(links.next)->previous = links.previous;
  if (links.previous != NULL) {
    links_of(links.previous)->next = links.next;
    return;
  }
  bins[bin] = links.next;
  if (links.next == NULL) filled &= ~(1u << bin);
}

/* A free block of at least `size` bytes, or NULL. */
static struct block* find_free(size_t size) {
  const int bin = bin_of(size);
  struct block* at = bins[bin];
  for (int i = 0; i < kMostTries && at != NULL; ++i, at = links_of(at)->next) {
    if (at->size >= size) return at;
  }
  const uint32_t greater = filled & ~((2u << bin) - 1);
  return greater == 0 ? NULL : bins[__builtin_ctz(greater)];
}

static int grow_heap(struct block* end) {
  const size_t have = (size_t)__builtin_wasm_memory_size(0) * kPageBytes;
  const uintptr_t need = (uintptr_t)end;
  if (need <= have) return 1;
  return __builtin_wasm_memory_grow(0, (need - have + kPageBytes - 1) / kPageBytes) != SIZE_MAX;
}

static struct block* append_block(size_t size) {
  if (heap_end == NULL) {
    const uintptr_t base = (uintptr_t)&__heap_base;
    heap_end = (struct block*)((base + kAlignment - 1) & ~(uintptr_t)(kAlignment - 1));
  }
  struct block* fresh = heap_end;
  struct block* end = (struct block*)((unsigned char*)(fresh + 1) + size);
  if (end < fresh || !grow_heap(end)) {
    errno = ENOMEM;
    return NULL;
  }
  *fresh = (struct block){size, 0, heap_last, 0};
  heap_last = fresh;
  heap_end = end;
  return fresh;
}

/* Frees a block, with the free ones beside it. */
static void release(struct block* at) {
  struct block* next = next_block(at);
  if (next != heap_end && next->is_free) {
    remove_free(next);
    at->size += sizeof(struct block) + next->size;
  }
  if (at->before != NULL && at->before->is_free) {
    remove_free(at->before);
    at->before->size += sizeof(struct block) + at->size;
    at = at->before;
  }
  if (next_block(at) == heap_end) {
    heap_end = at;
    heap_last = at->before;
    return;
  }
  next_block(at)->before = at;
  add_free(at);
}

/* Gives back what lies after the first `size` bytes of a block in use. */
static void shrink_block(struct block* at, size_t size) {
  if (next_block(at) == heap_end) {
    at->size = size;
    heap_end = next_block(at);
    return;
  }
  if (at->size < size + sizeof(struct block) + kAlignment) return;
  struct block* rest = (struct block*)((unsigned char*)(at + 1) + size);
  *rest = (struct block){at->size - size - sizeof(struct block), 0, at, 0};
  at->size = size;
  next_block(rest)->before = rest;
  release(rest);
}

/* Makes a block in use longer where it lies: into the free block after it, or at the heap end. */
static int extend_block(struct block* at, size_t size) {
  struct block* next = next_block(at);
  if (next == heap_end) {
    struct block* end = (struct block*)((unsigned char*)(at + 1) + size);
    if (end < at || !grow_heap(end)) return 0;
    at->size = size;
    heap_end = end;
    return 1;
  }
  const size_t both = at->size + sizeof(struct block) + next->size;
  if (!next->is_free || both < size) return 0;
  remove_free(next);
  at->size = both;
  next_block(at)->before = at; /* there is one: the last block is never free */
  shrink_block(at, size);
  return 1;
}

/* What a block for `size` bytes, of SIZE_MAX / 2 at most, holds. */
static size_t block_size(size_t size) {
  return (size + (size == 0) + kAlignment - 1) & ~(size_t)(kAlignment - 1);
}

/* A failure for which no block was tried. */
static void* out_of_memory(void) {
  errno = ENOMEM;
  return NULL;
}

void* malloc(size_t size) {
  if (size > SIZE_MAX / 2) return out_of_memory();
  size = block_size(size);
  struct block* at = find_free(size);
  if (at == NULL) {
    at = append_block(size);
    return at == NULL ? NULL : at + 1;
  }
  remove_free(at);
  shrink_block(at, size);
  return at + 1;
}

/* Out of a block with room for more: what lies in front of the first fitting place is freed. */
void* aligned_alloc(size_t alignment, size_t size) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    errno = EINVAL;
    return NULL;
  }
  if (alignment <= kAlignment) return malloc(size);
  const size_t in_front = sizeof(struct block) + kAlignment; /* the least that is a block */
  if (size > SIZE_MAX / 2 || alignment > SIZE_MAX / 4) return out_of_memory();
  unsigned char* bytes = malloc(size + alignment + in_front);
  if (bytes == NULL) return NULL;
  struct block* at = (struct block*)bytes - 1;
  if (((uintptr_t)bytes & (alignment - 1)) != 0) {
    const uintptr_t place = ((uintptr_t)bytes + in_front + alignment - 1) & ~(alignment - 1);
    struct block* front = at;
    at = (struct block*)place - 1;
    *at = (struct block){(size_t)((unsigned char*)next_block(front) - (unsigned char*)(at + 1)), 0,
                         front, 0};
    front->size = (size_t)((unsigned char*)at - bytes);
    if (next_block(at) == heap_end) {
      heap_last = at;
    } else {
      next_block(at)->before = at;
    }
    release(front);
  }
  shrink_block(at, block_size(size));
  return at + 1;
}

void free(void* bytes) {
  if (bytes != NULL) release((struct block*)bytes - 1);
}

void* calloc(size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) return out_of_memory();
  void* bytes = malloc(total);
  return bytes == NULL ? NULL : memset(bytes, 0, total);
}

void* realloc(void* bytes, size_t size) {
  if (bytes == NULL) return malloc(size);
  if (size > SIZE_MAX / 2) return out_of_memory();
  struct block* at = (struct block*)bytes - 1;
  const size_t wanted = block_size(size);
  if (wanted <= at->size) {
    shrink_block(at, wanted);
    return bytes;
  }
  if (extend_block(at, wanted)) return bytes;
  void* moved = malloc(size);
  if (moved == NULL) return NULL;
  memcpy(moved, bytes, at->size);
  free(bytes);
  return moved;
}
