#include "tests/vm/snapshot_programs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "asm/assembler.h"
#include "frontends/wat/load.h"

namespace txvm::vm {
namespace {

struct TextProgram {
  const char* name;
  const char* text;
};

// What files of the repository do not exercise.
constexpr TextProgram kTexts[] = {
    {"deep recursion", R"(
.func sum params=1 results=1 locals=3
  LOCAL.SET 0
  LOCAL.GET 0
  if results=1
    LOCAL.GET 0
    LOCAL.GET 0
    PUSH 1
    SUB
    CALL sum
    ADD
  else
    PUSH 0
  end
.end
.func main results=1
  PUSH 3000
  CALL sum
.end
.export "main" main
)"},
    {"grown memory", R"(
.memory 1 9
.import grow "txvm" "memory.grow" params=1 results=1
.import size "txvm" "memory.size" results=1
.data 65000 1 2 3 4
.func main results=1 locals=2
  PUSH 400
  LOCAL.SET 0
  loop next
    LOCAL.GET 0
    PUSH 100
    REM_U
    EQZ
    if
      PUSH 2
      CALL grow
      POP
    end
    CALL size
    PUSH 65536
    MUL
    LOCAL.GET 0
    PUSH 4
    MUL
    SUB
    LOCAL.GET 0
    I32.STORE
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if next
  end
  CALL size
  PUSH 65536
  MUL
  PUSH 40
  SUB
  I32.LOAD
.end
.export "main" main
)"},
    {"host calls in a row", R"(
.memory 1 1
.import sums "test" "sums" params=3 results=2
.import poke "test" "poke" params=2
.import five "test" "five" results=5
.func main results=1 locals=2
  PUSH 60
  LOCAL.SET 0
  loop next
    CALL five
    CALL sums
    CALL sums
    LOCAL.GET 0
    SWAP
    CALL poke
    ADD
    LOCAL.GET 1
    ADD
    LOCAL.SET 1
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if next
  end
  LOCAL.GET 1
.end
.export "main" main
)"},
    {"an init function", R"(
.global 1
.global 0
.memory 1 1
.func start
  PUSH 7
  GLOBAL.SET 0
  PUSH 100
  PUSH 77
  I32.STORE
.end
.func main results=1 locals=1
  PUSH 50
  LOCAL.SET 0
  loop next
    GLOBAL.GET 0
    PUSH 31
    MUL
    PUSH 100
    I32.LOAD
    XOR
    GLOBAL.TEE 0
    GLOBAL.SET 1
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if next
  end
  GLOBAL.GET 1
.end
.export "main" main
.init start
)"},
    {"division", R"(
.func main results=1 locals=2
  PUSH -1000000
  LOCAL.SET 1
  PUSH 120
  LOCAL.SET 0
  loop next
    LOCAL.GET 1
    LOCAL.GET 0
    DIV_S
    LOCAL.GET 1
    LOCAL.GET 0
    REM_U
    ADD
    PUSH -77777
    MUL
    LOCAL.GET 0
    REM_S
    LOCAL.GET 1
    ADD
    LOCAL.SET 1
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if next
  end
  LOCAL.GET 1
.end
.export "main" main
)"},
    // A frame is not cleared: `read` sees what `write`, which has ended, left at the same place.
    {"locals that ended frames left", R"(
.func write params=2 locals=40
  LOCAL.SET 39
  LOCAL.SET 20
.end
.func read results=1 locals=40
  LOCAL.GET 39
  LOCAL.GET 20
  ADD
.end
.func deeper results=1 locals=30
  CALL read
.end
.func main results=1 locals=2
  PUSH 50
  LOCAL.SET 0
  loop next
    LOCAL.GET 0
    LOCAL.GET 1
    CALL write
    PUSH 5
    PUSH 6
    CALL deeper
    ADD
    SUB
    CALL read
    ADD
    LOCAL.SET 1
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if next
  end
  LOCAL.GET 1
.end
.export "main" main
)"},
    {"ends in a trap", R"(
.memory 1 1
.func main results=1 locals=1
  PUSH 64000
  LOCAL.SET 0
  loop next
    LOCAL.GET 0
    LOCAL.GET 0
    I32.STORE 2
    LOCAL.GET 0
    PUSH 97
    ADD
    LOCAL.SET 0
    br next
  end
  TRAP Unreachable
.end
.export "main" main
)"},
    {"the host ends it", R"(
.import exit_if "test" "exit_if" params=1
.func main locals=1
  PUSH 40
  LOCAL.SET 0
  loop next
    LOCAL.GET 0
    CALL exit_if
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if next
  end
.end
.export "main" main
)"},
    {"calls without end", R"(
.func down params=1
  PUSH 1
  ADD
  DUP
  CALL down
  POP
.end
.func main
  PUSH 0
  CALL down
.end
.export "main" main
)"},
};

std::string ReadAll(const std::string& path) {
  std::ifstream file(std::string(TXVM_SOURCE_DIR "/") + path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::shared_ptr<const isa::Program> Shared(isa::Result<isa::Program> program) {
  if (!program) {
    ADD_FAILURE() << program.error().ToString();
    return std::make_shared<const isa::Program>();
  }
  return std::make_shared<const isa::Program>(*std::move(program));
}

SnapshotProgram FromFile(const std::string& path, const std::string& name = {},
                         std::vector<Word> args = {}) {
  SnapshotProgram made;
  made.name = path + (name.empty() ? "" : " " + name);
  const std::string text = ReadAll(path);
  made.program = Shared(path.ends_with(".wat") ? frontends::wat::LoadWat(text, path)
                                               : assembler::Assemble(text, path));
  made.start = made.program->entry;
  if (const isa::Export* found = made.program->FindExport(name)) made.start = found->start;
  made.args = std::move(args);
  return made;
}

}  // namespace

std::vector<SnapshotProgram> SnapshotPrograms() {
  std::vector<SnapshotProgram> programs;
  for (const TextProgram& text : kTexts) {
    SnapshotProgram made;
    made.name = text.name;
    made.program = Shared(assembler::Assemble(text.text, text.name));
    made.start = made.program->entry;
    programs.push_back(std::move(made));
  }
  const std::string golden = "tests/golden/programs/";
  programs.push_back(FromFile(golden + "fib.txa"));
  programs.push_back(FromFile(golden + "factorial.txa"));
  programs.push_back(FromFile(golden + "fnv1a_32.txa"));
  programs.push_back(FromFile(golden + "primes.txa", "primes", {100}));
  programs.push_back(FromFile(golden + "bubble_sort.txa", "sort_20"));
  programs.push_back(FromFile(golden + "calls.txa", "fib", {12}));
  programs.push_back(FromFile(golden + "hungarian.wat", "cost"));
  programs.push_back(FromFile("examples/fib.wat", "fib", {14}));
  programs.push_back(FromFile("examples/dispatch.txa"));
  programs.push_back(FromFile("examples/hello.wat"));
  programs.push_back(FromFile("examples/sudoku.wat", "contradiction"));
  return programs;
}

}  // namespace txvm::vm
