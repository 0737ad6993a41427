#include "frontends/wasm/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "frontends/wasm/addresses.h"
#include "frontends/wasm/code_writer.h"
#include "frontends/wasm/item_type.h"
#include "frontends/wasm/reference_types.h"
#include "isa/limits.h"
#include "isa/support/text.h"

namespace txvm::frontends::wat {
namespace {

using isa::ErrorCode;
using isa::Result;

/// Merges modules. INVARIANT: maps_ describes the members that have been placed.
class Merger {
 public:
  Merger(std::span<const MergeMember> members, const FindImport& find, MergeSegments segments)
      : members_(members),
        find_(find),
        is_at_load_(segments == MergeSegments::kAtLoad),
        maps_(members.size()) {}

  Result<MergedModule> Run() &&;

 private:
  std::uint32_t Intern(const Signature& signature);
  void Signatures(std::size_t member);
  void Group(std::size_t member, std::uint32_t first, std::uint32_t count);
  void ImportFunctions(std::size_t member);
  void OwnFunctions(std::size_t member);
  void Globals(std::size_t member);
  void Tables(std::size_t member);
  void Memories(std::size_t member);
  ValueType MovedType(ValueType type, std::size_t member) const;
  void Types(std::size_t member);
  void Tags(std::size_t member);
  void Segments(std::size_t member);
  void Exports(std::size_t member);
  void Bodies(std::size_t member);
  void MoveBody(Function& function, std::size_t member) const;
  void Init(std::size_t member);
  Instr Moved(const Instr& instr, std::size_t member) const;
  void Move(ConstantExpr& expr, std::size_t member) const;
  void EmitOffset(CodeWriter& code, const ConstantExpr& offset) const;

  std::span<const MergeMember> members_;
  const FindImport& find_;
  bool is_at_load_;
  Module out_;
  std::vector<MergeMap> maps_;
  std::map<std::pair<std::vector<ValueType>, std::vector<ValueType>>, std::uint32_t> interned_;
  std::vector<std::vector<std::uint32_t>> signatures_ =
      std::vector<std::vector<std::uint32_t>>(members_.size());
  std::vector<std::uint32_t> unsupported_, elements_, data_;  // (members,) the first of each
  std::map<std::tuple<ExportKind, std::string, std::string>, std::uint32_t> imported_;
};

std::uint32_t Merger::Intern(const Signature& signature) {
  const auto [found, is_new] =
      interned_.try_emplace({signature.params, signature.results}, CountOf(out_.signatures));
  if (is_new) out_.signatures.push_back(signature);
  return found->second;
}

/// A type of a member as the result has it.
ValueType Merger::MovedType(ValueType type, std::size_t member) const {
  if (!IsReference(type) || HeapOf(type) < Heap::kFirstSignature) return type;
  const std::uint32_t signature = SignatureOfHeap(HeapOf(type));
  return ReferenceTo(HeapOfSignature(signatures_[member][signature]), IsNullable(type));
}

void Merger::Signatures(std::size_t member) {
  const Module& module = *members_[member].module;
  std::uint32_t next = 0;
  while (next < module.signatures.size()) {
    const auto group = module.groups.find(next);
    if (group != module.groups.end()) {
      Group(member, next, group->second.count);
      next += group->second.count;
      continue;
    }
    Signature signature = module.signatures[next++];
    for (ValueType& type : signature.params) type = MovedType(type, member);
    for (ValueType& type : signature.results) type = MovedType(type, member);
    signatures_[member].push_back(Intern(signature));
  }
}

/// Finds the group of types that is declared in the same way, or adds it.
void Merger::Group(std::size_t member, std::uint32_t first, std::uint32_t count) {
  const Module& module = *members_[member].module;
  const std::uint32_t next = CountOf(out_.signatures);
  std::uint32_t place = next;
  for (const auto& [index, group] : out_.groups) {
    if (group.count == count && group.first == index &&
        AreEqualAcross(module, first, out_, index)) {
      place = index;
      break;
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) signatures_[member].push_back(place + i);
  if (place != next) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    Signature signature = module.signatures[first + i];
    for (ValueType& type : signature.params) type = MovedType(type, member);
    for (ValueType& type : signature.results) type = MovedType(type, member);
    out_.signatures.push_back(std::move(signature));
    out_.groups[next + i] = {next, count, module.groups.at(first + i).is_open};
    const auto super = module.supertypes.find(first + i);
    if (super == module.supertypes.end()) continue;
    out_.supertypes[next + i] = signatures_[member][super->second];
  }
}

/// Moves the types of what a member added to the result: called once all of it is there.
void Merger::Types(std::size_t member) {
  const Module& module = *members_[member].module;
  const MergeMap& map = maps_[member];
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].import) continue;
    for (ValueType& type : out_.functions[map.functions[i]].locals) {
      type = MovedType(type, member);
    }
  }
  for (std::size_t i = 0; i < module.globals.size(); ++i) {
    if (module.globals[i].import) continue;
    out_.globals[map.globals[i]].type = MovedType(module.globals[i].type, member);
  }
  for (std::size_t i = 0; i < module.tables.size(); ++i) {
    if (module.tables[i].import) continue;
    out_.tables[map.tables[i]].type = MovedType(module.tables[i].type, member);
  }
}

/// Imports that no member has come first in a module.
void Merger::ImportFunctions(std::size_t member) {
  const Module& module = *members_[member].module;
  for (const Function& function : module.functions) {
    if (!function.import) break;
    std::uint32_t& index = maps_[member].functions.emplace_back(0);
    if (find_(member, ExportKind::kFunction, *function.import)) continue;  // placed later
    index = CountOf(out_.functions);
    Function& out = out_.functions.emplace_back(function);
    out.signature = signatures_[member][function.signature];
  }
}

void Merger::OwnFunctions(std::size_t member) {
  const Module& module = *members_[member].module;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    const Function& function = module.functions[i];
    if (function.import) {
      const auto source = find_(member, ExportKind::kFunction, *function.import);
      if (source) maps_[member].functions[i] = maps_[source->member].functions[source->index];
      continue;
    }
    maps_[member].functions.push_back(CountOf(out_.functions));
    Function& out = out_.functions.emplace_back(function);
    out.signature = signatures_[member][function.signature];
  }
}

void Merger::Move(ConstantExpr& expr, std::size_t member) const {
  const MergeMap& map = maps_[member];
  if (expr.kind == ConstantExpr::Kind::kGlobal) expr.value = map.globals[expr.value];
  if (expr.kind == ConstantExpr::Kind::kFunction) expr.value = map.functions[expr.value];
  for (ConstantStep& step : expr.steps) {
    if (step.kind == ConstantStep::Kind::kGlobal)
      step.value = map.globals[static_cast<std::size_t>(step.value)];
  }
}

void Merger::Globals(std::size_t member) {
  for (const Global& global : members_[member].module->globals) {
    const auto source =
        global.import ? find_(member, ExportKind::kGlobal, *global.import) : std::nullopt;
    if (source) {
      maps_[member].globals.push_back(maps_[source->member].globals[source->index]);
      continue;
    }
    Global out = global;
    if (!out.import) Move(out.init, member);
    maps_[member].globals.push_back(CountOf(out_.globals));
    out_.globals.push_back(std::move(out));
  }
}

void Merger::Tables(std::size_t member) {
  for (const Table& table : members_[member].module->tables) {
    const auto source =
        table.import ? find_(member, ExportKind::kTable, *table.import) : std::nullopt;
    if (source) {
      const std::uint32_t index = maps_[source->member].tables[source->index];
      maps_[member].tables.push_back(index);
      continue;
    }
    if (table.import) {
      const auto [found, is_new] = imported_.try_emplace(
          {ExportKind::kTable, table.import->module, table.import->name}, CountOf(out_.tables));
      if (!is_new) {
        maps_[member].tables.push_back(found->second);
        continue;
      }
    }
    maps_[member].tables.push_back(CountOf(out_.tables));
    out_.tables.push_back(table);
    out_.tables.back().is_shared = !is_at_load_;  // its segments are written at run time
    std::uint32_t& element = out_.tables.back().initial_element;
    if (const auto global = GlobalOfElement(element)) {
      element = kGlobalElement + maps_[member].globals[*global];
    } else if (element < kGlobalElement) {
      element = maps_[member].functions[element];
    }
  }
}

/// Tags that are left imported under one name are one.
void Merger::Tags(std::size_t member) {
  for (const Tag& tag : members_[member].module->tags) {
    std::vector<std::uint32_t>& map = maps_[member].tags;
    const auto source = tag.import ? find_(member, ExportKind::kTag, *tag.import) : std::nullopt;
    if (source) {
      map.push_back(maps_[source->member].tags[source->index]);
      continue;
    }
    if (tag.import) {
      const auto [found, is_new] = imported_.try_emplace(
          {ExportKind::kTag, tag.import->module, tag.import->name}, CountOf(out_.tags));
      if (!is_new) {
        map.push_back(found->second);
        continue;
      }
    }
    map.push_back(CountOf(out_.tags));
    out_.tags.push_back(tag);
    out_.tags.back().signature = signatures_[member][tag.signature];
  }
}

void Merger::Memories(std::size_t member) {
  for (const Memory& memory : members_[member].module->memories) {
    std::vector<std::uint32_t>& places = maps_[member].memories;
    const auto source =
        memory.import ? find_(member, ExportKind::kMemory, *memory.import) : std::nullopt;
    if (source) {
      places.push_back(std::uint32_t{maps_[source->member].memories[source->index]});
      continue;
    }
    if (memory.import) {
      const auto [found, is_new] =
          imported_.try_emplace({ExportKind::kMemory, memory.import->module, memory.import->name},
                                CountOf(out_.memories));
      if (!is_new) {
        places.push_back(found->second);
        continue;
      }
    }
    places.push_back(CountOf(out_.memories));
    out_.memories.push_back(memory);
  }
}

void Merger::Segments(std::size_t member) {
  const Module& module = *members_[member].module;
  elements_.push_back(CountOf(out_.elements));
  data_.push_back(CountOf(out_.data));
  for (const ElementSegment& segment : module.elements) {
    ElementSegment& out = out_.elements.emplace_back(segment);
    if (out.mode == SegmentMode::kActive) {
      if (!is_at_load_) out.mode = SegmentMode::kPassive;
      out.table = maps_[member].tables[out.table];
      Move(out.offset, member);
    }
    for (std::uint32_t& element : out.functions) {
      if (const auto global = GlobalOfElement(element)) {
        element = kGlobalElement + maps_[member].globals[*global];
      } else if (element < kGlobalElement) {
        element = maps_[member].functions[element];
      }
    }
  }
  for (const DataSegment& segment : module.data) {
    DataSegment& out = out_.data.emplace_back(segment);
    if (out.mode != SegmentMode::kActive) continue;
    if (!is_at_load_) out.mode = SegmentMode::kPassive;
    out.memory = maps_[member].memories[out.memory];
    Move(out.offset, member);
  }
}

void Merger::Exports(std::size_t member) {
  if (!members_[member].export_prefix) return;
  const MergeMap& map = maps_[member];
  for (const Export& item : members_[member].module->exports) {
    Export out = item;
    out.name = *members_[member].export_prefix + item.name;
    if (item.kind == ExportKind::kFunction) out.index = map.functions[item.index];
    if (item.kind == ExportKind::kGlobal) out.index = map.globals[item.index];
    if (item.kind == ExportKind::kTable) out.index = map.tables[item.index];
    if (item.kind == ExportKind::kMemory) out.index = map.memories[item.index];
    if (item.kind == ExportKind::kTag) out.index = map.tags[item.index];
    out_.exports.push_back(std::move(out));
  }
}

Instr Merger::Moved(const Instr& instr, std::size_t member) const {
  const MergeMap& map = maps_[member];
  Instr out = instr;
  switch (instr.kind) {
    case InstrKind::kCall:
    case InstrKind::kReturnCall:
    case InstrKind::kRefFunc:
      out.a = map.functions[instr.a];
      break;
    case InstrKind::kGlobalGet:
    case InstrKind::kGlobalSet:
      out.a = map.globals[instr.a];
      break;
    case InstrKind::kBlock:
    case InstrKind::kLoop:
    case InstrKind::kIf:
    case InstrKind::kTry:
    case InstrKind::kTryTable:
      out.a = signatures_[member][instr.a];
      break;
    case InstrKind::kCallIndirect:
    case InstrKind::kReturnCallIndirect:
    case InstrKind::kFindIndirect:
      out.a = signatures_[member][instr.a];
      out.b = map.tables[instr.b];
      break;
    case InstrKind::kUnsupported:
    case InstrKind::kMissing:
      out.a = instr.a + unsupported_[member];
      break;
    case InstrKind::kThrow:
    case InstrKind::kCatch:
      out.a = map.tags[instr.a];
      break;
    case InstrKind::kTableCopy:
      out.a = map.tables[instr.a];
      out.b = map.tables[instr.b];
      break;
    case InstrKind::kTableInit:
      out.a = map.tables[instr.a];
      out.b = instr.b + elements_[member];
      break;
    case InstrKind::kTableGet:
    case InstrKind::kTableSet:
    case InstrKind::kTableSize:
    case InstrKind::kTableGrow:
    case InstrKind::kTableFill:
      out.a = map.tables[instr.a];
      break;
    case InstrKind::kElemDrop:
      out.a = instr.a + elements_[member];
      break;
    case InstrKind::kMemoryInit:
      out.a = instr.a + data_[member];
      out.b = map.memories[instr.b];
      break;
    case InstrKind::kDataDrop:
      out.a = instr.a + data_[member];
      break;
    case InstrKind::kMemory:
    case InstrKind::kMemorySize:
    case InstrKind::kMemoryGrow:
    case InstrKind::kMemoryFill:
      out.a = map.memories[instr.a];
      break;
    case InstrKind::kMemoryCopy:
      out.a = map.memories[instr.a];
      out.b = map.memories[instr.b];
      break;
    case InstrKind::kCallRef:
    case InstrKind::kReturnCallRef:
      out.a = signatures_[member][instr.a];
      break;
    default:
      break;
  }
  return out;
}

void Merger::Bodies(std::size_t member) {
  const Module& module = *members_[member].module;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].import) continue;
    Function& out = out_.functions[maps_[member].functions[i]];
    MoveBody(out, member);
    for (std::vector<CatchClause>& clauses : out.catches) {
      for (CatchClause& clause : clauses) {
        if (clause.tag) clause.tag = maps_[member].tags[*clause.tag];
      }
    }
  }
}

/// Moves the instructions of a body. Where the first memory of the member is not the result's, its
/// loads and stores have to say so.
void Merger::MoveBody(Function& function, std::size_t member) const {
  const std::vector<std::uint32_t>& memories = maps_[member].memories;
  const bool is_first = memories.empty() || memories.front() == 0;
  std::vector<Instr> body;
  if (!is_first) body.reserve(function.body.size());
  bool is_prefixed = false;
  for (Instr& instr : function.body) {
    const Instr moved = Moved(instr, member);
    if (is_first) {
      instr = moved;
      continue;
    }
    if (IsAccess(moved) && !is_prefixed) {
      body.push_back({InstrKind::kMemory, isa::Opcode::kNop, memories.front(), 0, moved.place});
    }
    is_prefixed = moved.kind == InstrKind::kMemory;
    body.push_back(moved);
  }
  if (!is_first) function.body = std::move(body);
}

void Merger::EmitOffset(CodeWriter& code, const ConstantExpr& offset) const {
  using Kind = ConstantStep::Kind;
  if (offset.kind == ConstantExpr::Kind::kGlobal) return code.GetGlobal(offset.value);
  if (offset.kind != ConstantExpr::Kind::kComputed) return code.Const(offset.value);
  for (const ConstantStep& step : offset.steps) {
    switch (step.kind) {
      case Kind::kPush:
        code.Const(static_cast<std::uint32_t>(step.value));
        break;
      case Kind::kGlobal:
        code.GetGlobal(static_cast<std::uint32_t>(step.value));
        break;
      case Kind::kAdd:
        code.Op(isa::Opcode::kAdd);
        break;
      case Kind::kSub:
        code.Op(isa::Opcode::kSub);
        break;
      case Kind::kMul:
        code.Op(isa::Opcode::kMul);
        break;
    }
  }
}

/// The function that instantiates a member: its segments in order, then its start function.
void Merger::Init(std::size_t member) {
  const Module& module = *members_[member].module;
  CodeWriter code;
  for (std::uint32_t i = 0; i < module.elements.size(); ++i) {
    const ElementSegment& segment = module.elements[i];
    if (segment.mode != SegmentMode::kActive || is_at_load_) continue;
    ConstantExpr offset = segment.offset;
    Move(offset, member);
    EmitOffset(code, offset);
    code.Const(0);
    code.Const(CountOf(segment.functions));
    code.Add(InstrKind::kTableInit, maps_[member].tables[segment.table], elements_[member] + i);
    code.Add(InstrKind::kElemDrop, elements_[member] + i);
  }
  for (std::uint32_t i = 0; i < module.data.size(); ++i) {
    const DataSegment& segment = module.data[i];
    if (segment.mode != SegmentMode::kActive || is_at_load_) continue;
    ConstantExpr offset = segment.offset;
    Move(offset, member);
    EmitOffset(code, offset);
    code.Const(0);
    code.Const(CountOf(segment.bytes));
    code.Add(InstrKind::kMemoryInit, data_[member] + i, maps_[member].memories[segment.memory]);
    code.Add(InstrKind::kDataDrop, data_[member] + i);
  }
  if (module.start) code.Call(maps_[member].functions[*module.start]);
  maps_[member].init = CountOf(out_.functions);
  out_.functions.push_back(
      std::move(code).Finish("instantiate " + members_[member].name, Intern({})));
}

Result<MergedModule> Merger::Run() && {
  out_.file = members_.back().module->file;
  out_.bytes_of = members_.back().module->bytes_of;
  out_.is_text = members_.back().module->is_text;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Signatures(i);
    ImportFunctions(i);
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    OwnFunctions(i);
    Globals(i);
    Tables(i);
    Tags(i);
    Memories(i);
    Types(i);
    unsupported_.push_back(CountOf(out_.unsupported));
    const std::vector<std::string>& names = members_[i].module->unsupported;
    out_.unsupported.insert(out_.unsupported.end(), names.begin(), names.end());
    Segments(i);
    Bodies(i);
    Exports(i);
  }
  for (std::size_t i = 0; i < members_.size(); ++i) Init(i);
  return MergedModule{std::move(out_), std::move(maps_)};
}

bool Fits(const Extent& offered, const Extent& wanted) {
  if (offered.is_64 != wanted.is_64) return false;
  if (offered.initial < wanted.initial) return false;
  if (!wanted.maximum) return true;
  return offered.maximum && *offered.maximum <= *wanted.maximum;
}

/// Whether a global has a type that an import wants: the same, where it can change.
bool IsGlobalSubtype(const Module& module, const Global& global, const Module& importer,
                     const Global& wanted) {
  return IsSubtypeAcross(module, global.type, importer, wanted.type) &&
         (!global.is_mutable || IsSubtypeAcross(importer, wanted.type, module, global.type));
}

/// Whether export `from` of `module` has the type of import `index` of `importer`.
bool IsCompatible(const Module& module, std::uint32_t from, ExportKind kind, const Module& importer,
                  std::size_t index) {
  switch (kind) {
    case ExportKind::kFunction:
      return IsSubsignatureAcross(module, module.functions[from].signature, importer,
                                  importer.functions[index].signature);
    case ExportKind::kGlobal:
      return module.globals[from].is_mutable == importer.globals[index].is_mutable &&
             IsGlobalSubtype(module, module.globals[from], importer, importer.globals[index]);
    case ExportKind::kTable:
      return IsSubtypeAcross(module, module.tables[from].type, importer,
                             importer.tables[index].type) &&
             IsSubtypeAcross(importer, importer.tables[index].type, module,
                             module.tables[from].type) &&
             Fits(module.tables[from].extent, importer.tables[index].extent);
    case ExportKind::kMemory:
      return module.memories[from].extent.is_shared == importer.memories[index].extent.is_shared &&
             Fits(module.memories[from].extent, importer.memories[index].extent);
    case ExportKind::kTag:
      return AreEqualAcross(module, module.tags[from].signature, importer,
                            importer.tags[index].signature);
  }
  return false;
}

/// Whether all active segments fit as the tables and memories were declared.
bool SegmentsFit(Module& module) {
  ComputeConstants(module);
  const auto fits = [](const ConstantExpr& offset, std::size_t size, std::uint64_t room) {
    const bool is_known = offset.kind == ConstantExpr::Kind::kWord ||
                          (offset.kind == ConstantExpr::Kind::kPair && offset.high == 0);
    return is_known && offset.value + std::uint64_t{size} <= room;
  };
  const bool elements_fit = std::ranges::all_of(module.elements, [&](const ElementSegment& item) {
    return item.mode != SegmentMode::kActive ||
           fits(item.offset, item.functions.size(), module.tables[item.table].extent.initial);
  });
  return elements_fit && std::ranges::all_of(module.data, [&](const DataSegment& item) {
           return item.mode != SegmentMode::kActive ||
                  fits(item.offset, item.bytes.size(),
                       module.memories[item.memory].extent.initial * isa::kPageBytes);
         });
}

/// The names of what a module exports, for a message.
std::string ExportsText(const Module& module) {
  if (module.exports.empty()) return "the module exports nothing";
  std::vector<std::string> shown;
  for (const Export& item : module.exports) shown.push_back(ShownText(item.name));
  const std::vector<std::string_view> names(shown.begin(), shown.end());
  return "the module exports " + isa::NameList(names);
}

Result<void> CheckExportNames(const Module& module) {
  std::set<std::string_view> names;
  for (const Export& item : module.exports) {
    if (names.insert(item.name).second) continue;
    return isa::Fail(ErrorCode::kInvalid,
                     fmt::format("two exports of the linked modules are called "
                                 "\"{}\": give a module another name",
                                 ShownText(item.name)));
  }
  return {};
}

}  // namespace

Result<MergedModule> MergeModules(std::span<const MergeMember> members, const FindImport& find,
                                  MergeSegments segments) {
  return Merger(members, find, segments).Run();
}

Result<std::uint32_t> FindExportFor(const Module& module, const ImportName& import, ExportKind kind,
                                    const Module& importer, std::size_t index) {
  const Export* item = module.FindExport(import.name);
  if (item == nullptr) {
    return isa::Fail(ErrorCode::kInvalid,
                     fmt::format("unknown import {}: {}", ShownName(import), ExportsText(module)));
  }
  if (item->kind != kind || !IsCompatible(module, item->index, kind, importer, index)) {
    return isa::Fail(ErrorCode::kInvalid,
                     fmt::format("incompatible import type of {}: {} is imported, {} exported",
                                 ShownName(import), ItemTypeText(importer, kind, index),
                                 ItemTypeText(module, item->kind, item->index)));
  }
  return item->index;
}

Result<Module> LinkModules(Module main, std::vector<NamedModule> libraries, LinkedExports exports) {
  libraries.push_back({main.file, std::move(main)});
  std::vector<MergeMember> members;
  for (const NamedModule& item : libraries) {
    members.push_back({&item.module, item.name, {}});
    if (exports == LinkedExports::kAll) members.back().export_prefix = item.name + ".";
  }
  members.back().export_prefix = "";
  const auto library_of = [&](std::size_t member, const ImportName& name) {
    std::size_t found = members.size();
    for (std::size_t i = 0; i < member; ++i) {
      if (libraries[i].name == name.module) found = i;
    }
    return found;
  };
  // A function may come from the embedding all the same; what is shared cannot.
  const auto check_order = [&](std::size_t member, const ImportName& name,
                               ExportKind kind) -> Result<void> {
    for (std::size_t i = member; i + 1 < libraries.size(); ++i) {
      if (kind == ExportKind::kFunction || libraries[i].name != name.module) continue;
      return isa::Fail(
          ErrorCode::kInvalid,
          fmt::format("{} is imported by library \"{}\", which is linked before \"{}\" is; "
                      "libraries cannot share in a circle",
                      ShownName(name), isa::Printable(libraries[member].name),
                      isa::Printable(libraries[i].name)));
    }
    return {};
  };
  for (std::size_t i = 0; i < members.size(); ++i) {
    Module& module = libraries[i].module;
    const auto check = [&](auto& items, ExportKind kind) -> Result<void> {
      for (std::size_t j = 0; j < items.size(); ++j) {
        if (!items[j].import) continue;
        const std::size_t library = library_of(i, *items[j].import);
        if (library == members.size()) {
          TXVM_CHECK_OK(check_order(i, *items[j].import, kind));
          continue;
        }
        const Module& from = libraries[library].module;
        TXVM_TRY(const std::uint32_t index, FindExportFor(from, *items[j].import, kind, module, j));
        // Who imports it from this module gets the original, with its limits.
        if (kind == ExportKind::kTable) module.tables[j].extent = from.tables[index].extent;
        if (kind == ExportKind::kMemory) module.memories[j].extent = from.memories[index].extent;
      }
      return {};
    };
    TXVM_CHECK_OK(check(module.functions, ExportKind::kFunction));
    TXVM_CHECK_OK(check(module.globals, ExportKind::kGlobal));
    TXVM_CHECK_OK(check(module.tables, ExportKind::kTable));
    TXVM_CHECK_OK(check(module.memories, ExportKind::kMemory));
    TXVM_CHECK_OK(check(module.tags, ExportKind::kTag));
  }
  const auto find = [&](std::size_t member, ExportKind,
                        const ImportName& name) -> std::optional<MergeSource> {
    const std::size_t library = library_of(member, name);
    if (library == members.size()) return std::nullopt;
    return MergeSource{library, libraries[library].module.FindExport(name.name)->index};
  };
  const bool is_watched = std::any_of(libraries.begin(), libraries.end() - 1, [](const auto& item) {
    return item.module.start.has_value();
  });
  TXVM_TRY(MergedModule merged, MergeModules(members, find, MergeSegments::kAtLoad));
  TXVM_CHECK_OK(CheckExportNames(merged.module));
  if (is_watched || !SegmentsFit(merged.module)) {
    TXVM_TRY(merged, MergeModules(members, find, MergeSegments::kByInit));
  } else if (!libraries.back().module.start) {
    return std::move(merged.module);
  }
  CodeWriter start;
  for (const MergeMap& map : merged.maps) start.Call(map.init);
  merged.module.start = CountOf(merged.module.functions);
  const std::uint32_t signature =
      merged.module.functions[merged.maps.front().init].signature;  // of no values
  merged.module.functions.push_back(std::move(start).Finish("instantiate", signature));
  return std::move(merged.module);
}

}  // namespace txvm::frontends::wat
