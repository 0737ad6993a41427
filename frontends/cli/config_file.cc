// Options from a TOML file. The only user of toml++ in the command line.
#include "frontends/cli/config_file.h"

#define TOML_EXCEPTIONS 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "frontends/cli/file.h"

namespace txvm::frontends::cli {
namespace {

isa::Place PlaceOf(const std::string& path, const toml::source_region& region) {
  return {path, region.begin.line, region.begin.column};
}

std::unexpected<isa::Error> FailAt(isa::Place place, std::string message) {
  return std::unexpected<isa::Error>(
      isa::Error{isa::ErrorCode::kUsage, std::move(message), std::move(place), {}});
}

isa::Result<std::string> TextOf(const std::string& path, std::string_view key,
                                const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
  return FailAt(PlaceOf(path, node.source()),
                fmt::format("option '{}' must be a string, a number or a boolean", key));
}

isa::Result<std::vector<ConfigEntry>> EntriesOf(const std::string& path, const toml::table& table) {
  std::vector<ConfigEntry> entries;
  for (const auto& [key, node] : table) {
    TXVM_TRY(std::string text, TextOf(path, key.str(), node));
    entries.push_back({std::string(key.str()), std::move(text), PlaceOf(path, key.source())});
  }
  std::ranges::sort(entries, {}, [](const ConfigEntry& entry) { return entry.place.line; });
  return entries;
}

}  // namespace

isa::Result<std::vector<ConfigEntry>> ReadConfig(const std::string& path, std::string_view command,
                                                 const std::vector<std::string_view>& commands) {
  TXVM_TRY(const std::string text, ReadFile(path));
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return FailAt(PlaceOf(path, error.source()), std::string(error.description()));
  }
  const toml::table& root = parsed.table();
  for (const auto& [key, node] : root) {
    if (!node.is_table()) {
      return FailAt(PlaceOf(path, key.source()),
                    fmt::format("option '{}' stands outside a table; write it under the command it "
                                "is for, such as [run]",
                                key.str()));
    }
    if (std::ranges::find(commands, key.str()) == commands.end()) {
      return FailAt(PlaceOf(path, key.source()),
                    fmt::format("table [{}] is no command of txvm", key.str()));
    }
  }
  const toml::table* own = root[command].as_table();
  if (own == nullptr) return std::vector<ConfigEntry>{};
  return EntriesOf(path, *own);
}

}  // namespace txvm::frontends::cli
