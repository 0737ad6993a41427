#include "tests/weights/model_run.h"

#include <map>

#include "weights/fold.h"

namespace txvm::weights {
namespace {

std::string LaneFault(const Model& model, std::span<const std::int64_t> residual) {
  for (std::size_t i = 0; i < residual.size(); ++i) {
    const LaneInfo& lane = model.lanes[i];
    if (residual[i] >= lane.low && residual[i] <= lane.high) continue;
    return lane.name + " is " + std::to_string(residual[i]) + ", declared " +
           std::to_string(lane.low) + ".." + std::to_string(lane.high);
  }
  return {};
}

std::vector<std::uint32_t> ReadStack(const ReferenceModel& model, const StateRecord& state) {
  std::map<std::uint32_t, std::uint32_t> slots;  // later writes replace earlier ones
  for (const MemoryRecord& record : model.history()) {
    if (IsEmpty(record) || SpaceOf(record) != Space::kStack) continue;
    const std::span fields(record);
    slots[WordAt(fields.subspan(memory_field::kKey))] =
        WordAt(fields.subspan(memory_field::kValue));
  }
  std::vector<std::uint32_t> stack;
  const std::uint32_t sp = WordAt(std::span(state).subspan(state_field::kSp));
  for (std::uint32_t slot = 1; slot <= sp; ++slot) stack.push_back(slots.at(slot));
  return stack;
}

}  // namespace

const Model& TheModel() {
  static const Model model = CompileModel();
  return model;
}

Trial RunOnModel(const support::RandomCase& random_case, std::uint64_t fuel, const Model& weights) {
  const isa::Program& program = random_case.program;
  ReferenceModel model(weights);
  for (const MemoryRecord& token : PrefixOf(weights, program)) model.Append(token);
  for (const MemoryRecord& token : ArgumentTokens(random_case.args)) model.Append(token);
  const std::uint32_t pages = program.memory ? program.memory->initial : 0;
  Trial trial;
  const StateRecord first =
      InitialState(program, random_case.limits, random_case.start, random_case.args, pages);
  trial.run = RunReference(model, first, fuel, [&](const isa::TraceRecord&) {
    if (trial.fault.empty()) trial.fault = LaneFault(weights, model.residual());
  });
  trial.stack = ReadStack(model, trial.run.state);
  trial.largest_row = model.largest_row();
  return trial;
}

support::RandomCase CaseOf(std::vector<isa::Instruction> code, std::vector<std::uint32_t> args,
                           std::uint32_t pages) {
  support::RandomCase result;
  result.program.code = std::move(code);
  result.args = std::move(args);
  if (pages != 0) result.program.memory = isa::MemorySpec{pages, pages};
  return result;
}

}  // namespace txvm::weights
