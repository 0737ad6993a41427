#include "tests/frontends/c/random_c.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "tests/support/random.h"

namespace txvm::tests {
namespace {

// What every source begins with: operations with a defined result for every operand.
constexpr std::string_view kPrelude = R"(#include <stdint.h>
#include <stdio.h>
#include <string.h>
static uint64_t check;
static void mix(uint64_t v) { check = (check ^ v) * 0x9E3779B97F4A7C15u; check ^= check >> 29; }
static int32_t div32(int32_t a, int32_t b) { return b == 0 || (a == INT32_MIN && b == -1) ? a : a / b; }
static int32_t rem32(int32_t a, int32_t b) { return b == 0 || b == -1 ? a : a % b; }
static int64_t div64(int64_t a, int64_t b) { return b == 0 || (a == INT64_MIN && b == -1) ? a : a / b; }
static int64_t rem64(int64_t a, int64_t b) { return b == 0 || b == -1 ? a : a % b; }
static uint32_t udiv32(uint32_t a, uint32_t b) { return b == 0 ? a : a / b; }
static uint32_t urem32(uint32_t a, uint32_t b) { return b == 0 ? a : a % b; }
static uint64_t udiv64(uint64_t a, uint64_t b) { return b == 0 ? a : a / b; }
static uint64_t urem64(uint64_t a, uint64_t b) { return b == 0 ? a : a % b; }
)";

struct Type {
  std::string_view name;
  bool is_signed;
  int bits;
};
constexpr std::array<Type, 8> kTypes = {{{"int8_t", true, 8},
                                         {"uint8_t", false, 8},
                                         {"int16_t", true, 16},
                                         {"uint16_t", false, 16},
                                         {"int32_t", true, 32},
                                         {"uint32_t", false, 32},
                                         {"int64_t", true, 64},
                                         {"uint64_t", false, 64}}};

/// Writes one program: globals, a few functions, and `void programN(void)`.
class ProgramWriter {
 public:
  ProgramWriter(std::uint64_t seed, int number) : random_(seed), number_(number) {}

  std::string Write();

 private:
  struct Variable {
    std::string name;
    const Type* type;
  };

  const Type& AnyType() { return kTypes[random_.Below(kTypes.size())]; }
  std::string Global(int i) const { return fmt::format("g{}_{}", number_, i); }
  std::string Array() const { return fmt::format("array{}", number_); }
  std::string FunctionName(int i) const { return fmt::format("f{}_{}", number_, i); }

  std::string Constant(const Type& type);
  std::string Leaf();
  std::string Expression(int depth);
  std::string Arithmetic(int depth);
  std::string Place();
  void Line(const std::string& text) {
    body_ += std::string(2 * static_cast<std::size_t>(indent_), ' ') + text + "\n";
  }
  void Block(int depth, int statements);
  void Statement(int depth);
  void Assignment();
  void If(int depth);
  void Loop(int depth);
  void Switch(int depth);
  void CallFunction();
  void CallThroughPointer();
  void Store(std::string_view condition, const std::string& call);
  void Bytes();
  void Function(int index);

  static constexpr int kArrayWords = 16;
  static constexpr int kGlobals = 4;

  support::Random random_;
  int number_;
  std::string body_;
  int indent_ = 0;
  int loops_ = 0;  // open ones, for the names of their counters
  int current_ = 0;
  std::vector<Variable> locals_;
  std::vector<const Type*> globals_;
};

std::string ProgramWriter::Constant(const Type& type) {
  std::uint64_t value = random_.InterestingWord();
  if (type.bits == 64 && !random_.OneIn(3)) {
    value |= std::uint64_t{random_.InterestingWord()} << 32;
  }
  return fmt::format("({})0x{:X}u{}", type.name, value, type.bits == 64 ? "ll" : "");
}

std::string ProgramWriter::Leaf() {
  switch (random_.Below(6)) {
    case 0:
      return Constant(AnyType());
    case 1:
      return Global(static_cast<int>(random_.Below(kGlobals)));
    case 2:
      return fmt::format("{}[{} & {}]", Array(), locals_[random_.Below(2)].name, kArrayWords - 1);
    default:
      return locals_[random_.Below(static_cast<std::uint32_t>(locals_.size()))].name;
  }
}

/// An operation on two operands of 32 or 64 bits, converted back to some type.
std::string ProgramWriter::Arithmetic(int depth) {
  const bool is_wide = random_.OneIn(2);
  const int bits = is_wide ? 64 : 32;
  const std::string a = Expression(depth - 1), b = Expression(depth - 1);
  const std::string u = fmt::format("uint{}_t", bits), s = fmt::format("int{}_t", bits);
  const std::string_view to = AnyType().name;
  switch (random_.Below(8)) {
    case 0:
      return fmt::format("({})(({})({}) {} ({})({}))", to, u, a,
                         random_.OneOf<std::string_view>({"+", "-", "*"}), u, b);
    case 1:
      return fmt::format("({})(({})({}) {} ({})({}))", to, u, a,
                         random_.OneOf<std::string_view>({"&", "|", "^"}), u, b);
    case 2:
      return fmt::format("({})(({})({}) {} (({}) & {}))", to, u, a,
                         random_.OneOf<std::string_view>({"<<", ">>"}), b, bits - 1);
    case 3:
      return fmt::format("({})(({})({}) >> (({}) & {}))", to, s, a, b, bits - 1);
    case 4:
      return fmt::format("({}){}{}(({})({}), ({})({}))", to,
                         random_.OneOf<std::string_view>({"div", "rem"}), bits, s, a, s, b);
    case 5:
      return fmt::format("({})u{}{}(({})({}), ({})({}))", to,
                         random_.OneOf<std::string_view>({"div", "rem"}), bits, u, a, u, b);
    case 6:
      return fmt::format("(({})({}) {} ({})({}))", random_.OneIn(2) ? u : s, a,
                         random_.OneOf<std::string_view>({"<", "<=", ">", ">=", "==", "!="}),
                         random_.OneIn(2) ? u : s, b);
    default:
      return fmt::format("({})(({}) ? ({}) : ({}))", to, Expression(depth - 1), a, b);
  }
}

std::string ProgramWriter::Expression(int depth) {
  if (depth <= 0 || random_.OneIn(5)) return Leaf();
  if (random_.OneIn(8)) return fmt::format("(!({}))", Expression(depth - 1));
  if (random_.OneIn(8)) {
    return fmt::format("(uint32_t)__builtin_popcountll((uint64_t)({}))", Expression(depth - 1));
  }
  return Arithmetic(depth);
}

std::string ProgramWriter::Place() {
  switch (random_.Below(5)) {
    case 0:
      return Global(static_cast<int>(random_.Below(kGlobals)));
    case 1:
      return fmt::format("{}[({}) & {}]", Array(), Leaf(), kArrayWords - 1);
    case 2:
      return random_.OneIn(2) ? "pair.low" : "pair.high";
    case 3:
      return fmt::format("own[({}) & 7]", Leaf());
    default:
      return locals_[random_.Below(static_cast<std::uint32_t>(locals_.size()))].name;
  }
}

void ProgramWriter::Assignment() {
  const std::string place = Place();
  if (random_.OneIn(4)) {
    return Line(fmt::format("{0} {1}= {2};", place,
                            random_.OneOf<std::string_view>({"^", "|", "&"}), Expression(2)));
  }
  Line(fmt::format("{} = {};", place, Expression(3)));
}

void ProgramWriter::If(int depth) {
  Line(fmt::format("if ({}) {{", Expression(2)));
  Block(depth - 1, 2);
  if (random_.OneIn(2)) {
    Line("} else {");
    Block(depth - 1, 2);
  }
  Line("}");
}

void ProgramWriter::Loop(int depth) {
  const std::string counter = fmt::format("i{}", loops_++);
  const std::uint32_t count = random_.Between(1, 6);
  switch (random_.Below(3)) {
    case 0:
      Line(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", counter, count));
      break;
    case 1:
      Line(fmt::format("for (unsigned {0} = {1}; {0}-- > 0;) {{", counter, count));
      break;
    default:
      Line(fmt::format("for (int64_t {0} = -{1}; {0} <= 0; {0} += 2) {{", counter, count));
  }
  locals_.push_back({counter, &kTypes[4]});  // read only: Place picks it rarely, so it is const
  Line(fmt::format("  mix((uint64_t){});", counter));
  locals_.pop_back();
  Block(depth - 1, 2);
  if (random_.OneIn(3))
    Line(fmt::format("  if ({}) {};", Expression(1), random_.OneIn(2) ? "break" : "continue"));
  Line("}");
}

void ProgramWriter::Switch(int depth) {
  const bool is_dense = random_.OneIn(2);
  Line(fmt::format("switch (({}) & {}) {{", Expression(2), is_dense ? 7 : 0xFFF));
  const std::uint32_t cases = random_.Between(2, 7);
  for (std::uint32_t i = 0; i < cases; ++i) {
    Line(fmt::format("case {}: {{", is_dense ? i : i * i * 73 + i));
    Block(depth - 1, 1);
    Line(random_.OneIn(4) ? "} /* falls through */" : "} break;");
  }
  Line("default:");
  Block(depth - 1, 1);
  Line("}");
}

/// Calls only functions that come before, or itself one level deeper: every program ends.
void ProgramWriter::CallFunction() {
  const std::string a = Expression(1), b = Expression(1);
  if (random_.OneIn(4)) {
    return Store("depth > 0", fmt::format("{}(depth - 1, (int32_t)({}), (int64_t)({}))",
                                          FunctionName(current_), a, b));
  }
  if (current_ == 0) return Assignment();
  const auto callee = static_cast<int>(random_.Below(static_cast<std::uint32_t>(current_)));
  Store("1", fmt::format("{}(0, (int32_t)({}), (int64_t)({}))", FunctionName(callee), a, b));
}

/// A call may change what its place depends on, so it comes first.
void ProgramWriter::Store(std::string_view condition, const std::string& call) {
  Line(fmt::format("if ({}) {{ const int64_t result = {}; {} = result; }}", condition, call,
                   Place()));
}

void ProgramWriter::CallThroughPointer() {
  if (current_ < 2) return Assignment();
  Store("1", fmt::format("(({}) & 1 ? {} : {})(0, (int32_t)({}), (int64_t)({}))", Expression(1),
                         FunctionName(0), FunctionName(1), Leaf(), Leaf()));
}

void ProgramWriter::Bytes() {
  switch (random_.Below(4)) {
    case 0:
      return Line(fmt::format("memset(own, (int)({}), {});", Leaf(), random_.Between(1, 32)));
    case 1:
      return Line(fmt::format("memcpy(own, {} + {}, {});", Array(), random_.Below(8),
                              random_.Between(1, 32)));
    case 2:
      return Line(fmt::format("memmove((char*)own + {}, (char*)own + {}, {});", random_.Below(16),
                              random_.Below(16), random_.Between(1, 16)));
    default:
      Line(
          fmt::format("{{ char text[24]; snprintf(text, sizeof text, \"%d %llx\", (int)({}), "
                      "(unsigned long long)({}));",
                      Leaf(), Leaf()));
      Line("  for (size_t n = strlen(text); n-- > 0;) mix((uint64_t)(unsigned char)text[n]); }");
  }
}

void ProgramWriter::Statement(int depth) {
  switch (random_.Below(depth > 0 ? 12 : 5)) {
    case 0:
      return Line(fmt::format("mix((uint64_t)({}));", Expression(2)));
    case 1:
      return Bytes();
    case 5:
      return If(depth);
    case 6:
    case 7:
      return Loop(depth);
    case 8:
      return Switch(depth);
    case 9:
    case 10:
      return CallFunction();
    case 11:
      return CallThroughPointer();
    default:
      return Assignment();
  }
}

void ProgramWriter::Block(int depth, int statements) {
  ++indent_;
  for (int i = 0; i < statements; ++i) Statement(depth);
  --indent_;
}

void ProgramWriter::Function(int index) {
  current_ = index;
  loops_ = 0;
  locals_ = {{"a", &kTypes[4]}, {"b", &kTypes[6]}};
  Line(fmt::format("static {}int64_t {}(int depth, int32_t a, int64_t b) {{",
                   random_.OneIn(2) ? "__attribute__((noinline)) " : "", FunctionName(index)));
  ++indent_;
  const std::uint32_t count = random_.Between(2, 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Type& type = AnyType();
    Line(fmt::format("{} v{} = {};", type.name, i, Constant(type)));
    locals_.push_back({fmt::format("v{}", i), &type});
  }
  Line("struct { int32_t low; int64_t high; } pair = {a, b};");
  Line("int32_t own[8] = {1, a, 3};");
  --indent_;
  constexpr int kStatements = 4, kDepth = 2;
  Block(kDepth, kStatements);
  Line("  (void)depth;");
  Line("  for (int n = 0; n < 8; ++n) mix((uint64_t)own[n]);");
  Line(fmt::format("  return (int64_t)((uint64_t)({}) ^ (uint64_t)pair.high ^ (uint64_t)pair.low);",
                   Expression(2)));
  Line("}");
}

std::string ProgramWriter::Write() {
  for (int i = 0; i < kGlobals; ++i) {
    const Type& type = AnyType();
    Line(fmt::format("static {} {} = {};", type.name, Global(i), Constant(type)));
  }
  const Type& element = AnyType();
  Line(fmt::format("static {} {}[{} + 64];", element.name, Array(), kArrayWords));
  constexpr int kFunctions = 3;
  for (int i = 0; i < kFunctions; ++i) Function(i);
  Line(fmt::format("static void program{}(void) {{", number_));
  for (int i = 0; i < kFunctions; ++i) {
    Line(fmt::format("  mix((uint64_t){}(2, (int32_t)0x{:X}u, (int64_t)0x{:X}u));", FunctionName(i),
                     random_.InterestingWord(), random_.Next()));
  }
  for (int i = 0; i < kGlobals; ++i) Line(fmt::format("  mix((uint64_t){});", Global(i)));
  Line(fmt::format("  for (int n = 0; n < {}; ++n) mix((uint64_t){}[n]);", kArrayWords, Array()));
  Line("}");
  return std::move(body_);
}

}  // namespace

std::string RandomC(std::uint64_t seed, int programs) {
  std::string text(kPrelude);
  for (int i = 0; i < programs; ++i) {
    text += ProgramWriter(seed + static_cast<std::uint64_t>(i), i).Write();
  }
  text += "int main(void) {\n";
  for (int i = 0; i < programs; ++i) {
    text += fmt::format(
        "  check = {}; program{}(); printf(\"%016llx\\n\", (unsigned long long)check);\n", i, i);
  }
  return text + "  return 0;\n}\n";
}

}  // namespace txvm::tests
