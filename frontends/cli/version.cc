// What this build is. TXVM_VERSION and TXVM_BUILD_TYPE come from CMake.
#include "frontends/cli/version.h"

#include <fmt/format.h>

#include "vm/folded/folded_engine.h"
#include "vm/outcome.h"

namespace txvm::frontends::cli {

std::string VersionText() {
  std::string text =
      fmt::format("txvm {} ({}, compiler {})\n", TXVM_VERSION, TXVM_BUILD_TYPE, __VERSION__);
  for (const vm::EngineKind engine : vm::AllEngines()) {
    const bool absent = engine == vm::EngineKind::kFolded && !vm::WhyNotFolded().empty();
    text += fmt::format("  engine {:<10} {}\n", vm::EngineName(engine),
                        absent ? vm::WhyNotFolded() : vm::EngineWhat(engine));
  }
  return text;
}

}  // namespace txvm::frontends::cli
