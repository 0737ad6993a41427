// libFuzzer: WebAssembly text, as a module and as a script. What is encoded is a module that the
// reader of the binary format takes apart; places lie within the text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "frontends/wasm/reader.h"
#include "frontends/wat/reader.h"
#include "frontends/wat/script.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace txvm;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto module = frontends::wat::ReadText(text, "fuzz.wat");
  const auto bytes = frontends::wat::EncodeText(text, "fuzz.wat");
  if (module) {
    TXVM_ASSERT(bytes.has_value());
    for (const frontends::wat::Function& function : module->functions) {
      TXVM_ASSERT(function.place <= size + 1);
    }
  }
  for (const isa::Error& error : frontends::wat::TextErrors(text, "fuzz.wat")) {
    TXVM_ASSERT(!error.message.empty() && error.place.line <= size + 1);
  }
  (void)frontends::wat::ReadScript(text, "fuzz.wast");
  return 0;
}
