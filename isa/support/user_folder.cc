#include "isa/support/user_folder.h"

#include <cstdlib>

namespace txvm::isa {

Result<std::string> UserFolder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string folder = variable("TXVM_DATA_DIR"); !folder.empty()) return folder;
  if (const std::string data = variable("XDG_DATA_HOME"); !data.empty()) return data + "/txvm";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.local/share/txvm";
  return Fail(ErrorCode::kHost,
              "there is no folder for what txvm learns: HOME and TXVM_DATA_DIR are not set");
}

}  // namespace txvm::isa
