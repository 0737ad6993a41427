#include "vm/engines/hull_proof.h"

#include <fmt/format.h>

#include "isa/opcode.h"
#include "isa/word_ops.h"
#include "vm/engines/proof_bench.h"

namespace txvm::vm {
namespace {

using isa::Opcode;
using isa::Word;
namespace sf = weights::state_field;

using Binary = Word (*)(Word, Word);
struct BinaryOp {
  Opcode op;
  Binary meaning;
};
using Unary = Word (*)(Word);
struct UnaryOp {
  Opcode op;
  Unary meaning;
};

// clang-format off
constexpr BinaryOp kAdders[] = {
    {Opcode::kAdd, isa::Add}, {Opcode::kSub, isa::Sub}, {Opcode::kEq, isa::Eq}, {Opcode::kNe, isa::Ne},
    {Opcode::kLtS, isa::LtS}, {Opcode::kLtU, isa::LtU}, {Opcode::kGtS, isa::GtS}, {Opcode::kGtU, isa::GtU},
    {Opcode::kLeS, isa::LeS}, {Opcode::kLeU, isa::LeU}, {Opcode::kGeS, isa::GeS}, {Opcode::kGeU, isa::GeU}};
constexpr BinaryOp kLogic[] = {{Opcode::kAnd, isa::And}, {Opcode::kOr, isa::Or}, {Opcode::kXor, isa::Xor}};
constexpr BinaryOp kShifts[] = {{Opcode::kShl, isa::Shl}, {Opcode::kShrS, isa::ShrS}, {Opcode::kShrU, isa::ShrU},
                                {Opcode::kRotl, isa::Rotl}, {Opcode::kRotr, isa::Rotr}};
constexpr UnaryOp kUnary[] = {{Opcode::kEqz, isa::Eqz}, {Opcode::kClz, isa::Clz}, {Opcode::kCtz, isa::Ctz},
                              {Opcode::kPopcnt, isa::Popcnt}, {Opcode::kAbs, isa::Abs}, {Opcode::kNeg, isa::Neg}};
// clang-format on

void ExpectBinary(Bench& bench, Tally& tally, const BinaryOp& op, Word a, Word b) {
  Inputs in;
  in.op = Code(op.op);
  in.second = a;
  in.top = b;
  bench.Run(in);
  tally.Expect(bench.Top() == op.meaning(a, b) && !bench.Traps(), a, b);
}

// Each byte pair at each place, with and without a carry or borrow coming in.
CircuitCheck ProveAdder(Bench& bench, const BinaryOp& op, Word stride) {
  Tally tally(Text(op.op) + ": 4 places x 256 x 256 bytes x carry in");
  for (Word place = 0; place < kWordBytes; ++place) {
    const Word below = (Word{1} << (kByteBits * place)) - 1;
    for (Word pair = 0; pair < kByteValues * kByteValues; pair += stride) {
      const Word a = (pair % kByteValues) << (kByteBits * place);
      const Word b = (pair / kByteValues) << (kByteBits * place);
      ExpectBinary(bench, tally, op, a, b);
      if (place == 0) continue;
      ExpectBinary(bench, tally, op, a | below, b | below);
      ExpectBinary(bench, tally, op, a, b | below);
    }
  }
  return tally.Done();
}

CircuitCheck ProveLogic(Bench& bench, const BinaryOp& op, Word stride) {
  constexpr Word kEveryByte = 0x01010101;
  Tally tally(Text(op.op) + ": 256 x 256 bytes at all 4 places");
  for (Word pair = 0; pair < kByteValues * kByteValues; pair += stride) {
    ExpectBinary(bench, tally, op, pair % kByteValues * kEveryByte,
                 pair / kByteValues * kEveryByte);
  }
  return tally.Done();
}

// A shifted byte is a sum over bits: every bit of every byte with every count, the sign included,
// and every value of the count's byte.
CircuitCheck ProveShift(Bench& bench, const BinaryOp& op, Word stride) {
  Tally tally(Text(op.op) + ": 32 counts x 4 places x 256 bytes, 256 count bytes");
  for (Word count = 0; count < kWordBits; ++count) {
    for (Word v = 0; v < kByteValues * kWordBytes; v += stride) {
      const Word place = v / kByteValues;
      ExpectBinary(bench, tally, op, v % kByteValues << (kByteBits * place), count);
    }
  }
  for (Word count = 0; count < kByteValues; ++count) {
    ExpectBinary(bench, tally, op, 0x80C0A091, count | 0xFFFFFF00);
  }
  return tally.Done();
}

CircuitCheck ProveUnary(Bench& bench, const UnaryOp& op) {
  Tally tally(Text(op.op) + ": 4 places x 256 bytes x empty or full bytes around");
  for (Word place = 0; place < kWordBytes; ++place) {
    const Word at = kByteBits * place;
    const Word below = (Word{1} << at) - 1;
    const Word above = place + 1 == kWordBytes ? 0 : ~Word{0} << (at + kByteBits);
    for (Word v = 0; v < kByteValues; ++v) {
      for (const Word around : {Word{0}, below, above, below | above}) {
        Inputs in;
        in.op = Code(op.op);
        in.top = v << at | around;
        bench.Run(in);
        tally.Expect(bench.Top() == op.meaning(in.top) && !bench.Traps(), in.top, 0);
      }
    }
  }
  return tally.Done();
}

CircuitCheck ProveProducts(Bench& bench, Word stride) {
  Tally tally("MUL: 16 pairs of places x 256 x 256 bytes");
  for (Word places = 0; places < kWordBytes * kWordBytes; ++places) {
    for (Word pair = 0; pair < kByteValues * kByteValues; pair += stride) {
      const Word a = pair % kByteValues << (kByteBits * (places % kWordBytes));
      const Word b = pair / kByteValues << (kByteBits * (places / kWordBytes));
      ExpectBinary(bench, tally, {Opcode::kMul, isa::Mul}, a, b);
    }
  }
  return tally.Done();
}

std::size_t LayerAfter(const weights::Model& model, const std::string& lane) {
  std::size_t after = 0;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    for (const weights::Entry& e : model.layers[l].ffn.w_down.entries) {
      if (model.lanes[e.row].name == lane) after = l + 1;
    }
  }
  return after;
}

// The carries of a product, from each column's sum alone and from every pair of partial sums.
CircuitCheck ProveProductCarries(Bench& bench, const weights::Model& model, Word stride) {
  constexpr std::int32_t kProduct = 255 * 255;
  constexpr std::int32_t kSecond = 510, kUpper = 764, kHighest = 1'018;  // one past their largest
  Tally tally("MUL carries: every sum of every column; 510 x 764 and 3 x 1,018 partial sums");
  const std::int32_t step = static_cast<std::int32_t>(stride);
  const std::size_t columns = LayerAfter(model, "product.0");
  for (Word c = 0; c < kWordBytes; ++c) {
    const std::string lane = "product." + std::to_string(c);
    for (std::int32_t v = 0; v <= static_cast<std::int32_t>(c + 1) * kProduct; v += step) {
      const std::pair<std::string, std::int32_t> set[] = {{"multiply", 1}, {lane, v}};
      const Word result = bench.ResultOf(set, columns);
      tally.Expect(result == static_cast<Word>(v) << (kByteBits * c), c, static_cast<Word>(v));
    }
  }
  const std::size_t sums = LayerAfter(model, "product.second");
  const auto expect = [&](std::int32_t second, std::int32_t upper, std::int32_t highest) {
    const std::pair<std::string, std::int32_t> set[] = {{"multiply", 1},
                                                        {"product.second", second},
                                                        {"product.upper", upper},
                                                        {"product.highest", highest}};
    const Word sum = (static_cast<Word>(second) << kByteBits) +
                     (static_cast<Word>(upper) << 2 * kByteBits) +
                     (static_cast<Word>(highest) << 3 * kByteBits);
    tally.Expect(bench.ResultOf(set, sums) == sum, static_cast<Word>(second),
                 static_cast<Word>(upper));
  };
  for (std::int32_t pair = 0; pair < kSecond * kUpper; pair += step) {
    expect(pair % kSecond, pair / kSecond, 0);
  }
  for (std::int32_t highest = 0; highest < kHighest; ++highest) {
    for (const std::int32_t upper : {0, 256, 512}) expect(0, upper, highest);
  }
  return tally.Done();
}

CircuitCheck ProveDecoder(Bench& bench) {
  Tally tally("decoder: 256 opcodes x every signal");
  for (Word code = 0; code < kByteValues; ++code) {
    Inputs in;
    in.op = static_cast<std::uint8_t>(code);
    bench.Run(in);
    const isa::OpcodeInfo* info = isa::FindInfo(in.op);
#define IS(Name) (op.op == Opcode::k##Name)
#define CLASS(Name) (op.op_class == isa::OpClass::Name)
#define TXVM_SIGNAL(name, high, value)                                                      \
  {                                                                                         \
    const auto of = [](const isa::OpcodeInfo& op) { return void(op), (value); };            \
    const std::int32_t wanted = info == nullptr ? 0 : static_cast<std::int32_t>(of(*info)); \
    tally.Expect(bench.Lane(#name) == wanted, code, 0);                                     \
  }
#include "weights/signals.def"
#undef TXVM_SIGNAL
#undef CLASS
#undef IS
  }
  return tally.Done();
}

// Counters and addresses: each byte in turn, the others 0, 1, 254 or 255.
CircuitCheck ProveCounters(Bench& bench) {
  Tally tally("ip + 1, sp + 1, sp - 1, sp - 2, depth + 1, address + 0..3: 256 bytes at 4 places");
  for (Word place = 0; place < kWordBytes; ++place) {
    const Word at = kByteBits * place;
    for (Word v = 0; v < kByteValues; ++v) {
      for (const Word other : {0x00000000u, 0x01010101u, 0xFEFEFEFEu, 0xFFFFFFFFu}) {
        const Word n = (other & ~(Word{0xFF} << at)) | v << at;
        if (n < kStack || n > ~Word{0} - kStack) continue;
        Inputs in;
        in.ip = in.sp = in.depth = in.top = n;
        in.op = Code(Opcode::kPush);
        bench.Run(in);
        tally.Expect(bench.Output(sf::kIp) == n + 1 && bench.Output(sf::kSp) == n + 1, n, 1);
        in.op = Code(Opcode::kPop);
        bench.Run(in);
        tally.Expect(bench.Output(sf::kSp) == n - 1, n, 2);
        in.op = Code(Opcode::kStore);
        bench.Run(in);
        tally.Expect(bench.Output(sf::kSp) == n - 2, n, 3);
        in.op = Code(Opcode::kCall);
        bench.Run(in);
        tally.Expect(bench.Output(sf::kDepth) == n + 1, n, 4);
        in.op = Code(Opcode::kLoad);
        bench.Run(in);
        for (std::size_t j = 0; j < kWordBytes; ++j) {
          tally.Expect(bench.address(j) == std::int64_t{n} + static_cast<std::int64_t>(j), n, 5);
        }
      }
    }
  }
  return tally.Done();
}

}  // namespace

std::vector<CircuitCheck> ProveCircuits(const weights::Model& model,
                                        std::shared_ptr<const HullModel> hull,
                                        std::uint32_t stride) {
  Bench bench(model, std::move(hull));
  std::vector<CircuitCheck> checks = {ProveDecoder(bench), ProveCounters(bench)};
  for (const BinaryOp& op : kAdders) checks.push_back(ProveAdder(bench, op, stride));
  for (const BinaryOp& op : kLogic) checks.push_back(ProveLogic(bench, op, stride));
  for (const BinaryOp& op : kShifts) checks.push_back(ProveShift(bench, op, stride));
  for (const UnaryOp& op : kUnary) checks.push_back(ProveUnary(bench, op));
  checks.push_back(ProveProducts(bench, stride));
  checks.push_back(ProveProductCarries(bench, model, stride));
  checks.push_back(ProveOperandChecks(bench, stride));
  for (CircuitCheck& check : ProveDivision(bench, stride)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace txvm::vm
