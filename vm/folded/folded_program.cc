#include "vm/folded/folded_program.h"

#include <algorithm>

#include "vm/folded/constant_heads.h"
#include "vm/folded/sizes.h"

namespace txvm::vm::folded {
namespace {

// A larger function stays with the interpreter: making its code takes half a second and more, and
// no interrupt is seen meanwhile.
constexpr std::uint32_t kMostInstructions = 20'000;

// Making code takes 1.5 to 4 us an instruction, and above some thousands of them more and more. So
// n instructions have to make n * max(n, 1024) / 4 steps in the interpreter first. A large function
// has then run for as long as its code takes to make, a small one for a fraction of it.
constexpr std::uint64_t kSmallFunction = 1'024;
constexpr std::uint64_t kStepsDivisor = 4;

}  // namespace

FoldedProgram::FoldedProgram(const isa::Program& program,
                             std::shared_ptr<const isa::PathFacts> paths)
    : program_(program),
      paths_(std::move(paths)),
      functions_(program.functions.size()),
      steps_(program.functions.size()) {}

void FoldedProgram::Begin() {
  keeps_all_ = ReadsOldLocals(program_, *paths_);
  if (!keeps_all_) routines_ = RoutineMap(program_, CanCompute);
  if (has_routines()) {
    for (const isa::Instruction instruction : program_.code) {
      most_routine_steps_ += routines_.StepsOf(instruction) - 1;
    }
    most_routine_steps_ = std::min<std::uint64_t>(most_routine_steps_, kMostRoutineSteps);
  }
  thunks_ = MakeThunks(room_);
  table_.assign(program_.functions.size(), thunks_.unfolded);
}

std::shared_ptr<const FoldedProgram> FoldedProgram::Create(
    const isa::Program& program, std::shared_ptr<const isa::PathFacts> paths, IrHook hook) {
  if (!CanMakeCode()) return nullptr;
  // Every head with a constant query is evaluated here, once, by the kernels of the attention
  // engine. Weights for which a fetch returned another instruction would not be folded.
  const auto heads = ConstantHeads::Create(program, weights::CompileHeads());
  if (!heads || !heads->Check()) return nullptr;
  std::shared_ptr<FoldedProgram> folded(new FoldedProgram(program, std::move(paths)));
  folded->hook_ = std::move(hook);
  folded->Begin();
  return folded->thunks_.enter == nullptr ? nullptr : folded;
}

std::shared_ptr<const FoldedProgram> FoldedProgram::CreateMade(
    const isa::Program& program, std::shared_ptr<const isa::PathFacts> paths,
    void (*enter)(Context*, const std::byte*), std::vector<FoldedFunction> functions) {
  std::shared_ptr<FoldedProgram> folded(new FoldedProgram(program, std::move(paths)));
  folded->thunks_.enter = enter;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    folded->owned_.push_back(std::make_unique<FoldedFunction>(std::move(functions[f])));
    folded->functions_[f].store(folded->owned_.back().get(), std::memory_order_release);
  }
  return folded;
}

const FoldedFunction& FoldedProgram::Function(std::size_t index) const {
  const FoldedFunction* function = functions_[index].load(std::memory_order_acquire);
  if (function != nullptr) return *function;
  const std::lock_guard lock(mutex_);
  if (functions_[index].load(std::memory_order_acquire) == nullptr) Fold(index);
  return *functions_[index].load(std::memory_order_acquire);
}

bool FoldedProgram::IsInterpreted(std::size_t index, FoldWhen when) const {
  if (functions_[index].load(std::memory_order_acquire) != nullptr) {
    return Function(index).code.start == nullptr;
  }
  if (when == FoldWhen::kFirstCall) return Function(index).code.start == nullptr;
  return StepsToEarn(index) != 0 || Function(index).code.start == nullptr;
}

std::uint64_t FoldedProgram::StepsToEarn(std::size_t index) const {
  const isa::Function& function = program_.functions[index];
  const std::uint64_t size = std::uint64_t{function.last} - function.first + 1;
  const std::uint64_t price = size * std::max(size, kSmallFunction) / kStepsDivisor;
  return price - std::min(price, steps_[index].load(std::memory_order_relaxed));
}

bool FoldedProgram::CanFold(const isa::Function& function) const {
  const std::uint64_t size = std::uint64_t{function.last} - function.first + 1;
  return size <= kMostInstructions && CanBeFolded(function, *paths_);
}

void FoldedProgram::Fold(std::size_t index) const {
  auto folded = std::make_unique<FoldedFunction>();
  if (CanFold(program_.functions[index])) {
    FunctionIr ir = Lift(program_, *paths_, index, keeps_all_, &routines_);
    if (hook_) hook_(ir);
    folded->computes_routines =
        std::ranges::any_of(ir.blocks, [](const Block& block) { return block.routine_steps != 0; });
    folded->code = MakeCode(ir, table_.data(), thunks_, room_);
    folded->exits = std::move(ir.exits);
    for (Exit& exit : folded->exits) {
      exit.cells = {};
      exit.locals = {};
    }
  }
  const std::byte* start = folded->code.start;
  functions_[index].store(folded.get(), std::memory_order_release);
  owned_.push_back(std::move(folded));
  // A frame that is too large for the machine's stack is entered by the driver only.
  if (start != nullptr && owned_.back()->code.frame_bytes <= kLargestFrameBytes) {
    std::atomic_ref<const std::byte*>(table_[index]).store(start, std::memory_order_release);
  }
}

std::uint32_t FoldedProgram::EntryAt(std::size_t function, std::uint32_t ip) const {
  const FunctionCode& code = Function(function).code;
  const auto found =
      std::ranges::lower_bound(code.entries, ip, {}, [](const auto& entry) { return entry.first; });
  return found != code.entries.end() && found->first == ip ? found->second : kNone;
}

}  // namespace txvm::vm::folded
