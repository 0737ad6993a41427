// setjmp and longjmp: what gcc's programs print, on both engines and at every level of clang.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/c/compile.h"
#include "tests/frontends/c/c_runner.h"
#include "tests/frontends/c/random_float_c.h"

namespace txvm::tests {
namespace {

const std::vector<int> kLevels = {0, 1, 2, 3};

void ExpectAtEveryLevel(const std::string& source) { ExpectEqualOutput(source, "", kLevels); }

TEST(CJump, ReturnsTheValueAndOneForZero) {
  SKIP_WITHOUT_C();
  ExpectAtEveryLevel(R"(#include <setjmp.h>
#include <stdio.h>
static jmp_buf place;
static void leave(int value) { longjmp(place, value); }
int main(void) {
  volatile int i = -2;
  switch (setjmp(place)) {
  case 0: puts("first"); break;
  case 1: puts("one"); break;
  case -2: puts("minus two"); break;
  default: puts("else");
  }
  if (i < 5) { const int value = i++; leave(value); }
  return i;
})");
}

TEST(CJump, LeavesSeveralFramesAndKeepsVolatileLocals) {
  SKIP_WITHOUT_C();
  ExpectAtEveryLevel(R"(#include <setjmp.h>
#include <stdio.h>
#include <string.h>
static jmp_buf place;
static double deep(int depth, double value) {
  volatile char room[100];
  memset((char*)room, depth, sizeof room);
  if (depth == 0) longjmp(place, (int)value);
  return deep(depth - 1, value + 1) + room[depth];
}
static long long wide(int depth) { return (long long)deep(depth, 3) + 1; }
int main(void) {
  volatile long long sum = 0;
  for (volatile int round = 0; round < 40; ++round) {
    volatile double kept = round * 1.5;
    const int value = setjmp(place);
    if (value == 0) {
      kept += 100;
      sum += wide(round);
      puts("never");
    }
    sum += value;
    if (round % 13 == 0) printf("%d %lld %.1f\n", value, (long long)sum, kept);
  }
  return 0;
})");
}

TEST(CJump, PlacesNestAndAreThrownOn) {
  SKIP_WITHOUT_C();
  ExpectAtEveryLevel(R"(#include <setjmp.h>
#include <stdio.h>
struct frame { jmp_buf place; struct frame* outer; } *top;
static void toss(int value) { longjmp(top->place, value); }
static int inner(int n) {
  struct frame here;
  here.outer = top;
  const int value = setjmp(here.place);
  if (value == 0) {
    top = &here;
    if (n > 0) { const int result = inner(n - 1); top = here.outer; return result; }
    toss(7);
  }
  top = here.outer;
  printf("inner %d caught %d\n", n, value);
  if (n < 3) toss(value + 1);
  return value;
}
static int two(int which) {
  jmp_buf a, b;
  volatile int steps = 0;
  if (setjmp(a) != 0) { steps += 1; if (steps > 20) return steps; }
  if (setjmp(b) != 0) { steps += 10; if (steps > 20) return steps; }
  longjmp(which ? a : b, 1);
}
int main(void) {
  struct frame base;
  base.outer = NULL;
  top = &base;
  if (setjmp(base.place)) { puts("base"); return 1; }
  printf("%d\n", inner(5));
  printf("%d %d\n", two(0), two(1));
  toss(3);
  return 0;
})");
}

TEST(CJump, LeavesCallbacksAndCopiesOfPlacesWork) {
  SKIP_WITHOUT_C();
  ExpectAtEveryLevel(R"(#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static jmp_buf place;
static int calls;
static int compare(const void* a, const void* b) {
  if (++calls == 3) siglongjmp(place, 9);
  return *(const int*)a - *(const int*)b;
}
static void jump_to_copy(void) {
  jmp_buf copy;
  memcpy(&copy, &place, sizeof place);
  memset(&place, 0, sizeof place);
  longjmp(copy, 4);
}
static void (*const jump)(void) = jump_to_copy;
static void at_exit(void) { puts("end"); }
int main(void) {
  atexit(at_exit);
  int numbers[6] = {5, 2, 4, 1, 3, 0};
  char* volatile text = malloc(20);
  strcpy(text, "kept");
  if (sigsetjmp(place, 1) == 0) { qsort(numbers, 6, sizeof *numbers, compare); puts("never"); }
  printf("%d calls, %s\n", calls, text);
  if (!_setjmp(place)) jump();
  printf("%.2f\n", strtod("2.5", NULL));
  if (setjmp(place) == 0) exit(calls);
  return 0;
})");
}

TEST(CJump, AStackOfManyJumpsDoesNotGrow) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <setjmp.h>
#include <stdio.h>
static jmp_buf place;
static void leave(volatile char* room) { room[0] = 1; longjmp(place, room[0]); }
static void user(void) { volatile char room[60000]; leave(room); }
int main(void) {
  volatile int count = 0;
  while (count < 1000) {
    if (setjmp(place) == 0) user();
    ++count;
  }
  printf("%d\n", count);
  return 0;
})");
}

TEST(CJump, APlaceOfAFunctionThatHasReturnedTrapsWithASentence) {
  SKIP_WITHOUT_C();
  const Outcome outcome = RunOnBoth(Compile(R"(#include <setjmp.h>
static jmp_buf place;
int main(void) { longjmp(place, 1); })",
                                            {}));
  EXPECT_EQ(outcome.end,
            "trapped unreachable: longjmp to a function that has returned, or without a setjmp");
}

TEST(CJump, ASourceWithoutMainHasIt) {
  SKIP_WITHOUT_C();
  const auto program = Compile(R"(#include <setjmp.h>
static jmp_buf place;
static void divide(int a, int b) { if (b == 0) longjmp(place, 1); place[0] = place[0]; (void)a; }
int ratio(int a, int b) { if (setjmp(place)) return -1; divide(a, b); return a / b; })",
                               {});
  ASSERT_NE(program, nullptr);
  vm::Linker linker;
  auto machine = vm::Machine::Load(program, linker, {});
  ASSERT_TRUE(machine) << machine.error().message;
  const isa::Export* ratio = program->FindExport("ratio");
  ASSERT_NE(ratio, nullptr);
  EXPECT_EQ(machine->Call(*ratio, std::vector<vm::Word>{12, 4})->results.at(0), 3u);
  EXPECT_EQ(machine->Call(*ratio, std::vector<vm::Word>{12, 0})->results.at(0), 0xFFFFFFFFu);
}

class RandomJumps : public testing::TestWithParam<int> {};

TEST_P(RandomJumps, EqualGcc) {
  SKIP_WITHOUT_C();
  constexpr std::uint64_t kSeed = 20261101;
  constexpr int kPrograms = 10;
  const std::string source = RandomFloatC(kSeed, kPrograms, {.texts = true, .jumps = true});
  const Outcome native = RunNatively(source, {}, {}, {}, GetParam());
  frontends::c::CompileOptions options;
  options.level = GetParam();
  EXPECT_EQ(RunOnBoth(Compile(source, options)).out, native.out);
}

INSTANTIATE_TEST_SUITE_P(C, RandomJumps, testing::Values(0, 2),
                         [](const auto& level) { return fmt::format("O{}", level.param); });

}  // namespace
}  // namespace txvm::tests
