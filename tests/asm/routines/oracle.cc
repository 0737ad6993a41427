#include "tests/asm/routines/oracle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/support/result.h"
#include "isa/trap.h"
#include "tests/asm/routines/vector_oracle.h"

namespace txvm::assembler {
namespace {

using U64 = std::uint64_t;

template <typename T>
constexpr bool kIsWide = sizeof(T) == 8;

/// The operand that starts at row `at`.
template <typename T>
T Read(std::span<const Row> rows, std::size_t at, std::size_t lane) {
  if constexpr (kIsWide<T>) {
    return std::bit_cast<T>(rows[at][lane] | U64{rows[at + 1][lane]} << 32);
  } else {
    return std::bit_cast<T>(rows[at][lane]);
  }
}

template <typename T>
T Canonical(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::numeric_limits<T>::quiet_NaN();
  }
  return value;
}

template <typename T>
void Write(T value, std::span<Row> rows, std::size_t lane) {
  if constexpr (kIsWide<T>) {
    const U64 bits = std::bit_cast<U64>(Canonical(value));
    rows[0][lane] = static_cast<Word>(bits);
    rows[1][lane] = static_cast<Word>(bits >> 32);
  } else {
    rows[0][lane] = std::bit_cast<Word>(Canonical(value));
  }
}

/// The rows of one call.
struct Block {
  std::span<const Row> in;
  std::span<Row> out;
  std::span<std::uint8_t> traps;
  std::size_t lanes;

  template <typename A, typename F>
  void One(F f) const {
    for (std::size_t i = 0; i < lanes; ++i) Write(f(Read<A>(in, 0, i)), out, i);
  }
  template <typename A, typename F>
  void Two(F f) const {
    for (std::size_t i = 0; i < lanes; ++i) {
      Write(f(Read<A>(in, 0, i), Read<A>(in, kIsWide<A> ? 2 : 1, i)), out, i);
    }
  }
  template <typename A, typename F>
  void Compare(F f) const {
    Two<A>([f](A a, A b) { return f(a, b) ? Word{1} : Word{0}; });
  }
  /// To the integer type I; `saturates`, or traps.
  template <typename I, typename A>
  void Cut(bool saturates) const;
};

template <typename T>
T Min(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <typename T>
T Max(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <typename I, typename A>
void Block::Cut(bool saturates) const {
  // Both bounds are powers of two or 0, exact in A: low <= cut < above.
  const A above = std::ldexp(A{1}, std::numeric_limits<I>::digits);
  const A low = std::numeric_limits<I>::is_signed ? -above : A{0};
  for (std::size_t i = 0; i < lanes; ++i) {
    const A a = Read<A>(in, 0, i);
    const A cut = std::trunc(a);
    I value = 0;
    isa::Trap cause{};
    if (std::isnan(a)) {
      cause = isa::Trap::kInvalidConversion;
    } else if (cut < low) {
      cause = isa::Trap::kIntegerOverflow;
      value = std::numeric_limits<I>::min();
    } else if (cut >= above) {
      cause = isa::Trap::kIntegerOverflow;
      value = std::numeric_limits<I>::max();
    } else {
      value = static_cast<I>(cut);
    }
    if (!saturates) traps[i] = static_cast<std::uint8_t>(cause);
    Write(value, out, i);
  }
}

template <typename T>
bool Arithmetic(const Block& block, std::string_view op) {
  // clang-format off
  if (op == "add") return block.Two<T>([](T a, T b) { return a + b; }), true;
  if (op == "sub") return block.Two<T>([](T a, T b) { return a - b; }), true;
  if (op == "mul") return block.Two<T>([](T a, T b) { return a * b; }), true;
  if (op == "div") return block.Two<T>([](T a, T b) { return a / b; }), true;
  if (op == "min") return block.Two<T>([](T a, T b) { return Min(a, b); }), true;
  if (op == "max") return block.Two<T>([](T a, T b) { return Max(a, b); }), true;
  if (op == "eq") return block.Compare<T>([](T a, T b) { return a == b; }), true;
  if (op == "ne") return block.Compare<T>([](T a, T b) { return a != b; }), true;
  if (op == "lt") return block.Compare<T>([](T a, T b) { return a < b; }), true;
  if (op == "gt") return block.Compare<T>([](T a, T b) { return a > b; }), true;
  if (op == "le") return block.Compare<T>([](T a, T b) { return a <= b; }), true;
  if (op == "ge") return block.Compare<T>([](T a, T b) { return a >= b; }), true;
  if (op == "sqrt") return block.One<T>([](T a) { return std::sqrt(a); }), true;
  if (op == "ceil") return block.One<T>([](T a) { return std::ceil(a); }), true;
  if (op == "floor") return block.One<T>([](T a) { return std::floor(a); }), true;
  if (op == "trunc") return block.One<T>([](T a) { return std::trunc(a); }), true;
  if (op == "nearest") return block.One<T>([](T a) { return std::nearbyint(a); }), true;
  if (op == "convert_i32_s") return block.One<std::int32_t>([](std::int32_t a) { return static_cast<T>(a); }), true;
  if (op == "convert_i32_u") return block.One<Word>([](Word a) { return static_cast<T>(a); }), true;
  if (op == "convert_i64_s") return block.One<std::int64_t>([](std::int64_t a) { return static_cast<T>(a); }), true;
  if (op == "convert_i64_u") return block.One<U64>([](U64 a) { return static_cast<T>(a); }), true;
  if (op == "demote_f64") return block.One<double>([](double a) { return static_cast<float>(a); }), true;
  if (op == "promote_f32") return block.One<float>([](float a) { return static_cast<double>(a); }), true;
  // clang-format on
  return false;
}

template <typename S, typename U>
bool Cuts(const Block& block, std::string_view op) {
  const bool saturates = op.starts_with("trunc_sat_");
  if (!op.starts_with("trunc_")) return false;
  const bool from_f32 = op.find("_f32_") != op.npos;
  const bool is_signed = op.ends_with("_s");
  if (from_f32) {
    is_signed ? block.Cut<S, float>(saturates) : block.Cut<U, float>(saturates);
  } else {
    is_signed ? block.Cut<S, double>(saturates) : block.Cut<U, double>(saturates);
  }
  return true;
}

bool Integers(const Block& block, std::string_view op) {
  constexpr U64 kMask = 63;
  // clang-format off
  if (op == "mul") return block.Two<U64>([](U64 a, U64 b) { return a * b; }), true;
  if (op == "shl") return block.Two<U64>([](U64 a, U64 b) { return a << (b & kMask); }), true;
  if (op == "shr_u") return block.Two<U64>([](U64 a, U64 b) { return a >> (b & kMask); }), true;
  if (op == "shr_s") return block.Two<U64>([](U64 a, U64 b) { return static_cast<U64>(static_cast<std::int64_t>(a) >> (b & kMask)); }), true;
  if (op == "rotl") return block.Two<U64>([](U64 a, U64 b) { return std::rotl(a, static_cast<int>(b & kMask)); }), true;
  if (op == "rotr") return block.Two<U64>([](U64 a, U64 b) { return std::rotr(a, static_cast<int>(b & kMask)); }), true;
  if (op == "clz") return block.One<U64>([](U64 a) { return static_cast<U64>(std::countl_zero(a)); }), true;
  if (op == "ctz") return block.One<U64>([](U64 a) { return static_cast<U64>(std::countr_zero(a)); }), true;
  if (op == "popcnt") return block.One<U64>([](U64 a) { return static_cast<U64>(std::popcount(a)); }), true;
  // clang-format on
  return false;
}

/// By the processor, or by plain C++ where it has no instruction for it.
void Vectors(const isa::VectorRoutine& row, std::span<const Row> in, std::span<Row> out,
             std::size_t lanes) {
  constexpr std::size_t kCells = 4;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    VectorOperands operands;
    for (std::size_t i = 0; i + 1 <= in.size() / kCells * kCells; ++i) {
      operands.vectors[i / kCells][i % kCells] = in[i][lane];
    }
    if (in.size() % kCells != 0) operands.count = in.back()[lane];
    const std::optional<VectorWords> own = OfProcessor(row, operands);
    const VectorWords result = own ? *own : LaneByLane(row, operands);
    for (std::size_t i = 0; i < out.size(); ++i) out[i][lane] = result[i];
  }
}

}  // namespace

void Oracle(RoutineId id, std::span<const Row> operands, std::span<Row> results,
            std::span<std::uint8_t> traps, std::size_t lanes) {
  std::ranges::fill(traps, std::uint8_t{0});
  if (const isa::VectorRoutine* vector = isa::FindVectorRoutine(id)) {
    return Vectors(*vector, operands, results, lanes);
  }
  const Block block{operands, results, traps, lanes};
  const std::string_view name = Info(id).name;
  const std::size_t dot = name.find('.');
  const std::string_view type = name.substr(0, dot), op = name.substr(dot + 1);
  const bool known = type == "f32"   ? Arithmetic<float>(block, op)
                     : type == "f64" ? Arithmetic<double>(block, op)
                     : type == "i32" ? Cuts<std::int32_t, Word>(block, op)
                                     : Cuts<std::int64_t, U64>(block, op) || Integers(block, op);
  TXVM_ASSERT(known);
}

}  // namespace txvm::assembler
