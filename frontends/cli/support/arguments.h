// The command line of one subcommand, on top of CLI11, whose header stays in arguments.cc. An
// option may also come from a TOML file (--config FILE, table [command]); the command line wins.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"

namespace txvm::frontends::cli {

/// Takes the text of an option's value; a kUsage error when it makes no sense.
using Setter = std::function<isa::Result<void>(std::string_view text)>;

/// Declares options, then parses. Names are "--long" or "-s,--long".
class Arguments {
 public:
  /// `examples` is printed at the end of --help, one command per line.
  Arguments(std::string_view command, std::string_view summary, std::string_view examples);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  /// A switch that sets `value` to true. `value` must outlive Parse, here and below.
  void Flag(const std::string& names, const std::string& help, bool& value);
  /// An option with one value.
  void Option(const std::string& names, const std::string& value_name, const std::string& help,
              Setter set);
  /// An option whose value is a text, which may not be empty. `value` stays empty when the option
  /// is not given.
  void Text(const std::string& names, const std::string& value_name, const std::string& help,
            std::string& value);
  /// The same, but the text may be empty; `value` stays nullopt when the option is not given.
  void Text(const std::string& names, const std::string& value_name, const std::string& help,
            std::optional<std::string>& value);
  /// A FILE to write beside the results, which take standard output: "-" is refused, as is "".
  void OutputFile(const std::string& name, const std::string& help, std::string& path);
  /// An option that may be given several times, with one value each; an options file may have a
  /// list of them. `add` takes one more.
  void List(const std::string& names, const std::string& value_name, const std::string& help,
            Setter add);
  void List(const std::string& names, const std::string& value_name, const std::string& help,
            std::vector<std::string>& values);
  /// A count (number.h) in [least, most]. "{}" in the help is the default: `value` as it is now.
  void Count(const std::string& names, const std::string& value_name, const std::string& help,
             std::uint64_t& value, std::uint64_t least, std::uint64_t most);
  void Count(const std::string& names, const std::string& value_name, const std::string& help,
             std::uint32_t& value, std::uint32_t least, std::uint32_t most);
  /// A positional argument; an empty string when it is optional and absent.
  void Positional(const std::string& name, const std::string& help, std::string& value,
                  bool required = true);
  /// All further positional arguments; at least `least` of them.
  void Rest(const std::string& name, const std::string& help, std::vector<std::string>& values,
            std::size_t least = 0);

  /// What the caller does after parsing.
  enum class Next : std::uint8_t { kRun, kShowHelp };
  /// Parses the arguments after the command's name. kUsage errors say what is wrong and with which
  /// option; errors of the options file carry its line.
  isa::Result<Next> Parse(const std::vector<std::string>& arguments);

  /// Whether the command line has the option of this long name ("--seed"), even with the default
  /// value. Options files do not count: they may set options for more than one command. Call it
  /// after Parse.
  bool Has(const std::string& name) const;

  /// The long names of the options that the command line has; a short one where there is no other.
  std::vector<std::string> Given() const;

  /// The name of the command: "run", "tir profile".
  const std::string& command() const;

  /// The text of --help.
  std::string Help() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace txvm::frontends::cli
