// A program: flat code over the opcodes, its functions, and what it needs from its surroundings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/opcode.h"
#include "isa/support/result.h"
#include "isa/value_type.h"

namespace txvm::isa {

class Growth;  // isa/growth.h

/// One instruction {op:8, aux:24, arg:32}. The packing `head = op | aux << 8` is what the trace
/// digest hashes.
struct Instruction {
  std::uint32_t head = 0;
  std::uint32_t arg = 0;

  constexpr Instruction() = default;
  constexpr explicit Instruction(Opcode op, std::uint32_t arg_value = 0,
                                 std::uint32_t aux_value = 0)
      : head(static_cast<std::uint32_t>(op) | aux_value << 8), arg(arg_value) {}

  constexpr std::uint8_t code() const { return static_cast<std::uint8_t>(head & 0xFF); }
  constexpr Opcode op() const { return static_cast<Opcode>(code()); }
  constexpr std::uint32_t aux() const { return head >> 8; }
  friend constexpr bool operator==(const Instruction&, const Instruction&) = default;
};
static_assert(sizeof(Instruction) == 8);

/// A function: instructions first..last inclusive. Ranges are disjoint, in order, and cover the
/// code. An export stub is a function too: params as its export, results as its export, locals 0.
struct Function {
  std::uint32_t first = 0, last = 0;
  std::uint32_t params = 0, results = 0;
  std::uint32_t locals = 0;  // slots of a frame, params included
  std::string name;          // may be empty
  // Of the frame's first slots, params first; empty: not known. Their words are at most `locals`.
  std::vector<ValueType> local_types = {};
  friend bool operator==(const Function&, const Function&) = default;
};

/// The types of a function that front ends know before it is a Function; empty lists: not known.
struct FunctionTypes {
  std::vector<ValueType> params, results;
  std::vector<ValueType> locals;  // params first
  friend bool operator==(const FunctionTypes&, const FunctionTypes&) = default;
};

/// Memory in pages of 65,536 bytes.
struct MemorySpec {
  std::uint32_t initial = 0;
  std::uint32_t maximum = 0;  // initial <= maximum <= 65,536
  friend bool operator==(const MemorySpec&, const MemorySpec&) = default;
};

/// Bytes copied into memory at load, in order.
struct DataSegment {
  std::uint32_t offset = 0;
  std::vector<std::uint8_t> bytes;
  friend bool operator==(const DataSegment&, const DataSegment&) = default;
};

/// A host function the program calls by its index in Program::imports.
struct Import {
  std::string module, name;
  std::uint32_t params = 0, results = 0;  // in words
  // Both empty: not known, all are words. Else their words are `params` and `results`.
  std::vector<ValueType> param_types = {}, result_types = {};
  friend bool operator==(const Import&, const Import&) = default;
};

/// A callable entry: `start` is the index of its stub's first instruction.
struct Export {
  std::string name;
  std::uint32_t start = 0;
  std::uint32_t params = 0, results = 0;  // in words
  // Both empty: not known, all are words. Else their words are `params` and `results`.
  std::vector<ValueType> param_types = {}, result_types = {};
  friend bool operator==(const Export&, const Export&) = default;
};

/// From instruction `ip` on, up to the next mark, code comes from this line of Program::source.
struct LineMark {
  std::uint32_t ip = 0;
  std::uint32_t line = 0;  // from 1; 0 = generated code
  friend bool operator==(const LineMark&, const LineMark&) = default;
};

/// What a trap at `ip` is to say beyond its cause, such as the instruction that is not supported.
struct TrapNote {
  std::uint32_t ip = 0;
  std::string text;
  friend bool operator==(const TrapNote&, const TrapNote&) = default;
};

/// A kind of exception, and the globals with the words of its values while one is under way.
struct ExceptionTag {
  std::string name;
  std::vector<ValueType> types;
  std::uint32_t global = 0;  // the first; not one of the program's where there are no values
  friend bool operator==(const ExceptionTag&, const ExceptionTag&) = default;
};

/// Where a program that throws keeps its exceptions. Two globals hold the number of a tag plus 1,
/// or 0: of the exception that looks for its handler, and of the last that found none.
struct ExceptionSpec {
  std::uint32_t pending = 0, uncaught = 0;
  bool imports_throw = false;  // the program looks for exceptions after calls of host functions
  std::vector<ExceptionTag> tags;
  friend bool operator==(const ExceptionSpec&, const ExceptionSpec&) = default;
};

/// INVARIANT: none until Verify (verify.h) has accepted it; plain data that front ends build and
/// engines read.
struct Program {
  std::vector<Instruction> code;
  std::vector<Function> functions;     // in order of `first`
  std::vector<std::uint32_t> globals;  // initial values; global i is slot i of the locals space
  std::optional<MemorySpec> memory;
  std::vector<DataSegment> data;
  std::vector<Import> imports;
  std::vector<Export> exports;
  std::optional<std::uint32_t> init;  // stub run before the entry (wasm start)
  std::uint32_t entry = 0;            // stub, or instruction 0 of a program without functions
  std::string source;                 // name of the file it came from; may be empty
  std::vector<LineMark> lines;        // ascending ip
  std::vector<TrapNote> notes;        // ascending ip
  // What makes functions when they are first called; nullptr: all are there.
  std::shared_ptr<const Growth> growth = nullptr;
  std::vector<std::uint32_t> grown = {};  // what was asked of it, in order
  std::optional<ExceptionSpec> exceptions = {};
  friend bool operator==(const Program&, const Program&) = default;

  /// The function that contains instruction `ip`, or nullptr. O(log functions).
  const Function* FunctionAt(std::uint32_t ip) const;
  /// The export of this name, or nullptr. O(exports).
  const Export* FindExport(std::string_view name) const;
  /// The source line of instruction `ip`, 0 when unknown. O(log lines).
  std::uint32_t LineAt(std::uint32_t ip) const;
  /// The note of the trap site `ip`, empty when there is none. O(log notes).
  std::string_view NoteAt(std::uint32_t ip) const;
};

/// Whether the types of an export's or import's values are stated. One without params and results
/// has none to state.
template <typename Signature>
bool IsTyped(const Signature& function) {
  return !function.param_types.empty() || !function.result_types.empty();
}

/// The largest `locals` of any function: what a CALL must have room for.
std::uint32_t LargestFrame(const Program& program);

}  // namespace txvm::isa
