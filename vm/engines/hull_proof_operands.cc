// Which operands an opcode may have, as the weights check it.
// Declared in vm/engines/proof_bench.h.
#include "isa/trap.h"
#include "vm/engines/proof_bench.h"

namespace txvm::vm {
namespace {

using isa::Opcode;
using isa::Operand;

constexpr Word kTable = 200;  // globals and imports, where no comparison is enumerated
constexpr Word kHost = 0x80000000;
constexpr Word kHalf = 65'536;

/// ISA.md, "Operands", and isa/verify.h for an instruction whose locals start at slot 0.
bool IsAllowed(const isa::OpcodeInfo& info, const Inputs& in) {
  switch (info.operand) {
    case Operand::kNone:
      return in.aux == 0 && in.arg == 0;
    case Operand::kValue:
    case Operand::kOffset:
    case Operand::kTarget:
      return in.aux == 0;
    case Operand::kLocal:
      return in.aux == 0 ? in.arg < in.max_locals : in.aux == 1 && in.arg < in.globals;
    case Operand::kCallee:
      return in.arg < kHost || (in.aux == 0 && in.arg - kHost < in.imports);
    case Operand::kCause:
      return in.aux == 0 && isa::FindTrap(in.arg).has_value();
  }
  return false;
}

class OperandCheck {
 public:
  explicit OperandCheck(Bench& bench)
      : bench_(bench),
        tally_(
            "operands: every opcode x 256 values of each byte of aux and arg, "
            "and three comparisons by every difference of halves") {}

  void Expect(Inputs in, const isa::OpcodeInfo& info) {
    in.op = Code(info.op);
    in.top = 1;
    bench_.Run(in);
    const bool invalid =
        bench_.Field(sf::kCause) == static_cast<std::int32_t>(isa::Trap::kInvalidInstruction);
    // TRAP 7 is allowed, and stops with the same cause.
    const bool names_it = info.op == Opcode::kTrap && in.aux == 0 &&
                          in.arg == static_cast<Word>(isa::Trap::kInvalidInstruction);
    tally_.Expect(invalid == (!IsAllowed(info, in) || names_it), in.aux, in.arg);
  }

  void EveryByte(const isa::OpcodeInfo& info) {
    for (Word place = 0; place < 2 * kWordBytes - 1; ++place) {
      for (Word v = 0; v < kByteValues; ++v) {
        for (const bool host : {false, true}) {
          Inputs in;
          in.globals = in.imports = kTable;
          (place < kWordBytes ? in.arg : in.aux) = v << (kByteBits * (place % kWordBytes));
          if (host) in.arg |= kHost;
          Expect(in, info);
        }
      }
    }
  }

  /// arg against a limit, by the difference of their upper or lower halves.
  void EveryDifference(const isa::OpcodeInfo& info, Word aux, Word host, Word Inputs::* limit,
                       Word stride) {
    for (Word d = 0; d < (host == 0 ? kHalf : kHalf / 2); d += stride) {
      for (const bool above : {false, true}) {
        for (const Word scale : {Word{1}, kHalf}) {
          for (const Word below : scale == 1 ? std::array{0u, 0u} : std::array{0u, 1u}) {
            Inputs in;
            in.aux = aux;
            in.arg = host | (above ? d * scale : 0) | below;
            in.*limit = above ? 0 : d * scale;
            Expect(in, info);
          }
        }
      }
    }
  }

  CircuitCheck Done() const { return tally_.Done(); }

 private:
  Bench& bench_;
  Tally tally_;
};

}  // namespace

CircuitCheck ProveOperandChecks(Bench& bench, Word stride) {
  OperandCheck check(bench);
  for (const isa::OpcodeInfo& info : isa::kOpcodes) check.EveryByte(info);
  check.EveryDifference(isa::Info(Opcode::kLocalTee), 0, 0, &Inputs::max_locals, stride);
  check.EveryDifference(isa::Info(Opcode::kLocalTee), 1, 0, &Inputs::globals, stride);
  check.EveryDifference(isa::Info(Opcode::kCall), 0, kHost, &Inputs::imports, stride);
  return check.Done();
}

}  // namespace txvm::vm
