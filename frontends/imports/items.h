// Memories, tables and globals that a module imports, made as it declares them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "frontends/imports/answers.h"
#include "frontends/imports/rules.h"
#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::imports {

/// Makes every memory, table and global that `module` imports its own: as `rules` say, and unless
/// `is_strict` as declared where they say nothing. A memory or table gets room for the active
/// segments whose offset is known; a global is 0 or null. What position-independent code of
/// Emscripten imports is known: __memory_base, __table_base and __stack_pointer get places that do
/// not overlap, GOT.mem.X and GOT.func.X the address of the export X. Returns a sentence for each
/// that nobody asked for. Errors: kUsage for a rule that does not suit. Cost O(module).
isa::Result<std::vector<std::string>> MakeItems(wat::Module& module, std::span<const Rule> rules,
                                                bool is_strict);

/// Refuses a module that imports a memory, table or global still: kUnsupported, with the option
/// that makes it.
isa::Result<void> CheckItems(const wat::Module& module);

/// "module.name" of everything that `module` imports but tags.
std::vector<std::string> ImportNames(const wat::Module& module);

/// The types of the imported functions with a reference among their types, which is an i32 for the
/// machine.
SignatureTexts ReferenceSignatures(const wat::Module& module);

/// Renames every import whose rule is FILE#export to that export of a module called like the file.
/// Returns the files, each once. Errors: kUsage for a rule that does not suit.
isa::Result<std::vector<std::string>> RedirectImports(wat::Module& module,
                                                      std::span<const Rule> rules);

}  // namespace txvm::frontends::imports
