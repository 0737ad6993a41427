#include "frontends/wasm/helper_table.h"

#include <algorithm>
#include <utility>

#include "frontends/wasm/helper_modules.h"
#include "frontends/wasm/reader.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {
namespace {

Module ReadLibrary(std::string_view name) {
  isa::Result<Module> library = wasm::ReadModule(HelperModule(name), name);
  TXVM_ASSERT(library);
  return *std::move(library);
}

}  // namespace

HelperTable::HelperTable(std::string_view library, std::uint32_t first)
    : library_(ReadLibrary(library)), first_(first) {}

std::uint32_t HelperTable::IndexOf(std::string_view name) {
  const auto found = std::ranges::find(library_.functions, name, &Function::name);
  TXVM_ASSERT(found != library_.functions.end());
  return Use(static_cast<std::uint32_t>(found - library_.functions.begin()));
}

std::vector<Function> HelperTable::Take(std::vector<Signature>& signatures) {
  const auto first_signature = static_cast<std::uint32_t>(signatures.size());
  std::vector<Function> functions;
  for (std::size_t i = 0; i < order_.size(); ++i) {  // Use appends to order_
    Function function = library_.functions[order_[i]];
    function.signature += first_signature;
    function.place = 0;
    for (Instr& instr : function.body) {
      instr.place = 0;
      if (instr.kind == InstrKind::kCall) instr.a = Use(instr.a);
      const bool opens = instr.kind == InstrKind::kBlock || instr.kind == InstrKind::kLoop ||
                         instr.kind == InstrKind::kIf;
      if (opens) instr.a += first_signature;
    }
    functions.push_back(std::move(function));
  }
  if (!functions.empty()) {
    signatures.insert(signatures.end(), library_.signatures.begin(), library_.signatures.end());
  }
  return functions;
}

std::uint32_t HelperTable::Use(std::uint32_t index) {
  const auto next = static_cast<std::uint32_t>(first_ + order_.size());
  const auto [found, is_new] = used_.try_emplace(index, next);
  if (is_new) order_.push_back(index);
  return found->second;
}

}  // namespace txvm::frontends::wat
