// libFuzzer: a .txp file. Read, validate, list; a program that Verify accepts must run, and write
// back to equal bytes.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "isa/disassemble.h"
#include "isa/program_file.h"
#include "isa/verify.h"
#include "vm/machine.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace txvm;
  isa::Result<isa::Program> program = isa::ReadProgram({data, size});
  if (!program) return 0;
  (void)isa::Disassemble(*program);
  if (!isa::Verify(*program)) return 0;
  TXVM_ASSERT(isa::ReadProgram(isa::WriteProgram(*program).value()).value() == *program);
  const auto shared = std::make_shared<isa::Program>(*std::move(program));
  vm::MachineOptions options;
  options.limits.max_pages = 16;
  for (const vm::EngineKind engine : vm::DirectEngines()) {
    options.engine = engine;
    isa::Result<vm::Machine> machine = vm::Machine::Load(shared, {}, options);
    if (!machine || shared->FunctionAt(shared->entry)->params != 0) return 0;
    vm::RunOptions run;
    run.fuel = 10'000;
    machine->CallStub(shared->entry, {}, run);
  }
  return 0;
}
