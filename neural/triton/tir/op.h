// TIR in memory: one struct per operation, bodies nested, a module as a flat list of functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "neural/triton/tasm/op.h"

namespace txvm::triton {

/// An operation by its row in ops.def.
enum class TirCode : std::uint8_t {
#define TXVM_TIR(kind, code, name, ...) k##name = code,
#include "neural/triton/tir/ops.def"
};

/// The number of operations.
inline constexpr std::size_t kTirOps = 54;

/// Who runs an operation, and what it becomes; ops.def says what each kind promises.
enum class TirKind : std::uint8_t { kControl, kDefinition, kDirect, kComposed };

/// What follows a mnemonic in text form, and so which members of TirOp are in use.
enum class TirOperand : std::uint8_t {
  kNone,      // nothing
  kField,     // value: a field element
  kCount,     // value: 1..5
  kSlot,      // value: 0..15
  kAssert,    // value: 1 or 5
  kWidth,     // value: 1..15
  kLabel,     // name
  kEvent,     // name tag=value fields=count
  kText,      // name: the rest of the line
  kAsm,       // effect=count { lines }
  kArms,      // { body } else { other }
  kArm,       // { body }
  kLoop,      // name [bound=value] { body }
  kFunction,  // name { ... }
  kProof,     // name { body }
};

/// One row of ops.def. Its effect on the stack is OwnEffect in validate.h.
struct TirInfo {
  TirCode code;
  std::string_view name;  // "DivMod"
  std::string_view text;  // "div_mod"
  std::uint8_t tier;      // 0..3
  TirKind kind;
  TirOperand operand;
  RamAccess ram;               // kNone where the code that runs next decides
  std::optional<TasmOp> tasm;  // of kDirect: the instruction with the same operand
  std::string_view effect;     // for people
};

/// The row of `code`.
const TirInfo& Info(TirCode code);

/// The row with this mnemonic, or nullptr. FnEnd and Comment are punctuation and are not found.
const TirInfo* FindTir(std::string_view text);

/// A place in the source text, counted from 1.
struct TirPlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// One operation. Members that the operand kind does not use keep their defaults.
struct TirOp {
  TirCode code = TirCode::kComment;
  std::uint64_t value = 0;  // immediate, count, slot, width, tag, or declared loop bound (0 = none)
  std::int32_t count = 0;   // fields of an event; net stack effect of asm
  std::string name;         // label, function, event, comment or proof hash
  std::vector<std::string> lines;  // asm text, trimmed
  std::vector<TirOp> body;         // first arm, loop body or proof body
  std::vector<TirOp> other;        // second arm
  std::uint32_t line = 0;          // place in the source text, 0 when built
  std::uint32_t column = 0;
  std::vector<TirPlace> line_places;  // of asm: where each of `lines` starts; empty when built

  /// Same operation, wherever it was written.
  bool operator==(const TirOp& that) const {
    return code == that.code && value == that.value && count == that.count && name == that.name &&
           lines == that.lines && body == that.body && other == that.other;
  }
};

/// A module: Entry, Comment, and functions as FnStart .. FnEnd runs; or a fragment, a straight list
/// of operations with no function at all.
struct TirModule {
  std::string file;  // name for messages, may be empty
  std::vector<TirOp> ops;

  bool operator==(const TirModule& that) const { return ops == that.ops; }
};

}  // namespace txvm::triton
