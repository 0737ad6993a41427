// Which modules of a script share tables, memories, globals or tags, and their common program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wasm/merge.h"
#include "frontends/wasm/module.h"
#include "frontends/wat/script.h"

namespace txvm::frontends::wat {

/// Modules that run as one program, since they share what only one machine can hold.
struct ModuleGroup {
  std::vector<std::size_t> ids;  // of its members in the script, ascending
  // Its members: what they import from elsewhere is resolved, but functions, which are left
  // imported from the module "#ID".
  std::vector<Module> modules;
  // For each member, the members by the names that are registered when it is instantiated.
  std::vector<std::map<std::string, std::size_t, std::less<>>> names;
};

/// The place of a module in its group.
struct GroupSeat {
  std::shared_ptr<ModuleGroup> group;
  std::size_t member = 0;
};

/// What a script's commands are before they run.
struct ScriptGroups {
  std::vector<std::optional<std::size_t>> ids;  // (commands,) the number of its module, if any
  std::map<std::size_t, GroupSeat> seats;       // by id; those that share nothing have none
};

/// Finds the groups. A module whose imports do not fit has no seat, and one that would bring a
/// second memory into a group. `spectest`: the host module. Cost O(commands * registered names).
ScriptGroups FindGroups(const std::vector<ScriptCommand>& commands, const Module& spectest);

/// Merges a group. Exports of member i, and its function "init", have names that begin with
/// GroupPrefix(i). Errors are MergeModules'.
isa::Result<MergedModule> MergeGroup(const ModuleGroup& group);

/// "N:" of a member.
std::string GroupPrefix(std::size_t member);

/// The export that instantiates a member; no export of a module has this name.
std::string GroupInit(std::size_t member);

}  // namespace txvm::frontends::wat
