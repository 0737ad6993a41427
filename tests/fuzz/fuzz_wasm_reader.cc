// libFuzzer: the reader of the binary format, and the lowering of what it accepts, which passes the
// program's validator. Every error has a message.
#include <cstddef>
#include <cstdint>

#include "frontends/wasm/load.h"
#include "frontends/wasm/reader.h"
#include "isa/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace txvm;
  auto module = frontends::wasm::ReadModule({data, size}, "fuzz.wasm");
  if (!module) {
    TXVM_ASSERT(!module.error().message.empty());
    return 0;
  }
  const auto program = frontends::wat::LowerModule(*std::move(module), {.lower_i64 = true});
  if (program) TXVM_ASSERT(isa::Verify(*program).has_value());
  return 0;
}
