// By hand: txvm_fuzz_fold SECONDS [SEED]. A fuzz target on random bytes, where libFuzzer is not: in
// the preset asan, for one. Prints how many inputs it took; a finding ends the process.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "isa/support/random.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  constexpr std::size_t kMostBytes = 200;
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s SECONDS [SEED]\n", argv[0]);
    return 2;
  }
  const std::chrono::duration<double> most(std::strtod(argv[1], nullptr));
  txvm::isa::SplitMix64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  const auto start = std::chrono::steady_clock::now();
  unsigned long long taken = 0;
  while (std::chrono::steady_clock::now() - start < most) {
    std::vector<std::uint8_t> bytes(random.Next() % kMostBytes);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.Next());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    ++taken;
    if (taken % 10'000 == 0) std::fprintf(stderr, "%llu\n", taken);
  }
  std::printf("%llu inputs, nothing found\n", taken);
  return 0;
}
