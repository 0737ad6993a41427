// The official test suite: every valid module is read, as WABT reads it; every other is refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "frontends/wasm/reader.h"
#include "tests/frontends/wasm/compare_modules.h"
#include "tests/frontends/wasm/suite_modules.h"
#include "tests/frontends/wasm/wabt_reader.h"

namespace txvm::tests {
namespace {

using frontends::wasm::ReadModule;
using isa::ErrorCode;

/// Modules that are refused with another code than the suite's word for it.
const std::map<std::string, ErrorCode> kOtherCodes = {
    // What follows a br_table that is too short is an unknown type before it is malformed.
    {"binary.wast:1817", ErrorCode::kInvalid},
    // WABT writes no data count section for a module without data, which the suite wrote as text.
    {"memory_init.wast:190", ErrorCode::kSyntax},
    {"memory_init.wast:227", ErrorCode::kSyntax},
};

TEST(WasmSuite, JudgesEveryModule) {
  const std::vector<SuiteModule> modules = SuiteModules(/*proposals=*/true);
  if (modules.empty()) GTEST_SKIP() << "the suite is not there";
  std::size_t valid = 0, invalid = 0, malformed = 0, worded = 0;
  for (const SuiteModule& module : modules) {
    auto read = ReadModule(module.bytes, "m.wasm");
    const bool is_malformed =
        module.verdict != SuiteVerdict::kValid && module.verdict != SuiteVerdict::kInvalid;
    if (module.verdict != SuiteVerdict::kValid &&  // 3.0 may allow it, or judge it in another way
        (read || (is_malformed && read.error().code != ErrorCode::kSyntax))) {
      read = ReadModule(module.bytes, "m.wasm", {.is_version_2 = true});
    }
    const std::string message = read ? "accepted" : read.error().message;
    if (module.verdict == SuiteVerdict::kValid) {
      ++valid;
      EXPECT_TRUE(read) << module.place << ": " << message;
      continue;
    }
    const bool is_invalid = module.verdict == SuiteVerdict::kInvalid;
    ++(is_invalid ? invalid : malformed);
    const auto other = kOtherCodes.find(module.place);
    const ErrorCode code = other != kOtherCodes.end() ? other->second
                           : is_invalid               ? ErrorCode::kInvalid
                                                      : ErrorCode::kSyntax;
    EXPECT_TRUE(!read && read.error().code == code)
        << module.place << ": " << module.expected << ": " << message;
    if (message.starts_with(module.expected)) {
      ++worded;
    } else if (std::getenv("TXVM_SHOW_WORDS") != nullptr) {
      std::printf("%s: suite '%s': %s\n", module.place.c_str(), module.expected.c_str(),
                  message.c_str());
    }
  }
  std::printf("%zu valid, %zu invalid, %zu malformed; %zu in the suite's words\n", valid, invalid,
              malformed, worded);
}

TEST(WasmSuite, BuildsTheModuleThatWabtBuilds) {
  const std::vector<SuiteModule> modules = SuiteModules();
  if (modules.empty()) GTEST_SKIP() << "the suite is not there";
  for (const SuiteModule& module : modules) {
    if (module.verdict != SuiteVerdict::kValid) continue;
    // An opcode that is longer than it must be: WABT's path counts its bytes wrong.
    if (module.place == "binary-leb128.wast:967") continue;
    const auto own = ReadModule(module.bytes, "m.wasm");
    const auto wabt = ReadWithWabt(module.bytes, "m.wasm");
    ASSERT_TRUE(own && wabt) << module.place;
    EXPECT_EQ(Difference(*own, *wabt), "") << module.place;
  }
}

}  // namespace
}  // namespace txvm::tests
