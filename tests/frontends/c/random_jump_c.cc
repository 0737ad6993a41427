#include "tests/frontends/c/random_jump_c.h"

#include <fmt/format.h>

#include <cstdint>

namespace txvm::tests {
namespace {

using support::Random;

std::string Toss(Random& random) {
  switch (random.Below(6)) {
    case 0:
      return fmt::format("mix(dig({}, v ^ {}));", random.Between(1, 30), random.Below(9));
    case 1:
      return "for (int i = 0; i < 9; ++i) order[i] = v >> i * 7;\n"
             "stop = v; qsort(order, 9, sizeof *order, by_toss); mix(order[0]);";
    case 2:
      return "toss_copy(v);";
    case 3:
      return fmt::format("toss_out(v + {});", random.Below(9));
    case 4:
      return fmt::format("(random_toss[v & 3])(v ^ {});", random.Word());
    default:
      return fmt::format("toss(v + {});", random.Below(9));
  }
}

std::string Body(Random& random, const std::vector<std::string>& callees) {
  std::string text;
  for (std::uint32_t i = random.Between(1, 4); i > 0; --i) {
    switch (random.Below(4)) {
      case 0:
        text += Toss(random) + "\n";
        break;
      case 1:
        text += fmt::format("w = {}; mixd(w);\n",
                            callees[random.Below(static_cast<std::uint32_t>(callees.size()))]);
        break;
      case 2:
        text += fmt::format("v = v * {} + {};\n", random.Word() | 1, random.Below(9));
        break;
      default:
        text += fmt::format("for (volatile int i = 0; i < {}; ++i) {{ v += (uint64_t)i; {} }}\n",
                            random.Between(1, 4), Toss(random));
    }
  }
  return text;
}

/// Ends the place, then may toss on to the next one.
std::string Catch(Random& random, std::string_view code) {
  std::string text = fmt::format("top = here.outer; mix({}); mix(v); mixd(w);\n", code);
  if (random.OneIn(3)) text += fmt::format("toss(v + {});\n", random.Below(9));
  return text;
}

std::string Try(Random& random, const std::vector<std::string>& callees) {
  const std::string body = Body(random, callees);
  switch (random.Below(4)) {
    case 0:
      return fmt::format(
          "top = &here;\nif (setjmp(here.place) == 0) {{\n{}top = here.outer;\n}} else "
          "{{\n{}}}\n",
          body, Catch(random, "5"));
    case 1:
      return fmt::format(
          "top = &here;\nswitch (setjmp(here.place)) {{\ncase 0:\n{}top = "
          "here.outer;\nbreak;\ncase "
          "1:\n{}break;\ncase 2:\n{}break;\ndefault:\n{}}}\n",
          body, Catch(random, "1"), Catch(random, "2"), Catch(random, "7"));
    case 2:  // the place stays and is tried again
      return fmt::format(
          "tries = 0;\nif (setjmp(here.place) != 0) {{\n{}}}\nif (tries < {}) {{\n++tries;\ntop = "
          "&here;\n{}}}\ntop = here.outer;\n",
          Catch(random, "tries"), random.Between(1, 4), body);
    default:  // a place in each round of a loop
      return fmt::format(
          "for (tries = 0; tries < {}; ++tries) {{\ntop = &here;\nif (!setjmp(here.place)) "
          "{{\n{}top = here.outer;\n}} else {{\n{}}}\n}}\n",
          random.Between(1, 4), body, Catch(random, "tries"));
  }
}

}  // namespace

const std::string_view kJumpPrelude = R"(#include <setjmp.h>
static struct frame { jmp_buf place; struct frame* outer; } *top;
static uint64_t order[9], stop;
static void toss(uint64_t x) {
  mix(x);
  if (top != NULL && x % 3 == 0) longjmp(top->place, (int)(x % 5));
}
static __attribute__((noinline)) void toss_copy(uint64_t x) {
  jmp_buf copy;
  if (top == NULL || x % 3 != 1) return;
  memcpy(&copy, &top->place, sizeof copy);
  longjmp(copy, -(int)(x % 4));
}
static void toss_out(uint64_t x) {
  if (top != NULL && top->outer != NULL && x % 4 == 0) longjmp(top->outer->place, (int)(x & 7));
}
static void (*const random_toss[4])(uint64_t) = {toss, toss_copy, toss_out, toss};
static uint64_t dig(int depth, uint64_t x) {
  volatile uint64_t room[3] = {x, x + 1, x + 2};
  if (depth == 0) toss(x);
  return depth == 0 ? room[2] : dig(depth - 1, room[x % 3]) + room[1];
}
static int by_toss(const void* a, const void* b) {
  const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  if (top != NULL && stop % 2 != 0) longjmp(top->place, (int)(stop % 5));
  return (x > y) - (x < y);
}
)";

std::string RandomJumpFunction(Random& random, std::string_view name,
                               const std::vector<std::string>& callees) {
  std::string text = fmt::format("static {}uint64_t {}(double d, uint64_t n) {{\n",
                                 random.OneIn(2) ? "__attribute__((noinline)) " : "", name);
  text +=
      "struct frame here; volatile uint64_t v = n; volatile double w = d; volatile int tries = 0;\n"
      "here.outer = top; (void)tries;\n";
  for (std::uint32_t i = random.Between(1, 2); i > 0; --i) text += Try(random, callees);
  return text + "mix(v); mixd(w); return v;\n}\n";
}

}  // namespace txvm::tests
