#include "frontends/wasm/jumps.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/wasm/code_writer.h"
#include "frontends/wasm/zeros.h"
#include "isa/trap.h"

namespace txvm::frontends::wat {
namespace {

using isa::Opcode;

constexpr std::string_view kModule = "env";
constexpr std::string_view kThrow = "_emscripten_throw_longjmp";
constexpr std::string_view kInvoke = "invoke_";
constexpr std::string_view kNoSetjmp =
    "longjmp to a function that has returned, or without a setjmp";

bool IsThrow(const Module& module, const Function& function) {
  if (!function.import || function.import->module != kModule) return false;
  const Signature& signature = module.SignatureOf(function);
  return function.import->name == kThrow && signature.params.empty() && signature.results.empty();
}

bool IsInvoke(const Module& module, const Function& function) {
  if (!function.import || function.import->module != kModule) return false;
  const Signature& signature = module.SignatureOf(function);
  return function.import->name.starts_with(kInvoke) && !signature.params.empty() &&
         signature.params.front() == ValueType::kI32 && !module.tables.empty();
}

/// Lowers one module. Function indices are those of the module as it came, until Renumber.
class JumpLowerer {
 public:
  explicit JumpLowerer(Module& module) : module_(module) {}

  void Run() &&;

 private:
  using Edge = std::pair<std::uint32_t, std::uint32_t>;  // callee, caller

  void AddGlobals();
  std::uint32_t SignatureOf(Signature signature);
  std::vector<Edge> FindCalls() const;
  std::vector<bool> FindElements() const;
  void FindThrowers();
  bool MayThrow(const Instr& instr) const;
  Function Throw(const Function& import);
  Function Invoke(const Function& import);
  void ReturnZeros(const Function& function, std::uint32_t place, std::vector<Instr>& body) const;
  void CheckCalls(Function& function) const;
  void Renumber(const std::vector<std::uint32_t>& index_of);
  void DefineImports();

  Module& module_;
  std::vector<bool> may_throw_;         // (functions + signatures,): these for indirect calls
  std::uint32_t nothing_ = 0;           // the signature without values
  std::optional<std::uint32_t> stack_;  // the global of the stack pointer
  std::uint32_t is_thrown_ = 0;         // global: a throw goes on
  std::uint32_t is_caught_ = 0;         // global: an invocation goes on, which would end it
};

std::uint32_t JumpLowerer::SignatureOf(Signature signature) {
  const auto found = std::ranges::find(module_.signatures, signature);
  if (found != module_.signatures.end()) {
    return static_cast<std::uint32_t>(found - module_.signatures.begin());
  }
  module_.signatures.push_back(std::move(signature));
  return CountOf(module_.signatures) - 1;
}

void JumpLowerer::AddGlobals() {
  for (std::uint32_t i = 0; i < module_.globals.size() && !stack_; ++i) {
    const Global& global = module_.globals[i];
    if (global.is_mutable && global.type == ValueType::kI32 && !global.import) stack_ = i;
  }
  Global flag;
  flag.is_mutable = true;
  flag.init.kind = ConstantExpr::Kind::kWord;
  is_thrown_ = CountOf(module_.globals);
  is_caught_ = is_thrown_ + 1;
  module_.globals.insert(module_.globals.end(), 2, flag);
}

/// Of a tail call, its caller's caller sees the throw.
bool JumpLowerer::MayThrow(const Instr& instr) const {
  if (instr.kind == InstrKind::kCall) return may_throw_[instr.a];
  return instr.kind == InstrKind::kCallIndirect && may_throw_[module_.functions.size() + instr.a];
}

/// Who calls what, each pair once, by callee. What an indirect call calls is the function count
/// plus the index of its type.
std::vector<JumpLowerer::Edge> JumpLowerer::FindCalls() const {
  std::vector<Edge> calls;
  const std::uint32_t first_type = CountOf(module_.functions);
  if (module_.facts != nullptr) {
    for (const CallEdge& edge : module_.facts->calls) {
      calls.push_back({edge.is_indirect ? first_type + edge.callee : edge.callee, edge.caller});
    }
  }
  for (std::uint32_t i = 0; i < first_type; ++i) {
    for (const Instr& instr : module_.functions[i].body) {
      if (instr.kind == InstrKind::kCall || instr.kind == InstrKind::kReturnCall) {
        calls.push_back({instr.a, i});
      } else if (instr.kind == InstrKind::kCallIndirect ||
                 instr.kind == InstrKind::kReturnCallIndirect) {
        calls.push_back({first_type + instr.a, i});
      }
    }
  }
  std::ranges::sort(calls);
  const auto rest = std::ranges::unique(calls);
  calls.erase(rest.begin(), rest.end());
  return calls;
}

/// Which functions may be in a table.
std::vector<bool> JumpLowerer::FindElements() const {
  std::vector<bool> is_element(module_.functions.size());
  const auto list = [&is_element](std::uint32_t function) {
    if (function < is_element.size()) is_element[function] = true;  // else null or a global's
  };
  for (const ElementSegment& segment : module_.elements) {
    std::ranges::for_each(segment.functions, list);
  }
  for (const Global& global : module_.globals) {
    if (global.init.kind == ConstantExpr::Kind::kFunction) list(global.init.value);
  }
  const auto list_body = [&list](const std::vector<Instr>& body) {
    for (const Instr& instr : body) {
      if (instr.kind == InstrKind::kRefFunc) list(instr.a);
    }
  };
  for (const Function& function : module_.functions) list_body(function.body);
  if (module_.facts != nullptr) list_body(module_.facts->instrs);
  return is_element;
}

/// The functions that may return with a throw going on, and the types of those in tables.
void JumpLowerer::FindThrowers() {
  const std::vector<Edge> calls = FindCalls();
  const std::vector<bool> is_element = FindElements();
  const std::uint32_t first_type = CountOf(module_.functions);
  may_throw_.assign(first_type + module_.signatures.size(), false);
  std::vector<std::uint32_t> open;
  const auto add = [&](std::uint32_t thrower) {
    if (may_throw_[thrower]) return;
    may_throw_[thrower] = true;
    open.push_back(thrower);
  };
  for (std::uint32_t i = 0; i < first_type; ++i) {
    if (IsThrow(module_, module_.functions[i])) add(i);
  }
  while (!open.empty()) {
    const std::uint32_t thrower = open.back();
    open.pop_back();
    if (thrower < first_type && is_element[thrower]) {
      add(first_type + module_.functions[thrower].signature);
    }
    for (const Edge& call : std::ranges::equal_range(calls, thrower, {}, &Edge::first)) {
      add(call.second);
    }
  }
}

Function JumpLowerer::Throw(const Function& import) {
  CodeWriter code;
  code.GetGlobal(is_caught_);
  code.Op(Opcode::kEqz);
  code.Add(InstrKind::kIf, nothing_);
  module_.trap_notes.emplace_back(kNoSetjmp);
  code.Add(InstrKind::kTrap, static_cast<std::uint32_t>(isa::Trap::kUnreachable),
           CountOf(module_.trap_notes));
  code.End();
  code.Const(1);
  code.SetGlobal(is_thrown_);
  return std::move(code).Finish(import.import->name, import.signature);
}

Function JumpLowerer::Invoke(const Function& import) {
  const Signature& signature = module_.SignatureOf(import);
  const std::uint32_t params = CountOf(signature.params);
  const std::uint32_t callee =
      SignatureOf({{signature.params.begin() + 1, signature.params.end()}, signature.results});
  CodeWriter code;
  const std::uint32_t was_caught = code.NewLocal(params), stack = code.NewLocal(params);
  code.GetGlobal(is_caught_);
  code.Set(was_caught);
  code.Const(1);
  code.SetGlobal(is_caught_);
  if (stack_) {
    code.GetGlobal(*stack_);
    code.Set(stack);
  }
  for (std::uint32_t i = 1; i < params; ++i) code.Get(i);
  code.Get(0);
  code.Add(InstrKind::kCallIndirect, callee, 0);
  code.Get(was_caught);
  code.SetGlobal(is_caught_);
  code.GetGlobal(is_thrown_);
  code.Add(InstrKind::kIf, nothing_);
  code.Const(0);
  code.SetGlobal(is_thrown_);
  if (stack_) {
    code.Get(stack);
    code.SetGlobal(*stack_);
  }
  code.End();
  return std::move(code).Finish(import.import->name, import.signature);
}

/// Zeros of the function's results and a return.
void JumpLowerer::ReturnZeros(const Function& function, std::uint32_t place,
                              std::vector<Instr>& body) const {
  AppendZeros(module_.SignatureOf(function).results, place, body);
  body.push_back({InstrKind::kReturn, Opcode::kNop, 0, 0, place});
}

void JumpLowerer::CheckCalls(Function& function) const {
  const auto may_throw = [this](const Instr& instr) { return MayThrow(instr); };
  if (std::ranges::none_of(function.body, may_throw)) return;
  std::vector<Instr> body;
  for (const Instr& instr : function.body) {
    body.push_back(instr);
    if (!MayThrow(instr)) continue;
    body.push_back({InstrKind::kGlobalGet, Opcode::kNop, is_thrown_, 0, instr.place});
    body.push_back({InstrKind::kIf, Opcode::kNop, nothing_, 0, instr.place});
    ReturnZeros(function, instr.place, body);
    body.push_back({InstrKind::kEnd, Opcode::kNop, 0, 0, instr.place});
  }
  function.body = std::move(body);
}

void JumpLowerer::Renumber(const std::vector<std::uint32_t>& index_of) {
  const auto move = [&index_of](std::uint32_t& function) {
    if (function < index_of.size()) function = index_of[function];  // else null or a global's
  };
  const auto move_init = [&move](ConstantExpr& init) {
    if (init.kind == ConstantExpr::Kind::kFunction) move(init.value);
  };
  for (Function& function : module_.functions) {
    for (Instr& instr : function.body) {
      if (instr.kind == InstrKind::kCall || instr.kind == InstrKind::kReturnCall ||
          instr.kind == InstrKind::kRefFunc) {
        move(instr.a);
      }
    }
  }
  if (module_.facts != nullptr) {
    BodyFacts facts = *module_.facts;
    for (Instr& instr : facts.instrs) {
      if (instr.kind == InstrKind::kRefFunc) move(instr.a);
    }
    module_.facts = std::make_shared<const BodyFacts>(std::move(facts));
  }
  for (ElementSegment& segment : module_.elements) std::ranges::for_each(segment.functions, move);
  for (Global& global : module_.globals) move_init(global.init);
  for (Export& item : module_.exports) {
    if (item.kind == ExportKind::kFunction) move(item.index);
  }
  if (module_.start) move(*module_.start);
}

/// Imports come first in a module: those that get a body move to its end.
void JumpLowerer::DefineImports() {
  std::vector<Function> kept, defined;
  std::vector<std::uint32_t> index_of(module_.functions.size());
  std::vector<std::uint32_t> moved;
  for (std::uint32_t i = 0; i < module_.functions.size(); ++i) {
    Function& function = module_.functions[i];
    const bool is_throw = IsThrow(module_, function);
    if (is_throw || IsInvoke(module_, function)) {
      moved.push_back(i);
      defined.push_back(is_throw ? Throw(function) : Invoke(function));
      defined.back().id = function.id;
    } else {
      index_of[i] = CountOf(kept);
      kept.push_back(std::move(function));
    }
  }
  auto next = defined.begin();
  for (const std::uint32_t i : moved) {
    index_of[i] = CountOf(kept);
    kept.push_back(std::move(*next++));
  }
  module_.functions = std::move(kept);
  Renumber(index_of);
}

void JumpLowerer::Run() && {
  AddGlobals();
  nothing_ = SignatureOf({});
  FindThrowers();
  for (Function& function : module_.functions) CheckCalls(function);
  DefineImports();
}

}  // namespace

bool MayThrowJumps(const Module& module) {
  const auto throws = [&module](const Function& function) { return IsThrow(module, function); };
  return std::ranges::any_of(module.functions, throws);
}

Module LowerJumps(Module module) {
  if (MayThrowJumps(module)) JumpLowerer(module).Run();
  return module;
}

}  // namespace txvm::frontends::wat
