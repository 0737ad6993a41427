// A finished run in words and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program.h"
#include "isa/support/json_writer.h"
#include "isa/support/shown_text.h"
#include "vm/outcome.h"

namespace txvm::frontends::cli {

/// A run and what is to be said about it.
struct RunReport {
  const isa::Program& program;
  const vm::RunResult& result;
  vm::EngineKind engine = vm::EngineKind::kAttention;
  std::uint32_t ip = 0;                           // where it stopped
  double seconds = 0;                             // of the run alone, loading and printing excluded
  std::uint64_t first_step = 0;                   // steps done before those seconds: it was resumed
  std::string path;                               // of the program, as given
  std::vector<isa::ValueType> result_types = {};  // empty: not known
};

/// Results as ValueText (value_text.h) makes them, one per line.
std::string ResultLines(const RunReport& report);

/// One sentence on how a run that did not halt ended: cause, function, instruction and source line,
/// then that line itself where the file can still be read and is no newer than the program. Empty
/// for a halted or exited run.
std::string OutcomeSentence(const RunReport& report);

/// Steps, time and speed in one line; with stats, a table of heads and keys per address space.
std::string StatsText(const RunReport& report);

/// The object of `txvm run --json`; keys and their order are stable.
void WriteRunJson(const RunReport& report, isa::JsonWriter& json);

}  // namespace txvm::frontends::cli
