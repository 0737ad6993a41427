// A profile as files of other tools: folded stacks, a flame graph, a trace for Perfetto.
#pragma once

#include <string>

#include "frontends/cli/view/call_profile.h"

namespace txvm::frontends::cli {

/// "main;fib;fib 120", a line a path, as flamegraph.pl and speedscope read it.
std::string FoldedStacks(const CallProfile& profile);

/// An SVG whose widths are steps: callers below, callees above, full names and counts as titles.
/// Rectangles narrower than a third of a pixel are left out.
std::string FlameGraphSvg(const CallProfile& profile, const std::string& title);

/// The calls as complete events of the Chrome trace format; a microsecond there is a step.
std::string PerfettoTrace(const CallProfile& profile, const std::string& title);

}  // namespace txvm::frontends::cli
