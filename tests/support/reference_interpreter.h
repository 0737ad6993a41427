// The oracle of the engine tests: docs/ISA.md and its semantics read aloud. Slow, short, and
// sharing no arithmetic, no loop and no memory with the engines.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "isa/limits.h"
#include "isa/program.h"
#include "isa/trap.h"

namespace txvm::support {

/// How a reference run ended, and everything engines must agree on.
struct ReferenceResult {
  enum class Outcome : std::uint8_t { kHalted, kTrapped, kExited, kHostError, kOutOfFuel };
  Outcome outcome = Outcome::kHalted;
  isa::Trap cause = isa::Trap::kUnreachable;  // kTrapped
  std::uint32_t ip = 0;                       // where the run stands
  std::int32_t exit_code = 0;                 // kExited
  std::vector<std::uint32_t> results;         // kHalted
  std::uint64_t steps = 0;
  std::uint64_t digest = 0;
};

/// A byte memory of whole pages.
struct ReferenceMemory {
  std::vector<std::uint8_t> bytes;
  std::uint32_t max_pages = 0;

  std::uint32_t pages() const;
  /// The old page count, or -1 as a word, changing nothing.
  std::uint32_t Grow(std::uint32_t delta);
};

/// What a host function answers.
struct ReferenceHostAnswer {
  ReferenceResult::Outcome outcome = ReferenceResult::Outcome::kHalted;  // kHalted: goes on
  isa::Trap cause = isa::Trap::kHost;
  std::int32_t exit_code = 0;
  std::vector<std::uint32_t> results;
};
using ReferenceHost =
    std::function<ReferenceHostAnswer(ReferenceMemory&, const std::vector<std::uint32_t>& args)>;
/// By module and name. memory.size and memory.grow of module txvm need not be listed.
using ReferenceHosts = std::map<std::pair<std::string, std::string>, ReferenceHost>;

/// One instance of a program. Runs any program, verified or not, with every check at every step.
class ReferenceInterpreter {
 public:
  /// REQUIRES: data segments and initial memory fit; imports are known.
  ReferenceInterpreter(const isa::Program& program, const isa::Limits& limits,
                       const ReferenceHosts& hosts);

  ReferenceResult Run(std::uint32_t start, const std::vector<std::uint32_t>& args,
                      std::uint64_t fuel);
  /// After kOutOfFuel.
  ReferenceResult Resume(std::uint64_t fuel);

  const std::vector<std::uint32_t>& stack() const { return stack_; }
  std::uint32_t depth() const { return static_cast<std::uint32_t>(calls_.size()); }
  const std::vector<std::uint8_t>& memory() const { return memory_.bytes; }
  std::vector<std::uint32_t> globals() const;
  /// How often each opcode has been executed. (256,)
  const std::vector<std::uint64_t>& executed() const { return executed_; }

 private:
  struct Call {
    std::uint32_t return_ip, locals_base;
  };

  void Step();
  bool IsMalformed(const isa::Instruction& instruction) const;
  void Pure(const isa::Instruction& instruction);
  void Divide(isa::Opcode op);
  void Access(const isa::Instruction& instruction);
  void Locals(const isa::Instruction& instruction);
  void Jump(const isa::Instruction& instruction);
  void EnterCall(const isa::Instruction& instruction);
  void HostCall(const isa::Instruction& instruction);
  void Return();
  void Record(std::uint32_t ip, const isa::Instruction& instruction);

  void TrapWith(isa::Trap cause);
  bool NeedsOperands(std::size_t count);
  bool NeedsRoom(std::size_t pops, std::size_t pushes);
  std::uint32_t Pop();
  void Push(std::uint32_t value) { stack_.push_back(value); }

  const isa::Program& program_;
  isa::Limits limits_;
  const ReferenceHosts& hosts_;
  ReferenceMemory memory_;
  std::vector<std::uint32_t> stack_;
  std::map<std::uint64_t, std::uint32_t> locals_;  // the locals space; absent = 0
  std::vector<Call> calls_;
  std::uint32_t ip_ = 0;
  std::uint64_t locals_base_ = 0;
  bool stopped_ = false;
  ReferenceResult result_;
  std::vector<std::uint64_t> executed_;
};

}  // namespace txvm::support
