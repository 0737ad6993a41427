#include "frontends/cli/compare/engine_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/cli/run/run_options.h"
#include "frontends/foreign/runtimes.h"

namespace txvm::frontends::cli {

std::vector<std::string> SplitList(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), part.size() + 1));
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

isa::Result<EngineList> ParseEngineList(std::string_view list) {
  const std::vector<std::string> names = SplitList(list);
  const auto is_named = [&](std::string_view name) {
    return list.empty() || std::ranges::find(names, name) != names.end();
  };
  EngineList found;
  for (const vm::EngineKind engine : vm::AllEngines()) {
    if (is_named(vm::EngineName(engine))) found.engines.push_back(engine);
  }
  std::string choices = EngineChoices();
  for (const std::string_view runtime : foreign::ForeignRuntimes()) {
    if (is_named(runtime)) found.runtimes.push_back(runtime);
    choices += fmt::format(", {}", runtime);
  }
  for (const std::string& name : names) {
    const bool is_known = vm::FindEngine(name).has_value() ||
                          std::ranges::find(found.runtimes, name) != found.runtimes.end();
    if (is_known) continue;
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--engines '{}' is unknown: {}", name, choices));
  }
  if (!found.engines.empty()) return found;
  return isa::Fail(isa::ErrorCode::kUsage, "--engines names no engine of txvm to compare with");
}

}  // namespace txvm::frontends::cli
