#include "frontends/wasm/on_demand.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "frontends/wasm/addresses.h"
#include "frontends/wasm/exceptions.h"
#include "frontends/wasm/lower.h"
#include "frontends/wasm/reader.h"
#include "frontends/wasm/splice.h"
#include "isa/limits.h"
#include "isa/opcode.h"
#include "isa/support/sha256.h"
#include "isa/support/system/free_memory.h"

namespace txvm::frontends::wat {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Result;

/// The data that the instantiation writes, taken out of the module; empty segments stay.
std::vector<std::vector<std::uint8_t>> TakeActiveData(Module& module) {
  std::vector<std::vector<std::uint8_t>> data;
  for (DataSegment& segment : module.data) {
    if (segment.mode == SegmentMode::kActive) data.push_back(std::exchange(segment.bytes, {}));
  }
  return data;
}

/// Whether code names data segments, so that their numbers have to stay.
bool UsesDataSegments(const BodyFacts& facts) {
  return std::ranges::any_of(facts.instrs, [](const Instr& instr) {
    return instr.kind == InstrKind::kMemoryInit || instr.kind == InstrKind::kDataDrop;
  });
}

/// What programs with equal functions can still differ in.
std::string Interface(const isa::Program& program, const LoadOptions& options) {
  std::string text =
      fmt::format("{} {} {};", options.optimize, options.lower_i64, options.max_table);
  for (const std::uint32_t global : program.globals) text += fmt::format(" {}", global);
  if (program.memory) {
    text += fmt::format("; {} {}", program.memory->initial, program.memory->maximum);
  }
  for (const isa::Import& import : program.imports) {
    text += fmt::format(";{}.{}", import.module, import.name);
  }
  return text;
}

/// Makes every CALL that goes to a key of `moved` go to its value. Cost O(code).
void RedirectCalls(std::span<Instruction> code,
                   const std::unordered_map<std::uint32_t, std::uint32_t>& moved) {
  for (Instruction& instruction : code) {
    if (!IsCall(instruction)) continue;
    const auto found = moved.find(instruction.arg);
    if (found != moved.end()) instruction.arg = found->second;
  }
}

}  // namespace

ModuleOnDemand::ModuleOnDemand(std::span<const std::uint8_t> bytes,
                               std::shared_ptr<const void> owner, std::string_view file,
                               const LoadOptions& options, std::size_t first_batch)
    : owner_(std::move(owner)),
      bytes_(bytes),
      options_(options),
      bytes_of_(options.bytes_of),
      first_batch_(first_batch),
      reader_(bytes, file, {}) {
  options_.bytes_of = bytes_of_;
}

Result<std::shared_ptr<ModuleOnDemand>> ModuleOnDemand::Read(std::span<const std::uint8_t> bytes,
                                                             std::shared_ptr<const void> owner,
                                                             std::string_view file,
                                                             const LoadOptions& options,
                                                             std::size_t first_batch) {
  auto module =
      std::make_shared<ModuleOnDemand>(bytes, std::move(owner), file, options, first_batch);
  TXVM_CHECK_OK(module->Open());
  if (module->reader_.facts().needs_whole()) return nullptr;
  const Module& whole =
      module->reader_.module();  // of these two passes, as they rewrite every body
  if (NeedsAddresses(whole) || UsesExceptions(whole)) return nullptr;
  return module;
}

Result<void> ModuleOnDemand::Open() {
  TXVM_CHECK_OK(reader_.RunWithoutBodies());
  Module& module = reader_.module();
  module.facts = std::make_shared<const BodyFacts>(reader_.facts().facts());
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    module.functions[i].id = i + 1;
    module.functions[i].on_demand = reader_.HasBody(i);
  }
  return {};
}

Result<isa::Program> ModuleOnDemand::Lower(std::shared_ptr<ModuleOnDemand> self, Prepare prepare) {
  if (prepare) TXVM_CHECK_OK(prepare(self->module()));
  self->prepare_ = std::move(prepare);
  auto program = self->LowerStubs();
  isa::ReturnFreeMemory();  // of the reader and the passes: else it would stay with the process
  if (program) {
    program->growth = std::move(self);
  } else if (program.error().place.file.empty()) {
    program.error().place.file = self->declared().file;
  }
  return program;
}

Result<isa::Program> ModuleOnDemand::LowerStubs() {
  Module& module = reader_.module();
  std::vector<std::vector<std::uint8_t>> data = TakeActiveData(module);
  TXVM_TRY(const Module lowered, RunPasses(module, options_));
  TXVM_TRY(isa::Program program, wat::Lower(lowered, options_.optimize));
  TXVM_ASSERT(data.size() == program.data.size());
  for (std::size_t i = 0; i < data.size(); ++i) program.data[i].bytes = std::move(data[i]);
  home_.assign(module.functions.size() + 1, kNoHome);
  first_.assign(home_.size(), 0);
  std::uint32_t index = 0;
  for (const Function& function : lowered.functions) {
    if (function.import) continue;
    if (function.id != 0) {
      home_[function.id] = index;
      first_[function.id] = program.functions[index].first;
    }
    ++index;
  }
  interface_ = Interface(program, options_);
  module.exports = {};  // of the program above alone
  module.start.reset();
  for (Function& function : module.functions) function.name = {};
  if (!UsesDataSegments(*module.facts)) module.data = {};
  return program;
}

bool ModuleOnDemand::IsLowered(const isa::Program& program, std::uint32_t id) const {
  return IsCall(program.code[first_[id]]);
}

std::uint32_t ModuleOnDemand::AddressOf(const isa::Program& program, std::uint32_t id) const {
  const std::uint32_t first = first_[id];
  if (!declared().functions[id - 1].on_demand || !IsLowered(program, id)) return first;
  return program.code[first].arg;
}

/// The functions of the next batch by their ids, `root` first. Puts their bodies into `module`.
std::vector<std::uint32_t> ModuleOnDemand::Choose(const isa::Program& program, std::uint32_t root,
                                                  Module& module) const {
  const auto count = static_cast<std::uint32_t>(declared().functions.size());
  std::vector<bool> is_there(count + 1, true);
  std::size_t target = 0, bytes = 0;
  for (std::uint32_t id = 1; id <= count; ++id) {
    if (!declared().functions[id - 1].on_demand) continue;
    is_there[id] = IsLowered(program, id);
    if (is_there[id]) target += reader_.BodyBytes(id - 1);
  }
  target = std::max(target, first_batch_);
  std::vector<std::uint32_t> chosen;
  std::deque<std::uint32_t> waiting;
  const auto choose = [&](std::uint32_t id) {
    if (is_there[id]) return;
    is_there[id] = true;
    waiting.push_back(id);
  };
  choose(root);
  for (std::uint32_t step = 0; step <= count;) {
    if (waiting.empty()) {  // no call is left: the functions after the root, in a circle
      choose((root - 1 + step++) % count + 1);
      continue;
    }
    const std::uint32_t id = waiting.front();
    waiting.pop_front();
    Function& function = module.functions[id - 1];
    reader_.ReadBody(id - 1, function);
    chosen.push_back(id);
    bytes += reader_.BodyBytes(id - 1);
    if (bytes >= target) break;
    for (const Instr& instr : function.body) {
      if (instr.kind == InstrKind::kCall) choose(instr.a + 1);
    }
  }
  return chosen;
}

Result<void> ModuleOnDemand::Grow(isa::Program& program, std::uint32_t ip) const {
  std::uint32_t root = 0;
  for (std::uint32_t id = 1; id < first_.size() && root == 0; ++id) {
    if (declared().functions[id - 1].on_demand && first_[id] == ip) root = id;
  }
  TXVM_ASSERT(root != 0 && !IsLowered(program, root));
  Module module;
  std::vector<std::uint32_t> chosen;
  {
    const std::lock_guard lock(mutex_);  // reading a body may add to the module
    module = declared();
    chosen = Choose(program, root, module);
    module.unsupported = declared().unsupported;
  }
  for (const std::uint32_t id : chosen) {
    module.functions[id - 1].name = program.functions[home_[id]].name;
  }
  TXVM_TRY(const Module lowered, RunPasses(std::move(module), options_));
  TXVM_TRY(const isa::Program made, wat::Lower(lowered, options_.optimize));
  TXVM_ASSERT(made.globals == program.globals && made.imports.size() == program.imports.size());

  std::vector<std::uint32_t> id_of(made.functions.size());  // 0: a pass made it
  std::vector<std::uint32_t> index_of(home_.size());        // in `made`, by id
  std::uint32_t index = 0;
  for (const Function& function : lowered.functions) {
    if (function.import) continue;
    id_of[index] = function.id;
    index_of[function.id] = index++;
  }
  SpliceRequest request{made, {}, [&](std::uint32_t i) -> std::optional<std::uint32_t> {
                          if (id_of[i] == 0) return std::nullopt;
                          return AddressOf(program, id_of[i]);
                        }};
  for (const std::uint32_t id : chosen) request.functions.push_back(index_of[id]);
  const std::size_t old_code = program.code.size();
  const std::size_t own = declared().functions.size();
  TXVM_TRY(const std::vector<std::uint32_t> addresses, Splice(program, request, own));
  std::unordered_map<std::uint32_t, std::uint32_t> moved;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    moved.emplace(first_[chosen[i]], addresses[i]);
    program.code[first_[chosen[i]]] = Instruction(Opcode::kCall, addresses[i]);
  }
  RedirectCalls(std::span(program.code).first(old_code), moved);
  program.grown.push_back(root - 1);
  return {};
}

Result<std::uint32_t> ModuleOnDemand::StubOf(std::uint32_t index) const {
  if (index < declared().functions.size() && declared().functions[index].on_demand) {
    return first_[index + 1];
  }
  return isa::Fail(isa::ErrorCode::kInvalid,
                   fmt::format("function {} is none that is made when it is called", index));
}

Result<isa::Program> ModuleOnDemand::Whole() const {
  TXVM_TRY(Module module, wasm::ReadModule(bytes_, declared().file));
  if (prepare_) TXVM_CHECK_OK(prepare_(module));
  return LowerModule(std::move(module), options_);
}

const std::string& ModuleOnDemand::Hash() const {
  const std::lock_guard lock(mutex_);
  if (hash_.empty()) {
    const std::string text = isa::Sha256(bytes_) + interface_;
    hash_ = isa::Sha256({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  return hash_;
}

Result<isa::Program> LoadWasmOnDemand(std::span<const std::uint8_t> bytes,
                                      std::shared_ptr<const void> owner, std::string_view file,
                                      const LoadOptions& options, std::size_t first_batch) {
  TXVM_TRY(std::shared_ptr<ModuleOnDemand> module,
           ModuleOnDemand::Read(bytes, std::move(owner), file, options, first_batch));
  if (module == nullptr) return LoadWasm(bytes, file, options);
  return ModuleOnDemand::Lower(std::move(module));
}

}  // namespace txvm::frontends::wat
