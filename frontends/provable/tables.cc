#include "frontends/provable/tables.h"

#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

#include "frontends/provable/straight.h"

namespace txvm::frontends::provable {
namespace {

using triton::TirCode;

constexpr std::uint64_t kASlot = 8;  // operations

/// A slot of a table and the function in it.
using Slot = std::pair<std::uint32_t, std::uint32_t>;

Code Search(Context& context, std::span<const Slot> slots) {
  Code code;
  if (slots.empty()) {
    code.Trap();
    return code;
  }
  if (slots.size() == 1) {
    code.Push(slots.front().first);
    code.Op(TirCode::kEq);
    code.Assert();
    code.Append(CallFunction(context, slots.front().second));
    return code;
  }
  const std::size_t half = slots.size() / 2;
  code.Dup(0);
  code.Push(slots[half].first);
  code.Op(TirCode::kLt);
  return context.functions.Branch(std::move(code), {.is_bool = true},
                                  Search(context, slots.first(half)),
                                  Search(context, slots.subspan(half)));
}

}  // namespace

void NameDispatchers(Context& context, const CallGraph& graph) {
  for (const auto& [signature, table] : graph.indirect) {
    context.dispatchers[{signature, table}] = fmt::format("call_type{}_table{}", signature, table);
  }
}

void WriteDispatchers(Context& context, const TableContents& tables) {
  for (const auto& [kind, name] : context.dispatchers) {
    std::vector<Slot> slots;
    for (const auto& [slot, function] : tables[kind.second]) {
      if (function < context.module.functions.size() &&
          context.module.functions[function].signature == kind.first) {
        slots.emplace_back(slot, function);
      }
    }
    if (!context.Spend(kASlot * slots.size())) return;
    Code code = Search(context, slots);
    context.functions.Define(name, std::move(code), "_ args index -- _ results");
  }
}

Code CallFunction(Context& context, std::uint32_t function) {
  const Frame none;
  const wat::Instr call{.kind = wat::InstrKind::kCall, .a = function};
  const std::uint32_t params = EffectOf(context.module, call).pops;
  Straight straight(context, none, params);
  straight.Run({&call, 1});
  return straight.Finish();
}

}  // namespace txvm::frontends::provable
