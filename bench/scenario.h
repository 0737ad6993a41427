// What is measured: a program, a call and its known result.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program.h"
#include "isa/support/result.h"
#include "isa/word_ops.h"
#include "vm/outcome.h"

namespace txvm::bench {

/// One [[scenario]] of scenarios.toml.
struct Scenario {
  std::string name, group;
  std::string program;  // file name below bench/programs
  std::string invoke;   // empty: the program's own entry
  std::vector<isa::Word> args;
  std::vector<isa::Word> results;
};

/// A scenario ready to run.
struct LoadedScenario {
  Scenario scenario;
  std::string file;  // the path that was read, or the embedded program's name
  std::string text;  // of it
  std::shared_ptr<const isa::Program> program;
  std::uint32_t start = 0;  // stub
};

/// Reads the text of a scenarios file. kUsage with its place for TOML that does not parse or a
/// scenario without name, group, program or results.
isa::Result<std::vector<Scenario>> ParseScenarios(std::string_view text, const std::string& name);

/// Reads and lowers a .wat or .txa program: from `folder` when it is not empty and holds the file,
/// else the embedded one. kIo when there is none, kUsage for a call of another number of arguments
/// than `args` has. Errors are told with the file.
isa::Result<LoadedScenario> LoadScenario(const Scenario& scenario, const std::string& folder);

/// The error, told with the scenario's name and, where it has no place, the program's file.
std::unexpected<isa::Error> InScenario(isa::Error error, const LoadedScenario& loaded);

/// A sentence, told with the scenario's name and the program's file.
std::string OfScenario(std::string_view sentence, const LoadedScenario& loaded);

/// kInvalid for a run that did not halt: on which engine, how it ended and why.
isa::Result<void> CheckHalted(const vm::RunResult& result, vm::EngineKind engine);

}  // namespace txvm::bench
