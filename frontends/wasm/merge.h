// Several modules that import from each other, as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontends/wasm/module.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// One of the modules.
struct MergeMember {
  const Module* module = nullptr;
  std::string name;                          // for messages
  std::optional<std::string> export_prefix;  // of the names of its exports; none: not exported
};

/// What an import stands for: an item of a member, by its index there.
struct MergeSource {
  std::size_t member = 0;
  std::uint32_t index = 0;
};

/// Finds what member `member` imports; nullopt leaves the import to the embedding. It must be an
/// item of the same kind and type of an earlier member.
using FindImport = std::function<std::optional<MergeSource>(std::size_t member, ExportKind kind,
                                                            const ImportName& name)>;

/// Where the items of one member went.
struct MergeMap {
  std::vector<std::uint32_t> functions, globals, tables, memories, tags;
  std::uint32_t init = 0;  // the function that instantiates the member
};

struct MergedModule {
  Module module;  // without a start function
  std::vector<MergeMap> maps;
};

/// When the active segments of merged modules are written.
enum class MergeSegments : std::uint8_t {
  kByInit,  // by the function that instantiates the member
  kAtLoad,  // before anything runs
};

/// Puts modules into one. A function of each member instantiates it, traps included: it writes its
/// active segments in order, unless that is done at load, drops them and calls its start function.
/// Items that are left imported under the same names are one.
isa::Result<MergedModule> MergeModules(std::span<const MergeMember> members, const FindImport& find,
                                       MergeSegments segments);

/// Checks that `module` exports what `import` wants, and returns its index. Limits are compared as
/// they were declared. Errors: kInvalid "unknown import ..." with what is exported, or
/// "incompatible import type ..." with both types.
isa::Result<std::uint32_t> FindExportFor(const Module& module, const ImportName& import,
                                         ExportKind kind, const Module& importer,
                                         std::size_t index);

/// A module that is linked by name.
struct NamedModule {
  std::string name;
  Module module;
};

/// What linked modules export.
enum class LinkedExports : std::uint8_t {
  kMain,  // what `main` exports
  kAll,   // what a library exports too, as NAME.export
};

/// Links `main` to `libraries`: each may import from those before it, and `main` from all. The
/// start function of the result instantiates the libraries in order, then `main`; there is none
/// where that does nothing. Segments are written at load where nobody can tell: all fit, and no
/// library has a start function. Errors: kInvalid (a library lacks what is imported from it, or has
/// it with another type, or shares something with one after it; with kAll two exports have one
/// name), kUnsupported.
isa::Result<Module> LinkModules(Module main, std::vector<NamedModule> libraries,
                                LinkedExports exports = LinkedExports::kMain);

}  // namespace txvm::frontends::wat
