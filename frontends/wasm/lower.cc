#include "frontends/wasm/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "asm/peephole.h"
#include "asm/program_builder.h"
#include "asm/routines/routines.h"
#include "asm/structured.h"
#include "frontends/wasm/dispatcher.h"
#include "frontends/wasm/float.h"
#include "frontends/wasm/reference_types.h"
#include "frontends/wasm/vector_code.h"
#include "frontends/wasm/wide.h"
#include "isa/growth.h"
#include "isa/limits.h"
#include "isa/verify.h"
#include "vm/host.h"

namespace txvm::frontends::wat {
namespace {

using assembler::BlockKind;
using assembler::FunctionBuilder;
using assembler::FunctionCode;
using assembler::FunctionSpec;
using isa::ErrorCode;
using isa::Opcode;
using isa::Result;

constexpr std::uint32_t kMaxFilledElements = 1u << 20;  // of a table with an initialiser
constexpr std::uint32_t kNoImport = 0xFFFFFFFF;

std::uint32_t Count(const auto& container) { return static_cast<std::uint32_t>(container.size()); }

/// How many instructions a module may become.
std::uint32_t MaxCode(const Module& module) {
  std::uint64_t count = 0;
  for (const Function& function : module.functions) count += function.body.size();
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(count * kMaxCodeForInstr, kMaxCode, isa::kMaxInstructions));
}

/// Lowers one module. Builder indices: the module's own functions in order, then the functions made
/// for it (dispatchers, routines, and wrappers of imports that are exported or start).
class Lowerer {
 public:
  Lowerer(const Module& module, bool optimize)
      : module_(module), optimize_(optimize), max_code_(MaxCode(module)) {}

  Result<isa::Program> Run() &&;

 private:
  /// A function made for the module.
  struct Extra {
    enum class Kind : std::uint8_t {
      kDispatcher,  // a = signature, b = table
      kWrapper,     // a = import
      kRoutine,     // a = assembler::RoutineId
      kFinder,      // a = signature, b = table
    };
    Kind kind = Kind::kDispatcher;
    std::uint32_t a = 0, b = 0;
    friend auto operator<=>(const Extra&, const Extra&) = default;
  };

  void ListImports();
  void ListNames();
  void ListGrowImports();
  std::uint32_t GrowImport(const Signature& signature);
  FunctionCode GrowStub(std::uint32_t index);
  std::uint32_t Builtin(std::string_view name, std::uint32_t params, std::uint32_t results);
  std::uint32_t ValueOf(const ConstantExpr& expr) const;

  void Globals();
  Result<void> MemoryAndData();
  Result<void> Tables();
  Result<void> PlaceElements(const ElementSegment& segment, std::size_t number);
  Result<void> Bodies();
  Result<void> Extras();
  void ExportsAndStart();
  void Exceptions();

  std::uint32_t IndexOf(const Extra& extra);
  std::uint32_t Entry(std::uint32_t function);
  isa::FunctionTypes TypesOf(const Function& function) const;
  FunctionSpec SpecOf(const Function& function) const;
  Result<void> Add(Result<FunctionCode> code);

  Result<FunctionCode> Body(std::uint32_t index);
  Result<FunctionCode> Stub(std::uint32_t index, const std::string& missing);
  std::string NumberName(const Function& function, const Instr& instr) const;
  std::optional<std::string> Missing(const Function& function, const Instr& instr) const;
  std::string AtPlace(std::string_view what, const Function& function, const Instr& instr) const;
  void Emit(FunctionBuilder& code, const Function& function, const Instr& instr);
  void EmitBlock(FunctionBuilder& code, BlockKind kind, const Instr& instr) const;
  void EmitCall(FunctionBuilder& code, std::uint32_t function) const;
  void EmitIndirect(FunctionBuilder& code, const Instr& instr);
  void EmitRoutine(FunctionBuilder& code, std::uint32_t id);
  void EmitBranchTable(FunctionBuilder& code, const Function& function, const Instr& instr) const;

  Result<FunctionCode> Dispatcher(std::uint32_t signature, std::uint32_t table);
  Result<FunctionCode> Finder(std::uint32_t signature, std::uint32_t table);
  Result<FunctionCode> Wrapper(std::uint32_t function);
  Result<FunctionCode> CodeOf(const Extra& extra);

  const Module& module_;
  bool optimize_;
  std::uint32_t max_code_;  // instructions
  assembler::ProgramBuilder builder_;
  std::vector<std::string> names_;        // (functions,)
  std::uint32_t imported_ = 0;            // functions
  std::uint32_t emitted_ = 0;             // instructions so far
  std::vector<std::uint32_t> import_of_;  // (imported_,) index in Program::imports, or kNoImport
  std::map<std::string, std::uint32_t, std::less<>> builtins_;
  std::vector<std::map<std::uint32_t, std::uint32_t>> elements_;  // (tables,) index -> function
  std::vector<DispatchTable> dispatch_;                           // (tables,) of elements_
  std::map<Extra, std::uint32_t> extra_index_;
  std::vector<Extra> extras_;
};

void Lowerer::ListImports() {
  isa::Program& program = builder_.program();
  for (const Function& function : module_.functions) {
    if (!function.import) break;
    ++imported_;
    const Signature& signature = module_.SignatureOf(function);
    if (!IsI32Only(signature)) {
      import_of_.push_back(kNoImport);  // calling it is an unsupported instruction
      continue;
    }
    import_of_.push_back(Count(program.imports));
    isa::FunctionTypes types = TypesOf(function);
    program.imports.push_back({function.import->module, function.import->name,
                               Count(signature.params), Count(signature.results),
                               std::move(types.params), std::move(types.results)});
  }
  if (module_.facts != nullptr) ListGrowImports();
}

/// The imports that a program with stubs may need at any time, always in the same order.
void Lowerer::ListGrowImports() {
  Builtin(vm::kMemorySize, 0, 1);
  Builtin(vm::kMemoryGrow, 1, 1);
  for (const Function& function : module_.functions) {
    if (function.on_demand) GrowImport(module_.SignatureOf(function));
  }
}

std::uint32_t Lowerer::GrowImport(const Signature& signature) {
  const std::uint32_t params = Count(signature.params), results = Count(signature.results);
  return Builtin(fmt::format("{}{}.{}", isa::kGrowImports, params, results), params, results);
}

std::uint32_t Lowerer::Builtin(std::string_view name, std::uint32_t params, std::uint32_t results) {
  isa::Program& program = builder_.program();
  const auto [found, is_new] = builtins_.try_emplace(std::string(name), Count(program.imports));
  if (is_new) {
    program.imports.push_back(
        {std::string(vm::kBuiltinModule), std::string(name), params, results, {}, {}});
  }
  return found->second;
}

std::uint32_t Lowerer::ValueOf(const ConstantExpr& expr) const {
  if (expr.kind == ConstantExpr::Kind::kWord) return expr.value;
  if (expr.kind != ConstantExpr::Kind::kGlobal) return 0;  // never read: no word
  return ValueOf(module_.globals[expr.value].init);        // of an import: a constant put in
}

void Lowerer::Globals() {
  for (const Global& global : module_.globals) {
    builder_.program().globals.push_back(ValueOf(global.init));
  }
}

Result<void> Lowerer::MemoryAndData() {
  if (module_.memories.size() > 1) {
    return isa::Fail(ErrorCode::kUnsupported,
                     fmt::format("the module has {} memories; a program has at most 1",
                                 module_.memories.size()));
  }
  isa::Program& program = builder_.program();
  if (!module_.memories.empty()) {
    const Extent& extent = module_.memories.front().extent;
    program.memory = {static_cast<std::uint32_t>(extent.initial),
                      static_cast<std::uint32_t>(extent.maximum.value_or(isa::kMaxPages))};
  }
  for (const DataSegment& segment : module_.data) {
    if (segment.mode != SegmentMode::kActive) continue;
    program.data.push_back({ValueOf(segment.offset), segment.bytes});
  }
  return {};
}

Result<void> Lowerer::PlaceElements(const ElementSegment& segment, std::size_t number) {
  const std::uint32_t offset = ValueOf(segment.offset);
  const std::uint64_t size = module_.tables[segment.table].extent.initial;
  if (offset + segment.functions.size() > size) {
    return isa::Fail(ErrorCode::kInvalid,
                     fmt::format("out of bounds table access: element segment {} needs {} "
                                 "elements, table {} has {}",
                                 number, offset + segment.functions.size(), segment.table, size));
  }
  for (std::size_t i = 0; i < segment.functions.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(offset + i);
    if (segment.functions[i] == kNullFunction) {
      elements_[segment.table].erase(index);
    } else {
      elements_[segment.table][index] = segment.functions[i];
    }
  }
  return {};
}

Result<void> Lowerer::Tables() {
  elements_.resize(module_.tables.size());
  for (std::size_t i = 0; i < module_.tables.size(); ++i) {
    const Table& table = module_.tables[i];
    if (table.initial_element >= module_.functions.size()) continue;
    const std::uint64_t size = std::min<std::uint64_t>(table.extent.initial, kMaxFilledElements);
    for (std::uint32_t k = 0; k < size; ++k) {
      elements_[i].emplace_hint(elements_[i].end(), k, table.initial_element);
    }
    if (size < table.extent.initial) {
      return isa::Fail(ErrorCode::kLimit,
                       fmt::format("table {} is filled with {} elements; the limit is {}", i,
                                   table.extent.initial, kMaxFilledElements));
    }
  }
  for (std::size_t i = 0; i < module_.elements.size(); ++i) {
    if (module_.elements[i].mode != SegmentMode::kActive) continue;
    TXVM_CHECK_OK(PlaceElements(module_.elements[i], i));
  }
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    dispatch_.emplace_back(module_, elements_[i], module_.tables[i].extent.initial);
  }
  return {};
}

/// A function's own name, else the first name it is exported by, else its number.
void Lowerer::ListNames() {
  for (const Function& function : module_.functions) names_.push_back(function.name);
  for (const Export& item : module_.exports) {
    if (item.kind == ExportKind::kFunction && names_[item.index].empty()) {
      names_[item.index] = item.name;
    }
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i].empty()) names_[i] = fmt::format("func{}", i);
  }
}

/// What a program calls a type: of references it knows funcref and externref.
std::string_view NullableText(ValueType type) {
  if (!IsReference(type)) return ValueTypeText(type);
  return ValueTypeText(IsFunctionHeap(HeapOf(type)) ? ValueType::kFuncRef : ValueType::kExternRef);
}

/// The types of a function's values as the module wrote them; those of its locals without what was
/// added to them. Empty where their words are not the function's: a type was not lowered.
isa::FunctionTypes Lowerer::TypesOf(const Function& function) const {
  const bool is_source = function.signature < module_.source_signatures.size();
  const Signature& source =
      is_source ? module_.source_signatures[function.signature] : module_.SignatureOf(function);
  const auto append = [](std::vector<isa::ValueType>& to, const std::vector<ValueType>& types) {
    for (const ValueType type : types) {
      const std::optional<isa::ValueType> known = isa::FindType(NullableText(type));
      if (!known) return false;
      to.push_back(*known);
    }
    return true;
  };
  isa::FunctionTypes types;
  const Signature& words = module_.SignatureOf(function);
  const bool known = append(types.params, source.params) && append(types.results, source.results);
  if (!known || isa::WordsOf(types.params) != words.params.size() ||
      isa::WordsOf(types.results) != words.results.size()) {
    return {};
  }
  types.locals = types.params;
  const bool is_changed = !function.source_locals.empty();
  if (!append(types.locals, is_changed ? function.source_locals : function.locals) ||
      isa::WordsOf(types.locals) > words.params.size() + function.locals.size()) {
    types.locals.clear();
  }
  return types;
}

FunctionSpec Lowerer::SpecOf(const Function& function) const {
  const Signature& signature = module_.SignatureOf(function);
  FunctionSpec spec;
  spec.params = Count(signature.params);
  spec.results = Count(signature.results);
  spec.max_instructions = max_code_ - emitted_;
  spec.types = TypesOf(function);
  spec.types.locals.clear();  // a body's alone
  return spec;
}

/// INVARIANT: emitted_ <= max_code_. What Finish adds to a body is not in max_instructions.
Result<void> Lowerer::Add(Result<FunctionCode> code) {
  if (!code && code.error().code != ErrorCode::kLimit) {
    return std::unexpected(std::move(code).error());
  }
  if (!code || code->code.size() > max_code_ - emitted_) {
    return isa::Fail(ErrorCode::kLimit,
                     fmt::format("the module needs more than {} instructions", max_code_));
  }
  emitted_ += Count(code->code);
  builder_.AddFunction(*std::move(code));
  return {};
}

std::uint32_t Lowerer::IndexOf(const Extra& extra) {
  const std::uint32_t next = Count(module_.functions) - imported_ + Count(extras_);
  const auto [found, is_new] = extra_index_.try_emplace(extra, next);
  if (is_new) extras_.push_back(extra);
  return found->second;
}

/// The builder's index of a function that is called from outside.
std::uint32_t Lowerer::Entry(std::uint32_t function) {
  if (function >= imported_) return function - imported_;
  return IndexOf({.kind = Extra::Kind::kWrapper, .a = function});
}

Result<void> Lowerer::Bodies() {
  for (std::uint32_t i = imported_; i < module_.functions.size(); ++i) {
    if (module_.functions[i].IsStub()) {
      TXVM_CHECK_OK(Add(GrowStub(i)));
    } else {
      TXVM_CHECK_OK(Add(Body(i)));
    }
  }
  return {};
}

Result<void> Lowerer::Extras() {
  for (std::size_t i = 0; i < extras_.size(); ++i) {  // grows while it is walked
    const Extra extra = extras_[i];
    TXVM_CHECK_OK(Add(CodeOf(extra)));
  }
  const auto is_function = [](const Export& item) { return item.kind == ExportKind::kFunction; };
  if (std::ranges::any_of(module_.exports, is_function)) return {};
  builder_.SetEntry(builder_.function_count());
  FunctionBuilder nothing({.name = "empty"});  // what a module that exports no function runs
  nothing.Emit(Opcode::kHalt);
  nothing.End();
  return Add(std::move(nothing).Finish());
}

void Lowerer::ExportsAndStart() {
  for (const Export& item : module_.exports) {
    if (item.kind == ExportKind::kFunction) builder_.Export(item.name, Entry(item.index));
  }
  if (module_.start) builder_.SetInit(Entry(*module_.start));
}

/// A tag whose values are references, or no words yet, has words.
void Lowerer::Exceptions() {
  if (!module_.exceptions) return;
  const ExceptionCells& cells = *module_.exceptions;
  const bool are_words = !module_.source_signatures.empty();
  isa::ExceptionSpec spec{cells.pending, cells.uncaught, cells.imports_throw, {}};
  for (std::size_t i = 0; i < cells.tag_names.size(); ++i) {
    isa::ExceptionTag tag{cells.tag_names[i], {}, cells.values[i]};
    for (const ValueType type : cells.tag_types[i].params) {
      const auto known = isa::FindType(ValueTypeText(type));
      tag.types.push_back(known && are_words ? *known : isa::ValueType::kI32);
    }
    spec.tags.push_back(std::move(tag));
  }
  builder_.program().exceptions = std::move(spec);
}

Result<isa::Program> Lowerer::Run() && {
  TXVM_CHECK_OK(CheckOwned(module_));
  builder_.program().source = module_.file;
  ListImports();
  ListNames();
  Globals();
  TXVM_CHECK_OK(MemoryAndData());
  TXVM_CHECK_OK(Tables());
  TXVM_CHECK_OK(Bodies());
  ExportsAndStart();
  Exceptions();
  TXVM_CHECK_OK(Extras());
  return std::move(builder_).Finish();
}

Result<FunctionCode> Lowerer::Dispatcher(std::uint32_t signature, std::uint32_t table) {
  FunctionSpec spec;
  spec.name = fmt::format("call_indirect(type {}, table {})", signature, table);
  spec.params = Count(module_.signatures[signature].params);
  spec.results = Count(module_.signatures[signature].results);
  spec.max_instructions = max_code_ - emitted_;
  return MakeDispatcher(
      std::move(spec), dispatch_[table].Ranges(signature),
      [this](FunctionBuilder& code, std::uint32_t function) { EmitCall(code, function); });
}

Result<FunctionCode> Lowerer::Finder(std::uint32_t signature, std::uint32_t table) {
  FunctionSpec spec;
  spec.name = fmt::format("find_indirect(type {}, table {})", signature, table);
  spec.results = 1;
  spec.max_instructions = max_code_ - emitted_;
  return MakeDispatcher(std::move(spec), dispatch_[table].Ranges(signature),
                        [this](FunctionBuilder& code, std::uint32_t function) {
                          code.Emit(Opcode::kPush, module_.functions[function].tail_case);
                        });
}

Result<FunctionCode> Lowerer::Wrapper(std::uint32_t function) {
  FunctionSpec spec = SpecOf(module_.functions[function]);
  spec.name = names_[function];
  FunctionBuilder code(std::move(spec));
  EmitCall(code, function);
  code.End();
  return std::move(code).Finish();
}

FunctionCode RoutineFunction(assembler::RoutineId id) {
  const assembler::Routine routine = assembler::CodeOf(id);
  FunctionCode function;
  function.name = routine.info.name;
  function.params = routine.info.cells_in;
  function.results = routine.info.cells_out;
  function.locals = routine.locals;
  function.code.assign(routine.code.begin(), routine.code.end());
  return function;
}

Result<FunctionCode> Lowerer::CodeOf(const Extra& extra) {
  switch (extra.kind) {
    case Extra::Kind::kDispatcher:
      return Dispatcher(extra.a, extra.b);
    case Extra::Kind::kFinder:
      return Finder(extra.a, extra.b);
    case Extra::Kind::kWrapper:
      return Wrapper(extra.a);
    case Extra::Kind::kRoutine:
      break;
  }
  return RoutineFunction(static_cast<assembler::RoutineId>(extra.a));
}

/// The name of an instruction that needs an i64, a float or a vector; empty when it needs none.
std::string Lowerer::NumberName(const Function& function, const Instr& instr) const {
  switch (instr.kind) {
    case InstrKind::kWideConst:
      return "i64.const";
    case InstrKind::kF32Const:
      return "f32.const";
    case InstrKind::kF64Const:
      return "f64.const";
    case InstrKind::kWide:
      return std::string(kWideOps[instr.b].text);
    case InstrKind::kFloat:
      return std::string(kFloatOps[instr.b].text);
    case InstrKind::kV128Const:
      return "v128.const";
    case InstrKind::kShuffle:
      return "i8x16.shuffle";
    case InstrKind::kRegroup:
      return "a reference to an exception";
    case InstrKind::kVector:
      return std::string(wasm::InfoOf(VectorOpOf(instr)).text);
    case InstrKind::kLocal: {
      const ValueType type = module_.TypeOfLocal(function, instr.a);
      if (type == ValueType::kI32) return {};
      const char* verb = instr.op == Opcode::kLocalGet   ? "get"
                         : instr.op == Opcode::kLocalSet ? "set"
                                                         : "tee";
      return fmt::format("local.{} of type {}", verb, ValueTypeText(type));
    }
    case InstrKind::kGlobalGet:
    case InstrKind::kGlobalSet: {
      const ValueType type = module_.globals[instr.a].type;
      if (type == ValueType::kI32) return {};
      return fmt::format("global.{} of type {}",
                         instr.kind == InstrKind::kGlobalGet ? "get" : "set", ValueTypeText(type));
    }
    default:
      return {};
  }
}

/// What a reachable instruction lacks; nullopt when it can be lowered.
std::optional<std::string> Lowerer::Missing(const Function& function, const Instr& instr) const {
  if (instr.kind == InstrKind::kUnsupported) {
    return AtPlace(module_.unsupported[instr.a], function, instr);
  }
  if (instr.kind == InstrKind::kCall && instr.a < imported_ && import_of_[instr.a] == kNoImport) {
    const std::string name = ShownName(*module_.functions[instr.a].import);
    return AtPlace(fmt::format("call of {}, whose type is not i32 only,", name), function, instr);
  }
  const std::string number = NumberName(function, instr);
  if (number.empty()) return std::nullopt;
  return AtPlace(number, function, instr);
}

std::string Lowerer::AtPlace(std::string_view what, const Function& function,
                             const Instr& instr) const {
  const std::uint32_t place = instr.place != 0 ? instr.place : function.place;
  if (module_.is_text) return fmt::format("{} at {}:{}", what, module_.file, place);
  return fmt::format("{} at byte {} of {}", what, place,
                     module_.bytes_of.empty() ? module_.file : module_.bytes_of);
}

Result<FunctionCode> Lowerer::Stub(std::uint32_t index, const std::string& missing) {
  FunctionSpec spec = SpecOf(module_.functions[index]);
  spec.name = names_[index];
  FunctionBuilder code(std::move(spec));
  if (module_.is_text) code.SetLine(module_.functions[index].place);
  code.Trap(isa::Trap::kUnsupported, missing);
  code.End();
  return std::move(code).Finish();
}

/// What stands for a function until it is called (isa/growth.h).
FunctionCode Lowerer::GrowStub(std::uint32_t index) {
  const Function& function = module_.functions[index];
  const Signature& signature = module_.SignatureOf(function);
  FunctionCode code;
  code.name = names_[index];
  code.params = Count(signature.params);
  code.results = Count(signature.results);
  code.types = TypesOf(function);
  code.types.locals.clear();
  code.code = {isa::Instruction(Opcode::kCall, GrowImport(signature) | isa::kHostCallBit),
               isa::Instruction(Opcode::kReturn)};
  return code;
}

Result<FunctionCode> Lowerer::Body(std::uint32_t index) {
  const Function& function = module_.functions[index];
  FunctionSpec spec = SpecOf(function);
  spec.name = names_[index];
  spec.locals = spec.params + Count(function.locals);
  spec.types.locals = TypesOf(function).locals;
  spec.prologue = true;
  FunctionBuilder code(std::move(spec));
  for (const Instr& instr : function.body) {
    if (code.reachable()) {
      if (const auto missing = Missing(function, instr)) return Stub(index, *missing);
    }
    if (module_.is_text) code.SetLine(instr.place);
    Emit(code, function, instr);
    if (code.error()) break;
  }
  return std::move(code).Finish();
}

void Lowerer::EmitBlock(FunctionBuilder& code, BlockKind kind, const Instr& instr) const {
  const Signature& signature = module_.signatures[instr.a];
  code.BeginBlock(kind, Count(signature.params), Count(signature.results));
}

void Lowerer::EmitCall(FunctionBuilder& code, std::uint32_t function) const {
  const Signature& signature = module_.SignatureOf(module_.functions[function]);
  const std::uint32_t params = Count(signature.params), results = Count(signature.results);
  if (function >= imported_) return code.Call(function - imported_, params, results);
  if (import_of_[function] != kNoImport) {
    return code.CallImport(import_of_[function], params, results);
  }
  const std::string name = ShownName(*module_.functions[function].import);
  code.Trap(isa::Trap::kUnsupported, fmt::format("call of {}, whose type is not i32 only", name));
}

void Lowerer::EmitIndirect(FunctionBuilder& code, const Instr& instr) {
  const Signature& signature = module_.signatures[instr.a];
  const Extra dispatcher{.kind = Extra::Kind::kDispatcher, .a = instr.a, .b = instr.b};
  code.Call(IndexOf(dispatcher), Count(signature.params) + 1, Count(signature.results));
}

void Lowerer::EmitRoutine(FunctionBuilder& code, std::uint32_t id) {
  const assembler::RoutineInfo& info = assembler::Info(static_cast<assembler::RoutineId>(id));
  code.Call(IndexOf({.kind = Extra::Kind::kRoutine, .a = id}), info.cells_in, info.cells_out);
}

void Lowerer::EmitBranchTable(FunctionBuilder& code, const Function& function,
                              const Instr& instr) const {
  const std::span<const std::uint32_t> labels(function.labels.data() + instr.a, instr.b);
  code.BrTable(labels.first(labels.size() - 1), labels.back());
}

void Lowerer::Emit(FunctionBuilder& code, const Function& function, const Instr& instr) {
  constexpr std::uint32_t kGlobalAux = 1;
  switch (instr.kind) {
    case InstrKind::kOp:
      return code.Emit(instr.op);
    case InstrKind::kAccess:
    case InstrKind::kLocal:
      return code.Emit(instr.op, instr.a);
    case InstrKind::kConst:
      return code.Emit(Opcode::kPush, instr.a);
    case InstrKind::kExtend:
      code.Emit(Opcode::kPush, instr.a);
      code.Emit(Opcode::kShl);
      code.Emit(Opcode::kPush, instr.a);
      return code.Emit(Opcode::kShrS);
    case InstrKind::kGlobalGet:
      if (optimize_ && !module_.globals[instr.a].is_mutable) {
        return code.Emit(Opcode::kPush, ValueOf(module_.globals[instr.a].init));
      }
      return code.Emit(Opcode::kLocalGet, instr.a, kGlobalAux);
    case InstrKind::kGlobalSet:
      return code.Emit(Opcode::kLocalSet, instr.a, kGlobalAux);
    case InstrKind::kBlock:
      return EmitBlock(code, BlockKind::kBlock, instr);
    case InstrKind::kLoop:
      return EmitBlock(code, BlockKind::kLoop, instr);
    case InstrKind::kIf:
      return EmitBlock(code, BlockKind::kIf, instr);
    case InstrKind::kElse:
      return code.Else();
    case InstrKind::kEnd:
      return code.End();
    case InstrKind::kBr:
      return code.Br(instr.a);
    case InstrKind::kBrIf:
      return code.BrIf(instr.a);
    case InstrKind::kBrTable:
      return EmitBranchTable(code, function, instr);
    case InstrKind::kReturn:
      return code.Return();
    case InstrKind::kCall:
      return EmitCall(code, instr.a);
    case InstrKind::kCallIndirect:
      return EmitIndirect(code, instr);
    case InstrKind::kMemorySize:
      return code.CallImport(Builtin(vm::kMemorySize, 0, 1), 0, 1);
    case InstrKind::kMemoryGrow:
      return code.CallImport(Builtin(vm::kMemoryGrow, 1, 1), 1, 1);
    case InstrKind::kUnreachable:
      return code.Trap(isa::Trap::kUnreachable);
    case InstrKind::kMissing:
      return code.Trap(isa::Trap::kUnsupported,
                       AtPlace(module_.unsupported[instr.a], function, instr));
    case InstrKind::kRoutine:
      return EmitRoutine(code, instr.a);
    case InstrKind::kTrap:
      return code.Trap(static_cast<isa::Trap>(instr.a),
                       instr.b == 0 ? std::string_view() : module_.trap_notes[instr.b - 1]);
    case InstrKind::kFindIndirect:
      return code.Call(IndexOf({.kind = Extra::Kind::kFinder, .a = instr.a, .b = instr.b}), 1, 1);
    case InstrKind::kUnsupported:
    case InstrKind::kWideConst:
    case InstrKind::kWide:
    case InstrKind::kF32Const:
    case InstrKind::kF64Const:
    case InstrKind::kFloat:
    case InstrKind::kV128Const:
    case InstrKind::kShuffle:
    case InstrKind::kV128Upper:
    case InstrKind::kVector:
    case InstrKind::kRefNull:
    case InstrKind::kRefFunc:
    case InstrKind::kRefIsNull:
    case InstrKind::kTableGet:
    case InstrKind::kTableSet:
    case InstrKind::kTableSize:
    case InstrKind::kTableGrow:
    case InstrKind::kTableFill:
    case InstrKind::kTableCopy:
    case InstrKind::kTableInit:
    case InstrKind::kElemDrop:
    case InstrKind::kAtomic:
    case InstrKind::kMemoryInit:
    case InstrKind::kDataDrop:
    case InstrKind::kAsNonNull:
    case InstrKind::kBrOnNull:
    case InstrKind::kBrOnNonNull:
    case InstrKind::kCallRef:
    case InstrKind::kReturnCallRef:
    case InstrKind::kMemory:
    case InstrKind::kMemoryFill:
    case InstrKind::kMemoryCopy:
    case InstrKind::kReturnCall:
    case InstrKind::kReturnCallIndirect:
    case InstrKind::kTry:
    case InstrKind::kTryTable:
    case InstrKind::kCatch:
    case InstrKind::kCatchAll:
    case InstrKind::kDelegate:
    case InstrKind::kThrow:
    case InstrKind::kThrowRef:
    case InstrKind::kRethrow:
    case InstrKind::kExnNull:
    case InstrKind::kExnIsNull:
    case InstrKind::kRegroup:
      return;  // in dead code; reachable ones made the function a stub
  }
}

}  // namespace

Result<isa::Program> Lower(const Module& module, bool optimize) {
  TXVM_TRY(isa::Program program, Lowerer(module, optimize).Run());
  if (!optimize) return program;
  if (const auto verified = isa::Verify(program); !verified) {
    return isa::Fail(ErrorCode::kInternal,
                     "the lowered module is no valid program: " + verified.error().message);
  }
  assembler::Peephole(program);
  return program;
}

}  // namespace txvm::frontends::wat
