// Arguments and results of a call as typed values: how the command line reads and shows them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "isa/program.h"
#include "isa/support/json_writer.h"
#include "isa/support/result.h"
#include "isa/value_type.h"
#include "vm/machine.h"

namespace txvm::frontends::cli {

/// The words that `texts` are as arguments of `function`, each of its parameter's type. Of a
/// function without types, and of the entry of a program without exports (nullptr), each is a word,
/// and nothing counts them here. Errors: kUsage for a text that is no value of its type and for
/// another number of them than a typed function takes; both show its signature.
isa::Result<std::vector<isa::Word>> ParseArguments(const isa::Export* function,
                                                   const std::vector<std::string>& texts);

/// The types of what a run leaves on the operand stack that was entered at `entry` (nullptr: the
/// program has no exports); empty where they are not known.
std::vector<isa::ValueType> ResultTypesOf(const isa::Export* entry);
/// The same for the invocation that is under way: of the first export with the stub that it began
/// with.
std::vector<isa::ValueType> ResultTypesOf(const vm::Machine& machine);

/// The values of `words`: i32 where `types` are not of as many words.
std::vector<isa::Value> ResultValues(std::span<const isa::ValueType> types,
                                     std::span<const isa::Word> words);

/// "3 0.1 nan": values side by side.
std::string ValuesText(std::span<const isa::Value> values);

/// A number where a reader that has doubles alone gets all of it: an i32, an i64 within 2^53, a
/// finite float (an f32 as the double that it is). Else the string that ValueText makes of it.
void WriteValue(const isa::Value& value, isa::JsonWriter& json);
/// A list of WriteValue's.
void WriteValues(std::span<const isa::Value> values, isa::JsonWriter& json);
/// A list of names: ["i64", "f32"].
void WriteTypes(std::span<const isa::Value> values, isa::JsonWriter& json);

}  // namespace txvm::frontends::cli
