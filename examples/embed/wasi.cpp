// A command-line program inside another one: its arguments, input, output and exit code are the host's to give and take.
#include <iostream>
#include <txvm_wasi.hpp>

// Copies its input to its output in capitals, and exits with the number of bytes.
constexpr const char* kCapitals = R"((module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start") (local $at i32) (local $end i32) (local $byte i32)
    (i32.store (i32.const 0) (i32.const 1024))
    (i32.store (i32.const 4) (i32.const 1024))
    (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 4)))
    (local.set $end (i32.add (i32.const 1024) (i32.load (i32.const 4))))
    (local.set $at (i32.const 1024))
    (block $done
      (loop $next
        (br_if $done (i32.eq (local.get $at) (local.get $end)))
        (local.set $byte (i32.load8_u (local.get $at)))
        (if (i32.lt_u (i32.sub (local.get $byte) (i32.const 97)) (i32.const 26))
          (then (i32.store8 (local.get $at) (i32.sub (local.get $byte) (i32.const 32)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
    (call $exit (i32.load (i32.const 8))))))";

int main() {
  txvm::Engine engine;
  txvm::Linker linker(engine);
  const txvm::Program program = txvm::Program::FromBytes(engine, kCapitals, "capitals.wat");

  txvm::Wasi wasi;
  wasi.arguments = {"capitals"};
  wasi.input = "read from a string\n";
  wasi.output = txvm::Keep{};
  txvm::DefineWasi(linker, wasi);
  txvm::Instance kept(program, linker);
  const int code = txvm::RunWasi(kept);
  std::cout << txvm::WasiOutput(kept) << "exit code " << code << "\n";

  wasi.input = [sent = false](char* to, std::size_t count) mutable {
    return std::exchange(sent, true) ? 0 : std::string("read from a function\n").copy(to, count);
  };
  wasi.output = [](std::string_view bytes) { std::cout << "it says: " << bytes; };
  txvm::DefineWasi(linker, wasi);
  txvm::Instance answered(program, linker);
  std::cout << "exit code " << txvm::RunWasi(answered) << "\n";
}
