// Runs on the folded engine that are stopped again and again, and go on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/vm/folded/works.h"

namespace txvm::vm {

/// What was done.
struct CutsReport {
  std::uint64_t runs = 0, fuel_cuts = 0, interrupts = 0, steps = 0;
  std::vector<double> seconds;  // processor time from a request to the stop, one for each interrupt
  /// The latency that this share of the interrupts stays below.
  double Latency(double share) const;
  std::string Text() const;
};

/// Runs the works in turn until `cuts` cuts are made: by random fuel, and by another thread at
/// random times. Each goes on, and has to end as an uncut run of the native engine does. The first
/// difference; empty: none.
std::string CutAndGoOn(const std::vector<Work>& works, std::uint64_t cuts, std::uint64_t seed,
                       CutsReport& report);

/// Runs the works in turn, carried over to the next engine in a snapshot file at each of `points`
/// random steps: folded, native, attention, folded. The first difference from an uncut run on
/// native; empty: none.
std::string ChangeEngines(const std::vector<Work>& works, std::uint64_t points, std::uint64_t seed,
                          CutsReport& report);

}  // namespace txvm::vm
