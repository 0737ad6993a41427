// The modules in text form that scripts hold, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace txvm::tests {

/// A module of a script.
struct TextModule {
  std::string place;  // file:line
  std::string text;   // from "(module" to its ')', or what a quoted one says
  bool is_quoted = false;
};

/// The modules of a script in its order; those in binary form are left out.
std::vector<TextModule> ModulesOfScript(std::string_view script, std::string_view file);

/// Those of every .wast file in data/wasm-testsuite of the folder TXVM_SHARED, and of
/// tests/wast. The latter alone when the suite is not there.
std::vector<TextModule> SuiteTexts();

}  // namespace txvm::tests
