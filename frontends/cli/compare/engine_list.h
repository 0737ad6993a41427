// Lists of engines on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "vm/outcome.h"

namespace txvm::frontends::cli {

/// The parts of "a,b,c", empty ones left out.
std::vector<std::string> SplitList(std::string_view list);

/// Our engines and the other runtimes that a list names, in the order of the tables.
struct EngineList {
  std::vector<vm::EngineKind> engines;
  std::vector<std::string_view> runtimes;
};

/// All of them for an empty list. Errors: kUsage for a name of neither.
isa::Result<EngineList> ParseEngineList(std::string_view list);

}  // namespace txvm::frontends::cli
