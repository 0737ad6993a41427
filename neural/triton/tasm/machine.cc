#include "neural/triton/tasm/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "neural/triton/tasm/runner.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

constexpr std::array kCrashTexts = {
#define TXVM_TASM_CRASH(Name, text, detail) std::string_view(text),
#include "neural/triton/tasm/crashes.def"
#undef TXVM_TASM_CRASH
};
constexpr std::array kCrashDetails = {
#define TXVM_TASM_CRASH(Name, text, detail) std::string_view(detail),
#include "neural/triton/tasm/crashes.def"
#undef TXVM_TASM_CRASH
};

isa::Result<void> CheckElements(std::string_view what, const std::vector<std::uint64_t>& elements) {
  for (const std::uint64_t element : elements) {
    if (element < vm::goldilocks::kPrime) continue;
    return isa::Fail(
        isa::ErrorCode::kUsage,
        fmt::format("{} in {} is no field element: the limit is 2^64 - 2^32", element, what));
  }
  return {};
}

isa::Result<void> CheckInput(const TasmInput& input, const TasmOptions& options) {
  TXVM_CHECK_OK(CheckElements("the public input", input.input));
  TXVM_CHECK_OK(CheckElements("the secret input", input.secret));
  for (const Digest& digest : input.digests) {
    TXVM_CHECK_OK(CheckElements("a secret digest", {digest.begin(), digest.end()}));
  }
  for (const auto& [address, value] : input.ram) {
    TXVM_CHECK_OK(CheckElements("the initial RAM", {address, value}));
  }
  if (!options.initial_stack) return {};
  if (options.initial_stack->size() < kTasmRegisters) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("an initial stack of {} elements is below the minimum of {}",
                                 options.initial_stack->size(), kTasmRegisters));
  }
  return CheckElements("the initial stack", *options.initial_stack);
}

}  // namespace

std::string_view TasmCrashText(TasmCrash crash) {
  return kCrashTexts[static_cast<std::size_t>(crash)];
}

std::string_view TasmCrashDetail(TasmCrash crash) {
  return kCrashDetails[static_cast<std::size_t>(crash)];
}

isa::Result<TasmMachine> TasmMachine::Load(const TasmProgram& program) {
  TXVM_CHECK_OK(CheckTasmProgram(program));
  TasmMachine machine;
  machine.steps_.reserve(program.code.size() + 1);
  for (const TasmInstruction& instruction : program.code) {
    Step step{static_cast<std::uint8_t>(instruction.op), 0, instruction.arg};
    if (instruction.op == TasmOp::kCall) {
      step.target = static_cast<std::uint32_t>(program.labels[instruction.arg].index);
    }
    machine.steps_.push_back(step);
  }
  machine.steps_.push_back({kEnd, 0, 0});
  const std::vector<std::uint64_t> words = TasmWords(program);
  machine.words_ = words.size();
  machine.digest_ = Tip5HashVarlen(words, &machine.attestation_);
  return machine;
}

isa::Result<TasmRun> TasmMachine::Run(const TasmInput& input, const TasmOptions& options) const {
  TXVM_CHECK_OK(CheckInput(input, options));
  return TasmRunner(*this, input, options).Run();
}

void TasmRunner::FillHeights(TasmRun& run) const {
  TasmHeights& heights = run.heights;
  for (std::size_t i = 0; i < executions_.size(); ++i) {
    const std::uint64_t times = executions_[i];
    if (times == 0) continue;
    const Step& step = machine_.steps_[i];
    const TasmOpInfo& info = Info(static_cast<TasmOp>(step.op));
    const std::int32_t net = TasmNet(info.op, step.arg);
    const std::uint64_t units = info.ram_per_unit ? step.arg : 0;
    heights[TasmTable::kProcessor] += times;
    heights[TasmTable::kOpStack] += times * static_cast<std::uint64_t>(net < 0 ? -net : net);
    heights[TasmTable::kRam] += times * (info.ram_rows + units);
    heights[TasmTable::kHash] += times * info.hash_rows;
    for (std::size_t table = 0; table < kSeedTables; ++table) {
      run.seed6[table] += times * info.seed[table];
    }
    constexpr std::size_t kSeedRam = 4;
    run.seed6[kSeedRam] += times * units;
  }
  constexpr std::uint64_t kRowsPerPermutation = kTip5Rounds + 1;
  const std::uint64_t chunks = machine_.words_ / kTip5Rate + 1;  // one padding word at least
  heights[TasmTable::kHash] += kRowsPerPermutation * chunks;
  heights[TasmTable::kProgram] = kTip5Rate * chunks;
  heights[TasmTable::kJumpStack] = heights[TasmTable::kProcessor];
  heights[TasmTable::kCascade] = cascade_.size();
  heights[TasmTable::kLookup] = kTasmLookupHeight;
  heights[TasmTable::kU32] = u32_.height();
}

TasmRun TasmRunner::Run() {
  TasmRun run;
  if (!SetUp()) {
    run.crash = Crash::kMemoryLimit;
    return run;
  }
  run.crash = options_.heights ? Loop<true>() : Loop<false>();
  run.stop_index = ip_;
  run.cycles = cycles_;
  run.output = std::move(output_);
  run.input_read = input_read_;
  run.secret_read = secret_read_;
  run.digests_read = digests_read_;
  if (options_.heights) {
    executions_.pop_back();  // the sentinel's
    FillHeights(run);
    run.executions = std::move(executions_);
  }
  if (options_.keep_ram) run.ram = ram_.Sorted();
  run.stack.assign(stack_.data(), top_ + 1);
  return run;
}

}  // namespace txvm::triton
