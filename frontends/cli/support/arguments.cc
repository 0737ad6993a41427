// The command line of one subcommand. The only user of CLI11.
#include "frontends/cli/support/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "frontends/cli/support/commands.h"
#include "frontends/cli/support/config_file.h"
#include "isa/support/number.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::size_t kNameColumn = 30;  // width of the option column of --help

// In front of a word, and taken away again: without it CLI11 takes "[a, b]" for the list of a and
// b.
constexpr char kOneWord = '\x01';

bool LooksLikeList(const std::string& word) {
  return word.size() > 1 && word.front() == '[' && word.back() == ']';
}

/// "-.5 + 3", "-(3 + 4)", "-inf", "-nan:0x1": no option is written so. CLI11 knows this of "-5"
/// only.
bool IsTextAfterMinus(const std::string& word) {
  if (word.size() < 2 || word.front() != '-') return false;
  if (word == "-inf" || word == "-nan" || word.starts_with("-nan:0x")) return true;
  const char c = word[1];
  const bool is_name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '?';
  return !is_name;
}

void Unmark(std::string& word) {
  if (word.starts_with(kOneWord)) word.erase(word.begin());
}

struct FlagBinding {
  CLI::Option* option;
  bool* value;
};
struct ValueBinding {
  CLI::Option* option;
  Setter set;            // called for every text, in order
  bool is_list = false;  // may be given several times
  std::vector<std::string> texts;
};

std::unexpected<isa::Error> FailUsage(std::string message, isa::Place place = {}) {
  return std::unexpected<isa::Error>(
      isa::Error{isa::ErrorCode::kUsage, std::move(message), std::move(place), {}});
}

// Whether an options file calls it so: by the long name without its dashes, where it has one.
bool IsNamed(const CLI::Option& option, std::string_view key) {
  return !option.get_lnames().empty() && option.get_lnames().front() == key;
}

std::unexpected<isa::Error> NoList(const ConfigEntry& entry) {
  return FailUsage(fmt::format("option '{}' takes one value, not a list", entry.key), entry.place);
}

isa::Result<bool> ParseBool(const ConfigEntry& entry) {
  if (entry.is_list) return NoList(entry);
  const std::string& value = entry.values.front();
  if (value == "true") return true;
  if (value == "false") return false;
  return FailUsage(
      fmt::format("option '{}' is a switch: true or false, not '{}'", entry.key, value),
      entry.place);
}

/// The name that messages call an option by: the long one of "-s,--long".
std::string LongName(const std::string& names) { return names.substr(names.find("--")); }

/// Takes a text. An empty one is what absent options have, and would be taken for none.
Setter SetText(const std::string& names, std::string& value) {
  return [&value, what = LongName(names)](std::string_view text) -> isa::Result<void> {
    if (text.empty()) return FailUsage(fmt::format("{} wants a value, not ''", what));
    value = text;
    return {};
  };
}

/// Takes a count in [least, most], which `value` can hold.
template <typename Number>
Setter SetCount(const std::string& names, Number& value, std::uint64_t least, std::uint64_t most) {
  return [&value, what = LongName(names), least, most](std::string_view text) -> isa::Result<void> {
    TXVM_TRY(const std::uint64_t count, isa::ParseCount(what, text, most));
    if (count < least) {
      return FailUsage(fmt::format("{} {} is below the least value, {}", what, text, least));
    }
    value = static_cast<Number>(count);
    return {};
  };
}

/// `help` with the first "{}" replaced by `value`, billions and millions as ParseCount reads them.
std::string WithDefault(std::string help, std::uint64_t value) {
  constexpr std::string_view kPlace = "{}";
  constexpr std::uint64_t kBillion = 1'000'000'000, kMillion = 1'000'000;
  const std::size_t at = help.find(kPlace);
  if (at == std::string::npos) return help;
  const bool whole = value >= kMillion && value % kMillion == 0;
  const std::string text = !whole                  ? fmt::format("{}", value)
                           : value % kBillion == 0 ? fmt::format("{}G", value / kBillion)
                                                   : fmt::format("{}M", value / kMillion);
  return help.replace(at, kPlace.size(), text);
}

}  // namespace

struct Arguments::Impl {
  std::string command;
  CLI::App app;
  std::string config_path;
  std::vector<std::unique_ptr<FlagBinding>> flags;
  std::vector<std::unique_ptr<ValueBinding>> values;
  // Checked after CLI11 has parsed, so that an unknown option is reported first.
  std::vector<CLI::Option*> required;
  std::vector<std::string*> positionals;
  std::vector<std::vector<std::string>*> rests;

  bool IsEmptyValue(std::string_view word) const;
  std::vector<std::string> MarkedWords(const std::vector<std::string>& arguments) const;
  isa::Result<void> Set(const ConfigEntry& entry);
  isa::Result<void> ApplyConfig();
};

Arguments::Arguments(std::string_view command, std::string_view summary, std::string_view examples)
    : impl_(std::make_unique<Impl>()) {
  impl_->command = command;
  impl_->app.name("txvm " + std::string(command));
  impl_->app.description(std::string(summary));
  impl_->app.footer("Examples:\n" + std::string(examples));
  impl_->app.get_formatter()->column_width(kNameColumn);
  impl_->app.set_help_flag("-h,--help", "Print this help and exit");
}

Arguments::~Arguments() = default;

void Arguments::Flag(const std::string& names, const std::string& help, bool& value) {
  impl_->flags.push_back(std::make_unique<FlagBinding>());
  FlagBinding& binding = *impl_->flags.back();
  binding.value = &value;
  binding.option = impl_->app.add_flag(names, help);
}

void Arguments::Option(const std::string& names, const std::string& value_name,
                       const std::string& help, Setter set) {
  impl_->values.push_back(std::make_unique<ValueBinding>());
  ValueBinding& binding = *impl_->values.back();
  binding.set = std::move(set);
  binding.option = impl_->app.add_option(names, binding.texts, help);
  binding.option->type_name(value_name)->expected(1)->allow_extra_args(false);
}

void Arguments::List(const std::string& names, const std::string& value_name,
                     const std::string& help, Setter add) {
  Option(names, value_name, help, std::move(add));
  impl_->values.back()->is_list = true;
  impl_->values.back()->option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void Arguments::List(const std::string& names, const std::string& value_name,
                     const std::string& help, std::vector<std::string>& values) {
  List(names, value_name, help, [&values](std::string_view text) -> isa::Result<void> {
    values.emplace_back(text);
    return {};
  });
}

void Arguments::Text(const std::string& names, const std::string& value_name,
                     const std::string& help, std::string& value) {
  Option(names, value_name, help, SetText(names, value));
}

void Arguments::Text(const std::string& names, const std::string& value_name,
                     const std::string& help, std::optional<std::string>& value) {
  Option(names, value_name, help, [&value](std::string_view text) -> isa::Result<void> {
    value = text;
    return {};
  });
}

void Arguments::OutputFile(const std::string& name, const std::string& help, std::string& path) {
  Option(name, "FILE", help,
         [name, set = SetText(name, path)](std::string_view text) -> isa::Result<void> {
           if (text == "-") {
             return FailUsage(
                 fmt::format("{} - is standard output, where the results go: name a file", name));
           }
           return set(text);
         });
}

void Arguments::Count(const std::string& names, const std::string& value_name,
                      const std::string& help, std::uint64_t& value, std::uint64_t least,
                      std::uint64_t most) {
  Option(names, value_name, WithDefault(help, value), SetCount(names, value, least, most));
}

void Arguments::Count(const std::string& names, const std::string& value_name,
                      const std::string& help, std::uint32_t& value, std::uint32_t least,
                      std::uint32_t most) {
  Option(names, value_name, WithDefault(help, value), SetCount(names, value, least, most));
}

void Arguments::Positional(const std::string& name, const std::string& help, std::string& value,
                           bool required) {
  CLI::Option* option = impl_->app.add_option(name, value, help)->type_name("");
  impl_->positionals.push_back(&value);
  if (required) impl_->required.push_back(option);
}

void Arguments::Rest(const std::string& name, const std::string& help,
                     std::vector<std::string>& values, std::size_t least) {
  CLI::Option* option = impl_->app.add_option(name, values, help)->type_name("");
  impl_->rests.push_back(&values);
  if (least != 0) impl_->required.push_back(option);
}

/// Whether `word` is "--name=" of an option that takes a value: CLI11 takes the next word for it.
bool Arguments::Impl::IsEmptyValue(std::string_view word) const {
  if (!word.starts_with("--") || word.find('=') != word.size() - 1) return false;
  const std::string name(word.substr(2, word.size() - 3));
  return std::ranges::any_of(values,
                             [&](const auto& value) { return value->option->check_lname(name); });
}

/// The words as CLI11 takes them for what they are.
std::vector<std::string> Arguments::Impl::MarkedWords(
    const std::vector<std::string>& arguments) const {
  std::vector<std::string> words;
  bool are_options = true;
  for (std::string word : arguments) {
    are_options = are_options && word != "--";
    if (are_options && IsEmptyValue(word)) {
      word.pop_back();
      words.push_back(std::move(word));
      words.emplace_back();
      continue;
    }
    if (LooksLikeList(word) || IsTextAfterMinus(word)) word.insert(word.begin(), kOneWord);
    words.push_back(std::move(word));
  }
  return words;
}

isa::Result<void> Arguments::Impl::Set(const ConfigEntry& entry) {
  for (const auto& flag : flags) {
    if (!IsNamed(*flag->option, entry.key)) continue;
    TXVM_TRY(const bool value, ParseBool(entry));
    if (flag->option->count() == 0) *flag->value = value;
    return {};
  }
  for (const auto& value : values) {
    if (!IsNamed(*value->option, entry.key) || entry.key == "config") continue;
    if (entry.is_list && !value->is_list) return NoList(entry);
    if (value->option->count() != 0) return {};
    for (const std::string& text : entry.values) {
      isa::Result<void> set = value->set(text);
      if (set) continue;
      set.error().place = entry.place;
      return set;
    }
    return {};
  }
  if (entry.is_shared) return {};
  return FailUsage(fmt::format("'{}' is no option of txvm {}", entry.key, command), entry.place);
}

isa::Result<void> Arguments::Impl::ApplyConfig() {
  if (config_path.empty()) return {};
  TXVM_TRY(const std::vector<ConfigEntry> entries,
           ReadConfig(config_path, command, CommandPaths()));
  for (const ConfigEntry& entry : entries) TXVM_CHECK_OK(Set(entry));
  return {};
}

isa::Result<Arguments::Next> Arguments::Parse(const std::vector<std::string>& arguments) {
  Text("--config", "FILE",
       fmt::format("Read options from table [{}] of a TOML file", TableName(impl_->command)),
       impl_->config_path);
  std::vector<std::string> words = impl_->MarkedWords(arguments);
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    impl_->app.parse(std::move(words));
    // "--flag=text" is found out only here.
    for (const auto& flag : impl_->flags) {
      if (flag->option->count() != 0) *flag->value = flag->option->as<bool>();
    }
  } catch (const CLI::CallForHelp&) {
    return Next::kShowHelp;
  } catch (const CLI::Error& error) {
    std::string message = error.what();
    std::erase(message, kOneWord);
    const auto is_short = [](const std::string& word) {
      return word.size() > 1 && word[0] == '-' && word[1] != '-';
    };
    if (std::ranges::any_of(impl_->app.remaining(), is_short)) {
      message += "; a text that begins with - goes after --";
    }
    return FailUsage(fmt::format("{} (see txvm {} --help)", message, impl_->command));
  }
  for (std::string* positional : impl_->positionals) Unmark(*positional);
  for (std::vector<std::string>* rest : impl_->rests) std::ranges::for_each(*rest, Unmark);
  for (const auto& value : impl_->values) std::ranges::for_each(value->texts, Unmark);
  for (const CLI::Option* option : impl_->required) {
    if (option->count() == 0) {
      return FailUsage(fmt::format("argument '{}' is missing (see txvm {} --help)",
                                   option->get_name(), impl_->command));
    }
  }
  for (const auto& value : impl_->values) {
    for (const std::string& text : value->texts) TXVM_CHECK_OK(value->set(text));
  }
  TXVM_CHECK_OK(impl_->ApplyConfig());
  return Next::kRun;
}

bool Arguments::Has(const std::string& name) const {
  return impl_->app.get_option(name)->count() != 0;
}

std::vector<std::string> Arguments::Given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : std::as_const(impl_->app).get_options()) {
    if (!option->get_positional() && option->count() != 0) names.push_back(option->get_name());
  }
  return names;
}

const std::string& Arguments::command() const { return impl_->command; }

std::string Arguments::Help() const { return impl_->app.help(); }

}  // namespace txvm::frontends::cli
