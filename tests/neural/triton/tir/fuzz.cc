#include "tests/neural/triton/tir/fuzz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "neural/triton/lower/lower.h"
#include "neural/triton/tasm/machine.h"
#include "neural/triton/tasm/text.h"
#include "neural/triton/tir/interpreter.h"
#include "neural/triton/tir/parser.h"
#include "neural/triton/tir/printer.h"

namespace txvm::triton {
namespace {

constexpr TirRunLimits kLimits{.steps = 2'000'000, .stack_words = 1 << 20, .call_depth = 1 << 16};

TasmInput ToTasm(const TirInputs& inputs) {
  return {inputs.input, inputs.secret, inputs.digests, {inputs.ram.begin(), inputs.ram.end()}};
}

template <class Pairs>
std::map<std::uint64_t, std::uint64_t> NonZero(const Pairs& ram) {
  std::map<std::uint64_t, std::uint64_t> words;
  for (const auto& [address, value] : ram) {
    if (value != 0) words[address] = value;
  }
  return words;
}

std::string Compare(const TirRun& tir, const TasmRun& tasm) {
  if ((tir.fault == Fault::kNone) == tasm.crash.has_value()) {
    return fmt::format("TIR: {}, TASM: {}", FaultText(tir.fault),
                       tasm.crash ? TasmCrashText(*tasm.crash) : "halts");
  }
  if (tir.output != tasm.output) {
    return fmt::format("output {} and {}", fmt::join(tir.output, ","), fmt::join(tasm.output, ","));
  }
  if (tir.fault != Fault::kNone) return {};
  const std::vector<std::uint64_t> stack(tasm.stack.begin() + kTasmRegisters, tasm.stack.end());
  if (tir.stack != stack) {
    return fmt::format("stack {} and {}", fmt::join(tir.stack, ","), fmt::join(stack, ","));
  }
  return NonZero(tir.ram) == NonZero(tasm.ram) ? std::string() : "RAM differs";
}

}  // namespace

std::string CheckLowering(const RandomProgram& program) {
  const std::string text = PrintTir(program.module);
  const auto parsed = ParseTir(text);
  if (!parsed) return parsed.error().ToString() + "\n" + text;
  if (*parsed != program.module) return "the printed text parses to another module\n" + text;
  const auto tir = RunTir(program.module, program.inputs, {}, kLimits);
  if (!tir) return tir.error().ToString() + "\n" + text;
  if (tir->fault == Fault::kStepLimit) return {};
  for (const bool peepholes : {false, true}) {
    const auto lowered = LowerTir(program.module, {peepholes});
    if (!lowered) return lowered.error().ToString() + "\n" + text;
    const auto machine = TasmMachine::Load(*lowered);
    if (!machine) return machine.error().ToString() + "\n" + DisassembleTasm(*lowered);
    TasmOptions options;
    options.heights = false;
    options.keep_ram = true;
    const auto tasm = machine->Run(ToTasm(program.inputs), options);
    if (!tasm) return tasm.error().ToString();
    const std::string difference = Compare(*tir, *tasm);
    if (!difference.empty()) {
      return fmt::format("{}\n{}\n{}", difference, text, DisassembleTasm(*lowered));
    }
  }
  return {};
}

bool Halts(const RandomProgram& program) {
  const auto run = RunTir(program.module, program.inputs, {}, kLimits);
  return run && run->fault == Fault::kNone;
}

}  // namespace txvm::triton
