// The commands of `txvm step` on a timeline.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/cli/run/run_options.h"
#include "frontends/cli/run/source_place.h"
#include "frontends/cli/step/timeline.h"
#include "isa/support/console.h"

namespace txvm::frontends::cli {

/// The commands, their brief forms and what they do, one line each.
std::string StepCommandHelp();

/// Executes commands, one line each, and prints what they show to stdout. See step_commands.def.
class Debugger {
 public:
  /// `settings` are those that the timeline was started with.
  Debugger(Timeline timeline, const RunSettings& settings, isa::Console& console);

  /// Prints where the run is.
  void Show();
  /// Executes one line; false when it says to leave. A line that makes no sense prints "error: ..."
  /// and changes nothing.
  bool Execute(std::string_view line);

 private:
  using Words = std::vector<std::string>;
  struct Breakpoint {
    std::uint32_t number = 0;
    std::string text;                // as given
    std::vector<std::uint32_t> ips;  // instructions; empty: a watch
    std::uint64_t address = 0;       // of a watch
    std::uint64_t count = 0;         // bytes of a watch
  };

#define TXVM_STEP_COMMAND(name, brief, Function, arguments, help) \
  isa::Result<void> Function(const Words& words);
#include "frontends/cli/step/step_commands.def"
#undef TXVM_STEP_COMMAND

  void Arrive(Timeline::Reason reason);
  Timeline::StopTest StopAtBreakpoints();
  std::vector<std::uint8_t> Watched(const Breakpoint& watch) const;
  std::string EndText() const;

  Timeline timeline_;
  isa::Limits limits_;
  std::string path_;  // of the program
  isa::Console& console_;
  SourceText source_;
  std::vector<Breakpoint> breakpoints_;
  std::uint32_t next_number_ = 1;
  std::string hit_;                  // which breakpoint stopped the last walk
  std::uint64_t changes_ahead_ = 0;  // as last said
  bool leave_ = false;
};

}  // namespace txvm::frontends::cli
