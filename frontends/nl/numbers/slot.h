// Slots: what stands in a question where a number was.
#pragma once

#include <cstddef>
#include <string>

namespace txvm::frontends::nl {

inline constexpr std::size_t kMaxSlots = 32;  // numbers of one question

/// "N7" for slot 7.
inline std::string SlotText(std::size_t slot) { return "N" + std::to_string(slot); }

}  // namespace txvm::frontends::nl
