// Snapshots and clones through the C interface.
#include <cstring>

#include "tests/vm/capi/api.h"

namespace txvm {
namespace {

using testing::Call;
using testing::Message;
using testing::Ok;

constexpr const char* kProgram = R"(
.memory 1 2
.global 0
.import host "env" "host" params=1 results=1
.func main params=1 results=1
  LOCAL.SET 0
  PUSH 0
  loop params=1 results=1
    LOCAL.GET 0
    ADD
    CALL host
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if 0
  end
  GLOBAL.TEE 0
.end
.export "main" main
)";

txvm_host_status Same(void*, txvm_instance*, const int32_t* args, int32_t* results) {
  results[0] = args[0];
  return TXVM_HOST_CONTINUE;
}

struct Side {
  explicit Side(const char* name)
      : engine(testing::NewEngine(name)),
        program(testing::LoadText(engine.get(), kProgram)),
        linker(testing::NewLinker(engine.get())) {
    Ok(txvm_linker_define(linker.get(), "env", "host", "i:i", Same, nullptr, nullptr));
    instance = testing::NewInstance(program.get(), linker.get());
  }
  testing::EnginePtr engine;
  testing::ProgramPtr program;
  testing::LinkerPtr linker;
  testing::InstancePtr instance;
};

void WatchDigest(txvm_instance* instance) {
  txvm_watch watch{};
  watch.size = sizeof(watch);
  watch.digest = true;
  Ok(txvm_watch_set(instance, &watch));
}

TEST(CApiSnapshots, GoOnOnAnotherEngine) {
  Side from("attention"), to("native");
  WatchDigest(from.instance.get());
  WatchDigest(to.instance.get());
  std::vector<std::int32_t> results;
  const txvm_outcome whole = Call(from.instance.get(), "main", {100}, &results);
  Ok(txvm_fuel_set(from.instance.get(), 300));
  EXPECT_EQ(Call(from.instance.get(), "main", {100}, &results).stop, TXVM_OUT_OF_FUEL);
  const char text[] = "kept";
  Ok(txvm_memory_write(from.instance.get(), 60'000, text, sizeof(text)));
  void* buffer = nullptr;
  std::size_t size = 0;
  Ok(txvm_snapshot_save(from.instance.get(), &buffer, &size));
  Ok(txvm_snapshot_restore(to.instance.get(), buffer, size));
  txvm_outcome outcome = testing::NewOutcome();
  std::int32_t result = 0;
  Ok(txvm_resume(to.instance.get(), &result, 1, &outcome));
  EXPECT_EQ(outcome.stop, TXVM_HALTED);
  EXPECT_EQ(result, 5050);
  EXPECT_EQ(outcome.steps, whole.steps);
  EXPECT_EQ(outcome.digest, whole.digest);
  EXPECT_EQ(std::memcmp(txvm_memory_data(to.instance.get()) + 60'000, text, sizeof(text)), 0);

  static_cast<char*>(buffer)[size / 2] ^= 1;
  txvm_error* error = txvm_snapshot_restore(to.instance.get(), buffer, size);
  EXPECT_EQ(txvm_error_get_code(error), TXVM_ERROR_CORRUPT);
  EXPECT_NE(Message(error), "");
  txvm_buffer_delete(from.engine.get(), buffer, size);
}

TEST(CApiSnapshots, AreRefusedByAnotherProgram) {
  Side from("native");
  void* buffer = nullptr;
  std::size_t size = 0;
  Ok(txvm_snapshot_save(from.instance.get(), &buffer, &size));
  const testing::ProgramPtr other =
      testing::LoadText(from.engine.get(), ".func main\n  NOP\n.end\n.export \"main\" main\n");
  const testing::InstancePtr instance = testing::NewInstance(other.get());
  txvm_error* error = txvm_snapshot_restore(instance.get(), buffer, size);
  EXPECT_EQ(txvm_error_get_code(error), TXVM_ERROR_INVALID);
  EXPECT_NE(Message(error), "");
  txvm_buffer_delete(from.engine.get(), buffer, size);
}

class Clones : public testing::OnEachEngine {};

TEST_P(Clones, GoOnByThemselves) {
  Side side(GetParam());
  std::vector<std::int32_t> results;
  Ok(txvm_fuel_set(side.instance.get(), 200));
  EXPECT_EQ(Call(side.instance.get(), "main", {50}, &results).stop, TXVM_OUT_OF_FUEL);
  txvm_instance* made = nullptr;
  Ok(txvm_instance_clone(side.instance.get(), &made));
  const testing::InstancePtr clone(made);
  side.linker.reset();
  for (txvm_instance* each : {side.instance.get(), clone.get()}) {
    EXPECT_EQ(txvm_fuel_get(each), 0u);
    Ok(txvm_fuel_set(each, TXVM_UNLIMITED_FUEL));
    std::int32_t result = 0, global = 0;
    txvm_outcome outcome = testing::NewOutcome();
    Ok(txvm_resume(each, &result, 1, &outcome));
    EXPECT_EQ(result, 1275);
    Ok(txvm_global_get(each, 0, &global));
    EXPECT_EQ(global, 1275);
    Ok(txvm_global_set(each, 0, 3));
    txvm_memory_data(each)[7] = static_cast<std::uint8_t>(each == clone.get());
  }
  EXPECT_EQ(txvm_memory_data(side.instance.get())[7], 0);
  EXPECT_EQ(txvm_memory_data(clone.get())[7], 1);
}

TXVM_ON_EACH_ENGINE(Clones);

/// Restores in one instance what a snapshot of the other says.
void Carry(txvm_engine* engine, txvm_instance* from, txvm_instance* to) {
  void* buffer = nullptr;
  std::size_t size = 0;
  Ok(txvm_snapshot_save(from, &buffer, &size));
  Ok(txvm_snapshot_restore(to, buffer, size));
  txvm_buffer_delete(engine, buffer, size);
}

TEST(CApiSnapshots, OfAnExportThatIsTheStartFunctionTooCountAsStarted) {
  const testing::EnginePtr engine = testing::NewEngine();
  const testing::ProgramPtr program =
      testing::LoadText(engine.get(),
                        "(module (global $g (mut i32) (i32.const 0)) (func $s (export \"again\")"
                        " (global.set $g (i32.add (global.get $g) (i32.const 1)))) (start $s)"
                        " (func (export \"get\") (result i32) (global.get $g)))",
                        "start.wat");
  const testing::InstancePtr from = testing::NewInstance(program.get());
  const testing::InstancePtr to = testing::NewInstance(program.get());
  txvm_outcome outcome = testing::NewOutcome();
  Ok(txvm_start(from.get(), &outcome));
  Ok(txvm_fuel_set(from.get(), 1));
  Ok(txvm_call(from.get(), 0, nullptr, 0, nullptr, 0, &outcome));
  ASSERT_EQ(outcome.stop, TXVM_OUT_OF_FUEL);
  Carry(engine.get(), from.get(), to.get());
  std::int32_t result = 0;
  Ok(txvm_call(to.get(), 1, nullptr, 0, &result, 1, &outcome));
  EXPECT_EQ(result, 1);
}

TEST(CApiSnapshots, KnowTheStartFunction) {
  const testing::EnginePtr engine = testing::NewEngine();
  const testing::ProgramPtr program = testing::LoadText(
      engine.get(),
      "(module (global $g (mut i32) (i32.const 0)) (func $s (global.set $g (i32.const 5)))"
      " (start $s) (func (export \"get\") (result i32) (global.get $g)))",
      "start.wat");
  const testing::InstancePtr from = testing::NewInstance(program.get());
  const testing::InstancePtr to = testing::NewInstance(program.get());
  txvm_outcome outcome = testing::NewOutcome();
  Ok(txvm_fuel_set(from.get(), 1));
  Ok(txvm_start(from.get(), &outcome));
  ASSERT_EQ(outcome.stop, TXVM_OUT_OF_FUEL);
  Carry(engine.get(), from.get(), to.get());
  std::int32_t result = 0;
  EXPECT_NE(Message(txvm_call(to.get(), 0, nullptr, 0, &result, 1, &outcome)), "");
  Ok(txvm_resume(to.get(), nullptr, 0, &outcome));
  Ok(txvm_call(to.get(), 0, nullptr, 0, &result, 1, &outcome));
  EXPECT_EQ(result, 5);
}

}  // namespace
}  // namespace txvm
