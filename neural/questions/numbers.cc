#include "neural/questions/numbers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "isa/support/result.h"

namespace txvm::neural::questions {
namespace {

constexpr std::size_t kIncoming = 'v' - 'a';
constexpr int kTries = 80;

struct ClassRow {
  char name;
  std::int64_t low, high;
  std::int64_t step;         // the number is a multiple of it
  std::int64_t denominator;  // and divided by this
  bool scales;
};

// clang-format off
constexpr std::array<ClassRow, 20> kClasses = {{
    {'s',   2,    12,  1,   1, true},   // small counts: groups, people
    {'t',   2,    25,  1,   1, true},   // up to a class of children
    {'m',   2,   100,  1,   1, true},   // ordinary
    {'l',  20,   999,  1,   1, true},   // large
    {'h', 100, 20000, 10,   1, true},   // round and large
    {'o',   1,     9,  1,   1, false},  // a digit
    {'z',   0,   150,  1,   1, true},   // bare arithmetic
    {'p',   5,    95,  5,   1, false},  // percent
    {'r',   1,    99,  1,   1, false},  // any percent
    {'d',   1,  4000,  1, 100, false},  // money with cents
    {'e',   1,   400,  1,  10, false},  // one digit after the point
    {'g',   5,    70,  1,   1, false},  // an age
    {'y', 1900, 2030,  1,   1, false},  // a year
    {'n',   0,    12,  1,   1, false},  // argument of a factorial
    {'f',   0,    40,  1,   1, false},  // argument of Fibonacci
    {'x',   2,     6,  1,   1, false},  // exponent
    {'b',   2,    15,  1,   1, false},  // base
    {'i', -60,    60,  1,   1, false},  // an integer of either sign
    {'k',   1,    60,  1,   1, false},  // bound of a range
    {'u',   1,     1,  1,   1, false},  // the number one, said in passing
}};
// clang-format on

std::vector<std::string_view> Items(std::string_view text) {
  std::vector<std::string_view> items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    if (c != ',' || depth > 0) continue;
    std::string_view item = text.substr(begin, i - begin);
    while (item.starts_with(' ')) item.remove_prefix(1);
    if (!item.empty()) items.push_back(item);
    begin = i + 1;
  }
  return items;
}

bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }

/// Small numbers are likelier than large ones, as in what people ask.
Fraction DrawClass(char name, std::int64_t scale, Random& random) {
  const ClassRow* row = std::ranges::find(kClasses, name, &ClassRow::name);
  TXVM_ASSERT(row != kClasses.end());
  std::int64_t low = row->low, high = row->high;
  const bool is_decimal = row->denominator > 1;
  if (row->scales) {
    constexpr std::int64_t kNear = 3;
    low = scale > 1 ? std::max<std::int64_t>(low, 1) * scale : low;
    high *= scale;
    if (scale == 1 && name != 's' && random.Chance(35)) high = std::max(low + 2, high / kNear);
  }
  std::int64_t value = random.Between(low / row->step, high / row->step) * row->step;
  // Prices are often round: a multiple of 25 or of 100 cents.
  if (name == 'd') {
    constexpr std::int64_t kQuarter = 25, kWhole = 100, kEighth = 5;
    const std::int64_t grid = random.Chance(40) ? kQuarter : random.Chance(40) ? kWhole : kEighth;
    value = std::max(grid, value / grid * grid);
  }
  return is_decimal ? *Reduced(value, row->denominator) : Fraction{value, 1};
}

bool Holds(const Specification& specification, std::span<const Fraction> values) {
  return std::ranges::all_of(specification.conditions, [&](const Program& condition) {
    const auto value = Evaluate(condition, values);
    return value && !value->IsZero();
  });
}

bool IsSensible(const Specification& specification, const Fraction& result,
                const DrawOptions& options, std::span<const Fraction> values) {
  if (!options.is_story) return true;
  if (!specification.may_be_negative && result.numerator <= 0) return false;
  if (specification.may_be_fraction || result.IsInteger()) return true;
  for (std::size_t v = 0; v < kVariables; ++v) {
    if ((options.variables >> v & 1) != 0 && !values[v].IsInteger()) return true;
  }
  return false;
}

}  // namespace

Program Moved(std::string_view text, std::size_t first, const Expr* incoming) {
  Program program = ParseProgram(text);
  std::vector<Expr> by;
  for (std::size_t v = 0; v < kVariables; ++v) {
    by.push_back(v == kIncoming && incoming ? *incoming : Variable((first + v) % kVariables));
  }
  for (Expr& expr : program.temporaries) expr = Substitute(expr, by);
  program.result = Substitute(program.result, by);
  return program;
}

bool IsNumberClass(char name) {
  return std::ranges::find(kClasses, name, &ClassRow::name) != kClasses.end();
}

isa::Result<void> CheckSpecification(std::string_view text) {
  for (const std::string_view item : Items(text)) {
    if (item == "frac" || item == "neg") continue;
    const auto about = [item](const std::string& what) {
      return isa::Fail(isa::ErrorCode::kInvalid, "'" + std::string(item) + "' " + what);
    };
    if (item.size() > 2 && item[1] == ':') {
      if (!IsLetter(item[0])) return about("gives a class to what is no variable from a to z");
      if (item.size() != 3 || !IsNumberClass(item[2])) return about("names no class of numbers");
    } else if (item.size() > 2 && IsLetter(item[0]) && item[1] == '=' && item[2] != '=') {
      TXVM_TRY([[maybe_unused]] const Program program, ReadProgram(item.substr(2)));
    } else {
      TXVM_TRY([[maybe_unused]] const Program program, ReadProgram(item));
    }
  }
  return {};
}

void Specification::Add(std::string_view text, std::size_t first, const Expr* incoming) {
  for (const std::string_view item : Items(text)) {
    const bool has_second = item.size() > 2;
    if (item == "frac") {
      may_be_fraction = true;
    } else if (item == "neg") {
      may_be_negative = true;
    } else if (has_second && item[1] == ':') {
      classes[first + static_cast<std::size_t>(item[0] - 'a')] = item[2];
    } else if (has_second && IsLetter(item[0]) && item[1] == '=' && item[2] != '=') {
      assignments.push_back({first + static_cast<std::size_t>(item[0] - 'a'),
                             Moved(item.substr(2), first, incoming)});
    } else {
      conditions.push_back(Moved(item, first, incoming));
    }
  }
}

std::optional<Numbers> DrawNumbers(const Specification& specification, const Program& program,
                                   const DrawOptions& options, Random& random) {
  std::uint64_t wanted = options.variables | VariablesOf(program);
  for (const Assignment& assignment : specification.assignments) {
    wanted |= VariablesOf(assignment.program);
  }
  for (const Program& condition : specification.conditions) wanted |= VariablesOf(condition);
  for (int i = 0; i < kTries; ++i) {
    Numbers numbers{};
    for (std::size_t v = 0; v < kVariables; ++v) {
      if ((wanted >> v & 1) == 0) continue;
      const char usual = v == kOneVariable ? 'u' : 'm';
      const char name = specification.classes[v] != 0 ? specification.classes[v] : usual;
      numbers[v] = DrawClass(name, options.scale, random);
    }
    bool is_defined = true;
    for (const Assignment& assignment : specification.assignments) {
      const auto value = Evaluate(assignment.program, numbers);
      is_defined = is_defined && value;
      if (value) numbers[assignment.variable] = *value;
    }
    if (!is_defined || !Holds(specification, numbers)) continue;
    const auto result = Evaluate(program, numbers);
    if (result && IsSensible(specification, *result, options, numbers)) return numbers;
  }
  return std::nullopt;
}

}  // namespace txvm::neural::questions
