// Options from a TOML file. The only user of toml++ in the command line.
#include "frontends/cli/support/config_file.h"

#define TOML_EXCEPTIONS 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <utility>

#include "isa/support/file.h"

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

isa::Result<ConfigEntry> EntryOf(const std::string& path, const toml::key& key,
                                 const toml::node& node) {
  ConfigEntry entry{
      std::string(key.str()), {}, node.is_array(), false, PlaceOf(path, key.source())};
  if (!entry.is_list) {
    TXVM_TRY(std::string text, TextOf(path, key.str(), node));
    entry.values.push_back(std::move(text));
    return entry;
  }
  for (const toml::node& element : *node.as_array()) {
    TXVM_TRY(std::string text, TextOf(path, key.str(), element));
    entry.values.push_back(std::move(text));
  }
  return entry;
}

isa::Result<std::vector<ConfigEntry>> EntriesOf(const std::string& path, const toml::table& table) {
  std::vector<ConfigEntry> entries;
  for (const auto& [key, node] : table) {
    TXVM_TRY(ConfigEntry entry, EntryOf(path, key, node));
    entries.push_back(std::move(entry));
  }
  std::ranges::sort(entries, {}, [](const ConfigEntry& entry) { return entry.place.line; });
  return entries;
}

constexpr std::string_view kImportTable = "import";

/// Adds NAME=WHAT for each entry; a name with dots may be written without quotes, as tables.
isa::Result<void> AddImports(const std::string& path, const toml::table& table,
                             const std::string& prefix, ConfigEntry& entry) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      TXVM_CHECK_OK(AddImports(path, *inner, name + ".", entry));
      continue;
    }
    TXVM_TRY(const std::string what, TextOf(path, name, node));
    entry.values.push_back(name + "=" + what);
  }
  return {};
}

/// The tables of one options file against the commands there are.
class TableCheck {
 public:
  TableCheck(const std::string& path, const std::vector<std::string_view>& commands)
      : path_(path), commands_(commands) {}

  /// `command` is what the table is of; empty: the whole file.
  isa::Result<void> Check(const toml::table& table, const std::string& command) const {
    const std::string prefix = command.empty() ? "" : command + " ";
    const auto inside =
        std::ranges::find_if(commands_, [&](std::string_view c) { return c.starts_with(prefix); });
    for (const auto& [key, node] : table) {
      if (command.empty() && key.str() == kImportTable && node.is_table()) continue;
      if (const toml::table* inner = node.as_table()) {
        TXVM_TRY(const std::string name, CommandOf(prefix, key));
        TXVM_CHECK_OK(Check(*inner, name));
      } else if (inside != commands_.end()) {
        return FailAt(
            PlaceOf(path_, key.source()),
            fmt::format("option '{}' stands {}; write it under the command it is for, "
                        "such as [{}]",
                        key.str(), command.empty() ? "outside a table" : "in [" + command + "]",
                        TableName(*inside)));
      }
    }
    return {};
  }

 private:
  isa::Result<std::string> CommandOf(const std::string& prefix, const toml::key& key) const {
    std::string name = prefix + std::string(key.str());
    // A key in quotes may hold a blank, which no table's name does.
    const bool is_word = key.str().find(' ') == std::string_view::npos;
    if (is_word && std::ranges::find(commands_, name) != commands_.end()) return name;
    return FailAt(PlaceOf(path_, key.source()),
                  fmt::format("table [{}] is no command of txvm", TableName(name)));
  }

  const std::string& path_;
  const std::vector<std::string_view>& commands_;
};

}  // namespace

std::string TableName(std::string_view command) {
  std::string name(command);
  std::ranges::replace(name, ' ', '.');
  return name;
}

isa::Result<std::vector<ConfigEntry>> ReadConfig(const std::string& path, std::string_view command,
                                                 const std::vector<std::string_view>& commands) {
  TXVM_TRY(const std::string text, isa::ReadFile(path));
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return FailAt(PlaceOf(path, error.source()), std::string(error.description()));
  }
  const toml::table& root = parsed.table();
  TXVM_CHECK_OK(TableCheck(path, commands).Check(root, ""));
  const toml::table* own = toml::at_path(root, TableName(command)).as_table();
  std::vector<ConfigEntry> entries;
  if (own != nullptr) {
    TXVM_TRY(entries, EntriesOf(path, *own));
  }
  if (const toml::table* imports = root[kImportTable].as_table()) {
    ConfigEntry entry{std::string(kImportTable), {}, true, true, PlaceOf(path, imports->source())};
    TXVM_CHECK_OK(AddImports(path, *imports, "", entry));
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace txvm::frontends::cli
