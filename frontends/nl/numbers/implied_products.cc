#include "frontends/nl/numbers/implied_products.h"

#include <algorithm>

#include "frontends/nl/numbers/characters.h"

namespace txvm::frontends::nl {
namespace {

/// A parenthesis that is still open.
struct Group {
  std::size_t begin = 0;
  bool is_factor = false;  // something that can be multiplied ends where it begins
  bool has_words = false;
  bool has_numbers = false;
};

}  // namespace

std::vector<std::size_t> ImpliedProducts(const Lexed& lexed) {
  std::vector<std::size_t> products;
  std::vector<Group> open;
  std::size_t factor_end = 0;  // of the last number or group of numbers; 0: there is none
  bool is_group = false;       // that it is the latter
  std::size_t slot = 0;
  for (std::size_t at = 0; at < lexed.text.size();) {
    if (slot < lexed.numbers.size() && lexed.numbers[slot].begin == at) {
      if (is_group && factor_end == at) products.push_back(at);
      if (!open.empty()) open.back().has_numbers = true;
      at = factor_end = lexed.numbers[slot++].end;
      is_group = false;
      continue;
    }
    const char c = lexed.text[at];
    if (c == '(') {
      // A blank parts a number from what it may be told of: "the 2 (3 at most)"; "(2 + 3) (4 + 5)"
      // has nothing else to be.
      const std::size_t end = is_group ? BeforeBlanks(lexed.text, at) : at;
      open.push_back({at, at != 0 && factor_end == end});
    } else if (c == ')' && !open.empty()) {
      const Group group = open.back();
      open.pop_back();
      const bool counts = group.has_numbers && !group.has_words;
      if (counts && group.is_factor) products.push_back(group.begin);
      if (counts) {
        factor_end = at + 1;
        is_group = true;
      }
      if (!open.empty()) {
        open.back().has_words |= group.has_words;
        open.back().has_numbers |= group.has_numbers;
      }
    } else if (!open.empty() && WordCharacter(lexed.text, at) != 0) {
      open.back().has_words = true;
    }
    ++at;
  }
  std::ranges::sort(products);
  return products;
}

}  // namespace txvm::frontends::nl
