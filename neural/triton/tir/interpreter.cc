#include "neural/triton/tir/interpreter.h"

#include "neural/triton/tir/control.h"

namespace txvm::triton {
namespace {

using Control = TirControl<ConcreteWorld>;

// Everything a run needs, and the loop over its operations.
TirRun Run(Control& control, StackMachine<ConcreteWorld>& machine, const TirRunLimits& limits) {
  TirRun run;
  ConcreteWorld& world = machine.domain();
  while (!control.done()) {
    const TirOp* op = control.Next();
    if (run.steps == limits.steps) world.Fail(Fault::kStepLimit);
    if (machine.stack().size() > limits.stack_words || control.depth() > limits.call_depth) {
      world.Fail(Fault::kOutOfMemory);
    }
    if (!world.failed()) control.Step();
    if (world.failed()) {
      run.line = op == nullptr ? 0 : op->line;
      break;
    }
    ++run.steps;
  }
  run.fault = world.fault();
  run.output = world.TakeOutput();
  run.stack = machine.stack();
  run.ram = world.ram();
  return run;
}

}  // namespace

isa::Result<TirRun> RunTir(const TirModule& module, const TirInputs& inputs,
                           const std::vector<std::uint64_t>& stack, const TirRunLimits& limits) {
  TXVM_TRY(const TirSummary summary, ValidateTir(module));
  if (summary.kind == TirSummary::Kind::kLibrary) {
    return isa::Fail(isa::ErrorCode::kInvalid, "the module has no entry, so nothing to run");
  }
  ConcreteWorld world(inputs);
  const TirLabels labels(module);
  if (summary.kind == TirSummary::Kind::kProgram) {
    StackMachine<ConcreteWorld> machine(world, {}, 0);
    Control control(machine, labels);
    control.StartEntry();
    return Run(control, machine, limits);
  }
  StackMachine<ConcreteWorld> machine(world, stack, 0);
  Control control(machine, labels);
  if (static_cast<std::int64_t>(stack.size()) < summary.fragment.needs) {
    world.Fail(Fault::kShallow);
    TirRun run;
    run.fault = Fault::kShallow;
    run.stack = stack;
    return run;
  }
  control.Start(module.ops);
  return Run(control, machine, limits);
}

}  // namespace txvm::triton
