#include "frontends/provable/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "frontends/provable/call_graph.h"
#include "frontends/provable/context.h"
#include "frontends/provable/function.h"
#include "frontends/provable/helpers.h"
#include "frontends/provable/initial.h"
#include "frontends/provable/routines.h"
#include "frontends/provable/tables.h"
#include "isa/limits.h"
#include "isa/support/text.h"

namespace txvm::frontends::provable {
namespace {

using isa::ErrorCode;
using isa::Result;
using triton::TirCode;
using triton::TirOp;

constexpr std::string_view kMain = "program";

std::uint32_t Count(const auto& container) { return static_cast<std::uint32_t>(container.size()); }

/// "f12_name" with everything but letters and digits as '_'.
std::string TirName(const wat::Module& module, std::uint32_t index) {
  constexpr std::size_t kMostShown = 40;
  std::string name = fmt::format("f{}", index);
  const std::string shown = NameOf(module, module.functions[index]);
  if (!shown.empty()) name += '_';
  for (const char c : shown.substr(0, kMostShown)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '_';
  }
  return name;
}

Result<std::uint32_t> ChooseEntry(const wat::Module& module,
                                  const std::optional<std::string>& requested) {
  std::vector<const wat::Export*> functions;
  std::vector<std::string_view> names;
  for (const wat::Export& item : module.exports) {
    if (item.kind != wat::ExportKind::kFunction) continue;
    functions.push_back(&item);
    names.push_back(item.name);
  }
  const auto find = [&](std::string_view name) -> const wat::Export* {
    const auto found = std::ranges::find(functions, name, &wat::Export::name);
    return found == functions.end() ? nullptr : *found;
  };
  if (functions.empty()) {
    return isa::Fail(ErrorCode::kUsage, "the module exports no function to run");
  }
  if (requested) {
    if (const wat::Export* item = find(*requested)) return item->index;
    return isa::Fail(ErrorCode::kUsage,
                     fmt::format("there is no exported function '{}'; there are: {}", *requested,
                                 isa::NameList(names)));
  }
  for (const std::string_view name : {"_start", "main"}) {
    if (const wat::Export* item = find(name)) return item->index;
  }
  if (functions.size() == 1) return functions.front()->index;
  return isa::Fail(ErrorCode::kUsage,
                   "several functions are exported; name the one to run: " + isa::NameList(names));
}

/// What runs before the entry, in order: the start function and, of a library, `_initialize`, as
/// `txvm run` has it (vm::FindInitializer).
std::vector<std::uint32_t> FunctionsBefore(const wat::Module& module, std::uint32_t entry) {
  std::vector<std::uint32_t> before;
  if (module.start) before.push_back(*module.start);
  const wat::Export* found = module.FindExport("_initialize");
  if (found == nullptr || found->kind != wat::ExportKind::kFunction || found->index == entry ||
      module.SignatureOf(module.functions[found->index]) != wat::Signature{}) {
    return before;
  }
  const wat::Export* start = module.FindExport("_start");
  if (start == nullptr || start->kind != wat::ExportKind::kFunction) before.push_back(found->index);
  return before;
}

class ModuleLowerer {
 public:
  ModuleLowerer(const wat::Module& module, const LowerOptions& options)
      : options_(options), context_{module, {}, {}, {}, {}, {}, 0} {}

  Result<Lowered> Run();

 private:
  Result<void> PlanMemory();
  void PlanClearing();
  void PlaceCells();
  void LowerFunctions();
  Code Main();

  const wat::Module& module() const { return context_.module; }

  const LowerOptions& options_;
  Context context_;
  CallGraph graph_;
  std::map<std::uint32_t, Frame> frames_;
  std::uint32_t entry_ = 0;
  std::vector<std::uint32_t> before_;  // functions that run before it
};

Result<void> ModuleLowerer::PlanMemory() {
  Layout& layout = context_.layout;
  if (module().memories.size() > 1) {
    return isa::Fail(ErrorCode::kUnsupported,
                     fmt::format("the module has {} memories; a program has at most 1",
                                 module().memories.size()));
  }
  if (module().memories.empty()) return {};
  const wat::Memory& memory = module().memories.front();
  const std::uint64_t initial = memory.extent.initial * kPageWords;
  const std::uint64_t most =
      std::min<std::uint64_t>(memory.extent.maximum.value_or(isa::kMaxPages), isa::kMaxPages) *
      kPageWords;
  const bool grows =
      std::ranges::any_of(graph_.trees, [](const auto& item) { return item.second.grows_memory; });
  layout.memory_words = std::min(options_.memory_words.value_or(initial), grows ? most : initial);
  layout.pages = static_cast<std::uint32_t>(memory.extent.initial);
  const auto room = static_cast<std::uint32_t>(layout.memory_words / kPageWords);
  layout.most_pages = std::max(layout.pages, room);
  layout.memory_grows = room > layout.pages;
  if (!layout.memory_grows) layout.memory_words = std::min(layout.memory_words, initial);
  return {};
}

/// How much memory is cleared at the start. REQUIRES checked data.
void ModuleLowerer::PlanClearing() {
  Layout& layout = context_.layout;
  layout.ready_words = layout.memory_words;
  if (options_.assume_zero_ram || layout.memory_words <= options_.cleared_at_start) return;
  std::uint64_t end = 1;  // bytes of data
  for (const wat::DataSegment& segment : module().data) {
    if (segment.bytes.empty()) continue;
    end = std::max(end, std::uint64_t{context_.ValueOf(segment.offset)} + segment.bytes.size());
  }
  constexpr std::uint64_t kRoundBytes = kRoundWords * 4;
  const std::uint64_t words = (end + kRoundBytes - 1) / kRoundBytes * kRoundWords;
  // The last round may clear more than the memory has.
  if (words >= layout.memory_words || layout.pages == 0 ||
      layout.memory_words + kRoundWords > kFirstCell)
    return;
  layout.ready_words = words;
  layout.ready_cell = layout.Allocate(1);
}

/// Cells of the module; those of functions come from PlaceLocals.
void ModuleLowerer::PlaceCells() {
  Layout& layout = context_.layout;
  if (layout.memory_grows) {
    layout.pages_cell = layout.Allocate(1);
    layout.limit_cell = layout.Allocate(1);
  }
  for (std::size_t i = 0; i < module().globals.size(); ++i) {
    const bool constant = context_.ConstantGlobal(static_cast<std::uint32_t>(i)).has_value();
    layout.globals.push_back(constant ? 0 : layout.Allocate(1));
  }
  std::uint32_t widest = 0;
  for (const auto& [index, tree] : graph_.trees) widest = std::max(widest, tree.most_carried);
  layout.carry_cells = widest + 1;
  layout.carry = layout.Allocate(layout.carry_cells);
  for (const auto& [index, tree] : graph_.trees) {
    const auto params = Count(module().SignatureOf(module().functions[index]).params);
    frames_.emplace(index, PlaceLocals(tree, params, graph_.recursive.contains(index),
                                       options_.locals_in_ram, layout));
  }
}

void ModuleLowerer::LowerFunctions() {
  for (const auto& [index, tree] : graph_.trees) {
    const wat::Function& function = module().functions[index];
    Code code = LowerFunction(context_, function, tree, frames_.at(index));
    const std::string place = module().is_text && function.place != 0
                                  ? fmt::format("line {}", function.place)
                                  : fmt::format("function {}", index);
    context_.functions.Define(context_.names[index], std::move(code), place);
  }
}

/// Initialises RAM, runs what comes before the entry, reads the arguments, runs the entry, writes
/// the results.
Code ModuleLowerer::Main() {
  Code code;
  if (options_.assume_zero_ram) {
    code.Comment("RAM that nobody wrote is taken to be 0: a prover may choose it otherwise");
  }
  code.Append(InitialRam(context_, frames_, options_.assume_zero_ram));
  for (const std::uint32_t function : before_) code.Append(CallFunction(context_, function));
  const wat::Signature& signature = module().SignatureOf(module().functions[entry_]);
  constexpr std::uint64_t kWordMax = 0xFFFF'FFFF;
  for (std::size_t i = 0; i < signature.params.size(); ++i) {
    code.Op(TirCode::kReadIo, 1);
    code.Push(kWordMax);  // crashes on what is no word
    code.Op(TirCode::kAnd);
  }
  code.Append(CallFunction(context_, entry_));
  const std::uint32_t results = Count(signature.results);
  if (results > 1) {  // turned round: the one on top is written first
    code.StoreMany(context_.layout.carry, results);
    for (std::uint32_t i = 0; i < results; ++i) code.Load(context_.layout.carry + i);
  }
  for (std::uint32_t i = 0; i < results; ++i) code.Op(TirCode::kWriteIo, 1);
  return code;
}

Result<Lowered> ModuleLowerer::Run() {
  TXVM_CHECK_OK(wat::CheckOwned(module()));
  TXVM_TRY(entry_, ChooseEntry(module(), options_.entry));
  TXVM_TRY(TableContents tables, PlaceElements(module()));
  before_ = FunctionsBefore(module(), entry_);
  std::vector<std::uint32_t> roots = before_;
  roots.push_back(entry_);
  TXVM_TRY(graph_, BuildCallGraph(module(), tables, std::move(roots)));
  TXVM_CHECK_OK(PlanMemory());
  TXVM_CHECK_OK(CheckData(context_));
  for (std::uint32_t i = 0; i < Count(module().functions); ++i) {
    context_.names.push_back(TirName(module(), i));
  }
  PlanClearing();
  PlaceCells();
  NameDispatchers(context_, graph_);
  Code main = Main();
  context_.functions.Define(std::string(kMain), std::move(main));
  LowerFunctions();
  WriteDispatchers(context_, tables);
  if (context_.operations > kMostOperations) {
    return isa::Fail(ErrorCode::kLimit,
                     fmt::format("the module needs more than {} TIR operations", kMostOperations));
  }
  TXVM_TRY(std::vector<TirOp> helpers, HelperFunctions(context_.layout, context_.helpers));
  context_.functions.Add(std::move(helpers));
  Lowered lowered;
  lowered.module.file = module().file;
  TirOp entry;
  entry.code = TirCode::kEntry;
  entry.name = kMain;
  lowered.module.ops = context_.functions.Take();
  lowered.module.ops.insert(lowered.module.ops.begin(), std::move(entry));
  const wat::Signature& signature = module().SignatureOf(module().functions[entry_]);
  lowered.params = Count(signature.params);
  lowered.results = Count(signature.results);
  lowered.layout = std::move(context_.layout);
  return lowered;
}

}  // namespace

std::optional<std::uint32_t> Context::ConstantGlobal(std::uint32_t index) const {
  const wat::Global& global = module.globals[index];
  if (global.is_mutable) return std::nullopt;
  return ValueOf(global.init);
}

std::uint32_t Context::ValueOf(const wat::ConstantExpr& expr) const {
  if (expr.kind == wat::ConstantExpr::Kind::kWord) return expr.value;
  if (expr.kind == wat::ConstantExpr::Kind::kGlobal) {
    return ValueOf(module.globals[expr.value].init);
  }
  return 0;  // of another type: no reachable code reads it
}

Result<Lowered> LowerModule(const wat::Module& module, const LowerOptions& options) {
  const wat::Module whole = UsesRoutines(module) ? WithRoutines(module) : wat::Module();
  auto lowered = ModuleLowerer(UsesRoutines(module) ? whole : module, options).Run();
  if (!lowered && lowered.error().place.file.empty()) lowered.error().place.file = module.file;
  return lowered;
}

}  // namespace txvm::frontends::provable
