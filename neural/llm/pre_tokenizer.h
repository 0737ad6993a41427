// Cutting text up before pieces are put together, and the alphabet of byte-level vocabularies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "neural/llm/tokenizer.h"

namespace txvm::neural::llm {

/// Runs the steps over a text of valid UTF-8. `at_start`: it begins the whole input.
std::vector<std::string> SplitText(const std::vector<SplitStep>& steps, std::string_view text,
                                   bool at_start);

/// The step a regular expression of a tokenizer.json stands for; nullopt for unknown ones. The
/// expression is compared, never run.
std::optional<SplitStep::Kind> StepOfPattern(std::string_view pattern);
/// The reverse; nullopt for steps that are no expression.
std::optional<std::string_view> PatternOfStep(SplitStep::Kind kind);

/// The character that stands for each byte in a byte-level vocabulary, as UTF-8, and back.
/// Source: the published GPT-2 encoder; printable Latin-1 stands for itself, the rest follow from
/// U+0100.
const std::array<std::string, 256>& ByteAlphabet();
std::optional<std::uint8_t> ByteOfLetter(char32_t letter);

}  // namespace txvm::neural::llm
