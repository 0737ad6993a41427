#include "isa/trace.h"

#include <fmt/format.h>

namespace txvm::isa {

std::string DigestText(std::uint64_t digest) { return fmt::format("{:016x}", digest); }

}  // namespace txvm::isa
