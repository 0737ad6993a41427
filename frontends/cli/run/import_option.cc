#include "frontends/cli/run/import_option.h"

#include <fmt/format.h>

#include <utility>

#include "frontends/cli/support/arguments.h"

namespace txvm::frontends::cli {

void ImportOptions::Tell(const std::vector<std::string>& notes) const {
  if (console == nullptr) return;
  for (const std::string& note : notes) {
    if (told_->insert(note).second) console->Note(note);
  }
}

void AddImportOptions(Arguments& arguments, ImportOptions& imports) {
  arguments.List("--import", "NAME=WHAT",
                 "Answer an import such as console.log with print, print-string, print-char, "
                 "random, clock, trap, nothing, a number, memory, memory:PAGES, table or "
                 "FILE.wasm#export; * in NAME is any text; may be repeated",
                 [&imports](std::string_view text) -> isa::Result<void> {
                   TXVM_TRY(imports::Rule rule, imports::ParseRule(text));
                   imports.rules.push_back(std::move(rule));
                   return {};
                 });
  arguments.Flag("--strict-imports", "Answer no import that --import and --link do not name",
                 imports.is_strict);
  arguments.Option("--unknown-imports", "ACTION",
                   "Functions nobody provides: refuse the program (default) or trap when called",
                   [&imports](std::string_view text) -> isa::Result<void> {
                     if (text != "refuse" && text != "trap") {
                       return isa::Fail(
                           isa::ErrorCode::kUsage,
                           fmt::format("--unknown-imports '{}' is unknown: refuse or trap", text));
                     }
                     imports.traps_when_called = text == "trap";
                     return {};
                   });
}

}  // namespace txvm::frontends::cli
