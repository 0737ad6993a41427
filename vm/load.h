// What Machine::Load checks and builds, one step each.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "isa/limits.h"
#include "isa/program.h"
#include "vm/engine.h"
#include "vm/host.h"
#include "vm/state.h"

namespace txvm::vm {

/// What max_slots, max_depth and max_locals can be at most: a signed index reaches all of it.
inline constexpr std::uint32_t kMaxStackLimit = 0x7FFFFFFF;

/// kLimit when the globals, the declared memory or the largest frame exceed a limit, or when a
/// limit exceeds what the system gives; kInvalid when the memory exceeds its own maximum, which
/// only Verify rules out. Names both numbers.
isa::Result<void> CheckLimits(const isa::Program& program, const isa::Limits& limits);

/// The export of this name, which may be empty. kUsage names those there are, as isa::NameList.
isa::Result<const isa::Export*> FindExport(const isa::Program& program, std::string_view name);

/// Whether `entry`, or program.entry for nullptr, may be called with `count` arguments. kUsage when
/// it takes another number, kLimit when the operand stack has no room for them; with both numbers.
isa::Result<void> CheckArguments(const isa::Program& program, const isa::Export* entry,
                                 std::size_t count, const isa::Limits& limits);

/// The host function of every import, in order. kInvalid for an unknown import or another
/// signature.
isa::Result<std::vector<HostBinding>> LinkImports(const isa::Program& program,
                                                  const Linker& linker);

/// Empty stacks, locals and globals of zeros, memory of zeros in its initial size.
isa::Result<State> ReserveState(const isa::Program& program, const isa::Limits& limits);

/// Empty stacks, initial globals, memory with its data segments applied in order. kInvalid when a
/// segment does not fit.
isa::Result<State> MakeState(const isa::Program& program, const isa::Limits& limits);

/// kLimit when the engine cannot run the program; with context.model, kUsage for an
/// engine without weights and kInvalid for weights that are refused or folded with other code.
isa::Result<std::unique_ptr<Engine>> MakeEngine(EngineKind kind, const EngineContext& context);

}  // namespace txvm::vm
