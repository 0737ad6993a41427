// Snapshots and clones of instances.
// Declared in vm/txvm.h.
#include "vm/snapshot.h"

#include <algorithm>

#include "vm/capi/handles.h"
#include "vm/snapshot_file.h"
#include "vm/state.h"

namespace {

using namespace txvm;
using namespace txvm::vm::capi;

/// Whether the invocation that can be resumed is that of the start function: its outermost code is
/// the stub of it. That of an exported function may as well be a call of the export, which counts
/// as started: to run it as the start function again would change what it changed.
bool IsInStart(const vm::Machine& machine) {
  const isa::Program& program = machine.program();
  if (!program.init || !machine.resumable()) return false;
  const auto is_init = [&](const isa::Export& item) { return item.start == *program.init; };
  if (std::ranges::any_of(program.exports, is_init)) return false;
  const vm::State& state = machine.state();
  const std::uint32_t outermost = state.depth == 0 ? state.ip : state.frames[1].return_ip - 1;
  const isa::Function* stub = program.FunctionAt(outermost);
  return stub != nullptr && stub->first == *program.init;
}

isa::Result<void> MakeClone(const txvm_instance& from, txvm_instance* to) {
  if (from.group != nullptr) {
    to->group = from.group;
    to->definitions = from.definitions;
    TXVM_TRY(const vm::Linker all, LinkerOf(*to, from.host_state.get()));
    TXVM_TRY(to->machine, from.machine->Clone(all));
  } else {
    TXVM_TRY(to->machine, from.machine->Clone());
  }
  to->machine->SetEmbedder(to);
  to->max_slots = from.max_slots;
  to->user = from.user;
  to->grow = from.grow;
  to->fuel = from.fuel;
  to->started = from.started;
  to->in_start = from.in_start;
  to->expected_results = from.expected_results;
  to->watch = from.watch;
  to->breakpoints = from.breakpoints;
  to->asked_at = from.asked_at;
  to->last = from.last;
  to->stepped = from.stepped;
  ApplyWatch(*to);
  return {};
}

}  // namespace

txvm_error* txvm_snapshot_save(const txvm_instance* instance, void** buffer, size_t* size) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(buffer, "buffer"));
    *buffer = nullptr;
    TXVM_CHECK_OK(NotNull(size, "size"));
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    TXVM_CHECK_OK(CheckIdle(*instance, "save"));
    TXVM_TRY(vm::Snapshot snapshot, instance->machine->TakeSnapshot());
    if (instance->host_state != nullptr) {
      const std::string host = instance->host_state->Save();
      snapshot.host.assign(host.begin(), host.end());
    }
    const std::vector<std::uint8_t> bytes = vm::WriteSnapshot(snapshot);
    *buffer = instance->core->Allocate(bytes.size());
    *size = bytes.size();
    std::memcpy(*buffer, bytes.data(), bytes.size());
    return {};
  });
}

txvm_error* txvm_snapshot_restore(txvm_instance* instance, const void* bytes, size_t size) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    TXVM_CHECK_OK(NotNull(bytes, "bytes"));
    TXVM_CHECK_OK(CheckIdle(*instance, "restore"));
    TXVM_TRY(const vm::Snapshot snapshot,
             vm::ReadSnapshot({static_cast<const std::uint8_t*>(bytes), size}));
    const std::string_view host(reinterpret_cast<const char*>(snapshot.host.data()),
                                snapshot.host.size());
    const bool has_host = instance->host_state != nullptr && !host.empty();
    if (has_host) TXVM_CHECK_OK(instance->host_state->Check(host));
    TXVM_CHECK_OK(instance->machine->Restore(snapshot));
    if (has_host) instance->host_state->Restore(host);
    instance->in_start = IsInStart(*instance->machine);
    instance->started = !instance->in_start;
    instance->expected_results.reset();
    instance->last.reset();
    instance->message.clear();
    instance->asked_at.reset();
    return {};
  });
}

txvm_error* txvm_instance_clone(const txvm_instance* instance, txvm_instance** clone) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(clone, "clone"));
    *clone = nullptr;
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    TXVM_CHECK_OK(CheckIdle(*instance, "clone"));
    const auto free = [](txvm_instance* made) { Delete(made); };
    std::unique_ptr<txvm_instance, decltype(free)> made(
        New<txvm_instance>(instance->core, instance->program), free);
    TXVM_CHECK_OK(MakeClone(*instance, made.get()));
    *clone = made.release();
    return {};
  });
}
