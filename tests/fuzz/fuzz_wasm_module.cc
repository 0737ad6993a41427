// libFuzzer: a WebAssembly module, binary or text. What loads passes the validator.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "frontends/wat/load.h"
#include "isa/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace txvm;
  const std::span<const std::uint8_t> bytes(data, size);
  const isa::Result<isa::Program> program =
      frontends::wat::IsWasm(bytes)
          ? frontends::wat::LoadWasm(bytes, "fuzz.wasm")
          : frontends::wat::LoadWat({reinterpret_cast<const char*>(data), size}, "fuzz.wat");
  if (program) TXVM_ASSERT(isa::Verify(*program).has_value());
  return 0;
}
