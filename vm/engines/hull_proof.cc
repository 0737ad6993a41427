#include "vm/engines/hull_proof.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>

#include "isa/opcode.h"
#include "isa/word_ops.h"

namespace txvm::vm {
namespace {

using isa::Opcode;
using isa::Word;
namespace sf = weights::state_field;

constexpr Word kByteValues = 256;
constexpr Word kByteBits = 8;
constexpr Word kWordBytes = 4;
constexpr Word kWordBits = 32;
constexpr Word kStack = 3;  // operands on the stack of every check

/// Registers and tokens of one pass.
struct Inputs {
  std::uint8_t op = 0;
  Word aux = 0, arg = 0;
  Word third = 0, second = 0, top = 0;
  Word ip = 0, sp = kStack, depth = 0, base = 0;
  Word micro = 0, quotient = 0, remainder = 0, divisor = 0;
};

void SetKey(HullToken& token, std::int64_t key) {
  for (std::size_t i = 0; i < token.key.size(); ++i) {
    token.key[i] = static_cast<std::uint8_t>(key >> (kByteBits * i));
  }
}

void SetValue(HullToken& token, std::size_t first, Word value) {
  std::memcpy(token.value.data() + first, &value, sizeof(value));
}

/// Computes single passes of chosen inputs.
class Bench {
 public:
  Bench(const weights::Model& model, std::shared_ptr<const HullModel> hull)
      : pass_(std::move(hull)) {
    for (std::uint32_t i = 0; i < model.lanes.size(); ++i) lanes_[model.lanes[i].name] = i;
  }

  void Run(const Inputs& in) {
    weights::StateRecord state{};
    const auto set = [&](std::size_t field, Word word) {
      weights::SetWord(std::span(state).subspan(field), word);
    };
    set(sf::kIp, in.ip);
    set(sf::kSp, in.sp);
    set(sf::kDepth, in.depth);
    set(sf::kBase, in.base);
    set(sf::kTop, in.top);
    set(sf::kQuotient, in.quotient);
    set(sf::kRemainder, in.remainder);
    set(sf::kDivisor, in.divisor);
    for (const std::size_t limit : {sf::kMaxSlots, sf::kMaxDepth, sf::kMaxBase}) {
      set(limit, ~Word{0});
    }
    state[sf::kPages + 2] = 1;  // 65,536 pages: every address is inside
    state[sf::kMicro] = static_cast<std::int32_t>(in.micro);
    SetValue(fetched_, 0, in.op | in.aux << kByteBits);
    SetValue(fetched_, sizeof(Word), in.arg);
    SetValue(second_, 0, in.second);
    SetValue(third_, 0, in.third);
    pass_.Run(state, [this](weights::HeadId id, weights::Space, std::int64_t address) {
      return Found(id, address);
    });
  }

  Word Output(std::size_t field) const {
    Word word = 0;
    for (Word i = 0; i < kWordBytes; ++i) {
      word |= static_cast<Word>(pass_.Output(field + i)) << (kByteBits * i);
    }
    return word;
  }
  Word Top() const { return Output(sf::kTop); }
  bool Traps() const { return pass_.Output(sf::kStopped) != 0; }
  std::int32_t Lane(const std::string& name) const { return pass_.lanes()[lanes_.at(name)]; }
  std::int64_t address(std::size_t byte) const { return addresses_[byte]; }

  /// The result word when the lanes of `set` hold these values after the layer that completes
  /// them, and everything else is 0.
  Word ResultOf(std::span<const std::pair<std::string, std::int32_t>> set, std::size_t layer) {
    std::vector<std::pair<std::uint32_t, std::int32_t>> lanes;
    for (const auto& [name, value] : set) lanes.emplace_back(lanes_.at(name), value);
    pass_.RunLayersFrom(layer, lanes);
    Word word = 0;
    for (Word i = 0; i < kWordBytes; ++i) {
      word |= static_cast<Word>(Lane("result." + std::string(1, static_cast<char>('0' + i))))
              << (kByteBits * i);
    }
    return word;
  }

 private:
  const HullToken* Found(weights::HeadId id, std::int64_t address) {
    HullToken* token = &empty_;
    if (id == weights::HeadId::kFetch) token = &fetched_;
    if (id == weights::HeadId::kStackSecond) token = &second_;
    if (id == weights::HeadId::kStackThird) token = &third_;
    const std::size_t byte =
        static_cast<std::size_t>(id) - static_cast<std::size_t>(weights::HeadId::kByte0);
    if (byte < kWordBytes) addresses_[byte] = address;
    SetKey(*token, address);
    return token;
  }

  HullPass pass_;
  std::map<std::string, std::uint32_t> lanes_;
  HullToken fetched_{}, second_{}, third_{}, empty_{};
  std::array<std::int64_t, kWordBytes> addresses_{};
};

/// Counts cases and keeps the first failure of a check.
class Tally {
 public:
  explicit Tally(std::string name) { check_.name = std::move(name); }
  void Expect(bool holds, Word a, Word b) {
    ++check_.cases;
    if (holds) return;
    if (check_.failures++ == 0) check_.first_failure = fmt::format("{:#x}, {:#x}", a, b);
  }
  CircuitCheck Done() const { return check_; }

 private:
  CircuitCheck check_;
};

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

std::uint8_t Code(Opcode op) { return static_cast<std::uint8_t>(op); }
std::string Text(Opcode op) { return std::string(isa::Info(op).text); }

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

// A micro-step on remainders and divisors at every distance that matters: equal, one apart, with
// the remainder's bit 31 set, and the dividend's bit that moves in.
CircuitCheck ProveDivisionStep(Bench& bench, Word stride) {
  Tally tally("division micro-step: 33 x 33 powers of two and neighbours x bit moving in");
  std::vector<Word> words;
  for (Word bit = 0; bit < kWordBits; ++bit) {
    for (const Word d : {~Word{0}, Word{0}, Word{1}}) words.push_back((Word{1} << bit) + d);
  }
  words.push_back(~Word{0});
  for (const Word divisor : words) {
    for (std::size_t i = 0; i < words.size(); i += stride) {
      const Word remainder = words[i];
      if (divisor == 0 || remainder >= divisor) continue;
      for (const Word quotient : {0x00000000u, 0x80000000u, 0x55AA55AAu, 0xFFFFFFFFu}) {
        Inputs in;
        in.op = Code(Opcode::kDivU);
        in.second = in.top = 1;
        in.micro = 1;
        in.quotient = quotient;
        in.remainder = remainder;
        in.divisor = divisor;
        bench.Run(in);
        const std::uint64_t moved = std::uint64_t{remainder} * 2 + (quotient >> (kWordBits - 1));
        const bool fits = moved >= divisor;
        const Word left = static_cast<Word>(fits ? moved - divisor : moved);
        const bool holds = bench.Output(sf::kQuotient) == (quotient << 1 | (fits ? 1u : 0u)) &&
                           bench.Output(sf::kRemainder) == left &&
                           bench.Output(sf::kDivisor) == divisor;
        tally.Expect(holds, remainder, divisor);
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
  checks.push_back(ProveDivisionStep(bench, stride));
  return checks;
}

}  // namespace txvm::vm
