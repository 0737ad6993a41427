// Inside of reader.cc: the sections of a module, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "frontends/wasm/body.h"
#include "frontends/wasm/body_facts.h"
#include "frontends/wasm/cursor.h"
#include "frontends/wasm/declarations.h"
#include "frontends/wasm/helper_table.h"
#include "frontends/wasm/module.h"
#include "frontends/wasm/reader.h"
#include "frontends/wasm/signatures.h"

namespace txvm::frontends::wasm {

/// Reads one module. INVARIANT: every section up to rank_ has been read.
class ModuleReader {
 public:
  ModuleReader(std::span<const std::uint8_t> bytes, std::string_view file,
               const ReadOptions& options);

  isa::Result<wat::Module> Run() &&;
  /// Reads everything into module(), which has no bodies but those of the functions that the reader
  /// appends; facts() says what the others hold.
  isa::Result<void> RunWithoutBodies();
  /// What RunWithoutBodies read. Changes must leave types and numbers of functions, globals, tables
  /// and memories as they are.
  wat::Module& module() { return module_; }
  const wat::Module& module() const { return module_; }
  const wat::FactCollector& facts() const { return *facts_; }
  /// Reads the body of function `index` again: locals, instructions, labels. REQUIRES:
  /// RunWithoutBodies accepted the module, and HasBody(index).
  void ReadBody(std::uint32_t index, wat::Function& out);
  bool HasBody(std::uint32_t index) const {
    return index >= imported_functions_ && index - imported_functions_ < body_bytes_.size();
  }
  /// Of its body in the module. REQUIRES: as ReadBody.
  std::uint32_t BodyBytes(std::uint32_t index) const {
    return body_bytes_[index - imported_functions_];
  }
  std::expected<wat::Module, Fault> RunForFault() &&;

 private:
  void Header();
  void Sections();
  void Section(std::uint8_t id, Cursor& section, std::size_t at);
  void Custom(Cursor& section);
  void Finish();

  // module_declarations.cc
  void Types(Cursor& section);
  void Imports(Cursor& section);
  void Import(Cursor& section);
  void Functions(Cursor& section);
  void Tables(Cursor& section);
  void Memories(Cursor& section);
  void Tags(Cursor& section);
  void Globals(Cursor& section);
  void Exports(Cursor& section);
  void Start(Cursor& section);
  void TypeGroup(Cursor& section, std::uint32_t count);
  /// A type of a group, as it is declared.
  struct DeclaredType {
    wat::Signature signature;
    std::optional<std::uint32_t> super;  // type index
    bool is_open = false;
  };
  DeclaredType Type(Cursor& section);
  wat::Signature FunctionForm(Cursor& section);
  void CloseGroup(Cursor& section, std::vector<DeclaredType> group, std::size_t at);
  std::vector<ValueType> TypeList(Cursor& section, std::string_view what);
  std::uint32_t FunctionType(Cursor& section);
  wat::Tag TagType(Cursor& section);
  wat::Table TableType(Cursor& section);
  wat::Memory MemoryType(Cursor& section);
  wat::Global GlobalType(Cursor& section);
  wat::Extent Limits(Cursor& section, bool is_memory);
  void TableInitialiser(Cursor& section, wat::Table& table);

  // module_segments.cc
  void Elements(Cursor& section);
  void Element(Cursor& section);
  void ElementItems(Cursor& section, ValueType type, bool has_expressions,
                    std::vector<std::uint32_t>& items);
  void DataCount(Cursor& section);
  void Data(Cursor& section);
  void DataSegment(Cursor& section);
  void Code(Cursor& section);

  /// The number of entries of a section. Fault: kLimit beyond max_entries.
  std::uint32_t Entries(Cursor& section, std::string_view what, std::size_t entry_bytes,
                        std::size_t already = 0);
  std::uint32_t IndexOfHelper(std::string_view name);
  std::uint64_t MaxTypeValues() const;
  void NameFunctions();
  isa::Error ErrorOf(const Fault& fault) const;
  std::optional<std::string> NameForMessage(std::uint32_t function) const;

  std::span<const std::uint8_t> bytes_;
  ReadOptions options_;
  std::optional<Fault> fault_;
  Cursor cursor_;
  wat::Module module_;
  Declarations declarations_;
  SignatureTable signatures_{module_.signatures};
  // Of groups of types that are no single final type by itself: the first signature of each.
  std::map<std::vector<std::uint32_t>, std::uint32_t> groups_;
  std::optional<wat::HelperTable> helpers_;  // of bulk_helpers.wat, once one is used
  int rank_ = 0;                             // of the last section that is not custom
  std::uint32_t imported_functions_ = 0;
  std::uint32_t bodies_ = 0;                  // read so far
  std::uint32_t data_count_ = 0;              // segments read
  std::optional<std::uint32_t> in_function_;  // whose body is being read
  std::size_t section_end_ = 0;               // of the current section
  std::vector<std::span<const std::uint8_t>> name_sections_;
  bool keeps_bodies_ = true;
  std::optional<wat::FactCollector> facts_;  // of bodies that are not kept
  std::vector<std::uint32_t> body_bytes_;    // (own functions,) then
};

}  // namespace txvm::frontends::wasm
