// Options from a TOML file: one table per command, keys named as the long options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/result.h"

namespace txvm::frontends::cli {

/// One `key = value` of a command's table; booleans are "true" and "false".
struct ConfigEntry {
  std::string key;
  std::string value;
  isa::Place place;
};

/// The entries of table [command] in `path`, in the file's order; none when it has no such table.
/// Errors: kUsage for TOML that does not parse (with its place), a table that is no command of
/// `commands`, a key outside a table, a value that is no string, integer, float or boolean; kIo
/// when the file cannot be read.
isa::Result<std::vector<ConfigEntry>> ReadConfig(const std::string& path, std::string_view command,
                                                 const std::vector<std::string_view>& commands);

}  // namespace txvm::frontends::cli
