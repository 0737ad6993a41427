#include "isa/support/edit_distance.h"

namespace txvm::isa {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::size_t TypingSlips(std::string_view a, std::string_view b, std::size_t most) {
  return EditsUpTo<char, EditKind::kWithSwaps>(a, b, most,
                                               [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace txvm::isa
