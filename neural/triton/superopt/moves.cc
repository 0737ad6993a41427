#include "neural/triton/superopt/moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace txvm::triton {
namespace {

using Code = std::vector<TasmInstruction>;

constexpr std::size_t kMostWrittenOut = 64;     // rounds of a loop
constexpr std::size_t kMostInstructions = 600;  // of a program that grows
constexpr std::size_t kMostInlined = 200;       // instructions of a routine
constexpr std::size_t kLeastOutlined = 3;       // instructions of code that becomes a routine
constexpr std::size_t kMostOutlined = 40;
constexpr std::size_t kOutlinings = 6;  // proposals, those that save most words

bool IsGuarded(const TasmProgram& program, std::size_t at) {
  return at > 0 && program.code[at - 1].op == TasmOp::kSkiz;
}

bool IsEnd(TasmOp op) {
  return op == TasmOp::kHalt || op == TasmOp::kReturn || op == TasmOp::kRecurse ||
         op == TasmOp::kRecurseOrReturn;
}

bool IsTarget(const TasmProgram& program, std::size_t at) {
  return std::ranges::any_of(program.labels, [&](const auto& label) { return label.index == at; });
}

// Replaces `length` instructions at `at`. Labels of the first stay there, those inside are moved
// there too.
void Splice(TasmProgram& program, std::size_t at, std::size_t length, const Code& with) {
  const auto begin = program.code.begin() + static_cast<std::ptrdiff_t>(at);
  program.code.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
  program.code.insert(program.code.begin() + static_cast<std::ptrdiff_t>(at), with.begin(),
                      with.end());
  for (TasmLabel& label : program.labels) {
    if (label.index >= at + length && (length > 0 || label.index > at)) {
      label.index += with.size() - length;
    } else if (label.index > at) {
      label.index = at;
    }
  }
  std::erase_if(program.error_ids,
                [&](const auto& id) { return id.index >= at && id.index < at + length; });
  for (TasmErrorId& id : program.error_ids) {
    if (id.index >= at) id.index += with.size() - length;
  }
  program.lines.clear();
}

std::size_t NewLabel(TasmProgram& program, const std::string& base, std::size_t index) {
  std::string name = base;
  for (std::size_t i = 2; program.FindLabel(name); ++i) name = fmt::format("{}_{}", base, i);
  program.labels.push_back({name, index});
  return program.labels.size() - 1;
}

// A routine of one block: its label, and its code from `start` to the instruction before `end`,
// which returns or repeats.
struct Routine {
  std::size_t label = 0;
  std::size_t start = 0;
  std::size_t end = 0;
};

// The block at a label, as far as its first end that no skiz guards, if nothing enters it inside.
std::optional<Routine> RoutineAt(const TasmProgram& program, std::size_t label) {
  Routine routine{label, program.labels[label].index, program.labels[label].index};
  for (; routine.end < program.code.size(); ++routine.end) {
    if (routine.end > routine.start && IsTarget(program, routine.end)) return std::nullopt;
    if (EndsBlock(program, routine.end)) return routine;
  }
  return std::nullopt;
}

Code CodeOf(const TasmProgram& program, std::size_t start, std::size_t end) {
  return {program.code.begin() + static_cast<std::ptrdiff_t>(start),
          program.code.begin() + static_cast<std::ptrdiff_t>(end)};
}

bool HasControl(const Code& code, std::initializer_list<TasmOp> ops) {
  return std::ranges::any_of(code, [&](const TasmInstruction& instruction) {
    return std::ranges::find(ops, instruction.op) != ops.end();
  });
}

std::vector<std::size_t> CallsOf(const TasmProgram& program, std::size_t index) {
  std::vector<std::size_t> calls;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const TasmInstruction& instruction = program.code[i];
    if (instruction.op == TasmOp::kCall && program.labels[instruction.arg].index == index) {
      calls.push_back(i);
    }
  }
  return calls;
}

class Mover {
 public:
  Mover(const TasmProgram& program, const std::vector<std::uint64_t>& executions)
      : program_(program), executions_(executions) {}

  std::vector<Move> All() {
    for (std::size_t label = 0; label < program_.labels.size(); ++label) {
      const std::optional<Routine> routine = RoutineAt(program_, label);
      if (!routine) continue;
      Inline(*routine);
      PlaceAfterCaller(*routine);
      if (program_.code[routine->end].op == TasmOp::kRecurse) {
        TestLast(*routine);
        Double(*routine);
        WriteOut(*routine);
        RecurseOrReturn(*routine);
      }
    }
    Outline();
    return std::move(moves_);
  }

 private:
  std::string Name(const Routine& routine) const { return program_.labels[routine.label].name; }

  void Propose(std::string what, const TasmProgram& program) {
    moves_.push_back({std::move(what), WithoutDeadCode(program)});
  }

  void Inline(const Routine& routine) {
    const Code body = CodeOf(program_, routine.start, routine.end);
    if (program_.code[routine.end].op != TasmOp::kReturn || body.size() > kMostInlined) return;
    if (HasControl(body, {TasmOp::kReturn, TasmOp::kRecurse, TasmOp::kRecurseOrReturn})) return;
    std::vector<std::size_t> calls;
    for (const std::size_t call : CallsOf(program_, routine.start)) {
      if (call >= routine.start && call < routine.end) return;  // it calls itself
      if (!IsGuarded(program_, call) || body.size() == 1) calls.push_back(call);
    }
    if (calls.size() > 1 && program_.code.size() < kMostInstructions) {
      TasmProgram all = program_;
      for (std::size_t i = calls.size(); i-- > 0;) Splice(all, calls[i], 1, body);
      Propose(fmt::format("inline {} at all calls", Name(routine)), all);
    }
    for (const std::size_t call : calls) {
      TasmProgram one = program_;
      Splice(one, call, 1, body);
      Propose(fmt::format("inline {}", Name(routine)), one);
    }
  }

  // The code of a routine moves to a call that a return follows, and takes the place of both.
  void PlaceAfterCaller(const Routine& routine) {
    const Code body = CodeOf(program_, routine.start, routine.end + 1);
    if (HasControl(body, {TasmOp::kRecurse, TasmOp::kRecurseOrReturn})) return;
    if (routine.start == 0 || !EndsBlock(program_, routine.start - 1)) return;
    for (const std::size_t call : CallsOf(program_, routine.start)) {
      if (call + 1 >= program_.code.size() || IsGuarded(program_, call)) continue;
      if (program_.code[call + 1].op != TasmOp::kReturn || IsTarget(program_, call + 1)) continue;
      if (call >= routine.start && call <= routine.end) continue;
      // The copy takes the label; what is left of the old place is dead.
      TasmProgram moved = program_;
      Splice(moved, call, 2, body);
      for (TasmLabel& label : moved.labels) {
        const std::size_t old =
            routine.start + (routine.start > call ? body.size() - 2 : std::size_t{0});
        if (label.index == old) label.index = call;
      }
      Propose(fmt::format("place {} after its caller", Name(routine)), moved);
    }
  }

  // The length of `test skiz return` at the start of a loop.
  std::optional<std::size_t> TestOf(const Routine& loop) const {
    for (std::size_t i = loop.start; i + 1 < loop.end; ++i) {
      if (program_.code[i].op == TasmOp::kSkiz) {
        if (program_.code[i + 1].op != TasmOp::kReturn) return std::nullopt;
        return i + 2 - loop.start;
      }
      if (!IsStraight(program_.code[i].op)) return std::nullopt;
    }
    return std::nullopt;
  }

  // Pushes something that is not 0 to go on, where `test` pushes 1 to leave.
  static Code ToGoOn(Code test) {
    const std::size_t n = test.size();
    if (n > 2 && test[n - 1].op == TasmOp::kEq && test[n - 2] == TasmInstruction{TasmOp::kPush}) {
      test.resize(n - 2);
    } else {
      test.push_back({TasmOp::kPush, 0});
      test.push_back({TasmOp::kEq, 0});
    }
    return test;
  }

  void TestLast(const Routine& loop) {
    const auto length = TestOf(loop);
    if (!length) return;
    const Code test = CodeOf(program_, loop.start, loop.start + *length - 2);
    Code round = CodeOf(program_, loop.start + *length, loop.end);
    if (HasControl(round, {TasmOp::kReturn, TasmOp::kRecurse, TasmOp::kRecurseOrReturn})) return;
    const Code stay = ToGoOn(test);
    round.insert(round.end(), stay.begin(), stay.end());
    round.insert(round.end(), {{TasmOp::kSkiz, 0}, {TasmOp::kRecurse, 0}, {TasmOp::kReturn, 0}});
    const std::size_t whole = loop.end + 1 - loop.start;
    TasmProgram always = program_;
    Splice(always, loop.start, whole, round);
    Propose(fmt::format("test {} after its body", Name(loop)), always);
    TasmProgram guarded = program_;
    const std::size_t rounds = NewLabel(guarded, Name(loop) + "_rounds", 0);
    Code start = stay;
    start.insert(start.end(), {{TasmOp::kSkiz, 0}, {TasmOp::kCall, rounds}, {TasmOp::kReturn, 0}});
    Splice(guarded, loop.start, whole, start);
    guarded.labels[rounds].index = guarded.code.size();
    guarded.code.insert(guarded.code.end(), round.begin(), round.end());
    Propose(fmt::format("test {} once, then after its body", Name(loop)), guarded);
  }

  void Double(const Routine& loop) {
    if (program_.code.size() + loop.end - loop.start > kMostInstructions) return;
    TasmProgram twice = program_;
    Splice(twice, loop.end, 0, CodeOf(program_, loop.start, loop.end));
    Propose(fmt::format("two rounds of {} in one", Name(loop)), twice);
  }

  // As many rounds as ran on average instead of a loop.
  void WriteOut(const Routine& loop) {
    const auto length = TestOf(loop);
    if (!length || executions_.size() != program_.code.size()) return;
    const Code body = CodeOf(program_, loop.start + *length, loop.end);
    if (HasControl(body, {TasmOp::kReturn, TasmOp::kRecurse, TasmOp::kRecurseOrReturn})) return;
    const std::vector<std::size_t> calls = CallsOf(program_, loop.start);
    std::uint64_t entries = 0;
    for (const std::size_t call : calls) entries += executions_[call];
    const std::uint64_t repeats = executions_[loop.end];
    if (entries == 0 || repeats % entries != 0) return;
    const std::uint64_t rounds = repeats / entries;
    if (rounds > kMostWrittenOut || rounds * body.size() > kMostInstructions) return;
    Code code;
    for (std::uint64_t i = 0; i < rounds; ++i) code.insert(code.end(), body.begin(), body.end());
    TasmProgram written = program_;
    for (std::size_t i = calls.size(); i-- > 0;) {
      if (IsGuarded(program_, calls[i]) || (calls[i] >= loop.start && calls[i] <= loop.end)) return;
      Splice(written, calls[i], 1, code);
    }
    Propose(fmt::format("write the {} rounds of {} out", rounds, Name(loop)), written);
  }

  // `dup 6 dup 6 eq skiz return recurse`, or the two words in the other order.
  void RecurseOrReturn(const Routine& loop) {
    constexpr std::size_t kLength = 6;
    if (loop.end + 1 < loop.start + kLength) return;
    const std::size_t at = loop.end + 1 - kLength;
    const auto is = [&](std::size_t i, TasmOp op, std::uint64_t arg) {
      return program_.code[at + i] == TasmInstruction{op, arg};
    };
    const bool tests = (is(0, TasmOp::kDup, 6) && is(1, TasmOp::kDup, 6)) ||
                       (is(0, TasmOp::kDup, 5) && is(1, TasmOp::kDup, 7));
    if (!tests || !is(2, TasmOp::kEq, 0) || !is(3, TasmOp::kSkiz, 0) ||
        !is(4, TasmOp::kReturn, 0)) {
      return;
    }
    TasmProgram shorter = program_;
    Splice(shorter, at, kLength, {{TasmOp::kRecurseOrReturn, 0}});
    Propose(fmt::format("recurse_or_return in {}", Name(loop)), shorter);
  }

  // Straight code that stands more than once.
  void Outline() {
    struct Found {
      std::size_t saved;
      std::vector<std::size_t> starts;
      std::size_t length;
    };
    std::vector<Found> found;
    const std::size_t size = program_.code.size();
    for (std::size_t length = kLeastOutlined; length <= kMostOutlined && length < size; ++length) {
      std::map<std::vector<std::uint64_t>, std::vector<std::size_t>> places;
      for (std::size_t at = 0; at + length <= size; ++at) {
        if (const auto key = Key(at, length)) {
          auto& starts = places[*key];
          if (starts.empty() || starts.back() + length <= at) starts.push_back(at);
        }
      }
      for (const auto& [key, starts] : places) {
        if (starts.size() < 2) continue;
        const std::size_t words =
            TasmWordCount(std::span(program_.code).subspan(starts[0], length));
        constexpr std::size_t kCall = 2, kReturn = 1;
        const std::size_t before = starts.size() * words;
        const std::size_t after = starts.size() * kCall + words + kReturn;
        if (after < before) found.push_back({before - after, starts, length});
      }
    }
    std::ranges::stable_sort(found, std::greater(), &Found::saved);
    if (found.size() > kOutlinings) found.resize(kOutlinings);
    for (const Found& piece : found) {
      TasmProgram outlined = program_;
      Code code = CodeOf(program_, piece.starts[0], piece.starts[0] + piece.length);
      code.push_back({TasmOp::kReturn, 0});
      const std::size_t label = NewLabel(outlined, "piece", 0);
      for (std::size_t i = piece.starts.size(); i-- > 0;) {
        Splice(outlined, piece.starts[i], piece.length, {{TasmOp::kCall, label}});
      }
      outlined.labels[label].index = outlined.code.size();
      outlined.code.insert(outlined.code.end(), code.begin(), code.end());
      Propose(fmt::format("one routine for {} equal pieces", piece.starts.size()), outlined);
    }
  }

  // The instructions as numbers, if they are straight and nothing enters or skips among them.
  std::optional<std::vector<std::uint64_t>> Key(std::size_t at, std::size_t length) const {
    if (IsGuarded(program_, at)) return std::nullopt;
    std::vector<std::uint64_t> key;
    for (std::size_t i = at; i < at + length; ++i) {
      if (!IsStraight(program_.code[i].op) || (i > at && IsTarget(program_, i)))
        return std::nullopt;
      key.push_back(static_cast<std::uint64_t>(program_.code[i].op));
      key.push_back(program_.code[i].arg);
    }
    return key;
  }

  const TasmProgram& program_;
  const std::vector<std::uint64_t>& executions_;
  std::vector<Move> moves_;
};

}  // namespace

bool EndsBlock(const TasmProgram& program, std::size_t at) {
  return IsEnd(program.code[at].op) && !IsGuarded(program, at);
}

TasmProgram WithoutDeadCode(const TasmProgram& program) {
  // What the start reaches: a call reaches its target, everything but an end what follows.
  std::vector<bool> reached(program.code.size(), false);
  std::vector<std::size_t> work = {0};
  while (!work.empty()) {
    const std::size_t at = work.back();
    work.pop_back();
    if (at >= program.code.size() || reached[at]) continue;
    reached[at] = true;
    const TasmInstruction& instruction = program.code[at];
    if (instruction.op == TasmOp::kCall) work.push_back(program.labels[instruction.arg].index);
    if (!IsEnd(instruction.op) || IsGuarded(program, at)) work.push_back(at + 1);
    if (instruction.op == TasmOp::kSkiz) work.push_back(at + 2);
  }
  TasmProgram live = program;
  for (std::size_t i = program.code.size(); i-- > 0;) {
    if (!reached[i]) Splice(live, i, 1, {});
  }
  std::vector<std::size_t> number(live.labels.size(), 0);
  std::vector<TasmLabel> kept;
  for (const TasmInstruction& instruction : live.code) {
    if (instruction.op == TasmOp::kCall) number[instruction.arg] = 1;
  }
  for (std::size_t i = 0; i < live.labels.size(); ++i) {
    if (number[i] == 0) continue;
    number[i] = kept.size();
    kept.push_back(live.labels[i]);
  }
  for (TasmInstruction& instruction : live.code) {
    if (instruction.op == TasmOp::kCall) instruction.arg = number[instruction.arg];
  }
  live.labels = std::move(kept);
  live.lines.clear();
  return live;
}

std::vector<Move> MovesOf(const TasmProgram& program,
                          const std::vector<std::uint64_t>& executions) {
  return Mover(program, executions).All();
}

}  // namespace txvm::triton
