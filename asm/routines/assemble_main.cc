// Build tool: assembles the .txa file of every row of routines.def, composes those on vectors, and
// writes them all as a C++ source.
// Usage: txvm_assemble_routines FOLDER OUTPUT
#include <fmt/format.h>

#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "asm/assembler.h"
#include "asm/routines/routines.h"
#include "asm/routines/vectors/compose.h"
#include "isa/support/file.h"
#include "isa/vector_routine.h"
#include "isa/verify.h"

namespace {

using namespace txvm;

/// The program of a routine's file, which must hold one function as its row says.
isa::Result<isa::Program> Read(const assembler::RoutineInfo& info, const std::string& folder) {
  const std::string path = fmt::format("{}/{}.txa", folder, info.name);
  TXVM_TRY(std::string text, isa::ReadFile(path));
  text += "\n.func start\n  HALT\n.end\n.entry start\n";  // a program's entry takes no arguments
  TXVM_TRY(isa::Program program, assembler::Assemble(text, path));
  TXVM_CHECK_OK(isa::Verify(program));
  const isa::Function& function = program.functions.front();
  if (function.name != info.name || function.params != info.cells_in ||
      function.results != info.cells_out) {
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("{}: its first function is {} with {} params and {} results; "
                                 "routines.def says {}, {}, {}",
                                 path, function.name, function.params, function.results, info.name,
                                 info.cells_in, info.cells_out));
  }
  return program;
}

/// One array of instructions.
void AppendCode(std::span<const isa::Instruction> code, std::size_t index, std::string& arrays) {
  arrays += fmt::format("constexpr isa::Instruction kCode{}[] = {{\n", index);
  for (const isa::Instruction& instruction : code) {
    arrays += fmt::format("    Make({}, {}u),\n", instruction.head, instruction.arg);
  }
  arrays += "};\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("usage: txvm_assemble_routines FOLDER OUTPUT\n", stderr), 2;
  std::vector<isa::Program> programs;
  std::vector<assembler::AssembledRoutine> scalars;
  std::string arrays;
  std::string rows;
  const auto append = [&](std::span<const isa::Instruction> code, std::uint32_t locals,
                          isa::RoutineId id) {
    const auto index = static_cast<std::size_t>(id);
    AppendCode(code, index, arrays);
    rows += fmt::format("    {{{}, kCode{}}},\n", locals, index);
  };
  for (const assembler::RoutineInfo& info : assembler::kRoutines) {
    if (isa::FindVectorRoutine(info.id) != nullptr) continue;
    isa::Result<isa::Program> program = Read(info, argv[1]);
    if (!program) {
      std::fprintf(stderr, "%s\n", program.error().ToString().c_str());
      return 1;
    }
    const isa::Function& function = program->functions.front();
    const std::span<const isa::Instruction> code =
        std::span(program->code).subspan(function.first, function.last - function.first + 1);
    scalars.push_back({function.locals, code});
    append(code, function.locals, info.id);
    programs.push_back(*std::move(program));  // the code stays where it is
  }
  for (const isa::VectorRoutine& row : isa::kVectorRoutines) {
    const assembler::GraphCode made = assembler::ComposeVector(row, scalars);
    append(made.code, made.locals, row.id);
  }
  std::string out =
      "// Generated from asm/routines/.\n#include \"asm/routines/routine_code.h\"\n\n"
      "namespace txvm::assembler {\nnamespace {\n\n"
      "constexpr isa::Instruction Make(std::uint32_t head, std::uint32_t arg) {\n"
      "  isa::Instruction made;\n  made.head = head;\n  made.arg = arg;\n  return made;\n}\n\n";
  out += arrays + "\nconstexpr AssembledRoutine kAssembled[] = {\n" + rows +
         "};\n\n}  // namespace\n\n"
         "std::span<const AssembledRoutine> AssembledRoutines() { return kAssembled; }\n\n"
         "}  // namespace txvm::assembler\n";
  const isa::Result<void> written = isa::WriteFile(argv[2], out);
  if (written) return 0;
  std::fprintf(stderr, "%s\n", written.error().ToString().c_str());
  return 1;
}
