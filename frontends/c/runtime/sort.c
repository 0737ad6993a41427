/* qsort and bsearch. */
#include "library.h"

typedef int compare_function(const void*, const void*);

/* Where there is no memory for a copy: inserts each item, from the second on. */
static void insert_sort(unsigned char* bytes, size_t count, size_t size,
                        compare_function* compare) {
  for (size_t i = 1; i < count; ++i) {
    for (unsigned char* at = bytes + i * size;
         at > bytes && compare(at - size, at) > 0; at -= size) {
      for (size_t j = 0; j < size; ++j) {
        const unsigned char kept = at[j];
        at[j] = at[j - size];
        at[j - size] = kept;
      }
    }
  }
}

/* Sorts halves, then merges them through `copy`, which has room for one. */
static void merge_sort(unsigned char* bytes, size_t count, size_t size, compare_function* compare,
                       unsigned char* copy) {
  if (count < 2) return;
  const size_t half = count / 2;
  merge_sort(bytes, half, size, compare, copy);
  merge_sort(bytes + half * size, count - half, size, compare, copy);
  unsigned char* right = bytes + half * size;
  unsigned char* const end = bytes + count * size;
  if (compare(right - size, right) <= 0) return;
  const size_t left_bytes = half * size;
  memcpy(copy, bytes, left_bytes);
  const unsigned char* left = copy;
  const unsigned char* const left_end = copy + left_bytes;
  unsigned char* to = bytes;
  while (left < left_end && right < end) {
    const int takes_left = compare(left, right) <= 0;
    memcpy(to, takes_left ? left : right, size);
    to += size;
    if (takes_left) {
      left += size;
    } else {
      right += size;
    }
  }
  memcpy(to, left, (size_t)(left_end - left));
}

/* Stable, as glibc's: equal items keep their order, and a comparison that gives only 0 and 1 sorts
   as it does there. */
void qsort(void* base, size_t count, size_t size, compare_function* compare) {
  if (count < 2 || size == 0) return;
  unsigned char* copy = malloc(count / 2 * size);
  if (copy == NULL) {
    insert_sort(base, count, size, compare);
    return;
  }
  merge_sort(base, count, size, compare, copy);
  free(copy);
}

void* bsearch(const void* key, const void* base, size_t count, size_t size,
              compare_function* compare) {
  const unsigned char* first = base;
  while (count > 0) {
    const unsigned char* middle = first + count / 2 * size;
    const int order = compare(key, middle);
    if (order == 0) return (void*)middle;
    if (order > 0) {
      first = middle + size;
      count -= count / 2 + 1;
    } else {
      count /= 2;
    }
  }
  return NULL;
}
