// What the lexer finds in a question, in short.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontends/nl/numbers/lexer.h"

namespace txvm::frontends::nl {

using Texts = std::vector<std::string>;

/// The numbers of a text in lowest terms; why it is refused where it is.
inline Texts Values(std::string_view text) {
  const auto lexed = Lex(text);
  if (!lexed) return {"error: " + lexed.error().message};
  Texts values;
  for (const Number& number : lexed->numbers) values.push_back(ToText(number.value));
  return values;
}

}  // namespace txvm::frontends::nl
