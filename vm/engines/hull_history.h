// The complete history of a hull run and the State that mirrors its latest tokens.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "vm/engine.h"
#include "vm/engines/hull_envelope.h"
#include "vm/engines/hull_model.h"

namespace txvm::vm {

/// Every token ever written, and per space the envelope of their keys. INVARIANT: between two runs
/// of an engine, the arrays of its State hold what the latest tokens say, except where the
/// embedding changed them since.
class HullHistory {
 public:
  void Append(const HullToken& token);
  /// The token the head of `space` finds at `address`, or nullptr when the space is empty.
  const HullToken* Winner(weights::Space space, std::int64_t address) const;
  /// Value bytes of the latest token at exactly `address`, as a little-endian number; 0 if none.
  std::uint64_t Latest(weights::Space space, std::uint32_t address) const;

  /// code: whether the model has a head that reads instructions; a folded one has none.
  explicit HullHistory(bool code = true) : code_(code) {}

  /// Makes tokens of whatever the State's arrays hold and the history does not: at the start, what
  /// the loader put there; later, what host functions and the embedding changed. Cost O(live
  /// state): of the memory, pages that were written at some time.
  void Absorb(const isa::Program& program, const State& state);
  /// Appends a token the model wrote and stores it in the State's arrays. False when its address is
  /// outside them, which only edited weights produce.
  bool Store(const HullToken& token, State& state);

  std::span<const HullToken> tokens() const { return tokens_; }
  std::size_t Vertices(weights::Space space) const { return Of(space).size(); }

 private:
  using Page = std::array<std::uint8_t, isa::kPageBytes>;

  Envelope& Of(weights::Space space) { return envelopes_[static_cast<std::size_t>(space)]; }
  const Envelope& Of(weights::Space space) const {
    return envelopes_[static_cast<std::size_t>(space)];
  }
  void AbsorbValue(weights::Space space, std::uint32_t address, std::uint64_t value);
  void AbsorbMemory(const LinearMemory& memory);
  void AbsorbPage(std::size_t page, const std::uint8_t* bytes);
  std::uint8_t& MemoryByte(std::uint32_t address);

  std::vector<HullToken> tokens_;
  std::array<Envelope, weights::kSpaceCount> envelopes_;
  /// What the memory tokens say, by page; a page that is not there is zero.
  std::vector<std::unique_ptr<Page>> memory_;
  bool code_;  // the program's code is part of it
  bool started_ = false;
};

}  // namespace txvm::vm
