// Division as it is computed: where it starts, one of its steps, where it ends.
//
// A step moves remainder:quotient up one bit and takes the divisor away where it fits: 2 r + bit >=
// d. From r < d it makes r < d again and one right bit of the quotient, so 32 of them divide. What
// is enumerated here is that a step does so, byte by byte with every carry that can come in.
// Declared in vm/engines/proof_bench.h.
#include "isa/word_ops.h"
#include "vm/engines/proof_bench.h"

namespace txvm::vm {
namespace {

using isa::Opcode;

constexpr Word kSign = 0x80000000;
constexpr Word kLastMicro = 33;
constexpr Opcode kDivisions[] = {Opcode::kDivS, Opcode::kDivU, Opcode::kRemS, Opcode::kRemU};

Word Below(Word place) { return (Word{1} << (kByteBits * place)) - 1; }

// The subtraction and the choice: x = 2 r + bit, without its bit 32, which is given apart.
CircuitCheck ProveSubtraction(Bench& bench, Word stride) {
  Tally tally("division step: 256 x 256 bytes at 4 places x borrow in x bit 32 of the remainder");
  const auto expect = [&](Word x, Word divisor, bool bit32) {
    Inputs in;
    in.op = Code(Opcode::kDivU);
    in.second = in.top = in.micro = 1;
    in.remainder = x >> 1 | (bit32 ? kSign : 0);
    in.quotient = x << (kWordBits - 1);
    in.divisor = divisor;
    bench.Run(in);
    const bool fits = bit32 || x >= divisor;
    tally.Expect(bench.Output(sf::kRemainder) == (fits ? x - divisor : x) &&
                     bench.Output(sf::kQuotient) == (fits ? 1u : 0u) &&
                     bench.Output(sf::kDivisor) == divisor,
                 x, divisor);
  };
  for (Word place = 0; place < kWordBytes; ++place) {
    for (Word pair = 0; pair < kByteValues * kByteValues; pair += stride) {
      const Word x = pair % kByteValues << (kByteBits * place);
      const Word divisor = pair / kByteValues << (kByteBits * place);
      for (const bool bit32 : {false, true}) {
        expect(x, divisor, bit32);
        if (place > 0) expect(x, divisor | Below(place), bit32);
      }
    }
  }
  return tally.Done();
}

// The bits that move up: every byte of remainder and quotient, with and without one from below.
CircuitCheck ProveBitsMove(Bench& bench) {
  Tally tally("division step: 256 bytes of quotient and remainder at 4 places x bit in; 32 counts");
  for (Word place = 0; place < kWordBytes; ++place) {
    for (Word v = 0; v < kByteValues; ++v) {
      for (const Word below : {Word{0}, Below(place)}) {
        Inputs in;
        in.op = Code(Opcode::kDivU);
        in.second = in.top = 1;
        in.micro = v % (kLastMicro - 1) + 1;
        in.divisor = ~Word{0};
        in.quotient = v << (kByteBits * place) | below;
        bench.Run(in);  // remainder 0: nothing fits
        tally.Expect(bench.Output(sf::kQuotient) == in.quotient << 1 &&
                         bench.Output(sf::kRemainder) == in.quotient >> (kWordBits - 1) &&
                         bench.Field(sf::kMicro) == static_cast<std::int32_t>(in.micro) + 1,
                     in.quotient, in.micro);
        in.remainder = in.quotient & ~kSign;
        in.quotient = 0;
        bench.Run(in);
        tally.Expect(bench.Output(sf::kRemainder) == in.remainder << 1, in.remainder, 1);
      }
    }
  }
  return tally.Done();
}

Word Magnitude(Word word, bool is_signed) { return is_signed ? isa::Abs(word) : word; }
bool IsSigned(Opcode op) { return op == Opcode::kDivS || op == Opcode::kRemS; }

// A byte of one operand, the bytes around it empty or full.
template <typename Expect>
void ForBytes(Expect expect) {
  for (Word place = 0; place < kWordBytes; ++place) {
    for (Word v = 0; v < kByteValues; ++v) {
      const Word byte = v << (kByteBits * place);
      const Word others = ~(Word{0xFF} << (kByteBits * place));
      for (const Word around : {Word{0}, Below(place), others & ~Below(place), others}) {
        expect(byte | around);
      }
    }
  }
}

CircuitCheck ProveStart(Bench& bench) {
  Tally tally("division start: 4 opcodes x 256 bytes of an operand at 4 places x 4 surroundings");
  for (const Opcode op : kDivisions) {
    const auto expect = [&](Word a, Word b) {
      Inputs in;
      in.op = Code(op);
      in.second = a;
      in.top = b;
      bench.Run(in);
      const bool overflow = op == Opcode::kDivS && isa::DivSOverflows(a, b);
      if (b == 0 || overflow) {
        const isa::Trap cause = b == 0 ? isa::Trap::kDivideByZero : isa::Trap::kIntegerOverflow;
        tally.Expect(bench.Field(sf::kCause) == static_cast<std::int32_t>(cause), a, b);
        return;
      }
      tally.Expect(!bench.Traps() && bench.Field(sf::kMicro) == 1 &&
                       bench.Output(sf::kQuotient) == Magnitude(a, IsSigned(op)) &&
                       bench.Output(sf::kDivisor) == Magnitude(b, IsSigned(op)) &&
                       bench.Output(sf::kRemainder) == 0,
                   a, b);
    };
    ForBytes([&](Word word) {
      for (const Word other : {Word{1}, kSign, ~Word{0}}) {
        expect(word, other);
        expect(other, word);
      }
    });
  }
  return tally.Done();
}

CircuitCheck ProveEnd(Bench& bench) {
  Tally tally(
      "division end: 4 opcodes x 4 signs x 256 bytes of both results at 4 places x 4 around");
  for (const Opcode op : kDivisions) {
    const bool divides = op == Opcode::kDivS || op == Opcode::kDivU;
    for (Word signs = 0; signs < 4; ++signs) {
      const bool negative_a = (signs & 1) != 0, negative_b = (signs & 2) != 0;
      ForBytes([&](Word word) {
        Inputs in;
        in.op = Code(op);
        in.micro = kLastMicro;
        in.second = negative_a ? ~Word{4} : 5;
        in.top = negative_b ? ~Word{6} : 7;
        in.quotient = divides ? word : ~word;
        in.remainder = divides ? ~word : word;
        bench.Run(in);
        const bool negate = IsSigned(op) && (divides ? negative_a != negative_b : negative_a);
        tally.Expect(bench.Top() == (negate ? isa::Neg(word) : word) &&
                         bench.Field(sf::kMicro) == 0 && bench.Field(sf::kCounted) == 1 &&
                         bench.Output(sf::kSp) == in.sp - 1,
                     word, signs);
      });
    }
  }
  return tally.Done();
}

}  // namespace

std::vector<CircuitCheck> ProveDivision(Bench& bench, Word stride) {
  return {ProveSubtraction(bench, stride), ProveBitsMove(bench), ProveStart(bench),
          ProveEnd(bench)};
}

}  // namespace txvm::vm
