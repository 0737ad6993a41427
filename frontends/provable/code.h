// TIR as it is being written: straight pieces put together, the moves a compiler needs, branches in
// their cheapest form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neural/triton/tir/op.h"

namespace txvm::frontends::provable {

inline constexpr std::uint32_t kRegisters = 16;  // words that dup and swap reach

/// A piece of TIR. Two pieces are joined in O(1). Nothing is added after `halt`: it cannot be
/// reached.
class Code {
 public:
  void Op(triton::TirCode code, std::uint64_t value = 0);
  void Push(std::uint64_t element) { Op(triton::TirCode::kPush, element); }
  void Dup(std::uint64_t slot) { Op(triton::TirCode::kDup, slot); }
  void Swap(std::uint64_t slot) { Op(triton::TirCode::kSwap, slot); }
  /// Adds one operation whose bodies nest `depth` deep, itself included.
  void Add(triton::TirOp op, std::size_t depth);
  void Comment(std::string text);
  void Call(std::string name);
  /// Removes words from the top.
  void Pop(std::uint64_t words);
  /// `_ -- _ RAM[address]`
  void Load(std::uint64_t address);
  /// `_ v -- _`, v goes to RAM[address].
  void Store(std::uint64_t address);
  /// Puts `words` words from the top into RAM, the top one at `address`, the others after it.
  void StoreMany(std::uint64_t address, std::uint32_t words);
  /// The inverse of StoreMany; the words stay in RAM.
  void LoadMany(std::uint64_t address, std::uint32_t words);
  /// Brings st_slot to the top, the words above it down by one. REQUIRES: slot < kRegisters.
  void Pick(std::uint32_t slot);
  /// Removes the `words` words below the top `kept`. REQUIRES: kept < kRegisters.
  void DropUnder(std::uint64_t words, std::uint32_t kept);
  /// Pops or pushes zeros below the top `kept` words until `want` words stand where `have` stood.
  void Resize(std::uint64_t have, std::uint64_t want, std::uint32_t kept);
  /// Crashes. Control does not get past it.
  void Trap();
  /// `_ c -- _`, crashes unless c = 1.
  void Assert() { Op(triton::TirCode::kAssert, 1); }
  void Append(Code tail);

  bool empty() const { return ops_.empty(); }
  std::size_t size() const { return ops_.size(); }
  bool IsTrap() const { return is_trap_; }
  /// The element, when the piece is one push.
  std::optional<std::uint64_t> Constant() const;
  /// Takes back the last two operations, `push 0` and `eq`.
  void TakeBackZeroTest();
  /// Bodies inside bodies.
  std::size_t depth() const { return depth_; }
  std::vector<triton::TirOp> Take() &&;

 private:
  bool ends() const { return !ops_.empty() && ops_.back().code == triton::TirCode::kHalt; }

  std::list<triton::TirOp> ops_;
  std::size_t depth_ = 0;
  bool is_trap_ = false;
};

/// What is known of the word on top that decides a branch.
struct Condition {
  std::optional<std::uint32_t> constant = {};  // its value; then it is not on the stack yet
  bool is_bool = false;                        // 0 or 1
  bool is_zero_test = false;  // the code before it ends with `push 0; eq` on another word ..
  bool of_bool = false;       // .. which is 0 or 1
};

/// The functions of a module being written. Bodies that nest too deeply become functions.
class Functions {
 public:
  /// A name that no other function has: `stem` and a number.
  std::string Fresh(std::string_view stem);
  void Define(std::string name, Code code, std::string_view comment = {});
  /// Adds operations of whole functions as they are.
  void Add(std::vector<triton::TirOp> ops);
  /// A loop's definition, to stand before its call.
  Code Loop(const std::string& name, Code body);
  /// `code`, a branch on the word it leaves on top, and the arms, which have the same net effect.
  Code Branch(Code code, const Condition& condition, Code yes, Code no);
  std::vector<triton::TirOp> Take() { return std::move(ops_); }

 private:
  std::vector<triton::TirOp> Body(Code code);
  Code IfOnly(Code code, Code arm);
  Code IfElse(Code code, Code yes, Code no);
  std::optional<Code> BranchOnConstants(Code& code, const Condition& condition, const Code& yes,
                                        const Code& no);

  std::vector<triton::TirOp> ops_;
  std::size_t fresh_ = 0;
};

}  // namespace txvm::frontends::provable
