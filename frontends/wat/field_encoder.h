// Inside of encoder.cc: the fields of a module, in two walks.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontends/wat/byte_writer.h"
#include "frontends/wat/encoder.h"
#include "frontends/wat/names.h"
#include "frontends/wat/text_op.h"
#include "frontends/wat/token_reader.h"

namespace txvm::frontends::wat {

/// Encodes one module. The first walk finds the fields and their names, without a look at what is
/// inside functions; the second encodes.
class FieldEncoder {
 public:
  explicit FieldEncoder(TokenReader& reader) : in_(reader) {}

  std::expected<EncodedModule, std::vector<TextFault>> Run() &&;

 private:
  static constexpr int kIndexBits = 32, kLongBits = 64;
  static constexpr std::uint8_t kEndCode = 0x0B;

  enum Space : std::uint8_t {
    kTypeSpace,
    kFunctionSpace,
    kTableSpace,
    kMemorySpace,
    kGlobalSpace,
    kTagSpace,
    kElementSpace,
    kDataSpace,
    kSpaceCount
  };
  /// The sections in the order of the format.
  enum SectionIndex : std::uint8_t {
    kTypeSection,
    kImportSection,
    kFunctionSection,
    kTableSection,
    kMemorySection,
    kTagSection,
    kGlobalSection,
    kExportSection,
    kStartSection,
    kElementSection,
    kCodeSection,
    kDataSection,
    kSectionCount
  };
  enum class FieldKind : std::uint8_t {
    kType,
    kRec,
    kImport,
    kFunction,
    kTable,
    kMemory,
    kGlobal,
    kTag,
    kExport,
    kStart,
    kElement,
    kData
  };
  struct Field {
    FieldKind kind;
    std::uint32_t at;  // of its '('
  };
  /// Bytes with the places they come from; a mark's byte is one of `bytes`.
  struct Section {
    ByteWriter bytes;
    std::vector<PlaceMark> marks;
    std::uint32_t count = 0;
  };
  /// A type that the text defines.
  struct TypeInfo {
    bool is_function = false;
    std::string signature;  // of a function: its bytes beyond the form
    std::uint32_t params = 0;
    NameTable fields;  // of a struct
  };
  /// Value types, encoded.
  struct TypeList {
    ByteWriter bytes;
    std::uint32_t count = 0;
  };
  struct TypeUse {
    std::uint32_t type = 0;
    std::uint32_t params = 0;
  };
  enum class ElementMode : std::uint8_t { kActive, kPassive, kDeclared };
  struct Limits {
    std::uint8_t flags = 0;
    std::uint64_t least = 0, most = 0;
    std::optional<std::uint64_t> page_size;
  };

  // field_encoder.cc: the first walk.
  void FindFields();
  void FindField(std::uint32_t at);
  void FindImport();
  void FindInline(Space space, std::uint32_t at);
  void Declare(Space space, std::uint32_t at, bool is_import);
  void CountInline(Space space, std::string_view word);
  void CheckImportOrder(std::uint32_t at);
  std::optional<std::string_view> TakeName();
  void EncodeField(const Field& field);
  EncodedModule Finish();
  struct Custom {
    int rank = 0;  // of the section it stands before or after, doubled, plus one for after
    std::string bytes;
  };
  void FindCustom();

  // type_encoder.cc
  bool TypeField(ByteWriter& out);
  void RecField();
  bool SubType(TypeInfo& info, ByteWriter& out);
  void CompositeType(TypeInfo& info, ByteWriter& out);
  void FieldType(ByteWriter& out);
  bool ValueTypeInto(ByteWriter& out);
  void ReferenceType(ByteWriter& out);
  bool ReferenceParts(ByteWriter& heap);
  static bool IsShortReference(std::string_view word);
  void HeapType(ByteWriter& out);
  bool AtValueType();
  bool AtReferenceType();
  void Params(TypeList& params, NameTable* names);
  void Results(TypeList& results);
  void AddPlainType(std::uint32_t index);
  TypeUse UseType(NameTable* names);
  std::uint32_t TypeOfSignature(const TypeList& params, const TypeList& results);
  void BlockType(ByteWriter& out);
  Limits ReadLimits(bool is_64);
  bool IsAddress64();
  void MemoryType(ByteWriter& out);
  void TableType(ByteWriter& out);
  void GlobalType(ByteWriter& out);
  void WriteLimits(const Limits& limits, ByteWriter& out);

  // field_encoder.cc: the second walk.
  std::uint32_t Index(Space space, std::string_view what);
  std::optional<std::uint32_t> OptionalIndex(Space space, std::string_view what);
  bool AtIndex() const { return in_.At(TokenKind::kName) || in_.AtNumber(); }
  std::string_view KeyOf(const Token& token);
  void Mark(Section& section, std::uint32_t at) {
    section.marks.push_back({static_cast<std::uint32_t>(section.bytes.size()), at});
  }
  Section& Of(SectionIndex index) { return sections_[index]; }
  Section& Entry(SectionIndex index, std::uint32_t at) {
    Section& section = sections_[index];
    Mark(section, at);
    ++section.count;
    return section;
  }
  void InlineExports(std::uint8_t kind, std::uint32_t index);
  bool InlineImport(std::uint32_t at);
  void ImportField(std::uint32_t at);
  void ImportType(std::uint8_t kind);
  void FunctionField(std::uint32_t at);
  void TableField(std::uint32_t at);
  void MemoryField(std::uint32_t at);
  void GlobalField(std::uint32_t at);
  void TagField(std::uint32_t at);
  void ExportField(std::uint32_t at);
  void StartField(std::uint32_t at);
  void ElementField(std::uint32_t at);
  void DataField(std::uint32_t at);
  struct ElementList {
    Section items;  // without their number
    ByteWriter type;
    bool has_expressions = false;
    bool has_functions = false;  // expressions that are written as functions
  };
  void ElementItems(ElementList& list);
  void WriteElement(std::uint32_t at, ElementMode mode, std::uint32_t table, const Section& offset,
                    const ElementList& list);
  static void AppendSection(Section& to, const Section& from);
  void Offset(Section& out);
  void DataStrings(ByteWriter& out);

  // code_encoder.cc
  void Body(std::uint32_t at);
  void Instructions(Section& out, bool is_single);
  void Locals(ByteWriter& out, std::uint32_t params);
  void ResetCode();
  void StartBlock(const TextOp& op, std::uint32_t at, bool is_flat);
  void FoldedClause(std::uint32_t at);
  bool AtFlatBlock(std::string_view word);
  void EmitEnd(std::uint32_t at);
  void PlainWord();
  void OpenFold();
  void CloseFold();
  void Instruction(const TextOp& op, ByteWriter& out);
  void AccessImmediate(const TextOp& op, ByteWriter& out);
  void Constant(const TextOp& op, ByteWriter& out);
  void VectorConstant(ByteWriter& out);
  void CatchClauses(ByteWriter& out);
  void Lanes(ByteWriter& out, int count);
  std::uint32_t Label();
  static void Code(const TextOp& op, ByteWriter& out, std::uint32_t add = 0);
  std::uint32_t LocalIndex();
  bool AtTwoIndices();
  void FieldIndex(std::uint32_t type, ByteWriter& out);
  std::uint64_t Number(int bits, std::string_view what, bool is_signed);
  std::uint64_t Float(bool is_f32);
  void PushLabel(std::string_view name, bool is_flat, std::uint8_t opener);
  std::string_view TakeLabelName();
  void PopLabel();
  void CheckLabelName();
  void UnknownOp(const Token& token);
  const TextOp* TakeOp();

  /// An open block, for labels.
  struct LabelEntry {
    std::string_view name;
    std::uint32_t shadowed = 0;  // label of the same name plus one; 0 without
    std::uint8_t opener = 0;     // code of the instruction that began it
    bool is_flat = false;        // `end` closes it, not a parenthesis
    bool has_else = false;
  };
  /// An open parenthesis among instructions.
  enum class FoldKind : std::uint8_t { kPlain, kBlock, kIf, kThen, kElse, kTry, kDo, kCatch };
  struct Fold {
    FoldKind kind = FoldKind::kPlain;
    std::uint8_t step = 0;      // of an if or a try: what has been read
    std::uint32_t pending = 0;  // first byte of its own in pending_
    std::uint32_t at = 0;
    std::uint32_t labels = 0;  // open when it began, its own included
    std::string_view label = {};
  };

  TokenReader& in_;
  std::vector<Field> fields_;
  std::vector<Annotation> annotations_;
  std::array<NameTable, kSpaceCount> names_;
  std::array<std::uint32_t, kSpaceCount> counts_{};
  std::array<std::uint32_t, kSpaceCount> next_{};  // index of the next definition, second walk
  std::array<Section, kSectionCount> sections_;
  std::deque<std::string> storage_;  // names that are not parts of the text
  bool has_definition_ = false;      // of something that imports must stand before
  bool has_start_ = false;
  std::uint32_t end_ = 0;  // where the fields end

  std::deque<TypeInfo> types_;
  std::unordered_map<std::string, std::uint32_t> plain_types_;  // function types by signature
  std::uint32_t type_groups_ = 0;
  TypeList params_, results_;
  std::string key_;
  std::uint32_t use_at_ = 0;  // of the type use being read

  std::vector<std::string> function_names_;
  std::vector<std::uint32_t> function_places_;
  std::vector<Custom> customs_;
  bool needs_data_count_ = false;

  // Of the instructions being read.
  Section* out_ = nullptr;
  Section body_;
  ByteWriter pending_;
  std::vector<Fold> folds_;
  std::vector<LabelEntry> labels_;
  std::unordered_map<std::string_view, std::uint32_t> label_of_;  // of deep ones, plus one
  NameTable locals_;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace txvm::frontends::wat
