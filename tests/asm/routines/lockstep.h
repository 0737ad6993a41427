// Runs one routine on many operand sets at once, instruction by instruction: every lane executes
// the same instruction at the same time. That it can is the proof that the steps do not depend on
// the operands.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/program.h"
#include "isa/word_ops.h"

namespace txvm::assembler {

using isa::Word;

inline constexpr std::size_t kLanes = 512;  // of a full block: a row of cells is 2 KiB

/// One cell of every lane. Lanes beyond those in use hold anything.
using Row = std::array<Word, kLanes>;

/// How one block ended.
struct LockstepRun {
  std::uint64_t steps = 0;           // RETURN included, the CALL not
  std::vector<Row> results;          // first deepest
  std::vector<std::uint8_t> traps;   // (lanes,) the cause, 0 for none; its results mean nothing
  std::optional<std::string> fault;  // why it could not go on, with the lane
};

/// Executes `code` of a routine on operand rows. A fault is: a branch that lanes take differently,
/// unless the lanes of one side all reach a TRAP (they leave then); a division by 0; an operand or
/// local that is not there; an instruction no routine may use; more than `max_steps` steps.
class Lockstep {
 public:
  Lockstep(std::span<const isa::Instruction> code, std::uint32_t locals);

  /// `operands`: rows, the first deepest. 1 <= lanes <= kLanes. The result is valid until the next
  /// call.
  const LockstepRun& Run(std::span<const Row> operands, std::size_t lanes,
                         std::uint64_t max_steps = 1'000'000);

 private:
  void Continue();
  void Step(const isa::Instruction& instruction);
  bool Has(std::size_t count);
  void Reserve(std::size_t count);
  void Branch(const isa::Instruction& instruction);
  void Leave(const std::vector<std::uint8_t>& stays);
  void Fail(std::string text) {
    if (!run_.fault) run_.fault = std::move(text);
  }

  std::span<const isa::Instruction> code_;
  std::vector<Row> locals_;
  std::vector<std::unique_ptr<Row>> stack_;  // height_ in use; SWAP and results move pointers
  std::size_t height_ = 0, lanes_ = 0;
  std::uint32_t ip_ = 0;
  std::uint64_t max_steps_ = 0;
  LockstepRun run_;
};

}  // namespace txvm::assembler
