// C++ without its standard library, but with exceptions.
#include <gtest/gtest.h>

#include <string>

#include "tests/frontends/c/c_runner.h"

namespace txvm::tests {
namespace {

using frontends::c::Compilation;
using frontends::c::CompileC;

TEST(Cxx, ClassesTemplatesAndNewRun) {
  SKIP_WITHOUT_C();
  constexpr std::string_view kSource = R"(#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>
template <typename T> class Stack {
 public:
  ~Stack() { delete[] items_; }
  void Push(T value) {
    if (count_ == room_) {
      T* more = new T[room_ = room_ * 2 + 1];
      for (int i = 0; i < count_; ++i) more[i] = items_[i];
      delete[] items_;
      items_ = more;
    }
    items_[count_++] = value;
  }
  T Pop() { return items_[--count_]; }
 private:
  T* items_ = nullptr;
  int count_ = 0, room_ = 0;
};
struct Shape {
  virtual ~Shape() { std::puts("shape"); }
  virtual double Area() const = 0;
};
struct Circle : Shape {
  explicit Circle(double r) : r(r) {}
  double Area() const override { return M_PI * r * r; }
  double r;
};
struct Global {
  Global() { std::puts("constructed"); }
  ~Global() { puts("destroyed"); }
} global;
static Stack<long long>& Shared() { static Stack<long long> shared; return shared; }
int main(int, char** words) {
  for (int i = 0; i < 50; ++i) Shared().Push(1LL << i);
  Shape* shape = new Circle(std::sqrt(4.0));
  std::printf("%.3f %lld %d\n", shape->Area(), Shared().Pop(), (int)std::strlen(words[0]) > 0);
  delete shape;
  alignas(int) char room[sizeof(int)];
  auto add = [&](auto x) { return x + *new (room) int(1); };
  return add(41);
})";
  for (const int level : {0, 2}) {
    frontends::c::CompileOptions options;
    options.level = level;
    Compilation compilation = CompileC("", kSource, "prog.cc", options);
    ASSERT_TRUE(compilation.program)
        << compilation.program.error().ToString() << compilation.diagnostics;
    frontends::wasi::Options wasi;
    wasi.arguments = {"prog.cc"};
    const Outcome outcome =
        RunOnBoth(std::make_shared<const isa::Program>(*std::move(compilation.program)), wasi);
    EXPECT_EQ(outcome.out, "constructed\n12.566 562949953421312 1\nshape\ndestroyed\n");
    EXPECT_EQ(outcome.end, "exited 42");
  }
}

TEST(Cxx, WhatIsNotThereIsSaid) {
  SKIP_WITHOUT_C();
  Compilation compilation =
      CompileC("", "#include <vector>\nint main() { return 0; }", "prog.cpp", {});
  ASSERT_FALSE(compilation.program);
  EXPECT_NE(compilation.diagnostics.find("txvm has no vector: C++ comes with the headers of C"),
            std::string::npos)
      << compilation.diagnostics;
}

}  // namespace
}  // namespace txvm::tests
