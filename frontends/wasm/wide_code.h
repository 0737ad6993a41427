// Emits the word instructions that stand for one i64 instruction.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "frontends/wasm/module.h"
#include "frontends/wasm/wide.h"
#include "isa/opcode.h"

namespace txvm::frontends::wat {

/// A word that is at hand without the stack.
struct Word32 {
  bool is_constant = true;
  std::uint32_t value = 0;  // the constant, or a local
};

/// An i64 at hand.
struct WordsAtHand {
  Word32 low, high;
};

/// Appends instructions to one function. A pair lies on the stack with its high word on top.
class WideCode {
 public:
  /// The index of the helper function for an instruction, by its text.
  using Helper = std::function<std::uint32_t(std::string_view)>;
  /// `out` gets code and, from index `first_scratch` on, scratch locals.
  WideCode(Function& out, std::uint32_t first_scratch, const Helper& helper)
      : out_(out), first_scratch_(first_scratch), helper_(helper) {}

  void SetPlace(std::uint32_t place) { place_ = place; }
  void Add(InstrKind kind, std::uint32_t a = 0, std::uint32_t b = 0,
           isa::Opcode op = isa::Opcode::kNop) {
    out_.body.push_back({kind, op, a, b, place_});
  }
  void Op(isa::Opcode op) { Add(InstrKind::kOp, 0, 0, op); }
  void Push(std::uint32_t value) { Add(InstrKind::kConst, value); }
  void Push(Word32 word);
  void Get(std::uint32_t local) { Add(InstrKind::kLocal, local, 0, isa::Opcode::kLocalGet); }
  void Set(std::uint32_t local) { Add(InstrKind::kLocal, local, 0, isa::Opcode::kLocalSet); }
  void Tee(std::uint32_t local) { Add(InstrKind::kLocal, local, 0, isa::Opcode::kLocalTee); }
  /// Calls the routine of the instruction `text`. REQUIRES: there is one.
  void CallRoutine(std::string_view text);

  /// Scratch local number n, of those that live inside one instruction. SelectWords uses those up
  /// to 2 * kMaxWords.
  std::uint32_t Scratch(std::uint32_t n);
  /// SELECT of two values of `words` words under a condition.
  void SelectWords(std::uint32_t words);
  /// The i64 instruction `op` with memory offset `offset`. `right`: its last i64 operand, when it
  /// is at hand and not on the stack; only for instructions TakesRight accepts.
  void Wide(WideOp op, std::uint32_t offset, const std::optional<WordsAtHand>& right);
  static bool TakesRight(WideOp op);

 private:
  WordsAtHand PopRight(const std::optional<WordsAtHand>& right);
  void Combine(isa::Opcode op, Word32 word);
  void Pair(isa::Opcode op, const WordsAtHand& right);
  void AddOrSub(isa::Opcode op, const WordsAtHand& right);
  void Compare(isa::Opcode op, const WordsAtHand& right);
  void ShiftBy(isa::Opcode op, std::uint32_t count);
  void ShiftLeftBy(std::uint32_t count);
  void CallHelper(std::string_view text) { Add(InstrKind::kCall, helper_(text)); }
  void SignOfTop();
  void Extend(std::uint32_t bits);
  void Load(const WideInfo& info, std::uint32_t offset);
  void Store(const WideInfo& info, std::uint32_t offset, const std::optional<WordsAtHand>& right);

  Function& out_;
  std::uint32_t first_scratch_;
  const Helper& helper_;
  std::uint32_t scratch_count_ = 0;
  std::uint32_t place_ = 0;
};

}  // namespace txvm::frontends::wat
