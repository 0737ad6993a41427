#include "tests/asm/routines/operands.h"

namespace txvm::assembler {
namespace {

constexpr std::size_t kCorners = 32;  // of a lane of a vector

constexpr int kFloatFraction = 23, kDoubleFraction = 52;

/// Bits 0..count-1. count <= 63.
constexpr std::uint64_t Ones(int count) { return (std::uint64_t{1} << count) - 1; }

}  // namespace

OperandSource::Kind OperandSource::KindOf(RoutineId id) {
  if (isa::FindVectorRoutine(id) != nullptr) return Kind::kVector;
  const std::string_view name = Info(id).name;
  const std::string_view type = name.substr(0, name.find('.'));
  const std::string_view op = name.substr(type.size());
  // A conversion names what it reads: i64.trunc_f32_s reads an f32.
  const auto is_from = [&](std::string_view other) { return op.find(other) != op.npos; };
  if (is_from("_i32")) return Kind::kWord;
  if (is_from("_i64")) return Kind::kWide;
  if (is_from("_f32")) return Kind::kFloat;
  if (is_from("_f64")) return Kind::kDouble;
  return type == "f32" ? Kind::kFloat : type == "f64" ? Kind::kDouble : Kind::kWide;
}

bool OperandSource::IsPair(RoutineId id) {
  const Kind kind = KindOf(id);
  if (kind == Kind::kVector) return false;
  return Info(id).cells_in == (kind == Kind::kFloat || kind == Kind::kWord ? 2 : 4);
}

bool OperandSource::Alike(RoutineId a, RoutineId b) {
  if (KindOf(a) != KindOf(b) || IsPair(a) != IsPair(b)) return false;
  return KindOf(a) != Kind::kVector ||
         (Info(a).cells_in == Info(b).cells_in &&
          OperandLanes(*isa::FindVectorRoutine(a)) == OperandLanes(*isa::FindVectorRoutine(b)));
}

OperandSource::OperandSource(RoutineId id, std::uint64_t seed)
    : random_(seed * 0x9E3779B97F4A7C15), kind_(KindOf(id)), is_pair_(IsPair(id)) {
  if (kind_ == Kind::kVector) lanes_ = OperandLanes(*isa::FindVectorRoutine(id));
}

/// A float of any kind: the exponent, the fraction and the sign are drawn apart.
std::uint64_t OperandSource::Float(int bits, int fraction_bits) {
  const U64 r = random_.Next();
  const int exponent_bits = bits - 1 - fraction_bits;
  const U64 top = Ones(exponent_bits), bias = top >> 1;
  U64 fraction = (r >> 12) & Ones(fraction_bits);
  if ((r & 0xFF) < 0x60) {  // everything alike
    return random_.Next() & (bits == 64 ? ~U64{0} : Ones(bits));
  }
  if ((r & 0xFF) < 0x78) {  // zero, subnormals, the largest, infinity, NaN
    const U64 one = U64{1} << fraction_bits;
    const U64 special[] = {
        0, 1, one - 1, one, (one * top) - 1, one * top, one * top + 1, one * top + one / 2};
    return ((r >> 63) << (bits - 1)) | special[(r >> 8) & 7];
  }
  if ((r & 0xFF) < 0x80) {  // at the ends of the integers
    constexpr int kEnds[] = {-1, 0, 30, 31, 32, 62, 63, 64};
    const U64 exponent = bias + static_cast<U64>(kEnds[(r >> 8) & 7]);
    const U64 step = ((r >> 11) & 3) - 2;  // -2 .. 1 from the power of two
    return ((r >> 63) << (bits - 1)) | ((exponent << fraction_bits) + step);
  }
  const U64 s = random_.Next();
  const auto count = static_cast<int>((s & 0xFF) % static_cast<U64>(fraction_bits + 1));
  switch ((s >> 8) & 7) {
    case 0:  // few bits at the top
      fraction &= ~Ones(fraction_bits - count);
      break;
    case 1:  // few bits at the bottom
      fraction &= Ones(count);
      break;
    case 2:  // a run of ones from the top
      fraction = Ones(fraction_bits) & ~Ones(fraction_bits - count);
      break;
    case 3:  // ones at the bottom
      fraction |= Ones(count);
      break;
    case 4:  // next to a power of two
      fraction = ((s >> 16) & 3) < 2 ? (s >> 18) & 3 : Ones(fraction_bits) - ((s >> 18) & 3);
      break;
    default:
      break;
  }
  U64 exponent = (s >> 24) & top;
  switch ((s >> 40) & 7) {
    case 0:  // subnormal or zero
      exponent = 0;
      break;
    case 1:  // smallest, and what is around them
      exponent = (s >> 44) & 31;
      break;
    case 2:  // largest, infinite, NaN
      exponent = top - ((s >> 44) & 7);
      break;
    case 3:  // around 1, and the integers
      exponent = bias - 2 + ((s >> 44) % 72);
      break;
    case 4:  // half of the exponents that a product can have
      exponent = (bias / 2) + ((s >> 44) & 31);
      break;
    default:
      break;
  }
  return (s >> 63) << (bits - 1) | exponent << fraction_bits | fraction;
}

/// A second operand with a reason: about as large, or such that a product or quotient is at a
/// limit.
std::uint64_t OperandSource::Near(U64 a, int bits, int fraction_bits) {
  const U64 r = random_.Next();
  const U64 all = bits == 64 ? ~U64{0} : Ones(bits);
  const U64 top = Ones(bits - 1 - fraction_bits), bias = top >> 1;
  const U64 sign = (r & 1) << (bits - 1);
  const U64 exponent = (a >> fraction_bits) & top;
  const U64 fraction = Float(bits, fraction_bits) & Ones(fraction_bits);
  switch ((r >> 1) & 7) {
    case 0:  // next to a or -a
      return (a ^ sign) + ((r >> 8) & 7) - 3;
    case 1: {  // a or -a with some low bits changed
      const auto count = static_cast<int>((r >> 8) % static_cast<U64>(fraction_bits));
      return (a ^ sign ^ (Float(bits, fraction_bits) & Ones(count))) & all;
    }
    case 2:
    case 3: {  // an exponent within reach of a's
      const U64 reach = 2 * static_cast<U64>(fraction_bits) + 12;
      const U64 other = exponent + (r >> 8) % reach - reach / 2;
      return sign | (other & top) << fraction_bits | fraction;
    }
    case 4: {  // a * b at the limit to overflow, or to 0
      const U64 target =
          (r >> 4 & 1) != 0 ? top + bias : bias - static_cast<U64>(fraction_bits) - 2;
      const U64 spread = static_cast<U64>(fraction_bits) + 8;
      return sign | ((target - exponent + (r >> 8) % spread - 4) & top) << fraction_bits | fraction;
    }
    case 5: {  // a / b at a limit
      const U64 target = (r >> 4 & 1) != 0 ? bias : U64{0} - bias + static_cast<U64>(fraction_bits);
      const U64 spread = static_cast<U64>(fraction_bits) + 8;
      return sign | ((exponent - target + (r >> 8) % spread - 4) & top) << fraction_bits | fraction;
    }
    default:
      return Float(bits, fraction_bits);
  }
}

std::uint64_t OperandSource::Integer(int bits) {
  const U64 r = random_.Next();
  const U64 all = bits == 64 ? ~U64{0} : Ones(bits);
  const auto count = static_cast<int>((r >> 8) % static_cast<U64>(bits));
  U64 value = random_.Next();
  switch (r & 7) {
    case 0:  // next to a power of two
      value = (U64{1} << count) + ((r >> 16) & 7) - 3;
      break;
    case 1:
      value = U64{0} - ((U64{1} << count) + ((r >> 16) & 7) - 3);
      break;
    case 2:  // two distant groups of bits: ties
      value = ((value & 0xFFFFFF) << count) + ((r >> 16) & 3);
      break;
    case 3:
      value = (r >> 16) & 127;
      break;
    case 4:
    case 5:
      value >>= count;
      break;
    default:
      break;
  }
  return value & all;
}

/// A lane of a vector: a corner value of its type by number, or a random one that may be near
/// `before`.
std::uint64_t OperandSource::VectorLane(U64 before, std::size_t corner) {
  const auto bits = static_cast<int>(lanes_.bits);
  const U64 all = bits == 64 ? ~U64{0} : Ones(bits), top = U64{1} << (bits - 1);
  if (lanes_.is_float) {
    const int fraction = bits == 32 ? kFloatFraction : kDoubleFraction;
    const U64 one = U64{1} << fraction, infinity = all >> fraction >> 1 << fraction;
    const U64 bias = (infinity >> fraction) >> 1;
    const U64 corners[kCorners / 2] = {0,
                                       1,
                                       one - 1,
                                       one,
                                       infinity - 1,
                                       infinity,
                                       infinity | 1,
                                       infinity | one >> 1,
                                       bias << fraction,
                                       (bias << fraction) - 1,
                                       (bias - 1) << fraction,
                                       (bias + 30) << fraction,
                                       (bias + 31) << fraction,
                                       ((bias + 31) << fraction) - 1,
                                       ((bias + 31) << fraction) + 1,
                                       (bias + 32) << fraction};
    if (corner < kCorners) return corners[corner / 2] | (corner % 2 != 0 ? top : 0);
    return (random_.Next() & 1) != 0 ? Near(before, bits, fraction) & all : Float(bits, fraction);
  }
  const U64 corners[kCorners] = {0,
                                 1,
                                 2,
                                 3,
                                 4,
                                 7,
                                 8,
                                 15,
                                 16,
                                 31,
                                 32,
                                 63,
                                 64,
                                 127,
                                 128,
                                 129,
                                 254,
                                 255,
                                 256 & all,
                                 top,
                                 top - 1,
                                 top + 1,
                                 top - 2,
                                 top + 2,
                                 all,
                                 all - 1,
                                 all - 2,
                                 all >> 2,
                                 0x5555555555555555 & all,
                                 0xAAAAAAAAAAAAAAAA & all,
                                 top >> 1,
                                 (top >> 1) + 1};
  if (corner < kCorners) return corners[corner] & all;
  const U64 r = random_.Next();
  if ((r & 7) == 0) return before;
  if ((r & 7) == 1) return (before + (r >> 8) % 5 - 2) & all;
  return (r & 8) != 0 ? Integer(bits) : random_.Next() & all;
}

/// One block in four has pairs of corner values, each pair in its turn; the others are random.
void OperandSource::FillVectors(std::span<Row> rows) {
  constexpr std::size_t kCells = 4;
  const bool are_corners = (random_.Next() & 3) == 0;
  const std::size_t count = 128 / lanes_.bits, vectors = rows.size() / kCells;
  for (std::size_t set = 0; set < kLanes; ++set) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t pair = are_corners ? next_pair_++ % (kCorners * kCorners) : 0;
      U64 value = 0;
      for (std::size_t v = 0; v < vectors; ++v) {
        const std::size_t number = v == 0 ? pair % kCorners : pair / kCorners;
        value = VectorLane(value, are_corners && v < 2 ? number : kCorners);
        const std::size_t at = i * lanes_.bits, cell = kCells * v + at / 32;
        if (at % 32 == 0) rows[cell][set] = 0;
        rows[cell][set] |= static_cast<Word>(value << (at % 32));
        if (lanes_.bits == 64) rows[cell + 1][set] = static_cast<Word>(value >> 32);
      }
    }
    if (rows.size() % kCells == 0) continue;
    const U64 r = random_.Next();  // the count of a shift
    rows.back()[set] = static_cast<Word>((r & 1) != 0 ? r >> 8 & 127 : r >> 8);
  }
}

void OperandSource::Fill(std::span<Row> rows) {
  if (kind_ == Kind::kVector) return FillVectors(rows);
  const std::size_t cells = rows.size() / (is_pair_ ? 2 : 1);
  const bool is_float = kind_ == Kind::kFloat || kind_ == Kind::kDouble;
  const int bits = cells == 1 ? 32 : 64;
  const int fraction = cells == 1 ? kFloatFraction : kDoubleFraction;
  const auto put = [&](std::size_t at, std::size_t lane, U64 value) {
    rows[at][lane] = static_cast<Word>(value);
    if (cells == 2) rows[at + 1][lane] = static_cast<Word>(value >> 32);
  };
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const U64 a = is_float ? Float(bits, fraction) : Integer(bits);
    if (!is_pair_) {
      put(0, lane, a);
      continue;
    }
    const U64 b = is_float ? Near(a, bits, fraction) : Integer(bits);
    const bool swapped = (random_.Next() & 1) != 0;
    put(0, lane, swapped ? b : a);
    put(cells, lane, swapped ? a : b);
  }
}

void FillInOrder(std::span<Row> rows, std::uint32_t first) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    rows[0][lane] = first + static_cast<std::uint32_t>(lane);
  }
}

}  // namespace txvm::assembler
