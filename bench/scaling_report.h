// Scaling results as text, JSON, CSV and a plot.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bench/scaling.h"

namespace txvm::bench {

/// One line per program and engine: time per step at 10^6 and at the largest scale, their ratio,
/// and how far resident memory moved between the two.
std::string ScalingText(const ScalingReport& report);
std::string ScalingJson(const ScalingReport& report, std::string_view command, std::size_t rounds);
std::string ScalingCsv(const ScalingReport& report);
/// Time per step and resident memory against steps.
std::string ScalingSvg(const ScalingReport& report);

}  // namespace txvm::bench
