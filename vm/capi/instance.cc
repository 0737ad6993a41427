// Instances: their making, and their state while they do not run.
// Declared in vm/txvm.h.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "isa/support/text.h"
#include "vm/capi/handles.h"
#include "vm/state.h"

namespace {

using namespace txvm;
using namespace txvm::vm::capi;

isa::Limits LimitsOf(const txvm_instance_options& options) {
  isa::Limits limits;
  if (options.max_slots != 0) limits.max_slots = options.max_slots;
  if (options.max_depth != 0) limits.max_depth = options.max_depth;
  if (options.max_locals != 0) limits.max_locals = options.max_locals;
  if (options.max_pages != 0) limits.max_pages = std::min(options.max_pages, isa::kMaxPages);
  return limits;
}

// The largest each may be: one more, and the arrays after it would overflow their counts.
isa::Result<void> CheckOptions(const txvm_instance_options& options) {
  constexpr std::uint32_t kMost = 1u << 30;
  for (const auto& [name, value] :
       {std::pair{"max_slots", options.max_slots}, std::pair{"max_depth", options.max_depth},
        std::pair{"max_locals", options.max_locals}}) {
    if (value > kMost) {
      return isa::Fail(isa::ErrorCode::kLimit,
                       fmt::format("{} {} is above {}", name, value, kMost));
    }
  }
  return {};
}

isa::Result<void> CheckRange(const txvm_instance& instance, std::uint64_t offset, std::size_t count,
                             std::string_view what) {
  const vm::LinearMemory& memory = instance.machine->memory();
  if (memory.Contains(offset, count)) return {};
  return isa::Fail(isa::ErrorCode::kLimit,
                   fmt::format("{} of {} at {} is outside the memory of {} bytes", what,
                               isa::CountText(count, "byte"), offset, memory.size_bytes()));
}

isa::Result<void> CheckGlobal(const txvm_instance& instance, std::uint32_t index) {
  const std::size_t count = instance.machine->program().globals.size();
  if (index < count) return {};
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("global {} is out of range: the program has {}", index, count));
}

isa::Result<void> MakeInstance(const txvm_program& program, const txvm_linker* linker,
                               const txvm_instance_options& options, txvm_instance* instance) {
  instance->user = options.user;
  instance->grow = options.grow;
  instance->started = !program.prepared->program().init.has_value();
  vm::MachineOptions machine_options;
  machine_options.engine = program.core->kind;
  machine_options.limits = LimitsOf(options);
  machine_options.embedder = instance;
  instance->max_slots = machine_options.limits.max_slots;
  if (linker != nullptr && linker->group != nullptr) {
    instance->group = linker->group;
    instance->definitions = std::make_shared<const vm::Linker>(linker->linker);
    TXVM_TRY(const vm::Linker all, LinkerOf(*instance, nullptr));
    TXVM_TRY(instance->machine, vm::Machine::Load(program.prepared, all, machine_options));
    return {};
  }
  TXVM_TRY(instance->machine,
           linker != nullptr ? vm::Machine::Load(program.prepared, linker->linker, machine_options)
                             : vm::Machine::Load(program.prepared, NewLinker(), machine_options));
  return {};
}

}  // namespace

isa::Result<void> txvm::vm::capi::RunningError(std::string_view what) {
  return isa::Fail(isa::ErrorCode::kUsage,
                   fmt::format("the instance is running: a host function cannot {} it", what));
}

txvm_error* txvm_instance_new(const txvm_program* program, const txvm_linker* linker,
                              const txvm_instance_options* options, txvm_instance** instance) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    *instance = nullptr;
    TXVM_CHECK_OK(NotNull(program, "program"));
    txvm_instance_options known{};
    if (options != nullptr) {
      TXVM_TRY(known, ReadStruct(options, "txvm_instance_options"));
    }
    TXVM_CHECK_OK(CheckOptions(known));
    const auto free = [](txvm_instance* made) { Delete(made); };
    std::unique_ptr<txvm_instance, decltype(free)> made(New<txvm_instance>(program->core, *program),
                                                        free);
    TXVM_CHECK_OK(MakeInstance(*program, linker, known, made.get()));
    *instance = made.release();
    return {};
  });
}

void txvm_instance_delete(txvm_instance* instance) {
  if (instance != nullptr && !instance->running) LetGo(instance);
}

void* txvm_instance_user(const txvm_instance* instance) {
  return instance == nullptr ? nullptr : instance->user;
}

const txvm_program* txvm_instance_program(const txvm_instance* instance) {
  return instance == nullptr ? nullptr : &instance->program;
}

uint64_t txvm_memory_size(const txvm_instance* instance) {
  return instance == nullptr ? 0 : instance->machine->memory().size_bytes();
}

uint8_t* txvm_memory_data(txvm_instance* instance) {
  return instance == nullptr ? nullptr : instance->machine->memory().data();
}

txvm_error* txvm_memory_read(const txvm_instance* instance, uint64_t offset, void* to,
                             size_t count) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    TXVM_CHECK_OK(CheckRange(*instance, offset, count, "memory read"));
    if (count == 0) return {};
    TXVM_CHECK_OK(NotNull(to, "to"));
    std::memcpy(to, instance->machine->memory().data() + offset, count);
    return {};
  });
}

txvm_error* txvm_memory_write(txvm_instance* instance, uint64_t offset, const void* from,
                              size_t count) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    TXVM_CHECK_OK(CheckRange(*instance, offset, count, "memory write"));
    if (count == 0) return {};
    TXVM_CHECK_OK(NotNull(from, "from"));
    std::memcpy(instance->machine->memory().data() + offset, from, count);
    return {};
  });
}

txvm_error* txvm_memory_grow(txvm_instance* instance, uint32_t pages, uint32_t* old_pages) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    vm::LinearMemory& memory = instance->machine->memory();
    const std::uint32_t before = memory.pages();
    if (pages > memory.max_pages() - before) {
      memory.Grow(pages);  // which fails, and remembers why
      if (memory.fell_short()) return isa::Fail(isa::ErrorCode::kLimit, memory.ShortageText());
      return isa::Fail(isa::ErrorCode::kLimit,
                       fmt::format("memory of {} cannot grow by {}: its limit is {}",
                                   isa::CountText(before, "page"), pages, memory.max_pages()));
    }
    memory.Grow(pages);
    if (old_pages != nullptr) *old_pages = before;
    return {};
  });
}

txvm_error* txvm_global_get(const txvm_instance* instance, uint32_t index, int32_t* value) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    TXVM_CHECK_OK(NotNull(value, "value"));
    TXVM_CHECK_OK(CheckGlobal(*instance, index));
    *value = isa::Signed(instance->machine->state().locals[index]);
    return {};
  });
}

txvm_error* txvm_global_set(txvm_instance* instance, uint32_t index, int32_t value) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    TXVM_CHECK_OK(CheckGlobal(*instance, index));
    const auto named = std::ranges::find(*instance->program.globals, index, &NamedGlobal::index);
    if (named != instance->program.globals->end() && !named->is_mutable) {
      return isa::Fail(isa::ErrorCode::kUsage,
                       fmt::format("global '{}' is not mutable", named->name));
    }
    instance->machine->globals()[index] = static_cast<std::uint32_t>(value);
    return {};
  });
}

txvm_error* txvm_state_get(const txvm_instance* instance, txvm_state* state) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(instance, "instance"));
    const vm::State& now = instance->machine->state();
    return WriteStruct({0, now.ip, now.sp, now.depth, now.steps}, state, "txvm_state");
  });
}

const int32_t* txvm_stack(const txvm_instance* instance, size_t* count) {
  if (instance == nullptr) {
    if (count != nullptr) *count = 0;
    return nullptr;
  }
  const std::span<const vm::Word> stack = instance->machine->stack();
  if (count != nullptr) *count = stack.size();
  return reinterpret_cast<const int32_t*>(stack.data());
}
