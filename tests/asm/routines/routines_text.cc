#include "tests/asm/routines/routines_text.h"

#include <fmt/format.h>

#include <string_view>

#include "asm/routines/routines.h"

namespace txvm::assembler {
namespace {

constexpr std::string_view kHead = R"(# Floats and wide integers as programs

Generated from `asm/routines/` by a test; TXVM_BLESS=1 rewrites it.

The machine has 55 opcodes on 32-bit cells and none for floats. An f32 operation, an f64 operation or a long i64
operation is a CALL of a *routine*: a program over those opcodes, in one readable file of `asm/routines/`. Each file
states its cells, its rounding, its NaN and its steps, and then the meaning of every intermediate value. Operations on
vectors are routines without a file ([VECTORS.md](VECTORS.md)).

- **Cells.** An f32 is one cell, its IEEE 754 bits. f64 and i64 are two cells, the low word first (deeper).
- **Exact.** Results are those of IEEE 754 with rounding to nearest even, subnormals included. A NaN result is always
  0x7FC00000 or 0x7FF8000000000000.
- **Constant steps.** The steps of an operation do not depend on its operands: there is no branch on data, only SELECT
  and masks. The one exception is a truncation that traps. The tests run each routine on 512 operand sets at once and
  every lane takes the same way.
- **Traps.** `trunc` of a NaN traps `invalid conversion to integer`, of a value out of range `integer overflow`;
  `trunc_sat` never traps.
- `const`, `load`, `store`, `abs`, `neg`, `copysign` and `reinterpret` are a few instructions each and need no routine.

## How a routine is made

Operations on vectors have no files: `asm/routines/vectors/` composes them at build time from the rows of
`isa/vector_routines.def` ([VECTORS.md](VECTORS.md)). For all others the .txa files are what is built.
`python3 asm/routines/compose/compose.py [NAME ...]` writes them, and `isa/routines.def`, from expressions over cells
(`f32.py`, `f64.py`, `conv.py`, `i64.py`): `dag.py` computes every value once and searches for the order of operands
with the fewest steps. A change by hand to a .txa file is as good, as long as its row of `isa/routines.def` says its
steps, and `isa/routine_codes.def` was made again (TXVM_BLESS=1).

`txvm_check_routines` holds them against the processor: `--exhaustive` on all 2^32 operands of one cell, `--pairs N`
on random ones.

## Costs

Steps include CALL and RETURN. A step is one instruction.

| operation | cells in | cells out | instructions | locals | steps |
|--|--|--|--|--|--|
)";

constexpr std::string_view kBranching = R"(
## What constant steps cost

A routine may instead test whether its operands are usual (normal numbers, with a normal result), and branch. The
sketches in `asm/routines/compose/branching.py` count that path; all other operands then cost more than the routine
does.

| operation | steps | usual path of a branching routine |
|--|--|--|
)";

constexpr std::string_view kWide = R"(
## i64: routines and the helpers of the WebAssembly front end

The front end links functions of `frontends/wasm/wide_helpers.wat`. Their steps, CALL and RETURN included, were
measured with `txvm run --json`; where they branch, both ends are given.

| operation | helper | routine |
|--|--|--|
)";

struct Helper {
  RoutineId id;
  std::string_view steps;
};
constexpr Helper kHelpers[] = {{RoutineId::kI64Mul, "59"},        {RoutineId::kI64Shl, "14 or 24"},
                               {RoutineId::kI64ShrS, "16 or 24"}, {RoutineId::kI64ShrU, "14 or 24"},
                               {RoutineId::kI64Rotl, "32 or 38"}, {RoutineId::kI64Rotr, "43 or 49"},
                               {RoutineId::kI64Clz, "12"},        {RoutineId::kI64Ctz, "11"},
                               {RoutineId::kI64Popcnt, "8"}};

constexpr std::string_view kDivision = R"(
Division has no routine. The helpers' steps depend on the operands: div_u 29 to 305, rem_u 33 to 309, div_s 89 to 365,
rem_s 78 to 354 on the operands tried. With the digits of f64.div, constant steps would be about 330 for all.
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
  text += kWide;
  for (const Helper& helper : kHelpers) {
    text += fmt::format("| {} | {} | {} |\n", Info(helper.id).name, helper.steps,
                        Info(helper.id).steps);
  }
  text += kDivision;
  return text;
}

}  // namespace txvm::assembler
