#include "frontends/wasm/uncalled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace txvm::frontends::wat {
namespace {

/// Follows calls. INVARIANT: waiting_ holds the called functions whose bodies were not looked at.
class CallWalk {
 public:
  explicit CallWalk(const Module& module) : module_(module), called_(module.functions.size()) {
    for (const ElementSegment& segment : module.elements) {
      for (const std::uint32_t function : segment.functions) {
        if (function >= module.functions.size()) continue;  // null, or one that is not known
        elements_[{module.functions[function].signature, segment.table}].push_back(function);
      }
    }
  }

  std::vector<bool> Run() && {
    for (const Export& item : module_.exports) {
      if (item.kind == ExportKind::kFunction) Reach(item.index);
    }
    if (module_.start) Reach(*module_.start);
    while (!waiting_.empty()) {
      const std::uint32_t function = waiting_.back();
      waiting_.pop_back();
      for (const Instr& instr : module_.functions[function].body) Visit(instr);
    }
    return std::move(called_);
  }

 private:
  void Reach(std::uint32_t function) {
    if (called_[function]) return;
    called_[function] = true;
    waiting_.push_back(function);
  }

  void Visit(const Instr& instr) {
    if (instr.kind == InstrKind::kCall) return Reach(instr.a);
    const bool is_indirect =
        instr.kind == InstrKind::kCallIndirect || instr.kind == InstrKind::kFindIndirect;
    if (!is_indirect) return;
    const auto found = elements_.find({instr.a, instr.b});
    if (found == elements_.end()) return;
    for (const std::uint32_t function : std::exchange(found->second, {})) Reach(function);
  }

  const Module& module_;
  std::vector<bool> called_;  // (functions,)
  // (signature, table) -> elements that were not reached yet
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> elements_;
  std::vector<std::uint32_t> waiting_;
};

/// Gives every function the name that it has in the program.
void NameAll(Module& module) {
  for (const Export& item : module.exports) {
    if (item.kind != ExportKind::kFunction) continue;
    std::string& name = module.functions[item.index].name;
    if (name.empty()) name = item.name;
  }
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    std::string& name = module.functions[i].name;
    if (name.empty()) name = fmt::format("func{}", i);
  }
}

}  // namespace

void DropUncalled(Module& module) {
  std::vector<bool> stays = CallWalk(module).Run();
  for (std::size_t i = 0; i < stays.size(); ++i) {  // an import that is not called is still asked
    if (module.functions[i].import) stays[i] = true;
  }
  if (std::ranges::find(stays, false) == stays.end()) return;
  NameAll(module);
  std::vector<std::uint32_t> index_of(stays.size(), kNullFunction);
  std::vector<Function> functions;
  for (std::size_t i = 0; i < stays.size(); ++i) {
    if (!stays[i]) continue;
    index_of[i] = static_cast<std::uint32_t>(functions.size());
    functions.push_back(std::move(module.functions[i]));
  }
  module.functions = std::move(functions);
  for (Function& function : module.functions) {
    for (Instr& instr : function.body) {
      if (instr.kind == InstrKind::kCall) instr.a = index_of[instr.a];
    }
  }
  // An element that no call can reach is as good as one of another type: the call traps.
  for (ElementSegment& segment : module.elements) {
    for (std::uint32_t& function : segment.functions) {
      if (function >= index_of.size()) continue;
      function = index_of[function] == kNullFunction ? kUncalledFunction : index_of[function];
    }
  }
  for (Export& item : module.exports) {
    if (item.kind == ExportKind::kFunction) item.index = index_of[item.index];
  }
  if (module.start) module.start = index_of[*module.start];
}

}  // namespace txvm::frontends::wat
