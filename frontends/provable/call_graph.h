// Which functions a program needs, and which of them can be open twice.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "frontends/provable/tree.h"
#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::provable {

/// What every table holds at the start, which is what it holds for ever: index to function.
using TableContents = std::vector<std::map<std::uint32_t, std::uint32_t>>;

/// The active element segments, in order. Errors: kInvalid for one that does not fit.
/// REQUIRES: wat::CheckOwned accepts the module.
isa::Result<TableContents> PlaceElements(const wat::Module& module);

struct CallGraph {
  std::map<std::uint32_t, Tree> trees;  // of reachable functions with a body, by index
  std::set<std::uint32_t> recursive;    // those that can call themselves, directly or not
  std::set<std::pair<std::uint32_t, std::uint32_t>> indirect;  // signature and table called
};

/// Everything the functions `todo` can reach; call_indirect reaches every function of its table
/// with its signature. Errors: those of BuildTree; kUnsupported for a reachable import that is no
/// known host function.
isa::Result<CallGraph> BuildCallGraph(const wat::Module& module, const TableContents& tables,
                                      std::vector<std::uint32_t> todo);

}  // namespace txvm::frontends::provable
