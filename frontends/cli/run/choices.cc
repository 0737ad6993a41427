#include "frontends/cli/run/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "frontends/imports/rules.h"
#include "isa/support/file.h"
#include "isa/support/text.h"
#include "isa/value_text.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {
namespace {

constexpr std::size_t kMostShown = 12;
constexpr std::size_t kMostColumns = 60;  // of a type, so that the command stands beside it

/// Small numbers that tell the arguments apart: 1 2 3, of floats 1.5 2.5.
std::string ExampleArguments(const isa::Export& function) {
  std::string text;
  int number = 0;
  const auto types = isa::KnownTypes(function.param_types, function.params);
  for (const isa::ValueType type : types) {
    text += fmt::format(" {}{}", ++number, isa::IsFloat(type) ? ".5" : "");
  }
  return text;
}

}  // namespace

std::string CommandFor(const RunSettings& settings, std::string_view otherwise) {
  const std::string name = isa::DisplayName(settings.path);
  const bool is_other =
      !settings.command.empty() && settings.command != "run" && settings.command != "resume";
  const std::string_view command = is_other ? settings.command : otherwise;
  return fmt::format("txvm {}{}{}", command, command.empty() ? "" : " ",
                     imports::IsPlainWord(name) ? name : "FILE");
}

std::string OutputFor(const RunSettings& settings) {
  if (settings.output.empty()) return {};
  return " -o " + (imports::IsPlainWord(settings.output) ? settings.output : "FILE");
}

std::string CommandLineFor(const isa::Export& function, const RunSettings& settings) {
  const std::string name = isa::DisplayName(settings.path);
  if (!imports::IsPlainWord(name) || !imports::IsPlainWord(function.name)) return {};
  return fmt::format("{}{}{} --invoke {}{}", CommandFor(settings), GivenImports(settings.imports),
                     OutputFor(settings), function.name, ExampleArguments(function));
}

std::string GivenImports(const ImportOptions& imports) {
  std::string text;
  for (const imports::Rule& rule : imports.rules) {
    if (rule.written.contains('\'')) continue;
    std::string plain = rule.written;
    std::erase(plain, '=');
    text += fmt::format("{}{}{}", imports::IsPlainWord(plain) ? " --import " : " --import '",
                        rule.written, imports::IsPlainWord(plain) ? "" : "'");
  }
  return text;
}

isa::Result<const isa::Export*> ChooseEntry(const isa::Program& program,
                                            const RunSettings& settings) {
  auto chosen = vm::ChooseEntry(program, settings.invoke);
  if (chosen || settings.invoke) return chosen;
  std::vector<std::string> types, lines;
  for (const isa::Export& function : program.exports) {
    types.push_back(isa::SignatureText(function));
    lines.push_back(CommandLineFor(function, settings));
  }
  // What cannot be copied is told in one sentence.
  if (std::ranges::all_of(lines, &std::string::empty)) return chosen;
  const std::size_t shown = std::min(lines.size(), kMostShown);
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, std::min(types[i].size(), kMostColumns));
  }
  std::string& message = chosen.error().message;
  message = message.substr(0, message.find("; there is ")) + ":";
  for (std::size_t i = 0; i < shown; ++i) {
    message += fmt::format("\n  {:<{}}  {}", types[i], width, lines[i]);
    while (message.ends_with(' ')) message.pop_back();
  }
  if (shown < lines.size()) {
    message += fmt::format("\n  and {} more: txvm {} --list", lines.size() - shown,
                           isa::DisplayName(settings.path));
  }
  return chosen;
}

}  // namespace txvm::frontends::cli
