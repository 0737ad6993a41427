#include "vm/host.h"

namespace txvm::vm {

void Linker::Define(std::string_view module, std::string_view name, std::uint32_t params,
                    std::uint32_t results, HostFunction function) {
  bindings_[{std::string(module), std::string(name)}] = {params, results, std::move(function)};
}

const HostBinding* Linker::Find(std::string_view module, std::string_view name) const {
  const auto found = bindings_.find({std::string(module), std::string(name)});
  return found == bindings_.end() ? nullptr : &found->second;
}

}  // namespace txvm::vm
