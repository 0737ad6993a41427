// Runs WebAssembly as provable code and on the machine, and compares.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/provable/lower.h"
#include "isa/program.h"
#include "isa/support/result.h"
#include "neural/triton/tasm/machine.h"

namespace txvm::tests {

/// What a run did, for either side.
struct ProvableOutcome {
  bool crashed = false;  // trapped
  std::string why;
  std::vector<std::uint64_t> output;  // printed words, then results
};

/// How to compare.
struct ProvableOptions {
  frontends::provable::LowerOptions lower = {};
  std::optional<std::uint64_t> ram_seed = {};  // random words in RAM at the start
  bool tir = true;                             // run the TIR interpreter too
};

/// One entry of a module, lowered both ways.
class Provable {
 public:
  /// Errors: those of reading and both lowerings.
  static isa::Result<Provable> Make(std::string_view wat, const ProvableOptions& options);

  /// Runs the native engine, the TASM machine and the TIR interpreter: empty when outputs, crashes
  /// and, after a good end, globals and memory agree; else what differs.
  std::string Compare(const std::vector<std::uint32_t>& args);

  const ProvableOutcome& native() const { return native_; }
  const triton::TasmRun& run() const { return run_; }
  const frontends::provable::Lowered& lowered() const { return lowered_; }
  const triton::TasmProgram& program() const { return program_; }
  /// The native engine gave up for want of stack, which provable code does not.
  bool exhausted() const { return exhausted_; }

 private:
  Provable() = default;
  isa::Result<void> RunNative(const std::vector<std::uint32_t>& args);
  std::string CompareState(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ram) const;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> InitialRam() const;

  ProvableOptions options_;
  std::string entry_;
  std::shared_ptr<const isa::Program> isa_;
  frontends::provable::Lowered lowered_;
  triton::TasmProgram program_;
  std::optional<triton::TasmMachine> machine_;
  ProvableOutcome native_;
  bool exhausted_ = false;
  std::vector<std::uint32_t> globals_;
  std::vector<std::uint8_t> memory_;
  triton::TasmRun run_;
};

}  // namespace txvm::tests
