#include "tests/neural/triton/prove/loops.h"

#include <algorithm>
#include <map>
#include <utility>

#include "neural/triton/tasm/machine.h"
#include "tests/neural/triton/prove/mutate.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

using Code = std::vector<TasmInstruction>;
using Op = TasmOp;
constexpr std::uint64_t kMinusOne = vm::goldilocks::kPrime - 1;

void Append(Code& code, const Code& more) { code.insert(code.end(), more.begin(), more.end()); }

Code Joined(std::initializer_list<Code> parts) {
  Code code;
  for (const Code& part : parts) Append(code, part);
  return code;
}

// Code that keeps the height and changes one of the words in the slots first..last.
Code RandomSnippet(TirRng& rng, std::uint64_t first, std::uint64_t last, std::uint64_t counter) {
  const auto slot = [&] { return first + rng.Below(last - first + 1); };
  const std::uint64_t i = slot(), j = slot();
  const auto with = [&](Code value, Op op) {  // combines a pushed word with slot i
    return Joined({std::move(value), {{Op::kPick, i + 1}, {op, 0}, {Op::kPlace, i}}});
  };
  const auto arithmetic = [&] { return rng.OneIn(3) ? Op::kMul : Op::kAdd; };
  switch (rng.Below(14)) {
    case 0:
      return {{Op::kPick, i}, {Op::kAddI, 1 + rng.Below(9)}, {Op::kPlace, i}};
    case 1:
    case 2:
      return with({{Op::kDup, j}}, arithmetic());
    case 3:
      return with({{Op::kDup, counter}}, arithmetic());
    case 4:
      return with({{Op::kReadIo, 1}}, arithmetic());
    case 5:
      return {{Op::kDup, i}, {Op::kWriteIo, 1}};
    case 6:
      return {{Op::kDup, i}, {Op::kPush, rng.Below(4)}, {Op::kWriteMem, 1}, {Op::kPop, 1}};
    case 7:
      return {{Op::kDup, i}, {Op::kDup, counter + 1}, {Op::kWriteMem, 1}, {Op::kPop, 1}};
    case 8:
      return with({{Op::kPush, rng.Below(4)}, {Op::kReadMem, 1}, {Op::kPop, 1}}, arithmetic());
    case 9:
      return with({{Op::kDup, counter}, {Op::kReadMem, 1}, {Op::kPop, 1}}, arithmetic());
    case 10:
      return {{Op::kPick, i}, {Op::kSplit, 0}, {Op::kPop, 1}, {Op::kPlace, i}};
    case 11:
      return {{Op::kPick, i},   {Op::kSplit, 0}, {Op::kSwap, 1}, {Op::kPop, 1},
              {Op::kPush, 255}, {Op::kAnd, 0},   {Op::kPlace, i}};
    case 12:
      return {{Op::kDup, i}, {Op::kPush, 40 + rng.Below(9)},
              {Op::kEq, 0},  {Op::kPush, 0},
              {Op::kEq, 0},  {Op::kAssert, 0}};
    default:
      return {{Op::kPick, i}, {Op::kPlace, j}};
  }
}

Code RandomBody(TirRng& rng, std::uint64_t first, std::uint64_t last, std::uint64_t counter,
                std::uint64_t snippets) {
  Code body;
  while (snippets-- > 0) Append(body, RandomSnippet(rng, first, last, counter));
  return body;
}

// The inverse of a test.
Code Inverse(Code test) {
  if (test.size() >= 2 && test.back().op == Op::kEq && test[test.size() - 2].op == Op::kPush &&
      test[test.size() - 2].arg == 0 && test.size() > 4) {
    test.resize(test.size() - 2);  // 1 or 0 before it was turned round
    return test;
  }
  Append(test, {{Op::kPush, 0}, {Op::kEq, 0}});
  return test;
}

// Collects routines; calls hold labels.
class Builder {
 public:
  explicit Builder(const LoopProgram& loop) : loop_(loop) {}

  TasmProgram Build() {
    Append(program_.code, loop_.start);
    program_.code.push_back(CallOf("f"));
    Append(program_.code, loop_.finish);
    program_.code.push_back({Op::kHalt, 0});
    AddLoop();
    for (std::size_t i = 0; i < loop_.routines.size(); ++i) {
      Routine(RoutineName(i), loop_.routines[i]);
    }
    return std::move(program_);
  }

 private:
  static std::string RoutineName(std::size_t i) { return "r" + std::to_string(i); }

  std::size_t Label(const std::string& name) {
    const auto [at, added] = ids_.try_emplace(name, program_.labels.size());
    if (added) {
      TasmLabel label;
      label.name = name;
      program_.labels.push_back(std::move(label));
    }
    return at->second;
  }
  TasmInstruction CallOf(const std::string& name) { return {Op::kCall, Label(name)}; }

  void Routine(const std::string& name, const Code& code) {
    program_.labels[Label(name)].index = program_.code.size();
    Append(program_.code, code);
  }

  // The body with calls of its routines.
  Code Round() {
    Code round = Joined({loop_.body, loop_.update});
    for (TasmInstruction& instruction : round) {
      if (instruction.op == Op::kCall) instruction = CallOf(RoutineName(instruction.arg));
    }
    return round;
  }

  void AddLoop() {
    const Code round = Round();
    const Code leave = Joined({loop_.test, {{Op::kSkiz, 0}, {Op::kReturn, 0}}});
    const Code again = {{Op::kRecurse, 0}};
    const Code back = {{Op::kReturn, 0}};
    const Code stay = Joined({Inverse(loop_.test), {{Op::kSkiz, 0}}});
    const bool last = loop_.tests_last;
    const Code one = last ? Joined({round, leave}) : Joined({leave, round});
    switch (loop_.shape) {
      case LoopShape::kPlain:
        return Routine("f", Joined({one, again}));
      case LoopShape::kInverted:
        if (last) return Routine("f", Joined({round, stay, again, back}));
        Routine("f", Joined({stay, {CallOf("g")}, back}));
        return Routine("g", Joined({round, stay, again, back}));
      case LoopShape::kUnrolled2:
        return Routine("f", Joined({one, one, again}));
      case LoopShape::kUnrolled3:
        return Routine("f", Joined({one, one, one, again}));
      case LoopShape::kPeeled:
        Routine("f", Joined({one, {CallOf("g")}, back}));
        return Routine("g", Joined({one, again}));
      case LoopShape::kRotated:
        if (last) return Routine("f", Joined({round, leave, again}));
        Routine("f", Joined({leave, {CallOf("g")}, back}));
        return Routine("g", Joined({round, leave, again}));
      case LoopShape::kTailCall:
        return Routine("f", Joined({one, {CallOf("f")}, back}));
      case LoopShape::kOutlined:
        Routine("f", last ? Joined({{CallOf("h")}, leave, again})
                          : Joined({leave, {CallOf("h")}, again}));
        return Routine("h", Joined({round, back}));
      case LoopShape::kRecurseOrReturn:
        return Routine("f", Joined({round, {{Op::kRecurseOrReturn, 0}}}));
    }
  }

  const LoopProgram& loop_;
  TasmProgram program_;
  std::map<std::string, std::size_t> ids_;
};

LoopShape RandomShape(const LoopProgram& loop, TirRng& rng) {
  const bool deep = loop.tests_last;  // counter and bound lie in st5 and st6
  return static_cast<LoopShape>(rng.Below(deep ? kLoopShapes : kLoopShapes - 1));
}

bool IsStraightCode(const Code& code) {
  return std::ranges::none_of(code, [](const TasmInstruction& instruction) {
    return instruction.op == Op::kSkiz || instruction.op == Op::kCall ||
           instruction.op == Op::kReturn || instruction.op == Op::kRecurse;
  });
}

// Control inside of a routine changed: a lost skiz, return for recurse, ...
bool BreakControl(Code& code, TirRng& rng) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].op == Op::kSkiz || code[i].op == Op::kRecurse) places.push_back(i);
  }
  if (places.empty()) return false;
  TasmInstruction& at = code[places[rng.Below(places.size())]];
  if (at.op == Op::kSkiz) {
    at = {Op::kPop, 1};
  } else {
    at = {Op::kReturn, 0};
  }
  return true;
}

bool BreakPart(Code& code, std::string& what, TirRng& rng) {
  const auto mutation = BreakCode(code, rng);
  if (!mutation) return false;
  code = mutation->code;
  what = mutation->what;
  return true;
}

// One change of the loop's parts. False when it does not apply.
bool BreakParts(LoopProgram& loop, std::string& what, TirRng& rng) {
  const auto done = [&](const char* name) {
    what = name;
    return true;
  };
  switch (rng.Below(16)) {
    case 0:
      Append(loop.update, loop.update);
      return done("doubled update");
    case 1:
      loop.update.clear();
      return done("dropped update");
    case 2:
      return BreakPart(loop.update, what, rng) && done("wrong update");
    case 3:
      return BreakPart(loop.test, what, rng) && done("wrong bound");
    case 4:
      loop.test = Inverse(loop.test);
      return done("guard turned round");
    case 5:
      loop.test = {{Op::kPush, rng.Below(2)}};
      return done("guard removed");
    case 6:
      if (loop.shape == LoopShape::kRecurseOrReturn) return false;
      loop.tests_last = !loop.tests_last;
      return done("test on the wrong side of the body");
    case 7:
      if (!IsStraightCode(loop.body)) return false;
      Append(loop.start, loop.body);
      Append(loop.start, loop.update);
      return done("a round too many");
    case 8:
      std::swap(loop.body, loop.update);
      return done("update before the body");
    case 9: {
      Code& code = rng.OneIn(2) ? loop.start : loop.finish;
      const std::uint64_t i = 1 + rng.Below(6);
      if (&code == &loop.start) {
        code.push_back({Op::kSwap, i});
      } else {
        code.insert(code.begin(), {Op::kSwap, i});
      }
      return done("swapped counters");
    }
    case 10: {
      const Code swap = {{Op::kSwap, 1 + rng.Below(6)}};
      loop.body = rng.OneIn(2) ? Joined({swap, loop.body, swap}) : Joined({swap, loop.body});
      return done("swapped words in the body");
    }
    case 11:
      if (loop.routines.empty()) return false;
      return BreakControl(loop.routines[rng.Below(loop.routines.size())], rng) &&
             done("changed control in a routine");
    case 12:
      if (loop.routines.empty()) return false;
      return BreakPart(loop.routines[rng.Below(loop.routines.size())], what, rng);
    case 13:
      return BreakPart(rng.OneIn(2) ? loop.start : loop.finish, what, rng);
    default:
      return BreakPart(loop.body, what, rng);
  }
}

// One change of the control instructions of the finished program.
bool BreakProgram(TasmProgram& program, std::string& what, TirRng& rng) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const Op op = program.code[i].op;
    if (op == Op::kRecurse || op == Op::kReturn || op == Op::kRecurseOrReturn || op == Op::kCall) {
      places.push_back(i);
    }
  }
  TasmInstruction& at = program.code[places[rng.Below(places.size())]];
  if (at.op == Op::kCall) {
    if (rng.OneIn(2)) {
      at.arg = rng.Below(program.labels.size());
      what = "call of another routine";
    } else {
      at = {Op::kNop, 0};
      what = "lost call";
    }
  } else if (at.op == Op::kReturn) {
    at = {rng.OneIn(2) ? Op::kRecurse : Op::kNop, 0};
    what = "lost return";
  } else {
    const bool plain = at.op == Op::kRecurse;
    at = {plain ? Op::kReturn : rng.OneIn(2) ? Op::kReturn : Op::kRecurse, 0};
    what = "lost recurse";
  }
  return true;
}

}  // namespace

LoopProgram RandomLoop(TirRng& rng) {
  LoopProgram loop;
  const std::uint64_t kind = rng.Below(4);
  std::uint64_t counter = 0, first = 1;
  switch (kind) {
    case 0:  // counts down to 0
      loop.test = {{Op::kDup, 0}, {Op::kPush, 0}, {Op::kEq, 0}};
      loop.update = {{Op::kAddI, kMinusOne}};
      break;
    case 1: {  // counts up to a constant, as a u32 word
      const std::uint64_t bound = 1 + rng.Below(12);
      loop.test = {{Op::kPush, bound}, {Op::kDup, 1}, {Op::kLt, 0}, {Op::kPush, 0}, {Op::kEq, 0}};
      loop.update = {{Op::kAddI, 1 + rng.Below(3)}};
      break;
    }
    case 2:  // counts up to a word
      loop.test = {{Op::kDup, 1}, {Op::kDup, 1}, {Op::kEq, 0}};
      loop.update = {{Op::kPush, 1}, {Op::kAdd, 0}};
      first = 2;
      break;
    default:  // the same in st5 and st6, tested last
      loop.test = {{Op::kDup, 6}, {Op::kDup, 6}, {Op::kEq, 0}};
      loop.update = {{Op::kPick, 5}, {Op::kAddI, 1}, {Op::kPlace, 5}};
      loop.tests_last = true;
      counter = 5;
      first = 0;
      break;
  }
  const std::uint64_t last = kind == 3 ? 4 : first + 2;
  loop.start = {{Op::kReadIo, kind == 3 ? 2u : 4u}};
  loop.finish = {{Op::kWriteIo, 4}};
  if (kind == 3) {
    for (int i = 0; i < 5; ++i) loop.start.push_back({Op::kPush, rng.Below(3)});
    loop.finish = {{Op::kWriteIo, 5}, {Op::kWriteIo, 2}};
  } else if (rng.OneIn(3)) {
    loop.start.push_back({Op::kPush, rng.Below(6)});  // a constant counter
    loop.finish = {{Op::kWriteIo, 5}};
  }
  if (rng.OneIn(3)) loop.start.push_back({Op::kNop, 0});
  loop.body = RandomBody(rng, first, last, counter, 1 + rng.Below(4));
  if (rng.OneIn(4)) {  // an arm
    Append(loop.body, {{Op::kDup, first + rng.Below(last - first + 1)},
                       {Op::kSkiz, 0},
                       {Op::kCall, loop.routines.size()}});
    loop.routines.push_back(
        Joined({RandomBody(rng, first, last, counter, 1 + rng.Below(2)), {{Op::kReturn, 0}}}));
  }
  if (rng.OneIn(5)) {  // an inner loop, its counter on top
    Append(loop.body, {rng.OneIn(2) ? TasmInstruction{Op::kPush, rng.Below(4)}
                                    : TasmInstruction{Op::kDup, counter},
                       {Op::kCall, loop.routines.size()},
                       {Op::kPop, 1}});
    loop.routines.push_back(
        Joined({{{Op::kDup, 0}, {Op::kPush, 0}, {Op::kEq, 0}, {Op::kSkiz, 0}, {Op::kReturn, 0}},
                RandomBody(rng, first + 1, last + 1, counter + 1, 1 + rng.Below(2)),
                {{Op::kAddI, kMinusOne}, {Op::kRecurse, 0}}}));
  }
  loop.shape = rng.OneIn(2) ? LoopShape::kPlain : RandomShape(loop, rng);
  return loop;
}

TasmProgram ProgramOf(const LoopProgram& loop) { return Builder(loop).Build(); }

LoopChange RewriteLoop(const LoopProgram& loop, TirRng& rng) {
  LoopProgram changed = loop;
  changed.shape = RandomShape(loop, rng);
  for (Code* part : {&changed.start, &changed.body, &changed.update, &changed.finish}) {
    if (rng.OneIn(3) && IsStraightCode(*part)) *part = RewriteCode(*part, rng).code;
  }
  return {"shape " + std::to_string(static_cast<int>(changed.shape)), ProgramOf(changed)};
}

std::optional<LoopChange> BreakLoop(const LoopProgram& loop, TirRng& rng) {
  LoopProgram changed = loop;
  if (rng.OneIn(2)) changed.shape = RandomShape(loop, rng);
  std::string what;
  if (rng.OneIn(5)) {
    TasmProgram program = ProgramOf(changed);
    if (!BreakProgram(program, what, rng)) return std::nullopt;
    return LoopChange{what, std::move(program)};
  }
  if (!BreakParts(changed, what, rng)) return std::nullopt;
  return LoopChange{what, ProgramOf(changed)};
}

bool TellProgramsApart(const TasmProgram& first, const TasmProgram& second, TirRng& rng) {
  const auto left = TasmMachine::Load(first);
  const auto right = TasmMachine::Load(second);
  if (!left || !right) return false;
  constexpr std::uint64_t kManySteps = 3'000, kFewSteps = 300;
  TasmOptions options;
  options.heights = false;
  options.max_cycles = kManySteps;
  for (int round = 0; round < 40; ++round) {
    TasmInput input;
    for (int i = 0; i < 80; ++i) {
      input.input.push_back(round % 4 == 3 && i > 4 ? rng.Element() : rng.Below(7));
    }
    for (int i = 0; i < 40; ++i) input.secret.push_back(rng.Below(9));
    for (std::uint64_t i = 0; i < 8; ++i) input.ram.emplace_back(i, rng.Below(9));
    const auto x = left->Run(input, options);
    const auto y = right->Run(input, options);
    if (!x || !y) return false;
    const bool x_goes_on =
        x->crash == TasmCrash::kCycleLimit || x->crash == TasmCrash::kMemoryLimit;
    const bool y_goes_on =
        y->crash == TasmCrash::kCycleLimit || y->crash == TasmCrash::kMemoryLimit;
    if (x_goes_on || y_goes_on) {
      if (x_goes_on && !y_goes_on && y->cycles < kFewSteps) return true;
      if (y_goes_on && !x_goes_on && x->cycles < kFewSteps) return true;
      continue;
    }
    if (x->crash.has_value() != y->crash.has_value()) return true;
    if (!x->crash && x->output != y->output) return true;
  }
  return false;
}

}  // namespace txvm::triton
