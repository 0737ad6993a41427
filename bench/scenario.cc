// What is measured. The only user of toml++ in bench/.
#include "bench/scenario.h"

#define TOML_EXCEPTIONS 0
#include <fmt/format.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <optional>

#include "asm/assembler.h"
#include "bench/embedded.h"
#include "frontends/wat/load.h"
#include "isa/support/file.h"
#include "isa/trap.h"
#include "vm/load.h"
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

// Fills `file` and `text`.
isa::Result<void> ReadProgramText(const std::string& folder, LoadedScenario& loaded) {
  loaded.file = folder + "/" + loaded.scenario.program;
  if (!folder.empty() && access(loaded.file.c_str(), R_OK) == 0) {
    TXVM_TRY(loaded.text, isa::ReadFile(loaded.file));
    return {};
  }
  loaded.file = loaded.scenario.program;
  loaded.text = EmbeddedFile("programs/" + loaded.file);
  if (!loaded.text.empty()) return {};
  return isa::Fail(isa::ErrorCode::kIo, fmt::format("no benchmark program '{}'", loaded.file));
}

isa::Result<std::shared_ptr<const isa::Program>> LowerProgram(std::string_view text,
                                                              const std::string& file) {
  isa::Result<isa::Program> program = file.ends_with(".wat")
                                          ? frontends::wat::LoadWat(text, file, {.lower_i64 = true})
                                          : assembler::Assemble(text, file);
  if (!program) return isa::InFile(std::move(program).error(), file);
  return std::make_shared<const isa::Program>(*std::move(program));
}

// The stub of the scenario's call.
isa::Result<std::uint32_t> FindStart(const isa::Program& program, const Scenario& scenario) {
  const auto requested = scenario.invoke.empty() ? std::nullopt : std::optional(scenario.invoke);
  TXVM_TRY(const isa::Export* entry, vm::ChooseEntry(program, requested));
  TXVM_CHECK_OK(vm::CheckArguments(program, entry, scenario.args.size(), isa::Limits{}));
  return entry == nullptr ? program.entry : entry->start;
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

isa::Result<LoadedScenario> LoadScenario(const Scenario& scenario, const std::string& folder) {
  LoadedScenario loaded;
  loaded.scenario = scenario;
  TXVM_CHECK_OK(ReadProgramText(folder, loaded));
  TXVM_TRY(loaded.program, LowerProgram(loaded.text, loaded.file));
  const isa::Result<std::uint32_t> start = FindStart(*loaded.program, scenario);
  if (!start) return isa::InFile(start.error(), loaded.file);
  loaded.start = *start;
  return loaded;
}

std::unexpected<isa::Error> InScenario(isa::Error error, const LoadedScenario& loaded) {
  error.message = fmt::format("'{}': {}", loaded.scenario.name, error.message);
  return isa::InFile(std::move(error), loaded.file);
}

std::string OfScenario(std::string_view sentence, const LoadedScenario& loaded) {
  return fmt::format("'{}' ({}): {}", loaded.scenario.name, loaded.file, sentence);
}

isa::Result<void> CheckHalted(const vm::RunResult& result, vm::EngineKind engine) {
  if (result.outcome == vm::Outcome::kHalted) return {};
  std::string why;
  if (result.trap) why = fmt::format(" ({})", isa::TrapText(result.trap->cause));
  if (result.host_error) why = fmt::format(" ({})", result.host_error->message);
  return isa::Fail(isa::ErrorCode::kInvalid, fmt::format("{} ended as {}{}", vm::EngineName(engine),
                                                         vm::OutcomeWords(result.outcome), why));
}

}  // namespace txvm::bench
