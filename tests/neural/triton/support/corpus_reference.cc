#include "tests/neural/triton/support/corpus_reference.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <sstream>
#include <string>

#include "vm/tensor/goldilocks_ext.h"

namespace txvm::triton {
namespace {

using Words = std::vector<std::uint64_t>;
using vm::goldilocks::Add;
using vm::goldilocks::Inverse;
using vm::goldilocks::kPrime;
using vm::goldilocks::Mul;
using vm::goldilocks::Neg;
using vm::goldilocks::Pow;
using vm::goldilocks::Sub;

struct Call {
  const Words& p;  // parameters
  const TirInputs& in;
  const Words& x;  // public input
};
using Function = Words (*)(const Call&);

std::uint32_t U(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint64_t Bit(bool b) { return b ? 1 : 0; }

Words Linear(const Call& c) {
  std::uint64_t a = c.p[0], b = c.p[1];
  for (std::uint64_t i = 0; i < c.x[0]; ++i) {
    const std::uint64_t next = Add(Mul(c.p[2], a), Mul(c.p[3], b));
    a = b;
    b = next;
  }
  return {a};
}

Words Fold(std::uint64_t s, std::uint64_t n, std::uint64_t (*f)(std::uint64_t, std::uint64_t)) {
  for (std::uint64_t i = 1; i <= n; ++i) s = f(s, i);
  return {s};
}

Words Horner(const Words& high_first, std::uint64_t x) {
  std::uint64_t s = 0;
  for (const std::uint64_t c : high_first) s = Add(Mul(s, x), c);
  return {s};
}

Words MatVec(const Call& c) {
  const std::size_t rows = c.p[0], columns = c.p[1];
  Words out;
  for (std::size_t i = 0; i < rows; ++i) {
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      sum = Add(sum, Mul(c.x[columns + i * columns + j], c.x[j]));
    }
    out.push_back(sum);
  }
  return out;
}

bool Positive(std::uint64_t x) { return (x >> 32) < 0x7FFF'FFFF; }

Words Dense(const Call& c) {
  std::uint64_t sum = c.x[0];
  const std::size_t n = c.p[0];
  for (std::size_t i = 0; i < n; ++i) sum = Add(sum, Mul(c.x[1 + i], c.x[1 + n + i]));
  return {Positive(sum) ? sum : 0};
}

Words BigAdd(const Call& c) {
  const std::size_t n = c.p[0];
  Words out;
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t sum = c.x[i] + c.x[n + i] + carry;
    out.push_back(U(sum));
    carry = sum >> 32;
  }
  out.push_back(carry);
  return out;
}

Words BigSub(const Call& c) {
  const std::size_t n = c.p[0];
  Words out;
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t difference = c.x[i] - c.x[n + i] - borrow;
    out.push_back(U(difference));
    borrow = Bit(c.x[i] < c.x[n + i] + borrow);
  }
  out.push_back(borrow);
  return out;
}

Words BigLess(const Call& c) {
  const std::size_t n = c.p[0];
  for (std::size_t i = n; i-- > 0;) {
    if (c.x[i] != c.x[n + i]) return {Bit(c.x[i] < c.x[n + i])};
  }
  return {0};
}

Digest Reversed(const Words& x, std::size_t from) {  // the last word read is word 0
  Digest digest;
  for (std::size_t i = 0; i < 5; ++i) digest[i] = x[from + 4 - i];
  return digest;
}

Words MerkleRoot(const Call& c) {
  std::uint64_t index = c.x[0];
  Digest node = Reversed(c.x, 1);
  for (std::size_t i = 0; i < c.p[0]; ++i) {
    node = (index & 1) != 0 ? Tip5HashPair(c.in.digests[i], node)
                            : Tip5HashPair(node, c.in.digests[i]);
    index >>= 1;
  }
  return {node.begin(), node.end()};
}

vm::goldilocks::Cubic Cube(const Words& x, std::size_t from) {
  return {{x[from + 2], x[from + 1], x[from]}};
}
Words Coefficients(const vm::goldilocks::Cubic& a) { return {a.c.begin(), a.c.end()}; }

Words ExtScale(const Call& c) {
  auto a = Cube(c.x, 0);
  for (std::size_t i = 0; i < c.p[0]; ++i) a = Scale(a, c.x[3 + i]);
  return Coefficients(a);
}

std::array<std::uint64_t, 10> TopFirst(const Words& x, std::size_t from, std::size_t n) {
  std::array<std::uint64_t, 10> words{};
  for (std::size_t i = 0; i < n; ++i) words[i] = x[from + n - 1 - i];
  return words;
}

Words Seal(const Call& c) {
  std::array<std::uint64_t, 10> words{};
  words[0] = c.p[1];
  for (std::size_t i = 0; i < c.p[0]; ++i) words[9 - i] = c.x[i];
  const Digest digest = Tip5Hash10(words);
  return {digest.begin(), digest.end()};
}

Words Reveal(const Call& c) {
  Words out = {c.p[1]};
  for (std::size_t i = c.p[0]; i-- > 0;) out.push_back(c.x[i]);
  return out;
}

Words HashOf(const Call& c) {
  const Digest digest = Tip5Hash10(TopFirst(c.x, 0, c.p[0]));
  return {digest.begin(), digest.end()};
}

Words Sponge(const Call& c) {
  Tip5 sponge = Tip5::VariableLength();
  for (std::size_t i = 0; i < c.p[0]; ++i) {
    sponge.SetRate(TopFirst(c.x, 10 * i, 10));
    sponge.Permute();
  }
  return {sponge.Lane(0), sponge.Lane(1)};
}

Words HashChain(const Call& c) {
  Digest digest = Reversed(c.x, 0);
  for (std::size_t i = 0; i < c.p[0]; ++i) {
    std::array<std::uint64_t, 10> words{};
    std::copy(digest.begin(), digest.end(), words.begin() + 5);
    digest = Tip5Hash10(words);
  }
  return {digest.begin(), digest.end()};
}

std::uint64_t Sum(const Words& x) {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : x) sum = Add(sum, word);
  return sum;
}

Words External(const Call& c) {
  Words out;
  for (const std::uint64_t s : c.x) out.push_back(Add(s, Sum(c.x)));
  return out;
}

Words Internal(const Call& c) {
  constexpr std::uint64_t kDiagonal[] = {2, 3, 5, 9, 17, 33, 65, 129};
  Words out;
  for (std::size_t i = 0; i < c.x.size(); ++i) {
    out.push_back(Add(Mul(kDiagonal[i], c.x[i]), Sum(c.x)));
  }
  return out;
}

Words Layer(const Call& c) {
  Words out;
  for (std::size_t i = 0; i < c.p.size(); ++i) out.push_back(Pow(Add(c.x[i], c.p[i]), 7));
  return out;
}

Words Sigma(const Call& c) {
  const std::uint32_t x = U(c.x[0]);
  const std::uint32_t last =
      c.p[2] != 0 ? std::rotr(x, static_cast<int>(c.p[2])) : x >> static_cast<int>(c.p[3]);
  return {std::rotr(x, static_cast<int>(c.p[0])) ^ std::rotr(x, static_cast<int>(c.p[1])) ^ last};
}

Words Differences(const Call& c) {
  Words out = {Sum(c.x)};
  for (std::size_t i = 0; i + 1 < c.x.size(); ++i) out.push_back(Sub(c.x[i], c.x[i + 1]));
  return out;
}

Words Sorted(const Call& c) {
  Words out = c.x;
  std::sort(out.begin(), out.end());
  return out;
}

Words ByteSwap(const Call& c) { return {__builtin_bswap32(U(c.x[0]))}; }

Words Det3(const Call& c) {
  const Words& m = c.x;
  const auto minor = [&](std::size_t a, std::size_t b, std::size_t d, std::size_t e) {
    return Sub(Mul(m[a], m[b]), Mul(m[d], m[e]));
  };
  return {Add(Sub(Mul(m[0], minor(4, 8, 5, 7)), Mul(m[1], minor(3, 8, 5, 6))),
              Mul(m[2], minor(3, 7, 4, 6)))};
}

const std::map<std::string, Function>& Functions();

}  // namespace

std::optional<Words> CorpusReference(std::string_view reference, const TirInputs& inputs) {
  std::istringstream text{std::string(reference)};
  std::string name;
  text >> name;
  Words parameters;
  for (std::string token; text >> token;) {
    parameters.push_back(token[0] == '-' ? vm::goldilocks::FromSigned(std::stoll(token))
                                         : std::stoull(token));
  }
  const auto found = Functions().find(name);
  if (found == Functions().end()) return std::nullopt;
  return found->second({parameters, inputs, inputs.input});
}

namespace {

const std::map<std::string, Function>& Functions() {
  static const std::map<std::string, Function> kFunctions = {
      {"linear", Linear},
      {"triangular",
       [](const Call& c) {
         return Fold(0, c.x[0], [](std::uint64_t s, std::uint64_t i) { return Add(s, i); });
       }},
      {"factorial",
       [](const Call& c) {
         return Fold(1, c.x[0], [](std::uint64_t s, std::uint64_t i) { return Mul(s, i); });
       }},
      {"squares",
       [](const Call& c) {
         return Fold(0, c.x[0], [](std::uint64_t s, std::uint64_t i) { return Add(s, Mul(i, i)); });
       }},
      {"geometric", [](const Call& c) { return Words{Pow(c.p[0], c.x[0])}; }},
      {"geometric_sum", [](const Call& c) { return Horner(Words(c.x[0], 1), c.p[0]); }},
      {"gcd", [](const Call& c) { return Words{std::gcd(c.x[0], c.x[1])}; }},
      {"coprime", [](const Call& c) { return Words{Bit(std::gcd(c.x[0], c.x[1]) == 1)}; }},
      {"lcm", [](const Call& c) { return Words{std::lcm(c.x[0], c.x[1])}; }},
      {"gcd3", [](const Call& c) { return Words{std::gcd(c.x[0], std::gcd(c.x[1], c.x[2]))}; }},
      {"power", [](const Call& c) { return Words{Pow(c.x[0], c.p[0])}; }},
      {"horner", [](const Call& c) { return Horner(Words(c.p.rbegin(), c.p.rend()), c.x[0]); }},
      {"horner_read",
       [](const Call& c) { return Horner(Words(c.x.begin() + 1, c.x.end()), c.x[0]); }},
      {"dot",
       [](const Call& c) {
         std::uint64_t sum = 0;
         for (std::size_t i = 0; i < c.p[0]; ++i) sum = Add(sum, Mul(c.x[i], c.x[c.p[0] + i]));
         return Words{sum};
       }},
      {"sum", [](const Call& c) { return Words{Sum(c.x)}; }},
      {"matvec", MatVec},
      {"dense", Dense},
      {"relu", [](const Call& c) { return Words{Positive(c.x[0]) ? c.x[0] : 0}; }},
      {"leaky_relu",
       [](const Call& c) { return Words{Positive(c.x[0]) ? c.x[0] : Mul(c.x[0], 3)}; }},
      {"is_positive", [](const Call& c) { return Words{Bit(Positive(c.x[0]))}; }},
      {"rotr", [](const Call& c) { return Words{std::rotr(U(c.x[0]), static_cast<int>(c.p[0]))}; }},
      {"shl32", [](const Call& c) { return Words{U(c.x[0] << c.p[0])}; }},
      {"shr", [](const Call& c) { return Words{c.x[0] >> c.p[0]}; }},
      {"sigma", Sigma},
      {"ch", [](const Call& c) { return Words{(c.x[0] & c.x[1]) ^ (U(~c.x[0]) & c.x[2])}; }},
      {"maj",
       [](const Call& c) {
         return Words{(c.x[0] & c.x[1]) ^ (c.x[0] & c.x[2]) ^ (c.x[1] & c.x[2])};
       }},
      {"add32", [](const Call& c) { return Words{U(Sum(c.x))}; }},
      {"not32", [](const Call& c) { return Words{U(~c.x[0])}; }},
      {"big_add", BigAdd},
      {"big_sub", BigSub},
      {"big_eq",
       [](const Call& c) {
         const auto half = c.x.begin() + static_cast<std::ptrdiff_t>(c.p[0]);
         return Words{Bit(std::equal(c.x.begin(), half, half))};
       }},
      {"big_lt", BigLess},
      {"merkle_root", MerkleRoot},
      {"ext_add", [](const Call& c) { return Coefficients(Add(Cube(c.x, 0), Cube(c.x, 3))); }},
      {"ext_mul", [](const Call& c) { return Coefficients(Mul(Cube(c.x, 0), Cube(c.x, 3))); }},
      {"ext_scale", ExtScale},
      {"ext_invert", [](const Call& c) { return Coefficients(Inverse(Cube(c.x, 0))); }},
      {"seal", Seal},
      {"reveal", Reveal},
      {"p2_external", External},
      {"p2_internal", Internal},
      {"p2_layer", Layer},
      {"hash", HashOf},
      {"sponge", Sponge},
      {"hash_chain", HashChain},
      {"sqrt_hint", [](const Call& c) { return Words{c.in.secret[0]}; }},
      {"reverse", [](const Call& c) { return Words(c.x.rbegin(), c.x.rend()); }},
      {"differences", Differences},
      {"sort", Sorted},
      // Gates on the amplitudes a = x0 + i x1, b = x2 + i x3.
      {"gate_x", [](const Call& c) { return Words{c.x[2], c.x[3], c.x[0], c.x[1]}; }},
      {"gate_y", [](const Call& c) { return Words{c.x[3], Neg(c.x[2]), Neg(c.x[1]), c.x[0]}; }},
      {"gate_z", [](const Call& c) { return Words{c.x[0], c.x[1], Neg(c.x[2]), Neg(c.x[3])}; }},
      {"gate_s", [](const Call& c) { return Words{c.x[0], c.x[1], Neg(c.x[3]), c.x[2]}; }},
      {"gate_s_dagger", [](const Call& c) { return Words{c.x[0], c.x[1], c.x[3], Neg(c.x[2])}; }},
      {"gate_h",
       [](const Call& c) {
         return Words{Add(c.x[0], c.x[2]), Add(c.x[1], c.x[3]), Sub(c.x[0], c.x[2]),
                      Sub(c.x[1], c.x[3])};
       }},
      {"gate_product",
       [](const Call& c) {
         return Words{Sub(Mul(c.x[0], c.x[2]), Mul(c.x[1], c.x[3])),
                      Add(Mul(c.x[0], c.x[3]), Mul(c.x[1], c.x[2]))};
       }},
      {"gate_add", [](const Call& c) { return Words{Add(c.x[0], c.x[2]), Add(c.x[1], c.x[3])}; }},
      {"gate_sub", [](const Call& c) { return Words{Sub(c.x[0], c.x[2]), Sub(c.x[1], c.x[3])}; }},
      {"gate_swap_parts", [](const Call& c) { return Words{c.x[1], c.x[0], c.x[3], c.x[2]}; }},
      {"gate_norms",
       [](const Call& c) {
         return Words{Add(Mul(c.x[0], c.x[0]), Mul(c.x[1], c.x[1])),
                      Add(Mul(c.x[2], c.x[2]), Mul(c.x[3], c.x[3]))};
       }},
      {"gate_conjugate_product",
       [](const Call& c) {
         return Words{Add(Mul(c.x[0], c.x[2]), Mul(c.x[1], c.x[3])),
                      Sub(Mul(c.x[1], c.x[2]), Mul(c.x[0], c.x[3]))};
       }},
      {"select_min", [](const Call& c) { return Words{std::min(c.x[0], c.x[1])}; }},
      {"select_max", [](const Call& c) { return Words{std::max(c.x[0], c.x[1])}; }},
      {"select_abs_diff",
       [](const Call& c) { return Words{std::max(c.x[0], c.x[1]) - std::min(c.x[0], c.x[1])}; }},
      {"select_le", [](const Call& c) { return Words{Bit(c.x[0] <= c.x[1])}; }},
      {"select_ge", [](const Call& c) { return Words{Bit(c.x[0] >= c.x[1])}; }},
      {"select_gt", [](const Call& c) { return Words{Bit(c.x[0] > c.x[1])}; }},
      {"select_ne", [](const Call& c) { return Words{Bit(c.x[0] != c.x[1])}; }},
      {"select_sort2", Sorted},
      {"select_or", [](const Call& c) { return Words{c.x[0] | c.x[1]}; }},
      {"select_and_not", [](const Call& c) { return Words{c.x[0] & U(~c.x[1])}; }},
      {"select_nor", [](const Call& c) { return Words{U(~(c.x[0] | c.x[1]))}; }},
      {"select_mean", [](const Call& c) { return Words{(c.x[0] + c.x[1]) / 2}; }},
      {"select_wide_mul",
       [](const Call& c) {
         const std::uint64_t product = Mul(c.x[0], c.x[1]);
         return Words{product >> 32, U(product)};
       }},
      {"select_div_mod", [](const Call& c) { return Words{c.x[0] / c.x[1], c.x[0] % c.x[1]}; }},
      {"select_choose", [](const Call& c) { return Words{c.x[0] == 1 ? c.x[1] : c.x[2]}; }},
      {"select_abs_i32",
       [](const Call& c) {
         const std::uint32_t x = U(c.x[0]);
         return Words{x > 0x7FFF'FFFF ? 0 - x : x};
       }},
      {"popcount",
       [](const Call& c) { return Words{static_cast<std::uint64_t>(std::popcount(c.x[0]))}; }},
      {"parity", [](const Call& c) { return Words{Bit(std::popcount(c.x[0]) % 2 != 0)}; }},
      {"log2",
       [](const Call& c) { return Words{static_cast<std::uint64_t>(std::bit_width(c.x[0]) - 1)}; }},
      {"leading_zeros",
       [](const Call& c) {
         return Words{static_cast<std::uint64_t>(std::countl_zero(U(c.x[0])))};
       }},
      {"next_power", [](const Call& c) { return Words{2 * std::bit_floor(c.x[0])}; }},
      {"is_power", [](const Call& c) { return Words{Bit(std::has_single_bit(c.x[0]))}; }},
      {"lowest_clear", [](const Call& c) { return Words{c.x[0] & (c.x[0] - 1)}; }},
      {"gray", [](const Call& c) { return Words{c.x[0] ^ (c.x[0] >> 1)}; }},
      {"byte", [](const Call& c) { return Words{c.x[0] >> (8 * c.p[0]) & 255}; }},
      {"bit", [](const Call& c) { return Words{c.x[0] >> c.p[0] & 1}; }},
      {"byte_swap", ByteSwap},
      {"alg_det2",
       [](const Call& c) { return Words{Sub(Mul(c.x[0], c.x[3]), Mul(c.x[1], c.x[2]))}; }},
      {"alg_cross",
       [](const Call& c) {
         const Words& x = c.x;
         return Words{Sub(Mul(x[1], x[5]), Mul(x[2], x[4])), Sub(Mul(x[2], x[3]), Mul(x[0], x[5])),
                      Sub(Mul(x[0], x[4]), Mul(x[1], x[3]))};
       }},
      {"alg_det3", Det3},
      {"alg_quaternion_real",
       [](const Call& c) {
         std::uint64_t sum = Mul(c.x[0], c.x[4]);
         for (std::size_t i = 1; i < 4; ++i) sum = Sub(sum, Mul(c.x[i], c.x[4 + i]));
         return Words{sum};
       }},
      {"alg_line", [](const Call& c) { return Words{Add(Mul(c.x[1], c.x[0]), c.x[2])}; }},
      {"alg_midpoint", [](const Call& c) { return Words{Mul(Add(c.x[0], c.x[1]), Inverse(2))}; }},
      {"alg_quotient", [](const Call& c) { return Words{Mul(c.x[0], Inverse(c.x[1]))}; }},
      {"alg_harmonic",
       [](const Call& c) { return Words{Mul(Mul(c.x[0], c.x[1]), Inverse(Add(c.x[0], c.x[1])))}; }},
      {"alg_distance2",
       [](const Call& c) {
         return Words{Add(Pow(Sub(c.x[0], c.x[2]), 2), Pow(Sub(c.x[1], c.x[3]), 2))};
       }},
      {"alg_square_of_sum", [](const Call& c) { return Words{Pow(Sum(c.x), 2)}; }},
      {"alg_vieta",
       [](const Call& c) {
         const Words& x = c.x;
         return Words{Sum(x), Add(Add(Mul(x[0], x[1]), Mul(x[1], x[2])), Mul(x[0], x[2])),
                      Mul(Mul(x[0], x[1]), x[2])};
       }},
      {"alg_lerp",
       [](const Call& c) { return Words{Add(c.x[0], Mul(c.x[2], Sub(c.x[1], c.x[0])))}; }},
      {"alg_norm3",
       [](const Call& c) {
         return Words{Add(Add(Pow(c.x[0], 2), Pow(c.x[1], 2)), Pow(c.x[2], 2))};
       }},
      {"alg_triple",
       [](const Call& c) { return Words{Mul(c.x[0], 3), Mul(c.x[1], 3), Mul(c.x[2], 3)}; }},
  };
  return kFunctions;
}

}  // namespace
}  // namespace txvm::triton
