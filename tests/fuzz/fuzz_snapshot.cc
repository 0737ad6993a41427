// libFuzzer: snapshots. Whatever the reader and the check let through must run within its buffers,
// alike on both direct engines, and into states that the check lets through again.
//
// The first byte says how the rest is taken:
//   0  a snapshot file as it is
//   1  the same, with length, checksum and program put right
//   2  a good snapshot (program, step), then changes to its file: at, value; put right
//   3  frames, ip and operands for a state, which gets as many operands as are expected
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "asm/assembler.h"
#include "isa/program_file.h"
#include "vm/machine.h"
#include "vm/snapshot_file.h"
#include "vm/state.h"

namespace {

using namespace txvm;
using File = std::vector<std::uint8_t>;

constexpr std::size_t kHashAt = 32, kHashBytes = 32, kLengthAt = 16;
constexpr std::uint64_t kFuel = 300;

constexpr const char* kTexts[] = {
    // Recursion, results of several slots, globals, memory, jumps that are decided.
    R"(
.memory 1 3
.global 5
.global 0
.func pair params=1 results=2 locals=3
  LOCAL.TEE 2
  LOCAL.GET 2
  PUSH 1
  ADD
.end
.func walk params=2 results=1 locals=4
  LOCAL.SET 1
  LOCAL.TEE 0
  if results=1
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.GET 1
    CALL pair
    DIV_S
    CALL walk
    LOCAL.GET 0
    LOCAL.GET 1
    I32.STORE 65530
  else
    GLOBAL.GET 1
    PUSH 1
    ADD
    GLOBAL.TEE 1
  end
.end
.func main results=1 locals=1
  PUSH 9
  LOCAL.SET 0
  loop next
    LOCAL.GET 0
    PUSH 7
    CALL walk
    GLOBAL.SET 0
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if next
  end
  LOCAL.GET 0
.end
.export "main" main
)",
    // Host functions, growth, br_table.
    R"(
.memory 0 4
.import grow "txvm" "memory.grow" params=1 results=1
.import size "txvm" "memory.size" results=1
.func main results=1 locals=2
  loop next
    block b
      block a
        LOCAL.GET 0
        PUSH 3
        REM_U
        br_table a b b
      end
      PUSH 1
      CALL grow
      LOCAL.SET 1
    end
    CALL size
    PUSH 65536
    MUL
    PUSH 8
    SUB
    LOCAL.GET 0
    I32.STORE
    LOCAL.GET 0
    PUSH 1
    ADD
    LOCAL.TEE 0
    PUSH 12
    LT_U
    br_if next
  end
  LOCAL.GET 1
.end
.export "main" main
)",
    // A jump that is always taken, in front of what no path reaches.
    R"(
  PUSH 1
  PUSH 2
  PUSH 1
  JNZ on
  POP
  POP
  POP
on:
  SWAP
  PUSH 0
  JZ end
  ADD
end:
  HALT
)"};

struct Subject {
  std::shared_ptr<const isa::Program> program;
  std::vector<vm::Snapshot> good;  // along its run
};

vm::Machine MachineOf(const std::shared_ptr<const isa::Program>& program, vm::EngineKind engine) {
  vm::MachineOptions options;
  options.engine = engine;
  options.limits = {.max_slots = 64, .max_depth = 16, .max_locals = 128, .max_pages = 4};
  return vm::Machine::Load(program, {}, options).value();
}

std::vector<Subject> MakeSubjects() {
  std::vector<Subject> subjects;
  for (const char* text : kTexts) {
    Subject subject;
    subject.program =
        std::make_shared<const isa::Program>(assembler::Assemble(text, "fuzz.txa").value());
    vm::Machine machine = MachineOf(subject.program, vm::EngineKind::kNative);
    vm::RunOptions run;
    run.digest = true;
    run.fuel = 0;
    machine.CallStub(subject.program->entry, {}, run);
    run.fuel = 1;
    while (machine.resumable() && subject.good.size() < 256) {
      subject.good.push_back(machine.TakeSnapshot().value());
      machine.Resume(run);
    }
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

void PutRight(File& file, const isa::Program& program) {
  if (file.size() < vm::kSnapshotHeaderBytes) return;
  vm::Snapshot named;
  named.program_hash = vm::ProgramHash(program);
  const File header = vm::WriteSnapshot(named);
  std::copy_n(header.begin(), 12, file.begin());
  std::copy_n(header.begin() + kHashAt, kHashBytes, file.begin() + kHashAt);
  const std::uint64_t size = file.size();
  std::memcpy(&file[kLengthAt], &size, sizeof(size));
  const std::uint64_t checksum = isa::ProgramChecksum(file);
  std::memcpy(&file[vm::kSnapshotChecksumAt], &checksum, sizeof(checksum));
}

/// Goes on from the snapshot on both engines, in two pieces. What one accepts, all must, and the
/// states on the way too.
void GoOn(const Subject& subject, const vm::Snapshot& snapshot) {
  std::array<File, 2> arrived;
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    vm::Machine machine = MachineOf(subject.program, vm::DirectEngines()[i]);
    if (!machine.Restore(snapshot)) continue;
    vm::RunOptions run;
    run.digest = machine.has_digest();
    run.fuel = kFuel / 2;
    for (int piece = 0; piece < 2 && machine.resumable(); ++piece) {
      machine.Resume(run);
      const File file = vm::WriteSnapshot(machine.TakeSnapshot().value());
      const auto read = vm::ReadSnapshot(file);
      TXVM_ASSERT(read.has_value());
      TXVM_ASSERT(machine.resumable() == read->running);
      TXVM_ASSERT(MachineOf(subject.program, vm::EngineKind::kNative).Restore(*read).has_value());
    }
    arrived[i] = vm::WriteSnapshot(machine.TakeSnapshot().value());
  }
  TXVM_ASSERT(arrived[0] == arrived[1]);
}

void TakeFile(const Subject& subject, const File& file) {
  const isa::Result<vm::Snapshot> snapshot = vm::ReadSnapshot(file);
  if (snapshot) GoOn(subject, *snapshot);
}

void TakeState(const Subject& subject, std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 3) return;
  vm::Snapshot snapshot = subject.good[bytes[0] % subject.good.size()];
  snapshot.ip = bytes[1];
  snapshot.frames.clear();
  const std::size_t frames = std::min<std::size_t>(bytes[2], bytes.size() - 3);
  for (std::size_t i = 0; i < frames; ++i) snapshot.frames.push_back(bytes[3 + i]);
  bytes = bytes.subspan(3 + frames);
  // As many operands as the check expects: it knows one number only.
  for (std::size_t size = 0; size <= 64; ++size) {
    snapshot.stack.assign(size, 0);
    for (std::size_t i = 0; i < size && !bytes.empty(); ++i) {
      snapshot.stack[i] = bytes[i % bytes.size()];
    }
    GoOn(subject, snapshot);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Subject> subjects = MakeSubjects();
  if (size < 2) return 0;
  const Subject& subject = subjects[data[1] % subjects.size()];
  const std::span<const std::uint8_t> rest(data + 2, size - 2);
  switch (data[0] % 4) {
    case 0:
      TakeFile(subject, File(rest.begin(), rest.end()));
      break;
    case 1: {
      File file(rest.begin(), rest.end());
      PutRight(file, *subject.program);
      TakeFile(subject, file);
      break;
    }
    case 2: {
      if (rest.empty()) return 0;
      File file = vm::WriteSnapshot(subject.good[rest[0] % subject.good.size()]);
      for (std::size_t i = 1; i + 2 < rest.size(); i += 3) {
        const std::size_t at = rest[i] | std::size_t{rest[i + 1]} << 8;
        file[at % file.size()] = rest[i + 2];
      }
      PutRight(file, *subject.program);
      TakeFile(subject, file);
      break;
    }
    default:
      TakeState(subject, rest);
  }
  return 0;
}
