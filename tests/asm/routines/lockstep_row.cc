#include "tests/asm/routines/lockstep_row.h"

// Several versions of each loop; the processor's is chosen when the program is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TXVM_ROWS __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define TXVM_ROWS
#endif

namespace txvm::assembler {

using isa::Opcode;
using isa::Word;

namespace {

// There is no vector instruction for integer quotients. Those of doubles are exact here: a / b is
// an integer q or at least 1/b away from the next one, and 1/b is more than q * 2^-33.
inline Word Quotient(Word a, Word b) {
  return static_cast<Word>(static_cast<double>(a) / static_cast<double>(b));
}

}  // namespace

#define TXVM_LOOP(expression)                                    \
  for (std::size_t i = 0; i < lanes; ++i) out[i] = (expression); \
  return true

TXVM_ROWS bool RowOfOne(Opcode op, const Word* __restrict a, Word* __restrict out,
                        std::size_t lanes) {
  switch (op) {
    case Opcode::kClz:
      TXVM_LOOP(isa::Clz(a[i]));
    case Opcode::kCtz:
      TXVM_LOOP(isa::Ctz(a[i]));
    case Opcode::kPopcnt:
      TXVM_LOOP(isa::Popcnt(a[i]));
    case Opcode::kEqz:
      TXVM_LOOP(isa::Eqz(a[i]));
    case Opcode::kNeg:
      TXVM_LOOP(isa::Neg(a[i]));
    case Opcode::kAbs:
      TXVM_LOOP(isa::Abs(a[i]));
    default:
      return false;
  }
}

TXVM_ROWS bool RowOfTwo(Opcode op, const Word* __restrict a, const Word* __restrict b,
                        Word* __restrict out, std::size_t lanes) {
  switch (op) {
#define TXVM_CASE(Name) \
  case Opcode::k##Name: \
    TXVM_LOOP(isa::Name(a[i], b[i]));
    TXVM_CASE(Add)
    TXVM_CASE(Sub)
    TXVM_CASE(Mul)
    case Opcode::kDivU:
      TXVM_LOOP(Quotient(a[i], b[i]));
    case Opcode::kRemU:
      TXVM_LOOP(a[i] - Quotient(a[i], b[i]) * b[i]);
      TXVM_CASE(DivS)
      TXVM_CASE(RemS)
      TXVM_CASE(And)
      TXVM_CASE(Or)
      TXVM_CASE(Xor)
      TXVM_CASE(Shl)
      TXVM_CASE(ShrU)
      TXVM_CASE(ShrS)
      TXVM_CASE(Rotl)
      TXVM_CASE(Rotr)
      TXVM_CASE(Eq)
      TXVM_CASE(Ne)
      TXVM_CASE(LtU)
      TXVM_CASE(GtU)
      TXVM_CASE(LeU)
      TXVM_CASE(GeU)
      TXVM_CASE(LtS)
      TXVM_CASE(GtS)
      TXVM_CASE(LeS)
      TXVM_CASE(GeS)
#undef TXVM_CASE
    default:
      return false;
  }
}

#undef TXVM_LOOP

TXVM_ROWS void RowOfSelect(const Word* __restrict a, const Word* __restrict b,
                           const Word* __restrict c, Word* __restrict out, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; ++i) out[i] = c[i] != 0 ? a[i] : b[i];
}

TXVM_ROWS bool RowHas(const Word* a, Word value, std::size_t lanes) {
  Word found = 0;
  for (std::size_t i = 0; i < lanes; ++i) found |= a[i] == value ? 1u : 0u;
  return found != 0;
}

}  // namespace txvm::assembler
