#include "frontends/cli/run/segment_machine.h"

#include <utility>

#include "frontends/cli/run/host_functions.h"
#include "frontends/cli/run/session.h"
#include "vm/snapshot_file.h"

namespace txvm::frontends::cli {

isa::Result<SegmentMachine> LoadSegmentMachine(const std::shared_ptr<const isa::Program>& program,
                                               const RunSettings& settings) {
  TXVM_TRY(HostSet host, HostFunctions(settings));
  if (settings.trap_unknown_imports) TrapUnknownImports(*program, host.linker);
  vm::MachineOptions options;
  options.engine = settings.engine;
  options.limits = settings.limits;
  isa::Result<vm::Machine> machine = vm::Machine::Load(program, host.linker, options);
  if (!machine) return LoadError(std::move(machine).error(), *program, settings.path);
  SegmentMachine instance{*std::move(machine), std::nullopt, nullptr};
  if (wasi::IsImportedBy(*program)) instance.wasi = std::move(host.wasi);
  TXVM_TRY(instance.entry, vm::ChooseEntry(*program, settings.invoke));
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
  TXVM_TRY(vm::Snapshot snapshot, instance.machine.TakeSnapshot());
  if (instance.wasi) {
    const std::string host = instance.wasi->Save();
    snapshot.host.assign(host.begin(), host.end());
  }
  return vm::WriteSnapshot(snapshot);
}

}  // namespace txvm::frontends::cli
