// What the tests of vm/ share: programs from text, machines on every direct engine.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <vector>

#include "vm/engines/attention.h"
#include "vm/load.h"
#include "vm/machine.h"

namespace txvm::vm {

/// The program of a .txa text; fails the test when it does not assemble.
std::shared_ptr<const isa::Program> ProgramOf(std::string_view text);

/// A loaded machine; fails the test when Load refuses.
Machine MachineOf(std::string_view text, EngineKind engine, const isa::Limits& limits = {},
                  const Linker& linker = {});

/// Runs the program's entry.
RunResult RunEntry(Machine& machine, const RunOptions& options = {});

/// One test body on each direct engine.
class OnEachEngine : public testing::TestWithParam<EngineKind> {};
inline std::string EngineTestName(const testing::TestParamInfo<EngineKind>& info) {
  return std::string(EngineName(info.param));
}
#define TXVM_ON_EACH_ENGINE(Suite) \
  INSTANTIATE_TEST_SUITE_P(Engines, Suite, testing::ValuesIn(DirectEngines()), EngineTestName)

/// An attention engine outside a machine, so that its keys and matrices can be altered.
struct AttentionHarness {
  std::shared_ptr<const isa::Program> program;
  isa::Verified verified;
  InterruptFlag interrupt;
  EngineContext context;
  State state;
  std::unique_ptr<AttentionEngine> engine;

  explicit AttentionHarness(std::string_view text,
                            const weights::HeadMatrices& matrices = weights::CompileHeads());
  /// Runs from instruction 0, with stats counted into `stats` when given.
  Stop Run(Stats* stats = nullptr);
  std::vector<Word> stack() const;
};

}  // namespace txvm::vm
