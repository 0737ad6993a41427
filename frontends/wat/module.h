// A WebAssembly module as txvm sees it: validated, names resolved, structured control flow kept.
// Goals: free of any parser's types; one flat list per body that a back end walks without
// recursion; every instruction keeps its place.
// Instructions on i64 and floats are kept until legalize.h turns their values into words.
// memory.copy and memory.fill are calls of functions that the reader appends (bulk_helpers.wat).
// Non-goals: vectors. Their instructions are kept as kUnsupported with their name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/opcode.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

enum class ValueType : std::uint8_t { kI32, kI64, kF32, kF64, kV128, kFuncRef, kExternRef, kOther };

/// "i32", "i64", ...
std::string_view ValueTypeText(ValueType type);

struct Signature {
  std::vector<ValueType> params, results;
  friend bool operator==(const Signature&, const Signature&) = default;
};

/// Whether every parameter and result is an i32.
bool IsI32Only(const Signature& signature);

/// Whether values of this type are numbers that words hold: i32, i64, f32 and f64.
bool IsNumber(ValueType type);

/// Whether every parameter and result is a number.
bool IsNumbersOnly(const Signature& signature);

/// Whether a value of this type takes two words: an i64 or an f64.
bool IsWide(ValueType type);

/// How many words the machine needs for values of these types: two for a wide one, one for any
/// other.
std::uint32_t CountWords(const std::vector<ValueType>& types);

enum class InstrKind : std::uint8_t {
  kOp,            // op: an opcode of the machine with the same meaning (arithmetic, POP, SELECT)
  kAccess,        // op: a load or store; a = offset
  kConst,         // a = value
  kExtend,        // sign extension of the low 32 - a bits
  kLocal,         // op: LOCAL.GET, SET or TEE; a = index, parameters first
  kGlobalGet,     // a = index
  kGlobalSet,     // a = index
  kBlock,         // a = index into Module::signatures
  kLoop,          // a = index into Module::signatures
  kIf,            // a = index into Module::signatures
  kElse,          // of the innermost kIf; missing when the source has none
  kEnd,           // of the innermost construct, or of the body
  kBr,            // a = label, 0 = innermost
  kBrIf,          // a = label
  kBrTable,       // a = first of b labels in Function::labels, the default last
  kReturn,        //
  kCall,          // a = function index, imports first
  kCallIndirect,  // a = index into Module::signatures, b = table
  kMemorySize,    //
  kMemoryGrow,    //
  kUnreachable,   //
  kUnsupported,   // a = index into Module::unsupported
  kMissing,       // the same, to trap when it is reached; ends the code of its block
  kWideConst,     // i64.const; a = low word, b = high word
  kWide,          // b = WideOp (wide.h); a = offset of a load or store
  kF32Const,      // a = the bits
  kF64Const,      // a = low word of the bits, b = high word
  kFloat,         // b = FloatOp (float.h); a = offset of a load or store
  kRoutine,       // a = assembler::RoutineId; legalize.h makes these
};

/// One instruction. `place` is its line (text) or the offset of its first byte (binary).
struct Instr {
  InstrKind kind = InstrKind::kUnreachable;
  isa::Opcode op = isa::Opcode::kNop;
  std::uint32_t a = 0, b = 0;
  std::uint32_t place = 0;
};

/// The names under which something is imported.
struct ImportName {
  std::string module, name;
};

inline constexpr std::size_t kShownNameBytes = 60;  // names may have megabytes

/// `"module" "name"` for a message. What is longer than kShownNameBytes is cut between two
/// characters of UTF-8 and ends in "...".
std::string ShownName(const ImportName& name);

/// One name for a message, cut in the same way.
std::string ShownText(std::string_view name);

/// A function: imported, or with a body that ends with the kEnd of the function itself.
struct Function {
  std::string name;  // without '$'; may be empty
  std::uint32_t signature = 0;
  std::optional<ImportName> import;
  std::vector<ValueType> locals;  // without the parameters
  // `locals` as the module wrote them, where they are words by now; else empty.
  std::vector<ValueType> source_locals;
  std::vector<Instr> body;
  std::vector<std::uint32_t> labels;  // of all kBrTable
  std::uint32_t place = 0;
};

/// A constant expression of an initialiser or an offset.
struct ConstantExpr {
  enum class Kind : std::uint8_t {
    kWord,  // an i32, or the bits of an f32
    kPair,  // an i64, or the bits of an f64
    kGlobal,
    kUnsupported
  };
  Kind kind = Kind::kUnsupported;
  std::uint32_t value = 0;  // the constant (of a pair its low word), or a global's index
  std::uint32_t high = 0;   // high word of a pair
};

struct Global {
  ValueType type = ValueType::kI32;
  bool is_mutable = false;
  std::optional<ImportName> import;
  ConstantExpr init;
};

/// Sizes of a table (elements) or a memory (pages).
struct Extent {
  std::uint64_t initial = 0;
  std::optional<std::uint64_t> maximum;
};

struct Table {
  ValueType type = ValueType::kFuncRef;
  Extent extent;
  std::optional<ImportName> import;
};

struct Memory {
  Extent extent;
  std::optional<ImportName> import;
};

inline constexpr std::uint32_t kNullFunction = 0xFFFFFFFF;     // ref.null in an element segment
inline constexpr std::uint32_t kUnknownFunction = 0xFFFFFFFE;  // an element expression we lack

/// An active element segment.
struct ElementSegment {
  std::uint32_t table = 0;
  ConstantExpr offset;
  std::vector<std::uint32_t> functions;  // or kNullFunction, kUnknownFunction
};

/// An active data segment.
struct DataSegment {
  ConstantExpr offset;
  std::vector<std::uint8_t> bytes;
};

enum class ExportKind : std::uint8_t { kFunction, kTable, kMemory, kGlobal, kOther };

struct Export {
  std::string name;
  ExportKind kind = ExportKind::kFunction;
  std::uint32_t index = 0;
};

/// INVARIANT: WebAssembly validation has accepted it; every index is in range.
struct Module {
  std::string file;
  std::string bytes_of;  // what byte offsets in trap notes are called offsets of; empty: file
  bool is_text = true;   // places are lines, else byte offsets
  std::vector<Signature> signatures;
  // The first of them as the module wrote them, where they are words by now; else empty.
  std::vector<Signature> source_signatures;
  std::vector<Function> functions;  // imports first
  std::vector<Global> globals;      // imports first
  std::vector<Table> tables;
  std::vector<Memory> memories;
  std::vector<ElementSegment> elements;  // active ones, in order
  std::vector<DataSegment> data;         // active ones, in order
  std::vector<Export> exports;
  std::optional<std::uint32_t> start;    // function index
  std::vector<std::string> unsupported;  // names of instructions we lack

  const Signature& SignatureOf(const Function& function) const {
    return signatures[function.signature];
  }
  /// Parameters come first. REQUIRES: index in range.
  ValueType TypeOfLocal(const Function& function, std::uint32_t index) const;
  const Export* FindExport(std::string_view name) const;
};

/// Checks that the module imports nothing but functions. Errors: kUnsupported names the first
/// memory, table or global that it does import.
isa::Result<void> CheckOwned(const Module& module);

}  // namespace txvm::frontends::wat
