// Single passes of chosen inputs, for the checks of single circuits. Included by hull_proof*.cc
// only.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "isa/opcode.h"
#include "isa/word_ops.h"
#include "vm/engines/hull_proof.h"

namespace txvm::vm {

using isa::Word;
namespace sf = weights::state_field;

inline constexpr Word kByteValues = 256;
inline constexpr Word kByteBits = 8;
inline constexpr Word kWordBytes = 4;
inline constexpr Word kWordBits = 32;
inline constexpr Word kStack = 3;  // operands on the stack of every check

/// Registers and tokens of one pass.
struct Inputs {
  std::uint8_t op = 0;
  Word aux = 0, arg = 0;
  Word third = 0, second = 0, top = 0;
  Word ip = 0, sp = kStack, depth = 0, base = 0;
  Word micro = 0, quotient = 0, remainder = 0, divisor = 0;
  Word max_locals = ~Word{0}, globals = ~Word{0}, imports = ~Word{0};
};

inline void SetKey(HullToken& token, std::int64_t key) {
  for (std::size_t i = 0; i < token.key.size(); ++i) {
    token.key[i] = static_cast<std::uint8_t>(key >> (kByteBits * i));
  }
}

inline void SetValue(HullToken& token, std::size_t first, Word value) {
  std::memcpy(token.value.data() + first, &value, sizeof(value));
}

/// Computes single passes of chosen inputs.
class Bench {
 public:
  Bench(const weights::Model& model, std::shared_ptr<const HullModel> hull)
      : pass_(std::move(hull)) {
    for (std::uint32_t i = 0; i < model.lanes.size(); ++i) lanes_[model.lanes[i].name] = i;
  }

  void Run(const Inputs& in) {
    weights::StateRecord state{};
    const auto set = [&](std::size_t field, Word word) {
      weights::SetWord(std::span(state).subspan(field), word);
    };
    set(sf::kIp, in.ip);
    set(sf::kSp, in.sp);
    set(sf::kDepth, in.depth);
    set(sf::kBase, in.base);
    set(sf::kTop, in.top);
    set(sf::kQuotient, in.quotient);
    set(sf::kRemainder, in.remainder);
    set(sf::kDivisor, in.divisor);
    for (const std::size_t limit : {sf::kMaxSlots, sf::kMaxDepth, sf::kMaxBase}) {
      set(limit, ~Word{0});
    }
    set(sf::kMaxLocals, in.max_locals);
    set(sf::kGlobals, in.globals);
    set(sf::kImports, in.imports);
    state[sf::kPages + 2] = 1;  // 65,536 pages: every address is inside
    state[sf::kMicro] = static_cast<std::int32_t>(in.micro);
    SetValue(fetched_, 0, in.op | in.aux << kByteBits);
    SetValue(fetched_, sizeof(Word), in.arg);
    SetValue(second_, 0, in.second);
    SetValue(third_, 0, in.third);
    pass_.Run(state, [this](weights::HeadId id, weights::Space, std::int64_t address) {
      return Found(id, address);
    });
  }

  Word Output(std::size_t field) const {
    Word word = 0;
    for (Word i = 0; i < kWordBytes; ++i) {
      word |= static_cast<Word>(pass_.Output(field + i)) << (kByteBits * i);
    }
    return word;
  }
  Word Top() const { return Output(sf::kTop); }
  std::int32_t Field(std::size_t field) const { return pass_.Output(field); }
  bool Traps() const { return pass_.Output(sf::kStopped) != 0; }
  std::int32_t Lane(const std::string& name) const { return pass_.lanes()[lanes_.at(name)]; }
  std::int64_t address(std::size_t byte) const { return addresses_[byte]; }

  /// The result word when the lanes of `set` hold these values after the layer that completes
  /// them, and everything else is 0.
  Word ResultOf(std::span<const std::pair<std::string, std::int32_t>> set, std::size_t layer) {
    std::vector<std::pair<std::uint32_t, std::int32_t>> lanes;
    for (const auto& [name, value] : set) lanes.emplace_back(lanes_.at(name), value);
    pass_.RunLayersFrom(layer, lanes);
    Word word = 0;
    for (Word i = 0; i < kWordBytes; ++i) {
      word |= static_cast<Word>(Lane("result." + std::string(1, static_cast<char>('0' + i))))
              << (kByteBits * i);
    }
    return word;
  }

 private:
  const HullToken* Found(weights::HeadId id, std::int64_t address) {
    HullToken* token = &empty_;
    if (id == weights::HeadId::kFetch) token = &fetched_;
    if (id == weights::HeadId::kStackSecond) token = &second_;
    if (id == weights::HeadId::kStackThird) token = &third_;
    const std::size_t byte =
        static_cast<std::size_t>(id) - static_cast<std::size_t>(weights::HeadId::kByte0);
    if (byte < kWordBytes) addresses_[byte] = address;
    SetKey(*token, address);
    return token;
  }

  HullPass pass_;
  std::map<std::string, std::uint32_t> lanes_;
  HullToken fetched_{}, second_{}, third_{}, empty_{};
  std::array<std::int64_t, kWordBytes> addresses_{};
};

/// Counts cases and keeps the first failure of a check.
class Tally {
 public:
  explicit Tally(std::string name) { check_.name = std::move(name); }
  void Expect(bool holds, Word a, Word b) {
    ++check_.cases;
    if (holds) return;
    if (check_.failures++ == 0) check_.first_failure = fmt::format("{:#x}, {:#x}", a, b);
  }
  CircuitCheck Done() const { return check_; }

 private:
  CircuitCheck check_;
};

inline std::uint8_t Code(isa::Opcode op) { return static_cast<std::uint8_t>(op); }
inline std::string Text(isa::Opcode op) { return std::string(isa::Info(op).text); }

/// Which operands every opcode may have: the traps that come before all others.
CircuitCheck ProveOperandChecks(Bench& bench, Word stride);
/// Division: its start, its step, its end. The loop over 32 steps is their induction.
std::vector<CircuitCheck> ProveDivision(Bench& bench, Word stride);

}  // namespace txvm::vm
