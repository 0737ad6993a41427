// What a training run keeps on disk: safetensors of its variables, their moments and a record of
// the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/train/adamw.h"

namespace txvm::neural::train {

/// Where a run stands.
struct RunState {
  std::vector<float> weights;  // what the run changes
  Moments moments;             // of the weights
  std::uint64_t step = 0;      // updates done
};

/// Writes the state with a checksum; replaces the file at once or not at all, whenever the process
/// or the machine stops. `fingerprint` says all that the run follows from. kHost: what cannot be
/// written.
isa::Result<void> SaveRun(const std::string& path, std::string_view fingerprint,
                          const RunState& state);

/// The state of a run with this fingerprint and this many weights. kIo: no such file, or
/// none that can be read; kCorrupt: damaged; kInvalid: of another run. All name the file.
isa::Result<RunState> LoadRun(const std::string& path, std::string_view fingerprint,
                              std::size_t weights);

}  // namespace txvm::neural::train
