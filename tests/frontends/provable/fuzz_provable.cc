#include "tests/frontends/provable/fuzz_provable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "tests/frontends/provable/provable.h"
#include "tests/support/random_wasm.h"
#include "tests/support/wasm_numbers.h"

namespace txvm::tests {
namespace {

constexpr int kCallsPerFunction = 3;
constexpr std::uint32_t kManyLocals = 12;
constexpr std::uint64_t kMostWords = 3 * frontends::provable::kPageWords;  // of the random modules

}  // namespace

std::string CompareRandomModule(std::uint64_t seed, ProvableCoverage& coverage) {
  isa::SplitMix64 random(seed);
  const RandomModule module = MakeRandomWasm(seed, {.imports = false,
                                                    .locals = seed % 2 == 0 ? kManyLocals : 0,
                                                    .bulk = seed % 5 < 2,
                                                    .numbers = seed % 4 == 1,
                                                    .vectors = seed % 16 == 5});
  for (const RandomExport& entry : module.exports) {
    ProvableOptions options;
    options.lower.entry = entry.name;
    options.lower.memory_words = kMostWords;
    options.lower.assume_zero_ram = seed % 3 != 0;
    options.lower.locals_in_ram = seed % 4 == 0;
    if (!options.lower.assume_zero_ram) options.ram_seed = seed;
    auto provable = Provable::Make(module.text, options);
    if (!provable)
      return fmt::format("seed {}: {}: {}", seed, entry.name, provable.error().ToString());
    ++coverage.functions;
    const auto& layout = provable->lowered().layout;
    coverage.in_ram += layout.next_cell > layout.carry + layout.carry_cells ? 1 : 0;
    coverage.saving += layout.save_cell != 0 ? 1 : 0;
    for (int i = 0; i < kCallsPerFunction; ++i) {
      std::vector<std::uint32_t> args;
      for (const char type : entry.params) {
        const std::uint64_t bits = type == 'i' ? RandomWord(random) : RandomNumber(type, random);
        const std::vector<std::uint32_t> words = WordsOfNumber(type, bits);
        args.insert(args.end(), words.begin(), words.end());
      }
      const std::string difference = provable->Compare(args);
      if (!difference.empty()) {
        return fmt::format("seed {}: {}({}): {}\n{}", seed, entry.name, fmt::join(args, ", "),
                           difference, module.text);
      }
      ++coverage.calls;
      coverage.trapped += provable->native().crashed ? 1 : 0;
      coverage.cycles += provable->run().cycles;
    }
  }
  return {};
}

}  // namespace txvm::tests
