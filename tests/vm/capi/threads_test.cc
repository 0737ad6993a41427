// 1,000 instances on eight threads over one program: what they share is made once and never
// changes, what they do not share they do not touch. Meant for ThreadSanitizer too:
//   cmake --preset tsan && cmake --build --preset tsan --target txvm_capi_test
//   build-tsan/tests/vm/capi/txvm_capi_test --gtest_filter=*Threads*
#include <atomic>
#include <barrier>
#include <thread>

#include "tests/vm/capi/api.h"

namespace txvm {
namespace {

using testing::Ok;

constexpr int kThreads = 8;
constexpr int kInstances = 1'000;

constexpr const char* kProgram = R"(
.memory 1 2
.import host "env" "host" params=1 results=1
.func fib params=1 results=1
  LOCAL.TEE 0
  PUSH 2
  LT_U
  if results=1
    LOCAL.GET 0
  else
    LOCAL.GET 0
    PUSH 1
    SUB
    CALL fib
    LOCAL.GET 0
    PUSH 2
    SUB
    CALL fib
    ADD
  end
.end
.func main params=1 results=1
  PUSH 0
  SWAP
  CALL fib
  CALL host
  I32.STORE
  PUSH 0
  I32.LOAD
.end
.export "main" main
)";
constexpr std::int32_t kArgument = 10;
constexpr std::int32_t kResult = 55 + 1;

txvm_host_status Increment(void* user, txvm_instance*, const int32_t* args, int32_t* results) {
  static_cast<std::atomic<int>*>(user)->fetch_add(1, std::memory_order_relaxed);
  results[0] = args[0] + 1;
  return TXVM_HOST_CONTINUE;
}

// One instance, made, run in slices, every second one watched, and dropped.
void RunOne(const txvm_program* program, const txvm_linker* linker, int number) {
  const testing::InstancePtr instance = testing::NewInstance(program, linker);
  if (number % 2 == 0) {
    txvm_watch watch{};
    watch.size = sizeof(watch);
    watch.digest = true;
    Ok(txvm_watch_set(instance.get(), &watch));
  }
  Ok(txvm_fuel_set(instance.get(), 700));
  std::int32_t result = 0;
  txvm_outcome outcome = testing::NewOutcome();
  Ok(txvm_call(instance.get(), 0, &kArgument, 1, &result, 1, &outcome));
  while (outcome.stop == TXVM_OUT_OF_FUEL) {
    Ok(txvm_fuel_set(instance.get(), 700));
    Ok(txvm_resume(instance.get(), &result, 1, &outcome));
  }
  EXPECT_EQ(outcome.stop, TXVM_HALTED);
  EXPECT_EQ(result, kResult);
}

class Threads : public testing::OnEachEngine {};

TEST_P(Threads, RunInstancesOfOneProgram) {
  const testing::EnginePtr engine = testing::NewEngine(GetParam());
  const testing::ProgramPtr program = testing::LoadText(engine.get(), kProgram);
  const testing::LinkerPtr linker = testing::NewLinker(engine.get());
  std::atomic<int> calls = 0;
  Ok(txvm_linker_define(linker.get(), "env", "host", "i:i", Increment, &calls, nullptr));
  std::atomic<int> next = 0;
  std::barrier together(kThreads);  // so that the first runs, which make the tables, meet
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        together.arrive_and_wait();
        while (true) {
          const int number = next.fetch_add(1);
          if (number >= kInstances) return;
          RunOne(program.get(), linker.get(), number);
        }
      });
    }
  }
  EXPECT_EQ(calls, kInstances);
}

TEST_P(Threads, InterruptOneAnother) {
  constexpr int kRounds = 10;  // every thread spins until it is stopped: slow on few processors
  const testing::EnginePtr engine = testing::NewEngine(GetParam());
  const testing::ProgramPtr program = testing::LoadText(
      engine.get(), ".func forever\n  loop\n    br 0\n  end\n.end\n.export \"forever\" forever\n");
  std::vector<testing::InstancePtr> instances;
  for (int t = 0; t < kThreads; ++t) instances.push_back(testing::NewInstance(program.get()));
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      txvm_instance* const own = instances[static_cast<std::size_t>(t)].get();
      txvm_instance* const neighbour =
          instances[static_cast<std::size_t>((t + 1) % kThreads)].get();
      txvm_outcome outcome = testing::NewOutcome();
      for (int round = 1; round <= kRounds; ++round) {
        // The neighbour's run of this number stops, whether it has started yet or not. Only the run
        // in progress and the next one can be asked.
        while (txvm_run_number(neighbour) + 1 < static_cast<std::uint64_t>(round)) {
          std::this_thread::yield();
        }
        txvm_interrupt_run(neighbour, static_cast<std::uint64_t>(round), TXVM_INTERRUPT_TIMEOUT);
        Ok(txvm_call(own, 0, nullptr, 0, nullptr, 0, &outcome));
        ASSERT_EQ(outcome.interrupt, TXVM_INTERRUPT_TIMEOUT);
        ASSERT_EQ(txvm_run_number(own), static_cast<std::uint64_t>(round));
      }
    });
  }
}

TXVM_ON_EACH_ENGINE(Threads);

}  // namespace
}  // namespace txvm
