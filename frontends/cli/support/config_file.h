// Options from a TOML file: one table per command, keys named as the long options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"

namespace txvm::frontends::cli {

/// One `key = value` of a command's table; booleans are "true" and "false".
struct ConfigEntry {
  std::string key;
  std::vector<std::string> values;  // one, unless it is a list
  bool is_list = false;             // written as [...]
  bool is_shared = false;           // of the table [import]: a command without --import skips it
  isa::Place place;
};

/// A command as TOML names its table: "tir profile" is tir.profile.
std::string TableName(std::string_view command);

/// The entries of `command`'s table in `path`, in the file's order; none when it has no such table.
/// Those of the table [import], `"console.log" = "print"`, are one more: import = NAME=WHAT...
/// `commands` are all there are, "tir profile" for a command of a command. Errors: kUsage for TOML
/// that does not parse (with its place), a table that is no command, an option outside a table or
/// in that of a command which only holds others, a value of the command's table that is no string,
/// integer, float, boolean or list of them; kIo when the file cannot be read.
isa::Result<std::vector<ConfigEntry>> ReadConfig(const std::string& path, std::string_view command,
                                                 const std::vector<std::string_view>& commands);

}  // namespace txvm::frontends::cli
