// A WebAssembly module as txvm sees it: validated, names resolved, structured control flow kept.
// Goals: free of any parser's types; one flat list per body that a back end walks without
// recursion; every instruction keeps its place.
// Instructions on i64, floats and vectors are kept until legalize.h turns their values into words.
// memory.copy and memory.fill are calls of functions that the reader appends (bulk_helpers.wat).
// References, tables that change and passive segments are kept until references.h.
// An instruction that txvm lacks is kept as kUnsupported with its name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/opcode.h"
#include "isa/support/result.h"

namespace txvm::frontends::wat {

/// A type of values. From kFirstTyped on lie the references that funcref, externref and exnref are
/// not: reference_types.h makes them and takes them apart.
enum class ValueType : std::uint32_t {
  kI32,
  kI64,
  kF32,
  kF64,
  kV128,
  kFuncRef,
  kExternRef,
  kExnRef,
  kOther
};

inline constexpr ValueType kFirstTyped{0x100};

inline constexpr std::uint32_t kMaxValues = 1'000;  // parameters or results of one signature

/// "i32", "i64", ..., "(ref null type)".
std::string_view ValueTypeText(ValueType type);

struct Signature {
  std::vector<ValueType> params, results;
  friend bool operator==(const Signature&, const Signature&) = default;
};

/// Whether every parameter and result is an i32.
bool IsI32Only(const Signature& signature);

/// Whether values of this type are numbers that words hold: i32, i64, f32, f64 and v128.
bool IsNumber(ValueType type);

/// Whether every parameter and result is a number.
bool IsNumbersOnly(const Signature& signature);

/// Whether values of this type are references.
bool IsReference(ValueType type);

/// Whether a value of this type takes two words: an i64 or an f64.
bool IsWide(ValueType type);

/// How many words the machine needs for a value: four for a v128, two for a wide one, one for any
/// other.
std::uint32_t WordsIn(ValueType type);

/// How many words the machine needs for values of these types.
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
  kMemorySize,    // a = memory
  kMemoryGrow,    // a = memory
  kUnreachable,   //
  kUnsupported,   // a = index into Module::unsupported
  kMissing,       // the same, to trap when it is reached; ends the code of its block
  kWideConst,     // i64.const; a = low word, b = high word
  kWide,          // b = WideOp (wide.h); a = offset of a load or store
  kF32Const,      // a = the bits
  kF64Const,      // a = low word of the bits, b = high word
  kFloat,         // b = FloatOp (float.h); a = offset of a load or store
  kV128Const,     // v128.const; a, b = the two low words; kV128Upper follows
  kShuffle,       // i8x16.shuffle; a, b = its lanes 0..7, a byte each; kV128Upper follows
  kV128Upper,     // a, b = the other two words of the instruction before it
  kVector,        // b = wasm::Op plus a lane << kLaneShift; a = offset of a load or store
  kRoutine,       // a = assembler::RoutineId; legalize.h makes these
  // References, tables and segments; references.h turns them into words.
  kRefNull,             //
  kRefFunc,             // a = function index
  kRefIsNull,           //
  kTableGet,            // a = table
  kTableSet,            // a = table
  kTableSize,           // a = table
  kTableGrow,           // a = table
  kTableFill,           // a = table
  kTableCopy,           // a = table written, b = table read
  kTableInit,           // a = table, b = element segment
  kElemDrop,            // a = element segment
  kMemoryInit,          // a = data segment, b = memory
  kDataDrop,            // a = data segment
  kReturnCall,          // a = function index, imports first
  kReturnCallIndirect,  // a = index into Module::signatures, b = table
  kFindIndirect,        // a, b as kCallIndirect; leaves Function::tail_case, or 0, for a call
  kAtomic,              // b = code beyond 0xFE, a = offset; atomics.h turns it into words
  // References that are known not to be null; references.h turns them into words.
  kAsNonNull,      //
  kBrOnNull,       // a = label
  kBrOnNonNull,    // a = label
  kCallRef,        // a = index into Module::signatures
  kReturnCallRef,  // the same
  // Several memories and 64-bit addresses; addresses.h turns them into the one memory's.
  kMemory,      // the load or store that follows: a = its memory, b = high word of its offset
  kMemoryFill,  // a = memory
  kMemoryCopy,  // a = memory written, b = memory read
  // Exceptions; exceptions.h turns them into branches.
  kTry,        // a = index into Module::signatures
  kTryTable,   // a as kTry, b = index into Function::catches
  kCatch,      // a = tag; ends the body of the innermost kTry, or its catch before
  kCatchAll,   //
  kDelegate,   // a = label outside of the innermost kTry, which it ends
  kThrow,      // a = tag
  kThrowRef,   //
  kRethrow,    // a = label of the catch
  kExnNull,    // a null reference to an exception
  kExnIsNull,  //
  kRegroup,    // the words of b values become values of others, by Module::regroups[a]
  kTrap,       // a = isa::Trap, b = 0 or the number in Module::trap_notes, from 1; these
               // passes make it
};

inline constexpr int kLaneShift = 16;  // of the lane in Instr::b of kVector

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

/// A clause of a try_table, and the label that it branches to, counted outside of it.
struct CatchClause {
  std::optional<std::uint32_t> tag;  // none: catches all
  bool has_reference = false;        // the branch passes a reference to the exception, too
  std::uint32_t label = 0;
};

/// A function: imported, or with a body that ends with the kEnd of the function itself.
struct Function {
  std::string name;  // without '$'; may be empty
  std::uint32_t signature = 0;
  std::optional<ImportName> import;
  std::vector<ValueType> locals;  // without the parameters
  // `locals` as the module wrote them, where they are words by now; else empty.
  std::vector<ValueType> source_locals;
  std::vector<Instr> body;
  std::vector<std::uint32_t> labels;                   // of all kBrTable
  std::vector<std::vector<CatchClause>> catches = {};  // of each kTryTable
  std::uint32_t place = 0;
  // Which case of the functions merged with it by tail_calls.h this function is; 0: of none.
  std::uint32_t tail_case = 0;
  // Its index in the module as it was read, plus one; 0: a pass made it.
  std::uint32_t id = 0;
  // Lowered when it is first called (on_demand.h). Without a body: not yet, it is a stub.
  bool on_demand = false;

  bool IsStub() const { return on_demand && body.empty(); }
};

/// Who calls what in bodies that a module does not hold.
struct CallEdge {
  bool is_indirect = false;
  std::uint32_t callee = 0;  // a function, or for an indirect call a signature
  std::uint32_t caller = 0;
  friend auto operator<=>(const CallEdge&, const CallEdge&) = default;
};

/// What the passes over whole modules ask of bodies that are read on demand.
struct BodyFacts {
  std::vector<Instr> instrs;    // one of each on references, tables and segments, by operands
  std::vector<CallEdge> calls;  // each once, where a pass wants to know
};

/// An operation of a constant expression in postfix order.
struct ConstantStep {
  enum class Kind : std::uint8_t { kPush, kGlobal, kAdd, kSub, kMul };
  Kind kind = Kind::kPush;
  std::uint64_t value = 0;  // the constant, or a global's index
};

/// A constant expression of an initialiser or an offset.
struct ConstantExpr {
  enum class Kind : std::uint8_t {
    kWord,    // an i32, or the bits of an f32
    kPair,    // an i64, or the bits of an f64
    kVector,  // a v128
    kGlobal,
    kFunction,  // a reference to a function
    kNull,      // a null reference
    kComputed,  // `steps`: arithmetic with globals, of i64 if `is_wide`, else of i32
    kUnsupported
  };
  Kind kind = Kind::kUnsupported;
  std::uint32_t value = 0;  // the constant (of a pair its low word), or an index
  std::uint32_t high = 0;   // high word of a pair, second word of a v128
  std::vector<ConstantStep> steps = {};
  bool is_wide = false;
  std::array<std::uint32_t, 2> upper = {};  // third and fourth word of a v128
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
  bool is_shared = false;  // a memory that threads could share
  bool is_64 = false;      // addresses and indices are i64
};

struct Table {
  ValueType type = ValueType::kFuncRef;
  Extent extent;
  std::optional<ImportName> import;
  // Another module or a host may see it change: it is never lowered to fixed code.
  bool is_shared = false;
  // The global with its current size, where references.h made its elements globals.
  std::optional<std::uint32_t> size_global = {};
  // What its elements are at first, as in an element segment.
  std::uint32_t initial_element = 0xFFFFFFFF;
};

struct Memory {
  Extent extent;
  std::optional<ImportName> import;
};

/// One of several memories: a range of the one that the machine has.
struct MemoryRange {
  std::string name;               // the first it is exported by; may be empty
  std::uint32_t base = 0;         // address of its first byte
  std::uint32_t room = 0;         // pages that it can have
  std::uint32_t size_global = 0;  // holds its size in bytes
};

inline constexpr std::uint32_t kNullFunction = 0xFFFFFFFF;     // ref.null in an element segment
inline constexpr std::uint32_t kUnknownFunction = 0xFFFFFFFE;  // an element expression we lack
inline constexpr std::uint32_t kUncalledFunction =
    0xFFFFFFFD;  // one that no call reaches: left out

inline constexpr std::uint32_t kGlobalElement = 0x80000000;  // plus the index of a global
static_assert(kUncalledFunction > kGlobalElement);

/// The index of the global whose value an element is; nullopt when it is no global's.
constexpr std::optional<std::uint32_t> GlobalOfElement(std::uint32_t element) {
  if (element < kGlobalElement || element >= kUncalledFunction) return std::nullopt;
  return element - kGlobalElement;
}

/// What an exception is of: its values have the types of the parameters.
struct Tag {
  std::uint32_t signature = 0;
  std::optional<ImportName> import;
  std::string name = {};  // without '$'; may be empty
};

/// When a segment is written: by the instantiation, by table.init or memory.init, or never.
enum class SegmentMode : std::uint8_t { kActive, kPassive, kDeclared };

struct ElementSegment {
  std::uint32_t table = 0;               // active
  ConstantExpr offset;                   // active
  std::vector<std::uint32_t> functions;  // or kNullFunction, kUnknownFunction, kGlobalElement + i
  SegmentMode mode = SegmentMode::kActive;
};

struct DataSegment {
  ConstantExpr offset;  // active
  std::vector<std::uint8_t> bytes;
  SegmentMode mode = SegmentMode::kActive;
  std::uint32_t memory = 0;  // active
};

enum class ExportKind : std::uint8_t { kFunction, kTable, kMemory, kGlobal, kTag };

struct Export {
  std::string name;
  ExportKind kind = ExportKind::kFunction;
  std::uint32_t index = 0;
};

/// Where a signature stands in the group of types that it was declared in.
struct SignatureGroup {
  std::uint32_t first = 0;  // index of the first of them
  std::uint32_t count = 0;
  bool is_open = false;  // others may be declared as its subtypes
};

/// Where exceptions are kept, once they are lowered (exceptions.h).
struct ExceptionCells {
  // Globals with the number of a tag plus 1, or 0: of the exception that looks for its handler, and
  // of the one that came out of the last call from outside.
  std::uint32_t pending = 0, uncaught = 0;
  std::vector<std::uint32_t> values;   // (tags,) the global of the first value, others follow
  std::vector<std::string> tag_names;  // (tags,)
  std::vector<Signature> tag_types;    // (tags,) as the module wrote them
  bool imports_throw = false;          // a host function's exception may be caught
};

/// INVARIANT: WebAssembly validation has accepted it; every index is in range.
struct Module {
  std::string file;
  std::string bytes_of;  // what byte offsets in trap notes are called offsets of; empty: file
  bool is_text = true;   // places are lines, else byte offsets
  std::vector<Signature> signatures;
  // The first of them as the module wrote them, where they are words by now; else empty.
  std::vector<Signature> source_signatures;
  // Of signatures that are declared as subtypes: index -> index of what they are a subtype of.
  std::map<std::uint32_t, std::uint32_t> supertypes;
  // Of signatures that are not by themselves in a group, or have or may have subtypes.
  std::map<std::uint32_t, SignatureGroup> groups;
  std::vector<Function> functions;  // imports first
  std::vector<Global> globals;      // imports first
  std::vector<Table> tables;
  std::vector<Memory> memories;
  std::vector<MemoryRange> memory_ranges;  // where addresses.h made one memory of several
  std::vector<Tag> tags;                   // imports first
  std::optional<ExceptionCells> exceptions = {};
  std::vector<ElementSegment> elements;
  std::vector<DataSegment> data;
  std::vector<Export> exports;
  std::optional<std::uint32_t> start;            // function index
  std::vector<std::string> unsupported;          // names of instructions we lack
  std::vector<std::string> trap_notes;           // what passes say of their traps
  std::vector<std::vector<ValueType>> regroups;  // of each kRegroup, the types it makes
  // Of a module whose bodies are read on demand; else null.
  std::shared_ptr<const BodyFacts> facts;

  const Signature& SignatureOf(const Function& function) const {
    return signatures[function.signature];
  }
  /// Parameters come first. REQUIRES: index in range.
  ValueType TypeOfLocal(const Function& function, std::uint32_t index) const;
  const Export* FindExport(std::string_view name) const;
};

/// Computes the constant expressions of a module: afterwards none is kComputed or kGlobal, but
/// those that read an imported global stay. Cost O(expressions).
void ComputeConstants(Module& module);

/// Checks that the module imports nothing but functions. Errors: kUnsupported names the first
/// memory, table or global that it does import.
isa::Result<void> CheckOwned(const Module& module);

}  // namespace txvm::frontends::wat
