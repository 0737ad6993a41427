// What a person says about imports: NAME=WHAT, such as `console.log=print`.
// Goals: each WHAT that makes no sense is one sentence; a pattern never refuses what it does not
// suit.
// Non-goals: answers that nobody asked for (answers.h, items.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::imports {

/// What to do with an import.
enum class Action : std::uint8_t {
  kPrint,        // a function: prints its arguments on a line
  kPrintString,  // a function of (address, length) or (address): prints the text there, on a line
  kPrintChar,    // a function of one number: prints it as a byte
  kRandom,       // a function: a random number of its result's type
  kClock,        // a function: the time; of a float or an i32 milliseconds, of an i64 nanoseconds
  kTrap,         // a function: traps
  kNothing,      // a function: does nothing and returns zeros
  kNumber,       // a function: returns it; a global: begins with it
  kMemory,       // a memory: made, of `pages` at least
  kTable,        // a table: made
  kExport,       // anything: the export `text` of the module in `file`
};

/// One NAME=WHAT.
struct Rule {
  std::string name;  // "module.name"; '*' stands for any text
  Action action = Action::kNothing;
  std::string text;         // kNumber: as written; kExport: the export, '*' the import's own name
  std::string file;         // kExport
  std::uint32_t pages = 0;  // kMemory; 0: as declared
  std::string written;      // the whole rule

  bool is_pattern() const { return name.contains('*'); }
};

/// Reads NAME=WHAT. Errors: kUsage, one sentence with what there is.
isa::Result<Rule> ParseRule(std::string_view text);

/// The rule for an import of this kind: the last one with its name, else the last pattern that
/// matches and suits the kind; nullptr where there is none. Errors: kUsage for a rule with its name
/// that does not suit the kind. O(rules).
isa::Result<const Rule*> FindRule(std::span<const Rule> rules, const wat::ImportName& import,
                                  wat::ExportKind kind);

/// A sentence for each rule that answers none of `imports`, all that a program imports, as
/// "module.name": with the name that it may have meant. O(rules * imports).
std::vector<std::string> UnusedRules(std::span<const Rule> rules,
                                     std::span<const std::string> imports);

/// "module.name", safe to print.
std::string DottedName(const wat::ImportName& import);

/// Whether a shell takes `name` as a word as it stands, so that a line with it can be copied.
bool IsPlainWord(std::string_view name);

}  // namespace txvm::frontends::imports
