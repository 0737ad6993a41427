// Functions lowered when they are first called: the same runs as those of the whole program.
#include "frontends/wasm/on_demand.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "frontends/wasm/load.h"
#include "frontends/wat/reader.h"
#include "tests/frontends/wasm/suite_modules.h"
#include "vm/machine.h"
#include "vm/prepared.h"
#include "vm/snapshot.h"
#include "vm/snapshot_file.h"

namespace txvm::tests {
namespace {

using frontends::wat::LoadOptions;
using frontends::wat::LoadWasm;
using frontends::wat::ModuleOnDemand;
using vm::EngineKind;
using Program = std::shared_ptr<const isa::Program>;
using SharedBytes = std::shared_ptr<const std::vector<std::uint8_t>>;

constexpr LoadOptions kOptions{.optimize = true, .lower_i64 = true};
constexpr std::array kEngines = {EngineKind::kNative, EngineKind::kAttention, EngineKind::kFolded,
                                 EngineKind::kHull};

SharedBytes Encode(std::string_view text) {
  auto bytes = frontends::wat::EncodeText(text, "test.wat");
  EXPECT_TRUE(bytes.has_value()) << (bytes ? "" : bytes.error().message);
  return std::make_shared<const std::vector<std::uint8_t>>(*std::move(bytes));
}

/// nullptr: the module has to be lowered as a whole. A batch is one function, and what it calls
/// only from the second on.
Program OnDemand(const SharedBytes& bytes, std::size_t first_batch = 1) {
  auto module = ModuleOnDemand::Read(*bytes, bytes, "test.wasm", kOptions, first_batch);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  if (!module || *module == nullptr) return nullptr;
  auto program = ModuleOnDemand::Lower(*std::move(module));
  EXPECT_TRUE(program.has_value()) << (program ? "" : program.error().message);
  return std::make_shared<const isa::Program>(*std::move(program));
}

Program Whole(const SharedBytes& bytes) {
  auto program = LoadWasm(*bytes, "test.wasm", kOptions);
  EXPECT_TRUE(program.has_value()) << (program ? "" : program.error().message);
  return std::make_shared<const isa::Program>(*std::move(program));
}

vm::Machine Load(const Program& program, EngineKind engine, const vm::Linker& linker = {}) {
  auto machine = vm::Machine::Load(program, linker, {.engine = engine, .limits = {}});
  EXPECT_TRUE(machine.has_value()) << (machine ? "" : machine.error().message);
  return *std::move(machine);
}

/// Outcome, results, cause of a trap and its note, steps.
std::string Describe(const vm::RunResult& result) {
  std::string text(vm::OutcomeText(result.outcome));
  for (const vm::Word word : result.results) text += " " + std::to_string(word);
  if (result.trap) text += std::string(isa::TrapText(result.trap->cause)) + result.trap->detail;
  if (result.host_error) text += result.host_error->message;
  return text + " in " + std::to_string(result.steps);
}

vm::RunResult Call(vm::Machine& machine, std::string_view name, std::vector<vm::Word> args,
                   vm::RunOptions options = {.digest = true}) {
  return *machine.Call(*machine.program().FindExport(name), args, options);
}

constexpr std::string_view kModule = R"((module
  (memory (export "memory") 1)
  (data (i32.const 16) "abcdefgh")
  (global $calls (mut i32) (i32.const 0))
  (type $unary (func (param i32) (result i32)))
  (table funcref (elem $double $square $odd $long $float))
  (func $count (global.set $calls (i32.add (global.get $calls) (i32.const 1))))
  (func $double (param i32) (result i32)
    call $count
    (i32.mul (local.get 0) (i32.const 2)))
  (func $square (param i32) (result i32)
    call $count
    (i32.mul (local.get 0) (local.get 0)))
  (func $odd (param i32) (result i32)
    call $count
    (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 0))
      (else (call $even (i32.sub (local.get 0) (i32.const 1))))))
  (func $even (param i32) (result i32)
    (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 1))
      (else (call $odd (i32.sub (local.get 0) (i32.const 1))))))
  (func $long (param i32) (result i32)
    (i32.wrap_i64 (i64.div_s (i64.mul (i64.extend_i32_s (local.get 0)) (i64.const 123456789012))
                             (i64.const 1000))))
  (func $float (param i32) (result i32)
    (i32.trunc_f64_s (f64.sqrt (f64.convert_i32_s (local.get 0)))))
  (func $never (param i64 f64 i32 i64) (result f64)
    (f64.div (local.get 1) (f64.convert_i64_s (local.get 3))))
  (func (export "apply") (param i32 i32) (result i32)
    (call_indirect (type $unary) (local.get 1) (local.get 0)))
  (func (export "fill") (param i32) (result i32)
    (memory.fill (i32.const 0) (local.get 0) (i32.const 8))
    (drop (memory.grow (i32.const 1)))
    (i32.add (i32.load (i32.const 4)) (memory.size)))
  (func (export "all") (result i32) (local $i i32) (local $sum i32)
    (loop $next
      (local.set $sum (i32.add (local.get $sum)
        (call_indirect (type $unary) (i32.add (local.get $i) (i32.const 7)) (local.get $i))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1)))
                             (i32.const 5))))
    (i32.add (local.get $sum) (global.get $calls)))
  (func (export "trap") (param i32) (result i32)
    (i32.div_u (i32.const 1) (local.get 0)))
  (func (export "outside") (call_indirect (type $unary) (i32.const 1) (i32.const 9)) drop)
))";

TEST(OnDemand, RunsAsTheWholeProgramStepByStep) {
  const SharedBytes bytes = Encode(kModule);
  const Program whole = Whole(bytes);
  for (const std::size_t first_batch : {1, 40, 1'000'000}) {
    const Program program = OnDemand(bytes, first_batch);
    ASSERT_NE(program, nullptr);
    std::array<std::string, 8> digests;
    for (const EngineKind engine : kEngines) {
      vm::Machine machine = Load(program, engine), expected = Load(whole, engine);
      std::size_t at = 0;
      const auto check = [&](std::string_view name, std::vector<vm::Word> args) {
        const vm::RunResult ran = Call(machine, name, args);
        EXPECT_EQ(Describe(ran), Describe(Call(expected, name, args)))
            << name << " on " << vm::EngineName(engine);
        const std::string digest = std::to_string(*ran.digest);
        if (digests[at].empty()) digests[at] = digest;
        EXPECT_EQ(digests[at++], digest) << name << " on " << vm::EngineName(engine);
      };
      check("apply", {3, 100});
      check("all", {});
      check("trap", {0});
      check("outside", {});
      check("fill", {7});
      check("all", {});
      check("trap", {1});
    }
  }
}

TEST(OnDemand, WhatIsNotCalledIsAStub) {
  const SharedBytes bytes = Encode(kModule);
  const Program program = OnDemand(bytes);
  vm::Machine machine = Load(program, EngineKind::kNative);
  const std::size_t before = machine.program().code.size();
  EXPECT_LT(before, Whole(bytes)->code.size() / 2);
  Call(machine, "trap", {1});
  EXPECT_LT(machine.program().code.size(), before + 20);
  EXPECT_EQ(machine.program().grown.size(), 1U);
  EXPECT_EQ(program->code.size(), before);  // others share it
}

TEST(OnDemand, AnyCutsGiveTheUncutRun) {
  const Program program = OnDemand(Encode(kModule));
  for (const EngineKind engine : kEngines) {
    vm::Machine uncut = Load(program, engine), cut = Load(program, engine);
    const vm::RunResult expected = Call(uncut, "all", {});
    vm::RunOptions options{.fuel = 1, .digest = true};
    vm::RunResult result = Call(cut, "all", {}, options);
    while (result.outcome == vm::Outcome::kOutOfFuel) result = cut.Resume(options);
    EXPECT_EQ(Describe(result), Describe(expected));
    EXPECT_EQ(result.digest, expected.digest);
  }
}

TEST(OnDemand, SnapshotsMoveBetweenInstancesAndEngines) {
  const SharedBytes bytes = Encode(kModule);
  const Program program = OnDemand(bytes);
  vm::Machine uncut = Load(program, EngineKind::kNative);
  const vm::RunResult expected = Call(uncut, "all", {});
  for (std::uint64_t fuel = 1; fuel < expected.steps; fuel += 13) {
    vm::Machine first = Load(program, EngineKind::kAttention);
    ASSERT_EQ(Call(first, "all", {}, {.fuel = fuel, .digest = true}).outcome,
              vm::Outcome::kOutOfFuel);
    const auto file = vm::WriteSnapshot(*first.TakeSnapshot());
    const auto read = vm::ReadSnapshot(file);
    ASSERT_TRUE(read.has_value());
    for (const EngineKind engine : kEngines) {
      auto next =
          vm::Machine::FromSnapshot(OnDemand(bytes), {}, {.engine = engine, .limits = {}}, *read);
      ASSERT_TRUE(next.has_value()) << next.error().message;
      const vm::RunResult result = next->Resume({.digest = true});
      EXPECT_EQ(Describe(result), Describe(expected)) << fuel;
      EXPECT_EQ(result.digest, expected.digest) << fuel;
    }
    EXPECT_EQ(vm::WriteSnapshot(*first.TakeSnapshot()), file);
  }
}

TEST(OnDemand, AnAlteredListInASnapshotIsRefused) {
  const Program program = OnDemand(Encode(kModule));
  vm::Machine machine = Load(program, EngineKind::kNative);
  Call(machine, "all", {});
  vm::Snapshot snapshot = *machine.TakeSnapshot();
  ASSERT_FALSE(snapshot.grown.empty());
  snapshot.grown.push_back(snapshot.grown.front());
  EXPECT_FALSE(machine.Restore(snapshot).has_value());
  snapshot.grown.back() = 1'000'000;
  EXPECT_FALSE(machine.Restore(snapshot).has_value());
  EXPECT_EQ(Describe(Call(machine, "apply", {1, 9})).substr(0, 9), "halted 81");
}

TEST(OnDemand, ASnapshotOfTheWholeProgramDoesNotFit) {
  const SharedBytes bytes = Encode(kModule);
  vm::Machine whole = Load(Whole(bytes), EngineKind::kNative);
  vm::Machine machine = Load(OnDemand(bytes), EngineKind::kNative);
  EXPECT_FALSE(machine.Restore(*whole.TakeSnapshot()).has_value());
  EXPECT_FALSE(whole.Restore(*machine.TakeSnapshot()).has_value());
}

TEST(OnDemand, InstancesOnThreadsGrowByThemselves) {
  const Program program = OnDemand(Encode(kModule));
  auto prepared = *vm::Prepared::Create(program);
  std::array<std::string, 8> texts;
  std::vector<std::thread> threads;
  for (std::string& text : texts) {
    threads.emplace_back([&text, &prepared] {
      auto machine = vm::Machine::Load(prepared, {}, {.engine = EngineKind::kFolded, .limits = {}});
      for (const vm::Word index : {4, 3, 2, 1, 0}) {
        text += Describe(Call(*machine, "apply", {index, 50})) + "; ";
      }
      auto clone = machine->Clone();
      text += Describe(Call(*machine, "all", {})) + Describe(Call(*clone, "all", {}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
}

TEST(OnDemand, AHostFunctionMayCallWhatIsNotThereYet) {
  const SharedBytes bytes = Encode(R"((module
    (import "host" "back" (func $back (param i32) (result i32)))
    (func (export "outer") (param i32) (result i32)
      (i32.add (call $back (local.get 0)) (i32.const 1)))
    (func (export "inner") (param i32) (result i32) (call $deep (local.get 0)))
    (func $deep (param i32) (result i32) (i32.mul (local.get 0) (i32.const 3)))))");
  std::string first;
  for (const Program& program : {Whole(bytes), OnDemand(bytes)}) {
    for (const EngineKind engine :
         {EngineKind::kNative, EngineKind::kAttention, EngineKind::kFolded}) {
      vm::Machine* caller = nullptr;
      vm::Linker linker;
      linker.Define("host", "back", 1, 1, [&caller](vm::HostContext&, auto args, auto results) {
        const vm::RunResult inner = Call(*caller, "inner", {args[0]});
        results[0] = inner.results.at(0);
        return vm::HostStatus::Continue();
      });
      vm::Machine machine = Load(program, engine, linker);
      caller = &machine;
      const std::string text = Describe(Call(machine, "outer", {5}));
      if (first.empty()) first = text;
      EXPECT_EQ(text, first);
    }
  }
  EXPECT_EQ(first.substr(0, 9), "halted 16");
}

TEST(OnDemand, FaultsOfBodiesAreFoundWhenItIsOpened) {
  const std::vector<std::uint8_t> bad = {0,  'a',  's', 'm', 1,    0,    0, 0,   1, 5,
                                         1,  0x60, 0,   1,   0x7F, 3,    2, 1,   0,  // () -> i32
                                         10, 6,    1,   4,   0,    0x42, 0, 0x0B};   // i64.const 0
  const auto bytes = std::make_shared<const std::vector<std::uint8_t>>(bad);
  const auto opened = ModuleOnDemand::Read(*bytes, bytes, "bad.wasm", kOptions);
  const auto loaded = LoadWasm(*bytes, "bad.wasm", kOptions);
  ASSERT_FALSE(opened.has_value());
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(opened.error().ToString(), loaded.error().ToString());
}

TEST(OnDemand, AFrameThatDoesNotFitIsAnError) {
  const Program program = OnDemand(Encode(R"((module
    (func (export "small") (result i32) (i32.const 1))
    (func (export "large") (result i32)
      (local i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (local.get 11))))"));
  auto machine =
      vm::Machine::Load(program, {}, {.engine = EngineKind::kNative, .limits = {.max_locals = 8}});
  ASSERT_TRUE(machine.has_value());
  const vm::RunResult refused = Call(*machine, "large", {});
  EXPECT_EQ(refused.outcome, vm::Outcome::kHostError);
  EXPECT_NE(refused.host_error->message.find("12"), std::string::npos);
  EXPECT_EQ(Call(*machine, "small", {}).results, std::vector<vm::Word>{1});
}

TEST(OnDemand, TheWholeProgramIsToBeHad) {
  const SharedBytes bytes = Encode(kModule);
  const auto whole = OnDemand(bytes)->growth->Whole();
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(*whole, *Whole(bytes));
}

TEST(OnDemand, TailCallsNeedTheWholeModule) {
  const SharedBytes bytes = Encode(R"((module
    (func $f (param i32) (result i32) (return_call $f (local.get 0)))))");
  EXPECT_EQ(OnDemand(bytes), nullptr);
  EXPECT_TRUE(frontends::wat::LoadWasmOnDemand(*bytes, bytes, "test.wasm", kOptions).has_value());
}

/// Tables that change, references, passive segments, setjmp: what the passes look at modules for.
TEST(OnDemand, PassesSeeWhatBodiesHold) {
  const SharedBytes bytes = Encode(R"((module
    (import "env" "_emscripten_throw_longjmp" (func $throw))
    (import "env" "invoke_v" (func $invoke (param i32)))
    (memory 1)
    (data $text "hello, world")
    (table $t 4 funcref)
    (elem $some func $five $six)
    (elem (table $t) (i32.const 2) func $thrower $five)
    (type $number (func (result i32)))
    (func $five (result i32) (i32.const 5))
    (func $six (result i32) (i32.const 6))
    (func $thrower (call $throw) (unreachable))
    (func (export "init") (result i32)
      (table.init $t $some (i32.const 0) (i32.const 0) (i32.const 2))
      (memory.init $text (i32.const 1) (i32.const 0) (i32.const 12))
      (i32.load (i32.const 4)))
    (func (export "call") (param i32) (result i32)
      (call_indirect $t (type $number) (local.get 0)))
    (func (export "swap")
      (table.set $t (i32.const 3) (table.get $t (i32.const 0)))
      (table.set $t (i32.const 0) (ref.func $six)))
    (func (export "drop") (data.drop $text) (elem.drop $some))
    (func (export "catch") (result i32) (call $invoke (i32.const 2)) (i32.const 9))))");
  const Program whole = Whole(bytes), program = OnDemand(bytes);
  ASSERT_NE(program, nullptr);
  for (const EngineKind engine : {EngineKind::kNative, EngineKind::kAttention}) {
    vm::Machine machine = Load(program, engine), expected = Load(whole, engine);
    const auto check = [&](std::string_view name, std::vector<vm::Word> args) {
      EXPECT_EQ(Describe(Call(machine, name, args)), Describe(Call(expected, name, args))) << name;
    };
    check("call", {3});
    check("call", {0});
    check("init", {});
    check("call", {0});
    check("catch", {});
    check("swap", {});
    check("call", {3});
    check("call", {0});
    check("drop", {});
    check("init", {});
  }
}

/// Every export without parameters of every module of the suite that imports nothing.
TEST(OnDemand, TheSuiteRunsAsTheWholeProgramsDo) {
  std::size_t calls = 0;
  for (const SuiteModule& module : SuiteModules()) {
    if (module.verdict != SuiteVerdict::kValid) continue;
    const auto bytes = std::make_shared<const std::vector<std::uint8_t>>(module.bytes);
    auto loaded = LoadWasm(*bytes, "suite.wasm", kOptions);
    if (!loaded) continue;
    const auto whole = std::make_shared<const isa::Program>(*std::move(loaded));
    auto opened = ModuleOnDemand::Read(*bytes, bytes, "suite.wasm", kOptions, 1);
    ASSERT_TRUE(opened.has_value()) << module.place;
    if (*opened == nullptr) continue;
    auto lowered = ModuleOnDemand::Lower(*std::move(opened));
    ASSERT_TRUE(lowered.has_value()) << module.place << lowered.error().message;
    const auto program = std::make_shared<const isa::Program>(*std::move(lowered));
    auto expected = vm::Machine::Load(whole, {}, {.engine = EngineKind::kNative, .limits = {}});
    auto machine = vm::Machine::Load(program, {}, {.engine = EngineKind::kNative, .limits = {}});
    ASSERT_EQ(expected.has_value(), machine.has_value()) << module.place;
    if (!expected) continue;  // it imports something
    const vm::RunOptions options{.fuel = 100'000};
    EXPECT_EQ(Describe(machine->RunInit(options)), Describe(expected->RunInit(options)));
    for (std::size_t i = 0; i < whole->exports.size(); ++i) {
      const std::vector<vm::Word> args(whole->exports[i].params, 3);
      const vm::RunResult a = *machine->Call(program->exports[i], args, options);
      const vm::RunResult b = *expected->Call(whole->exports[i], args, options);
      ASSERT_EQ(Describe(a), Describe(b)) << module.place << " " << whole->exports[i].name;
      ++calls;
    }
  }
  RecordProperty("calls", static_cast<int>(calls));
}

}  // namespace
}  // namespace txvm::tests
