// A program of this machine as a Lua script. Words are Lua integers 0..2^32-1; sN is operand slot N
// of the function, lN its local N, G the globals, M the bytes of memory that were written.
#include "frontends/foreign/lua_translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "isa/limits.h"
#include "isa/verify.h"
#include "vm/host.h"

namespace txvm::frontends::foreign {
namespace {

constexpr std::uint32_t kMostVariables = 180;  // Lua allows 200 locals in a function

constexpr std::string_view kPrelude = R"(
local mask, flip = 0xffffffff, 0x80000000
local fmod, byte = math.fmod, string.byte
local G, M = {}, {}
local function trap() error('trap', 0) end
local function signed(a) return (a ~ flip) - flip end
local function check(a, width) if a + width > size then trap() end end
local function load1(a) check(a, 1) return M[a] or 0 end
local function load2(a) check(a, 2) return (M[a] or 0) | (M[a + 1] or 0) << 8 end
local function load4(a)
  check(a, 4)
  return (M[a] or 0) | (M[a + 1] or 0) << 8 | (M[a + 2] or 0) << 16 | (M[a + 3] or 0) << 24
end
local function store1(a, v) check(a, 1) M[a] = v & 255 end
local function store2(a, v) check(a, 2) M[a], M[a + 1] = v & 255, v >> 8 & 255 end
local function store4(a, v)
  check(a, 4)
  M[a], M[a + 1], M[a + 2], M[a + 3] = v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24
end
local function extend(a, sign) return ((a ~ sign) - sign) & mask end
local function divu(a, b) if b == 0 then trap() end return a // b end
local function remu(a, b) if b == 0 then trap() end return a % b end
local function rems(a, b)
  if b == 0 then trap() end
  return fmod(signed(a), signed(b)) & mask
end
local function divs(a, b)
  if b == 0 or (a == flip and b == mask) then trap() end
  a, b = signed(a), signed(b)
  return (a - fmod(a, b)) // b & mask
end
local function popcnt(a)
  local n = 0
  while a ~= 0 do a, n = a & (a - 1), n + 1 end
  return n
end
local function clz(a)
  local n = 32
  while a ~= 0 do a, n = a >> 1, n - 1 end
  return n
end
local function ctz(a) return a == 0 and 32 or popcnt((a & -a) - 1) end
local function grow(pages)
  local old = size // 65536
  if old + pages > maximum then return mask end
  size = size + pages * 65536
  return old
end
local function data(at, text) for i = 1, #text do M[at + i - 1] = byte(text, i) end end
local F = {}
)";

constexpr std::string_view kEpilogue = R"(
local start = os.clock()
local ok, results = pcall(entry)
local seconds = os.clock() - start
if ok then
  for i = 1, #results do results[i] = string.format('%d', signed(results[i])) end
  print('ok ' .. seconds .. ' ' .. seconds .. (#results == 0 and '' or ' ') .. table.concat(results, ' '))
elseif results == 'trap' then
  print('trap')
elseif string.find(results, 'stack overflow', 1, true) then
  print('trap stack')
else
  error(results, 0)
end
)";

// The expression of a pure opcode over `a` and `b`; empty for the rest.
std::string_view Expression(isa::Opcode op) {
  static const std::map<isa::Opcode, std::string_view> table = {
      {isa::Opcode::kAdd, "({a} + {b}) & mask"},
      {isa::Opcode::kSub, "({a} - {b}) & mask"},
      {isa::Opcode::kMul, "({a} * {b}) & mask"},
      {isa::Opcode::kDivS, "divs({a}, {b})"},
      {isa::Opcode::kDivU, "divu({a}, {b})"},
      {isa::Opcode::kRemS, "rems({a}, {b})"},
      {isa::Opcode::kRemU, "remu({a}, {b})"},
      {isa::Opcode::kAnd, "{a} & {b}"},
      {isa::Opcode::kOr, "{a} | {b}"},
      {isa::Opcode::kXor, "{a} ~ {b}"},
      {isa::Opcode::kShl, "{a} << ({b} & 31) & mask"},
      {isa::Opcode::kShrU, "{a} >> ({b} & 31)"},
      {isa::Opcode::kShrS, "signed({a}) // (1 << ({b} & 31)) & mask"},
      {isa::Opcode::kRotl, "({a} << ({b} & 31) | {a} >> (32 - ({b} & 31))) & mask"},
      {isa::Opcode::kRotr, "({a} >> ({b} & 31) | {a} << (32 - ({b} & 31))) & mask"},
      {isa::Opcode::kEq, "{a} == {b} and 1 or 0"},
      {isa::Opcode::kNe, "{a} ~= {b} and 1 or 0"},
      {isa::Opcode::kLtU, "{a} < {b} and 1 or 0"},
      {isa::Opcode::kGtU, "{a} > {b} and 1 or 0"},
      {isa::Opcode::kLeU, "{a} <= {b} and 1 or 0"},
      {isa::Opcode::kGeU, "{a} >= {b} and 1 or 0"},
      {isa::Opcode::kLtS, "{a} ~ flip < {b} ~ flip and 1 or 0"},
      {isa::Opcode::kGtS, "{a} ~ flip > {b} ~ flip and 1 or 0"},
      {isa::Opcode::kLeS, "{a} ~ flip <= {b} ~ flip and 1 or 0"},
      {isa::Opcode::kGeS, "{a} ~ flip >= {b} ~ flip and 1 or 0"},
      {isa::Opcode::kEqz, "{a} == 0 and 1 or 0"},
      {isa::Opcode::kClz, "clz({a})"},
      {isa::Opcode::kCtz, "ctz({a})"},
      {isa::Opcode::kPopcnt, "popcnt({a})"},
      {isa::Opcode::kAbs, "{a} >= flip and -{a} & mask or {a}"},
      {isa::Opcode::kNeg, "-{a} & mask"},
      {isa::Opcode::kLoad, "load4({a} + {arg})"},
      {isa::Opcode::kLoad8U, "load1({a} + {arg})"},
      {isa::Opcode::kLoad8S, "extend(load1({a} + {arg}), 0x80)"},
      {isa::Opcode::kLoad16U, "load2({a} + {arg})"},
      {isa::Opcode::kLoad16S, "extend(load2({a} + {arg}), 0x8000)"},
  };
  const auto found = table.find(op);
  return found == table.end() ? std::string_view() : found->second;
}

// "s3, s4, s5"; empty for no slots.
std::string Slots(std::uint32_t first, std::uint32_t count) {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) {
    text += fmt::format("{}s{}", i == 0 ? "" : ", ", first + i);
  }
  return text;
}

constexpr std::int64_t kUnreached = -1;

class Translator {
 public:
  Translator(const isa::Program& program, const isa::Verified& verified)
      : program_(program), verified_(verified), height_(program.code.size(), kUnreached) {}

  // Translates the function of `start` and, transitively, all it calls.
  isa::Result<std::string> Run(std::uint32_t start);

 private:
  struct Step {
    std::uint32_t next;
    std::int64_t height;
  };
  isa::Result<void> TranslateFunction(const isa::Function& function, bool is_stub);
  void FindHeights(const isa::Function& function);
  std::vector<Step> StepsAfter(std::uint32_t ip, std::int64_t height) const;
  isa::Result<std::string> Statement(std::uint32_t ip, const isa::Function& function, bool is_stub);
  isa::Result<std::string> ImportCall(const isa::Import& import, std::uint32_t height) const;
  std::string Call(std::uint32_t target, std::uint32_t height);
  std::string Simple(isa::Instruction instruction, std::uint32_t height) const;
  bool JumpsAlways(std::uint32_t ip) const;

  const isa::Program& program_;
  const isa::Verified& verified_;
  std::vector<std::int64_t> height_;   // (code,) before each instruction
  std::vector<bool> is_target_;        // (code,)
  std::vector<std::uint32_t> wanted_;  // first instructions of functions to translate
  std::vector<bool> seen_;             // (code,)
  std::string text_;
};

bool IsJump(isa::Instruction instruction) {
  return instruction.op() == isa::Opcode::kJz || instruction.op() == isa::Opcode::kJnz;
}

// Whether the jump at `ip` takes the constant pushed right before it; the validator then knows its
// way. Asked of the PUSH.
bool Translator::JumpsAlways(std::uint32_t ip) const {
  return program_.code[ip].op() == isa::Opcode::kPush && ip + 1 < program_.code.size() &&
         IsJump(program_.code[ip + 1]) && !is_target_[ip + 1];
}

std::vector<Translator::Step> Translator::StepsAfter(std::uint32_t ip, std::int64_t height) const {
  const isa::Instruction instruction = program_.code[ip];
  if (JumpsAlways(ip)) {
    const isa::Instruction jump = program_.code[ip + 1];
    const bool taken = (jump.op() == isa::Opcode::kJnz) == (instruction.arg != 0);
    return {{taken ? jump.arg : ip + 2, height}};
  }
  switch (instruction.op()) {
    case isa::Opcode::kHalt:
    case isa::Opcode::kReturn:
    case isa::Opcode::kTrap:
      return {};
    case isa::Opcode::kJz:
    case isa::Opcode::kJnz:
      return {{instruction.arg, height - 1}, {ip + 1, height - 1}};
    case isa::Opcode::kCall: {
      if ((instruction.arg & isa::kHostCallBit) != 0) {
        const isa::Import& import = program_.imports[instruction.arg & ~isa::kHostCallBit];
        return {{ip + 1, height + import.results - import.params}};
      }
      const isa::Function& callee = *program_.FunctionAt(instruction.arg);
      return {{ip + 1, height + callee.results - callee.params}};
    }
    default: {
      const isa::OpcodeInfo& info = isa::Info(instruction.op());
      return {{ip + 1, height + info.pushes - info.pops}};
    }
  }
}

void Translator::FindHeights(const isa::Function& function) {
  std::vector<Step> open = {{function.first, function.params}};
  while (!open.empty()) {
    const Step step = open.back();
    open.pop_back();
    if (height_[step.next] != kUnreached) continue;
    height_[step.next] = step.height;
    std::ranges::copy(StepsAfter(step.next, step.height), std::back_inserter(open));
  }
}

std::string Translator::Call(std::uint32_t target, std::uint32_t height) {
  const isa::Function& callee = *program_.FunctionAt(target);
  if (!seen_[target]) wanted_.push_back(target);
  seen_[target] = true;
  const std::uint32_t first = height - callee.params + 1;
  const std::string results = Slots(first, callee.results);
  return fmt::format("{}{}F[{}]({})", results, results.empty() ? "" : " = ", target,
                     Slots(first, callee.params));
}

isa::Result<std::string> Translator::ImportCall(const isa::Import& import,
                                                std::uint32_t height) const {
  if (import.module == vm::kBuiltinModule && import.name == vm::kMemorySize) {
    return fmt::format("s{} = size // 65536", height + 1);
  }
  if (import.module == vm::kBuiltinModule && import.name == vm::kMemoryGrow) {
    return fmt::format("s{0} = grow(s{0})", height);
  }
  if (import.name == "putchar") return fmt::format("s{0} = s{0} & 255", height);
  if (import.name == "print_i32" || import.name == "print") return std::string();
  return isa::Fail(isa::ErrorCode::kUnsupported,
                   fmt::format("imports {}.{}", import.module, import.name));
}

// Opcodes that neither jump nor call.
std::string Translator::Simple(isa::Instruction instruction, std::uint32_t h) const {
  const std::uint32_t arg = instruction.arg;
  const std::string slot =
      instruction.aux() == 0 ? fmt::format("l{}", arg) : fmt::format("G[{}]", arg);
  switch (instruction.op()) {
    case isa::Opcode::kPush:
      return fmt::format("s{} = {}", h + 1, arg);
    case isa::Opcode::kDup:
      return fmt::format("s{} = s{}", h + 1, h);
    case isa::Opcode::kSwap:
      return fmt::format("s{0}, s{1} = s{1}, s{0}", h - 1, h);
    case isa::Opcode::kOver:
      return fmt::format("s{} = s{}", h + 1, h - 1);
    case isa::Opcode::kRot:
      return fmt::format("s{0}, s{1}, s{2} = s{1}, s{2}, s{0}", h - 2, h - 1, h);
    case isa::Opcode::kSelect:
      return fmt::format("if s{} == 0 then s{} = s{} end", h, h - 2, h - 1);
    case isa::Opcode::kLocalGet:
      return fmt::format("s{} = {}", h + 1, slot);
    case isa::Opcode::kLocalSet:
    case isa::Opcode::kLocalTee:
      return fmt::format("{} = s{}", slot, h);
    case isa::Opcode::kStore:
      return fmt::format("store4(s{} + {}, s{})", h - 1, arg, h);
    case isa::Opcode::kStore16:
      return fmt::format("store2(s{} + {}, s{})", h - 1, arg, h);
    case isa::Opcode::kStore8:
      return fmt::format("store1(s{} + {}, s{})", h - 1, arg, h);
    case isa::Opcode::kTrap:
      return "trap()";
    default:
      break;
  }
  const std::string_view expression = Expression(instruction.op());
  if (expression.empty()) return {};  // POP, NOP
  const std::uint32_t first = h - isa::Info(instruction.op()).pops + 1;
  return fmt::format("s{} = ", first) +
         fmt::format(fmt::runtime(expression), fmt::arg("a", fmt::format("s{}", first)),
                     fmt::arg("b", fmt::format("s{}", h)), fmt::arg("arg", arg));
}

isa::Result<std::string> Translator::Statement(std::uint32_t ip, const isa::Function& function,
                                               bool is_stub) {
  const isa::Instruction instruction = program_.code[ip];
  const auto height = static_cast<std::uint32_t>(height_[ip]);
  if (JumpsAlways(ip)) {
    const std::uint32_t next = StepsAfter(ip, height).front().next;
    // A constant that does not jump falls through to the instruction after both.
    return next == ip + 2 ? std::string() : fmt::format("goto L{}", next);
  }
  switch (instruction.op()) {
    case isa::Opcode::kJz:
      return fmt::format("if s{} == 0 then goto L{} end", height, instruction.arg);
    case isa::Opcode::kJnz:
      return fmt::format("if s{} ~= 0 then goto L{} end", height, instruction.arg);
    case isa::Opcode::kReturn:
      return fmt::format("do return {} end", Slots(1, function.results));
    case isa::Opcode::kHalt:
      if (!is_stub) return isa::Fail(isa::ErrorCode::kUnsupported, "halts inside a function");
      return fmt::format("do return {{{}}} end", Slots(1, height));
    case isa::Opcode::kCall:
      if ((instruction.arg & isa::kHostCallBit) != 0) {
        return ImportCall(program_.imports[instruction.arg & ~isa::kHostCallBit], height);
      }
      return Call(instruction.arg, height);
    default:
      return Simple(instruction, height);
  }
}

isa::Result<void> Translator::TranslateFunction(const isa::Function& function, bool is_stub) {
  const auto index = static_cast<std::size_t>(&function - program_.functions.data());
  const std::uint32_t slots = verified_.max_height[index];
  if (slots + function.locals > kMostVariables) {
    return isa::Fail(isa::ErrorCode::kUnsupported,
                     fmt::format("a function has {} slots and locals, Lua allows {}",
                                 slots + function.locals, kMostVariables));
  }
  FindHeights(function);
  text_ += fmt::format("F[{}] = function({})\n", function.first, Slots(1, function.params));
  for (std::uint32_t s = function.params + 1; s <= slots; ++s)
    text_ += fmt::format("local s{}\n", s);
  for (std::uint32_t i = 0; i < function.locals; ++i) text_ += fmt::format("local l{} = 0\n", i);
  for (std::uint32_t ip = function.first; ip <= function.last; ++ip) {
    if (height_[ip] == kUnreached) continue;
    TXVM_TRY(const std::string statement, Statement(ip, function, is_stub));
    if (is_target_[ip]) text_ += fmt::format("::L{}::\n", ip);
    text_ += statement + "\n";
  }
  text_ += "end\n";
  return {};
}

isa::Result<std::string> Translator::Run(std::uint32_t start) {
  is_target_.assign(program_.code.size() + 2, false);
  seen_.assign(program_.code.size(), false);
  for (const isa::Instruction instruction : program_.code) {
    if (IsJump(instruction)) is_target_[instruction.arg] = true;
  }
  wanted_ = {start};
  seen_[start] = true;
  for (std::size_t next = 0; next < wanted_.size(); ++next) {
    TXVM_CHECK_OK(TranslateFunction(*program_.FunctionAt(wanted_[next]), wanted_[next] == start));
  }
  return text_;
}

std::string DataStatements(const isa::Program& program) {
  std::string text;
  for (std::size_t i = 0; i < program.globals.size(); ++i) {
    text += fmt::format("G[{}] = {}\n", i, program.globals[i]);
  }
  for (const isa::DataSegment& segment : program.data) {
    text += fmt::format("data({}, \"", segment.offset);
    for (const std::uint8_t byte : segment.bytes) text += fmt::format("\\x{:02x}", byte);
    text += "\")\n";
  }
  return text;
}

}  // namespace

isa::Result<std::string> TranslateToLua(const isa::Program& program, std::uint32_t start,
                                        std::span<const isa::Word> args) {
  const isa::Result<isa::Verified> verified = isa::Verify(program);
  if (!verified) return isa::Fail(isa::ErrorCode::kUnsupported, "the validator rejects it");
  if (program.init) return isa::Fail(isa::ErrorCode::kUnsupported, "has a start function");
  Translator translator(program, *verified);
  TXVM_TRY(const std::string functions, translator.Run(start));
  const isa::MemorySpec memory = program.memory.value_or(isa::MemorySpec{});
  std::string arguments;
  for (const isa::Word arg : args) {
    arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", arg);
  }
  return fmt::format("local size, maximum = {} * 65536, {}\n", memory.initial, memory.maximum) +
         std::string(kPrelude) + DataStatements(program) + functions +
         fmt::format("local function entry() return F[{}]({}) end\n", start, arguments) +
         std::string(kEpilogue);
}

}  // namespace txvm::frontends::foreign
