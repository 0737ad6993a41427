// A program and the run of it that the weights commands export, import or explain.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/cli/program/input.h"
#include "isa/limits.h"
#include "isa/program.h"
#include "weights/reference.h"

namespace txvm::frontends::cli {

/// Which program, which entry, with what.
struct ModelEntry {
  std::string path;
  std::optional<std::string> invoke;  // nullopt: the default entry
  std::vector<std::string> arguments;
  InputOptions input;
  isa::Limits limits;
};

/// A verified program and where its run starts.
struct ModelStart {
  std::shared_ptr<const isa::Program> program;
  std::uint32_t start = 0;
  std::vector<std::uint32_t> arguments;
};

/// Loads and verifies the program; its entries are not looked at. kLimit as below.
isa::Result<std::shared_ptr<const isa::Program>> LoadModelProgram(const ModelEntry& entry);

/// The same, and resolves the entry. kLimit for a program beyond entry.limits or of more tokens
/// than the transformer engine takes; kUsage for a wrong number of arguments; kUnsupported for a
/// program with a start function, without whose run the entry's would be another; kInvalid for data
/// that does not fit into the memory.
isa::Result<ModelStart> LoadModelEntry(const ModelEntry& entry);

/// Appends the program's tokens and gives the first state. REQUIRES: `limits` are those the start
/// was loaded with.
weights::StateRecord FeedProgram(const ModelStart& start, const isa::Limits& limits,
                                 weights::ReferenceModel& model);

/// "halted", "trapped: cause", ... with steps, passes, stack top and digest; one line.
std::string ModelRunText(const weights::ModelRun& run);

}  // namespace txvm::frontends::cli
