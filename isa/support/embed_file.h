// Files as parts of the program.
#pragma once

#include <cstdint>

/// Declares the bytes of a file, read when the source that says so is compiled, as the arrays
/// `symbol` and `symbol`_end, which is where they end. The assembler takes the file as it is: no
/// source text of millions of numbers. At namespace scope, outside all namespaces; `path` is a
/// literal. A zero follows the bytes.
#define TXVM_EMBED_FILE(symbol, path)                                     \
  asm(".section .rodata\n.balign 64\n"                                    \
      ".global " #symbol "\n" #symbol                                     \
      ":\n"                                                               \
      ".incbin \"" path                                                   \
      "\"\n"                                                              \
      ".global " #symbol "_end\n" #symbol "_end:\n.byte 0\n.previous\n"); \
  extern "C" const std::uint8_t symbol[], symbol##_end[];
