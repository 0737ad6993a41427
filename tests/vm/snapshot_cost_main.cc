// txvm_snapshot_cost: what a snapshot, a restore, a clone and a file cost, for instances of several
// sizes. Medians in microseconds, of one thread.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "asm/assembler.h"
#include "vm/machine.h"
#include "vm/snapshot_file.h"

namespace {

using namespace txvm;

constexpr int kRepeats = 31;

double Median(const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    times.push_back(time.count());
  }
  std::ranges::nth_element(times, times.begin() + kRepeats / 2);
  return times[kRepeats / 2];
}

// Recurses `depth` times, then waits in a loop.
std::shared_ptr<const isa::Program> ProgramOf(std::uint32_t depth) {
  const std::string text = fmt::format(R"(.memory 2048 2048
.func down params=1 results=1 locals=1
  LOCAL.TEE 0
  if
    LOCAL.GET 0
    PUSH 1
    SUB
    CALL down
    POP
  else
    loop for_ever
      br for_ever
    end
  end
  PUSH 0
.end
.func main results=1
  PUSH {}
  CALL down
.end
.export "main" main
)",
                                       depth);
  return std::make_shared<const isa::Program>(assembler::Assemble(text, "cost.txa").value());
}

void Measure(std::string_view name, vm::EngineKind engine, std::uint32_t depth, std::size_t bytes) {
  const auto program = ProgramOf(depth);
  vm::MachineOptions options;
  options.engine = engine;
  vm::Machine machine = vm::Machine::Load(program, {}, options).value();
  std::memset(machine.memory().data(), 7, bytes);
  vm::RunOptions run;
  run.fuel = 100 + 20 * std::uint64_t{depth};
  machine.CallStub(program->entry, {}, run);
  vm::Snapshot snapshot = machine.TakeSnapshot().value();
  const double take = Median([&] { snapshot = machine.TakeSnapshot().value(); });
  const double again = Median([&] { machine.TakeSnapshot(&snapshot).value(); });
  const double restore = Median([&] { machine.Restore(snapshot).value(); });
  std::unique_ptr<vm::Machine> clone;
  const double cloning = Median([&] {
    clone = nullptr;
    clone = std::make_unique<vm::Machine>(machine.Clone().value());
  });
  std::vector<std::uint8_t> file;
  const double write = Median([&] { file = vm::WriteSnapshot(snapshot); });
  const double read = Median([&] { vm::ReadSnapshot(file).value(); });
  fmt::print("{:<24} {:<10} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>11}\n", name,
             vm::EngineName(engine), take, again, restore, cloning, write, read, file.size());
}

}  // namespace

int main() {
  fmt::print("{:<24} {:<10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11}\n", "instance", "engine",
             "snapshot", "another", "restore", "clone", "write", "read", "file bytes");
  for (const vm::EngineKind engine : vm::DirectEngines()) {
    Measure("small", engine, 2, 0);
    Measure("10,000 calls deep", engine, 10'000, 0);
    Measure("1 MiB of memory", engine, 2, std::size_t{1} << 20);
    Measure("64 MiB of memory", engine, 2, std::size_t{1} << 26);
  }
  return 0;
}
