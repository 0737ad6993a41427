#include "frontends/wasm/reader.h"

#include "frontends/wasm/module_reader.h"

namespace txvm::frontends::wasm {

isa::Result<wat::Module> ReadModule(std::span<const std::uint8_t> bytes, std::string_view file,
                                    const ReadOptions& options) {
  return ModuleReader(bytes, file, options).Run();
}

std::expected<wat::Module, Fault> ReadMadeModule(std::span<const std::uint8_t> bytes,
                                                 std::string_view file,
                                                 const ReadOptions& options) {
  return ModuleReader(bytes, file, options).RunForFault();
}

}  // namespace txvm::frontends::wasm
