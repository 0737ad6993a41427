#include "frontends/wat/text_place.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "isa/support/text.h"

namespace txvm::frontends::wat {

LineTable::LineTable(std::string_view text) {
  starts_.push_back(0);
  for (std::size_t at = 0; at < text.size();) {
    const void* found = std::memchr(text.data() + at, '\n', text.size() - at);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1;
    starts_.push_back(static_cast<std::uint32_t>(at));
  }
  starts_.push_back(std::numeric_limits<std::uint32_t>::max());
}

std::size_t LineTable::Find(std::uint32_t at) const {
  const auto after = std::ranges::upper_bound(starts_.begin(), starts_.end() - 1, at);
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

std::vector<isa::Error> ErrorsOf(const std::vector<TextFault>& faults, std::string_view text,
                                 std::string_view file) {
  std::vector<isa::Error> errors;
  errors.reserve(faults.size());
  for (const TextFault& fault : faults) {
    errors.push_back(isa::ErrorAt(text, std::min<std::size_t>(fault.at, text.size()), file,
                                  fault.code, fault.message));
  }
  return errors;
}

}  // namespace txvm::frontends::wat
