// A window of a run, step by step: what each step changed, and how often the rest ran.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "frontends/cli/step/timeline.h"
#include "vm/snapshot.h"
#include "vm/state.h"

namespace txvm::frontends::cli {

/// Where a write went. Memory writes are of 1, 2 or 4 bytes, lowest first.
enum class WriteKind : std::uint8_t { kStack, kLocals, kByte, kHalf, kWord };

struct StepWrite {
  WriteKind kind = WriteKind::kStack;
  std::uint32_t address = 0;
  isa::Word value = 0;
};

/// The registers after a step, and its writes: those from `writes` on, up to the next step's.
struct RecordedStep {
  std::uint32_t ip = 0, sp = 0, depth = 0, locals_base = 0, pages = 0;
  std::size_t writes = 0;
};

/// Steps of one function: before the window, in it and after it.
struct FunctionSteps {
  std::uint64_t before = 0, within = 0, after = 0;
};

/// A window and its surroundings. steps[0] is the state the window begins with, and writes nothing.
struct Recording {
  std::uint64_t first = 0;  // step of that state
  vm::Snapshot begin;
  std::vector<vm::Frame> frames;  // of `begin`, outermost first
  std::vector<RecordedStep> steps;
  std::vector<StepWrite> writes;
  std::vector<FunctionSteps> functions;  // as in the program
  bool is_cut = false;                   // the window ended early: host functions wrote too much
  bool is_whole = false;                 // the run was followed to its end
};

/// Which part of a run to record, and how long to follow it.
struct RecordingBounds {
  std::uint64_t first = 0;                            // step of the first state
  std::uint64_t steps = 10'000;                       // in the window at most
  std::uint64_t most = UINT64_MAX;                    // steps of the run
  std::optional<std::chrono::duration<double>> time;  // wall time of the run
};

/// Walks `timeline` from its start to the window, through it and to the end. Writes of host
/// functions above a megabyte end the window. Errors: kUsage when the run ends before the window
/// begins; kLimit when bounds.most or bounds.time do, or the first state has more than 200,000
/// operands or frames.
isa::Result<Recording> RecordRun(Timeline& timeline, const RecordingBounds& bounds);

}  // namespace txvm::frontends::cli
