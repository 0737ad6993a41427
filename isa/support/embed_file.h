// Files as parts of the program. cmake/TxvmOptions.cmake's txvm_embed() writes the sources that use
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Declares the bytes of a file, read when the source that says so is compiled, as the arrays
/// `symbol` and `symbol`_end, which is where they end. The assembler takes the file as it is: no
/// source text of millions of numbers. At namespace scope, outside all namespaces; `path` is a
/// literal. The bytes begin at a multiple of 64; a zero comes after the last.
#define TXVM_EMBED_FILE(symbol, path)                                                              \
  asm(".section .rodata\n.balign 64\n"                                                             \
      ".global " #symbol "\n.hidden " #symbol "\n" #symbol                                         \
      ":\n"                                                                                        \
      ".incbin \"" path                                                                            \
      "\"\n"                                                                                       \
      ".global " #symbol "_end\n.hidden " #symbol "_end\n" #symbol "_end:\n.byte 0\n.previous\n"); \
  extern "C" const std::uint8_t symbol[], symbol##_end[];

namespace txvm::isa {

/// The bytes between two such arrays, as text.
inline std::string_view EmbeddedBytes(const std::uint8_t* begin, const std::uint8_t* end) {
  return {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin)};
}

}  // namespace txvm::isa
