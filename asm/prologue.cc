#include "asm/prologue.h"

#include <algorithm>
#include <optional>

#include "isa/opcode.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;

constexpr std::size_t kBits = 64;

bool IsJump(Instruction instruction) {
  return instruction.op() == Opcode::kJz || instruction.op() == Opcode::kJnz;
}

bool IsFrameLocal(Instruction instruction) {
  return isa::Info(instruction.op()).operand == isa::Operand::kLocal && instruction.aux() == 0;
}

// A set of the locals that are read somewhere, renumbered densely: most functions have few.
class LocalSet {
 public:
  explicit LocalSet(std::size_t count) : words_((count + kBits - 1) / kBits) {}
  bool Has(std::size_t i) const { return (words_[i / kBits] >> (i % kBits) & 1) != 0; }
  void Add(std::size_t i) { words_[i / kBits] |= std::uint64_t{1} << (i % kBits); }
  void Remove(std::size_t i) { words_[i / kBits] &= ~(std::uint64_t{1} << (i % kBits)); }
  // Whether it grew.
  bool Merge(const LocalSet& other) {
    bool grew = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      grew = grew || (other.words_[i] & ~words_[i]) != 0;
      words_[i] |= other.words_[i];
    }
    return grew;
  }

 private:
  std::vector<std::uint64_t> words_;
};

// A forward data flow over basic blocks: the locals that may still be unwritten at each block.
class UnwrittenFlow {
 public:
  UnwrittenFlow(const FunctionCode& function, std::uint32_t start,
                std::vector<std::uint32_t> candidates)
      : code_(function.code), candidates_(std::move(candidates)), reads_(candidates_.size()) {
    FindBlocks(start);
  }

  std::vector<std::uint32_t> Run() {
    const std::size_t words = candidates_.size() / kBits + 1;
    if (blocks_.size() * words > kMaxFlowWords) return candidates_;
    unwritten_.assign(blocks_.size(), LocalSet(candidates_.size()));
    visited_.assign(blocks_.size(), false);
    for (std::size_t i = 0; i < candidates_.size(); ++i) unwritten_[0].Add(i);
    visited_[0] = true;
    std::vector<std::uint32_t> waiting{0};
    std::uint64_t work = 0;
    while (!waiting.empty()) {
      const std::uint32_t block = waiting.back();
      waiting.pop_back();
      work += words + BlockEnd(block) - blocks_[block];
      if (work > kMaxFlowWork) return candidates_;
      Visit(block, waiting);
    }
    std::vector<std::uint32_t> result;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (reads_.Has(i)) result.push_back(candidates_[i]);
    }
    return result;
  }

 private:
  void FindBlocks(std::uint32_t start) {
    std::vector<bool> leads(code_.size(), false);
    leads[start] = true;
    for (std::uint32_t ip = start; ip < code_.size(); ++ip) {
      if (!IsJump(code_[ip])) continue;
      leads[code_[ip].arg] = true;
      if (ip + 1 < code_.size()) leads[ip + 1] = true;
    }
    block_of_.assign(code_.size(), 0);
    for (std::uint32_t ip = start; ip < code_.size(); ++ip) {
      if (leads[ip]) blocks_.push_back(ip);
      block_of_[ip] = static_cast<std::uint32_t>(blocks_.size() - 1);
    }
  }

  std::size_t BlockEnd(std::uint32_t block) const {
    return block + 1 < blocks_.size() ? blocks_[block + 1] : code_.size();
  }

  std::optional<std::size_t> CandidateOf(Instruction instruction) const {
    if (!IsFrameLocal(instruction)) return std::nullopt;
    const auto found = std::lower_bound(candidates_.begin(), candidates_.end(), instruction.arg);
    if (found == candidates_.end() || *found != instruction.arg) return std::nullopt;
    return static_cast<std::size_t>(found - candidates_.begin());
  }

  void Visit(std::uint32_t block, std::vector<std::uint32_t>& waiting) {
    LocalSet now = unwritten_[block];
    for (std::size_t ip = blocks_[block]; ip < BlockEnd(block); ++ip) {
      const Instruction instruction = code_[ip];
      if (const auto local = CandidateOf(instruction)) {
        if (instruction.op() != Opcode::kLocalGet) now.Remove(*local);
        if (instruction.op() == Opcode::kLocalGet && now.Has(*local)) reads_.Add(*local);
      }
      const Opcode op = instruction.op();
      if (op == Opcode::kHalt || op == Opcode::kTrap || op == Opcode::kReturn) return;
      if (!IsJump(instruction)) continue;
      Arrive(block_of_[instruction.arg], now, waiting);
      if (ip > blocks_[block] && op == Opcode::kJnz &&
          code_[ip - 1] == Instruction(Opcode::kPush, 1)) {
        return;  // unconditional
      }
    }
    if (block + 1 < blocks_.size()) Arrive(block + 1, now, waiting);
  }

  void Arrive(std::uint32_t block, const LocalSet& state, std::vector<std::uint32_t>& waiting) {
    const bool grew = unwritten_[block].Merge(state);
    if (!grew && visited_[block]) return;
    visited_[block] = true;
    waiting.push_back(block);
  }

  const std::vector<Instruction>& code_;
  std::vector<std::uint32_t> candidates_;  // ascending local indices
  LocalSet reads_;                         // of candidates that are read unwritten
  std::vector<std::uint32_t> blocks_;      // (blocks,) first instruction
  std::vector<std::uint32_t> block_of_;    // (code,)
  std::vector<LocalSet> unwritten_;        // (blocks,) at its start
  std::vector<bool> visited_;              // (blocks,)
};

}  // namespace

std::vector<std::uint32_t> UnwrittenReads(const FunctionCode& function, std::uint32_t start,
                                          std::uint32_t first_local) {
  std::vector<std::uint32_t> candidates;
  for (const Instruction instruction : function.code) {
    const bool reads = instruction.op() == Opcode::kLocalGet && instruction.aux() == 0;
    if (reads && instruction.arg >= first_local) candidates.push_back(instruction.arg);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  if (candidates.empty()) return candidates;
  return UnwrittenFlow(function, start, std::move(candidates)).Run();
}

void ZeroUnwrittenLocals(FunctionCode& function, std::uint32_t params) {
  const std::vector<std::uint32_t> locals = UnwrittenReads(function, params, params);
  if (locals.empty()) return;
  const std::uint32_t added = 2 * static_cast<std::uint32_t>(locals.size());
  std::vector<Instruction> zeros;
  for (const std::uint32_t local : locals) {
    zeros.emplace_back(Opcode::kPush);
    zeros.emplace_back(Opcode::kLocalSet, local);
  }
  function.code.insert(function.code.begin() + static_cast<std::ptrdiff_t>(params), zeros.begin(),
                       zeros.end());
  for (Instruction& instruction : function.code) {
    if (IsJump(instruction)) instruction.arg += added;
  }
  for (CallSite& call : function.calls) call.offset += added;
  for (isa::LineMark& mark : function.lines) mark.ip += mark.ip > params ? added : 0;
  for (isa::TrapNote& note : function.notes) note.ip += added;
}

}  // namespace txvm::assembler
