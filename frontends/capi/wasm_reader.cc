#include "frontends/capi/wasm_reader.h"

#include "frontends/wat/load.h"
#include "frontends/wat/reader.h"

bool txvm_reads_wasm(void) { return true; }

namespace txvm::frontends::capi {
namespace {

// Globals are slots of the locals space in their order; one of type i64 takes two (legalize.h).
std::vector<vm::capi::NamedGlobal> GlobalsOf(const wat::Module& module) {
  std::vector<std::uint32_t> slots;
  std::uint32_t next = 0;
  for (const wat::Global& global : module.globals) {
    slots.push_back(next);
    next += global.type == wat::ValueType::kI64 ? 2 : 1;
  }
  std::vector<vm::capi::NamedGlobal> named;
  for (const wat::Export& entry : module.exports) {
    if (entry.kind != wat::ExportKind::kGlobal) continue;
    const wat::Global& global = module.globals[entry.index];
    if (global.type != wat::ValueType::kI32) continue;
    named.push_back({entry.name, slots[entry.index], global.is_mutable});
  }
  return named;
}

}  // namespace

isa::Result<ReadProgram> ReadWasm(std::span<const std::uint8_t> bytes, bool is_text,
                                  std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  ReadProgram read;
  const wat::LoadOptions options{.optimize = true, .lower_i64 = true};
  TXVM_TRY(read.program,
           is_text ? wat::LoadWat(text, name, options) : wat::LoadWasm(bytes, name, options));
  if (read.program.globals.empty()) return read;
  TXVM_TRY(const wat::Module module,
           is_text ? wat::ReadText(text, name) : wat::ReadBinary(bytes, name));
  read.globals = GlobalsOf(module);
  return read;
}

}  // namespace txvm::frontends::capi
