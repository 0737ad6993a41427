#include "isa/check_limits.h"

#include <fmt/format.h>

#include "isa/support/text.h"

namespace txvm::isa {

Result<void> CheckLocals(const Program& program, const Limits& limits) {
  const std::uint32_t largest = LargestFrame(program);
  if (program.globals.size() + std::uint64_t{largest} <= limits.max_locals) return {};
  return Fail(ErrorCode::kLimit,
              fmt::format("{} and a largest frame of {} exceed the limit of {}",
                          CountText(program.globals.size(), "global"), CountText(largest, "local"),
                          CountText(limits.max_locals, "local slot")));
}

}  // namespace txvm::isa
