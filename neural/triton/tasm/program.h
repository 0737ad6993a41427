// A Triton program: instructions with symbolic call targets, its words and its digest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/result.h"
#include "neural/triton/field/tip5.h"
#include "neural/triton/tasm/op.h"

namespace txvm::triton {

/// arg is 0 for kNone, a canonical element for kElement, 1..5 for kCount, 0..15 for kRegister, an
/// index into TasmProgram::labels for kLabel.
struct TasmInstruction {
  TasmOp op = TasmOp::kNop;
  std::uint64_t arg = 0;
  bool operator==(const TasmInstruction&) const = default;
};

/// A name for the instruction at `index`, 0..code.size(). Several labels may share an index.
struct TasmLabel {
  std::string name;
  std::size_t index = 0;
  bool operator==(const TasmLabel&) const = default;
};

/// The `error_id` written after the assertion at `index`, as its decimal text.
struct TasmErrorId {
  std::size_t index = 0;
  std::string id;
  bool operator==(const TasmErrorId&) const = default;
};

/// Plain data. Valid when CheckTasmProgram says so; the assembler only makes valid programs.
struct TasmProgram {
  TasmIsa isa = TasmIsa::kDot;
  std::vector<TasmInstruction> code;
  std::vector<TasmLabel>
      labels;  // unique names, in the order of their first appearance in the text
  std::vector<TasmErrorId> error_ids;
  std::vector<std::uint32_t> lines;  // source line of each instruction, or empty

  /// The label with this name.
  std::optional<std::size_t> FindLabel(std::string_view name) const;
  /// Whether it can halt: one that cannot is a fragment, or a library.
  bool HasHalt() const;
  /// Adds error_ids that are counted from instruction `start` of this program.
  void AddErrorIds(std::span<const TasmErrorId> ids, std::size_t start);
  bool operator==(const TasmProgram&) const = default;
};

/// Checks arguments, label indices and names, and that every instruction is in the isa. kInvalid.
isa::Result<void> CheckTasmProgram(const TasmProgram& program);

/// How many words the instructions take in a program.
std::size_t TasmWordCount(std::span<const TasmInstruction> code);

/// The word address of every instruction, and of the end: code.size() + 1 entries.
std::vector<std::uint64_t> TasmAddresses(const TasmProgram& program);

/// The program as Triton hashes it: per instruction the opcode, then the argument; a call's
/// argument is the word address of its target. REQUIRES a valid program.
std::vector<std::uint64_t> TasmWords(const TasmProgram& program);

/// The inverse of TasmWords; call targets get the labels "l<address>". kInvalid when a word is no
/// opcode of `isa`, an argument is out of range or missing, or a call's target is no instruction.
isa::Result<TasmProgram> TasmFromWords(const std::vector<std::uint64_t>& words, TasmIsa isa);

/// Tip5 over the words: what the initial stack holds in st11..st15.
Digest TasmDigest(const TasmProgram& program);

}  // namespace txvm::triton
