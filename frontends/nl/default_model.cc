#include "frontends/nl/default_model.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// The assembler takes the files as they are: no source text of millions of numbers.
#define TXVM_MODEL_BYTES(name, file)                      \
  asm(".section .rodata\n.balign 64\n"                    \
      ".global txvm_model_" #name                         \
      "\n"                                                \
      "txvm_model_" #name                                 \
      ":\n"                                               \
      ".incbin \"" TXVM_MODEL_FOLDER "/" file             \
      "\"\n"                                              \
      ".global txvm_model_" #name                         \
      "_end\n"                                            \
      "txvm_model_" #name "_end:\n.byte 0\n.previous\n"); \
  extern "C" const std::uint8_t txvm_model_##name[], txvm_model_##name##_end[];

TXVM_MODEL_BYTES(config, "config.json")
TXVM_MODEL_BYTES(weights, "nl.safetensors")
TXVM_MODEL_BYTES(tokenizer, "tokenizer.json")

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
