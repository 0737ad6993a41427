#include "vm/host.h"

namespace txvm::vm {

void Linker::Define(std::string_view module, std::string_view name, std::uint32_t params,
                    std::uint32_t results, HostFunction function) {
  bindings_[{std::string(module), std::string(name)}] = {params, results, std::move(function)};
}

void Linker::Define(std::string_view module, std::string_view name,
                    std::vector<isa::ValueType> param_types,
                    std::vector<isa::ValueType> result_types, HostFunction function) {
  HostBinding& binding = bindings_[{std::string(module), std::string(name)}];
  binding = {static_cast<std::uint32_t>(isa::WordsOf(param_types)),
             static_cast<std::uint32_t>(isa::WordsOf(result_types)), std::move(function),
             std::move(param_types), std::move(result_types)};
}

const HostBinding* Linker::Find(std::string_view module, std::string_view name) const {
  const auto found = bindings_.find({std::string(module), std::string(name)});
  return found == bindings_.end() ? nullptr : &found->second;
}

}  // namespace txvm::vm
