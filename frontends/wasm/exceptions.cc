#include "frontends/wasm/exceptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "frontends/wasm/code_writer.h"
#include "frontends/wasm/exception_body.h"
#include "frontends/wasm/exception_calls.h"
#include "frontends/wasm/exception_values.h"
#include "isa/trap.h"

namespace txvm::frontends::wat {
namespace {

using isa::Result;

/// The function that is called from outside instead of another: it begins without an exception, and
/// ends as a trap where one comes out.
Function Boundary(const Module& module, std::uint32_t callee, bool may_throw,
                  std::uint32_t nothing) {
  const Function& function = module.functions[callee];
  const ExceptionCells& cells = *module.exceptions;
  CodeWriter code;
  code.Const(0);
  code.SetGlobal(cells.pending);
  for (std::uint32_t i = 0; i < module.SignatureOf(function).params.size(); ++i) code.Get(i);
  code.Call(callee);
  if (may_throw) {
    code.GetGlobal(cells.pending);
    code.Add(InstrKind::kIf, nothing);
    code.GetGlobal(cells.pending);
    code.SetGlobal(cells.uncaught);
    code.Const(0);
    code.SetGlobal(cells.pending);
    code.Add(InstrKind::kTrap, static_cast<std::uint32_t>(isa::Trap::kUncaughtException));
    code.End();
  }
  return std::move(code).Finish(function.name, function.signature);
}

void AddBoundaries(const Throwers& throwers, std::uint32_t nothing, Module& module) {
  std::vector<std::uint32_t> boundary(throwers.functions.size());  // 0: none yet
  const auto redirect = [&](std::uint32_t& function) {
    if (!throwers.touched[function]) return;
    if (boundary[function] == 0) {
      boundary[function] = CountOf(module.functions);
      module.functions.push_back(Boundary(module, function, throwers.functions[function], nothing));
    }
    function = boundary[function];
  };
  for (Export& item : module.exports) {
    if (item.kind == ExportKind::kFunction) redirect(item.index);
  }
  if (module.start) redirect(*module.start);
}

}  // namespace

bool UsesExceptions(const Module& module) {
  if (!module.tags.empty()) return true;
  const auto has_exn = [](const std::vector<ValueType>& types) {
    return std::ranges::find(types, ValueType::kExnRef) != types.end();
  };
  const auto of_exceptions = [](const Instr& instr) {
    return instr.kind >= InstrKind::kTry && instr.kind <= InstrKind::kExnIsNull;
  };
  return std::ranges::any_of(module.signatures,
                             [&](const Signature& signature) {
                               return has_exn(signature.params) || has_exn(signature.results);
                             }) ||
         std::ranges::any_of(module.globals,
                             [](const Global& item) { return item.type == ValueType::kExnRef; }) ||
         std::ranges::any_of(module.tables,
                             [](const Table& item) { return item.type == ValueType::kExnRef; }) ||
         std::ranges::any_of(module.functions, [&](const Function& function) {
           return has_exn(function.locals) || std::ranges::any_of(function.body, of_exceptions);
         });
}

Result<Module> LowerExceptions(Module module) {
  if (!UsesExceptions(module)) return module;
  std::uint64_t tag_values = 0;
  for (const Tag& tag : module.tags) tag_values += module.signatures[tag.signature].params.size();
  if (tag_values > kMaxTagValues) {
    return isa::Fail(isa::ErrorCode::kLimit, fmt::format("the tags have {} values; the limit is {}",
                                                         tag_values, kMaxTagValues));
  }
  const Throwers throwers = FindThrowers(module);
  const std::uint32_t own = CountOf(module.functions);
  ExceptionValues values(module);
  module.exceptions->imports_throw = throwers.imports_throw;
  std::size_t most = kMaxHandlerCode;
  for (const Function& function : module.functions)
    most += kMaxCodeForThrower * function.body.size();
  std::size_t room = most;
  for (std::uint32_t i = 0; i < own; ++i) {
    if (module.functions[i].import || !NeedsExceptionBody(module.functions[i], throwers)) continue;
    Function function = std::move(module.functions[i]);  // others are appended meanwhile
    if (!LowerExceptionBody(function, throwers, values, module, room)) {
      return isa::Fail(
          isa::ErrorCode::kLimit,
          fmt::format("the handlers of exceptions up to function {} need more than {} instructions",
                      i, most));
    }
    room -= std::min<std::size_t>(room, function.body.size());
    module.functions[i] = std::move(function);
  }
  AddBoundaries(throwers, values.SignatureOf({}), module);
  module.tags.clear();
  std::erase_if(module.exports, [](const Export& item) { return item.kind == ExportKind::kTag; });
  return module;
}

}  // namespace txvm::frontends::wat
