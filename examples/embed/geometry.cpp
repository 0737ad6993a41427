// Doubles and 64-bit integers of WebAssembly as those of C++, in both directions.
#include <cmath>
#include <iostream>
#include <tuple>
#include <txvm.hpp>

constexpr const char* kModule = R"((module
  (import "host" "hypotenuse" (func $hypotenuse (param f64 f64) (result f64)))
  (func (export "distance") (param f64 f64 f64 f64) (result f64)
    (call $hypotenuse (f64.sub (local.get 2) (local.get 0)) (f64.sub (local.get 3) (local.get 1))))
  (func (export "divide") (param i64 i64) (result i64 i64)
    (i64.div_s (local.get 0) (local.get 1))
    (i64.rem_s (local.get 0) (local.get 1)))
  (func (export "half") (param f32) (result f32) (f32.mul (local.get 0) (f32.const 0.5)))))";

int main() {
  txvm::Engine engine("native");
  txvm::Linker linker(engine);
  linker.Define("host", "hypotenuse", [](double a, double b) { return std::hypot(a, b); });
  txvm::Instance instance(txvm::Program::FromBytes(engine, kModule, "geometry.wat"), linker);
  std::cout << "distance " << instance.Call<double>("distance", 1.5, 2, 4.5, 6.0) << "\n";
  using Pair = std::tuple<std::int64_t, std::int64_t>;
  const auto [quotient, rest] = instance.Call<Pair>("divide", std::int64_t{-9007199254740993}, 10);
  std::cout << "-9007199254740993 / 10 is " << quotient << ", rest " << rest << "\n";
  std::cout << "half of 0.5 is " << instance.Call<float>("half", 0.5f) << "\n";
  try {
    instance.Call<float>("half", 0.5);
  } catch (const txvm::Error& error) {
    std::cout << error.what() << "\n";
  }
}
