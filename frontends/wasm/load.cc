#include "frontends/wasm/load.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "frontends/wasm/addresses.h"
#include "frontends/wasm/atomics.h"
#include "frontends/wasm/exceptions.h"
#include "frontends/wasm/jumps.h"
#include "frontends/wasm/legalize.h"
#include "frontends/wasm/lower.h"
#include "frontends/wasm/reader.h"
#include "frontends/wasm/references.h"
#include "frontends/wasm/tail_calls.h"
#include "frontends/wasm/uncalled.h"

namespace txvm::frontends::wat {

isa::Result<Module> RunPasses(Module module, const LoadOptions& options) {
  module.bytes_of = options.bytes_of;
  TXVM_TRY(module, LowerExceptions(std::move(module)));
  TXVM_TRY(module, LowerAddresses(std::move(module)));
  TXVM_TRY(module, LowerReferences(LowerJumps(LowerAtomics(std::move(module))), options.max_table));
  if (options.lower_i64) {
    TXVM_TRY(module, Legalize(std::move(module)));
  }
  return LowerTailCalls(std::move(module), options.lower_i64);
}

isa::Result<isa::Program> LowerModule(Module module, const LoadOptions& options) {
  const std::string file = module.file;
  const auto lower = [&]() -> isa::Result<isa::Program> {
    TXVM_TRY(Module lowered, RunPasses(std::move(module), options));
    if (options.drop_uncalled) DropUncalled(lowered);
    return Lower(lowered, options.optimize);
  };
  auto program = lower();
  if (!program && program.error().place.file.empty()) program.error().place.file = file;
  return program;
}

isa::Result<isa::Program> LoadWasm(std::span<const std::uint8_t> bytes, std::string_view file,
                                   const LoadOptions& options) {
  TXVM_TRY(Module module, wasm::ReadModule(bytes, file));
  return LowerModule(std::move(module), options);
}

isa::Result<WideUse> FindWideUse(std::span<const std::uint8_t> bytes, std::string_view file) {
  TXVM_TRY(const Module module, wasm::ReadModule(bytes, file));
  return WideUseOf(module);
}

bool IsWasm(std::span<const std::uint8_t> bytes) {
  constexpr std::array<std::uint8_t, 4> kMagic = {0x00, 'a', 's', 'm'};
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

}  // namespace txvm::frontends::wat
