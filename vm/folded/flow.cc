#include "vm/folded/flow.h"

#include <algorithm>

#include "isa/limits.h"
#include "isa/opcode.h"
#include "vm/engines/threaded.h"

namespace txvm::vm::folded {

using isa::Opcode;

namespace {

// Instructions times locals of a function whose liveness is still worth its memory: 32 MiB a set.
constexpr std::uint64_t kMostLivenessBits = std::uint64_t{1} << 28;

}  // namespace

bool LocalSet::empty() const {
  return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
}

bool LocalSet::AddAllBut(const LocalSet& other, const LocalSet& except) {
  bool grew = false;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::uint64_t with = words_[i] | (other.words_[i] & ~except.words_[i]);
    grew = grew || with != words_[i];
    words_[i] = with;
  }
  return grew;
}

bool LocalSet::AddAll(const LocalSet& other) {
  bool grew = false;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::uint64_t with = words_[i] | other.words_[i];
    grew = grew || with != words_[i];
    words_[i] = with;
  }
  return grew;
}

LocalSet LocalSet::All(std::uint32_t locals) {
  LocalSet set(locals);
  for (std::uint32_t i = 0; i < locals; ++i) set.Add(i);
  return set;
}

namespace {

bool IsJump(isa::Instruction instruction) {
  return instruction.op() == Opcode::kJz || instruction.op() == Opcode::kJnz;
}

bool IsHostCall(isa::Instruction instruction) {
  return instruction.op() == Opcode::kCall && (instruction.arg & isa::kHostCallBit) != 0;
}

bool EndsPath(isa::Instruction instruction) {
  return instruction.op() == Opcode::kHalt || instruction.op() == Opcode::kTrap ||
         instruction.op() == Opcode::kReturn;
}

// Whether a path from `from` to `to` needs a look at fuel and interrupts: it goes back, or ahead
// over a row where the threaded engines poll.
bool NeedsCheck(std::uint32_t from, std::uint32_t to) {
  return to <= from || (to - 1) / kPollDistance != from / kPollDistance;
}

class FlowMaker {
 public:
  FlowMaker(const isa::Program& program, const isa::PathFacts& paths, std::size_t index,
            bool keeps_all, const RoutineMap& routines)
      : program_(program), paths_(paths), function_(program.functions[index]), routines_(routines) {
    flow_.function = &function_;
    flow_.keeps_all = keeps_all;
  }

  Flow Make() {
    MarkLeaders();
    MakeBlocks();
    Connect();
    FindLive();
    FindDirty();
    return std::move(flow_);
  }

 private:
  // Whether a CALL ends its block.
  bool IsCall(isa::Instruction instruction) const {
    return instruction.op() == Opcode::kCall && !routines_.CalledBy(instruction);
  }
  bool Reached(std::uint32_t ip) const { return paths_.height[ip] != isa::PathFacts::kUnreached; }

  void MarkLeaders() {
    leader_.assign(function_.last - function_.first + 2, false);
    const auto mark = [&](std::uint32_t ip) { leader_[ip - function_.first] = true; };
    mark(function_.first);
    for (std::uint32_t ip = function_.first; ip <= function_.last; ++ip) {
      if (!Reached(ip)) continue;
      const isa::Instruction instruction = program_.code[ip];
      if (ip % kPollDistance == 0) mark(ip);
      if (IsJump(instruction)) {
        if (Decided(program_, paths_, ip) != Decision::kNot) mark(instruction.arg);
        mark(ip + 1);
      }
      if (IsCall(instruction) || EndsPath(instruction)) mark(ip + 1);
    }
    if (!routines_.empty()) SplitAtRoutines();
  }

  // No block computes routines of more than kMostRoutineSteps.
  void SplitAtRoutines() {
    std::uint32_t steps = 0;
    for (std::uint32_t ip = function_.first; ip <= function_.last; ++ip) {
      const std::uint32_t more = routines_.StepsOf(program_.code[ip]) - 1;
      if (Reached(ip) && steps + more > kMostRoutineSteps) leader_[ip - function_.first] = true;
      if (leader_[ip - function_.first]) steps = 0;
      steps += more;
    }
  }

  void MakeBlocks() {
    flow_.block_at.assign(function_.last - function_.first + 1, kNone);
    for (std::uint32_t ip = function_.first; ip <= function_.last; ++ip) {
      if (!Reached(ip)) continue;
      FlowBlock block;
      block.first = ip;
      block.height = paths_.height[ip];
      flow_.block_at[ip - function_.first] = static_cast<std::uint32_t>(flow_.blocks.size());
      block.routine_steps = routines_.StepsOf(program_.code[ip]) - 1;
      while (!leader_[ip + 1 - function_.first] && ip != function_.last) {
        block.routine_steps += routines_.StepsOf(program_.code[++ip]) - 1;
      }
      block.last = ip;
      flow_.blocks.push_back(std::move(block));
    }
  }

  void Reach(FlowBlock& from, std::uint32_t ip) {
    const std::uint32_t target = flow_.block_at[ip - function_.first];
    from.successors.push_back(target);
    FlowBlock& block = flow_.blocks[target];
    if (NeedsCheck(from.last, ip)) block.checks = true;
    if (ip <= from.last) block.enters = true;
    if (!from.ends_in_call && !from.ends_in_host_call) block.jumped_to = true;
  }

  void Connect() {
    flow_.blocks.front().checks = true;
    flow_.blocks.front().enters = true;
    for (FlowBlock& block : flow_.blocks) {
      if (block.first % kPollDistance == 0 || block.routine_steps != 0) block.checks = true;
      const isa::Instruction last = program_.code[block.last];
      if (EndsPath(last)) continue;
      if (IsCall(last)) {
        (IsHostCall(last) ? block.ends_in_host_call : block.ends_in_call) = true;
        Reach(block, block.last + 1);
        FlowBlock& after = flow_.blocks[block.successors.front()];
        after.checks = true;
        after.enters = true;
        continue;
      }
      const Decision decided =
          IsJump(last) ? Decided(program_, paths_, block.last) : Decision::kNot;
      if (decided != Decision::kNot) Reach(block, last.arg);
      if (decided != Decision::kTaken) Reach(block, block.last + 1);
    }
  }

  // Locals that a block reads before it writes them, and those it writes.
  void LocalUse(const FlowBlock& block, LocalSet& reads, LocalSet& writes) const {
    for (std::uint32_t ip = block.first; ip <= block.last; ++ip) {
      const isa::Instruction instruction = program_.code[ip];
      if (isa::Info(instruction.op()).operand != isa::Operand::kLocal || instruction.aux() == 1) {
        continue;
      }
      if (instruction.op() != Opcode::kLocalGet) {
        writes.Add(instruction.arg);
      } else if (!writes.Has(instruction.arg)) {
        reads.Add(instruction.arg);
      }
    }
  }

  void FindLive() {
    const std::uint32_t locals = function_.locals;
    std::vector<LocalSet> writes(flow_.blocks.size(), LocalSet(locals));
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
      FlowBlock& block = flow_.blocks[b];
      block.live = LocalSet(locals);
      if (flow_.keeps_all) {
        block.live = LocalSet::All(locals);
      } else {
        LocalUse(block, block.live, writes[b]);
      }
    }
    for (bool changed = !flow_.keeps_all; changed;) {
      changed = false;
      for (std::size_t b = flow_.blocks.size(); b-- > 0;) {
        for (const std::uint32_t next : flow_.blocks[b].successors) {
          if (flow_.blocks[b].live.AddAllBut(flow_.blocks[next].live, writes[b])) changed = true;
        }
      }
    }
  }

  // A call leaves the locals space up to date, for those that are still read; a write does not.
  void FindDirty() {
    const std::uint32_t locals = function_.locals;
    std::vector<LocalSet> writes(flow_.blocks.size(), LocalSet(locals));
    const LocalSet none(locals);
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
      FlowBlock& block = flow_.blocks[b];
      block.dirty = LocalSet(locals);
      LocalSet reads(locals);
      LocalUse(block, reads, writes[b]);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
        const FlowBlock& block = flow_.blocks[b];
        if (block.ends_in_call || block.ends_in_host_call) continue;
        for (const std::uint32_t next : block.successors) {
          LocalSet& dirty = flow_.blocks[next].dirty;
          if (dirty.AddAll(block.dirty)) changed = true;
          if (dirty.AddAll(writes[b])) changed = true;
        }
      }
    }
  }

  const isa::Program& program_;
  const isa::PathFacts& paths_;
  const isa::Function& function_;
  const RoutineMap& routines_;
  std::vector<bool> leader_;
  Flow flow_;
};

}  // namespace

Decision Decided(const isa::Program& program, const isa::PathFacts& paths, std::uint32_t ip) {
  if (!paths.after_push[ip]) return Decision::kDepends;
  const bool taken = (program.code[ip - 1].arg == 0) == (program.code[ip].op() == Opcode::kJz);
  return taken ? Decision::kTaken : Decision::kNot;
}

CallShape ShapeOf(const isa::Program& program, isa::Instruction call) {
  if ((call.arg & isa::kHostCallBit) != 0) {
    const isa::Import& import = program.imports[call.arg & ~isa::kHostCallBit];
    return {import.params, import.results};
  }
  const isa::Function& callee = *program.FunctionAt(call.arg);
  return {callee.params, callee.results};
}

bool ReadsOldLocals(const isa::Program& program, const isa::PathFacts& paths) {
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const isa::Function& function = program.functions[f];
    const std::uint64_t bits =
        (std::uint64_t{function.last} - function.first + 1) * function.locals;
    if (bits > kMostLivenessBits) return true;
    if (!FlowOf(program, paths, f, false).blocks.front().live.empty()) return true;
  }
  return false;
}

Flow FlowOf(const isa::Program& program, const isa::PathFacts& paths, std::size_t index,
            bool keeps_all, const RoutineMap& routines) {
  return FlowMaker(program, paths, index, keeps_all, routines).Make();
}

}  // namespace txvm::vm::folded
