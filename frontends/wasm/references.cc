// It is long: references, tables and segments share one state and become words together.
#include "frontends/wasm/references.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/wasm/code_writer.h"

namespace txvm::frontends::wat {
namespace {

using isa::ErrorCode;
using isa::Opcode;
using isa::Result;
using isa::Trap;

bool HasReference(const std::vector<ValueType>& types) {
  return std::ranges::any_of(types, IsReference);
}

/// Whether an instruction is one of those that this pass replaces.
bool IsReplaced(InstrKind kind) {
  return (kind >= InstrKind::kRefNull && kind <= InstrKind::kDataDrop) ||
         (kind >= InstrKind::kAsNonNull && kind <= InstrKind::kReturnCallRef);
}

/// Instructions of bodies that are read on demand, one of each.
std::span<const Instr> FactsOf(const Module& module) {
  if (module.facts == nullptr) return {};
  return module.facts->instrs;
}

bool UsesReferences(const Module& module) {
  const auto signature = [](const Signature& item) {
    return HasReference(item.params) || HasReference(item.results);
  };
  const auto function = [](const Function& item) {
    return HasReference(item.locals) ||
           std::ranges::any_of(item.body, [](const Instr& i) { return IsReplaced(i.kind); });
  };
  const auto element = [](const ElementSegment& item) {
    return std::ranges::any_of(item.functions,
                               [](std::uint32_t e) { return GlobalOfElement(e).has_value(); });
  };
  const auto has_global = [](const Table& item) {
    return GlobalOfElement(item.initial_element).has_value();
  };
  return std::ranges::any_of(module.signatures, signature) ||
         std::ranges::any_of(module.globals, IsReference, &Global::type) ||
         std::ranges::any_of(module.tables, &Table::is_shared) ||
         std::ranges::any_of(module.tables, has_global) ||
         std::ranges::any_of(module.elements, element) ||
         std::ranges::any_of(module.functions, function) ||
         std::ranges::any_of(FactsOf(module), [](const Instr& i) { return IsReplaced(i.kind); });
}

/// Drops the segments that nothing writes at load.
void DropInactive(Module& module) {
  const auto is_inactive = [](const auto& segment) { return segment.mode != SegmentMode::kActive; };
  std::erase_if(module.elements, is_inactive);
  std::erase_if(module.data, is_inactive);
}

/// Lowers one module. Helper functions are appended to it, each when it is first needed.
class ReferenceLowerer {
 public:
  ReferenceLowerer(Module module, std::uint32_t max_table)
      : module_(std::move(module)), max_table_(max_table), signatures_(module_.signatures) {}

  Result<Module> Run() &&;

 private:
  /// The helpers of a table or segment; an index of a function, once made.
  enum class Helper : std::uint8_t {
    kSlotGet,          // table: index to element, unchecked
    kSlotSet,          // table: index and element, unchecked
    kGet,              // table
    kGetForCall,       // table: as kGet, with the trap of call_indirect
    kSet,              // table
    kGrow,             // table
    kFill,             // table
    kCopy,             // table written, table read
    kInit,             // table, element segment
    kElement,          // element segment: index to element, unchecked
    kWordOfData,       // data segment: index of a word to the word, unchecked
    kMemoryInit,       // data segment
    kNonNull,          // traps if the reference on top is null
    kNonNullFunction,  // the same with the words of a call
  };
  struct Key {
    Helper helper;
    std::uint32_t a = 0, b = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  /// Of every body, also of those that are read on demand.
  template <typename Visit>
  void ForEachInstr(const Visit& visit) const {
    for (const Function& function : module_.functions) std::ranges::for_each(function.body, visit);
    std::ranges::for_each(FactsOf(module_), visit);
  }
  std::vector<bool> FindLive() const;
  Result<void> MakeTables();
  void FillTable(const ElementSegment& segment);
  Result<void> CheckFits(const ElementSegment& segment, std::size_t number) const;
  void MakeCallTable();
  void Words();
  void Body(Function& function);

  std::uint32_t NewGlobal(std::uint32_t value);
  std::uint32_t WordOfElement(std::uint32_t element) const;
  std::uint32_t SizeOf(std::uint32_t table) const { return *module_.tables[table].size_global; }
  std::uint32_t LengthOfElements(std::uint32_t segment);
  std::uint32_t LengthOfData(std::uint32_t segment);

  std::uint32_t IndexOf(Key key);
  Function Make(Key key);
  void Tree(CodeWriter& code, std::uint32_t first, std::uint32_t end, std::uint32_t signature,
            const std::function<void(std::uint32_t)>& leaf);
  void TrapUnlessIn(CodeWriter& code, std::uint32_t first, std::uint32_t count,
                    std::uint32_t length_global, Trap cause);
  Function SlotGet(std::uint32_t table);
  Function SlotSet(std::uint32_t table);
  Function Checked(std::uint32_t table, Helper unchecked, Trap cause, std::string name);
  Function Grow(std::uint32_t table);
  Function Fill(std::uint32_t table);
  Function Copy(std::uint32_t to, std::uint32_t from);
  Function Init(std::uint32_t table, std::uint32_t segment);
  Function Element(std::uint32_t segment);
  Function WordOfData(std::uint32_t segment);
  Function MemoryInit(std::uint32_t segment);
  Function NonNull(std::string_view note);

  std::uint32_t Nothing() { return signatures_.Of(0, 0); }

  Module module_;
  std::uint32_t max_table_;  // elements of a table that changes
  WordSignatures signatures_;
  std::uint32_t own_functions_ = 0;
  std::uint32_t call_table_ = 0;           // of every function that a reference can name
  std::vector<bool> live_;                 // (tables,)
  std::vector<std::uint32_t> first_slot_;  // (tables,) global of element 0, of a live one
  std::vector<std::uint32_t> capacity_;    // (tables,) elements, of a live one
  std::map<std::uint32_t, std::uint32_t> element_lengths_, data_lengths_;  // segment -> global
  std::map<Key, std::uint32_t> helpers_;
  std::vector<Function> made_;
};

/// The tables that code or others may change, or that code reads as values.
std::vector<bool> ReferenceLowerer::FindLive() const {
  std::vector<bool> live;
  for (const Table& table : module_.tables) {
    live.push_back(table.is_shared || GlobalOfElement(table.initial_element).has_value());
  }
  ForEachInstr([&live](const Instr& instr) {
    if (instr.kind < InstrKind::kTableGet || instr.kind > InstrKind::kTableInit) return;
    live[instr.a] = true;
    if (instr.kind == InstrKind::kTableCopy) live[instr.b] = true;
  });
  for (const ElementSegment& segment : module_.elements) {  // fixed code needs functions
    const bool has_global = std::ranges::any_of(
        segment.functions, [](std::uint32_t e) { return GlobalOfElement(e).has_value(); });
    if (segment.mode == SegmentMode::kActive && has_global) live[segment.table] = true;
  }
  return live;
}

std::uint32_t ReferenceLowerer::NewGlobal(std::uint32_t value) {
  Global global;
  global.is_mutable = true;
  global.init.kind = ConstantExpr::Kind::kWord;
  global.init.value = value;
  module_.globals.push_back(std::move(global));
  return CountOf(module_.globals) - 1;
}

/// The word of an element whose value is known before the program runs.
std::uint32_t ReferenceLowerer::WordOfElement(std::uint32_t element) const {
  if (element == kNullFunction || element == kUnknownFunction) return 0;
  const std::optional<std::uint32_t> global = GlobalOfElement(element);
  if (!global) return element + 1;
  const ConstantExpr& init = module_.globals[*global].init;
  return init.kind == ConstantExpr::Kind::kWord       ? init.value
         : init.kind == ConstantExpr::Kind::kFunction ? init.value + 1
                                                      : 0;
}

Result<void> ReferenceLowerer::CheckFits(const ElementSegment& segment, std::size_t number) const {
  const std::uint32_t offset = segment.offset.value;
  const std::uint64_t size = module_.tables[segment.table].extent.initial;
  if (offset + std::uint64_t{segment.functions.size()} <= size) return {};
  return isa::Fail(
      ErrorCode::kInvalid,
      fmt::format("out of bounds table access: element segment {} needs {} elements, "
                  "table {} has {}",
                  number, offset + std::uint64_t{segment.functions.size()}, segment.table, size));
}

void ReferenceLowerer::FillTable(const ElementSegment& segment) {
  for (std::size_t i = 0; i < segment.functions.size(); ++i) {
    const std::size_t slot = first_slot_[segment.table] + segment.offset.value + i;
    module_.globals[slot].init.value = WordOfElement(segment.functions[i]);
  }
}

Result<void> ReferenceLowerer::MakeTables() {
  std::vector<bool> grows(module_.tables.size());
  ForEachInstr([&grows](const Instr& instr) {
    if (instr.kind == InstrKind::kTableGrow) grows[instr.a] = true;
  });
  first_slot_.resize(module_.tables.size());
  capacity_.resize(module_.tables.size());
  for (std::uint32_t i = 0; i < module_.tables.size(); ++i) {
    if (!live_[i]) continue;
    const Extent& extent = module_.tables[i].extent;
    if (extent.initial > max_table_) {
      return isa::Fail(ErrorCode::kLimit,
                       fmt::format("table {} has {} elements and code changes it; the limit is {} "
                                   "(max_table, --max-table)",
                                   i, extent.initial, max_table_));
    }
    std::uint64_t room = extent.initial;
    if (grows[i]) {
      room = std::min<std::uint64_t>(extent.initial * 2 + kGrowRoom, max_table_);
      room = std::min(room, extent.maximum.value_or(room));
    }
    capacity_[i] = static_cast<std::uint32_t>(room);
    module_.tables[i].size_global = NewGlobal(static_cast<std::uint32_t>(extent.initial));
    first_slot_[i] = CountOf(module_.globals);
    const std::uint32_t word = WordOfElement(module_.tables[i].initial_element);
    for (std::uint32_t j = 0; j < capacity_[i]; ++j) {
      (void)NewGlobal(j < extent.initial ? word : 0);
    }
  }
  for (std::size_t i = 0; i < module_.elements.size(); ++i) {
    ElementSegment& segment = module_.elements[i];
    if (segment.mode != SegmentMode::kActive) continue;
    TXVM_CHECK_OK(CheckFits(segment, i));
    if (live_[segment.table]) FillTable(segment);
  }
  return {};
}

/// The fixed table through which functions are called that a reference names.
void ReferenceLowerer::MakeCallTable() {
  std::vector<bool> is_named(module_.functions.size());
  for (const ElementSegment& segment : module_.elements) {
    for (const std::uint32_t element : segment.functions) {
      if (element < is_named.size()) is_named[element] = true;
    }
  }
  ForEachInstr([&is_named](const Instr& instr) {
    if (instr.kind == InstrKind::kRefFunc) is_named[instr.a] = true;
  });
  for (const Table& table : module_.tables) {
    if (table.initial_element < is_named.size()) is_named[table.initial_element] = true;
  }
  for (const Global& global : module_.globals) {
    if (global.init.kind == ConstantExpr::Kind::kFunction) is_named[global.init.value] = true;
  }
  call_table_ = CountOf(module_.tables);
  Table table;
  table.extent.initial = module_.functions.size() + 1;
  module_.tables.push_back(std::move(table));
  ElementSegment all;
  all.table = call_table_;
  all.offset.kind = ConstantExpr::Kind::kWord;
  all.offset.value = 1;
  for (std::uint32_t i = 0; i < is_named.size(); ++i) {
    all.functions.push_back(is_named[i] ? i : kNullFunction);
  }
  module_.elements.push_back(std::move(all));
}

std::uint32_t ReferenceLowerer::LengthOfElements(std::uint32_t segment) {
  const auto [found, is_new] = element_lengths_.try_emplace(segment, 0);
  if (is_new) {
    const ElementSegment& item = module_.elements[segment];
    found->second = NewGlobal(item.mode == SegmentMode::kPassive ? CountOf(item.functions) : 0);
  }
  return found->second;
}

std::uint32_t ReferenceLowerer::LengthOfData(std::uint32_t segment) {
  const auto [found, is_new] = data_lengths_.try_emplace(segment, 0);
  if (is_new) {
    const DataSegment& item = module_.data[segment];
    found->second = NewGlobal(item.mode == SegmentMode::kPassive ? CountOf(item.bytes) : 0);
  }
  return found->second;
}

std::uint32_t ReferenceLowerer::IndexOf(Key key) {
  if (const auto found = helpers_.find(key); found != helpers_.end()) return found->second;
  Function function = Make(key);  // may make others
  const std::uint32_t index = own_functions_ + CountOf(made_);
  made_.push_back(std::move(function));
  helpers_.emplace(key, index);
  return index;
}

Function ReferenceLowerer::Make(Key key) {
  switch (key.helper) {
    case Helper::kSlotGet:
      return SlotGet(key.a);
    case Helper::kSlotSet:
      return SlotSet(key.a);
    case Helper::kGet:
      return Checked(key.a, Helper::kSlotGet, Trap::kTableOutOfBounds, "table.get");
    case Helper::kGetForCall:
      return Checked(key.a, Helper::kSlotGet, Trap::kUndefinedElement, "element");
    case Helper::kSet:
      return Checked(key.a, Helper::kSlotSet, Trap::kTableOutOfBounds, "table.set");
    case Helper::kGrow:
      return Grow(key.a);
    case Helper::kFill:
      return Fill(key.a);
    case Helper::kCopy:
      return Copy(key.a, key.b);
    case Helper::kInit:
      return Init(key.a, key.b);
    case Helper::kElement:
      return Element(key.a);
    case Helper::kWordOfData:
      return WordOfData(key.a);
    case Helper::kNonNull:
      return NonNull("null reference");
    case Helper::kNonNullFunction:
      return NonNull("null function reference");
    case Helper::kMemoryInit:
      break;
  }
  return MemoryInit(key.a);
}

/// Finds local 0 in [first, end) and does `leaf` for it. Recursion depth is the height of the tree.
void ReferenceLowerer::Tree(CodeWriter& code, std::uint32_t first, std::uint32_t end,
                            std::uint32_t signature,
                            const std::function<void(std::uint32_t)>& leaf) {
  if (end - first == 1) return leaf(first);
  const std::uint32_t middle = first + (end - first) / 2;
  code.Get(0);
  code.Const(middle);
  code.Op(Opcode::kLtU);
  code.Add(InstrKind::kIf, signature);
  Tree(code, first, middle, signature, leaf);
  code.Add(InstrKind::kElse);
  Tree(code, middle, end, signature, leaf);
  code.End();
}

Function ReferenceLowerer::SlotGet(std::uint32_t table) {
  CodeWriter code;
  const std::uint32_t word = signatures_.Of(0, 1);
  if (capacity_[table] == 0) {
    code.Const(0);
  } else {
    Tree(code, 0, capacity_[table], word,
         [&](std::uint32_t i) { code.GetGlobal(first_slot_[table] + i); });
  }
  return std::move(code).Finish(fmt::format("element(table {})", table), signatures_.Of(1, 1));
}

Function ReferenceLowerer::SlotSet(std::uint32_t table) {
  CodeWriter code;
  if (capacity_[table] != 0) {
    Tree(code, 0, capacity_[table], Nothing(), [&](std::uint32_t i) {
      code.Get(1);
      code.SetGlobal(first_slot_[table] + i);
    });
  }
  return std::move(code).Finish(fmt::format("set_element(table {})", table), signatures_.Of(2, 0));
}

/// Traps if the index, local 0, is not below the size, else does `unchecked`.
Function ReferenceLowerer::Checked(std::uint32_t table, Helper unchecked, Trap cause,
                                   std::string name) {
  const bool is_set = unchecked == Helper::kSlotSet;
  CodeWriter code;
  code.Get(0);
  code.GetGlobal(SizeOf(table));
  code.Op(Opcode::kGeU);
  code.TrapIf(cause, Nothing());
  code.Get(0);
  if (is_set) code.Get(1);
  code.Call(IndexOf({unchecked, table}));
  return std::move(code).Finish(fmt::format("{}(table {})", name, table),
                                is_set ? signatures_.Of(2, 0) : signatures_.Of(1, 1));
}

/// Traps unless the locals first + count lie in [0, length].
void ReferenceLowerer::TrapUnlessIn(CodeWriter& code, std::uint32_t first, std::uint32_t count,
                                    std::uint32_t length_global, Trap cause) {
  code.Get(count);
  code.GetGlobal(length_global);
  code.Op(Opcode::kGtU);
  code.TrapIf(cause, Nothing());
  code.Get(first);
  code.GetGlobal(length_global);
  code.Get(count);
  code.Op(Opcode::kSub);
  code.Op(Opcode::kGtU);
  code.TrapIf(cause, Nothing());
}

/// Emits a loop that does `step` while local `count` is not 0, and counts it down.
void CountDown(CodeWriter& code, std::uint32_t count, std::uint32_t nothing,
               const std::function<void()>& step) {
  code.Add(InstrKind::kBlock, nothing);
  code.Add(InstrKind::kLoop, nothing);
  code.Get(count);
  code.Op(Opcode::kEqz);
  code.Add(InstrKind::kBrIf, 1);
  step();
  code.Get(count);
  code.Const(1);
  code.Op(Opcode::kSub);
  code.Set(count);
  code.Add(InstrKind::kBr, 0);
  code.End();
  code.End();
}

void Increment(CodeWriter& code, std::uint32_t local) {
  code.Get(local);
  code.Const(1);
  code.Op(Opcode::kAdd);
  code.Set(local);
}

Function ReferenceLowerer::Grow(std::uint32_t table) {
  constexpr std::uint32_t kParams = 2, kElement = 0, kCount = 1;
  CodeWriter code;
  const std::uint32_t old = code.NewLocal(kParams), at = code.NewLocal(kParams);
  code.GetGlobal(SizeOf(table));
  code.Tee(old);
  code.Set(at);
  code.Get(kCount);
  code.Const(capacity_[table]);
  code.Get(old);
  code.Op(Opcode::kSub);
  code.Op(Opcode::kGtU);
  code.Add(InstrKind::kIf, Nothing());
  code.Const(0xFFFFFFFF);
  code.Add(InstrKind::kReturn);
  code.End();
  code.Get(old);
  code.Get(kCount);
  code.Op(Opcode::kAdd);
  code.SetGlobal(SizeOf(table));
  CountDown(code, kCount, Nothing(), [&] {
    code.Get(at);
    code.Get(kElement);
    code.Call(IndexOf({Helper::kSlotSet, table}));
    Increment(code, at);
  });
  code.Get(old);
  return std::move(code).Finish(fmt::format("table.grow(table {})", table), signatures_.Of(2, 1));
}

Function ReferenceLowerer::Fill(std::uint32_t table) {
  constexpr std::uint32_t kAt = 0, kElement = 1, kCount = 2;
  CodeWriter code;
  TrapUnlessIn(code, kAt, kCount, SizeOf(table), Trap::kTableOutOfBounds);
  CountDown(code, kCount, Nothing(), [&] {
    code.Get(kAt);
    code.Get(kElement);
    code.Call(IndexOf({Helper::kSlotSet, table}));
    Increment(code, kAt);
  });
  return std::move(code).Finish(fmt::format("table.fill(table {})", table), signatures_.Of(3, 0));
}

/// Upwards when the destination is not above the source, else downwards.
Function ReferenceLowerer::Copy(std::uint32_t to, std::uint32_t from) {
  constexpr std::uint32_t kTo = 0, kFrom = 1, kCount = 2;
  CodeWriter code;
  TrapUnlessIn(code, kFrom, kCount, SizeOf(from), Trap::kTableOutOfBounds);
  TrapUnlessIn(code, kTo, kCount, SizeOf(to), Trap::kTableOutOfBounds);
  code.Get(kTo);
  code.Get(kFrom);
  code.Op(Opcode::kLeU);
  code.Add(InstrKind::kIf, Nothing());
  CountDown(code, kCount, Nothing(), [&] {
    code.Get(kTo);
    code.Get(kFrom);
    code.Call(IndexOf({Helper::kSlotGet, from}));
    code.Call(IndexOf({Helper::kSlotSet, to}));
    Increment(code, kTo);
    Increment(code, kFrom);
  });
  code.Add(InstrKind::kElse);
  CountDown(code, kCount, Nothing(), [&] {
    for (const std::uint32_t base : {kTo, kFrom}) {
      code.Get(base);
      code.Get(kCount);
      code.Op(Opcode::kAdd);
      code.Const(1);
      code.Op(Opcode::kSub);
    }
    code.Call(IndexOf({Helper::kSlotGet, from}));
    code.Call(IndexOf({Helper::kSlotSet, to}));
  });
  code.End();
  return std::move(code).Finish(fmt::format("table.copy(table {}, table {})", to, from),
                                signatures_.Of(3, 0));
}

Function ReferenceLowerer::Init(std::uint32_t table, std::uint32_t segment) {
  constexpr std::uint32_t kTo = 0, kFrom = 1, kCount = 2;
  CodeWriter code;
  TrapUnlessIn(code, kFrom, kCount, LengthOfElements(segment), Trap::kTableOutOfBounds);
  TrapUnlessIn(code, kTo, kCount, SizeOf(table), Trap::kTableOutOfBounds);
  CountDown(code, kCount, Nothing(), [&] {
    code.Get(kTo);
    code.Get(kFrom);
    code.Call(IndexOf({Helper::kElement, segment}));
    code.Call(IndexOf({Helper::kSlotSet, table}));
    Increment(code, kTo);
    Increment(code, kFrom);
  });
  return std::move(code).Finish(fmt::format("table.init(table {}, elem {})", table, segment),
                                signatures_.Of(3, 0));
}

Function ReferenceLowerer::Element(std::uint32_t segment) {
  CodeWriter code;
  const std::vector<std::uint32_t>& elements = module_.elements[segment].functions;
  if (elements.empty()) {
    code.Const(0);
  } else {
    Tree(code, 0, CountOf(elements), signatures_.Of(0, 1),
         [&](std::uint32_t i) { code.Const(WordOfElement(elements[i])); });
  }
  return std::move(code).Finish(fmt::format("element(elem {})", segment), signatures_.Of(1, 1));
}

constexpr std::uint32_t kDataWordBytes = 4, kLogDataWord = 2, kLogByteBits = 3;

Function ReferenceLowerer::WordOfData(std::uint32_t segment) {
  CodeWriter code;
  const std::vector<std::uint8_t>& bytes = module_.data[segment].bytes;
  const std::uint32_t words = (CountOf(bytes) + kDataWordBytes - 1) / kDataWordBytes;
  const auto word_at = [&](std::uint32_t index) {
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < kDataWordBytes; ++i) {
      const std::size_t at = std::size_t{index} * kDataWordBytes + i;
      if (at < bytes.size()) word |= std::uint32_t{bytes[at]} << (i * 8);
    }
    return word;
  };
  if (words == 0) {
    code.Const(0);
  } else {
    Tree(code, 0, words, signatures_.Of(0, 1), [&](std::uint32_t i) { code.Const(word_at(i)); });
  }
  return std::move(code).Finish(fmt::format("word(data {})", segment), signatures_.Of(1, 1));
}

/// The memory is checked by its size in pages, so that a range that ends at 2^32 can fit.
Function ReferenceLowerer::MemoryInit(std::uint32_t segment) {
  constexpr std::uint32_t kTo = 0, kFrom = 1, kCount = 2, kParams = 3;
  constexpr std::uint32_t kPageBits = 16, kInPage = 0xFFFF;
  CodeWriter code;
  const std::uint32_t end = code.NewLocal(kParams);
  TrapUnlessIn(code, kFrom, kCount, LengthOfData(segment), Trap::kOutOfBounds);
  code.Get(kTo);
  code.Get(kCount);
  code.Op(Opcode::kAdd);
  code.Tee(end);
  code.Const(kPageBits);
  code.Op(Opcode::kShrU);
  code.Get(end);  // the carry of the sum
  code.Get(kTo);
  code.Op(Opcode::kLtU);
  code.Const(kPageBits);
  code.Op(Opcode::kShl);
  code.Op(Opcode::kAdd);
  code.Get(end);  // a page that is begun
  code.Const(kInPage);
  code.Op(Opcode::kAnd);
  code.Const(0);
  code.Op(Opcode::kNe);
  code.Op(Opcode::kAdd);
  code.Add(InstrKind::kMemorySize);
  code.Op(Opcode::kGtU);
  code.TrapIf(Trap::kOutOfBounds, Nothing());
  const auto get_word = [&] {
    code.Get(kTo);
    code.Get(kFrom);
    code.Const(kLogDataWord);
    code.Op(Opcode::kShrU);
    code.Call(IndexOf({Helper::kWordOfData, segment}));
  };
  const auto advance = [&](std::uint32_t local, Opcode op, std::uint32_t by) {
    code.Get(local);
    code.Const(by);
    code.Op(op);
    code.Set(local);
  };
  CountDown(code, kCount, Nothing(), [&] {
    code.Get(kFrom);
    code.Const(kDataWordBytes - 1);
    code.Op(Opcode::kAnd);
    code.Op(Opcode::kEqz);
    code.Get(kCount);
    code.Const(kDataWordBytes);
    code.Op(Opcode::kGeU);
    code.Op(Opcode::kAnd);
    code.Add(InstrKind::kIf, Nothing());  // a whole word
    get_word();
    code.Add(InstrKind::kAccess, 0, 0, Opcode::kStore);
    advance(kTo, Opcode::kAdd, kDataWordBytes);
    advance(kFrom, Opcode::kAdd, kDataWordBytes);
    advance(kCount, Opcode::kSub, kDataWordBytes - 1);  // the loop counts one itself
    code.Add(InstrKind::kElse);
    get_word();
    code.Get(kFrom);
    code.Const(kDataWordBytes - 1);
    code.Op(Opcode::kAnd);
    code.Const(kLogByteBits);
    code.Op(Opcode::kShl);
    code.Op(Opcode::kShrU);
    code.Add(InstrKind::kAccess, 0, 0, Opcode::kStore8);
    Increment(code, kTo);
    Increment(code, kFrom);
    code.End();
  });
  return std::move(code).Finish(fmt::format("memory.init(data {})", segment), signatures_.Of(3, 0));
}

/// Leaves the reference it takes; traps where that is null.
Function ReferenceLowerer::NonNull(std::string_view note) {
  auto found = std::ranges::find(module_.trap_notes, note);
  if (found == module_.trap_notes.end()) {
    found = module_.trap_notes.insert(found, std::string(note));
  }
  CodeWriter code;
  code.Get(0);
  code.Op(Opcode::kEqz);
  code.Add(InstrKind::kIf, Nothing());
  code.Add(InstrKind::kTrap, static_cast<std::uint32_t>(Trap::kUnreachable),
           static_cast<std::uint32_t>(found - module_.trap_notes.begin()) + 1);
  code.End();
  code.Get(0);
  return std::move(code).Finish("ref.as_non_null", signatures_.Of(1, 1));
}

/// Replaces the instructions of one body, in place where one becomes one.
void ReferenceLowerer::Body(Function& function) {
  std::vector<Instr> body;
  body.reserve(function.body.size());
  std::optional<std::uint32_t> scratch;  // local that keeps a reference while it is looked at
  const auto scratch_local = [&] {
    if (!scratch) {
      scratch = CountOf(module_.SignatureOf(function).params) + CountOf(function.locals);
      function.locals.push_back(ValueType::kI32);
    }
    return *scratch;
  };
  for (const Instr& instr : function.body) {
    const auto add = [&](InstrKind kind, std::uint32_t a = 0, std::uint32_t b = 0,
                         Opcode op = Opcode::kNop) {
      body.push_back({kind, op, a, b, instr.place});
    };
    const auto call = [&](Helper helper, std::uint32_t a, std::uint32_t b = 0) {
      add(InstrKind::kCall, IndexOf({helper, a, b}));
    };
    switch (instr.kind) {
      case InstrKind::kRefNull:
        add(InstrKind::kConst, 0);
        break;
      case InstrKind::kRefFunc:
        add(InstrKind::kConst, instr.a + 1);
        break;
      case InstrKind::kRefIsNull:
        add(InstrKind::kOp, 0, 0, Opcode::kEqz);
        break;
      case InstrKind::kAsNonNull:
        call(Helper::kNonNull, 0);
        break;
      case InstrKind::kBrOnNull:
        add(InstrKind::kLocal, scratch_local(), 0, Opcode::kLocalTee);
        add(InstrKind::kOp, 0, 0, Opcode::kEqz);
        add(InstrKind::kBrIf, instr.a);
        add(InstrKind::kLocal, scratch_local(), 0, Opcode::kLocalGet);
        break;
      case InstrKind::kBrOnNonNull:
        add(InstrKind::kLocal, scratch_local(), 0, Opcode::kLocalTee);
        add(InstrKind::kLocal, scratch_local(), 0, Opcode::kLocalGet);
        add(InstrKind::kBrIf, instr.a);
        add(InstrKind::kOp, 0, 0, Opcode::kPop);
        break;
      case InstrKind::kCallRef:
      case InstrKind::kReturnCallRef:
        call(Helper::kNonNullFunction, 0);
        add(instr.kind == InstrKind::kCallRef ? InstrKind::kCallIndirect
                                              : InstrKind::kReturnCallIndirect,
            instr.a, call_table_);
        break;
      case InstrKind::kTableGet:
        call(Helper::kGet, instr.a);
        break;
      case InstrKind::kTableSet:
        call(Helper::kSet, instr.a);
        break;
      case InstrKind::kTableSize:
        add(InstrKind::kGlobalGet, SizeOf(instr.a));
        break;
      case InstrKind::kTableGrow:
        call(Helper::kGrow, instr.a);
        break;
      case InstrKind::kTableFill:
        call(Helper::kFill, instr.a);
        break;
      case InstrKind::kTableCopy:
        call(Helper::kCopy, instr.a, instr.b);
        break;
      case InstrKind::kTableInit:
        call(Helper::kInit, instr.a, instr.b);
        break;
      case InstrKind::kElemDrop:
        add(InstrKind::kConst, 0);
        add(InstrKind::kGlobalSet, LengthOfElements(instr.a));
        break;
      case InstrKind::kMemoryInit:
        call(Helper::kMemoryInit, instr.a);
        break;
      case InstrKind::kDataDrop:
        add(InstrKind::kConst, 0);
        add(InstrKind::kGlobalSet, LengthOfData(instr.a));
        break;
      case InstrKind::kCallIndirect:
      case InstrKind::kReturnCallIndirect:
        if (live_[instr.b]) {
          call(Helper::kGetForCall, instr.b);
          add(instr.kind, instr.a, call_table_);
        } else {
          body.push_back(instr);
        }
        break;
      default:
        body.push_back(instr);
    }
  }
  function.body = std::move(body);
}

/// Types and initial values of references become those of words.
void ReferenceLowerer::Words() {
  const auto convert = [](std::vector<ValueType>& types) {
    for (ValueType& type : types) {
      if (IsReference(type)) type = ValueType::kI32;
    }
  };
  for (Signature& signature : module_.signatures) {
    convert(signature.params);
    convert(signature.results);
  }
  for (Function& function : module_.functions) convert(function.locals);
  for (Global& global : module_.globals) {
    if (!IsReference(global.type)) continue;
    global.type = ValueType::kI32;
    const bool is_function = global.init.kind == ConstantExpr::Kind::kFunction;
    const bool is_word = global.init.kind == ConstantExpr::Kind::kWord;
    global.init.value = is_word ? global.init.value : is_function ? global.init.value + 1 : 0;
    global.init.kind = ConstantExpr::Kind::kWord;
  }
}

Result<Module> ReferenceLowerer::Run() && {
  own_functions_ = CountOf(module_.functions);
  live_ = FindLive();
  TXVM_CHECK_OK(MakeTables());
  MakeCallTable();
  live_.push_back(false);
  Words();
  if (module_.facts != nullptr) {  // so that the same globals and helpers are made every time
    Function facts;
    facts.body = module_.facts->instrs;
    Body(facts);
  }
  for (Function& function : module_.functions) {
    if (!function.import) Body(function);
  }
  for (Function& function : made_) module_.functions.push_back(std::move(function));
  std::vector<ElementSegment> fixed;
  for (ElementSegment& segment : module_.elements) {
    if (segment.mode == SegmentMode::kActive && !live_[segment.table]) {
      fixed.push_back(std::move(segment));
    }
  }
  module_.elements = std::move(fixed);
  DropInactive(module_);
  for (Table& table : module_.tables) table.is_shared = false;  // no table instruction is left
  return std::move(module_);
}

}  // namespace

Result<Module> LowerReferences(Module module, std::uint32_t max_table) {
  ComputeConstants(module);
  if (!UsesReferences(module)) {
    DropInactive(module);
    return module;
  }
  TXVM_CHECK_OK(CheckOwned(module));
  return ReferenceLowerer(std::move(module), max_table).Run();
}

}  // namespace txvm::frontends::wat
