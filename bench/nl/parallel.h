// Independent work shared out among threads, with progress where a person watches.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace txvm::bench::nl {

/// Calls work(worker, i) once for every i below `count`, workers 0..threads - 1 at a time, in no
/// order; `what` names it on a progress line, shown only where stderr is a terminal.
/// REQUIRES: threads >= 1; work(a, i) and work(b, j) may run at once for a != b.
void ForEach(std::size_t count, std::size_t threads, std::string_view what,
             const std::function<void(std::size_t worker, std::size_t i)>& work);

}  // namespace txvm::bench::nl
