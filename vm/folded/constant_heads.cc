#include "vm/folded/constant_heads.h"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace txvm::vm::folded {
namespace {

using weights::HeadId;

// Tiles of a space that are scored: by the Tiling law a key row depends on the digit alone.
constexpr std::size_t kTiles = 3;

}  // namespace

isa::Result<ConstantHeads> ConstantHeads::Create(const isa::Program& program,
                                                 const weights::HeadMatrices& matrices) {
  ConstantHeads heads;
  heads.size_ = program.code.size();
  heads.target_ = ChooseAttentionTarget();
  TXVM_TRY(heads.plan_, weights::DerivePlan(matrices));
  const std::size_t tile = heads.target_.tile_keys;
  const auto rows = [&](HeadId id) {
    weights::KeyRows keys = weights::TileKeys(matrices, id, tile);
    KeyTile made = std::move(keys.k0);
    made.insert(made.end(), keys.k1.begin(), keys.k1.end());
    return made;
  };
  TXVM_TRY(heads.code_, TileKeys::Create(heads.size_, rows(HeadId::kFetch), PageOffset::kAny));
  heads.code_.Ensure(heads.size_ - 1);
  for (std::size_t ip = heads.size_; ip % tile != 0; ++ip) {
    const std::span<std::int16_t> last = heads.code_.Tile(ip);
    last[ip % tile] = 0;
    last[tile + ip % tile] = kNoKeyScore;
  }
  for (const weights::HeadSpec& spec : weights::kHeads) {
    TileKeys& keys = heads.tiles_[static_cast<std::size_t>(spec.id)];
    TXVM_TRY(keys, TileKeys::Create(kTiles * tile, rows(spec.id), PageOffset::kAny));
    keys.Ensure(kTiles * tile - 1);
  }
  return heads;
}

std::int64_t ConstantHeads::Winner(HeadId id, std::uint64_t address) const {
  const std::int64_t query = static_cast<std::int64_t>(address) + plan_[id].bias;
  if (query < 0) return -1;
  const std::size_t tile = target_.tile_keys;
  const auto asked = static_cast<std::uint64_t>(query);
  const std::uint64_t first = asked - asked % tile;
  const bool fetches = id == HeadId::kFetch;
  if (fetches && asked >= size_) return -1;
  const std::int16_t* keys =
      fetches ? code_.data() + 2 * first : tiles_[static_cast<std::size_t>(id)].data() + 2 * tile;
  const std::uint32_t lane = target_.winning_key(keys, static_cast<std::uint32_t>(asked));
  return lane < tile ? static_cast<std::int64_t>(first + lane) : -1;
}

isa::Result<void> ConstantHeads::Check() const {
  const auto expect = [&](HeadId id, std::uint64_t address,
                          std::int64_t expected) -> isa::Result<void> {
    const std::int64_t winner = Winner(id, address);
    if (winner == expected) return {};
    return isa::Fail(isa::ErrorCode::kInvalid,
                     fmt::format("head {} at {} returns the value of {}, folding needs {}",
                                 weights::Spec(id).name, address, winner, expected));
  };
  for (std::uint64_t ip = 0; ip < size_; ++ip) {
    TXVM_CHECK_OK(expect(HeadId::kFetch, ip, static_cast<std::int64_t>(ip)));
  }
  const std::uint64_t tile = target_.tile_keys;
  for (const weights::HeadSpec& spec : weights::kHeads) {
    if (spec.id == HeadId::kFetch) continue;
    for (std::uint64_t address = tile; address < 2 * tile; ++address) {
      TXVM_CHECK_OK(expect(spec.id, address, static_cast<std::int64_t>(address) + spec.offset));
    }
  }
  return {};
}

}  // namespace txvm::vm::folded
