// Canonical programs as people, or models that know only digits, write them: "(50 + 15) * 2".
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "frontends/nl/language/token.h"
#include "frontends/nl/numbers/lexer.h"
#include "isa/support/result.h"

namespace txvm::frontends::nl {

/// Tokens of a text, kEnd last whether or not the text ends with "=", where they stand, and the
/// numbers they mean.
struct CanonicalText {
  std::vector<Token> tokens;
  /// (tokens,): the byte at which each begins; a kEnd that is left out, after the others.
  std::vector<std::size_t> places;
  std::vector<Number> numbers;
};

/// Cuts a text into tokens. A decimal number that is no literal becomes the slot of the number in
/// `given` that has its value, or a slot of its own after those; "(-D)" is one where only -D fits
/// in 256 bits. Thousands separators are not read: a comma is a comma. Errors: kSyntax for anything
/// that is no token, kUsage for a slot that names none of `given`, kLimit for more than kMaxSlots
/// numbers or one beyond 256 bits; with its line and column (in bytes) in "canonical", and the line
/// where it is short. Cost O(text).
isa::Result<CanonicalText> ReadCanonical(std::string_view text, std::vector<Number> given = {});

}  // namespace txvm::frontends::nl
