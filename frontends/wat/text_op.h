// The instructions of the text format: their names, codes and what follows each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace txvm::frontends::wat {

/// What follows the name of an instruction.
enum class Form : std::uint8_t {
  kPlain,        // nothing
  kBlock,        // label, block type; closed by `end`
  kIf,           // the same
  kTry,          // the same, with catch, catch_all or delegate
  kTryTable,     // label, block type, catch clauses
  kElse,         // label
  kEnd,          // label
  kCatch,        // tag
  kCatchAll,     //
  kDelegate,     // label
  kLabel,        // label
  kLabels,       // labels, the default last
  kFunction,     // function
  kIndirect,     // table, type use
  kLocal,        // local
  kGlobal,       // global
  kTag,          // tag
  kTable,        // table or nothing
  kTwoTables,    // two tables or nothing
  kTableInit,    // table or nothing, element segment
  kElement,      // element segment
  kData,         // data segment
  kMemory,       // memory or nothing
  kTwoMemories,  // two memories or nothing
  kMemoryInit,   // memory or nothing, data segment
  kAccess,       // memory or nothing, offset=, align=
  kAccessLane,   // the same, lane
  kLane,         // lane
  kShuffle,      // 16 lanes
  kSelect,       // results
  kHeapType,     // heap type
  kReference,    // reference type, which is a part of the code
  kCast,         // label, two reference types
  kType,         // type
  kField,        // type, field
  kTypeCount,    // type, number
  kTypeData,     // type, data segment
  kTypeElement,  // type, element segment
  kTwoTypes,     // two types
  kFence,        // nothing; a zero byte in the binary
  kI32,          // a number
  kI64,          //
  kF32,          //
  kF64,          //
  kV128,         // a shape and its numbers
};

/// An instruction.
struct TextOp {
  std::string_view name;
  std::uint8_t prefix = 0;  // 0: the code is one byte
  std::uint16_t code = 0;
  Form form = Form::kPlain;
  std::uint8_t log_size = 0;  // of a memory access: its natural alignment
};

/// The instruction of a name; null when there is none. Cost O(name).
const TextOp* FindTextOp(std::string_view name);

/// What a name of texts written before 2019 is called now: local.get for get_local,
/// i32.trunc_f32_s for i32.trunc_s/f32, funcref for anyfunc; empty for any other.
std::string NewNameOf(std::string_view old);

/// All names, for suggestions.
const std::vector<std::string_view>& TextOpNames();

}  // namespace txvm::frontends::wat
