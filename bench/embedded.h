// The files of bench/ that the program carries inside itself.
#pragma once

#include <string_view>

namespace txvm::bench {

/// The text of bench/NAME, such as "scenarios.toml" or "programs/sum.wat"; empty when there is
/// none.
std::string_view EmbeddedFile(std::string_view name);

}  // namespace txvm::bench
