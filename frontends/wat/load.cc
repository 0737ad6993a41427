#include "frontends/wat/load.h"

#include <algorithm>
#include <array>

#include "frontends/wat/lower.h"
#include "frontends/wat/reader.h"

namespace txvm::frontends::wat {
namespace {

isa::Result<isa::Program> LowerModule(const Module& module, const LoadOptions& options) {
  auto program = Lower(module, options.optimize);
  if (!program && program.error().place.file.empty()) program.error().place.file = module.file;
  return program;
}

}  // namespace

isa::Result<isa::Program> LoadWat(std::string_view text, std::string_view file,
                                  const LoadOptions& options) {
  TXVM_TRY(const Module module, ReadText(text, file));
  return LowerModule(module, options);
}

isa::Result<isa::Program> LoadWasm(std::span<const std::uint8_t> bytes, std::string_view file,
                                   const LoadOptions& options) {
  TXVM_TRY(const Module module, ReadBinary(bytes, file));
  return LowerModule(module, options);
}

bool IsWasm(std::span<const std::uint8_t> bytes) {
  constexpr std::array<std::uint8_t, 4> kMagic = {0x00, 'a', 's', 'm'};
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

}  // namespace txvm::frontends::wat
