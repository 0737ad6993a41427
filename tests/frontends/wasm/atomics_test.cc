// Atomic instructions in one thread: values, alignment, waits, and what is refused.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "frontends/wasm/load.h"
#include "frontends/wasm/reader.h"
#include "tests/frontends/wasm/module_builder.h"
#include "vm/machine.h"

namespace txvm::tests {
namespace {

using frontends::wat::LoadWasm;

constexpr std::uint8_t kShared = 3, kNotShared = 1;

/// A function "f" of these instructions, which leave an i32, over a memory of a page.
Bytes WithMemory(const Bytes& code, std::uint8_t flags = kShared) {
  Bytes body = {0};
  Append(body, code);
  body.push_back(0x0B);
  ModuleBuilder module;
  module.Section(1, {1, 0x60, 0, 1, 0x7F}).Section(3, {1, 0}).Section(5, {1, flags, 1, 1});
  module.Section(7, {1, 1, 'f', 0, 0}).Code(1, body);
  return module.bytes();
}

/// What a call of "f" ends with: its result, or the note of its trap.
std::string Run(const Bytes& bytes, vm::EngineKind engine) {
  auto program = LoadWasm(bytes, "a.wasm", {.optimize = true, .lower_i64 = true});
  if (!program) return program.error().message;
  const auto shared = std::make_shared<const isa::Program>(*std::move(program));
  auto machine = vm::Machine::Load(shared, {}, {.engine = engine, .limits = {}});
  if (!machine) return machine.error().message;
  const auto ran = machine->Call(*shared->FindExport("f"), {}, {});
  if (!ran) return ran.error().message;
  if (ran->trap) return std::string(shared->NoteAt(ran->trap->ip));
  return ran->results.empty() ? "nothing" : std::to_string(ran->results[0]);
}

void ExpectRun(const Bytes& code, const std::string& end, std::uint8_t flags = kShared) {
  EXPECT_EQ(Run(WithMemory(code, flags), vm::EngineKind::kNative), end);
  EXPECT_EQ(Run(WithMemory(code, flags), vm::EngineKind::kAttention), end);
}

// i32.const 8, i32.const 0x1FF, i32.store 0
const Bytes kStored = {0x41, 8, 0x41, 0xFF, 0x03, 0x36, 2, 0};

Bytes AfterStore(const Bytes& code) {
  Bytes out = kStored;
  Append(out, code);
  return out;
}

TEST(Atomics, ReadModifyWriteAnswersWhatWasThere) {
  ExpectRun(AfterStore({0x41, 8, 0x41, 1, 0xFE, 0x1E, 2, 0}), "511");  // i32.atomic.rmw.add
  ExpectRun(AfterStore({0x41, 8, 0x41, 1, 0xFE, 0x1E, 2, 0, 0x1A, 0x41, 8, 0xFE, 0x10, 2, 0}),
            "512");
  // i32.atomic.rmw8.add_u changes one byte
  ExpectRun(AfterStore({0x41, 8, 0x41, 1, 0xFE, 0x20, 0, 0, 0x1A, 0x41, 8, 0xFE, 0x10, 2, 0}),
            "256");
  // i64.atomic.rmw.sub of 512, then the low word
  ExpectRun(AfterStore({0x41, 0, 0x42, 0x80, 0x04, 0xFE, 0x26, 3, 8, 0x1A, 0x41, 8, 0x28, 2, 0}),
            "4294967295");
  ExpectRun(AfterStore({0x41, 0, 0x42, 0x80, 0x04, 0xFE, 0x26, 3, 8, 0x1A, 0x41, 12, 0x28, 2, 0}),
            "4294967295");
}

TEST(Atomics, CompareExchangeComparesTheBytesItReads) {
  // i32.atomic.rmw8.cmpxchg_u: 0x2FF is 0xFF in a byte
  const Bytes equal = {0x41, 8, 0x41, 0xFF, 0x05, 0x41, 7, 0xFE, 0x4A, 0, 0, 0x1A};
  Bytes code = AfterStore(equal);
  Append(code, {0x41, 8, 0x28, 2, 0});
  ExpectRun(code, "263");  // 0x107
  ExpectRun(AfterStore({0x41, 8, 0x41, 0, 0x41, 7, 0xFE, 0x48, 2, 0, 0x1A, 0x41, 8, 0x28, 2, 0}),
            "511");
}

TEST(Atomics, UnalignedAddressesTrap) {
  ExpectRun({0x41, 2, 0xFE, 0x10, 2, 0}, "unaligned atomic");
  ExpectRun({0x41, 0, 0xFE, 0x10, 2, 2}, "unaligned atomic");  // by its offset
  ExpectRun({0x41, 1, 0x41, 0, 0xFE, 0x00, 2, 0}, "unaligned atomic");
  ExpectRun({0x41, 1, 0xFE, 0x12, 0, 0}, "0");  // a byte has no alignment
  ExpectRun({0x41, 1, 0xFE, 0x13, 1, 1}, "0");  // 1 + 1
  ExpectRun({0xFE, 0x03, 0, 0x41, 5}, "5");     // atomic.fence
}

TEST(Atomics, NothingWakesAWait) {
  ExpectRun({0x41, 8, 0x41, 1, 0xFE, 0x00, 2, 0}, "0");              // notify
  ExpectRun({0x41, 8, 0x41, 1, 0x42, 0x7F, 0xFE, 0x01, 2, 0}, "1");  // not equal
  ExpectRun({0x41, 8, 0x41, 0, 0x42, 9, 0xFE, 0x01, 2, 0}, "2");     // timed out
  ExpectRun({0x41, 8, 0x42, 0, 0x42, 9, 0xFE, 0x02, 3, 0}, "2");
  ExpectRun({0x41, 8, 0x41, 0, 0x42, 0x7F, 0xFE, 0x01, 2, 0},
            "a wait without a timeout never ends: there is one thread");
  ExpectRun({0x41, 8, 0x41, 0, 0x42, 9, 0xFE, 0x01, 2, 0},
            "expected shared memory: a wait in a memory of one thread", kNotShared);
}

TEST(Atomics, WhatIsRefused) {
  const auto message = [](const Bytes& bytes) {
    const auto read = frontends::wasm::ReadModule(bytes, "a.wasm");
    return read ? "accepted" : read.error().message;
  };
  EXPECT_EQ(message(WithMemory({0x41, 0, 0xFE, 0x10, 1, 0})),
            "atomic alignment must be natural: 2^1 bytes for i32.atomic.load of 4 (at byte 39 in "
            "function 'f')");
  EXPECT_EQ(message(WithMemory({0xFE, 0x03, 1, 0x41, 0})),
            "zero byte expected: atomic.fence (at byte 39 in function 'f')");
  EXPECT_EQ(message(ModuleBuilder().Section(5, {1, 2, 1}).bytes()),
            "integer too large: the flags of limits are 0x02: shared memory must have maximum (at "
            "byte 11)");
}

}  // namespace
}  // namespace txvm::tests
