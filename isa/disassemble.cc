#include "isa/disassemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "isa/limits.h"
#include "isa/opcode.h"
#include "isa/support/text.h"
#include "isa/trap.h"
#include "isa/verify.h"

namespace txvm::isa {
namespace {

constexpr std::size_t kDataBytesPerLine = 32;
constexpr int kCommentColumn = 32;  // where "; index" begins, unless the instruction is longer

std::string_view TrapName(Trap trap) {
  switch (trap) {
#define TXVM_TRAP(code, Name, text) \
  case Trap::k##Name:               \
    return #Name;
#include "isa/traps.def"
#undef TXVM_TRAP
  }
  return {};
}

std::int32_t AsSigned(std::uint32_t value) { return static_cast<std::int32_t>(value); }

std::string Raw(const Instruction& instruction) {
  return fmt::format(".raw {:#x} {:#x}", instruction.head, instruction.arg);
}

// The instruction without labels; nullopt when no mnemonic says all of it. The aux of a CALL is its
// function's to say: the caller compares it.
std::optional<std::string> Plain(const Instruction& instruction) {
  const OpcodeInfo* info = FindInfo(instruction.code());
  if (info == nullptr) return std::nullopt;
  const bool has_aux = info->operand == Operand::kLocal || info->operand == Operand::kCallee;
  if (!has_aux && instruction.aux() != 0) return std::nullopt;
  switch (info->operand) {
    case Operand::kNone:
      if (instruction.arg != 0) return std::nullopt;
      return std::string(info->text);
    case Operand::kValue:
      return fmt::format("{} {}", info->text, AsSigned(instruction.arg));
    case Operand::kOffset:
    case Operand::kTarget:
    case Operand::kCallee:
      return fmt::format("{} {}", info->text, instruction.arg);
    case Operand::kLocal: {
      // An index that no frame has is beyond what the mnemonic takes.
      if (instruction.aux() > 1 || instruction.arg >= kMaxAux) return std::nullopt;
      return fmt::format("{} {}", Mnemonic(instruction), instruction.arg);
    }
    case Operand::kCause: {
      const std::optional<Trap> cause = FindTrap(instruction.arg);
      if (!cause) return std::nullopt;
      return fmt::format("{} {}", info->text, TrapName(*cause));
    }
  }
  return std::nullopt;
}

// The import that the instruction calls; nullptr when it does something else, or a mnemonic would
// not say all of it.
const Import* CalledImport(const Program& program, const Instruction& instruction) {
  if (instruction.head != static_cast<std::uint32_t>(Opcode::kCall)) return nullptr;
  const std::uint32_t index = instruction.arg & ~kHostCallBit;
  const bool is_import = (instruction.arg & kHostCallBit) != 0 && index < program.imports.size();
  return is_import ? &program.imports[index] : nullptr;
}

// "i64,f64", or a number where no types are known.
std::string TypesOrCount(const std::vector<ValueType>& types, std::uint32_t count) {
  if (types.empty()) return std::to_string(count);
  std::string text;
  for (const ValueType type : types) {
    if (!text.empty()) text += ',';
    text += TypeText(type);
  }
  return text;
}

class Listing {
 public:
  explicit Listing(const Program& program)
      : program_(program), is_jump_target_(program.code.size(), false) {
    for (const Function& function : program.functions) {
      for (std::uint32_t ip = function.first; ip <= function.last; ++ip) {
        const Instruction& instruction = program.code[ip];
        if (IsLabelled(function, instruction)) is_jump_target_[instruction.arg] = true;
      }
    }
  }

  std::string Text() && {
    Line(".flat");
    if (!program_.source.empty()) Line(".source {}", Quoted(program_.source));
    Tables();
    for (std::size_t i = 0; i < program_.functions.size(); ++i) WriteFunction(i);
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  // A jump within its function, which has a label; any other target is a number.
  static bool IsLabelled(const Function& function, const Instruction& instruction) {
    const OpcodeInfo* info = FindInfo(instruction.code());
    return info != nullptr && info->operand == Operand::kTarget &&
           instruction.arg >= function.first && instruction.arg <= function.last;
  }

  // REQUIRES: `start` is a function's first instruction, as VerifyTables says of every start.
  std::string StartLabel(std::uint32_t start) const {
    return fmt::format("f{}", program_.FunctionAt(start) - program_.functions.data());
  }

  void Tables() {
    if (program_.memory) Line(".memory {} {}", program_.memory->initial, program_.memory->maximum);
    for (const DataSegment& segment : program_.data) Data(segment);
    for (const std::uint32_t value : program_.globals) Line(".global {}", AsSigned(value));
    for (std::size_t i = 0; i < program_.imports.size(); ++i) {
      const Import& import = program_.imports[i];
      Line(".import i{} {} {} params={} results={}", i, Quoted(import.module), Quoted(import.name),
           TypesOrCount(import.param_types, import.params),
           TypesOrCount(import.result_types, import.results));
    }
    for (const Export& exported : program_.exports) {
      Line(".export {} {} params={} results={}", Quoted(exported.name), StartLabel(exported.start),
           TypesOrCount(exported.param_types, exported.params),
           TypesOrCount(exported.result_types, exported.results));
    }
    Line(".entry {}", StartLabel(program_.entry));
    if (program_.init) Line(".init {}", StartLabel(*program_.init));
  }

  void Data(const DataSegment& segment) {
    std::string_view directive = ".data";
    std::string offset = fmt::format(" {}", segment.offset);
    std::span<const std::uint8_t> rest = segment.bytes;
    do {
      const auto chunk = rest.first(std::min(rest.size(), kDataBytesPerLine));
      const std::string bytes(chunk.begin(), chunk.end());
      Line("{}{}{}{}", directive, offset, bytes.empty() ? "" : " ",
           bytes.empty() ? "" : Quoted(bytes));
      rest = rest.subspan(chunk.size());
      directive = ".bytes";
      offset.clear();
    } while (!rest.empty());
  }

  void WriteFunction(std::size_t index) {
    const Function& function = program_.functions[index];
    Line("");
    const std::vector<ValueType>& types = function.local_types;
    Line(".func {} params={} results={} locals={}{}{}", Quoted(function.name), function.params,
         function.results, function.locals,
         types.empty() ? "" : " types=", types.empty() ? "" : TypesOrCount(types, 0));
    Line("f{}:", index);
    for (std::uint32_t ip = function.first; ip <= function.last; ++ip) {
      if (is_jump_target_[ip]) Line("L{}:", ip);
      Marks(ip);
      std::string comment = fmt::format("; {}", ip);
      const std::string instruction = WithLabels(function, program_.code[ip], comment);
      Line("  {:<{}}{}", instruction + ' ', kCommentColumn, comment);
    }
    Line(".end");
  }

  // The line marks and notes at this instruction. Both are in order, so each is looked at once.
  void Marks(std::uint32_t ip) {
    for (; next_line_ < program_.lines.size() && program_.lines[next_line_].ip == ip;
         ++next_line_) {
      Line(".line {}", program_.lines[next_line_].line);
    }
    for (; next_note_ < program_.notes.size() && program_.notes[next_note_].ip == ip;
         ++next_note_) {
      Line(".note {}", Quoted(program_.notes[next_note_].text));
    }
  }

  std::string WithLabels(const Function& function, const Instruction& instruction,
                         std::string& comment) const {
    const std::optional<std::string> plain = Plain(instruction);
    if (!plain) return Raw(instruction);
    const OpcodeInfo& info = Info(instruction.op());
    if (IsLabelled(function, instruction)) return fmt::format("{} L{}", info.text, instruction.arg);
    if (info.operand != Operand::kCallee) return *plain;
    return WithCallee(function, instruction, comment);
  }

  std::string WithCallee(const Function& function, const Instruction& call,
                         std::string& comment) const {
    if ((call.arg & kHostCallBit) != 0) {
      const Import* import = CalledImport(program_, call);
      if (import == nullptr) return Raw(call);
      comment += fmt::format("  {}", QuotedShort(import->module + '.' + import->name));
      return fmt::format("CALL i{}", import - program_.imports.data());
    }
    const Function* callee = program_.FunctionAt(call.arg);
    if (callee == nullptr || callee->first != call.arg || call.aux() != function.locals) {
      return Raw(call);
    }
    if (!callee->name.empty()) comment += fmt::format("  {}", QuotedShort(callee->name));
    return fmt::format("CALL {}", StartLabel(call.arg));
  }

  const Program& program_;
  std::vector<bool> is_jump_target_;  // (n,)
  std::size_t next_line_ = 0, next_note_ = 0;
  std::string text_;
};

}  // namespace

Result<std::string> Disassemble(const Program& program) {
  TXVM_CHECK_OK(VerifyTables(program));
  return Listing(program).Text();
}

std::string Mnemonic(const Instruction& instruction) {
  const OpcodeInfo* info = FindInfo(instruction.code());
  if (info == nullptr) return {};
  if (info->operand != Operand::kLocal || instruction.aux() != 1) return std::string(info->text);
  constexpr std::string_view kLocalPrefix = "LOCAL";
  return fmt::format("GLOBAL{}", info->text.substr(kLocalPrefix.size()));
}

std::string InstructionText(const Instruction& instruction) {
  return Plain(instruction).value_or(Raw(instruction));
}

std::string InstructionText(const Program& program, const Instruction& instruction) {
  const Import* import = CalledImport(program, instruction);
  if (import == nullptr) return InstructionText(instruction);
  return fmt::format("CALL {}", Printable(import->module + '.' + import->name));
}

}  // namespace txvm::isa
