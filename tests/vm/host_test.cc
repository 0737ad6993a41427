#include "vm/host.h"

#include "tests/vm/vm_fixture.h"

namespace txvm::vm {
namespace {

constexpr std::string_view kCallsHost = R"(
.memory 1 4
.import host "env" "host" params=2 results=1
.func main results=2
  PUSH 100
  PUSH 7
  PUSH 8
  CALL host
.end
.export "main" main
)";

Linker LinkerWith(HostFunction function) {
  Linker linker;
  linker.Define("env", "host", 2, 1, std::move(function));
  return linker;
}

class HostCalls : public OnEachEngine {};

TEST_P(HostCalls, PopTheirArgumentsFirstDeepestAndPushTheirResults) {
  std::vector<Word> seen;
  const Linker linker =
      LinkerWith([&](HostContext&, std::span<const Word> args, std::span<Word> results) {
        seen.assign(args.begin(), args.end());
        results[0] = args[0] * 10 + args[1];
        return HostStatus::Continue();
      });
  Machine machine = MachineOf(kCallsHost, GetParam(), {}, linker);
  const RunResult result = RunEntry(machine);
  EXPECT_EQ(seen, (std::vector<Word>{7, 8}));
  EXPECT_EQ(result.results, (std::vector<Word>{100, 78}));
  EXPECT_EQ(result.steps, 7u);  // the host call is one step
}

TEST_P(HostCalls, MayTrapExitOrFail) {
  const auto run = [&](HostStatus status) {
    const Linker linker =
        LinkerWith([=](HostContext&, std::span<const Word>, std::span<Word>) { return status; });
    Machine machine = MachineOf(kCallsHost, GetParam(), {}, linker);
    RunResult result = RunEntry(machine);
    EXPECT_EQ(result.steps, 5u);
    EXPECT_FALSE(machine.resumable());
    return result;
  };
  const RunResult trapped = run(HostStatus::Trap("out of paper"));
  EXPECT_EQ(trapped.outcome, Outcome::kTrapped);
  EXPECT_EQ(trapped.trap->cause, isa::Trap::kHost);
  EXPECT_EQ(trapped.trap->detail, "out of paper");
  const RunResult exited = run(HostStatus::Exit(3));
  EXPECT_EQ(exited.outcome, Outcome::kExited);
  EXPECT_EQ(exited.exit_code, 3);
  const RunResult failed = run(HostStatus::Failed("the printer is on fire"));
  EXPECT_EQ(failed.outcome, Outcome::kHostError);
  EXPECT_EQ(failed.host_error->message, "the printer is on fire");
}

TEST_P(HostCalls, MayWriteAndGrowMemoryThatTheProgramThenReads) {
  Linker linker;
  linker.Define("env", "host", 2, 1,
                [](HostContext& host, std::span<const Word>, std::span<Word> results) {
                  results[0] = host.memory.Grow(2);
                  host.memory.data()[2 * isa::kPageBytes + 5] = 77;
                  return HostStatus::Continue();
                });
  Machine machine = MachineOf(R"(
.memory 1 4
.import host "env" "host" params=2 results=1
.func main results=2
  PUSH 0
  PUSH 0
  CALL host
  PUSH 131077
  I32.LOAD8_U 0
.end
.export "main" main
)",
                              GetParam(), {}, linker);
  EXPECT_EQ(RunEntry(machine).results, (std::vector<Word>{1, 77}));
  EXPECT_EQ(machine.memory().pages(), 3u);
}

TEST_P(HostCalls, MemorySizeAndGrowAreBuiltIn) {
  Machine machine = MachineOf(R"(
.memory 1 3
.import size "txvm" "memory.size" params=0 results=1
.import grow "txvm" "memory.grow" params=1 results=1
.func main results=5
  CALL size
  PUSH 2
  CALL grow
  PUSH 1
  CALL grow
  PUSH -1
  CALL grow
  CALL size
.end
.export "main" main
)",
                              GetParam());
  EXPECT_EQ(RunEntry(machine).results, (std::vector<Word>{1, 1, 0xFFFFFFFF, 0xFFFFFFFF, 3}));
}

TXVM_ON_EACH_ENGINE(HostCalls);

TEST(Linking, NamesUnknownImportsAndOtherSignatures) {
  const auto load = [](const Linker& linker) {
    const isa::Result<Machine> machine = Machine::Load(ProgramOf(kCallsHost), linker);
    return machine ? std::string("loaded") : machine.error().message;
  };
  EXPECT_EQ(load({}), "unknown import 'env.host'");
  Linker other;
  other.Define("env", "host", 1, 0, [](HostContext&, std::span<const Word>, std::span<Word>) {
    return HostStatus::Continue();
  });
  EXPECT_EQ(load(other),
            "import 'env.host' takes 2 and returns 1 value, but the host function takes 1 and "
            "returns 0");
}

}  // namespace
}  // namespace txvm::vm
