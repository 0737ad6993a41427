// Random cuts, by fuel and by interrupts: nothing is lost, and the resumed run is the uncut one.
// TXVM_CUTS=N makes N of each.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/support/random.h"
#include "tests/vm/capi/api.h"

namespace txvm {
namespace {

using testing::Ok;

// Sorts pseudo-random numbers by insertion, recursively sums them, keeps a checksum in a global:
// loops, calls, memory, host calls.
constexpr const char* kWork = R"(
.memory 1 2
.global 0
.import note "env" "note" params=1 results=1
.func sum params=2 results=1
  LOCAL.SET 1
  LOCAL.SET 0
  LOCAL.GET 1
  EQZ
  if results=1
    PUSH 0
  else
    LOCAL.GET 0
    PUSH 4
    ADD
    LOCAL.GET 1
    PUSH 1
    SUB
    CALL sum
    LOCAL.GET 0
    I32.LOAD
    ADD
  end
.end
.func fill params=2 results=0
  LOCAL.SET 1
  LOCAL.SET 0
  PUSH 0
  LOCAL.SET 2
  loop
    LOCAL.GET 0
    PUSH 1664525
    MUL
    PUSH 1013904223
    ADD
    LOCAL.SET 0
    LOCAL.GET 2
    PUSH 4
    MUL
    LOCAL.GET 0
    CALL note
    I32.STORE
    LOCAL.GET 2
    PUSH 1
    ADD
    LOCAL.TEE 2
    LOCAL.GET 1
    LT_U
    br_if 0
  end
.end
.func main params=2 results=2
  LOCAL.SET 1
  LOCAL.TEE 0
  LOCAL.GET 1
  CALL fill
  PUSH 0
  LOCAL.GET 1
  CALL sum
  GLOBAL.GET 0
  PUSH 31
  MUL
  PUSH 7
  ADD
  GLOBAL.TEE 0
.end
.export "main" main
)";

// What a pair's instance has called, and when it is to interrupt itself.
struct Notes {
  std::uint64_t count = 0;
  std::uint64_t interrupt_at = UINT64_MAX;
};

txvm_host_status Note(void* user, txvm_instance* caller, const int32_t* args, int32_t* results) {
  auto& notes = *static_cast<Notes*>(user);
  if (++notes.count == notes.interrupt_at) txvm_interrupt(caller, TXVM_INTERRUPT_SIGNAL);
  results[0] = args[0] ^ 0x55;
  return TXVM_HOST_CONTINUE;
}

std::uint64_t WantedCuts(std::uint64_t quick) {
  const char* text = std::getenv("TXVM_CUTS");
  return text == nullptr ? quick : std::strtoull(text, nullptr, 10);
}

// One engine, one program; two instances: one runs uncut, the other is cut. Each has its own count
// of host calls.
struct Pair {
  explicit Pair(const char* name) : engine(testing::NewEngine(name)) {
    program = testing::LoadText(engine.get(), kWork);
    for (int which = 0; which < 2; ++which) {
      const testing::LinkerPtr linker = testing::NewLinker(engine.get());
      Ok(txvm_linker_define(linker.get(), "env", "note", "i:i", Note, &notes[which], nullptr));
      instances[which] = testing::NewInstance(program.get(), linker.get());
      txvm_watch watch{};
      watch.size = sizeof(watch);
      watch.digest = true;
      Ok(txvm_watch_set(instances[which].get(), &watch));
    }
  }
  void ExpectEqual(const txvm_outcome& whole, const txvm_outcome& cut) {
    ASSERT_EQ(cut.stop, TXVM_HALTED);
    ASSERT_EQ(cut.steps, whole.steps);
    ASSERT_EQ(cut.digest, whole.digest);
    ASSERT_EQ(results[1], results[0]);
    ASSERT_EQ(notes[1].count, notes[0].count);
    std::int32_t globals[2];
    for (int which = 0; which < 2; ++which) {
      Ok(txvm_global_get(instances[which].get(), 0, &globals[which]));
    }
    ASSERT_EQ(globals[1], globals[0]);
    ASSERT_EQ(std::memcmp(txvm_memory_data(instances[0].get()),
                          txvm_memory_data(instances[1].get()), 4'096),
              0);
  }
  Notes notes[2];
  std::vector<std::int32_t> results[2] = {{0, 0}, {0, 0}};
  testing::EnginePtr engine;
  testing::ProgramPtr program;
  testing::InstancePtr instances[2];
};

class Cuts : public testing::OnEachEngine {};

TEST_P(Cuts, ByFuelLoseNothing) {
  Pair pair(GetParam());
  support::Random random(11);
  const std::uint64_t wanted = WantedCuts(1'000);
  for (std::uint64_t cuts = 0; cuts < wanted;) {
    const std::vector<std::int32_t> args = {static_cast<std::int32_t>(random.Below(1'000'000)),
                                            static_cast<std::int32_t>(1 + random.Below(150))};
    const txvm_outcome whole =
        testing::Call(pair.instances[0].get(), "main", args, &pair.results[0]);
    txvm_instance* const cut = pair.instances[1].get();
    const auto most =
        static_cast<std::uint32_t>(2 + random.Below(2) * whole.steps / 4 + random.Below(40));
    std::uint64_t given = random.Below(most);
    std::uint64_t used = 0;
    Ok(txvm_fuel_set(cut, given));
    txvm_outcome outcome = testing::Call(cut, "main", args, &pair.results[1]);
    while (outcome.stop == TXVM_OUT_OF_FUEL) {
      ++cuts;
      used += given;
      ASSERT_EQ(outcome.steps, used);
      ASSERT_EQ(txvm_fuel_get(cut), 0u);
      given = random.Below(most);
      Ok(txvm_fuel_set(cut, given));
      Ok(txvm_resume(cut, pair.results[1].data(), 2, &outcome));
    }
    pair.ExpectEqual(whole, outcome);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Cuts, ByInterruptsAtRandomHostCallsLoseNothing) {
  Pair pair(GetParam());
  support::Random random(13);
  const std::uint64_t wanted = WantedCuts(1'000);
  Notes& notes = pair.notes[1];
  const auto choose_next = [&] { notes.interrupt_at = notes.count + 1 + random.Below(50); };
  for (std::uint64_t cuts = 0; cuts < wanted && !HasFatalFailure();) {
    const std::vector<std::int32_t> args = {static_cast<std::int32_t>(random.Below(1'000'000)),
                                            static_cast<std::int32_t>(1 + random.Below(300))};
    const txvm_outcome whole =
        testing::Call(pair.instances[0].get(), "main", args, &pair.results[0]);
    txvm_instance* const cut = pair.instances[1].get();
    choose_next();
    txvm_outcome outcome = testing::Call(cut, "main", args, &pair.results[1]);
    while (outcome.stop == TXVM_INTERRUPTED) {
      ++cuts;
      ASSERT_EQ(outcome.interrupt, TXVM_INTERRUPT_SIGNAL);
      choose_next();
      Ok(txvm_resume(cut, pair.results[1].data(), 2, &outcome));
    }
    pair.ExpectEqual(whole, outcome);
  }
}

TEST_P(Cuts, ByInterruptsOfAnotherThreadLoseNothing) {
  Pair pair(GetParam());
  support::Random random(12);
  const std::uint64_t wanted = WantedCuts(100);  // how fast they come is the system's to say
  txvm_instance* const cut = pair.instances[1].get();
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> pace = 0;  // turns of an empty loop between requests
  std::jthread other([&] {
    while (!done.load()) {
      for (std::uint64_t i = 0; i < pace.load(std::memory_order_relaxed); ++i) {
        std::atomic_signal_fence(std::memory_order_seq_cst);
      }
      txvm_interrupt(cut, TXVM_INTERRUPT_TIMEOUT);
    }
  });
  for (std::uint64_t cuts = 0; cuts < wanted && !HasFatalFailure();) {
    pace = 500 + random.Below(20'000);
    const std::vector<std::int32_t> args = {static_cast<std::int32_t>(random.Below(1'000'000)),
                                            900};
    const txvm_outcome whole =
        testing::Call(pair.instances[0].get(), "main", args, &pair.results[0]);
    txvm_outcome outcome = testing::Call(cut, "main", args, &pair.results[1]);
    while (outcome.stop == TXVM_INTERRUPTED) {
      ++cuts;
      Ok(txvm_resume(cut, pair.results[1].data(), 2, &outcome));
    }
    pair.ExpectEqual(whole, outcome);
  }
  done = true;
}

TXVM_ON_EACH_ENGINE(Cuts);

}  // namespace
}  // namespace txvm
