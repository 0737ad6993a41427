#include "frontends/wat/load.h"

#include <utility>

#include "frontends/wat/reader.h"

namespace txvm::frontends::wat {

isa::Result<isa::Program> LoadWat(std::string_view text, std::string_view file,
                                  const LoadOptions& options) {
  TXVM_TRY(Module module, ReadText(text, file));
  return LowerModule(std::move(module), options);
}

}  // namespace txvm::frontends::wat
