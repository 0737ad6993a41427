// What is measured: a program, a call and its known result.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program.h"
#include "isa/result.h"
#include "isa/word_ops.h"

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
  std::string text;  // of the program file
  std::shared_ptr<const isa::Program> program;
  std::uint32_t start = 0;  // stub
};

/// Reads the text of a scenarios file. kUsage with its place for TOML that does not parse or a
/// scenario without name, group, program or results.
isa::Result<std::vector<Scenario>> ParseScenarios(std::string_view text, const std::string& name);

/// Reads and lowers a .wat or .txa program: from `folder` when it is not empty and holds the file,
/// else the embedded one. kIo when there is none.
isa::Result<LoadedScenario> LoadScenario(const Scenario& scenario, const std::string& folder);

/// The text of a program of bench/programs, found as LoadScenario does.
isa::Result<std::string> ReadProgramText(const std::string& file, const std::string& folder);

/// Lowers program text by the extension of its name.
isa::Result<std::shared_ptr<const isa::Program>> LowerProgram(std::string_view text,
                                                              const std::string& file);

}  // namespace txvm::bench
