#include "frontends/cli/run/link_option.h"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <utility>

#include "frontends/cli/support/arguments.h"
#include "frontends/wasm/load.h"
#include "frontends/wasm/merge.h"
#include "frontends/wasm/reader.h"
#include "frontends/wat/reader.h"

namespace txvm::frontends::cli {
namespace {

isa::Result<wat::Module> ReadModule(const std::string& path, const InputOptions& input) {
  TXVM_TRY(const Source source, ReadSource(path, input));
  if (source.format != Format::kWat && source.format != Format::kWasm) {
    return isa::Fail(isa::ErrorCode::kUsage,
                     fmt::format("--link links .wat and .wasm files; {} is a .{} file", source.name,
                                 FormatName(source.format)));
  }
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(source.bytes.data()),
                        source.bytes.size());
  return source.format == Format::kWat ? wat::ReadText(source.bytes, source.name)
                                       : wasm::ReadModule(bytes, source.name);
}

}  // namespace

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
                                                            const std::vector<Library>& libraries) {
  if (libraries.empty()) return LoadInput(path, input);
  std::vector<wat::NamedModule> modules;
  for (const Library& library : libraries) {
    TXVM_TRY(wat::Module module, ReadModule(library.path, {}));
    modules.push_back({library.name, std::move(module)});
  }
  TXVM_TRY(wat::Module main, ReadModule(path, input));
  TXVM_TRY(wat::Module linked, wat::LinkModules(std::move(main), std::move(modules)));
  TXVM_TRY(isa::Program program,
           wat::LowerModule(
               std::move(linked),
               {.optimize = !input.no_opt, .lower_i64 = true, .max_table = input.max_table}));
  return std::make_shared<const isa::Program>(std::move(program));
}

}  // namespace txvm::frontends::cli
