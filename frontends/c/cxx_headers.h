// The runtime's headers of C, as C++ sees them.
#pragma once

#include <string>
#include <string_view>

#include "frontends/c/temp_folder.h"
#include "isa/support/result.h"

namespace txvm::frontends::c {

/// Whether a file's name is that of a C++ source: .cc, .cpp or .cxx.
bool IsCxx(std::string_view path);

/// Writes below `to` in `folder` the headers that C++ can read, what they declare inside namespace
/// std and outside, with C's linkage; <cstdio> and its like; <new>, <exception>,
/// <stdexcept> and <typeinfo>.
isa::Result<void> WriteCxxHeaders(const TempFolder& folder, std::string_view to);

}  // namespace txvm::frontends::c
