// What happens where the system allows a process less address space than a memory may grow to.
#include <gtest/gtest.h>

#include <string>

#include "isa/support/system/child_process.h"
#include "tests/frontends/cli/cli_runner.h"
#include "vm/outcome.h"

namespace txvm::frontends::cli {
namespace {

// Grows by its argument; then writes and reads the last byte.
constexpr std::string_view kGrow = R"((module (memory (export "memory") 1)
  (func (export "grow") (param i32) (result i32)
    (local $old i32) (local $last i32)
    (local.set $old (memory.grow (local.get 0)))
    (local.set $last (i32.sub (i32.shl (memory.size) (i32.const 16)) (i32.const 1)))
    (i32.store8 (local.get $last) (i32.const 7))
    (i32.add (local.get $old) (i32.load8_u (local.get $last))))))";

/// `txvm run FILE --invoke grow PAGES --engine ENGINE` in a shell that may use `kilobytes` in all.
isa::ChildResult GrowWithin(std::uint64_t kilobytes, const std::string& path, std::uint32_t pages,
                            std::string_view engine) {
  const std::string command = "ulimit -v " + std::to_string(kilobytes) +
                              "; exec " TXVM_BINARY " run " + path + " --invoke grow " +
                              std::to_string(pages) + " --engine " + std::string(engine);
  return *isa::RunChild({"/bin/sh", "-c", command}, "", 60);
}

class AddressSpace : public testing::TestWithParam<vm::EngineKind> {
 protected:
  const ScratchFile program_ = ScratchFile(".wat", kGrow);
};
INSTANTIATE_TEST_SUITE_P(Engines, AddressSpace, testing::ValuesIn(vm::AllEngines()),
                         [](const auto& engine) {
                           return std::string(vm::EngineName(engine.param));
                         });

TEST_P(AddressSpace, AMemoryIsAsLargeAsTheSystemAllowsAndGrowthBeyondFails) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need address space of their own";
#endif
  const std::string_view engine = vm::EngineName(GetParam());
  for (const std::uint64_t kilobytes : {600'000, 2'000'000, 4'200'000}) {
    SCOPED_TRACE(kilobytes);
    const isa::ChildResult some = GrowWithin(kilobytes, program_.path(), 2000, engine);
    EXPECT_EQ(some.out, "8\n") << some.err;
    EXPECT_EQ(some.err, "");
    const isa::ChildResult all = GrowWithin(kilobytes, program_.path(), 65'535, engine);
    if (all.out == "8\n") GTEST_SKIP() << "this system knows no limit of address space";
    EXPECT_EQ(all.out, "6\n") << all.err;
    EXPECT_NE(all.err.find("pages of memory, not 65,536"), std::string::npos) << all.err;
    const isa::ChildResult more = GrowWithin(kilobytes, program_.path(), 70'000, engine);
    EXPECT_EQ(more.out, "6\n");
    EXPECT_EQ(more.err, "");  // no system allows this
  }
}

}  // namespace
}  // namespace txvm::frontends::cli
