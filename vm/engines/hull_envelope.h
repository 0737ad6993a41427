// The upper envelope of a space's keys: the hard-max of one 2-D head in O(log n).
//
// NOTATION  a key is the point (2k, -k^2) of address k; its score at query q is the line 2kq - k^2.
// FACTS     (1) the winner at q is the line on top at q; two lines k < l meet at q = (k + l) / 2,
//               and l is on top from there on: 2q >= k + l. (2) points of a parabola are in convex
//               position: every address written is on the envelope, so inserting never removes a
//               vertex, and a vertex is only replaced by a later write to its address.
//               (3) among equal keys the latest wins: it replaces the token of the vertex.
// All comparisons are of integers: exact for |k|, |q| < 2^61.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace txvm::vm {

/// Vertices in ascending order of address, in blocks. INVARIANT: blocks are not empty, addresses
/// ascend within and across blocks, firsts_[i] is the first address of blocks_[i].
class Envelope {
 public:
  /// The token `token` has been written with key `address`, after all others.
  /// Cost O(log n + kBlock).
  void Insert(std::int64_t address, std::uint64_t token);

  /// The token that wins at query `q`; nullopt when nothing has been written. When two addresses
  /// are equally near, the higher one. Cost O(log n).
  std::optional<std::uint64_t> Query(std::int64_t q) const;

  /// Vertices of the envelope: distinct addresses written.
  std::size_t size() const { return size_; }
  void Clear();

 private:
  static constexpr std::size_t kBlock = 256;  // vertices: 4 KB, half of it moved by an insertion

  struct Block {
    std::vector<std::int64_t> address;
    std::vector<std::uint64_t> token;
  };
  std::size_t BlockOf(std::int64_t address) const;
  void Split(std::size_t index);

  std::vector<Block> blocks_;
  std::vector<std::int64_t> firsts_;
  std::size_t size_ = 0;
  mutable std::size_t last_block_ = 0;  // where the last query ended: programs read what is near
};

}  // namespace txvm::vm
