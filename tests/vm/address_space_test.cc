// A process that may reserve less address space than a memory may grow to.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/vm/vm_fixture.h"
#include "vm/memory/linear_memory.h"

namespace txvm::vm {
namespace {

constexpr int kAsExpected = 0, kOtherwise = 1;
constexpr int kNoLimit = 2;  // a limit has no effect here (qemu-user, AddressSanitizer)

/// Lets this process reserve `more_bytes` from now on. False where that has no effect.
bool LimitAddressSpace(std::uint64_t more_bytes) {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0;
  statm >> pages;
  const rlim_t used = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  const rlimit limit = {used + more_bytes, RLIM_INFINITY};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return false;
  return !Reservation<std::uint8_t>::Create(std::uint64_t{1} << 33);
}

int MemoryWithin(std::uint64_t more_bytes) {
  if (!LimitAddressSpace(more_bytes)) return kNoLimit;
  auto memory = LinearMemory::Create(1, isa::kMaxPages);
  if (!memory) return kOtherwise;
  const std::uint32_t allowed = memory->max_pages();
  const std::uint64_t bytes = std::uint64_t{allowed} * isa::kPageBytes;
  if (bytes >= more_bytes || bytes < more_bytes / 2) return kOtherwise;
  if (memory->Grow(isa::kMaxPages) != 0xFFFFFFFF || memory->fell_short()) return kOtherwise;
  if (memory->Grow(allowed) != 0xFFFFFFFF || !memory->fell_short()) return kOtherwise;
  if (memory->Grow(allowed - 1) != 1 || memory->pages() != allowed) return kOtherwise;
  memory->data()[bytes - 1] = 1;
  if (memory->ShortageText().find("--max-pages") == std::string::npos) return kOtherwise;
  const auto whole = LinearMemory::Create(isa::kMaxPages, isa::kMaxPages);
  return whole.has_value() ? kOtherwise : kAsExpected;
}

// Grows by its argument, writes and reads the last byte, returns the old size + 7.
constexpr std::string_view kGrow = R"(
.memory 1 65536
.import size "txvm" "memory.size" params=0 results=1
.import grow "txvm" "memory.grow" params=1 results=1
.func main params=1 results=1 locals=2
  CALL grow
  LOCAL.SET 1
  CALL size
  PUSH 16
  SHL
  PUSH 1
  SUB
  LOCAL.TEE 0
  PUSH 7
  I32.STORE8
  LOCAL.GET 0
  I32.LOAD8_U
  LOCAL.GET 1
  ADD
.end
.export "main" main
)";

int GrowWithin(std::uint64_t more_bytes, EngineKind engine) {
  if (!LimitAddressSpace(more_bytes)) return kNoLimit;
  MachineOptions options;
  options.engine = engine;
  options.fold_at_first_call = true;
  isa::Result<Machine> machine = Machine::Load(ProgramOf(kGrow), Linker(), options);
  if (!machine) return kOtherwise;
  if (engine == EngineKind::kFolded && !machine->Substitute({}).empty() &&
      machine->Substitute({}).find("makes no machine code") == std::string_view::npos) {
    return kOtherwise;
  }
  const isa::Export& main = machine->program().exports.front();
  const auto grown_by = [&](Word pages) {
    const auto result = machine->Call(main, {{pages}});
    return result && result->outcome == Outcome::kHalted ? result->results.at(0) : 0;
  };
  if (grown_by(1'000) != 1 + 7 || machine->memory().fell_short()) return kOtherwise;
  if (grown_by(60'000) != 7 - 1 || !machine->memory().fell_short()) return kOtherwise;
  if (machine->memory().pages() != 1'001) return kOtherwise;
  // A second machine takes part of what is left, and goes on where the first one stands.
  const isa::Result<Machine> clone = machine->Clone();
  if (!clone) return clone.error().code == isa::ErrorCode::kMemory ? kAsExpected : kOtherwise;
  return clone->memory().pages() == 1'001 ? kAsExpected : kOtherwise;
}

bool WorksOrHasNoLimit(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) != kOtherwise;
}

TEST(AddressSpaceDeathTest, AMemoryIsAsLargeAsTheSystemAllows) {
  for (const std::uint64_t gigabytes : {1, 3}) {
    EXPECT_EXIT(std::exit(MemoryWithin(gigabytes << 30)), WorksOrHasNoLimit, "");
  }
}

TEST(AddressSpaceDeathTest, EveryEngineRunsAndGrowthBeyondFails) {
  for (const EngineKind engine : AllEngines()) {
    SCOPED_TRACE(EngineName(engine));
    for (const std::uint64_t megabytes : {500, 1'500, 3'500}) {
      EXPECT_EXIT(std::exit(GrowWithin(megabytes << 20, engine)), WorksOrHasNoLimit, "")
          << megabytes;
    }
  }
}

}  // namespace
}  // namespace txvm::vm
