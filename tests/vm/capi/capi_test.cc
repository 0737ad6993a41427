// The C interface: lifetimes, host functions, fuel, interrupts, memory, globals, traps.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/vm/capi/api.h"

namespace txvm {
namespace {

using testing::Call;
using testing::Find;
using testing::Message;
using testing::Ok;

constexpr const char* kProgram = R"(
.memory 1 4
.global 5
.import host "env" "host" params=2 results=1
.import grow "txvm" "memory.grow" params=1 results=1
.func sum params=1 results=1
  LOCAL.SET 0
  PUSH 0
  loop params=1 results=1
    LOCAL.GET 0
    ADD
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if 0
  end
.end
.func ask params=2 results=1
  CALL host
.end
.func more params=1 results=1
  CALL grow
.end
.func both params=1 results=2
  DUP
  GLOBAL.GET 0
  ADD
.end
.func forever
  loop
    br 0
  end
.end
.func inner params=1 results=1
  PUSH 0
  DIV_S
.end
.func outer params=1 results=1
  CALL inner
.end
.export "sum" sum
.export "ask" ask
.export "more" more
.export "both" both
.export "forever" forever
.export "outer" outer
)";

txvm_host_status Add(void* user, txvm_instance*, const int32_t* args, int32_t* results) {
  results[0] = args[0] + args[1] + *static_cast<int*>(user);
  return TXVM_HOST_CONTINUE;
}

struct Fixture {
  explicit Fixture(const char* name, txvm_host_function host = Add, void* user_data = nullptr)
      : engine(testing::NewEngine(name)),
        program(testing::LoadText(engine.get(), kProgram)),
        linker(testing::NewLinker(engine.get())) {
    Ok(txvm_linker_define(linker.get(), "env", "host", "ii:i", host,
                          user_data == nullptr ? &user : user_data, nullptr));
    instance = testing::NewInstance(program.get(), linker.get());
  }
  int user = 1000;
  testing::EnginePtr engine;
  testing::ProgramPtr program;
  testing::LinkerPtr linker;
  testing::InstancePtr instance;
  std::vector<std::int32_t> results;
};

class CApi : public testing::OnEachEngine {};

TEST_P(CApi, CallsExportsAndHostFunctions) {
  Fixture f(GetParam());
  EXPECT_STREQ(txvm_engine_name(f.engine.get()), GetParam());
  EXPECT_EQ(Call(f.instance.get(), "sum", {100}, &f.results).stop, TXVM_HALTED);
  EXPECT_EQ(f.results, std::vector<std::int32_t>{5050});
  Call(f.instance.get(), "ask", {-3, 4}, &f.results);
  EXPECT_EQ(f.results, std::vector<std::int32_t>{1001});
  const txvm_outcome outcome = Call(f.instance.get(), "both", {-7}, &f.results);
  EXPECT_EQ(f.results, (std::vector<std::int32_t>{-7, -2}));
  EXPECT_EQ(outcome.result_count, 2u);
  EXPECT_STREQ(txvm_message(f.instance.get()), "halted after 6 steps");
}

TEST_P(CApi, ObjectsMayBeDeletedInAnyOrder) {
  Fixture f(GetParam());
  f.engine.reset();
  f.linker.reset();
  f.program.reset();
  Call(f.instance.get(), "ask", {1, 2}, &f.results);
  EXPECT_EQ(f.results, std::vector<std::int32_t>{1003});
  EXPECT_EQ(txvm_export_count(txvm_instance_program(f.instance.get())), 6u);
}

TEST_P(CApi, UserDataIsFinalizedOnceWhenNothingHasIt) {
  int finalized = 0;
  const auto finalizer = [](void* user) { ++*static_cast<int*>(user); };
  const testing::EnginePtr engine = testing::NewEngine(GetParam());
  const testing::ProgramPtr program = testing::LoadText(engine.get(), kProgram);
  testing::LinkerPtr linker = testing::NewLinker(engine.get());
  Ok(txvm_linker_define(linker.get(), "env", "host", "ii:i", Add, &finalized, finalizer));
  testing::InstancePtr first = testing::NewInstance(program.get(), linker.get());
  int other = 0;
  Ok(txvm_linker_define(linker.get(), "env", "host", "ii:i", Add, &other, finalizer));
  EXPECT_EQ(finalized, 0);  // the first instance still has it
  const testing::InstancePtr second = testing::NewInstance(program.get(), linker.get());
  linker.reset();
  first.reset();
  EXPECT_EQ(finalized, 1);
  EXPECT_EQ(other, 0);
  EXPECT_NE(Message(txvm_linker_define(nullptr, "a", "b", ":", Add, &other, finalizer)), "");
  EXPECT_EQ(other, 0);
}

TEST_P(CApi, FuelIsCountedDownAndRunsResume) {
  Fixture f(GetParam());
  const txvm_outcome whole = Call(f.instance.get(), "sum", {50}, &f.results);
  EXPECT_EQ(txvm_fuel_get(f.instance.get()), TXVM_UNLIMITED_FUEL);
  Ok(txvm_fuel_set(f.instance.get(), 30));
  txvm_outcome outcome = Call(f.instance.get(), "sum", {50}, &f.results);
  EXPECT_EQ(outcome.stop, TXVM_OUT_OF_FUEL);
  EXPECT_EQ(outcome.steps, 30u);
  EXPECT_EQ(f.results, std::vector<std::int32_t>{-1});  // not touched
  EXPECT_EQ(txvm_fuel_get(f.instance.get()), 0u);
  EXPECT_TRUE(txvm_resumable(f.instance.get()));
  EXPECT_EQ(std::string(txvm_message(f.instance.get())).find("out of fuel after 30 steps in 'sum'"),
            0u);
  Ok(txvm_fuel_set(f.instance.get(), 1'000));
  Ok(txvm_resume(f.instance.get(), f.results.data(), 1, &outcome));
  EXPECT_EQ(outcome.stop, TXVM_HALTED);
  EXPECT_EQ(outcome.steps, whole.steps);
  EXPECT_EQ(f.results, std::vector<std::int32_t>{1275});
  EXPECT_EQ(txvm_fuel_get(f.instance.get()), 1'000 - (whole.steps - 30));
  EXPECT_FALSE(txvm_resumable(f.instance.get()));
}

/// Fuel and steps of the invocation, as a callback finds them.
struct Left {
  std::uint64_t fuel = 0, steps = 0;
  static Left Of(const txvm_instance* instance) {
    txvm_state state{};
    state.size = sizeof(state);
    Ok(txvm_state_get(instance, &state));
    return {txvm_fuel_get(instance), state.steps};
  }
};

txvm_host_status NoteFuel(void* user, txvm_instance* caller, const int32_t*, int32_t* results) {
  *static_cast<Left*>(user) = Left::Of(caller);
  results[0] = 0;
  return TXVM_HOST_CONTINUE;
}

TEST_P(CApi, FuelIsCountedDownInsideHostFunctionsAndStepCallbacks) {
  Left left;
  Fixture f(GetParam(), NoteFuel, &left);
  Ok(txvm_fuel_set(f.instance.get(), 100));
  const std::uint64_t steps = Call(f.instance.get(), "ask", {1, 2}, &f.results).steps;
  EXPECT_GT(left.steps, 0u);
  EXPECT_EQ(left.fuel, 100 - left.steps);
  EXPECT_EQ(txvm_fuel_get(f.instance.get()), 100 - steps);

  const std::int32_t args[2] = {1, 2};  // the steps before a resumption took other fuel
  Ok(txvm_begin(f.instance.get(), Find(f.program.get(), "ask"), args, 2));
  txvm_outcome outcome = testing::NewOutcome();
  Ok(txvm_step(f.instance.get(), 1, f.results.data(), 1, &outcome));
  Ok(txvm_fuel_set(f.instance.get(), 50));
  Left last;
  txvm_watch watch{};
  watch.size = sizeof(watch);
  watch.user = &last;
  watch.step = [](void* user, txvm_instance* instance, uint32_t, uint64_t) {
    *static_cast<Left*>(user) = Left::Of(instance);
    return true;
  };
  Ok(txvm_watch_set(f.instance.get(), &watch));
  Ok(txvm_resume(f.instance.get(), f.results.data(), 1, &outcome));
  EXPECT_EQ(left.fuel, 50 - (left.steps - 1));
  EXPECT_EQ(last.fuel, 50 - (last.steps - 1));
  EXPECT_EQ(last.steps, outcome.steps - 1);

  Ok(txvm_fuel_set(f.instance.get(), TXVM_UNLIMITED_FUEL));
  Call(f.instance.get(), "ask", {1, 2}, &f.results);
  EXPECT_EQ(left.fuel, TXVM_UNLIMITED_FUEL);
}

TEST_P(CApi, AnotherThreadInterruptsThisRunAndNoOther) {
  Fixture f(GetParam());
  const std::uint64_t run = txvm_run_number(f.instance.get()) + 1;
  std::jthread other([&] {
    while (txvm_run_number(f.instance.get()) != run) std::this_thread::yield();
    txvm_interrupt(f.instance.get(), TXVM_INTERRUPT_TIMEOUT);
  });
  const txvm_outcome outcome = Call(f.instance.get(), "forever", {}, &f.results);
  EXPECT_EQ(outcome.stop, TXVM_INTERRUPTED);
  EXPECT_EQ(outcome.interrupt, TXVM_INTERRUPT_TIMEOUT);
  other.join();
  txvm_interrupt(f.instance.get(), TXVM_INTERRUPT_TIMEOUT);           // nothing runs
  txvm_interrupt_run(f.instance.get(), run, TXVM_INTERRUPT_TIMEOUT);  // that run is over
  EXPECT_EQ(Call(f.instance.get(), "sum", {3}, &f.results).stop, TXVM_HALTED);
  txvm_interrupt_run(f.instance.get(), txvm_run_number(f.instance.get()) + 1,
                     TXVM_INTERRUPT_SIGNAL);
  EXPECT_EQ(Call(f.instance.get(), "forever", {}, &f.results).interrupt, TXVM_INTERRUPT_SIGNAL);
}

TEST_P(CApi, MemoryIsReadWrittenAndGrownWithinItsBounds) {
  Fixture f(GetParam());
  const std::uint32_t word = 0x11223344;
  Ok(txvm_memory_write(f.instance.get(), 65'532, &word, 4));
  std::uint32_t back = 0;
  Ok(txvm_memory_read(f.instance.get(), 65'532, &back, 4));
  EXPECT_EQ(back, word);
  EXPECT_EQ(txvm_memory_data(f.instance.get())[65'532], 0x44);
  EXPECT_EQ(Message(txvm_memory_read(f.instance.get(), 65'533, &back, 4)),
            "memory read of 4 bytes at 65533 is outside the memory of 65536 bytes");
  EXPECT_EQ(Message(txvm_memory_write(f.instance.get(), UINT64_MAX, &back, 4)),
            "memory write of 4 bytes at 18446744073709551615 is outside the memory of 65536 bytes");
  std::uint32_t old_pages = 0;
  Ok(txvm_memory_grow(f.instance.get(), 2, &old_pages));
  EXPECT_EQ(old_pages, 1u);
  EXPECT_EQ(txvm_memory_size(f.instance.get()), 3u * 65'536);
  EXPECT_EQ(Message(txvm_memory_grow(f.instance.get(), 2, nullptr)),
            "memory of 3 pages cannot grow by 2: its limit is 4");
}

TEST_P(CApi, GrowthIsTheHostsToGrant) {
  Fixture f(GetParam());
  txvm_instance_options options{};
  options.size = sizeof(options);
  options.max_pages = 3;
  std::uint32_t most = 2;
  options.user = &most;
  options.grow = [](void* user, std::uint32_t, std::uint32_t pages) {
    return pages <= *static_cast<std::uint32_t*>(user);
  };
  const testing::InstancePtr capped =
      testing::NewInstance(f.program.get(), f.linker.get(), &options);
  EXPECT_EQ(txvm_instance_user(capped.get()), &most);
  Call(capped.get(), "more", {1}, &f.results);
  EXPECT_EQ(f.results[0], 1);
  Call(capped.get(), "more", {1}, &f.results);
  EXPECT_EQ(f.results[0], -1);
  most = 100;
  Call(capped.get(), "more", {1}, &f.results);
  EXPECT_EQ(f.results[0], 2);
  Call(capped.get(), "more", {1}, &f.results);  // max_pages
  EXPECT_EQ(f.results[0], -1);
  Call(f.instance.get(), "more", {3}, &f.results);
  EXPECT_EQ(f.results[0], 1);
}

TEST_P(CApi, GlobalsLast) {
  Fixture f(GetParam());
  std::int32_t value = 0;
  Ok(txvm_global_get(f.instance.get(), 0, &value));
  EXPECT_EQ(value, 5);
  Ok(txvm_global_set(f.instance.get(), 0, -6));
  Call(f.instance.get(), "both", {1}, &f.results);
  EXPECT_EQ(f.results[1], -5);
  EXPECT_EQ(Message(txvm_global_get(f.instance.get(), 1, &value)),
            "global 1 is out of range: the program has 1");
}

TEST_P(CApi, ATrapHasABacktraceWithNamesAndLines) {
  Fixture f(GetParam());
  const txvm_outcome outcome = Call(f.instance.get(), "outer", {9}, &f.results);
  EXPECT_EQ(outcome.stop, TXVM_TRAPPED);
  EXPECT_EQ(outcome.trap, TXVM_TRAP_DIVIDE_BY_ZERO);
  txvm_frame frames[8];
  ASSERT_EQ(txvm_backtrace(f.instance.get(), frames, 8), 3u);
  EXPECT_STREQ(frames[0].function, "inner");
  EXPECT_STREQ(frames[1].function, "outer");
  EXPECT_STREQ(frames[0].source, "test.txa");
  EXPECT_EQ(frames[0].line, 37u);
  EXPECT_EQ(frames[1].line, 40u);
  EXPECT_EQ(frames[0].ip, outcome.ip);
  EXPECT_EQ(txvm_backtrace(f.instance.get(), frames, 1), 3u);
  EXPECT_EQ(std::string(txvm_message(f.instance.get())),
            "trapped: integer divide by zero in 'inner' at test.txa:37 (instruction " +
                std::to_string(outcome.ip) + ")");
}

txvm_host_status LookAround(void* user, txvm_instance* caller, const int32_t* args,
                            int32_t* results) {
  auto& seen = *static_cast<std::vector<std::string>*>(user);
  txvm_frame frames[2] = {};
  const std::size_t count = txvm_backtrace(caller, frames, 2);
  seen.push_back(std::to_string(count) + " " + frames[0].function);
  const std::int32_t written = args[0];
  Ok(txvm_memory_write(caller, 8, &written, 4));
  std::int32_t result = 0;
  txvm_outcome outcome = testing::NewOutcome();
  seen.push_back(Message(txvm_call(caller, 0, args, 1, &result, 1, &outcome)));
  seen.push_back(Message(txvm_fuel_set(caller, 1)));
  txvm_instance_delete(caller);  // does nothing
  results[0] = 1;
  return TXVM_HOST_CONTINUE;
}

TEST_P(CApi, AHostFunctionLooksAtItsCallerButCannotRunIt) {
  std::vector<std::string> seen;
  Fixture f(GetParam(), LookAround, &seen);
  EXPECT_EQ(Call(f.instance.get(), "ask", {77, 0}, &f.results).stop, TXVM_HALTED);
  EXPECT_EQ(seen, (std::vector<std::string>{
                      "2 ask", "the instance is running: a host function cannot call it",
                      "the instance is running: a host function cannot refuel it"}));
  EXPECT_EQ(txvm_memory_data(f.instance.get())[8], 77);
}

// What a host function written in C may return by mistake.
txvm_host_status NoStatus() {
  const int value = 99;
  txvm_host_status status{};
  std::memcpy(&status, &value, sizeof(status));
  return status;
}

txvm_host_status EndAs(void* user, txvm_instance* caller, const int32_t*, int32_t*) {
  switch (*static_cast<int*>(user)) {
    case 0:
      return txvm_host_trap(caller, "out of paper");
    case 1:
      return txvm_host_exit(caller, 42);
    case 2:
      return txvm_host_fail(caller, "the printer is on fire");
    case 3:
      return NoStatus();
    case 4:
      return TXVM_HOST_EXIT;
    case 5:
      txvm_host_trap(caller, "said, then thought better of");
      return TXVM_HOST_CONTINUE;
    default:
      return TXVM_HOST_TRAP;
  }
}

TEST_P(CApi, AHostFunctionEndsTheRun) {
  Fixture f(GetParam(), EndAs);
  const auto ask = [&](int how) {
    f.user = how;
    return Call(f.instance.get(), "ask", {1, 2}, &f.results);
  };
  EXPECT_EQ(ask(0).trap, TXVM_TRAP_HOST);
  EXPECT_EQ(
      std::string(txvm_message(f.instance.get())).find("trapped: host: out of paper in 'ask'"), 0u);
  const txvm_outcome exited = ask(1);
  EXPECT_EQ(exited.stop, TXVM_EXITED);
  EXPECT_EQ(exited.exit_code, 42);
  EXPECT_EQ(ask(2).stop, TXVM_HOST_FAILED);
  EXPECT_NE(std::string(txvm_message(f.instance.get())).find("the printer is on fire"),
            std::string::npos);
  EXPECT_EQ(ask(3).stop, TXVM_HOST_FAILED);
  EXPECT_NE(std::string(txvm_message(f.instance.get())).find("'env.host' returned 99"),
            std::string::npos);
}

// A status alone says nothing of what an earlier host call of the instance said.
TEST_P(CApi, AnEndingOfAHostFunctionIsOfThatCallAlone) {
  Fixture f(GetParam(), EndAs);
  const auto ask = [&](int how) {
    f.user = how;
    return Call(f.instance.get(), "ask", {1, 2}, &f.results);
  };
  EXPECT_EQ(ask(1).exit_code, 42);
  const txvm_outcome exited = ask(4);
  EXPECT_EQ(exited.stop, TXVM_EXITED);
  EXPECT_EQ(exited.exit_code, 0);
  EXPECT_EQ(ask(5).stop, TXVM_HALTED);
  EXPECT_EQ(ask(6).stop, TXVM_TRAPPED);
  EXPECT_EQ(std::string(txvm_message(f.instance.get())).find("trapped: host in 'ask'"), 0u);
}

TXVM_ON_EACH_ENGINE(CApi);

TEST(CApiPrograms, AreSavedAndLoadedAgain) {
  Fixture f("native");
  void* buffer = nullptr;
  std::size_t size = 0;
  Ok(txvm_program_save(f.program.get(), &buffer, &size));
  txvm_program* again = nullptr;
  Ok(txvm_program_load(f.engine.get(), buffer, size, "again.txp", &again));
  txvm_buffer_delete(f.engine.get(), buffer, size);
  EXPECT_EQ(txvm_code_size(again), txvm_code_size(f.program.get()));
  EXPECT_EQ(txvm_import_count(again), 2u);
  txvm_function function{};
  Ok(txvm_import_get(again, 0, &function));
  EXPECT_STREQ(function.module, "env");
  EXPECT_EQ(function.params, 2u);
  txvm_program_delete(again);
}

TEST(CApiPrograms, OfWebAssemblyNameTheirGlobals) {
  ASSERT_TRUE(txvm_reads_wasm());
  ASSERT_TRUE(txvm_reads_wat());
  const testing::EnginePtr engine = testing::NewEngine();
  const testing::ProgramPtr program = testing::LoadText(engine.get(),
                                                        R"((module (global (mut i64) (i64.const 1))
        (global $g (export "count") (mut i32) (i32.const 4))
        (global (export "fixed") i32 (i32.const 9))
        (func $start (global.set $g (i32.const 7)))
        (start $start)
        (func (export "get") (result i32) (global.get $g))
        (func (export "square") (param i64) (result i64)
          (i64.mul (local.get 0) (local.get 0)))))",
                                                        "module.wat");
  std::uint32_t count = 0, fixed = 0;
  Ok(txvm_global_find(program.get(), "count", &count));
  Ok(txvm_global_find(program.get(), "fixed", &fixed));
  EXPECT_EQ(Message(txvm_global_find(program.get(), "size", &fixed)),
            "no global 'size'; there is 'count', 'fixed'");
  const testing::InstancePtr instance = testing::NewInstance(program.get());
  txvm_outcome outcome = testing::NewOutcome();
  std::int32_t result = 0;
  EXPECT_EQ(Message(txvm_call(instance.get(), 0, nullptr, 0, &result, 1, &outcome)),
            "the program's start function has not halted yet: call txvm_start first");
  Ok(txvm_fuel_set(instance.get(), 1));
  Ok(txvm_start(instance.get(), &outcome));
  EXPECT_EQ(outcome.stop, TXVM_OUT_OF_FUEL);
  Ok(txvm_fuel_set(instance.get(), TXVM_UNLIMITED_FUEL));
  Ok(txvm_resume(instance.get(), nullptr, 0, &outcome));
  EXPECT_EQ(outcome.stop, TXVM_HALTED);
  Ok(txvm_global_get(instance.get(), count, &result));
  EXPECT_EQ(result, 7);
  Ok(txvm_global_set(instance.get(), count, 12));
  Ok(txvm_call(instance.get(), 0, nullptr, 0, &result, 1, &outcome));
  EXPECT_EQ(result, 12);
  EXPECT_EQ(Message(txvm_global_set(instance.get(), fixed, 1)), "global 'fixed' is not mutable");
  const std::int32_t million[2] = {1'000'000, 0};  // an i64 is two words, low word first
  std::int32_t square[2] = {};
  Ok(txvm_call(instance.get(), 1, million, 2, square, 2, &outcome));
  EXPECT_EQ(static_cast<std::uint32_t>(square[0]), 1'000'000'000'000u % (std::uint64_t{1} << 32));
  EXPECT_EQ(square[1], 1'000'000'000'000 >> 32);
}

struct Heap {
  std::atomic<int> live{0}, made{0};
  int allowed = 1 << 30;
};

TEST(CApiAllocator, HoldsHandlesAndBuffersAndMayRefuse) {
  Heap heap;
  txvm_engine_options options{};
  options.size = sizeof(options);
  options.allocator.user = &heap;
  options.allocator.allocate = [](void* user, std::size_t bytes) -> void* {
    auto& own = *static_cast<Heap*>(user);
    if (own.made == own.allowed) return nullptr;
    ++own.made;
    ++own.live;
    return std::malloc(bytes);
  };
  options.allocator.release = [](void* user, void* memory, std::size_t) {
    --static_cast<Heap*>(user)->live;
    std::free(memory);
  };
  txvm_engine* engine = nullptr;
  Ok(txvm_engine_new(&options, &engine));
  txvm_program* program = nullptr;
  const std::string text = ".func main\n  NOP\n.end\n.export \"main\" main\n";
  Ok(txvm_program_load(engine, text.data(), text.size(), nullptr, &program));
  EXPECT_EQ(heap.made, 2);
  heap.allowed = 2;
  txvm_instance* instance = nullptr;
  txvm_error* error = txvm_instance_new(program, nullptr, nullptr, &instance);
  EXPECT_EQ(txvm_error_get_code(error), TXVM_ERROR_MEMORY);
  EXPECT_EQ(Message(error), "out of memory");
  EXPECT_EQ(instance, nullptr);
  heap.allowed = 3;
  Ok(txvm_instance_new(program, nullptr, nullptr, &instance));
  txvm_engine_delete(engine);
  txvm_program_delete(program);
  EXPECT_EQ(heap.live, 1);
  txvm_instance_delete(instance);
  EXPECT_EQ(heap.live, 0);
}

}  // namespace
}  // namespace txvm
