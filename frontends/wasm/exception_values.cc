#include "frontends/wasm/exception_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "frontends/wasm/exceptions.h"
#include "isa/trap.h"

namespace txvm::frontends::wat {
namespace {

using isa::Opcode;

constexpr std::uint32_t kPairWords = 2, kVectorWords = 4;

bool HasExn(const std::vector<ValueType>& types) {
  return std::ranges::find(types, ValueType::kExnRef) != types.end();
}

/// Finds local 0 in [first, end) and does `leaf` for it. Recursion depth is the height of the tree.
void Tree(CodeWriter& code, std::uint32_t first, std::uint32_t end, std::uint32_t nothing,
          const std::function<void(std::uint32_t)>& leaf) {
  if (end - first == 1) return leaf(first);
  const std::uint32_t middle = first + (end - first) / 2;
  code.Get(0);
  code.Const(middle);
  code.Op(Opcode::kLtU);
  code.Add(InstrKind::kIf, nothing);
  Tree(code, first, middle, nothing, leaf);
  code.Add(InstrKind::kElse);
  Tree(code, middle, end, nothing, leaf);
  code.End();
}

/// The tags' names: what each is exported as first, else its own, else what it is imported as, else
/// its number.
std::vector<std::string> NamesOf(const Module& module) {
  std::vector<std::string> names(module.tags.size());
  for (const Export& item : module.exports) {
    if (item.kind == ExportKind::kTag && names[item.index].empty()) names[item.index] = item.name;
  }
  for (std::size_t tag = 0; tag < names.size(); ++tag) {
    if (names[tag].empty()) names[tag] = module.tags[tag].name;
    if (!names[tag].empty()) continue;
    const auto& import = module.tags[tag].import;
    names[tag] = import ? import->module + "." + import->name : fmt::format("tag {}", tag);
  }
  return names;
}

}  // namespace

// A reference fits a number unless it would have to hold another, or is in a table.
ValueType LoweredExnRef(const Module& module) {
  const auto is_of_exn = [](const Table& table) { return table.type == ValueType::kExnRef; };
  if (std::ranges::any_of(module.tables, is_of_exn)) return ValueType::kI32;
  std::uint32_t words = 0;
  for (const Tag& tag : module.tags) {
    const std::vector<ValueType>& types = module.signatures[tag.signature].params;
    if (HasExn(types)) return ValueType::kI32;
    words = std::max(words, CountWords(types));
  }
  if (words >= kVectorWords) return ValueType::kI32;
  return words < kPairWords ? ValueType::kI64 : ValueType::kV128;
}

ExceptionValues::ExceptionValues(Module& module) : module_(module) {
  ExceptionCells cells;
  cells.tag_names = NamesOf(module_);
  for (std::uint32_t tag = 0; tag < module_.tags.size(); ++tag) {
    cells.tag_types.push_back({TypesOf(tag), {}});
  }
  module_.exceptions = std::move(cells);
  ChooseReference();
  ConvertTypes();
  for (std::uint32_t i = 0; i < module_.signatures.size(); ++i) {
    signatures_.try_emplace({module_.signatures[i].params, module_.signatures[i].results}, i);
  }
  module_.exceptions->pending = NewGlobal(ValueType::kI32);
  module_.exceptions->uncaught = NewGlobal(ValueType::kI32);
  for (std::uint32_t tag = 0; tag < module_.tags.size(); ++tag) {
    module_.exceptions->values.push_back(CountOf(module_.globals));
    for (const ValueType type : TypesOf(tag)) NewGlobal(type);
  }
  if (has_slots_) AddSlots();
}

std::uint32_t ExceptionValues::NewGlobal(ValueType type) {
  Global global;
  global.type = type;
  global.is_mutable = true;
  global.init.kind = IsReference(type)          ? ConstantExpr::Kind::kNull
                     : type == ValueType::kV128 ? ConstantExpr::Kind::kVector
                     : IsWide(type)             ? ConstantExpr::Kind::kPair
                                                : ConstantExpr::Kind::kWord;
  module_.globals.push_back(std::move(global));
  return CountOf(module_.globals) - 1;
}

void ExceptionValues::ChooseReference() {
  reference_ = LoweredExnRef(module_);
  has_slots_ = reference_ == ValueType::kI32;
  for (std::uint32_t tag = 0; tag < module_.tags.size(); ++tag) {
    words_ = std::max(words_, CountWords(TypesOf(tag)));
  }
  if (!has_slots_) words_ = WordsIn(reference_) - 1;
}

void ExceptionValues::ConvertTypes() {
  const auto convert = [this](std::vector<ValueType>& types) {
    std::ranges::replace(types, ValueType::kExnRef, reference_);
  };
  for (Signature& signature : module_.signatures) {
    convert(signature.params);
    convert(signature.results);
  }
  for (Function& function : module_.functions) convert(function.locals);
  for (Global& global : module_.globals) {
    if (global.type != ValueType::kExnRef) continue;
    global.type = reference_;
    if (global.init.kind != ConstantExpr::Kind::kNull) continue;
    global.init = {};
    global.init.kind = reference_ == ValueType::kI32   ? ConstantExpr::Kind::kWord
                       : reference_ == ValueType::kI64 ? ConstantExpr::Kind::kPair
                                                       : ConstantExpr::Kind::kVector;
  }
  for (Table& table : module_.tables) {
    if (table.type == ValueType::kExnRef) table.type = ValueType::kExternRef;
  }
}

void ExceptionValues::AddSlots() {
  constexpr std::uint32_t kLeastSlots = 16;
  slots_ = std::clamp(kMaxSlotWords / (words_ + 1), kLeastSlots, kMaxExceptionSlots);
  next_slot_ = NewGlobal(ValueType::kI32);
  first_slot_ = CountOf(module_.globals);
  for (std::uint32_t i = 0; i < slots_ * (words_ + 1); ++i) NewGlobal(ValueType::kI32);
}

std::uint32_t ExceptionValues::SignatureOf(Signature signature) {
  const auto [found, is_new] =
      signatures_.try_emplace({signature.params, signature.results}, CountOf(module_.signatures));
  if (is_new) module_.signatures.push_back(std::move(signature));
  return found->second;
}

/// References among the types become words: they are so when a kRegroup is read.
std::uint32_t ExceptionValues::Regroup(std::vector<ValueType> types) {
  std::ranges::replace_if(types, IsReference, ValueType::kI32);
  const auto [found, is_new] = regroups_.try_emplace(types, CountOf(module_.regroups));
  if (is_new) module_.regroups.push_back(std::move(types));
  return found->second;
}

std::uint32_t ExceptionValues::Append(CodeWriter code, const char* name, Signature signature) {
  module_.functions.push_back(std::move(code).Finish(name, SignatureOf(std::move(signature))));
  return CountOf(module_.functions) - 1;
}

void ExceptionValues::AppendNull(std::uint32_t place, std::vector<Instr>& body) const {
  const auto add = [&](InstrKind kind) { body.push_back({kind, Opcode::kNop, 0, 0, place}); };
  if (reference_ == ValueType::kI32) return add(InstrKind::kConst);
  if (reference_ == ValueType::kI64) return add(InstrKind::kWideConst);
  add(InstrKind::kV128Const);
  add(InstrKind::kV128Upper);
}

void ExceptionValues::AppendIsNull(std::uint32_t place, std::vector<Instr>& body) {
  if (!has_slots_) {
    const std::uint32_t words = Regroup(std::vector<ValueType>(words_ + 1, ValueType::kI32));
    body.push_back({InstrKind::kRegroup, Opcode::kNop, words, 1, place});
    for (std::uint32_t i = 0; i < words_; ++i) {
      body.push_back({InstrKind::kOp, Opcode::kPop, 0, 0, place});
    }
  }
  body.push_back({InstrKind::kOp, Opcode::kEqz, 0, 0, place});
}

void ExceptionValues::AppendStore(std::uint32_t tag, std::uint32_t place,
                                  std::vector<Instr>& body) const {
  for (std::uint32_t i = CountOf(TypesOf(tag)); i-- > 0;) {
    body.push_back({InstrKind::kGlobalSet, Opcode::kNop, cells().values[tag] + i, 0, place});
  }
}

void ExceptionValues::AppendLoad(std::uint32_t tag, std::uint32_t place,
                                 std::vector<Instr>& body) const {
  for (std::uint32_t i = 0; i < TypesOf(tag).size(); ++i) {
    body.push_back({InstrKind::kGlobalGet, Opcode::kNop, cells().values[tag] + i, 0, place});
  }
}

void ExceptionValues::AppendPending(std::optional<std::uint32_t> tag, std::uint32_t place,
                                    std::vector<Instr>& body) const {
  body.push_back({InstrKind::kConst, Opcode::kNop, tag ? *tag + 1 : 0, 0, place});
  body.push_back({InstrKind::kGlobalSet, Opcode::kNop, cells().pending, 0, place});
}

/// Leaves the words of a reference to the tag's exception on the stack, and joins them unless they
/// are for a slot.
void ExceptionValues::Capture(std::uint32_t tag, CodeWriter& code) {
  const std::vector<ValueType>& types = TypesOf(tag);
  code.Const(tag + 1);
  for (std::uint32_t i = 0; i < types.size(); ++i) code.GetGlobal(cells().values[tag] + i);
  const std::uint32_t used = CountWords(types);
  for (std::uint32_t i = used; i < words_; ++i) code.Const(0);
  const std::uint32_t values = 1 + CountOf(types) + words_ - used;
  code.Add(InstrKind::kRegroup,
           Regroup(has_slots_ ? std::vector<ValueType>(words_ + 1, ValueType::kI32)
                              : std::vector<ValueType>{reference_}),
           values);
}

/// Sets the words of a slot, parameters after its number, or pushes them.
std::uint32_t ExceptionValues::SlotFunction(bool is_set) {
  std::optional<std::uint32_t>& made = is_set ? set_slot_ : get_slot_;
  if (made) return *made;
  const std::uint32_t words = words_ + 1;
  const std::vector<ValueType> types(words, ValueType::kI32);
  const std::uint32_t nothing = SignatureOf({});
  CodeWriter code;
  Signature signature{{ValueType::kI32}, {}};
  if (is_set) {
    signature.params.insert(signature.params.end(), types.begin(), types.end());
  } else {
    signature.results = types;
    for (std::uint32_t i = 0; i < words; ++i) (void)code.NewLocal(1);
  }
  Tree(code, 0, slots_, nothing, [&](std::uint32_t slot) {
    for (std::uint32_t i = 0; i < words; ++i) {
      const std::uint32_t global = first_slot_ + slot * words + i;
      if (is_set) {
        code.Get(1 + i);
        code.SetGlobal(global);
      } else {
        code.GetGlobal(global);
        code.Set(1 + i);
      }
    }
  });
  for (std::uint32_t i = 0; !is_set && i < words; ++i) code.Get(1 + i);
  made = Append(std::move(code), is_set ? "exception.set_slot" : "exception.get_slot",
                std::move(signature));
  return *made;
}

/// Pushes a reference to the exception that `pending` names.
std::uint32_t ExceptionValues::CaptureFunction() {
  if (capture_) return *capture_;
  const std::uint32_t set_slot = has_slots_ ? SlotFunction(true) : 0;
  const std::uint32_t nothing = SignatureOf({});
  CodeWriter code;
  if (has_slots_) {
    code.GetGlobal(next_slot_);
    code.Const(slots_);
    code.Op(Opcode::kGeU);
    code.Add(InstrKind::kIf, nothing);
    module_.trap_notes.push_back(
        fmt::format("more than {} references to exceptions are taken", slots_));
    code.Add(InstrKind::kTrap, static_cast<std::uint32_t>(isa::Trap::kExhausted),
             CountOf(module_.trap_notes));
    code.End();
  }
  for (std::uint32_t tag = 0; tag < module_.tags.size(); ++tag) {
    code.GetGlobal(cells().pending);
    code.Const(tag + 1);
    code.Op(Opcode::kEq);
    code.Add(InstrKind::kIf, nothing);
    if (has_slots_) code.GetGlobal(next_slot_);
    Capture(tag, code);
    if (has_slots_) {
      code.Call(set_slot);
      code.GetGlobal(next_slot_);
      code.Const(1);
      code.Op(Opcode::kAdd);
      code.SetGlobal(next_slot_);
      code.GetGlobal(next_slot_);
    }
    code.Add(InstrKind::kReturn);
    code.End();
  }
  code.Add(InstrKind::kUnreachable);
  capture_ = Append(std::move(code), "exception.reference", {{}, {reference_}});
  return *capture_;
}

std::uint32_t ExceptionValues::ReleaseFunction() {
  if (release_) return *release_;
  const std::uint32_t get_slot = has_slots_ ? SlotFunction(false) : 0;
  const std::uint32_t nothing = SignatureOf({});
  CodeWriter code;
  const std::uint32_t first = code.NewLocal(1);
  for (std::uint32_t i = 0; i < words_; ++i) (void)code.NewLocal(1);
  const auto trap_if_null = [&] {
    code.Op(Opcode::kEqz);
    code.Add(InstrKind::kIf, nothing);
    module_.trap_notes.emplace_back("null exception reference");
    code.Add(InstrKind::kTrap, static_cast<std::uint32_t>(isa::Trap::kUnreachable),
             CountOf(module_.trap_notes));
    code.End();
  };
  code.Get(0);
  if (has_slots_) {
    trap_if_null();
    code.Get(0);
    code.Const(1);
    code.Op(Opcode::kSub);
    code.Call(get_slot);
  } else {
    code.Add(InstrKind::kRegroup, Regroup(std::vector<ValueType>(words_ + 1, ValueType::kI32)), 1);
  }
  for (std::uint32_t i = words_ + 1; i-- > 0;) code.Set(first + i);
  if (!has_slots_) {
    code.Get(first);
    trap_if_null();
  }
  code.Get(first);
  code.SetGlobal(cells().pending);
  for (std::uint32_t tag = 0; tag < module_.tags.size(); ++tag) {
    const std::uint32_t used = CountWords(TypesOf(tag)), values = CountOf(TypesOf(tag));
    if (used == 0) continue;
    code.Get(first);
    code.Const(tag + 1);
    code.Op(Opcode::kEq);
    code.Add(InstrKind::kIf, nothing);
    for (std::uint32_t i = 0; i < used; ++i) code.Get(first + 1 + i);
    code.Add(InstrKind::kRegroup, Regroup(TypesOf(tag)), used);
    for (std::uint32_t i = values; i-- > 0;) code.SetGlobal(cells().values[tag] + i);
    code.End();
  }
  release_ = Append(std::move(code), "exception.throw_ref", {{reference_}, {}});
  return *release_;
}

void ExceptionValues::AppendCapture(std::optional<std::uint32_t> tag, std::uint32_t place,
                                    std::vector<Instr>& body) {
  if (!tag || has_slots_) {
    body.push_back({InstrKind::kCall, Opcode::kNop, CaptureFunction(), 0, place});
    return;
  }
  CodeWriter code;
  Capture(*tag, code);
  for (Instr instr : std::move(code).Finish({}, 0).body) {
    if (instr.kind == InstrKind::kEnd) break;
    instr.place = place;
    body.push_back(instr);
  }
}

void ExceptionValues::AppendRelease(std::uint32_t place, std::vector<Instr>& body) {
  body.push_back({InstrKind::kCall, Opcode::kNop, ReleaseFunction(), 0, place});
}

}  // namespace txvm::frontends::wat
