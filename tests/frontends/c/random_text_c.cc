#include "tests/frontends/c/random_text_c.h"

#include <fmt/format.h>

#include <cstdint>

namespace txvm::tests {
namespace {

using support::Random;

constexpr std::uint32_t kTexts = 3;  // t[0] to t[2], of 128 bytes each

/// A literal of at most 24 characters of few kinds, so that searches find something.
std::string Literal(Random& random) {
  constexpr std::string_view kCharacters = "aabbcABz019 -+.,e";
  std::string text = "\"";
  for (std::uint32_t i = random.Below(25); i > 0; --i) {
    text += kCharacters[random.Below(static_cast<std::uint32_t>(kCharacters.size()))];
  }
  return text + '"';
}

std::string Number(Random& random) {
  return random.OneOf<std::string>(
      {fmt::format("\"{}\"", random.Word()), fmt::format("\"-{}xyz\"", random.Below(100000)),
       fmt::format("\" 0x{:x}p3\"", random.Word()), fmt::format("\"0{:o}\"", random.Word()),
       fmt::format("\"{}.{}e{}\"", random.Below(1000), random.Word(),
                   static_cast<int>(random.Below(80)) - 40),
       fmt::format("\"+{}{}\"", random.Word(), random.Word()), "\"1e999\"", "\"nan\"", "\"-inf\"",
       "\"\""});
}

std::string Text(Random& random) {
  if (random.OneIn(3)) return random.OneIn(3) ? Number(random) : Literal(random);
  return fmt::format("t[{}]", random.Below(kTexts));
}

/// One conversion with its argument, of at most 40 characters.
void AddConversion(Random& random, std::string& format, std::string& arguments) {
  const auto flags = random.OneOf<std::string_view>({"", "-", "0", "+", " ", "#", "-+", "0+"});
  const std::string width = random.OneIn(2) ? fmt::format("{}", random.Between(1, 20)) : "";
  const std::string precision = random.OneIn(2) ? fmt::format(".{}", random.Below(12)) : "";
  switch (random.Below(6)) {
    case 0:
      format += fmt::format("%{}{}{}ll{}", flags == "#" ? "" : flags, width, precision,
                            random.OneOf<std::string_view>({"d", "i"}));
      arguments += ", (long long)n";
      return;
    case 1:
      format += fmt::format("%{}{}{}{}", random.OneOf<std::string_view>({"", "-", "0", "#", "#0"}),
                            width, precision, random.OneOf<std::string_view>({"x", "X", "o"}));
      arguments += ", (unsigned)n";
      return;
    case 2:
      // glibc 2.36 writes 99.63 by %#.2G as 1.E+02, not 1.0E+02.
      format += fmt::format("%{}{}{}{}", flags == "#" ? "" : flags, width, precision,
                            random.OneOf<std::string_view>({"g", "G", "e", "E"}));
      arguments += ", d";
      return;
    case 3:
      format += fmt::format("%{}{}{}f", flags, width, precision);
      arguments += ", small(d)";
      return;
    case 4:
      format += fmt::format("%{}{}.{}s", random.OneIn(2) ? "-" : "", width, random.Below(24));
      arguments += ", " + Text(random);
      return;
    default:
      format += fmt::format("%{}c%%", width);
      arguments += fmt::format(", {}", random.Between('a', 'z'));
  }
}

std::string Print(Random& random) {
  std::string format, arguments;
  for (std::uint32_t i = random.Between(1, 3); i > 0; --i) {
    format += random.OneOf<std::string_view>({"", "a", " ", ", ", "b="});
    AddConversion(random, format, arguments);
  }
  // The text that is written is none of those that are read.
  return fmt::format("n += (unsigned)snprintf(s, {}, \"{}\"{}); mixs(s); strncpy(t[{}], s, 100);",
                     random.OneIn(4) ? fmt::format("{}", random.Between(1, 30)) : "sizeof s",
                     format, arguments, random.Below(kTexts));
}

std::string Copy(Random& random) {
  const std::uint32_t to = random.Below(kTexts);
  const std::uint32_t from = (to + random.Between(1, kTexts - 1)) % kTexts;
  switch (random.Below(6)) {
    case 0:
      return fmt::format("strcpy(t[{}], {});", to, Literal(random));
    case 1:
      return fmt::format("strncpy(t[{}], t[{}], {});", to, from, random.Below(90));
    case 2:
      return fmt::format("if (strlen(t[{0}]) + strlen(t[{1}]) < 100) strcat(t[{0}], t[{1}]);", to,
                         from);
    case 3:
      return fmt::format("strncat(t[{0}], {1}, 100 - strlen(t[{0}]));", to, Literal(random));
    case 4:
      return fmt::format("memmove(t[{0}] + {1}, t[{0}] + {2}, {3}); t[{0}][100] = 0;", to,
                         random.Below(30), random.Below(30), random.Below(70));
    default:
      return fmt::format("memset(t[{0}] + {1}, {2}, {3}); t[{0}][100] = 0;", to, random.Below(30),
                         random.Between('a', 'c'), random.Below(40));
  }
}

std::string Search(Random& random) {
  const std::string in = fmt::format("t[{}]", random.Below(kTexts));
  const int letter = random.OneOf<int>({'a', 'b', 'c', '0', '.', ' ', 0});
  switch (random.Below(8)) {
    case 0:
      return fmt::format("mixp({0}, strchr({0}, {1}));", in, letter);
    case 1:
      return fmt::format("mixp({0}, strrchr({0}, {1}));", in, letter);
    case 2:
      return fmt::format("mixp({0}, strstr({0}, {1}));", in,
                         random.OneOf<std::string_view>(
                             {"\"a\"", "\"ab\"", "\"ba\"", "\"0\"", "\"\"", "\"aab\"", "\"b1\""}));
    case 3:
      return fmt::format("mixp({0}, strpbrk({0}, {1}));", in, Literal(random));
    case 4:
      return fmt::format("n = n * 31 + strspn({}, {});", in, Literal(random));
    case 5:
      return fmt::format("n = n * 31 + strcspn({}, {});", in, Literal(random));
    case 6:
      return fmt::format("mixp({0}, memchr({0}, {1}, strlen({0})));", in, letter);
    default:
      return fmt::format("n += strlen({}) + strnlen({}, 5);", in, in);
  }
}

std::string Compare(Random& random) {
  const std::string a = Text(random), b = Text(random);
  switch (random.Below(3)) {
    case 0:
      return fmt::format("n = n * 3 + sign_of(strcmp({}, {}));", a, b);
    case 1:
      return fmt::format("n = n * 3 + sign_of(strncmp({}, {}, {}));", a, b, random.Below(20));
    default:
      return fmt::format("n = n * 3 + sign_of(memcmp(t[0], t[1], {}));", random.Below(60));
  }
}

std::string Read(Random& random) {
  const std::string from = random.OneIn(2) ? Number(random) : Text(random);
  switch (random.Below(5)) {
    case 0:
      return fmt::format("mixd(strtod({}, &end)); mixp(last, end);", "in(" + from + ")");
    case 1:
      return fmt::format("n += (uint64_t)strtoll({}, &end, {}); mixp(last, end);",
                         "in(" + from + ")", random.OneOf<int>({0, 2, 8, 10, 16, 36}));
    case 2:
      return fmt::format("n += strtoull({}, &end, {}); mixp(last, end);", "in(" + from + ")",
                         random.OneOf<int>({0, 2, 8, 10, 16, 36}));
    case 3:
      return fmt::format(
          "x = 0, y = 0; strcpy(s, \"?\"); n = n * 5 + sscanf({}, \"{}\", &x, s, &y); mixd(x); "
          "mixs(s); "
          "mixd(y);",
          from,
          random.OneOf<std::string_view>(
              {"%lf%99s%lf", "%lg %10[abc] %lf", "a%lf,%1s%lf", "%3lf%9[^ ]%lf"}));
    default:
      return fmt::format("n ^= (uint64_t)(int)small(atof({}));", from);
  }
}

std::string Order(Random& random) {
  switch (random.Below(4)) {
    case 0:
      return fmt::format("qsort(t[{0}], strlen(t[{0}]), 1, {1}); mixs(t[{0}]);",
                         random.Below(kTexts), random.OneIn(2) ? "by_byte" : "by_class");
    case 1:
      return "for (int i = 0; i < 8; ++i) v[i] = small(d) * (i * 37 % 11) + (double)(n >> i * 8 & "
             "7);\n"
             "qsort(v, 8, sizeof *v, by_value); for (int i = 0; i < 8; ++i) mixd(v[i]);\n"
             "x = v[n & 7]; mix(bsearch(&x, v, 8, sizeof *v, by_value) != NULL);";
    case 2:
      return fmt::format(
          "words = 0; strcpy(s, t[{}]);\n"
          "for (char* w = strtok(s, {}); w != NULL && words < 8; w = strtok(NULL, \" ,\")) "
          "word[words++] = w;\n"
          "qsort(word, (size_t)words, sizeof *word, by_text); for (int i = 0; i < words; ++i) "
          "mixs(word[i]);",
          random.Below(kTexts), random.OneOf<std::string_view>({"\" \"", "\"a.\"", "\",-+\""}));
    default:
      return fmt::format(
          "for (char* c = t[{}]; *c; ++c) {{ n = n * 2 + (isalpha(*c) != 0) + (isspace(*c) != 0) + "
          "(ispunct(*c) != 0); *c = (char){}(*c); }}",
          random.Below(kTexts), random.OneIn(2) ? "toupper" : "tolower");
  }
}

std::string Statement(Random& random) {
  switch (random.Below(7)) {
    case 0:
    case 1:
      return Print(random);
    case 2:
      return Copy(random);
    case 3:
      return Search(random);
    case 4:
      return Compare(random);
    case 5:
      return Read(random);
    default:
      return Order(random);
  }
}

}  // namespace

const std::string_view kTextPrelude = R"(#include <ctype.h>
static void mixs(const char* s) { do mix((unsigned char)*s); while (*s++); }
static void mixp(const char* s, const void* p) { mix(p == NULL ? 99 : (uint64_t)((const char*)p - s)); }
static unsigned sign_of(int v) { return v < 0 ? 0u : v > 0 ? 2u : 1u; }
static double small(double v) { return v > -1e9 && v < 1e9 ? v : 0.5; }
static const char* last;
static const char* in(const char* s) { return last = s; }
static int by_byte(const void* a, const void* b) { return *(const char*)a - *(const char*)b; }
static int by_class(const void* a, const void* b) {
  return (isalpha(*(const unsigned char*)a) != 0) - (isalpha(*(const unsigned char*)b) != 0);
}
static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}
static int by_text(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }
)";

std::string RandomTextFunction(Random& random, std::string_view name) {
  std::string text = fmt::format("static uint64_t {}(double d, uint64_t n) {{\n", name);
  text += fmt::format(
      "static char t[{}][128]; char s[512] = \"\"; double x = 0, y = 0, v[8]; "
      "char *end, *word[8]; int words = 0;\n",
      kTexts);
  text += "(void)x, (void)y, (void)v, (void)end, (void)word, (void)words;\n";
  text += "if (d != d) d = -0.75;\n";
  for (std::uint32_t i = 0; i < kTexts; ++i) {
    text += fmt::format("memset(t[{0}], 0, 128); strcpy(t[{0}], {1});\n", i, Literal(random));
  }
  constexpr int kStatements = 8;
  for (int i = 0; i < kStatements; ++i) text += Statement(random) + "\n";
  for (std::uint32_t i = 0; i < kTexts; ++i) text += fmt::format("mixs(t[{}]);\n", i);
  return text + "return n;\n}\n";
}

}  // namespace txvm::tests
