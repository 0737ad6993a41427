// Inside of exceptions.cc: the cells of a module's exceptions, and references to them as values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/wasm/code_writer.h"
#include "frontends/wasm/module.h"

namespace txvm::frontends::wat {

/// What lowered code does with exceptions. Functions are appended to the module when first needed.
class ExceptionValues {
 public:
  /// Adds the cells to `module` and makes its exnrefs numbers. `module` must outlive it.
  explicit ExceptionValues(Module& module);

  /// `zero` instead of a null reference to an exception.
  void AppendNull(std::uint32_t place, std::vector<Instr>& body) const;
  /// A reference to a word, whether it is null.
  void AppendIsNull(std::uint32_t place, std::vector<Instr>& body);
  /// Puts the values on the stack into the tag's cells, or back onto it.
  void AppendStore(std::uint32_t tag, std::uint32_t place, std::vector<Instr>& body) const;
  void AppendLoad(std::uint32_t tag, std::uint32_t place, std::vector<Instr>& body) const;
  /// Sets the cell `pending` to a tag, or to nothing.
  void AppendPending(std::optional<std::uint32_t> tag, std::uint32_t place,
                     std::vector<Instr>& body) const;
  /// Pushes a reference to the exception in the cells: of the tag, or whichever `pending` says.
  void AppendCapture(std::optional<std::uint32_t> tag, std::uint32_t place,
                     std::vector<Instr>& body);
  /// Pops a reference, traps if it is null, else makes its exception pending.
  void AppendRelease(std::uint32_t place, std::vector<Instr>& body);

  const std::vector<ValueType>& TypesOf(std::uint32_t tag) const {
    return module_.signatures[module_.tags[tag].signature].params;
  }
  const ExceptionCells& cells() const { return *module_.exceptions; }
  /// The index of a signature, added when it is new.
  std::uint32_t SignatureOf(Signature signature);

 private:
  std::uint32_t NewGlobal(ValueType type);
  void ChooseReference();
  void ConvertTypes();
  void AddSlots();
  std::uint32_t Regroup(std::vector<ValueType> types);
  void Capture(std::uint32_t tag, CodeWriter& code);
  std::uint32_t CaptureFunction();
  std::uint32_t ReleaseFunction();
  std::uint32_t SlotFunction(bool is_set);
  std::uint32_t Append(CodeWriter code, const char* name, Signature signature);

  Module& module_;
  std::map<std::pair<std::vector<ValueType>, std::vector<ValueType>>, std::uint32_t> signatures_;
  std::map<std::vector<ValueType>, std::uint32_t> regroups_;
  std::uint32_t words_ = 0;  // of the largest values of a tag
  bool has_slots_ = false;
  ValueType reference_ = ValueType::kI32;  // what exnref becomes
  std::uint32_t next_slot_ = 0;            // global: slots taken
  std::uint32_t first_slot_ = 0;           // global of the first slot
  std::uint32_t slots_ = 0;
  std::optional<std::uint32_t> capture_, release_, set_slot_, get_slot_;  // functions
};

}  // namespace txvm::frontends::wat
