// The modules of the official test suite in binary form.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace txvm::tests {

/// What the suite says of a module.
enum class SuiteVerdict : std::uint8_t { kValid, kInvalid, kMalformed };

/// A module of a script. Those in text form are turned into binary by WABT, which does not validate
/// them; quoted ones are left out, and what cannot be written.
struct SuiteModule {
  std::string place;  // file:line
  SuiteVerdict verdict = SuiteVerdict::kValid;
  std::string expected;  // the suite's text of the error
  bool was_text = false;
  std::vector<std::uint8_t> bytes;
};

/// The modules of every .wast file in data/wasm-testsuite of the folder TXVM_SHARED, by file and
/// place; those of `proposals` as well when asked. Empty when the suite is not there.
std::vector<SuiteModule> SuiteModules(bool proposals = false);

}  // namespace txvm::tests
