#include "isa/check_limits.h"

#include <fmt/format.h>

namespace txvm::isa {

Result<void> CheckLocals(const Program& program, const Limits& limits) {
  const std::uint32_t largest = LargestFrame(program);
  if (program.globals.size() + std::uint64_t{largest} <= limits.max_locals) return {};
  return Fail(ErrorCode::kLimit, fmt::format("{} globals and a largest frame of {} locals exceed "
                                             "the limit of {} local slots",
                                             program.globals.size(), largest, limits.max_locals));
}

}  // namespace txvm::isa
