#include "frontends/cli/run/link_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "frontends/cli/support/arguments.h"
#include "frontends/imports/items.h"
#include "frontends/wasm/load.h"
#include "frontends/wasm/merge.h"
#include "frontends/wasm/on_demand.h"
#include "frontends/wasm/reader.h"
#include "frontends/wat/reader.h"
#include "isa/support/file.h"

namespace txvm::frontends::cli {
namespace {

bool IsModule(const Source& source) {
  return source.format == Format::kWat || source.format == Format::kWasm;
}

isa::Result<wat::Module> ReadLibrary(const std::string& path) {
  TXVM_TRY(const Source source, ReadSource(path, {}));
  return ReadSourceModule(source);
}

isa::Result<isa::Program> LinkModule(const Source& source, const InputOptions& input,
                                     const std::vector<Library>& libraries,
                                     const ImportOptions& imports) {
  TXVM_TRY(wat::Module module, ReadSourceModule(source));
  std::vector<std::string> names = imports::ImportNames(module);
  TXVM_TRY(const std::vector<std::string> files, imports::RedirectImports(module, imports.rules));
  std::vector<wat::NamedModule> modules;
  for (const Library& library : libraries) {
    TXVM_TRY(wat::Module library_module, ReadLibrary(library.path));
    modules.push_back({library.name, std::move(library_module)});
  }
  for (const std::string& file : files) {
    TXVM_TRY(wat::Module library_module, ReadLibrary(file));
    modules.push_back({file, std::move(library_module)});
  }
  for (const wat::NamedModule& library : modules) {
    std::ranges::move(imports::ImportNames(library.module), std::back_inserter(names));
  }
  imports.Tell(imports::UnusedRules(imports.rules, names));
  if (!modules.empty()) {
    TXVM_TRY(module, wat::LinkModules(std::move(module), std::move(modules)));
  }
  TXVM_TRY(const std::vector<std::string> notes,
           imports::MakeItems(module, imports.rules, imports.is_strict));
  imports.Tell(notes);
  TXVM_CHECK_OK(imports::CheckItems(module));
  *imports.types = imports::ReferenceSignatures(module);
  return wat::LowerModule(
      std::move(module),
      {.optimize = !input.no_opt, .lower_i64 = true, .max_table = input.max_table});
}

/// A large module alone, its functions to be lowered when they are called; nullopt: LinkModule has
/// to do it.
isa::Result<std::optional<isa::Program>> OpenOnDemand(const std::shared_ptr<const Source>& source,
                                                      const InputOptions& input,
                                                      const ImportOptions& imports) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(source->bytes.data()),
                        source->bytes.size());
  const wat::LoadOptions load{
      .optimize = !input.no_opt, .lower_i64 = true, .max_table = input.max_table};
  TXVM_TRY(std::shared_ptr<wat::ModuleOnDemand> module,
           wat::ModuleOnDemand::Read(bytes, source, source->name, load));
  if (module == nullptr) return std::nullopt;
  TXVM_TRY(const std::vector<std::string> files,
           imports::RedirectImports(module->module(), imports.rules));
  if (!files.empty()) return std::nullopt;
  TXVM_TRY(const std::vector<std::string> notes,
           imports::MakeItems(module->module(), imports.rules, imports.is_strict));
  imports.Tell(notes);
  return wat::ModuleOnDemand::Lower(std::move(module));
}

isa::Result<std::shared_ptr<const isa::Program>> Shared(isa::Result<isa::Program> program,
                                                        const std::string& name) {
  if (program) return std::make_shared<const isa::Program>(*std::move(program));
  const bool is_usage = program.error().code == isa::ErrorCode::kUsage;
  if (is_usage) return std::unexpected(std::move(program).error());
  return isa::InFile(std::move(program).error(), name);
}

}  // namespace

isa::Result<wat::Module> ReadSourceModule(const Source& source) {
  if (!IsModule(source)) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--link links .wat and .wasm files; {} is a .{} file", source.name,
                                 FormatName(source.format)));
  }
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(source.bytes.data()),
                        source.bytes.size());
  isa::Result<wat::Module> module = source.format == Format::kWat
                                        ? wat::ReadText(source.bytes, source.name)
                                        : wasm::ReadModule(bytes, source.name);
  if (!module) return isa::InFile(std::move(module).error(), source.name);
  return module;
}

void AddLinkOption(Arguments& arguments, std::vector<Library>& libraries) {
  arguments.List(
      "--link", "NAME=FILE",
      "Module that the program, and later libraries, import from as NAME; may be repeated",
      [&libraries](std::string_view text) -> isa::Result<void> {
        const std::size_t equals = text.find('=');
        if (equals == text.npos || equals + 1 == text.size()) {
          return isa::Fail(isa::ErrorCode::kUsage,
                           fmt::format("--link '{}' is not NAME=FILE", text));
        }
        libraries.push_back(
            {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))});
        return {};
      });
}

isa::Result<std::shared_ptr<const isa::Program>> LoadLinked(const std::string& path,
                                                            const InputOptions& input,
                                                            const std::vector<Library>& libraries,
                                                            const ImportOptions& imports) {
  TXVM_TRY(Source read, ReadSource(path, input));
  const auto source = std::make_shared<const Source>(std::move(read));
  const bool on_demand = input.on_demand && source->bytes.size() >= *input.on_demand &&
                         source->format == Format::kWasm && libraries.empty();
  if (on_demand) {
    isa::Result<std::optional<isa::Program>> program = OpenOnDemand(source, input, imports);
    if (!program) return Shared(std::unexpected(std::move(program).error()), source->name);
    if (*program) return Shared(**std::move(program), source->name);
  }
  return LinkSource(*source, input, libraries, imports);
}

isa::Result<std::shared_ptr<const isa::Program>> LinkSource(const Source& source,
                                                            const InputOptions& input,
                                                            const std::vector<Library>& libraries,
                                                            const ImportOptions& imports) {
  if (!IsModule(source) && libraries.empty()) {
    TXVM_TRY(std::shared_ptr<const isa::Program> program, ParseSource(source, input));
    std::vector<std::string> names;
    for (const isa::Import& import : program->imports) {
      names.push_back(import.module + "." + import.name);
    }
    imports.Tell(imports::UnusedRules(imports.rules, names));
    return program;
  }
  return Shared(LinkModule(source, input, libraries, imports), source.name);
}

}  // namespace txvm::frontends::cli
