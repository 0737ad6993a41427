// Runs what recurses over a module's nesting on a stack that is large enough, whoever asks for it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "isa/support/result.h"

namespace txvm::frontends::wat {

// WABT takes up to 0.8 KiB of stack a level, measured over every form that nests (g++ 12,
// x86-64): 0.8 MiB for kMaxNesting of them.
inline constexpr std::size_t kReadingStackBytes = 2u << 20;

/// Runs `work` where kReadingStackBytes of stack are free: on the calling thread, or else on one of
/// its own that the call waits for. Throws what `work` throws. Errors: kHost when the system starts
/// no such thread. A thread of its own costs about 100 us.
isa::Result<void> RunOnLargeStack(const std::function<void()>& work);

/// The same for work that answers with a Result<T>, which is handed on.
template <typename Work>
std::invoke_result_t<const Work&> OnLargeStack(const Work& work) {
  std::optional<std::invoke_result_t<const Work&>> result;
  TXVM_CHECK_OK(RunOnLargeStack([&] { result.emplace(work()); }));
  return *std::move(result);
}

}  // namespace txvm::frontends::wat
