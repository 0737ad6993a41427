// txvm_portable_sample run|resume FOLDER CASES [SEED]: random programs, a line each on standard
// output, and snapshots amid them in FOLDER. Equal lines on two machines, for `run` on each and
// `resume` of the other's folder, say that the machines agree: tests/portable/compare.sh.

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "tests/portable/sample.h"

namespace {

std::optional<std::uint64_t> ParseNumber(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const auto cases = argc > 3 ? ParseNumber(argv[3]) : std::nullopt;
  const auto seed = argc > 4 ? ParseNumber(argv[4]) : std::optional<std::uint64_t>(1);
  if (!cases || !seed || (what != "run" && what != "resume")) {
    std::fputs("usage: txvm_portable_sample run|resume FOLDER CASES [SEED]\n", stderr);
    return 2;
  }
  const std::string folder = argv[2];
  bool agree = true;
  for (std::uint64_t i = *seed; i < *seed + *cases; ++i) {
    const std::string line = what == "run" ? txvm::support::SampleLine(i, folder)
                                           : txvm::support::ResumedLine(i, folder);
    agree &= line.find(" BUT ") == std::string::npos;
    fmt::print("{}\n", line);
  }
  return agree ? 0 : 1;
}
