#include "frontends/capi/wat_reader.h"

#include "frontends/wat/reader.h"
#include "vm/txvm.h"

bool txvm_reads_wat(void) { return true; }

namespace txvm::frontends::capi {

isa::Result<wat::Module> ReadWat(std::string_view text, std::string_view name) {
  return wat::ReadText(text, name);
}

}  // namespace txvm::frontends::capi
