// Clocks, memory and medians.
#pragma once

#include <cstdint>
#include <vector>

namespace txvm::bench {

/// CPU time of the calling thread in seconds: what a shared computer does to others is not in it.
double ThreadSeconds();

/// Memory of this process that is resident now, in bytes; 0 when the system does not say.
std::uint64_t ResidentBytes();

/// The middle value; of an even count, the upper middle. REQUIRES: not empty.
double Median(std::vector<double> values);

/// exp of the mean of logs. REQUIRES: not empty, all positive.
double GeometricMean(const std::vector<double>& values);

}  // namespace txvm::bench
