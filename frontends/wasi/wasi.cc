#include "frontends/wasi/wasi.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "frontends/wasi/calls.h"
#include "isa/word_ops.h"

namespace txvm::frontends::wasi {
namespace {

using Handler = Errno (*)(System& system, const Guest& guest, Params params);

std::uint32_t WordsOf(std::string_view params) {
  std::uint32_t words = 0;
  for (const char type : params) words += type == 'I' ? 2 : 1;
  return words;
}

/// Defines the functions of one module for one program.
class Definer {
 public:
  Definer(vm::Linker& linker, std::shared_ptr<System> system, std::string_view module,
          Dialect dialect)
      : linker_(linker), system_(std::move(system)), module_(module), dialect_(dialect) {}

  void Define(std::string_view name, std::string_view params, Handler handler) {
    linker_.Define(module_, name, WordsOf(params), 1,
                   [system = system_, handler, dialect = dialect_](vm::HostContext& context,
                                                                   auto args, auto results) {
                     const Guest guest(context.memory.bytes(), dialect);
                     results[0] = static_cast<isa::Word>(handler(*system, guest, Params(args)));
                     return vm::HostStatus::Continue();
                   });
  }

  void DefineEnds() {
    linker_.Define(module_, "proc_exit", 1, 0, [](vm::HostContext&, auto args, auto) {
      return vm::HostStatus::Exit(isa::Signed(args[0]));
    });
    // As a shell sees a program that a signal ended. Signal 0 asks whether there is a program.
    linker_.Define(module_, "proc_raise", 1, 1, [](vm::HostContext&, auto args, auto results) {
      constexpr isa::Word kSignals = 31;
      constexpr std::int32_t kEndedBySignal = 128;
      results[0] = static_cast<isa::Word>(args[0] > kSignals ? Errno::kInvalid : Errno::kSuccess);
      if (args[0] == 0 || args[0] > kSignals) return vm::HostStatus::Continue();
      return vm::HostStatus::Exit(kEndedBySignal + isa::Signed(args[0]));
    });
  }

 private:
  vm::Linker& linker_;
  std::shared_ptr<System> system_;
  std::string_view module_;
  Dialect dialect_;
};

}  // namespace

bool IsImportedBy(const isa::Program& program) {
  return std::ranges::any_of(program.imports, [](const isa::Import& import) {
    return import.module == kModule || import.module == kUnstableModule;
  });
}

isa::Result<State> Define(vm::Linker& linker, Options options) {
  const auto system = std::make_shared<System>(std::move(options));
  TXVM_CHECK_OK(system->files.Grant(system->options.directories));
  constexpr std::pair<std::string_view, Dialect> kModules[] = {
      {kModule, Dialect::kPreview1}, {kUnstableModule, Dialect::kUnstable}};
  for (const auto& [module, dialect] : kModules) {
    Definer definer(linker, system, module, dialect);
#define WASI_CALL(name, params, Handler) definer.Define(#name, params, Handler);
#include "frontends/wasi/functions.def"
#undef WASI_CALL
    definer.DefineEnds();
  }
  return State(system);
}

}  // namespace txvm::frontends::wasi
