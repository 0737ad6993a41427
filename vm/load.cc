#include "vm/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "isa/check_limits.h"
#include "isa/growth.h"
#include "isa/support/text.h"
#include "isa/value_text.h"
#include "isa/verify.h"
#include "vm/engines/attention.h"
#include "vm/engines/hull.h"
#include "vm/engines/hull_model.h"
#include "vm/engines/transformer.h"
#include "vm/folded/folded_engine.h"
#include "vm/machine.h"
#include "weights/fold.h"

namespace txvm::vm {
namespace {

using isa::ErrorCode;
using isa::Fail;

HostBinding MemorySizeFunction() {
  return {0, 1, [](HostContext& host, std::span<const Word>, std::span<Word> results) {
            results[0] = host.memory.pages();
            return HostStatus::Continue();
          }};
}

HostBinding MemoryGrowFunction() {
  return {1, 1, [](HostContext& host, std::span<const Word> args, std::span<Word> results) {
            results[0] = host.memory.Grow(args[0]);
            return HostStatus::Continue();
          }};
}

std::optional<HostBinding> FindHost(const isa::Import& import, const Linker& linker) {
  if (const HostBinding* found = linker.Find(import.module, import.name)) return *found;
  if (import.module != kBuiltinModule) return std::nullopt;
  if (import.name == kMemorySize) return MemorySizeFunction();
  if (import.name == kMemoryGrow) return MemoryGrowFunction();
  return std::nullopt;
}

/// The engine on context.model instead of the compiled weights.
isa::Result<std::unique_ptr<Engine>> MakeEngineOnModel(EngineKind kind,
                                                       const EngineContext& context) {
  if (kind != EngineKind::kHull && kind != EngineKind::kTransformer) {
    return Fail(
        ErrorCode::kUsage,
        fmt::format("engine {} takes no weights: hull and transformer do", EngineName(kind)));
  }
  const weights::Model& model = *context.model;
  TXVM_CHECK_OK(weights::CheckFoldedWith(model, context.program));
  if (kind == EngineKind::kTransformer) {
    TXVM_TRY(std::shared_ptr<const TransformerModel> dense, TransformerModel::Create(model));
    return MakeTransformerEngine(context, std::move(dense));
  }
  // Only of this build's own weights is it known that lanes keep to their declared ranges.
  TXVM_TRY(std::shared_ptr<const HullModel> sparse,
           HullModel::Create(model, weights::IsGenerated(model, context.program)));
  return MakeHullEngine(context, std::move(sparse));
}

}  // namespace

isa::Result<void> CheckLimits(const isa::Program& program, const isa::Limits& limits) {
  for (const auto& [name, limit, most] :
       {std::tuple("max_slots", limits.max_slots, kMaxStackLimit),
        std::tuple("max_depth", limits.max_depth, kMaxStackLimit),
        std::tuple("max_locals", limits.max_locals, kMaxStackLimit),
        std::tuple("max_pages", limits.max_pages, isa::kMaxPages)}) {
    if (limit <= most) continue;
    return Fail(ErrorCode::kLimit,
                fmt::format("the limit {} is {}; at most {} can be had", name, limit, most));
  }
  TXVM_CHECK_OK(isa::CheckLocals(program, limits));
  if (program.memory && program.memory->initial > program.memory->maximum) {  // if not verified
    return Fail(ErrorCode::kInvalid, fmt::format("memory of {} is above its maximum of {}",
                                                 isa::CountText(program.memory->initial, "page"),
                                                 isa::CountText(program.memory->maximum, "page")));
  }
  if (program.memory && program.memory->initial > limits.max_pages) {
    return Fail(ErrorCode::kLimit, fmt::format("initial memory of {} exceeds the limit of {}",
                                               isa::CountText(program.memory->initial, "page"),
                                               isa::CountText(limits.max_pages, "page")));
  }
  return {};
}

isa::Result<void> CheckArguments(const isa::Program& program, const isa::Export* entry,
                                 std::size_t count, const isa::Limits& limits) {
  std::uint32_t params = 0;
  if (entry != nullptr) {
    params = entry->params;
  } else if (const isa::Function* stub = program.FunctionAt(program.entry)) {
    params = stub->params;
  }
  if (count != params) {
    const std::string subject =
        entry == nullptr ? "the entry" : fmt::format("function '{}'", entry->name);
    return Fail(ErrorCode::kUsage, isa::CountMismatch(subject, "takes", "argument", params, count));
  }
  if (count <= limits.max_slots) return {};
  return Fail(ErrorCode::kLimit,
              fmt::format("{} the limit of {}", isa::ExceedText(count, "argument"),
                          isa::CountText(limits.max_slots, "operand slot")));
}

isa::Result<std::vector<HostBinding>> LinkImports(const isa::Program& program,
                                                  const Linker& linker) {
  std::vector<HostBinding> hosts;
  for (const isa::Import& import : program.imports) {
    const bool grows = program.growth != nullptr && import.module == kBuiltinModule &&
                       import.name.starts_with(isa::kGrowImports);
    if (grows) {  // the machine answers by itself
      hosts.push_back({import.params, import.results, nullptr});
      continue;
    }
    std::optional<HostBinding> host = FindHost(import, linker);
    if (!host) {
      return isa::Invalid(program,
                          fmt::format("unknown import '{}.{}'", isa::Printable(import.module),
                                      isa::Printable(import.name)));
    }
    if (host->params != import.params || host->results != import.results) {
      return isa::Invalid(
          program,
          fmt::format("import '{}.{}' takes {} and returns {}, "
                      "but the host function takes {} and returns {}",
                      isa::Printable(import.module), isa::Printable(import.name), import.params,
                      isa::CountText(import.results, "value"), host->params, host->results));
    }
    const bool are_typed = isa::IsTyped(*host) && isa::IsTyped(import);
    if (are_typed &&
        (host->param_types != import.param_types || host->result_types != import.result_types)) {
      const isa::Export given{
          "", 0, host->params, host->results, host->param_types, host->result_types};
      return isa::Invalid(
          program, fmt::format("import {}, but the host function is {}", isa::SignatureText(import),
                               isa::SignatureText(given)));
    }
    hosts.push_back(*std::move(host));
  }
  return hosts;
}

isa::Result<State> ReserveState(const isa::Program& program, const isa::Limits& limits) {
  State state;
  const auto room = [](std::uint32_t count) {
    return static_cast<std::size_t>(count) + 1 + kTilePadding;
  };
  TXVM_TRY(state.slots, Reservation<Word>::Create(room(limits.max_slots), PageOffset::kSlots));
  TXVM_TRY(state.locals, Reservation<Word>::Create(room(limits.max_locals), PageOffset::kLocals));
  TXVM_TRY(state.frames, Reservation<Frame>::Create(room(limits.max_depth), PageOffset::kFrames));
  const isa::MemorySpec memory = program.memory.value_or(isa::MemorySpec{});
  TXVM_TRY(state.memory,
           LinearMemory::Create(memory.initial, std::min(memory.maximum, limits.max_pages)));
  state.locals_base = static_cast<std::uint32_t>(program.globals.size());
  return state;
}

isa::Result<State> MakeState(const isa::Program& program, const isa::Limits& limits) {
  TXVM_TRY(State state, ReserveState(program, limits));
  std::copy(program.globals.begin(), program.globals.end(), state.locals.data());
  for (std::size_t i = 0; i < program.data.size(); ++i) {
    const isa::DataSegment& segment = program.data[i];
    if (!state.memory.Contains(segment.offset, segment.bytes.size())) {
      return isa::Invalid(
          program,
          fmt::format("data segment {} of {} at offset {} does not fit into the memory of {} bytes",
                      i, isa::CountText(segment.bytes.size(), "byte"), segment.offset,
                      state.memory.size_bytes()));
    }
    if (!segment.bytes.empty()) {
      std::memcpy(state.memory.data() + segment.offset, segment.bytes.data(), segment.bytes.size());
    }
  }
  return state;
}

isa::Result<std::unique_ptr<Engine>> MakeEngine(EngineKind kind, const EngineContext& context) {
  if (context.model != nullptr) return MakeEngineOnModel(kind, context);
  switch (kind) {
    case EngineKind::kNative:
      return MakeNativeEngine(context);
    case EngineKind::kFolded:
      return MakeFoldedEngine(context);
    case EngineKind::kHull:
      return MakeHullEngine(context);
    case EngineKind::kTransformer:
      return MakeTransformerEngine(context);
    case EngineKind::kAttention: {
      TXVM_TRY(std::unique_ptr<Engine> engine,
               MakeAttentionEngine(context, weights::CompileHeads()));
      return engine;
    }
  }
  return Fail(ErrorCode::kInternal, "unknown engine");
}

namespace {

std::string ExportNames(const isa::Program& program) {
  std::vector<std::string_view> names;
  for (const isa::Export& entry : program.exports) names.push_back(entry.name);
  return isa::NameList(names);
}

/// The same with the types of those whose types are stated.
std::string ExportSignatures(const isa::Program& program) {
  std::vector<std::string> texts;
  for (const isa::Export& entry : program.exports) {
    texts.push_back(isa::IsTyped(entry) ? isa::SignatureText(entry) : entry.name);
  }
  const std::vector<std::string_view> shown(texts.begin(), texts.end());
  return isa::NameList(shown);
}

}  // namespace

isa::Result<const isa::Export*> FindExport(const isa::Program& program, std::string_view name) {
  if (const isa::Export* found = program.FindExport(name)) return found;
  return Fail(
      ErrorCode::kUsage,
      program.exports.empty()
          ? fmt::format("no exported function '{}': the program exports none", name)
          : fmt::format("no exported function '{}'; there is {}", name, ExportNames(program)));
}

isa::Result<const isa::Export*> ChooseEntry(const isa::Program& program,
                                            const std::optional<std::string>& requested) {
  if (requested) return FindExport(program, *requested);
  for (const std::string_view name : {"_start", "main"}) {
    if (const isa::Export* found = program.FindExport(name)) return found;
  }
  if (program.exports.empty()) return nullptr;
  const isa::Export* only = nullptr;
  std::size_t without_params = 0;
  for (const isa::Export& entry : program.exports) {
    if (entry.params != 0) continue;
    only = &entry;
    ++without_params;
  }
  if (without_params == 1) return only;
  return Fail(ErrorCode::kUsage,
              fmt::format("no export named _start or main, and {} exported functions without "
                          "params: choose one with --invoke; "
                          "there is {}",
                          without_params == 0 ? "no" : std::to_string(without_params),
                          ExportSignatures(program)));
}

const isa::Export* FindInitializer(const isa::Program& program, const isa::Export* entry) {
  const isa::Export* found = program.FindExport("_initialize");
  if (found == nullptr || found == entry || found->params != 0 || found->results != 0) {
    return nullptr;
  }
  return program.FindExport("_start") == nullptr ? found : nullptr;
}

}  // namespace txvm::vm
