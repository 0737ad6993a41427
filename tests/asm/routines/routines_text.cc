#include "tests/asm/routines/routines_text.h"

#include <fmt/format.h>

#include <string_view>

#include "asm/routines/routines.h"

namespace txvm::assembler {
namespace {

constexpr std::string_view kHead = R"(# Floats and wide integers as programs

Generated from `asm/routines/` by a test; TXVM_BLESS=1 rewrites it.

The machine has 55 opcodes on 32-bit cells and none for floats. An f32 operation, an f64 operation or a long i64 operation is a CALL of
a *routine*: a program over those opcodes, in one readable file of `asm/routines/`. Each file states its cells, its rounding, its NaN and its steps, and
then the meaning of every intermediate value.

- **Cells.** An f32 is one cell, its IEEE 754 bits. f64 and i64 are two cells, the low word first (deeper).
- **Exact.** Results are those of IEEE 754 with rounding to nearest even, subnormals included. A NaN result is always 0x7FC00000 or 0x7FF8000000000000.
- **Constant steps.** The steps of an operation do not depend on its operands: there is no branch on data, only SELECT and masks. The one exception is a
  truncation that traps. The tests run each routine on 512 operand sets at once and every lane takes the same way.
- **Traps.** `trunc` of a NaN traps `invalid conversion to integer`, of a value out of range `integer overflow`; `trunc_sat` never traps.
- `const`, `load`, `store`, `abs`, `neg`, `copysign` and `reinterpret` are a few instructions each and need no routine.

## Costs

Steps include CALL and RETURN. A step is one instruction.

| operation | cells in | cells out | instructions | locals | steps |
|--|--|--|--|--|--|
)";

constexpr std::string_view kBranching = R"(
## What constant steps cost

A routine may instead test whether its operands are usual (normal numbers, with a normal result), and branch. The sketches in
`asm/routines/compose/branching.py` count that path; all other operands then cost more than the routine does.

| operation | steps | usual path of a branching routine |
|--|--|--|
)";

struct Sketch {
  RoutineId id;
  int steps;
};
constexpr Sketch kSketches[] = {{RoutineId::kF32Add, 100},
                                {RoutineId::kF32Mul, 108},
                                {RoutineId::kF32Div, 115},
                                {RoutineId::kF32Sqrt, 106}};

}  // namespace

std::string RoutinesMarkdown() {
  std::string text(kHead);
  for (const RoutineInfo& info : kRoutines) {
    const Routine routine = CodeOf(info.id);
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", info.name, info.cells_in,
                        info.cells_out, routine.code.size(), routine.locals, info.steps);
  }
  text += kBranching;
  for (const Sketch& sketch : kSketches) {
    text += fmt::format("| {} | {} | {} |\n", Info(sketch.id).name, Info(sketch.id).steps,
                        sketch.steps);
  }
  return text;
}

}  // namespace txvm::assembler
