// The dense engine's digests do not depend on which instructions oneDNN may use.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/frontends/cli/cli_runner.h"

namespace txvm::frontends::cli {
namespace {

// Sets an environment variable for the children of one scope.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

TEST(CpuIsa, DenseDigestsAreTheSameOnEveryInstructionSet) {
  // gcd divides: 34 passes for each of its remainders, every layer of the weights in use.
  const std::vector<std::string> program = {"examples/gcd.txa", "--invoke", "gcd", "48", "18",
                                            "--trace-digest",   "--engine"};
  const auto shown = [&program](const char* engine) {
    std::vector<std::string> arguments = program;
    arguments.emplace_back(engine);
    return RunTxvm(arguments);
  };
  const isa::ChildResult native = shown("native");
  EXPECT_EQ(native.out, "6\ndigest 8618355c66782c08\n");
  for (const char* isa : {"SSE41", "AVX", "AVX2", "AVX2_VNNI", "AVX512_CORE", "ALL"}) {
    const Environment limit("DNNL_MAX_CPU_ISA", isa);
    const isa::ChildResult dense = shown("transformer");
    EXPECT_EQ(dense.out, native.out) << isa;
    EXPECT_EQ(dense.exit_code, 0) << isa << dense.err;
  }
}

}  // namespace
}  // namespace txvm::frontends::cli
