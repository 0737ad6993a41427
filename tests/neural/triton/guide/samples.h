// Programs, windows and networks that the tests share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "neural/triton/guide/network.h"
#include "neural/triton/guide/teaching.h"
#include "neural/triton/tasm/program.h"

namespace txvm::triton::guide {

/// The instructions of an assembly text.
std::vector<TasmInstruction> CodeOfText(std::string_view text);

/// The plain lowerings of the corpus functions of a family.
std::vector<TasmProgram> NaivePrograms(std::string_view family);

/// Normal weights of a usual size.
Network RandomNetwork(std::uint64_t seed);

/// Some random windows with schedules that a narrow search found, at most `count`.
std::vector<Window> TaughtWindows(std::size_t count, std::uint64_t seed);

}  // namespace txvm::triton::guide
