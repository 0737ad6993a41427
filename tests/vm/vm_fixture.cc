#include "tests/vm/vm_fixture.h"

#include "asm/assembler.h"

namespace txvm::vm {

std::shared_ptr<const isa::Program> ProgramOf(std::string_view text) {
  isa::Result<isa::Program> program = assembler::Assemble(text, "test.txa");
  if (!program) {
    ADD_FAILURE() << program.error().ToString();
    return std::make_shared<isa::Program>();
  }
  return std::make_shared<isa::Program>(*std::move(program));
}

Machine MachineOf(std::string_view text, EngineKind engine, const isa::Limits& limits,
                  const Linker& linker) {
  MachineOptions options;
  options.engine = engine;
  options.limits = limits;
  isa::Result<Machine> machine = Machine::Load(ProgramOf(text), linker, options);
  EXPECT_TRUE(machine.has_value()) << machine.error().ToString();
  return *std::move(machine);
}

RunResult RunEntry(Machine& machine, const RunOptions& options) {
  return machine.CallStub(machine.program().entry, {}, options);
}

AttentionHarness::AttentionHarness(std::string_view text, const weights::HeadMatrices& matrices)
    : program(ProgramOf(text)),
      verified(isa::Verify(*program).value()),
      interrupt(static_cast<std::int64_t>(program->code.size())),
      context{*program, &verified, {}, interrupt},
      state(MakeState(*program, {}).value()) {
  isa::Result<std::unique_ptr<AttentionEngine>> made = MakeAttentionEngine(context, matrices);
  EXPECT_TRUE(made.has_value()) << made.error().ToString();
  engine = *std::move(made);
  state.locals_base = static_cast<std::uint32_t>(program->globals.size());
}

Stop AttentionHarness::Run(Stats* stats) {
  Observer observer(false, {}, stats != nullptr);
  const Stop stop = engine->Run(state, 1'000'000, stats != nullptr ? &observer : nullptr);
  if (stats != nullptr) *stats = observer.stats();
  return stop;
}

std::vector<Word> AttentionHarness::stack() const {
  return {state.slots.data() + 1, state.slots.data() + 1 + state.sp};
}

}  // namespace txvm::vm
