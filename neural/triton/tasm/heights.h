// Heights of the nine tables, and what they say about the cost of a proof.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace txvm::triton {

/// A table of a proof, by its row in tables.def.
enum class TasmTable : std::uint8_t {
#define TXVM_TASM_TABLE(Name, text) k##Name,
#include "neural/triton/tasm/tables.def"
#undef TXVM_TASM_TABLE
};

/// Names of the tables, in their order.
inline constexpr std::array kTasmTableNames = {
#define TXVM_TASM_TABLE(Name, text) std::string_view(text),
#include "neural/triton/tasm/tables.def"
#undef TXVM_TASM_TABLE
};
/// The number of tables.
inline constexpr std::size_t kTasmTables = kTasmTableNames.size();
static_assert(kTasmTables == 9);

/// Every byte has its row, so this table has one height; it makes 256 the smallest padded height.
inline constexpr std::uint64_t kTasmLookupHeight = 256;

/// Rows of each table.
struct TasmHeights {
  std::array<std::uint64_t, kTasmTables> rows{};

  std::uint64_t& operator[](TasmTable table) { return rows[static_cast<std::size_t>(table)]; }
  std::uint64_t operator[](TasmTable table) const { return rows[static_cast<std::size_t>(table)]; }

  /// The highest table.
  std::uint64_t Max() const;
  /// Max() rounded up to a power of two: the number of rows every table is proved with; 0 where
  /// all tables are empty, since no run began.
  std::uint64_t Padded() const;
  /// All rows but those of the jump stack, which repeat the processor's.
  std::uint64_t Sum() const;
  bool operator==(const TasmHeights&) const = default;
};

/// The smallest power of two >= n; 1 for 0.
std::uint64_t NextPowerOfTwo(std::uint64_t n);

/// Which of two programs is cheaper to prove: compared in this order.
struct TasmCost {
  std::uint64_t padded = 0;
  std::uint64_t max = 0;
  std::uint64_t sum = 0;
  std::uint64_t words = 0;  // program words
  auto operator<=>(const TasmCost&) const = default;
};

/// The cost of a run of a program with this many words.
TasmCost CostOf(const TasmHeights& heights, std::uint64_t program_words);

/// Trident's estimate of the time to prove `padded` rows: padded * 300 columns *
/// (floor(log2 padded) + 1) * 3 ns; 0 for 0. An estimate of the order of magnitude: real Triton
/// proves 379 main and 88 auxiliary columns, and no prover was timed for this number.
std::uint64_t ProvingTimeEstimateNs(std::uint64_t padded);

}  // namespace txvm::triton
