// WebAssembly text from memory, with a start function and a global known by its name.
#include <iostream>
#include <txvm.hpp>

constexpr const char* kModule = R"((module
  (import "host" "log" (func $log (param i32)))
  (global $count (export "count") (mut i32) (i32.const 40))
  (func $start (call $log (global.get $count)))
  (start $start)
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (global.get $count))))";

int main() {
  txvm::Engine engine;
  txvm::Linker linker(engine);
  linker.Define("host", "log", [](int value) { std::cout << "count starts at " << value << "\n"; });
  const txvm::Program program = txvm::Program::FromBytes(engine, kModule, "counter.wat");
  txvm::Instance counter(program, linker);
  counter.Invoke("next");
  std::cout << "next is " << counter.Invoke("next") << "\n";
  counter.SetGlobal(program.FindGlobal("count"), 99);
  std::cout << "after setting count to 99, next is " << counter.Invoke("next") << "\n";
  try {
    txvm::Program::FromBytes(engine, "(module (func i32.add))", "broken.wat");
  } catch (const txvm::Error& error) {
    std::cout << error.report() << "\n";
  }
}
