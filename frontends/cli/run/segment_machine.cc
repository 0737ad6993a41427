#include "frontends/cli/run/segment_machine.h"

#include <utility>

#include "frontends/cli/run/choices.h"
#include "frontends/cli/run/host_functions.h"
#include "frontends/cli/run/snapshot_option.h"
#include "vm/snapshot_file.h"

namespace txvm::frontends::cli {

isa::Result<SegmentMachine> LoadSegmentMachine(const std::shared_ptr<const isa::Program>& program,
                                               const RunSettings& settings) {
  TXVM_TRY(LoadedMachine loaded, LoadMachine(program, settings));
  SegmentMachine instance{std::move(loaded)};
  TXVM_TRY(instance.entry, ChooseEntry(*program, settings));
  return instance;
}

isa::Result<vm::RunResult> BeginEntry(SegmentMachine& instance, const RunSettings& settings) {
  const isa::Program& program = instance.machine.program();
  TXVM_TRY(const std::vector<isa::Word> words, EntryWords(program, instance.entry, settings));
  vm::RunOptions whole;
  whole.fuel = settings.fuel;
  vm::RunResult result = instance.machine.RunInit(whole);
  if (result.outcome != vm::Outcome::kHalted) return result;
  if (const isa::Export* initializer = vm::FindInitializer(program, instance.entry)) {
    result = instance.machine.CallStub(initializer->start, {}, whole);
    if (result.outcome != vm::Outcome::kHalted) return result;
  }
  vm::RunOptions none;
  none.fuel = 0;
  none.digest = true;
  if (instance.entry != nullptr) return instance.machine.Call(*instance.entry, words, none);
  return instance.machine.CallStub(program.entry, words, none);
}

isa::Result<std::vector<std::uint8_t>> StateFile(const SegmentMachine& instance) {
  TXVM_TRY(const vm::Snapshot snapshot, TakeSnapshot(instance.machine, instance.HostState()));
  return vm::WriteSnapshot(snapshot);
}

}  // namespace txvm::frontends::cli
