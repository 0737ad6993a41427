#include "asm/peephole.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "asm/peephole_body.h"
#include "asm/peephole_flow.h"
#include "asm/peephole_window.h"
#include "isa/limits.h"
#include "isa/routine.h"

namespace txvm::assembler {
namespace {

using isa::Opcode;

constexpr int kCopyRounds =
    2;                         // the first turns loops round, the second shortens ways to their end
constexpr int kMaxRounds = 8;  // passes; each enables a few more rules, two or three settle it

Body BodyOf(const isa::Program& program, const isa::Function& function) {
  Body body;
  body.reserve(function.last - function.first + 1);
  auto note = std::lower_bound(program.notes.begin(), program.notes.end(), function.first,
                               [](const isa::TrapNote& n, std::uint32_t ip) { return n.ip < ip; });
  auto line =
      std::upper_bound(program.lines.begin(), program.lines.end(), function.first,
                       [](std::uint32_t ip, const isa::LineMark& mark) { return ip < mark.ip; });
  std::uint32_t current = line == program.lines.begin() ? 0 : (line - 1)->line;
  for (std::uint32_t ip = function.first; ip <= function.last; ++ip) {
    if (line != program.lines.end() && line->ip == ip) current = (line++)->line;
    Item item{program.code[ip], current, -1};
    if (note != program.notes.end() && note->ip == ip) {
      item.note = static_cast<std::int32_t>(note++ - program.notes.begin());
    }
    if (IsJump(item)) item.instruction.arg -= function.first;
    body.push_back(item);
  }
  return body;
}

void Settle(Body& body) {
  for (int round = 0; round < kMaxRounds; ++round) {
    ThreadJumps(body);
    if (!ReduceWindows(body)) return;
  }
}

void Improve(Body& body) {
  Settle(body);
  for (int round = 0; round < kCopyRounds && CopyConditions(body); ++round) Settle(body);
}

// Puts the bodies back to back and moves everything that names an address.
class Rebuilder {
 public:
  explicit Rebuilder(isa::Program& program) : program_(program) {}

  void Run(const std::vector<Body>& bodies) {
    std::vector<isa::Instruction> code;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      old_first_.push_back(program_.functions[i].first);
      new_first_.push_back(static_cast<std::uint32_t>(code.size()));
      Append(bodies[i], code);
      program_.functions[i].first = new_first_.back();
      program_.functions[i].last = static_cast<std::uint32_t>(code.size() - 1);
    }
    for (isa::Instruction& instruction : code) {
      const bool is_call = instruction.op() == Opcode::kCall;
      if (is_call && (instruction.arg & isa::kHostCallBit) == 0)
        instruction.arg = Moved(instruction.arg);
    }
    program_.code = std::move(code);
    program_.lines = std::move(lines_);
    program_.notes = std::move(notes_);
    for (isa::Export& exported : program_.exports) exported.start = Moved(exported.start);
    if (program_.init) program_.init = Moved(*program_.init);
    program_.entry = Moved(program_.entry);
  }

 private:
  void Append(const Body& body, std::vector<isa::Instruction>& code) {
    const auto first = static_cast<std::uint32_t>(code.size());
    for (const Item& item : body) {
      const auto ip = static_cast<std::uint32_t>(code.size());
      const std::uint32_t line = lines_.empty() ? 0 : lines_.back().line;
      if (line != item.line) lines_.push_back({ip, item.line});
      if (item.note >= 0)
        notes_.push_back({ip, program_.notes[static_cast<std::size_t>(item.note)].text});
      code.push_back(item.instruction);
      if (IsJump(item)) code.back().arg += first;
    }
  }

  // Where the function that began at `ip` begins now.
  std::uint32_t Moved(std::uint32_t ip) const {
    const auto found = std::lower_bound(old_first_.begin(), old_first_.end(), ip);
    return new_first_[static_cast<std::size_t>(found - old_first_.begin())];
  }

  isa::Program& program_;
  std::vector<std::uint32_t> old_first_, new_first_;  // (functions,)
  std::vector<isa::LineMark> lines_;
  std::vector<isa::TrapNote> notes_;
};

}  // namespace

PeepholeStats Peephole(isa::Program& program) {
  PeepholeStats stats;
  stats.instructions_before = static_cast<std::uint32_t>(program.code.size());
  std::vector<Body> bodies;
  bodies.reserve(program.functions.size());
  for (const isa::Function& function : program.functions) {
    bodies.push_back(BodyOf(program, function));
    if (!isa::RecognizeRoutine(program, function)) Improve(bodies.back());
  }
  Rebuilder(program).Run(bodies);
  stats.instructions_after = static_cast<std::uint32_t>(program.code.size());
  return stats;
}

}  // namespace txvm::assembler
