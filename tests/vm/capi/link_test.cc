// Several modules as one program: txvm_program_link and Program::Link.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/vm/capi/api.h"
#include "vm/txvm.hpp"

namespace txvm {
namespace {

using testing::Call;
using testing::ExpectHas;
using testing::Find;
using testing::Message;
using testing::NewEngine;
using testing::NewInstance;
using testing::NewLinker;
using testing::NewOutcome;
using testing::Ok;
using testing::ProgramPtr;

struct Source {
  const char* name;
  std::string text;
};

txvm_error* TryLink(txvm_engine* engine, const std::vector<Source>& sources,
                    txvm_program** program) {
  std::vector<std::string> files;
  for (const Source& source : sources) files.push_back(std::string(source.name) + ".wat");
  std::vector<txvm_module> modules;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    modules.push_back(
        {sources[i].name, files[i].c_str(), sources[i].text.data(), sources[i].text.size()});
  }
  return txvm_program_link(engine, modules.data(), modules.size(), program);
}

ProgramPtr Link(txvm_engine* engine, const std::vector<Source>& sources) {
  txvm_program* program = nullptr;
  Ok(TryLink(engine, sources, &program));
  return ProgramPtr(program);
}

std::string LinkError(const std::vector<Source>& sources) {
  const auto engine = NewEngine();
  txvm_program* program = nullptr;
  std::string message = Message(TryLink(engine.get(), sources, &program));
  EXPECT_EQ(program, nullptr);
  txvm_program_delete(program);
  return message;
}

const Source kStore = {"store", R"((module
  (memory (export "memory") 1 3)
  (global $count (export "count") (mut i32) (i32.const 5))
  (global (export "wide") (mut i64) (i64.const 1))
  (table (export "table") 4 8 funcref)
  (type $unary (func (param i32) (result i32)))
  (func $twice (type $unary) (i32.mul (local.get 0) (i32.const 2)))
  (elem (i32.const 0) $twice)
  (func (export "apply") (param i32 i32) (result i32)
    (call_indirect (type $unary) (local.get 1) (local.get 0)))
  (func (export "peek") (param i32) (result i32) (i32.load (local.get 0)))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "divide") (param i32 i32) (result i32)
    (i32.div_u (local.get 0) (local.get 1)))))"};

const Source kMain = {"main", R"((module
  (import "store" "memory" (memory 1))
  (import "store" "count" (global $count (mut i32)))
  (import "store" "wide" (global $wide (mut i64)))
  (import "store" "table" (table 2 funcref))
  (import "store" "next" (func $next (result i32)))
  (import "store" "apply" (func $apply (param i32 i32) (result i32)))
  (import "store" "divide" (func $divide (param i32 i32) (result i32)))
  (func $plus_ten (param i32) (result i32) (i32.add (local.get 0) (i32.const 10)))
  (elem (i32.const 1) $plus_ten)
  (func (export "poke") (param i32 i32) (i32.store (local.get 0) (local.get 1)))
  (func (export "grow") (result i32) (memory.grow (i32.const 1)))
  (func (export "set_count") (param i32) (global.set $count (local.get 0)))
  (func (export "add_wide") (param i64) (result i64)
    (global.set $wide (i64.add (global.get $wide) (local.get 0))) (global.get $wide))
  (func (export "next") (result i32) (call $next))
  (func (export "both") (param i32) (result i32)
    (call $apply (i32.const 1) (call $apply (i32.const 0) (local.get 0))))
  (func (export "ratio") (param i32 i32) (result i32)
    (call $divide (local.get 0) (local.get 1)))))"};

class Linked : public testing::OnEachEngine {};

TEST_P(Linked, ModulesShareMemoryGlobalsAndTables) {
  const auto engine = NewEngine(GetParam());
  const auto program = Link(engine.get(), {kStore, kMain});
  const auto instance = NewInstance(program.get());
  std::vector<std::int32_t> results(1);
  Call(instance.get(), "poke", {64, 1234}, &results);
  Call(instance.get(), "store.peek", {64}, &results);
  EXPECT_EQ(results[0], 1234);
  Call(instance.get(), "grow", {}, &results);
  Call(instance.get(), "poke", {65536 + 8, 77}, &results);
  Call(instance.get(), "store.peek", {65536 + 8}, &results);
  EXPECT_EQ(results[0], 77);

  Call(instance.get(), "set_count", {41}, &results);
  Call(instance.get(), "store.next", {}, &results);
  EXPECT_EQ(results[0], 42);
  Call(instance.get(), "next", {}, &results);
  EXPECT_EQ(results[0], 43);
  std::uint32_t count = 0;
  Ok(txvm_global_find(program.get(), "store.count", &count));
  std::int32_t value = 0;
  Ok(txvm_global_get(instance.get(), count, &value));
  EXPECT_EQ(value, 43);

  // The table holds a function of each; both modules call both through it.
  Call(instance.get(), "store.apply", {1, 5}, &results);
  EXPECT_EQ(results[0], 15);
  Call(instance.get(), "both", {5}, &results);
  EXPECT_EQ(results[0], 20);
}

TEST_P(Linked, InstancesHaveNothingInCommon) {
  const auto engine = NewEngine(GetParam());
  const auto program = Link(engine.get(), {kStore, kMain});
  const auto one = NewInstance(program.get());
  const auto other = NewInstance(program.get());
  std::vector<std::int32_t> results(1);
  Call(one.get(), "poke", {64, 1234}, &results);
  Call(other.get(), "store.peek", {64}, &results);
  EXPECT_EQ(results[0], 0);
}

TEST_P(Linked, TrapsNameThePlacesInBothModules) {
  const auto engine = NewEngine(GetParam());
  const auto program = Link(engine.get(), {kStore, kMain});
  const auto instance = NewInstance(program.get());
  std::vector<std::int32_t> results(1);
  const txvm_outcome outcome = Call(instance.get(), "ratio", {1, 0}, &results);
  EXPECT_EQ(outcome.stop, TXVM_TRAPPED);
  EXPECT_EQ(outcome.trap, TXVM_TRAP_DIVIDE_BY_ZERO);
  std::vector<txvm_frame> frames(txvm_backtrace(instance.get(), nullptr, 0));
  txvm_backtrace(instance.get(), frames.data(), frames.size());
  std::string names;
  for (const txvm_frame& frame : frames) names += std::string(frame.function) + " ";
  ExpectHas(names, "divide");
  ExpectHas(names, "ratio");
}

TEST_P(Linked, FuelAndStepsCountOverTheBorder) {
  const auto engine = NewEngine(GetParam());
  const auto program = Link(engine.get(), {kStore, kMain});
  const auto whole = NewInstance(program.get());
  std::vector<std::int32_t> results(1);
  const std::uint64_t steps = Call(whole.get(), "both", {5}, &results).steps;
  EXPECT_EQ(results[0], 20);
  const std::uint32_t both = Find(program.get(), "both");
  for (std::uint64_t cut = 1; cut < steps; ++cut) {
    const auto instance = NewInstance(program.get());
    Ok(txvm_fuel_set(instance.get(), cut));
    txvm_outcome outcome = NewOutcome();
    const std::int32_t arg = 5;
    Ok(txvm_call(instance.get(), both, &arg, 1, results.data(), 1, &outcome));
    ASSERT_EQ(outcome.stop, TXVM_OUT_OF_FUEL) << cut;
    ASSERT_EQ(outcome.steps, cut);
    Ok(txvm_fuel_set(instance.get(), TXVM_UNLIMITED_FUEL));
    Ok(txvm_resume(instance.get(), results.data(), 1, &outcome));
    ASSERT_EQ(outcome.stop, TXVM_HALTED);
    ASSERT_EQ(outcome.steps, steps);
    ASSERT_EQ(results[0], 20);
  }
}

TEST_P(Linked, StartFunctionsRunInOrder) {
  const auto engine = NewEngine(GetParam());
  const auto program =
      Link(engine.get(),
           {{"a",
             "(module (memory (export \"memory\") 1) (func $s (i32.store (i32.const 0) "
             "(i32.const 7))) (start $s))"},
            {"b",
             "(module (import \"a\" \"memory\" (memory 1)) (func $s (i32.store (i32.const 4) "
             "(i32.add (i32.load (i32.const 0)) (i32.const 1)))) (start $s) (func (export \"sum\") "
             "(result i32) (i32.add (i32.load (i32.const 0)) (i32.load (i32.const 4)))))"}});
  const auto instance = NewInstance(program.get());
  txvm_outcome outcome = NewOutcome();
  Ok(txvm_start(instance.get(), &outcome));
  EXPECT_EQ(outcome.stop, TXVM_HALTED);
  std::vector<std::int32_t> results(1);
  Call(instance.get(), "sum", {}, &results);
  EXPECT_EQ(results[0], 15);
}
TXVM_ON_EACH_ENGINE(Linked);

TEST(Link, WhatNoModuleExportsComesFromALinker) {
  const auto engine = NewEngine("native");
  const auto program =
      Link(engine.get(),
           {{"lib",
             "(module (import \"env\" \"f\" (func $f (result i32))) (func (export \"g\") "
             "(result i32) (i32.add (call $f) (i32.const 1))))"},
            {"main",
             "(module (import \"env\" \"f\" (func $f (result i32))) (import \"lib\" \"g\" (func "
             "$g (result i32))) (func (export \"h\") (result i32) (i32.add (call $f) (call "
             "$g))))"}});
  const auto linker = NewLinker(engine.get());
  const auto f = [](void*, txvm_instance*, const std::int32_t*, std::int32_t* results) {
    results[0] = 20;
    return TXVM_HOST_CONTINUE;
  };
  Ok(txvm_linker_define(linker.get(), "env", "f", ":i", f, nullptr, nullptr));
  const auto instance = NewInstance(program.get(), linker.get());
  std::vector<std::int32_t> results(1);
  Call(instance.get(), "h", {}, &results);
  EXPECT_EQ(results[0], 41);
}

TEST(Link, TheLinkedProgramIsAFileLikeOthers) {
  const auto engine = NewEngine("native");
  const auto program = Link(engine.get(), {kStore, kMain});
  void* buffer = nullptr;
  std::size_t size = 0;
  Ok(txvm_program_save(program.get(), &buffer, &size));
  txvm_program* loaded = nullptr;
  Ok(txvm_program_load(engine.get(), buffer, size, "linked.txp", &loaded));
  txvm_buffer_delete(engine.get(), buffer, size);
  const ProgramPtr owned(loaded);
  const auto instance = NewInstance(loaded);
  std::vector<std::int32_t> results(1);
  Call(instance.get(), "store.next", {}, &results);
  EXPECT_EQ(results[0], 6);
}

TEST(Link, ErrorsNameModuleFieldAndTypes) {
  const auto with = [](const std::string& import) {
    return LinkError({kStore, {"main", "(module (import \"store\" " + import + "))"}});
  };
  EXPECT_EQ(with("\"missing\" (func)"),
            "unknown import \"store\" \"missing\": the module exports 'memory', 'count', 'wide', "
            "'table', 'apply', 'peek', 'next', 'divide'");
  EXPECT_EQ(with("\"peek\" (func (param i64) (result i32 f64))"),
            "incompatible import type of \"store\" \"peek\": function (i64) -> (i32, f64) is "
            "imported, function (i32) -> (i32) exported");
  EXPECT_EQ(with("\"count\" (global i64)"),
            "incompatible import type of \"store\" \"count\": i64 global is imported, mutable i32 "
            "global exported");
  EXPECT_EQ(with("\"memory\" (memory 2)"),
            "incompatible import type of \"store\" \"memory\": memory of at least 2 pages is "
            "imported, memory of 1 to 3 pages exported");
  EXPECT_EQ(with("\"table\" (table 5 6 funcref)"),
            "incompatible import type of \"store\" \"table\": funcref table of 5 to 6 elements is "
            "imported, funcref table of 4 to 8 elements exported");
  EXPECT_EQ(with("\"next\" (memory 1)"),
            "incompatible import type of \"store\" \"next\": memory of at least 1 page is "
            "imported, function () -> (i32) exported");
}

TEST(Link, ModulesKeepAMemoryEach) {
  const auto engine = NewEngine();
  const auto program =
      Link(engine.get(),
           {{"lib",
             "(module (memory 1) (func (export \"put\") (param i32) (i32.store (i32.const 8) "
             "(local.get 0))) (func (export \"get\") (result i32) (i32.load (i32.const 8))))"},
            {"main",
             "(module (import \"lib\" \"put\" (func $put (param i32))) "
             "(import \"lib\" \"get\" (func $get (result i32))) (memory (export \"memory\") 1) "
             "(func (export \"both\") (result i32) (i32.store (i32.const 8) (i32.const 5)) "
             "(call $put (i32.const 70)) (i32.add (i32.load (i32.const 8)) (call $get))))"}});
  const auto instance = NewInstance(program.get());
  std::vector<std::int32_t> results(1);
  Call(instance.get(), "both", {}, &results);
  EXPECT_EQ(results[0], 75);
  EXPECT_EQ(txvm_memory_data(instance.get())[8], 5);  // what the main module exports
}

TEST(Link, ErrorsSayWhatCannotBeLinked) {
  ExpectHas(LinkError({{"a", "(module (memory 40000))"}, {"b", "(module (memory 40000))"}}),
            "the memories have 80000 pages at first; together they can have 65535");
  ExpectHas(LinkError({{"a", "(module)"}, {"b", "(module (import \"c\" \"m\" (memory 1)))"}}),
            "memory \"c\" \"m\" is imported");
  EXPECT_EQ(LinkError({{"a", "(module (func (export \"f\")))"},
                       {"main", "(module (func (export \"a.f\")))"}}),
            "two exports of the linked modules are called \"a.f\": give a module another name");
  EXPECT_EQ(LinkError({}), "there is no module to link");
  const auto engine = NewEngine();
  txvm_program* program = nullptr;
  const txvm_module text = {"rules.txa", nullptr, ".func f\n.end\n", 13};
  EXPECT_EQ(Message(txvm_program_link(engine.get(), &text, 1, &program)),
            "'rules.txa' is no WebAssembly module: only such are linked");
  const txvm_module nameless = {nullptr, nullptr, "", 0};
  EXPECT_EQ(Message(txvm_program_link(engine.get(), &nameless, 1, &program)),
            "the name of module 0 is NULL");
  const txvm_module missing = {"lib", "/nonexistent/lib.wasm", nullptr, 0};
  ExpectHas(Message(txvm_program_link(engine.get(), &missing, 1, &program)),
            "cannot open '/nonexistent/lib.wasm'");
  EXPECT_EQ(Message(txvm_program_link(engine.get(), nullptr, 1, &program)), "modules is NULL");
  EXPECT_EQ(Message(txvm_program_link(nullptr, &text, 1, &program)), "engine is NULL");
}

/// What a page of JavaScript would provide: a memory, a table and globals.
constexpr const char* kImporter = R"((module
  (import "js" "memory" (memory 1 4))
  (import "js" "table" (table 2 funcref))
  (import "js" "count" (global $count (mut i32)))
  (import "js" "scale" (global $scale f64))
  (import "js" "sum" (func $sum (param i32) (result i32)))
  (data (i32.const 8) "\2a")
  (func (export "read") (result i32) (call $sum (i32.load (i32.const 8))))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (global.get $count))
  (func (export "scale") (result f64) (global.get $scale))
  (func (export "pages") (result i32) (memory.size))))";

TEST(Link, MemoriesTablesAndGlobalsThatNobodyProvidesAreMade) {
  const Engine engine("native");
  const std::vector<Module> modules = {{"main", "main.wat", kImporter}};
  EXPECT_THROW(Program::Link(engine, modules), Error);
  const Program program =
      Program::Link(engine, modules, {"js.memory=memory:3", "js.count=5", "*.scale=2.5"});
  Linker linker(engine);
  linker.Define("js", "sum", [](std::int32_t value) { return value + 1; });
  Instance instance(program, linker);
  EXPECT_EQ(instance.Invoke("read"), 43);
  EXPECT_EQ(instance.Invoke("pages"), 3);
  EXPECT_EQ(instance.Call<double>("scale"), 2.5);
  EXPECT_EQ(instance.Invoke("next"), 6);
  const std::uint32_t count = program.FindGlobal("js.count");
  EXPECT_EQ(instance.Global(count), 6);
  instance.SetGlobal(count, 40);
  EXPECT_EQ(instance.Invoke("next"), 41);
  const Program plain = Program::Link(engine, modules, {});
  EXPECT_EQ(Instance(plain, linker).Invoke("pages"), 1);
}

TEST(Link, ATextOfAnImportThatMakesNoSenseIsRefused) {
  const auto engine = NewEngine();
  const txvm_module module = {"main.wat", nullptr, kImporter,
                              std::char_traits<char>::length(kImporter)};
  const auto error = [&](const char* text) {
    txvm_program* program = nullptr;
    std::string message =
        Message(txvm_program_link_importing(engine.get(), &module, 1, &text, 1, &program));
    EXPECT_EQ(program, nullptr);
    return message;
  };
  EXPECT_EQ(error(nullptr), "text 0 of the imports is NULL");
  ExpectHas(error("js.memory=memry"), "did you mean memory?");
  ExpectHas(error("js.memory=table"), "is not for a memory, which js.memory is");
  ExpectHas(error("js.count=2.5"), "is no i32, which the global js.count is");
}

TEST(Link, TheWrapperLinksToo) {
  const Engine engine("native");
  const Program program = Program::Link(
      engine, {{"store", "store.wat", kStore.text}, {"main", "main.wat", kMain.text}});
  Instance instance(program);
  EXPECT_EQ(instance.Call<std::int64_t>("add_wide", std::int64_t{1} << 40),
            (std::int64_t{1} << 40) + 1);
  instance.Invoke("set_count", 9);
  EXPECT_EQ(instance.Invoke("store.next"), 10);
  EXPECT_EQ(instance.Global(program.FindGlobal("store.count")), 10);
  EXPECT_THROW(Program::Link(engine, {}), Error);
}

}  // namespace
}  // namespace txvm
