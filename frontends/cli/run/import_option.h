// --import, --strict-imports and --unknown-imports: what answers an import that nobody provides.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "frontends/imports/answers.h"
#include "frontends/imports/rules.h"
#include "isa/support/console.h"

namespace txvm::frontends::cli {

class Arguments;

/// What a person says about a program's imports.
struct ImportOptions {
  std::vector<imports::Rule> rules;
  bool is_strict = false;           // nothing is answered without being asked
  bool traps_when_called = false;   // functions nobody provides; else the program is refused
  isa::Console* console = nullptr;  // who is told what is answered; nullptr: nobody

  /// The types of a loaded module's imports that the machine does not know; LoadLinked sets it.
  std::shared_ptr<imports::SignatureTexts> types = std::make_shared<imports::SignatureTexts>();

  /// Tells what is answered without being asked, each sentence once.
  void Tell(const std::vector<std::string>& notes) const;

 private:
  std::shared_ptr<std::set<std::string>> told_ = std::make_shared<std::set<std::string>>();
};

/// Adds the three options.
void AddImportOptions(Arguments& arguments, ImportOptions& imports);

}  // namespace txvm::frontends::cli
