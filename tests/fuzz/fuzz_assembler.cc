// libFuzzer: a .txa text. It assembles or is refused; what assembles has a listing that assembles
// to the same program.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "asm/assembler.h"
#include "isa/disassemble.h"
#include "isa/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace txvm;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const isa::Result<isa::Program> program = assembler::Assemble(text, "fuzz.txa");
  if (!program) {
    TXVM_ASSERT(!program.error().message.empty());
    return 0;
  }
  if (!isa::Verify(*program)) return 0;
  TXVM_ASSERT(assembler::Assemble(isa::Disassemble(*program).value(), "listing.txa").value() ==
              *program);
  return 0;
}
