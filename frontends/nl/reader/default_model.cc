#include "frontends/nl/reader/default_model.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/support/embed_file.h"

TXVM_EMBED_FILE(txvm_model_config, TXVM_MODEL_FOLDER "/config.json")
TXVM_EMBED_FILE(txvm_model_weights, TXVM_MODEL_FOLDER "/nl.safetensors")
TXVM_EMBED_FILE(txvm_model_tokenizer, TXVM_MODEL_FOLDER "/tokenizer.json")

namespace txvm::frontends::nl {
namespace {

std::string_view Text(const std::uint8_t* begin, const std::uint8_t* end) {
  return {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin)};
}

}  // namespace

isa::Result<neural::llm::Bundle> OpenDefaultModel() {
  return neural::llm::BundleFromMemory(
      Text(txvm_model_config, txvm_model_config_end),
      std::span<const std::uint8_t>(txvm_model_weights, txvm_model_weights_end),
      Text(txvm_model_tokenizer, txvm_model_tokenizer_end));
}

}  // namespace txvm::frontends::nl
