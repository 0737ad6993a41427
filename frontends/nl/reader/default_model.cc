#include "frontends/nl/reader/default_model.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace txvm::frontends::nl {

isa::Result<neural::llm::Bundle> OpenDefaultModel() {
  const std::string_view weights = DefaultModelFile("nl.safetensors");
  return neural::llm::BundleFromMemory(
      DefaultModelFile("config.json"),
      std::span(reinterpret_cast<const std::uint8_t*>(weights.data()), weights.size()),
      DefaultModelFile("tokenizer.json"));
}

}  // namespace txvm::frontends::nl
