#include "frontends/wasi/wasi.h"

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

void DefineCall(vm::Linker& linker, const std::shared_ptr<System>& system, std::string_view name,
                std::string_view params, Handler handler) {
  linker.Define(kModule, name, WordsOf(params), 1,
                [system, handler](vm::HostContext& context, auto args, auto results) {
                  const Guest guest(context.memory.bytes());
                  results[0] = static_cast<isa::Word>(handler(*system, guest, Params(args)));
                  return vm::HostStatus::Continue();
                });
}

void DefineMissing(vm::Linker& linker, std::string_view name, std::string_view params) {
  linker.Define(kModule, name, WordsOf(params), 1, [](vm::HostContext&, auto, auto results) {
    results[0] = static_cast<isa::Word>(Errno::kNoCall);
    return vm::HostStatus::Continue();
  });
}

}  // namespace

isa::Result<void> Define(vm::Linker& linker, Options options) {
  const auto system = std::make_shared<System>();
  system->options = std::move(options);
  system->random = isa::SplitMix64(system->options.random_seed);
  TXVM_CHECK_OK(system->files.Grant(system->options.directories));
#define WASI_CALL(name, params, Handler) DefineCall(linker, system, #name, params, Handler);
#define WASI_LACKS(name, params) DefineMissing(linker, #name, params);
#include "frontends/wasi/functions.def"
#undef WASI_LACKS
#undef WASI_CALL
  linker.Define(kModule, "proc_exit", 1, 0, [](vm::HostContext&, auto args, auto) {
    return vm::HostStatus::Exit(isa::Signed(args[0]));
  });
  return {};
}

}  // namespace txvm::frontends::wasi
