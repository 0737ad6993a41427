// What is measured. The only user of toml++ in bench/.
#include "bench/scenario.h"

#define TOML_EXCEPTIONS 0
#include <fmt/format.h>
#include <toml++/toml.h>
#include <unistd.h>

#include "asm/assembler.h"
#include "bench/embedded.h"
#include "frontends/cli/file.h"
#include "frontends/wat/load.h"
#include "vm/machine.h"

namespace txvm::bench {
namespace {

std::unexpected<isa::Error> FailAt(const std::string& file, const toml::source_region& region,
                                   std::string message) {
  return std::unexpected<isa::Error>(isa::Error{isa::ErrorCode::kUsage,
                                                std::move(message),
                                                {file, region.begin.line, region.begin.column},
                                                {}});
}

std::vector<isa::Word> Words(const toml::node_view<const toml::node>& node) {
  std::vector<isa::Word> words;
  if (const toml::array* array = node.as_array()) {
    for (const toml::node& item : *array) {
      words.push_back(static_cast<isa::Word>(item.value_or(std::int64_t{0})));
    }
  }
  return words;
}

}  // namespace

isa::Result<std::vector<Scenario>> ParseScenarios(std::string_view text, const std::string& name) {
  const toml::parse_result parsed = toml::parse(text, name);
  if (!parsed) {
    return FailAt(name, parsed.error().source(), std::string(parsed.error().description()));
  }
  std::vector<Scenario> scenarios;
  const toml::array* list = parsed.table()["scenario"].as_array();
  if (list == nullptr) return FailAt(name, parsed.table().source(), "no [[scenario]] in this file");
  for (const toml::node& node : *list) {
    if (!node.is_table()) return FailAt(name, node.source(), "a scenario must be a table");
    const toml::table& table = *node.as_table();
    Scenario scenario;
    scenario.name = table["name"].value_or("");
    scenario.group = table["group"].value_or("");
    scenario.program = table["program"].value_or("");
    scenario.invoke = table["invoke"].value_or("");
    scenario.args = Words(table["args"]);
    scenario.results = Words(table["results"]);
    if (scenario.name.empty() || scenario.group.empty() || scenario.program.empty() ||
        scenario.results.empty()) {
      return FailAt(name, node.source(), "a scenario needs name, group, program and results");
    }
    scenarios.push_back(std::move(scenario));
  }
  return scenarios;
}

isa::Result<std::string> ReadProgramText(const std::string& file, const std::string& folder) {
  const std::string path = folder + "/" + file;
  if (!folder.empty() && access(path.c_str(), R_OK) == 0) {
    return frontends::cli::ReadFile(path);
  }
  const std::string_view text = EmbeddedFile("programs/" + file);
  if (text.empty()) {
    return isa::Fail(isa::ErrorCode::kIo, fmt::format("no benchmark program '{}'", file));
  }
  return std::string(text);
}

isa::Result<std::shared_ptr<const isa::Program>> LowerProgram(std::string_view text,
                                                              const std::string& file) {
  isa::Result<isa::Program> program = file.ends_with(".wat") ? frontends::wat::LoadWat(text, file)
                                                             : assembler::Assemble(text, file);
  if (!program) return std::unexpected(std::move(program).error());
  return std::make_shared<const isa::Program>(*std::move(program));
}

isa::Result<LoadedScenario> LoadScenario(const Scenario& scenario, const std::string& folder) {
  LoadedScenario loaded;
  loaded.scenario = scenario;
  TXVM_TRY(loaded.text, ReadProgramText(scenario.program, folder));
  TXVM_TRY(loaded.program, LowerProgram(loaded.text, scenario.program));
  TXVM_TRY(const isa::Export* entry, vm::ChooseEntry(*loaded.program, scenario.invoke));
  loaded.start = entry == nullptr ? loaded.program->entry : entry->start;
  return loaded;
}

}  // namespace txvm::bench
