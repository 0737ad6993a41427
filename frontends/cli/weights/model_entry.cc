#include "frontends/cli/weights/model_entry.h"

#include <fmt/format.h>

#include "isa/support/file.h"
#include "frontends/cli/run/call_values.h"
#include "isa/support/shown_text.h"
#include "isa/support/text.h"
#include "vm/engines/transformer.h"
#include "vm/load.h"
#include "vm/machine.h"
#include "weights/fold.h"
#include "weights/tokens.h"

namespace txvm::frontends::cli {

isa::Result<std::shared_ptr<const isa::Program>> LoadModelProgram(const ModelEntry& entry) {
  TXVM_TRY(std::shared_ptr<const isa::Program> program, LoadInput(entry.path, entry.input));
  TXVM_CHECK_OK(VerifyInput(*program, entry.path));
  TXVM_CHECK_OK(vm::CheckLimits(*program, entry.limits));
  return program;
}

isa::Result<ModelStart> LoadModelEntry(const ModelEntry& entry) {
  ModelStart start;
  TXVM_TRY(start.program, LoadModelProgram(entry));
  if (start.program->init) {
    return InFile({isa::ErrorCode::kUnsupported,
                   "the program has a start function, which runs before the entry, and only an "
                   "entry's run is explained or exported; attention in txvm step shows any pass",
                   {},
                   {}},
                  entry.path);
  }
  if (const std::size_t tokens = weights::PrefixTokens(*start.program);
      tokens > vm::kMaxPrefixTokens) {
    return InFile({isa::ErrorCode::kLimit,
                   fmt::format("the program is {} tokens long, the model is given at most {}",
                               tokens, vm::kMaxPrefixTokens),
                   {},
                   {}},
                  entry.path);
  }
  // The tokens are those of data that fits.
  if (auto state = vm::MakeState(*start.program, entry.limits); !state) {
    return InProgram(std::move(state).error(), *start.program, entry.path);
  }
  TXVM_TRY(const isa::Export* chosen, vm::ChooseEntry(*start.program, entry.invoke));
  TXVM_TRY(start.arguments, ParseArguments(chosen, entry.arguments));
  start.start = chosen == nullptr ? start.program->entry : chosen->start;
  const std::size_t params = chosen == nullptr ? 0 : chosen->params;
  if (start.arguments.size() != params) {
    return isa::Fail(isa::ErrorCode::kUsage, isa::CountMismatch("the entry", "takes", "argument",
                                                                params, start.arguments.size()));
  }
  return start;
}

weights::StateRecord FeedProgram(const ModelStart& start, const isa::Limits& limits,
                                 weights::ReferenceModel& model) {
  const isa::Program& program = *start.program;
  for (const auto& token : weights::PrefixOf(model.model(), program)) model.Append(token);
  for (const auto& token : weights::ArgumentTokens(start.arguments)) model.Append(token);
  const std::uint32_t pages = program.memory ? program.memory->initial : 0;
  return weights::InitialState(program, limits, start.start, start.arguments, pages);
}

std::string ModelRunText(const weights::ModelRun& run) {
  using Stop = weights::ModelRun::Stop;
  std::string outcome = "out of fuel";
  if (run.stop == Stop::kHalted) outcome = "halted";
  if (run.stop == Stop::kHost) outcome = "waits for a host call";
  if (run.cause) outcome = fmt::format("trapped: {}", isa::TrapText(*run.cause));
  const std::uint32_t top =
      weights::WordAt(std::span(run.state).subspan(weights::state_field::kTop));
  return fmt::format("{} after {} in {}, top {}, digest {}\n", outcome, Grouped(run.steps, "step"),
                     Grouped(run.passes, "pass"), static_cast<std::int32_t>(top),
                     isa::DigestText(run.digest));
}

}  // namespace txvm::frontends::cli
