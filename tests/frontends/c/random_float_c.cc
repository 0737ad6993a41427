#include "tests/frontends/c/random_float_c.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "tests/frontends/c/random_jump_c.h"
#include "tests/frontends/c/random_text_c.h"
#include "tests/support/random.h"

namespace txvm::tests {
namespace {

// What every source begins with: conversions with a defined result for every operand, and a
// copysign that asks no NaN for its sign.
constexpr std::string_view kFloatPrelude = R"(#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static uint64_t check;
static void mix(uint64_t v) { check = (check ^ v) * 0x9E3779B97F4A7C15u; check ^= check >> 29; }
static void mixd(double v) { uint64_t b; memcpy(&b, &v, 8); mix(v == v ? b : 1); }
static void mixf(float v) { uint32_t b; memcpy(&b, &v, 4); mix(v == v ? b : 2); }
static int32_t i32(double v) { return v > -2147483649.0 && v < 2147483648.0 ? (int32_t)v : 7; }
static uint32_t u32(double v) { return v > -1.0 && v < 4294967296.0 ? (uint32_t)v : 8; }
static int64_t i64(double v) { return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : 9; }
static uint64_t u64(double v) { return v > -1.0 && v < 0x1p64 ? (uint64_t)v : 10; }
static int32_t i32f(float v) { return v >= -0x1p31f && v < 0x1p31f ? (int32_t)v : 7; }
static uint32_t u32f(float v) { return v > -1.0f && v < 0x1p32f ? (uint32_t)v : 8; }
static int64_t i64f(float v) { return v >= -0x1p63f && v < 0x1p63f ? (int64_t)v : 9; }
static uint64_t u64f(float v) { return v > -1.0f && v < 0x1p64f ? (uint64_t)v : 10; }
static double sign(double a, double b) { return __builtin_copysign(a, b == b ? b : 1); }
static float signf(float a, float b) { return __builtin_copysignf(a, b == b ? b : 1); }
)";

/// Writes one program: a few functions on numbers, and `void programN(void)`.
class FloatWriter {
 public:
  FloatWriter(std::uint64_t seed, int number, const FloatOptions& options)
      : random_(seed), options_(options), number_(number) {}

  std::string Write();

 private:
  void Line(const std::string& text) { body_ += text + "\n"; }
  std::string FunctionName(int i) const { return fmt::format("f{}_{}", number_, i); }
  std::string TextName(int i) const { return fmt::format("text{}_{}", number_, i); }
  std::string JumpName(int i) const { return fmt::format("jump{}_{}", number_, i); }
  std::string Name(bool is_double) {
    return fmt::format("{}{}", is_double ? 'd' : 's', random_.Below(kVariables));
  }
  std::string Constant(bool is_double);
  std::string Float(bool is_double, int depth);
  std::string Binary(bool is_double, int depth);
  std::string Unary(bool is_double, int depth);
  std::string Convert(bool is_double, int depth);
  std::string Integer(int depth);
  std::string Condition(int depth);
  void Assign();
  void Statement(int depth);
  void Function(int index);

  static constexpr std::uint32_t kVariables = 3;
  static constexpr int kFunctions = 3, kMoreFunctions = 2;  // of numbers; of texts and of jumps

  support::Random random_;
  const FloatOptions& options_;
  int number_;
  int current_ = 0;
  int loops_ = 0;
  std::string body_;
};

std::string FloatWriter::Constant(bool is_double) {
  const char* suffix = is_double ? "" : "f";
  switch (random_.Below(6)) {
    case 0:
      return fmt::format("{}{}.0{}", random_.OneIn(2) ? "-" : "", random_.Below(10), suffix);
    case 1:
      return fmt::format("{}{}.5{}", random_.OneIn(2) ? "-" : "", random_.Below(6), suffix);
    case 2:
      return fmt::format(
          "{}{}e{}{}", random_.OneIn(2) ? "-" : "", random_.Between(1, 99999),
          static_cast<int>(random_.Below(is_double ? 560 : 70)) - (is_double ? 300 : 45), suffix);
    case 3:
      return is_double ? random_
                             .OneOf<std::string_view>({"0x1p63", "-0x1p31", "0x1p-1074",
                                                       "0x1.fffffffffffffp1023", "4294967295.5"})
                             .data()
                       : random_
                             .OneOf<std::string_view>({"0x1p63f", "-0x1p31f", "0x1p-149f",
                                                       "0x1.fffffep127f", "16777217.0f"})
                             .data();
    case 4:
      return fmt::format("0.{:09}{}", random_.Below(1'000'000'000), suffix);
    default:
      return fmt::format("(({})0x{:X}u)", is_double ? "double" : "float",
                         random_.InterestingWord());
  }
}

std::string FloatWriter::Binary(bool is_double, int depth) {
  const std::string a = Float(is_double, depth - 1), b = Float(is_double, depth - 1);
  if (random_.OneIn(8)) return fmt::format("sign{}({}, {})", is_double ? "" : "f", a, b);
  return fmt::format("({} {} {})", a, random_.OneOf<std::string_view>({"+", "-", "*", "/"}), b);
}

std::string FloatWriter::Unary(bool is_double, int depth) {
  const std::string a = Float(is_double, depth - 1);
  const auto name = random_.OneOf<std::string_view>(
      {"sqrt", "fabs", "floor", "ceil", "trunc", "rint", "nearbyint"});
  if (random_.OneIn(8)) return fmt::format("(- {})", a);
  return fmt::format("__builtin_{}{}({})", name, is_double ? "" : "f", a);
}

std::string FloatWriter::Convert(bool is_double, int depth) {
  const std::string_view to = is_double ? "double" : "float";
  if (random_.OneIn(2)) return fmt::format("(({}){})", to, Float(!is_double, depth - 1));
  const auto from = random_.OneOf<std::string_view>({"int32_t", "uint32_t", "int64_t", "uint64_t"});
  return fmt::format("(({})({})({}))", to, from, Integer(depth - 1));
}

std::string FloatWriter::Float(bool is_double, int depth) {
  if (depth <= 0 || random_.OneIn(6)) {
    if (random_.OneIn(3)) return Constant(is_double);
    if (random_.OneIn(4)) return fmt::format("{}[n & 7]", is_double ? "da" : "sa");
    return Name(is_double);
  }
  switch (random_.Below(8)) {
    case 0:
      return Unary(is_double, depth);
    case 1:
      return Convert(is_double, depth);
    case 2:
      return fmt::format("({} ? {} : {})", Condition(depth - 1), Float(is_double, depth - 1),
                         Float(is_double, depth - 1));
    default:
      return Binary(is_double, depth);
  }
}

std::string FloatWriter::Condition(int depth) {
  const bool is_double = random_.OneIn(2);
  return fmt::format("({} {} {})", Float(is_double, depth),
                     random_.OneOf<std::string_view>({"<", "<=", ">", ">=", "==", "!="}),
                     Float(is_double, depth));
}

std::string FloatWriter::Integer(int depth) {
  if (depth <= 0 || random_.OneIn(4)) {
    return random_.OneIn(2) ? "n" : fmt::format("0x{:X}u", random_.InterestingWord());
  }
  if (random_.OneIn(4)) return fmt::format("(uint64_t){}", Condition(depth - 1));
  const bool is_double = random_.OneIn(2);
  return fmt::format("(uint64_t){}{}({})",
                     random_.OneOf<std::string_view>({"i32", "u32", "i64", "u64"}),
                     is_double ? "" : "f", Float(is_double, depth - 1));
}

void FloatWriter::Assign() {
  const bool is_double = random_.OneIn(2);
  const std::string value = Float(is_double, 3);
  switch (random_.Below(6)) {
    case 0:
      return Line(fmt::format("{}[{}] = {};", is_double ? "da" : "sa", random_.Below(8), value));
    case 1:
      return Line(fmt::format("pair.{} = {};", is_double ? "d" : "s", value));
    case 2:
      return Line(fmt::format("n = ({});", Integer(3)));
    case 3:
      return Line(fmt::format("{} {}= {};", Name(is_double),
                              random_.OneOf<std::string_view>({"+", "-", "*", "/"}), value));
    default:
      return Line(fmt::format("{} = {};", Name(is_double), value));
  }
}

void FloatWriter::Statement(int depth) {
  if (options_.texts && random_.OneIn(8)) {
    const std::string name = TextName(static_cast<int>(random_.Below(kMoreFunctions)));
    return Line(fmt::format("n ^= {}({}, n);", name, Name(true)));
  }
  if (options_.jumps && random_.OneIn(8)) return Line(fmt::format("toss({});", Integer(2)));
  switch (random_.Below(depth > 0 ? 9 : 5)) {
    case 0:
      return random_.OneIn(2) ? Line(fmt::format("mixd({});", Float(true, 2)))
                              : Line(fmt::format("mixf({});", Float(false, 2)));
    case 5:
      Line(fmt::format("if {} {{", Condition(2)));
      Statement(depth - 1);
      Statement(depth - 1);
      Line("} else {");
      Statement(depth - 1);
      return Line("}");
    case 6: {
      const int loop = loops_++;
      Line(fmt::format("for (int i{0} = 0; i{0} < {1}; ++i{0}) {{ n += i{0};", loop,
                       random_.Between(1, 5)));
      Statement(depth - 1);
      Statement(depth - 1);
      if (random_.OneIn(3)) Line(fmt::format("if {} break;", Condition(1)));
      return Line("}");
    }
    case 7:
    case 8: {
      if (current_ == 0) return Assign();
      const bool is_double = random_.OneIn(2);
      return Line(fmt::format(
          "{} = {}({}, {}, {});", Name(is_double),
          FunctionName(static_cast<int>(random_.Below(static_cast<std::uint32_t>(current_)))),
          Float(true, 1), Float(false, 1), Integer(1)));
    }
    default:
      return Assign();
  }
}

void FloatWriter::Function(int index) {
  current_ = index;
  loops_ = 0;
  Line(fmt::format("static {}double {}(double d0, float s0, uint64_t n) {{",
                   random_.OneIn(2) ? "__attribute__((noinline)) " : "", FunctionName(index)));
  Line(fmt::format("double d1 = {}, d2 = {}, da[8] = {{d0, {}}};", Constant(true), Constant(true),
                   Constant(true)));
  Line(fmt::format("float s1 = {}, s2 = {}, sa[8] = {{s0, {}}};", Constant(false), Constant(false),
                   Constant(false)));
  Line("struct { float s; double d; } pair = {s0, d0};");
  constexpr int kStatements = 6, kDepth = 2;
  for (int i = 0; i < kStatements; ++i) Statement(kDepth);
  Line("for (int i = 0; i < 8; ++i) { mixd(da[i]); mixf(sa[i]); }");
  Line("mixd(d0); mixd(d1); mixd(d2); mixf(s0); mixf(s1); mixf(s2); mixf(pair.s); mixd(pair.d);");
  Line(fmt::format("mix(n); return {};\n}}", Float(true, 2)));
}

std::string FloatWriter::Write() {
  for (int i = 0; i < kMoreFunctions && options_.texts; ++i) {
    body_ += RandomTextFunction(random_, TextName(i));
  }
  for (int i = 0; i < kFunctions; ++i) Function(i);
  for (int i = 0; i < kMoreFunctions && options_.jumps; ++i) {
    std::vector<std::string> callees;
    for (int j = 0; j < kFunctions; ++j) callees.push_back(FunctionName(j) + "(w, (float)w, v)");
    for (int j = 0; j < i; ++j) callees.push_back(fmt::format("(double){}(w, v)", JumpName(j)));
    body_ += RandomJumpFunction(random_, JumpName(i), callees);
  }
  Line(fmt::format("static void program{}(void) {{", number_));
  for (int i = 0; i < kFunctions; ++i) {
    Line(fmt::format("mixd({}({}, {}, 0x{:X}u));", FunctionName(i), Constant(true), Constant(false),
                     random_.InterestingWord()));
  }
  for (int i = 0; i < kMoreFunctions; ++i) {
    for (const bool is_text : {true, false}) {
      if (!(is_text ? options_.texts : options_.jumps)) continue;
      Line(fmt::format("mix({}({}, 0x{:X}u));", is_text ? TextName(i) : JumpName(i), Constant(true),
                       random_.InterestingWord()));
    }
  }
  Line("}");
  return std::move(body_);
}

// What a program prints: its sum, and the double of the same bits in each form; that the shortest
// exact text is read back. A computed NaN has another sign on other machines, so none is printed.
constexpr std::string_view kShow = R"(static void show(void) {
  char text[64];
  double x;
  memcpy(&x, &check, 8);
  snprintf(text, sizeof text, "%.17g", x);
  printf("%016llx %s %g %.*e %12.3f %a %d\n", (unsigned long long)check, text, x, (int)(check % 20),
         x, x == x ? x / (1 << 20) : x, x, x != x || strtod(text, NULL) == x);
}
)";

}  // namespace

std::string RandomFloatC(std::uint64_t seed, int programs, const FloatOptions& options) {
  std::string text(kFloatPrelude);
  if (options.texts) text += kTextPrelude;
  if (options.jumps) text += kJumpPrelude;
  for (int i = 0; i < programs; ++i) {
    text += FloatWriter(seed + static_cast<std::uint64_t>(i), i, options).Write();
  }
  text += kShow;
  text += "int main(void) {\n";
  for (int i = 0; i < programs; ++i) {
    text += fmt::format("  check = {}; program{}(); show();\n", i, i);
  }
  return text + "  return 0;\n}\n";
}

}  // namespace txvm::tests
