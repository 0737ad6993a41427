// Heads with constant queries, evaluated once: what folding rests on (docs/LAWS.md, law of
// folding).
#pragma once

#include <cstdint>

#include "isa/program.h"
#include "isa/verify.h"
#include "vm/engines/attention_loop.h"
#include "vm/memory/tile_keys.h"
#include "weights/heads.h"
#include "weights/plan.h"

namespace txvm::vm::folded {

/// The heads of a program under given matrices, scored by the kernels of the attention engine.
class ConstantHeads {
 public:
  /// kInvalid when the matrices are no plan of tiles; kMemory when the system refuses the keys.
  static isa::Result<ConstantHeads> Create(const isa::Program& program,
                                           const weights::HeadMatrices& matrices);

  /// The address whose key wins head `id` when its address lane holds `address`; -1: none. For the
  /// fetch an instruction index. The other spaces are taken as complete: every address has its key.
  std::int64_t Winner(weights::HeadId id, std::uint64_t address) const;

  /// Whether folding may take a fetch at ip for the instruction at ip, and a slot, local, frame or
  /// byte at a known address for the one at that address: every fetch of the program is scored, and
  /// the other heads for every digit a query can have. kInvalid names the first head that answers
  /// otherwise. Cost O(code).
  isa::Result<void> Check() const;

 private:
  ConstantHeads() = default;

  std::size_t size_ = 0;  // instructions
  AttentionTarget target_{};
  weights::HeadPlan plan_;
  TileKeys code_;
  TileKeys tiles_[weights::kHeadCount];  // of the spaces, a few tiles each
};

}  // namespace txvm::vm::folded
