// What the head matrices say an engine must read: the bridge from weights to fast loops.
//
// Goals: an engine that keeps each space as tiles takes addresses, biases, key rows and values from
// the matrices, so an edited matrix changes what is read or is refused. Non-goals: matrices of
// another shape than q = (address + bias, 1), k = (2k, -k^2); those run on the general engines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/support/result.h"
#include "weights/heads.h"

namespace txvm::weights {

// A bias moves a read by whole slots or bytes. The bound keeps address + bias within 34 bits and
// small enough to be exact in float; the table needs -2..3.
inline constexpr std::int32_t kMaxBias = 32'768;

/// What one head reads: the value lanes of the token whose address is `address` + `bias`.
struct HeadRead {
  HeadId id;
  Space space;
  Lane address;
  std::int32_t bias = 0;                         // from b_q; |bias| <= kMaxBias
  std::array<Lane, kMaxValues> values;           // from W_V, row by row; kNone after the last
  std::array<std::int16_t, kKeySize> key_scale;  // W_K as it acts on (k, k^2): (2, -1)
};

/// What every head reads, indexed by HeadId.
struct HeadPlan {
  std::array<HeadRead, kHeadCount> reads;

  const HeadRead& operator[](HeadId id) const { return reads[static_cast<std::size_t>(id)]; }
};

/// Derives the plan from the matrices. Accepts any integer bias within kMaxBias on an address;
/// refuses (kInvalid), naming the head, the weight and its value, a query that does not read its
/// address lane alone with scale 1, a query whose second component is not 1, a key that is not
/// (2k, -k^2), a value row that reads another lane than heads.def says or another scale, and a
/// weight that is not finite. No allocation on success, about a microsecond.
isa::Result<HeadPlan> DerivePlan(const HeadMatrices& matrices);

inline constexpr std::size_t kMaxTile = 128;  // 2k and -k^2 of offsets 0..127 fit int16

/// The keys of one tile: row i belongs to the tile's i-th address.
struct KeyRows {
  std::vector<std::int16_t> k0;  // (tile,) 2 i
  std::vector<std::int16_t> k1;  // (tile,) -i^2
};

/// The int16 key rows of a tile of `tile` addresses, offsets 0..tile-1, as W_K makes them from the
/// token lanes (i, i^2). By the digits law a tile's keys depend on the offset alone, so one set of
/// rows serves every tile of the space. REQUIRES: DerivePlan accepts the matrices, 1 <= tile <=
/// kMaxTile.
KeyRows TileKeys(const HeadMatrices& matrices, HeadId id, std::size_t tile);

/// The int16 query of a head for the offset `digit` of its address in the tile, as W_Q makes it
/// from a state whose address lane holds `digit`, without the bias: the bias is added to the whole
/// address, before the tile is chosen. (2,)  REQUIRES: DerivePlan accepts the matrices.
std::array<std::int16_t, kKeySize> QueryRow(const HeadMatrices& matrices, HeadId id,
                                            std::int16_t digit);

}  // namespace txvm::weights
