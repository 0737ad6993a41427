#include "isa/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "isa/disassemble.h"
#include "isa/limits.h"
#include "isa/opcode.h"
#include "isa/support/text.h"
#include "isa/trap.h"

// Goals: one rule, one message; a loop over instructions and a worklist over paths, so that neither
// the size nor the shape of a program can exhaust the host stack.
// Non-goals: limits of a run (vm/machine.h checks them at load), data segment bounds (the same).

namespace txvm::isa {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMaxHeight = kNone - 1;  // kNone marks an instruction no path has reached

bool IsJump(const Instruction& instruction) {
  return instruction.code() == static_cast<std::uint8_t>(Opcode::kJz) ||
         instruction.code() == static_cast<std::uint8_t>(Opcode::kJnz);
}

bool IsHostCall(const Instruction& instruction) { return (instruction.arg & kHostCallBit) != 0; }

// "function 3", with its name when it has one.
std::string FunctionText(const Program& program, std::size_t index) {
  const std::string& name = program.functions[index].name;
  return name.empty() ? fmt::format("function {}", index)
                      : fmt::format("function {} {}", index, QuotedShort(name));
}

std::string SignatureText(std::uint32_t params, std::uint32_t results) {
  return fmt::format("{} and {}", CountText(params, "param"), CountText(results, "result"));
}

// ---------------------------------------------------------------------------------------- tables

class TableChecker {
 public:
  explicit TableChecker(const Program& program) : program_(program) {}

  Result<void> Check() const {
    TXVM_CHECK_OK(CheckCode());
    TXVM_CHECK_OK(CheckFunctions());
    TXVM_CHECK_OK(CheckMemory());
    TXVM_CHECK_OK(CheckExports());
    TXVM_CHECK_OK(CheckImports());
    TXVM_CHECK_OK(CheckStarts());
    TXVM_CHECK_OK(CheckExceptions());
    TXVM_CHECK_OK(CheckMarks("line mark", program_.lines));
    return CheckMarks("trap note", program_.notes);
  }

 private:
  Result<void> CheckCode() const {
    if (program_.code.empty()) return Invalid(program_, "program has no instructions");
    if (program_.code.size() > kMaxInstructions) {
      return Invalid(program_, fmt::format("program has {} instructions, at most {} are possible",
                                           program_.code.size(), kMaxInstructions));
    }
    return {};
  }

  Result<void> CheckFunctions() const {
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < program_.functions.size(); ++i) {
      const Function& function = program_.functions[i];
      if (const std::uint64_t words = WordsOf(function.local_types); words > function.locals) {
        return Invalid(program_, fmt::format("the types of {} are of {}, but it has {}",
                                             FunctionText(program_, i), CountText(words, "word"),
                                             CountText(function.locals, "local")));
      }
      if (function.first != expected) {
        return Invalid(program_, fmt::format("{} starts at instruction {}, expected {}: functions "
                                             "must follow each other without gaps",
                                             FunctionText(program_, i), function.first, expected));
      }
      if (function.last < function.first || function.last >= program_.code.size()) {
        return Invalid(program_, fmt::format("{} ends at instruction {}, expected {}..{}",
                                             FunctionText(program_, i), function.last,
                                             function.first, program_.code.size() - 1));
      }
      expected = std::uint64_t{function.last} + 1;
    }
    if (expected != program_.code.size()) {
      return Invalid(program_, fmt::format("instruction {} belongs to no function", expected));
    }
    return {};
  }

  Result<void> CheckExceptions() const {
    if (!program_.exceptions) return {};
    const auto check = [&](std::string_view what, std::uint64_t global,
                           std::uint64_t words) -> Result<void> {
      if (words == 0 || global + words <= program_.globals.size()) return {};
      return Invalid(program_,
                     fmt::format("{} is in {} from {} on, the program has {}", what,
                                 CountText(words, "global"), global, program_.globals.size()));
    };
    TXVM_CHECK_OK(check("the exception under way", program_.exceptions->pending, 1));
    TXVM_CHECK_OK(check("the uncaught exception", program_.exceptions->uncaught, 1));
    for (std::size_t i = 0; i < program_.exceptions->tags.size(); ++i) {
      const ExceptionTag& tag = program_.exceptions->tags[i];
      TXVM_CHECK_OK(
          check(fmt::format("the exception of tag {}", i), tag.global, WordsOf(tag.types)));
    }
    return {};
  }

  Result<void> CheckMemory() const {
    if (!program_.memory) return {};
    const MemorySpec& memory = *program_.memory;
    if (memory.maximum > kMaxPages) {
      return Invalid(program_, fmt::format("memory maximum of {} pages is above {}", memory.maximum,
                                           kMaxPages));
    }
    if (memory.initial > memory.maximum) {
      return Invalid(program_, fmt::format("memory of {} is above its maximum of {}",
                                           CountText(memory.initial, "page"),
                                           CountText(memory.maximum, "page")));
    }
    return {};
  }

  Result<void> CheckExports() const {
    std::unordered_map<std::string_view, std::size_t> defined;
    for (std::size_t i = 0; i < program_.exports.size(); ++i) {
      const Export& exported = program_.exports[i];
      const std::string what = fmt::format("export {}", QuotedShort(exported.name));
      const auto [first, is_new] = defined.try_emplace(exported.name, i);
      if (!is_new) {
        return Invalid(program_, fmt::format("{} is defined twice: exports {} and {} have its name",
                                             what, first->second, i));
      }
      TXVM_TRY(const Function* function, FindStart(what, exported.start));
      if (function->params != exported.params || function->results != exported.results) {
        return Invalid(program_,
                       fmt::format("{} has {}, but its stub at instruction {} has {}", what,
                                   SignatureText(exported.params, exported.results), exported.start,
                                   SignatureText(function->params, function->results)));
      }
      TXVM_CHECK_OK(CheckTypes(what, exported));
    }
    return {};
  }

  Result<void> CheckImports() const {
    for (const Import& import : program_.imports) {
      const std::string name = QuotedShort(import.module + '.' + import.name);
      TXVM_CHECK_OK(CheckTypes(fmt::format("import {}", name), import));
    }
    return {};
  }

  // Types are of as many words as the function has params and results, or there are none.
  template <typename Signature>
  Result<void> CheckTypes(std::string_view what, const Signature& function) const {
    const std::uint64_t params = WordsOf(function.param_types);
    const std::uint64_t results = WordsOf(function.result_types);
    const bool fit = params == function.params && results == function.results;
    if (fit || !IsTyped(function)) return {};
    return Invalid(
        program_, fmt::format("the types of {} are of {} and {} words, but it has {}", what, params,
                              results, SignatureText(function.params, function.results)));
  }

  Result<void> CheckStarts() const {
    if (program_.init) {
      TXVM_TRY(const Function* init, FindStart("init", *program_.init));
      if (init->params != 0) return WithParams("init", *program_.init, *init);
    }
    TXVM_TRY(const Function* entry, FindStart("entry", program_.entry));
    // With exports the run starts at one of them; without, at the entry and without arguments.
    if (program_.exports.empty() && entry->params != 0) {
      return WithParams("entry", program_.entry, *entry);
    }
    return {};
  }

  std::unexpected<Error> WithParams(std::string_view what, std::uint32_t start,
                                    const Function& function) const {
    return Invalid(program_, fmt::format("{} at instruction {} takes {}, expected 0", what, start,
                                         CountText(function.params, "param")));
  }

  Result<const Function*> FindStart(std::string_view what, std::uint32_t start) const {
    if (start >= program_.code.size()) {
      return Invalid(program_,
                     fmt::format("{} at instruction {} is outside the program (it has {})", what,
                                 start, CountText(program_.code.size(), "instruction")));
    }
    const Function* function = program_.FunctionAt(start);
    if (function->first != start) {
      return Invalid(program_, fmt::format("{} at instruction {} is not the first instruction of a "
                                           "function (the nearest begins at {})",
                                           what, start, function->first));
    }
    return function;
  }

  template <typename Mark>
  Result<void> CheckMarks(std::string_view what, const std::vector<Mark>& marks) const {
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (marks[i].ip >= program_.code.size()) {
        return Invalid(program_, fmt::format("{} {} is at instruction {}, outside the program (it "
                                             "has {})",
                                             what, i, marks[i].ip,
                                             CountText(program_.code.size(), "instruction")));
      }
      if (i > 0 && marks[i].ip <= marks[i - 1].ip) {
        return Invalid(program_, fmt::format("{} {} at instruction {} does not come after the one "
                                             "before it, at {}",
                                             what, i, marks[i].ip, marks[i - 1].ip));
      }
    }
    return {};
  }

  const Program& program_;
};

// ---------------------------------------------------------------------------------- instructions

class CodeChecker {
 public:
  explicit CodeChecker(const Program& program)
      : program_(program),
        function_starting_at_(program.code.size(), kNone),
        is_jump_target_(program.code.size(), false),
        heights_(program.code.size(), kNone) {
    for (std::size_t i = 0; i < program.functions.size(); ++i) {
      function_starting_at_[program.functions[i].first] = static_cast<std::uint32_t>(i);
    }
  }

  // Opcodes, immediates and ranges of every instruction, reached or not; notes the jump targets.
  Result<void> CheckInstructions() {
    for (const Function& function : program_.functions) {
      for (std::uint32_t ip = function.first; ip <= function.last; ++ip) {
        TXVM_CHECK_OK(CheckInstruction(function, ip));
        if (IsJump(program_.code[ip])) is_jump_target_[program_.code[ip].arg] = true;
      }
    }
    return {};
  }

  // Heights on every path. REQUIRES: CheckInstructions accepted.
  Result<Verified> CheckPaths() {
    Verified verified;
    verified.max_height.reserve(program_.functions.size());
    for (const Function& function : program_.functions) {
      TXVM_TRY(const std::uint32_t highest, CheckFunctionPaths(function));
      verified.max_height.push_back(highest);
    }
    return verified;
  }

  // What CheckPaths learned. REQUIRES: it accepted.
  PathFacts Facts() && {
    static_assert(kNone == PathFacts::kUnreached);
    PathFacts facts;
    facts.after_push.resize(program_.code.size(), false);
    for (const Function& function : program_.functions) {
      for (std::uint32_t ip = function.first; ip <= function.last; ++ip) {
        facts.after_push[ip] = FollowsPush(function, ip);
      }
    }
    facts.height = std::move(heights_);
    return facts;
  }

 private:
  // An edge of the control flow: instruction `ip` is reached at `height` from `from`.
  struct Arrival {
    std::uint32_t ip = 0;
    std::uint32_t height = 0;
    std::uint32_t from = 0;
  };

  std::unexpected<Error> At(std::uint32_t ip, std::string_view message) const {
    const std::string mnemonic = Mnemonic(program_.code[ip]);
    std::string where = fmt::format("instruction {} (", ip);
    if (!mnemonic.empty()) where += mnemonic + " in ";
    const Function* function = program_.FunctionAt(ip);
    where += FunctionText(program_, static_cast<std::size_t>(function - program_.functions.data()));
    std::unexpected<Error> error = Invalid(program_, fmt::format("{}): {}", where, message));
    error.error().place.line = program_.LineAt(ip);
    return error;
  }

  Result<void> CheckInstruction(const Function& function, std::uint32_t ip) const {
    const Instruction instruction = program_.code[ip];
    const OpcodeInfo* info = FindInfo(instruction.code());
    if (info == nullptr) return At(ip, fmt::format("unknown opcode {}", instruction.code()));
    const bool uses_aux = info->operand == Operand::kLocal || info->operand == Operand::kCallee;
    if (!uses_aux && instruction.aux() != 0) {
      return At(ip, fmt::format("unused aux is {}, expected 0", instruction.aux()));
    }
    switch (info->operand) {
      case Operand::kNone:
        if (instruction.arg == 0) return {};
        return At(ip, fmt::format("unused arg is {}, expected 0", instruction.arg));
      case Operand::kValue:
      case Operand::kOffset:
        return {};
      case Operand::kLocal:
        return CheckLocal(function, ip);
      case Operand::kTarget:
        if (instruction.arg >= function.first && instruction.arg <= function.last) return {};
        return At(ip, fmt::format("jump to instruction {} leaves its function ({}..{})",
                                  instruction.arg, function.first, function.last));
      case Operand::kCallee:
        return IsHostCall(instruction) ? CheckHostCall(ip) : CheckCall(function, ip);
      case Operand::kCause:
        if (FindTrap(instruction.arg)) return {};
        return At(
            ip, fmt::format("unknown trap cause {}, expected 1..{}", instruction.arg, kTrapCount));
    }
    return {};
  }

  Result<void> CheckLocal(const Function& function, std::uint32_t ip) const {
    const Instruction instruction = program_.code[ip];
    if (instruction.aux() > 1) {
      return At(ip, fmt::format("aux is {}, expected 0 (local) or 1 (global)", instruction.aux()));
    }
    const bool is_global = instruction.aux() == 1;
    const std::size_t count = is_global ? program_.globals.size() : function.locals;
    if (instruction.arg < count) return {};
    return At(ip, is_global ? fmt::format("global {} out of range (program has {})",
                                          instruction.arg, CountText(count, "global"))
                            : fmt::format("local {} out of range (function has {})",
                                          instruction.arg, CountText(count, "local")));
  }

  Result<void> CheckHostCall(std::uint32_t ip) const {
    const Instruction instruction = program_.code[ip];
    const std::uint32_t index = instruction.arg & ~kHostCallBit;
    if (index >= program_.imports.size()) {
      return At(ip, fmt::format("import {} out of range (program has {})", index,
                                CountText(program_.imports.size(), "import")));
    }
    if (instruction.aux() == 0) return {};
    return At(ip, fmt::format("aux of a host call is {}, expected 0", instruction.aux()));
  }

  Result<void> CheckCall(const Function& function, std::uint32_t ip) const {
    const Instruction instruction = program_.code[ip];
    if (instruction.arg >= program_.code.size() ||
        function_starting_at_[instruction.arg] == kNone) {
      return At(ip, fmt::format("call target {} is not the first instruction of a function",
                                instruction.arg));
    }
    if (instruction.aux() == function.locals) return {};
    return At(ip, fmt::format("aux is {}, expected {} (the caller's locals)", instruction.aux(),
                              function.locals));
  }

  // -------------------------------------------------------------------------------------- paths

  // The largest height of the function. Follows the fall-through edge first; a taken branch waits
  // on the worklist. Every instruction is stepped over once, every edge looked at once.
  Result<std::uint32_t> CheckFunctionPaths(const Function& function) {
    if (function.params > kMaxHeight) {
      return At(function.first,
                fmt::format("height {} at entry is above {}", function.params, kMaxHeight));
    }
    std::uint32_t highest = function.params;
    std::vector<Arrival> waiting{{function.first, function.params, function.first}};
    while (!waiting.empty()) {
      const Arrival arrival = waiting.back();
      waiting.pop_back();
      TXVM_TRY(const bool is_new, Arrive(arrival));
      if (!is_new) continue;
      TXVM_TRY(const std::uint32_t after, HeightAfter(arrival.ip));
      highest = std::max(highest, after);
      TXVM_CHECK_OK(AddSuccessors(function, arrival.ip, after, waiting));
    }
    return highest;
  }

  // Whether the instruction is reached for the first time.
  Result<bool> Arrive(const Arrival& arrival) {
    std::uint32_t& height = heights_[arrival.ip];
    if (height == kNone) {
      height = arrival.height;
      return true;
    }
    if (height == arrival.height) return false;
    return At(arrival.ip, fmt::format("reached at height {} and, from instruction {}, at height {}",
                                      height, arrival.from, arrival.height));
  }

  // Height after the instruction at `ip`, which needs as many operands as it pops.
  Result<std::uint32_t> HeightAfter(std::uint32_t ip) const {
    const Instruction instruction = program_.code[ip];
    std::uint32_t pops = Info(instruction.op()).pops;
    std::uint32_t pushes = Info(instruction.op()).pushes;
    if (instruction.op() == Opcode::kCall) {
      const auto [params, results] = Signature(instruction);
      pops = params;
      pushes = results;
    }
    const std::uint32_t height = heights_[ip];
    if (height < pops) {
      return At(ip, fmt::format("needs {}, height is {}", CountText(pops, "operand"), height));
    }
    const std::uint64_t after = std::uint64_t{height} - pops + pushes;
    if (after > kMaxHeight) {
      return At(ip, fmt::format("height {} after it is above {}", after, kMaxHeight));
    }
    return static_cast<std::uint32_t>(after);
  }

  std::pair<std::uint32_t, std::uint32_t> Signature(const Instruction& call) const {
    if (IsHostCall(call)) {
      const Import& import = program_.imports[call.arg & ~kHostCallBit];
      return {import.params, import.results};
    }
    const Function& callee = program_.functions[function_starting_at_[call.arg]];
    return {callee.params, callee.results};
  }

  Result<void> AddSuccessors(const Function& function, std::uint32_t ip, std::uint32_t height,
                             std::vector<Arrival>& waiting) const {
    const Instruction instruction = program_.code[ip];
    const Opcode op = instruction.op();
    if (op == Opcode::kHalt || op == Opcode::kTrap) return {};
    if (op == Opcode::kReturn) {
      if (height == function.results) return {};
      return At(ip, fmt::format("height is {}, expected {} (the function's results)", height,
                                function.results));
    }
    bool falls_through = true;
    if (IsJump(instruction)) {
      const std::optional<bool> decided = Decided(function, ip);
      if (decided.value_or(true)) waiting.push_back({instruction.arg, height, ip});
      falls_through = !decided.value_or(false);
    }
    if (!falls_through) return {};
    if (ip == function.last) {
      return At(ip, "the path runs past the function's last instruction");
    }
    waiting.push_back({ip + 1, height, ip});
    return {};
  }

  // Whether the jump at `ip` is always or never taken: a constant is pushed right before it and no
  // jump comes in between. nullopt: it depends.
  std::optional<bool> Decided(const Function& function, std::uint32_t ip) const {
    if (!FollowsPush(function, ip)) return std::nullopt;
    return (program_.code[ip - 1].arg == 0) == (program_.code[ip].op() == Opcode::kJz);
  }

  bool FollowsPush(const Function& function, std::uint32_t ip) const {
    return ip != function.first && !is_jump_target_[ip] &&
           program_.code[ip - 1].op() == Opcode::kPush;
  }

  const Program& program_;
  std::vector<std::uint32_t> function_starting_at_;  // (n,) index of the function, or kNone
  std::vector<bool> is_jump_target_;                 // (n,)
  std::vector<std::uint32_t> heights_;               // (n,) height before it, or kNone
};

}  // namespace

std::unexpected<Error> Invalid(const Program& program, std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalid, std::move(message), {program.source}, {}});
}

Result<void> VerifyTables(const Program& program) { return TableChecker(program).Check(); }

Result<Verified> Verify(const Program& program) {
  TXVM_CHECK_OK(VerifyTables(program));
  CodeChecker checker(program);
  TXVM_CHECK_OK(checker.CheckInstructions());
  return checker.CheckPaths();
}

Result<PathFacts> AnalyzePaths(const Program& program) {
  TXVM_CHECK_OK(VerifyTables(program));
  CodeChecker checker(program);
  TXVM_CHECK_OK(checker.CheckInstructions());
  TXVM_TRY(const Verified verified, checker.CheckPaths());
  static_cast<void>(verified);
  return std::move(checker).Facts();
}

}  // namespace txvm::isa
