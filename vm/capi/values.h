// Typed values of the C interface beside the words of the machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/program.h"
#include "isa/value_type.h"
#include "vm/txvm.h"

namespace txvm::vm::capi {

/// The letters of an export's or import's types, "lf:d"; words are 'i'.
template <typename Function>
std::string SignatureLetters(const Function& function) {
  std::string letters;
  for (const isa::ValueType type : isa::KnownTypes(function.param_types, function.params)) {
    letters += isa::TypeLetter(type);
  }
  letters += ':';
  for (const isa::ValueType type : isa::KnownTypes(function.result_types, function.results)) {
    letters += isa::TypeLetter(type);
  }
  return letters;
}

/// Signatures of a program, as txvm_export_signature and its like hand them out.
struct Signatures {
  std::vector<std::string> exports, imports;
  std::vector<std::string> tags;  // of their values
};
Signatures SignaturesOf(const isa::Program& program);

/// A value of the machine as one of the interface, and back.
txvm_value ToC(const isa::Value& value);
/// REQUIRES: value.type is a type.
isa::Value FromC(const txvm_value& value);
/// Whether the number of a value's type is that of a type.
bool HasType(const txvm_value& value);

}  // namespace txvm::vm::capi
