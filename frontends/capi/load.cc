// Programs of any format as handles of vm/txvm.h.
#include "frontends/wasm/load.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "asm/assembler.h"
#include "frontends/imports/items.h"
#include "frontends/imports/rules.h"
#include "frontends/wasm/exceptions.h"
#include "frontends/wasm/merge.h"
#include "frontends/wasm/on_demand.h"
#include "frontends/wasm/reader.h"
#include "frontends/wat/reader.h"
#include "isa/program_file.h"
#include "isa/support/text.h"
#include "vm/capi/program.h"

namespace {

using namespace txvm;
using namespace txvm::vm::capi;
using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kMaxFileBytes = 256u << 20;  // as the command line: far above any program

/// A program, and the globals its source names.
struct LoadedProgram {
  isa::Program program;
  std::vector<NamedGlobal> globals;
};

// Globals are slots of the locals space in their order; one of 64 bits takes two, a v128 four
// (legalize.h).
std::vector<NamedGlobal> GlobalsOf(const frontends::wat::Module& module) {
  std::vector<std::uint32_t> slots;
  std::uint32_t next = 0;
  const frontends::wat::ValueType exn = frontends::wat::LoweredExnRef(module);
  for (const frontends::wat::Global& global : module.globals) {
    slots.push_back(next);
    next += frontends::wat::WordsIn(
        global.type == frontends::wat::ValueType::kExnRef ? exn : global.type);
  }
  std::vector<NamedGlobal> named;
  for (std::size_t i = 0; i < module.globals.size(); ++i) {
    const frontends::wat::Global& global = module.globals[i];
    if (!global.import || global.type != frontends::wat::ValueType::kI32) continue;
    named.push_back(
        {global.import->module + "." + global.import->name, slots[i], global.is_mutable});
  }
  for (const frontends::wat::Export& entry : module.exports) {
    if (entry.kind != frontends::wat::ExportKind::kGlobal) continue;
    const frontends::wat::Global& global = module.globals[entry.index];
    if (global.type != frontends::wat::ValueType::kI32) continue;
    named.push_back({entry.name, slots[entry.index], global.is_mutable});
  }
  return named;
}

/// What makes memories, tables and globals that are imported; none: they are refused.
using Rules = std::vector<frontends::imports::Rule>;

isa::Result<LoadedProgram> LowerModule(frontends::wat::Module module,
                                       const Rules* rules = nullptr) {
  LoadedProgram loaded;
  loaded.globals = GlobalsOf(module);
  if (rules != nullptr) TXVM_CHECK_OK(frontends::imports::MakeItems(module, *rules, false));
  TXVM_TRY(loaded.program,
           frontends::wat::LowerModule(std::move(module), {.optimize = true, .lower_i64 = true}));
  return loaded;
}

std::string_view TextOf(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool IsText(Bytes bytes, std::string_view name) {
  return name.ends_with(".wat") || frontends::wat::BeginsAsModule(TextOf(bytes));
}

bool IsModule(Bytes bytes, std::string_view name) {
  return frontends::wat::IsWasm(bytes) || IsText(bytes, name);
}

/// REQUIRES: IsModule.
isa::Result<frontends::wat::Module> ReadModule(Bytes bytes, std::string_view name) {
  return IsText(bytes, name) ? frontends::wat::ReadText(TextOf(bytes), name)
                             : frontends::wasm::ReadModule(bytes, name);
}

/// Bytes of a file or of a caller, for as long as a program reads them.
using SharedBytes = std::shared_ptr<const std::vector<std::uint8_t>>;

/// The weights-only engines start a new history for a program that grows: they get all of it.
bool LowersOnDemand(const txvm_engine& engine, Bytes bytes) {
  const vm::EngineKind kind = engine.core->kind;
  return kind != vm::EngineKind::kHull && kind != vm::EngineKind::kTransformer &&
         bytes.size() >= frontends::wat::kOnDemandBytes && frontends::wat::IsWasm(bytes);
}

/// A large module, its functions to be lowered when they are called; nullopt: it has to be lowered
/// as a whole.
isa::Result<std::optional<LoadedProgram>> OpenOnDemand(const SharedBytes& bytes,
                                                       std::string_view name,
                                                       const Rules* rules = nullptr) {
  TXVM_TRY(std::shared_ptr<frontends::wat::ModuleOnDemand> module,
           frontends::wat::ModuleOnDemand::Read(*bytes, bytes, name,
                                                {.optimize = true, .lower_i64 = true}));
  if (module == nullptr) return std::nullopt;
  LoadedProgram loaded;
  loaded.globals = GlobalsOf(module->module());
  frontends::wat::ModuleOnDemand::Prepare prepare;
  if (rules != nullptr) {
    prepare = [kept = *rules](frontends::wat::Module& changed) -> isa::Result<void> {
      TXVM_CHECK_OK(frontends::imports::MakeItems(changed, kept, false));
      return {};
    };
  }
  TXVM_TRY(loaded.program,
           frontends::wat::ModuleOnDemand::Lower(std::move(module), std::move(prepare)));
  return loaded;
}

isa::Result<LoadedProgram> Read(Bytes bytes, std::string_view name) {
  if (isa::IsProgramFile(bytes)) {
    TXVM_TRY(isa::Program program, isa::ReadProgram(bytes));
    return LoadedProgram{std::move(program), {}};
  }
  if (IsModule(bytes, name)) {
    TXVM_TRY(frontends::wat::Module module, ReadModule(bytes, name));
    return LowerModule(std::move(module));
  }
  TXVM_TRY(isa::Program program, assembler::Assemble(TextOf(bytes), name));
  return LoadedProgram{std::move(program), {}};
}

/// `shared`: the same bytes where they can be kept; null: they are copied if need be.
isa::Result<LoadedProgram> ReadFor(const txvm_engine& engine, Bytes bytes, SharedBytes shared,
                                   std::string_view name) {
  if (!LowersOnDemand(engine, bytes)) return Read(bytes, name);
  if (shared == nullptr) {
    shared = std::make_shared<const std::vector<std::uint8_t>>(bytes.begin(), bytes.end());
  }
  TXVM_TRY(std::optional<LoadedProgram> loaded, OpenOnDemand(shared, name));
  if (loaded) return *std::move(loaded);
  return Read(bytes, name);
}

isa::Result<void> Load(const txvm_engine* engine, Bytes bytes, std::string_view name,
                       txvm_program** program, SharedBytes shared = nullptr) {
  TXVM_CHECK_OK(NotNull(engine, "engine"));
  TXVM_TRY(LoadedProgram read, ReadFor(*engine, bytes, std::move(shared), name));
  TXVM_TRY(*program, NewProgram(*engine, std::move(read.program), std::move(read.globals)));
  return {};
}

isa::Result<std::vector<std::uint8_t>> ReadFile(const char* path) {
  const auto fail = [&](const char* what) {
    return isa::Fail(isa::ErrorCode::kIo,
                     fmt::format("cannot {} '{}': {}", what, path, std::strerror(errno)));
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path, "rb"));
  if (file == nullptr) return fail("open");
  std::vector<std::uint8_t> bytes;
  std::array<std::uint8_t, 65'536> chunk;
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(count));
    if (bytes.size() > kMaxFileBytes) {
      return isa::Fail(isa::ErrorCode::kLimit,
                       fmt::format("'{}' has more than {} bytes", path, kMaxFileBytes));
    }
  }
  if (std::ferror(file.get()) != 0) return fail("read");
  return bytes;
}

isa::Result<frontends::wat::NamedModule> ReadLinked(const txvm_module& given, std::size_t index) {
  TXVM_CHECK_OK(NotNull(given.name, fmt::format("the name of module {}", index)));
  const char* const file = given.file == nullptr ? given.name : given.file;
  std::vector<std::uint8_t> read;
  Bytes bytes(static_cast<const std::uint8_t*>(given.bytes), given.size);
  if (given.bytes == nullptr) {
    TXVM_TRY(read, ReadFile(file));
    bytes = read;
  }
  if (!IsModule(bytes, file)) {
    return isa::Fail(
        isa::ErrorCode::kUsage,
        fmt::format("'{}' is no WebAssembly module: only such are linked", isa::Printable(file)));
  }
  TXVM_TRY(frontends::wat::Module module, ReadModule(bytes, file));
  return frontends::wat::NamedModule{given.name, std::move(module)};
}

isa::Result<LoadedProgram> ReadAndLink(std::span<const txvm_module> given,
                                       const Rules* rules = nullptr) {
  std::vector<frontends::wat::NamedModule> modules;
  for (std::size_t i = 0; i < given.size(); ++i) {
    TXVM_TRY(frontends::wat::NamedModule module, ReadLinked(given[i], i));
    modules.push_back(std::move(module));
  }
  frontends::wat::Module main = std::move(modules.back().module);
  modules.pop_back();
  TXVM_TRY(frontends::wat::Module linked,
           frontends::wat::LinkModules(std::move(main), std::move(modules),
                                       frontends::wat::LinkedExports::kAll));
  return LowerModule(std::move(linked), rules);
}

/// A single large module on demand; nullopt: it is small, or has to be lowered as a whole.
isa::Result<std::optional<LoadedProgram>> OpenAlone(const txvm_engine& engine,
                                                    const txvm_module& given, const Rules* rules) {
  if (given.name == nullptr) return std::nullopt;  // a mistake that ReadLinked names
  std::vector<std::uint8_t> bytes;
  const char* const file = given.file == nullptr ? given.name : given.file;
  if (given.bytes == nullptr) {
    TXVM_TRY(bytes, ReadFile(file));
  } else {
    const auto* const first = static_cast<const std::uint8_t*>(given.bytes);
    bytes.assign(first, first + given.size);
  }
  if (!LowersOnDemand(engine, bytes)) return std::nullopt;
  return OpenOnDemand(std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes)), file,
                      rules);
}

isa::Result<Rules> ReadRules(std::span<const char* const> texts) {
  Rules rules;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    TXVM_CHECK_OK(NotNull(texts[i], fmt::format("text {} of the imports", i)));
    TXVM_TRY(frontends::imports::Rule rule, frontends::imports::ParseRule(texts[i]));
    rules.push_back(std::move(rule));
  }
  return rules;
}

/// The common part of txvm_program_link and txvm_program_link_importing, whose imports are `rules`.
isa::Result<void> LinkInto(txvm_engine* engine, const txvm_module* modules, size_t count,
                           const Rules* rules, txvm_program** program) {
  TXVM_CHECK_OK(NotNull(engine, "engine"));
  if (count == 0) return isa::Fail(isa::ErrorCode::kUsage, "there is no module to link");
  TXVM_CHECK_OK(NotNull(modules, "modules"));
  if (count == 1) {
    TXVM_TRY(std::optional<LoadedProgram> alone, OpenAlone(*engine, *modules, rules));
    if (alone) {
      TXVM_TRY(*program, NewProgram(*engine, std::move(alone->program), std::move(alone->globals)));
      return {};
    }
  }
  TXVM_TRY(LoadedProgram linked, ReadAndLink({modules, count}, rules));
  TXVM_TRY(*program, NewProgram(*engine, std::move(linked.program), std::move(linked.globals)));
  return {};
}

}  // namespace

bool txvm_reads_wasm(void) { return true; }
bool txvm_reads_wat(void) { return true; }

txvm_error* txvm_program_load(txvm_engine* engine, const void* bytes, size_t size, const char* name,
                              txvm_program** program) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    *program = nullptr;
    if (size != 0) TXVM_CHECK_OK(NotNull(bytes, "bytes"));
    return Load(engine, {static_cast<const std::uint8_t*>(bytes), size},
                name == nullptr ? "program" : name, program);
  });
}

txvm_error* txvm_program_load_file(txvm_engine* engine, const char* path, txvm_program** program) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    *program = nullptr;
    TXVM_CHECK_OK(NotNull(path, "path"));
    TXVM_TRY(std::vector<std::uint8_t> read, ReadFile(path));
    const auto bytes = std::make_shared<const std::vector<std::uint8_t>>(std::move(read));
    return Load(engine, *bytes, path, program, bytes);
  });
}

txvm_error* txvm_program_link(txvm_engine* engine, const txvm_module* modules, size_t count,
                              txvm_program** program) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    *program = nullptr;
    return LinkInto(engine, modules, count, nullptr, program);
  });
}

txvm_error* txvm_program_link_importing(txvm_engine* engine, const txvm_module* modules,
                                        size_t count, const char* const* imports,
                                        size_t import_count, txvm_program** program) {
  return Guard([&]() -> isa::Result<void> {
    TXVM_CHECK_OK(NotNull(program, "program"));
    *program = nullptr;
    if (import_count != 0) TXVM_CHECK_OK(NotNull(imports, "imports"));
    TXVM_TRY(const Rules rules, ReadRules({imports, import_count}));
    return LinkInto(engine, modules, count, &rules, program);
  });
}
