#include "isa/describe.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "isa/opcode.h"
#include "isa/trap.h"

namespace txvm::isa {
namespace {

constexpr std::string_view kIntroduction = R"(# The machine's instruction set

Generated from `isa/opcodes.def` and `isa/traps.def` by `txvm isa --markdown`; a test keeps this file equal to them.

55 executable opcodes (codes 1..55) and TRAP (code 99) over 32-bit words. An instruction is {op: 8 bits, aux: 24 bits,
arg: 32 bits}. Words have no sign; opcodes do (suffix `_S`, `_U`). All arithmetic is modulo 2^32. What WebAssembly's i32 has, this has
with the same meaning.

## Opcodes

The top of the stack stands on the right; `a` was pushed before `b`. *reads* are the attention heads an instruction evaluates besides its
fetch: stack operands below the top plus the refill of the top (S), locals (L), memory bytes (M), call frames (C).

)";

constexpr std::string_view kNotes = R"(
CALL takes its callee's parameters from the operand stack and leaves its results there; its row counts neither. Bit 31 of its arg calls
import `arg & 0x7FFFFFFF`. LOCAL.GET/SET/TEE with aux 1 address a global and are written GLOBAL.GET/SET/TEE.

## Operands

| arg | meaning | aux |
|--|--|--|
| none | 0 | 0 |
| value | any word | 0 |
| local | slot of the frame, or of the globals | 0: frame, 1: globals |
| offset | bytes added to the address without wrap-around | 0 |
| target | instruction index inside the function | 0 |
| callee | first instruction of a function, or bit 31 + import | the caller's locals; 0 for an import |
| cause | code of a trap | 0 |

## Trace and digest

A step's record is {ip, op, aux, arg} of its instruction and sp and top after it (top is 0 where sp is). The digest of a run begins as
d = 0x6A09E667F3BCC908; each record makes it, modulo 2^64, (x xor (x >> 32)) * 0xD6E8FEB86659FD93 with

    x = d + (op + 2^8 aux + 2^32 ip) * 0x9E3779B97F4A7C15 + (arg + 2^32 sp) * 0xC2B2AE3D27D4EB4F + top * 0x165667B19E3779F9

`PUSH 3; PUSH 5; ADD; HALT` gives 13e1978966cc965b.

## Traps

A trapping instruction is one step and changes nothing.

| code | name | text |
|--|--|--|
)";

std::string_view OperandText(Operand operand) {
  switch (operand) {
    case Operand::kNone:
      return "none";
    case Operand::kValue:
      return "value";
    case Operand::kLocal:
      return "local";
    case Operand::kOffset:
      return "offset";
    case Operand::kTarget:
      return "target";
    case Operand::kCallee:
      return "callee";
    case Operand::kCause:
      return "cause";
  }
  return {};
}

std::string_view ClassText(OpClass op_class) {
  switch (op_class) {
    case OpClass::kMove:
      return "move";
    case OpClass::kArith:
      return "arithmetic";
    case OpClass::kDivide:
      return "divide";
    case OpClass::kCompare:
      return "compare";
    case OpClass::kBits:
      return "bits";
    case OpClass::kShift:
      return "shift";
    case OpClass::kMemory:
      return "memory";
    case OpClass::kFlow:
      return "flow";
  }
  return {};
}

// "S1 M4", or "-" when an instruction reads nothing but itself.
std::string ReadsText(const OpcodeInfo& row) {
  std::string text;
  const auto add = [&](std::string_view space, unsigned count) {
    if (count != 0) text += fmt::format("{}{}{}", text.empty() ? "" : " ", space, count);
  };
  add("S", row.stack_reads);
  add("L", row.local_reads);
  add("M", row.memory_reads);
  add("C", row.call_reads);
  return text.empty() ? "-" : text;
}

// A cell of a Markdown table: | would end it.
std::string Cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

}  // namespace

std::string IsaMarkdown() {
  std::string text(kIntroduction);
  text += "| code | opcode | arg | pops | pushes | reads | class | effect |\n";
  text += "|--|--|--|--|--|--|--|--|\n";
  for (const OpcodeInfo& row : kOpcodes) {
    fmt::format_to(std::back_inserter(text), "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
                   static_cast<unsigned>(row.op), row.text, OperandText(row.operand), row.pops,
                   row.pushes, ReadsText(row), ClassText(row.op_class), Cell(row.effect));
  }
  text += kNotes;
#define TXVM_TRAP(code, Name, trap_text) \
  fmt::format_to(std::back_inserter(text), "| {} | {} | {} |\n", code, #Name, trap_text);
#include "isa/traps.def"
#undef TXVM_TRAP
  return text;
}

}  // namespace txvm::isa
