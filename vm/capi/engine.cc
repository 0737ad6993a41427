// Engines: which one runs, and where handles live.
// Declared in vm/txvm.h.
#include <fmt/format.h>

#include "vm/capi/handles.h"

namespace {

using namespace txvm;
using namespace txvm::vm::capi;

void* PlainAllocate(void*, std::size_t bytes) { return std::malloc(bytes); }
void PlainRelease(void*, void* memory, std::size_t) { std::free(memory); }

isa::Result<std::shared_ptr<const Core>> MakeCore(const txvm_engine_options& options) {
  auto core = std::make_shared<Core>();
  core->allocator = options.allocator;
  const bool has_allocate = options.allocator.allocate != nullptr;
  if (has_allocate != (options.allocator.release != nullptr)) {
    return isa::Fail(isa::ErrorCode::kUsage, fmt::format("allocator has {} but no {}",
                                                         has_allocate ? "allocate" : "release",
                                                         has_allocate ? "release" : "allocate"));
  }
  if (!has_allocate) core->allocator = {nullptr, PlainAllocate, PlainRelease};
  if (options.engine == nullptr) return core;
  const std::optional<vm::EngineKind> kind = vm::FindEngine(options.engine);
  if (!kind) {
    std::string names;
    for (const vm::EngineKind each : vm::AllEngines()) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", vm::EngineName(each));
    }
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("engine '{}' is unknown: there is {}", options.engine, names));
  }
  core->kind = *kind;
  return core;
}

}  // namespace

uint32_t txvm_abi_version(void) { return TXVM_ABI_VERSION; }
const char* txvm_version(void) { return TXVM_VERSION; }

txvm_error* txvm_engine_new(const txvm_engine_options* options, txvm_engine** engine) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(engine, "engine"));
    *engine = nullptr;
    txvm_engine_options known{};
    if (options != nullptr) {
      TXVM_TRY(known, ReadStruct(options, "txvm_engine_options"));
    }
    TXVM_TRY(std::shared_ptr<const Core> core, MakeCore(known));
    *engine = New<txvm_engine>(core, core);
    return {};
  });
}

void txvm_engine_delete(txvm_engine* engine) { Delete(engine); }

const char* txvm_engine_name(const txvm_engine* engine) {
  return engine == nullptr ? "" : vm::EngineName(engine->core->kind).data();
}

void txvm_buffer_delete(txvm_engine* engine, void* buffer, size_t size) {
  if (engine != nullptr && buffer != nullptr) engine->core->Release(buffer, size);
}
