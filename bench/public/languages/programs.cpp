// Programs in C and C++ for bench/public/languages.py, one after each line `//// NAME`, built by
// Emscripten.
//// primes
#include <cstdio>
#include <vector>
int main() {
  std::vector<bool> sieve(10000, true);
  long sum = 0;
  int count = 0;
  for (std::size_t n = 2; n < sieve.size(); ++n) {
    if (!sieve[n]) continue;
    ++count;
    sum += static_cast<long>(n);
    for (std::size_t i = n * n; i < sieve.size(); i += n) sieve[i] = false;
  }
  std::printf("%d %ld\n", count, sum);
}
//// strings
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
int main() {
  std::string text = "the quick brown fox";
  std::reverse(text.begin(), text.end());
  std::cout << text << ' ' << text.find("kciuq") << ' ' << text.substr(4, 5) << '\n';
  std::istringstream in("12 3.5 word 0x1f rest of line");
  int number = 0, hex = 0;
  double real = 0;
  std::string word, rest;
  in >> number >> real >> word >> std::hex >> hex;
  std::getline(in, rest);
  std::cout << number << '|' << real << '|' << word << '|' << hex << '|' << rest << '\n';
  std::cout << std::to_string(-7) + std::to_string(2.5) << ' ' << std::stoi("42abc") << ' ' << std::stod("1e3") << '\n';
}
//// maps
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <unordered_map>
int main() {
  std::map<std::string, int> counts;
  std::istringstream in("it was the best of times it was the worst of times");
  for (std::string word; in >> word;) ++counts[word];
  for (const auto& [word, count] : counts) std::cout << word << '=' << count << ' ';
  std::unordered_map<int, int> squares;
  for (int i = 0; i < 1000; ++i) squares[i * 7919] = i * i;
  std::multiset<int> many{5, 3, 5, 1};
  std::cout << '\n' << squares.at(7919 * 31) << ' ' << squares.size() << ' ' << many.count(5) << '\n';
}
//// virtual
#include <iostream>
#include <memory>
#include <vector>
struct Shape {
  virtual ~Shape() { std::cout << "gone "; }
  virtual double Area() const = 0;
};
struct Circle : Shape {
  explicit Circle(double r) : r(r) {}
  double Area() const override { return 3.14159265358979 * r * r; }
  double r;
};
struct Square : Shape {
  explicit Square(double a) : a(a) {}
  double Area() const override { return a * a; }
  double a;
};
int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Circle>(1.5));
  shapes.push_back(std::make_unique<Square>(3));
  for (const auto& shape : shapes) {
    std::cout << shape->Area() << ' ' << (dynamic_cast<Circle*>(shape.get()) != nullptr) << '\n';
  }
  shapes.pop_back();
  std::cout << "end\n";
}
//// lambdas
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>
int main() {
  std::vector<std::function<int(int)>> steps;
  for (int k = 1; k <= 4; ++k) steps.push_back([k](int x) { return x * k + k; });
  int x = 1;
  for (const auto& step : steps) x = step(x);
  std::vector<int> numbers(20);
  std::iota(numbers.begin(), numbers.end(), 1);
  const int sum = std::accumulate(numbers.begin(), numbers.end(), 0, [](int a, int b) { return a + b * b; });
  std::function<int(int)> fib = [&](int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); };
  std::printf("%d %d %d\n", x, sum, fib(18));
}
//// templates
#include <array>
#include <cstdio>
template <typename T, std::size_t N>
struct Matrix {
  std::array<std::array<T, N>, N> cells{};
  Matrix operator*(const Matrix& o) const {
    Matrix out;
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = 0; j < N; ++j)
        for (std::size_t k = 0; k < N; ++k) out.cells[i][j] += cells[i][k] * o.cells[k][j];
    return out;
  }
};
template <typename M>
M Power(M base, unsigned n) {
  M result = base;
  for (--n; n != 0; n >>= 1, base = base * base)
    if (n & 1) result = result * base;
  return result;
}
int main() {
  const auto fib = Power(Matrix<unsigned long long, 2>{{{{1, 1}, {1, 0}}}}, 90);
  const auto walk = Power(Matrix<double, 2>{{{{0.9, 0.1}, {0.4, 0.6}}}}, 13);
  std::printf("%llu %.15g %.15g\n", fib.cells[0][1], walk.cells[0][0], walk.cells[1][0]);
}
//// sort
#include <algorithm>
#include <cstdio>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>
int main() {
  std::uint32_t x = 2463534242;
  std::vector<std::uint32_t> numbers(5000);
  for (auto& n : numbers) n = (x ^= x << 13, x ^= x >> 17, x ^= x << 5);
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::tuple<int, std::string>> people{{41, "Alan"}, {36, "Ada"}, {53, "Emmy"}, {36, "Kurt"}};
  std::stable_sort(people.begin(), people.end(), [](auto& a, auto& b) { return std::get<0>(a) < std::get<0>(b); });
  for (const auto& [age, name] : people) std::printf("%s %d\n", name.c_str(), age);
  std::printf("%u %u %d\n", numbers[0], numbers[4999], std::binary_search(numbers.begin(), numbers.end(), numbers[7]));
}
//// floats
#include <cmath>
#include <cstdio>
#include <limits>
int main() {
  const double values[] = {0.1, -0.0, 1e300, 5e-324, 1.0 / 3, INFINITY, 123456.789};
  for (const double v : values) std::printf("%g %.17g %e %a\n", v, v, v, v);
  std::printf("%.12f %.12f %.12f\n", std::sin(1.0), std::pow(2.0, 0.5), std::lgamma(4.5));
  std::printf("%g %g %g\n", std::fmod(-7.5, 2), std::round(2.5), std::hypot(3, 4));
  std::printf("%.9g %d\n", static_cast<double>(0.1f + 0.2f), std::isnan(std::numeric_limits<double>::quiet_NaN()));
}
//// printf
#include <cinttypes>
#include <cstdio>
int main() {
  std::printf("%d %5d|%-5d|%05d|%+d %x %X %#x %o %c %s|%8s|%-8s|%.2s\n", 1, 2, 3, 4, 5, 255, 255, 255, 8, 'c', "s", "right",
              "left", "cut");
  std::printf("%lld %llu %" PRIu64 " %hhd %zu %%\n", -1LL, ~0ULL, UINT64_C(1) << 40, 300, sizeof(int));
  std::printf("%8.3f|%-8.2f|%08.1f|%+.0f|%#.0f\n", 3.14159, 2.71828, -1.5, 7.5, 3.0);
}
//// qsort
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int compare(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }
int main(void) {
  const char* words[] = {"pear", "apple", "fig", "banana", "cherry", "date"};
  qsort(words, 6, sizeof *words, compare);
  for (int i = 0; i < 6; ++i) printf("%s ", words[i]);
  const char* key = "fig";
  const char** found = (const char**)bsearch(&key, words, 6, sizeof *words, compare);
  printf("%d\n", (int)(found - words));
}
//// structs
#include <stddef.h>
#include <stdio.h>
#include <string.h>
struct Record {
  char tag;
  double value;
  short part[3];
  unsigned flag : 3, level : 5;
};
union Bits {
  float f;
  unsigned u;
};
static struct Record change(struct Record r) {
  r.value *= 2;
  r.part[1] = 7;
  r.level += 30;
  return r;
}
int main(void) {
  struct Record r = {'x', 1.25, {1, 2, 3}, 5, 9};
  const struct Record s = change(r);
  union Bits bits = {.f = -1.5f};
  printf("%zu %zu %g %d %u %u %x\n", sizeof r, offsetof(struct Record, part), s.value, s.part[1], s.level, r.level, bits.u);
  printf("%d\n", memcmp(&r.part, &s.part, sizeof r.part) != 0);
}
//// malloc
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char* pieces[200];
  unsigned long sum = 0;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 200; ++i) {
      const size_t size = (size_t)(i * 97 % 4000 + 1);
      pieces[i] = (char*)malloc(size);
      memset(pieces[i], i + round, size);
    }
    for (int i = 0; i < 200; i += 2) pieces[i] = (char*)realloc(pieces[i], (size_t)(i * 50 + 8000));
    for (int i = 0; i < 200; ++i) {
      sum += (unsigned char)pieces[i][0];
      free(pieces[i]);
    }
  }
  char* large = (char*)calloc(3000000, 1);
  printf("%lu %d\n", sum, large[2999999]);
  free(large);
}
//// function_pointers
#include <stdio.h>
typedef double (*Op)(double, double);
static double add(double a, double b) { return a + b; }
static double mul(double a, double b) { return a * b; }
static double sub(double a, double b) { return a - b; }
static double fold(Op op, const double* v, int n, double start) {
  for (int i = 0; i < n; ++i) start = op(start, v[i]);
  return start;
}
int main(void) {
  const Op ops[] = {add, mul, sub};
  const double v[] = {1, 2, 3, 4.5};
  for (int i = 0; i < 3; ++i) printf("%g ", fold(ops[i], v, 4, i));
  printf("%d\n", ops[0] == add);
}
//// queens
#include <stdio.h>
static int place(unsigned columns, unsigned left, unsigned right, unsigned full) {
  if (columns == full) return 1;
  int count = 0;
  for (unsigned open = full & ~(columns | left | right); open != 0; open &= open - 1) {
    const unsigned bit = open & (0u - open);
    count += place(columns | bit, (left | bit) << 1, (right | bit) >> 1, full);
  }
  return count;
}
int main(void) {
  for (int n = 1; n <= 9; ++n) printf("%d ", place(0, 0, 0, (1u << n) - 1));
  puts("");
}
//// varargs
#include <stdarg.h>
#include <stdio.h>
static double sum(const char* types, ...) {
  va_list arguments;
  va_start(arguments, types);
  double total = 0;
  for (; *types != '\0'; ++types) {
    switch (*types) {
      case 'i': total += va_arg(arguments, int); break;
      case 'l': total += (double)va_arg(arguments, long long); break;
      case 'd': total += va_arg(arguments, double); break;
    }
  }
  va_end(arguments);
  return total;
}
int main(void) {
  char text[40];
  snprintf(text, sizeof text, "%g %g", sum("idl", 1, 2.5, 1LL << 40), sum(""));
  puts(text);
}
//// input
#include <iostream>
#include <string>
int main() {
  std::string line;
  int number = 0;
  std::size_t bytes = 0;
  while (std::getline(std::cin, line)) {
    bytes += line.size();
    std::cout << ++number << ": " << line << '\n';
  }
  std::cerr << bytes << '\n';
  return number;
}
//// arguments
#include <stdio.h>
#include <stdlib.h>
static void late(void) { puts("at exit"); }
int main(int count, char** words) {
  atexit(late);
  printf("%d %s\n", count, words[count] == NULL ? "ends" : "goes on");
  exit(count + 4);
}
//// static_init
#include <iostream>
#include <string>
struct Noisy {
  explicit Noisy(std::string name) : name(std::move(name)) { std::cout << "begin " << this->name << '\n'; }
  ~Noisy() { std::cout << "end " << name << '\n'; }
  std::string name;
};
static Noisy first("first"), second("second");
static Noisy& Lazy() {
  static Noisy lazy("lazy");
  return lazy;
}
int main() {
  std::cout << "main " << Lazy().name << ' ' << Lazy().name.size() << '\n';
}
//// bits
#include <cstdint>
#include <cstdio>
int main() {
  std::uint64_t x = 0x0123456789ABCDEF;
  std::printf("%d %d %d %llx\n", __builtin_popcountll(x), __builtin_clzll(x), __builtin_ctzll(x << 9),
              static_cast<unsigned long long>(__builtin_bswap64(x)));
  std::int32_t a = -17;
  std::printf("%d %d %d %d\n", a / 5, a % 5, a >> 2, static_cast<int>(static_cast<std::uint32_t>(a) >> 28));
  unsigned __int128 wide = static_cast<unsigned __int128>(x) * x;
  std::printf("%llx %llx\n", static_cast<unsigned long long>(wide >> 64), static_cast<unsigned long long>(wide));
}
//// variant
#include <iostream>
#include <optional>
#include <string>
#include <variant>
#include <vector>
using Value = std::variant<int, double, std::string>;
static std::optional<int> Half(int n) { return n % 2 == 0 ? std::optional(n / 2) : std::nullopt; }
int main() {
  for (const Value& value : std::vector<Value>{7, 2.5, "text"}) {
    std::visit([](const auto& v) { std::cout << v << ' '; }, value);
    std::cout << value.index() << '\n';
  }
  for (int n : {8, 7}) std::cout << Half(n).value_or(-1) << '\n';
}
//// abort
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  puts("before");
  fflush(stdout);
  abort();
}
//// assert
#include <assert.h>
#include <stdio.h>
int main(int count, char** words) {
  (void)words;
  puts("before");
  fflush(stdout);
  assert(count == 2);
  puts("after");
}
//// life
#include <cstdio>
#include <vector>
int main() {
  constexpr int kWidth = 20, kHeight = 10;
  std::vector<char> cells(kWidth * kHeight);
  for (const int at : {1, kWidth + 2, 2 * kWidth, 2 * kWidth + 1, 2 * kWidth + 2}) cells[static_cast<std::size_t>(at)] = 1;
  for (int step = 0; step < 24; ++step) {
    std::vector<char> next(cells.size());
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        int n = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            if (dx != 0 || dy != 0)
              n += cells[static_cast<std::size_t>((y + dy + kHeight) % kHeight * kWidth + (x + dx + kWidth) % kWidth)];
        const auto at = static_cast<std::size_t>(y * kWidth + x);
        next[at] = n == 3 || (n == 2 && cells[at]);
      }
    }
    cells = next;
  }
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) std::putchar(cells[static_cast<std::size_t>(y * kWidth + x)] ? '#' : '.');
    std::putchar('\n');
  }
}
