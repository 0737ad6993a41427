// Jumps: threading, reachability, copies of loop conditions.
#include "asm/peephole_flow.h"

#include <algorithm>
#include <utility>

#include "asm/peephole.h"

namespace txvm::assembler {
namespace {

using isa::Instruction;
using isa::Opcode;

constexpr int kMaxHops = 16;  // a jump that goes round in a circle of jumps ends somewhere in it

// A straight run of items after a jump's target, up to a conditional jump.
struct Condition {
  std::uint32_t first = 0;
  std::uint32_t jump = 0;  // body[first .. jump - 1] is straight, body[jump] is the jump
};

std::optional<Condition> ConditionAt(const Body& body, std::uint32_t first) {
  for (std::uint32_t at = first; at < body.size() && at - first <= kMaxCopied; ++at) {
    if (IsJump(body[at])) {
      const bool is_last = at + 1 == body.size();
      if (is_last || (at > first && Decided(body[at - 1], body[at]))) return std::nullopt;
      return Condition{first, at};
    }
    if (IsStop(body[at]) || body[at].op() == Opcode::kCall) return std::nullopt;
  }
  return std::nullopt;
}

bool IsJumpAlways(const Body& body, std::uint32_t at) {
  return at + 1 < body.size() && IsJump(body[at + 1]) && Decided(body[at], body[at + 1]) == true;
}

Item MakeItem(Opcode op, std::uint32_t arg, const Item& like) {
  return Item{Instruction(op, arg), like.line, -1};
}

// Builds a body from an older one; jumps name items of the older one until Finish.
class Copier {
 public:
  explicit Copier(const Body& body) : body_(body), new_index_(body.size()) {}

  void Keep(std::uint32_t at) {
    new_index_[at] = static_cast<std::uint32_t>(out_.size());
    out_.push_back(body_[at]);
  }
  // The unconditional jump at `at`, which is left out, has turned into what is added next.
  void Replace(std::uint32_t at) {
    new_index_[at] = static_cast<std::uint32_t>(out_.size());
    new_index_[at + 1] = new_index_[at];
  }
  void Add(const Item& item) { out_.push_back(item); }
  Body Finish() && {
    for (Item& item : out_) {
      if (IsJump(item)) item.instruction.arg = new_index_[item.instruction.arg];
    }
    return std::move(out_);
  }

 private:
  const Body& body_;
  std::vector<std::uint32_t> new_index_;  // (body,)
  Body out_;
};

}  // namespace

std::optional<bool> Decided(const Item& before, const Item& jump) {
  if (before.op() != Opcode::kPush) return std::nullopt;
  return (before.instruction.arg == 0) == (jump.op() == Opcode::kJz);
}

void ThreadJumps(Body& body) {
  for (Item& item : body) {
    if (!IsJump(item)) continue;
    std::uint32_t target = item.instruction.arg;
    for (int hop = 0; hop < kMaxHops; ++hop) {
      if (body[target].op() == Opcode::kNop && target + 1 < body.size()) {
        ++target;
      } else if (IsJumpAlways(body, target)) {
        target = body[target + 1].instruction.arg;
      } else {
        break;
      }
    }
    item.instruction.arg = target;
  }
}

std::vector<bool> Reached(const Body& body) {
  std::vector<bool> reached(body.size(), false);
  std::vector<bool> is_target(body.size(), false);
  for (const Item& item : body) {
    if (IsJump(item)) is_target[item.instruction.arg] = true;
  }
  std::vector<std::uint32_t> waiting{0};
  while (!waiting.empty()) {
    std::uint32_t at = waiting.back();
    waiting.pop_back();
    for (; at < body.size() && !reached[at]; ++at) {
      reached[at] = true;
      if (IsStop(body[at])) break;
      if (!IsJump(body[at])) continue;
      std::optional<bool> taken;
      if (at > 0 && !is_target[at]) taken = Decided(body[at - 1], body[at]);
      if (taken != false) waiting.push_back(body[at].instruction.arg);
      if (taken == true) break;
    }
  }
  return reached;
}

std::vector<bool> Targets(const Body& body, const std::vector<bool>& reached) {
  std::vector<bool> targets(body.size(), false);
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (reached[at] && IsJump(body[at])) targets[body[at].instruction.arg] = true;
  }
  return targets;
}

// A loop whose end jumps back to `condition; JNZ exit` pays two steps per round for that jump. The
// condition copied to the end, with the jump turned round to go to the loop's body, pays none. The
// same holds for a jump forward to a condition that jumps back.
bool CopyConditions(Body& body) {
  const std::vector<bool> targets = Targets(body, Reached(body));
  Copier copier(body);
  bool changed = false;
  for (std::uint32_t at = 0; at < body.size(); ++at) {
    const bool is_jump = IsJumpAlways(body, at) && !targets[at + 1];
    const auto condition =
        is_jump ? ConditionAt(body, body[at + 1].instruction.arg) : std::optional<Condition>();
    if (!condition) {
      copier.Keep(at);
      continue;
    }
    const Item& jump = body[condition->jump];
    const bool is_back = condition->first <= at;
    const bool jumps_back = jump.instruction.arg <= condition->first;
    if (!is_back && !jumps_back) {
      copier.Keep(at);
      continue;
    }
    copier.Replace(at);
    for (std::uint32_t i = condition->first; i < condition->jump; ++i) copier.Add(body[i]);
    const std::uint32_t after = condition->jump + 1;
    const std::uint32_t target = jump.instruction.arg;
    const Opcode op = is_back && !jumps_back ? Opposite(jump.op()) : jump.op();
    copier.Add(MakeItem(op, is_back && !jumps_back ? after : target, jump));
    copier.Add(MakeItem(Opcode::kPush, 1, jump));
    copier.Add(MakeItem(Opcode::kJnz, is_back && !jumps_back ? target : after, jump));
    changed = true;
    ++at;  // the jump after the push is replaced too
  }
  body = std::move(copier).Finish();
  return changed;
}

}  // namespace txvm::assembler
