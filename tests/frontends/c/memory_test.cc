// The heap of C programs: blocks that keep what is in them, room that is used again, time.
#include <gtest/gtest.h>

#include <string>

#include "tests/frontends/c/c_runner.h"

namespace txvm::tests {
namespace {

using frontends::c::CompileOptions;

TEST(CMemory, MemoryIsReusedAndNeverOverlaps) {
  SKIP_WITHOUT_C();
  const Outcome outcome = RunOnBoth(Compile(R"(#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
enum { kBlocks = 64 };
int main(void) {
  unsigned char* blocks[kBlocks] = {0};
  size_t sizes[kBlocks] = {0};
  unsigned x = 1;
  uintptr_t highest = 0;
  for (int step = 0; step < 3000; ++step) {
    x = x * 1664525u + 1013904223u;
    const int i = (int)(x >> 16) % kBlocks;
    for (size_t k = 0; k < sizes[i]; ++k) {
      if (blocks[i][k] != (unsigned char)i) return 1;
    }
    const size_t size = (x >> 8) % 500;
    if (step % 3 == 0) {
      free(blocks[i]);
      blocks[i] = malloc(size);
    } else {
      blocks[i] = realloc(blocks[i], size);
    }
    if (blocks[i] == NULL || ((uintptr_t)blocks[i] & 15) != 0) return 2;
    memset(blocks[i], i, size);
    sizes[i] = size;
    if ((uintptr_t)blocks[i] > highest) highest = (uintptr_t)blocks[i];
  }
  void* volatile none = malloc(0xF0000000u);
  if (none != NULL || (none = calloc(0x10000, 0x10000)) != NULL) return 3;
  int* zeros = calloc(100, sizeof(int));
  for (int i = 0; i < 100; ++i) {
    if (zeros[i] != 0) return 4;
  }
  puts(highest < 9340032 ? "reused" : "grew");
  return 0;
}
)",
                                            {}));
  EXPECT_EQ(outcome.end, "halted");
  EXPECT_EQ(outcome.out, "reused\n");
}

TEST(CMemory, AlignedBlocksLieAmongTheOthers) {
  SKIP_WITHOUT_C();
  const Outcome outcome = RunOnBoth(Compile(R"(#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { kBlocks = 40 };
int main(void) {
  unsigned char* volatile blocks[kBlocks] = {0};
  size_t sizes[kBlocks] = {0};
  unsigned x = 1;
  uintptr_t highest = 0;
  for (int step = 0; step < 3000; ++step) {
    x = x * 1664525u + 1013904223u;
    const int i = (int)(x >> 16) % kBlocks;
    for (size_t k = 0; k < sizes[i]; ++k) {
      if (blocks[i][k] != (unsigned char)i) return 1;
    }
    const size_t size = (x >> 8) % 500, alignment = (size_t)1 << (x >> 4) % 10;
    if (step % 4 == 0) {
      blocks[i] = realloc(blocks[i], size);
    } else {
      free(blocks[i]);
      blocks[i] = step % 4 == 1 ? malloc(size) : aligned_alloc(alignment, size);
      if (step % 4 > 1 && ((uintptr_t)blocks[i] & (alignment - 1)) != 0) return 2;
    }
    if (blocks[i] == NULL) return 3;
    memset(blocks[i], i, size);
    sizes[i] = size;
    if ((uintptr_t)blocks[i] > highest) highest = (uintptr_t)blocks[i];
  }
  void* volatile none = aligned_alloc(64, 0xF0000000u);
  if (none != NULL || errno != ENOMEM) return 4;
  none = aligned_alloc(0x80000000u, 1);
  if (none != NULL || errno != ENOMEM) return 5;
  none = aligned_alloc(24, 48);
  if (none != NULL || errno != EINVAL) return 6;
  puts(highest < 9340032 ? "reused" : "grew");
  return 0;
}
)",
                                            {}));
  EXPECT_EQ(outcome.end, "halted");
  EXPECT_EQ(outcome.out, "reused\n");
}

TEST(CMemory, AllocatingAListTakesTimeOfItsLength) {
  SKIP_WITHOUT_C();
  const auto steps = [](int count) {
    CompileOptions options;
    options.defines = {"COUNT=" + std::to_string(count)};
    const Outcome outcome = RunProgram(Compile(R"(#include <stdio.h>
#include <stdlib.h>
struct node { struct node* next; int value; };
int main(void) {
  struct node* list = NULL;
  for (int i = 0; i < COUNT; ++i) {
    struct node* fresh = malloc(sizeof *fresh);
    if (fresh == NULL) return 1;
    *fresh = (struct node){list, i};
    list = fresh;
  }
  free(malloc(1000));
  unsigned sum = 0;
  while (list != NULL) {
    struct node* next = list->next;
    sum += (unsigned)list->value;
    free(list);
    list = next;
  }
  printf("%u\n", sum);
  return 0;
})",
                                               options),
                                       vm::EngineKind::kNative);
    EXPECT_EQ(outcome.end, "halted");
    return outcome.steps;
  };
  EXPECT_LT(steps(8'000), 10 * steps(1'000));
}

TEST(CMemory, GrowingTheLastBlockTakesTimeOfItsLength) {
  SKIP_WITHOUT_C();
  const auto steps = [](int count) {
    CompileOptions options;
    options.defines = {"COUNT=" + std::to_string(count)};
    const Outcome outcome = RunProgram(Compile(R"(#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char* text = NULL;
  for (int i = 0; i < COUNT; ++i) {
    if (i % 16 == 0) text = realloc(text, i + 16);
    text[i] = (char)i;
  }
  unsigned sum = 0;
  for (int i = 0; i < COUNT; ++i) sum += text[i] == (char)i;
  printf("%u\n", sum);
  return 0;
})",
                                               options),
                                       vm::EngineKind::kNative);
    EXPECT_EQ(outcome.out, std::to_string(count) + "\n");
    EXPECT_EQ(outcome.end, "halted");
    return outcome.steps;
  };
  EXPECT_LT(steps(80'000), 12 * steps(8'000));
}

TEST(CMemory, ReallocGivesBackWhatItCutsOff) {
  SKIP_WITHOUT_C();
  const Outcome outcome = RunOnBoth(Compile(R"(#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { kBlocks = 100, kLong = 50000, kShort = 40 };
int main(void) {
  char *blocks[kBlocks], *walls[kBlocks];
  for (int i = 0; i < kBlocks; ++i) {
    blocks[i] = malloc(kLong);
    if (i % 2 == 1) walls[i] = malloc(kShort); /* so that not only the last block is cut */
    memset(blocks[i], i, kShort);
    blocks[i] = realloc(blocks[i], kShort);
  }
  for (int i = 0; i < kBlocks; ++i) {
    for (int k = 0; k < kShort; ++k) {
      if (blocks[i][k] != i) return 1;
    }
    if ((uintptr_t)blocks[i] > 8840032) return 2;
    free(blocks[i]);
    if (i % 2 == 1) free(walls[i]);
  }
  char* first = malloc(100);
  char* second = malloc(100);
  char* third = malloc(100);
  free(second);
  strcpy(first, "kept");
  char* longer = realloc(first, 200); /* over the free block behind it */
  if (longer != first || strcmp(longer, "kept") != 0) return 3;
  free(third);
  free(longer);
  puts("given back");
  return 0;
})",
                                            {}));
  EXPECT_EQ(outcome.end, "halted");
  EXPECT_EQ(outcome.out, "given back\n");
}

}  // namespace
}  // namespace txvm::tests
