// Programs to cut and continue: every space, every way to leave a run, state in every corner.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isa/limits.h"
#include "isa/program.h"
#include "vm/host.h"

namespace txvm::vm {

/// One program and the invocation of it that is cut.
struct SnapshotProgram {
  std::string name;
  std::shared_ptr<const isa::Program> program;
  std::uint32_t start = 0;  // stub
  std::vector<Word> args;
};

/// Twenty of them; fails the test when one does not load. Their imports are test_hosts.h's.
std::vector<SnapshotProgram> SnapshotPrograms();

}  // namespace txvm::vm
