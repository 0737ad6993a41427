#include "frontends/wasm/addresses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "frontends/wasm/code_writer.h"
#include "frontends/wasm/helper_table.h"
#include "frontends/wasm/instruction_map.h"
#include "frontends/wasm/opcodes.h"
#include "frontends/wasm/wide.h"
#include "isa/limits.h"

namespace txvm::frontends::wat {
namespace {

using isa::ErrorCode;
using isa::Opcode;
using isa::Result;

constexpr std::string_view kHostMemory = "memory";  // what host functions read is exported as this
constexpr std::uint32_t kPageBits = 16;
constexpr std::uint32_t kLastSharedPages = isa::kMaxPages - 1;  // sizes in bytes are words

/// The row of opcodes.def that a load or store came from; nullptr where it is no access. Cost
/// O(rows).
const wasm::OpInfo* RowOf(const Instr& instr) {
  constexpr std::uint32_t kCodeMask = (1u << kLaneShift) - 1;
  switch (instr.kind) {
    case InstrKind::kAccess:
    case InstrKind::kAtomic:
    case InstrKind::kWide:
    case InstrKind::kFloat:
    case InstrKind::kVector:
      break;
    default:
      return nullptr;
  }
  const std::uint32_t code = instr.kind == InstrKind::kVector ? instr.b & kCodeMask : instr.b;
  for (std::size_t i = 0; i < wasm::kOpCount; ++i) {
    const Instr& row = wasm::kInstrOfOp[i];
    if (row.kind != instr.kind || row.op != instr.op || row.b != code) continue;
    const wasm::OpInfo& info = wasm::kOps[i];
    const bool has_address = info.immediate == wasm::Immediate::kAccess ||
                             info.immediate == wasm::Immediate::kAccessLane;
    return has_address ? &info : nullptr;
  }
  return nullptr;
}

/// Lowers one module. Functions it makes are appended when they are first needed.
class AddressLowering {
 public:
  explicit AddressLowering(Module module) : module_(std::move(module)) {}

  Result<Module> Run() && {
    is_shared_ = module_.memories.size() > 1;
    TXVM_CHECK_OK(CheckOwned(module_));
    ComputeConstants(module_);
    for (const Memory& memory : module_.memories) is_64_.push_back(memory.extent.is_64);
    TXVM_CHECK_OK(is_shared_ ? PlaceMemories() : CheckMemory());
    TXVM_CHECK_OK(PlaceData());
    PlaceElements();
    const std::size_t count = module_.functions.size();
    TakeHelpers();
    for (std::size_t i = 0; i < count; ++i) Body(i);
    for (Table& table : module_.tables) table.extent.is_64 = false;
    return std::move(module_);
  }

 private:
  /// What is called instead of an instruction.
  using Key = std::tuple<InstrKind, Opcode, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t>;  // kind, op, a, b, memory, high word of the offset

  Result<void> PlaceMemories();
  Result<void> CheckMemory();
  Result<void> PlaceData();
  void PlaceElements();
  void TakeHelpers();
  void Body(std::size_t function);

  std::uint32_t Signed(Signature signature);
  std::uint32_t Nothing() { return Signed({}); }
  ValueType AddressType(std::uint32_t memory) const {
    return is_64_[memory] ? ValueType::kI64 : ValueType::kI32;
  }
  ValueType IndexType(std::uint32_t table) const {
    return module_.tables[table].extent.is_64 ? ValueType::kI64 : ValueType::kI32;
  }
  void TrapOut(CodeWriter& code) const {
    code.Add(InstrKind::kTrap, static_cast<std::uint32_t>(isa::Trap::kOutOfBounds));
  }
  void GetAddress(CodeWriter& code, std::uint32_t local, bool is_64);
  void CheckRange(CodeWriter& code, std::uint32_t memory, std::uint32_t address,
                  std::uint32_t count);
  void PushPlace(CodeWriter& code, std::uint32_t memory, std::uint32_t address);

  std::uint32_t IndexOf(const Key& key, const Instr& instr, const wasm::OpInfo* row);
  Function Access(const Instr& instr, const wasm::OpInfo& row, std::uint32_t memory,
                  std::uint64_t offset);
  Function Grow(std::uint32_t memory);
  Function Fill(std::uint32_t memory);
  Function Copy(std::uint32_t to, std::uint32_t from);
  Function Init(std::uint32_t segment, std::uint32_t memory);
  Function OfTable(const Instr& instr);
  Function Index();

  Module module_;
  bool is_shared_ = false;             // the machine's memory holds several
  std::vector<bool> is_64_;            // (memories,)
  std::uint32_t copy_ = 0, fill_ = 0;  // functions of bulk_helpers.wat
  std::map<std::pair<std::vector<ValueType>, std::vector<ValueType>>, std::uint32_t> signatures_;
  std::map<Key, std::uint32_t> known_;
};

/// Gives every memory its range: what it has at first, and of the rest as much as it may want.
Result<void> AddressLowering::PlaceMemories() {
  std::uint64_t initial = 0;
  for (const Memory& memory : module_.memories) initial += memory.extent.initial;
  if (initial > kLastSharedPages) {
    return isa::Fail(ErrorCode::kLimit,
                     fmt::format("the memories have {} pages at first; together they can have {}",
                                 initial, kLastSharedPages));
  }
  std::vector<std::uint32_t> order(module_.memories.size());
  std::iota(order.begin(), order.end(), 0u);
  const Export* host = module_.FindExport(kHostMemory);
  if (host != nullptr && host->kind == ExportKind::kMemory) {
    std::rotate(order.begin(), order.begin() + host->index, order.begin() + host->index + 1);
  }
  module_.memory_ranges.resize(module_.memories.size());
  std::uint64_t left = kLastSharedPages - initial;
  std::uint32_t next = 0;
  for (const std::uint32_t memory : order) {
    const Extent& extent = module_.memories[memory].extent;
    const bool is_last = memory == order.back();
    std::uint64_t more = extent.maximum.value_or(isa::kMaxPages) - extent.initial;
    more = std::min({more, left, is_last ? left : std::uint64_t{kMemoryRoom}});
    left -= more;
    MemoryRange& range = module_.memory_ranges[memory];
    range.base = next << kPageBits;
    range.room = static_cast<std::uint32_t>(extent.initial + more);
    range.size_global = CountOf(module_.globals);
    next += range.room;
    Global size;
    size.is_mutable = true;
    size.init.kind = ConstantExpr::Kind::kWord;
    size.init.value = static_cast<std::uint32_t>(extent.initial) << kPageBits;
    module_.globals.push_back(std::move(size));
  }
  for (const Export& item : module_.exports) {
    if (item.kind != ExportKind::kMemory) continue;
    std::string& name = module_.memory_ranges[item.index].name;
    if (name.empty()) name = item.name;
  }
  Memory whole;
  whole.extent.maximum = next;
  for (std::size_t i = 0; i < module_.memories.size(); ++i) {
    const Extent& extent = module_.memories[i].extent;
    whole.extent.is_shared |= extent.is_shared;
    const std::uint64_t end = (module_.memory_ranges[i].base >> kPageBits) + extent.initial;
    whole.extent.initial = std::max(whole.extent.initial, end);
  }
  module_.memories = {std::move(whole)};
  return {};
}

/// Makes the single memory one of 32-bit addresses.
Result<void> AddressLowering::CheckMemory() {
  if (module_.memories.empty()) return {};
  Extent& extent = module_.memories.front().extent;
  if (extent.initial > isa::kMaxPages) {
    return isa::Fail(ErrorCode::kLimit,
                     fmt::format("the 64-bit memory has {} pages at first; it can have {} (4 GiB)",
                                 extent.initial, isa::kMaxPages));
  }
  if (extent.maximum) extent.maximum = std::min<std::uint64_t>(*extent.maximum, isa::kMaxPages);
  extent.is_64 = false;
  return {};
}

/// The low word of an offset; nullopt where the high one is not 0.
std::optional<std::uint32_t> LowOffset(const ConstantExpr& offset) {
  if (offset.kind == ConstantExpr::Kind::kPair && offset.high != 0) return std::nullopt;
  return offset.value;
}

Result<void> AddressLowering::PlaceData() {
  for (std::size_t i = 0; i < module_.data.size(); ++i) {
    DataSegment& segment = module_.data[i];
    if (segment.mode != SegmentMode::kActive) continue;
    const std::uint32_t memory = segment.memory;
    const auto offset = LowOffset(segment.offset);
    const std::uint64_t size =
        is_shared_ ? module_.globals[module_.memory_ranges[memory].size_global].init.value
                   : module_.memories.front().extent.initial * isa::kPageBytes;
    if (!offset || *offset + std::uint64_t{segment.bytes.size()} > size) {
      return isa::Fail(ErrorCode::kInvalid,
                       fmt::format("out of bounds memory access: data segment {} of {} bytes does "
                                   "not fit into memory {} of {} bytes",
                                   i, segment.bytes.size(), memory, size));
    }
    segment.offset = {.kind = ConstantExpr::Kind::kWord, .value = *offset};
    if (is_shared_) segment.offset.value += module_.memory_ranges[memory].base;
    segment.memory = 0;
  }
  return {};
}

/// An offset that is no 32-bit one is beyond every table, as the greatest is.
void AddressLowering::PlaceElements() {
  for (ElementSegment& segment : module_.elements) {
    if (segment.mode != SegmentMode::kActive || IndexType(segment.table) == ValueType::kI32) {
      continue;
    }
    const auto offset = LowOffset(segment.offset);
    segment.offset = {.kind = ConstantExpr::Kind::kWord, .value = offset.value_or(0xFFFFFFFF)};
  }
}

/// Appends what copies and fills the machine's memory, where it is needed.
void AddressLowering::TakeHelpers() {
  bool copies = false, fills = false;
  for (const Function& function : module_.functions) {
    for (const Instr& instr : function.body) {
      copies |= instr.kind == InstrKind::kMemoryCopy;
      fills |= instr.kind == InstrKind::kMemoryFill;
    }
  }
  if (!copies && !fills) return;
  HelperTable helpers("bulk_helpers", CountOf(module_.functions));
  if (copies) copy_ = helpers.IndexOf("memory.copy");
  if (fills) fill_ = helpers.IndexOf("memory.fill");
  for (Function& helper : helpers.Take(module_.signatures)) {
    module_.functions.push_back(std::move(helper));
  }
}

std::uint32_t AddressLowering::Signed(Signature signature) {
  const auto [found, is_new] =
      signatures_.try_emplace({signature.params, signature.results}, CountOf(module_.signatures));
  if (is_new) module_.signatures.push_back(std::move(signature));
  return found->second;
}

/// Pushes a 32-bit address or count; a 64-bit one that is none traps.
void AddressLowering::GetAddress(CodeWriter& code, std::uint32_t local, bool is_64) {
  code.Get(local);
  if (!is_64) return;
  code.Add(InstrKind::kWideConst, 0, 1);
  code.Add(InstrKind::kWide, 0, static_cast<std::uint32_t>(WideOp::kI64GeU));
  code.TrapIf(isa::Trap::kOutOfBounds, Nothing());
  code.Get(local);
  code.Add(InstrKind::kWide, 0, static_cast<std::uint32_t>(WideOp::kI32WrapI64));
}

/// Traps unless `count` bytes at `address`, 32-bit locals, lie in a memory of several.
void AddressLowering::CheckRange(CodeWriter& code, std::uint32_t memory, std::uint32_t address,
                                 std::uint32_t count) {
  if (!is_shared_) return;
  const std::uint32_t size = module_.memory_ranges[memory].size_global;
  code.Get(count);
  code.GetGlobal(size);
  code.Op(Opcode::kGtU);
  code.TrapIf(isa::Trap::kOutOfBounds, Nothing());
  code.Get(address);
  code.GetGlobal(size);
  code.Get(count);
  code.Op(Opcode::kSub);
  code.Op(Opcode::kGtU);
  code.TrapIf(isa::Trap::kOutOfBounds, Nothing());
}

/// Pushes where a 32-bit address of a memory is in the machine's.
void AddressLowering::PushPlace(CodeWriter& code, std::uint32_t memory, std::uint32_t address) {
  code.Get(address);
  if (!is_shared_ || module_.memory_ranges[memory].base == 0) return;
  code.Const(module_.memory_ranges[memory].base);
  code.Op(Opcode::kAdd);
}

Function AddressLowering::Access(const Instr& instr, const wasm::OpInfo& row, std::uint32_t memory,
                                 std::uint64_t offset) {
  CodeWriter code;
  Signature signature;
  signature.params.assign(row.params.begin(), row.params.begin() + row.param_count);
  signature.params[0] = AddressType(memory);
  if (row.result) signature.results.push_back(*row.result);
  const std::string name = fmt::format("{}(memory {})", row.text, memory);
  const std::uint64_t need = offset + row.size;  // at address 0
  const std::uint64_t most = is_shared_
                                 ? std::uint64_t{module_.memory_ranges[memory].room} << kPageBits
                                 : std::uint64_t{1} << 32;
  if (need < offset || need > most) {
    TrapOut(code);
    return std::move(code).Finish(name, Signed(std::move(signature)));
  }
  const std::uint32_t address = code.NewLocal(CountOf(signature.params));
  GetAddress(code, 0, is_64_[memory]);
  code.Set(address);
  std::uint32_t base = 0;
  if (is_shared_) {
    const MemoryRange& range = module_.memory_ranges[memory];
    const auto count = static_cast<std::uint32_t>(need);
    base = range.base;
    code.GetGlobal(range.size_global);
    code.Const(count);
    code.Op(Opcode::kLtU);
    code.TrapIf(isa::Trap::kOutOfBounds, Nothing());
    code.Get(address);
    code.GetGlobal(range.size_global);
    code.Const(count);
    code.Op(Opcode::kSub);
    code.Op(Opcode::kGtU);
    code.TrapIf(isa::Trap::kOutOfBounds, Nothing());
  }
  code.Get(address);
  for (std::uint32_t i = 1; i < row.param_count; ++i) code.Get(i);
  code.Add(instr.kind, base + static_cast<std::uint32_t>(offset), instr.b, instr.op);
  return std::move(code).Finish(name, Signed(std::move(signature)));
}

/// Grows a memory within its range, and the machine's memory where the range goes beyond it.
Function AddressLowering::Grow(std::uint32_t memory) {
  CodeWriter code;
  const ValueType type = AddressType(memory);
  const std::uint32_t delta = code.NewLocal(1), old = code.NewLocal(1), end = code.NewLocal(1);
  const auto refuse_if = [&] {
    code.Add(InstrKind::kIf, Nothing());
    if (type == ValueType::kI64) {
      code.Add(InstrKind::kWideConst, 0xFFFFFFFF, 0xFFFFFFFF);
    } else {
      code.Const(0xFFFFFFFF);
    }
    code.Add(InstrKind::kReturn);
    code.End();
  };
  const auto finish = [&] {
    if (type == ValueType::kI64) {
      code.Add(InstrKind::kWide, 0, static_cast<std::uint32_t>(WideOp::kI64ExtendI32S));
    }
    return std::move(code).Finish(fmt::format("memory.grow(memory {})", memory),
                                  Signed({{type}, {type}}));
  };
  code.Get(0);
  if (type == ValueType::kI64) {
    code.Add(InstrKind::kWideConst, 0, 1);
    code.Add(InstrKind::kWide, 0, static_cast<std::uint32_t>(WideOp::kI64GeU));
    refuse_if();
    code.Get(0);
    code.Add(InstrKind::kWide, 0, static_cast<std::uint32_t>(WideOp::kI32WrapI64));
  }
  if (!is_shared_) {
    code.Add(InstrKind::kMemoryGrow);
    return finish();
  }
  const MemoryRange range = module_.memory_ranges[memory];
  code.Set(delta);
  code.Get(delta);
  code.Const(range.room);
  code.GetGlobal(range.size_global);
  code.Const(kPageBits);
  code.Op(Opcode::kShrU);
  code.Tee(old);
  code.Op(Opcode::kSub);
  code.Op(Opcode::kGtU);
  refuse_if();
  code.Get(old);
  code.Get(delta);
  code.Op(Opcode::kAdd);
  code.Const(range.base >> kPageBits);
  code.Op(Opcode::kAdd);
  code.Tee(end);
  code.Add(InstrKind::kMemorySize);
  code.Op(Opcode::kGtU);
  code.Add(InstrKind::kIf, Nothing());
  code.Get(end);
  code.Add(InstrKind::kMemorySize);
  code.Op(Opcode::kSub);
  code.Add(InstrKind::kMemoryGrow);
  code.Const(0xFFFFFFFF);
  code.Op(Opcode::kEq);
  refuse_if();
  code.End();
  code.Get(old);
  code.Get(delta);
  code.Op(Opcode::kAdd);
  code.Const(kPageBits);
  code.Op(Opcode::kShl);
  code.SetGlobal(range.size_global);
  code.Get(old);
  return finish();
}

Function AddressLowering::Fill(std::uint32_t memory) {
  constexpr std::uint32_t kParams = 3;
  CodeWriter code;
  const ValueType type = AddressType(memory);
  const std::uint32_t to = code.NewLocal(kParams), count = code.NewLocal(kParams);
  GetAddress(code, 0, is_64_[memory]);
  code.Set(to);
  GetAddress(code, 2, is_64_[memory]);
  code.Set(count);
  CheckRange(code, memory, to, count);
  PushPlace(code, memory, to);
  code.Get(1);
  code.Get(count);
  code.Call(fill_);
  return std::move(code).Finish(fmt::format("memory.fill(memory {})", memory),
                                Signed({{type, ValueType::kI32, type}, {}}));
}

Function AddressLowering::Copy(std::uint32_t to, std::uint32_t from) {
  constexpr std::uint32_t kParams = 3;
  CodeWriter code;
  const ValueType to_type = AddressType(to), from_type = AddressType(from);
  const ValueType count_type = to_type == from_type ? to_type : ValueType::kI32;
  const std::uint32_t into = code.NewLocal(kParams), out_of = code.NewLocal(kParams),
                      count = code.NewLocal(kParams);
  GetAddress(code, 0, is_64_[to]);
  code.Set(into);
  GetAddress(code, 1, is_64_[from]);
  code.Set(out_of);
  GetAddress(code, 2, count_type == ValueType::kI64);
  code.Set(count);
  CheckRange(code, from, out_of, count);
  CheckRange(code, to, into, count);
  PushPlace(code, to, into);
  PushPlace(code, from, out_of);
  code.Get(count);
  code.Call(copy_);
  return std::move(code).Finish(fmt::format("memory.copy(memory {}, memory {})", to, from),
                                Signed({{to_type, from_type, count_type}, {}}));
}

Function AddressLowering::Init(std::uint32_t segment, std::uint32_t memory) {
  constexpr std::uint32_t kParams = 3;
  CodeWriter code;
  const std::uint32_t to = code.NewLocal(kParams);
  GetAddress(code, 0, is_64_[memory]);
  code.Set(to);
  CheckRange(code, memory, to, 2);
  PushPlace(code, memory, to);
  code.Get(1);
  code.Get(2);
  code.Add(InstrKind::kMemoryInit, segment);
  return std::move(code).Finish(
      fmt::format("memory.init(data {}, memory {})", segment, memory),
      Signed({{AddressType(memory), ValueType::kI32, ValueType::kI32}, {}}));
}

/// An i64 as an index: what does not fit is the greatest, which no table has.
Function AddressLowering::Index() {
  CodeWriter code;
  code.Get(0);
  code.Add(InstrKind::kWideConst, 0, 1);
  code.Add(InstrKind::kWide, 0, static_cast<std::uint32_t>(WideOp::kI64GeU));
  code.Add(InstrKind::kIf, Nothing());
  code.Const(0xFFFFFFFF);
  code.Add(InstrKind::kReturn);
  code.End();
  code.Get(0);
  code.Add(InstrKind::kWide, 0, static_cast<std::uint32_t>(WideOp::kI32WrapI64));
  return std::move(code).Finish("index", Signed({{ValueType::kI64}, {ValueType::kI32}}));
}

/// An instruction on tables, with 32-bit indices from 64-bit ones.
Function AddressLowering::OfTable(const Instr& instr) {
  CodeWriter code;
  const ValueType index = IndexType(instr.a), element = module_.tables[instr.a].type;
  Signature signature;
  std::string_view name;
  switch (instr.kind) {
    case InstrKind::kTableGet:
      signature = {{index}, {element}};
      name = "table.get";
      break;
    case InstrKind::kTableSet:
      signature = {{index, element}, {}};
      name = "table.set";
      break;
    case InstrKind::kTableSize:
      signature = {{}, {index}};
      name = "table.size";
      break;
    case InstrKind::kTableGrow:
      signature = {{element, index}, {index}};
      name = "table.grow";
      break;
    case InstrKind::kTableFill:
      signature = {{index, element, index}, {}};
      name = "table.fill";
      break;
    case InstrKind::kTableCopy: {
      const ValueType source = IndexType(instr.b);
      signature = {{index, source, index == source ? index : ValueType::kI32}, {}};
      name = "table.copy";
      break;
    }
    default:
      signature = {{index, ValueType::kI32, ValueType::kI32}, {}};
      name = "table.init";
  }
  for (std::uint32_t i = 0; i < signature.params.size(); ++i) {
    code.Get(i);
    if (signature.params[i] == ValueType::kI64) {
      const Key key{InstrKind::kWide, Opcode::kNop, 0, 0, 0, 0};
      code.Call(IndexOf(key, {}, nullptr));
    }
  }
  code.Add(instr.kind, instr.a, instr.b);
  const bool has_index = signature.results == std::vector{ValueType::kI64};
  if (has_index) {  // -1 stays -1, and no size has the highest bit
    code.Add(InstrKind::kWide, 0, static_cast<std::uint32_t>(WideOp::kI64ExtendI32S));
  }
  return std::move(code).Finish(fmt::format("{}(table {})", name, instr.a),
                                Signed(std::move(signature)));
}

std::uint32_t AddressLowering::IndexOf(const Key& key, const Instr& instr,
                                       const wasm::OpInfo* row) {
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const auto& [kind, op, a, b, memory, high] = key;
  constexpr int kWordBits = 32;
  Function made;
  if (row != nullptr) {
    made = Access(instr, *row, memory, std::uint64_t{high} << kWordBits | a);
  } else if (kind == InstrKind::kMemoryGrow) {
    made = Grow(a);
  } else if (kind == InstrKind::kMemoryFill) {
    made = Fill(a);
  } else if (kind == InstrKind::kMemoryCopy) {
    made = Copy(a, b);
  } else if (kind == InstrKind::kMemoryInit) {
    made = Init(a, b);
  } else if (kind == InstrKind::kWide) {
    made = Index();
  } else {
    made = OfTable(instr);
  }
  const std::uint32_t index = CountOf(module_.functions);
  module_.functions.push_back(std::move(made));
  known_.emplace(key, index);
  return index;
}

void AddressLowering::Body(std::size_t function) {
  std::vector<Instr> body;
  Instr prefix;  // kMemory, or none
  const bool is_single_64 = !is_shared_ && !is_64_.empty() && is_64_[0];
  const std::vector<Instr> source = std::move(module_.functions[function].body);
  body.reserve(source.size());
  for (const Instr& instr : source) {
    const auto add = [&](InstrKind kind, std::uint32_t a = 0, std::uint32_t b = 0,
                         Opcode op = Opcode::kNop) {
      body.push_back({kind, op, a, b, instr.place});
    };
    const auto call = [&](std::uint32_t memory = 0, std::uint32_t high = 0,
                          const wasm::OpInfo* row = nullptr) {
      const auto [kind, op, a, b, place] = instr;  // copies: it is packed
      const Key key{kind, op, a, b, memory, high};
      add(InstrKind::kCall, IndexOf(key, instr, row));
    };
    switch (instr.kind) {
      case InstrKind::kMemory:
        prefix = instr;
        continue;
      case InstrKind::kAccess:
      case InstrKind::kAtomic:
      case InstrKind::kWide:
      case InstrKind::kFloat:
      case InstrKind::kVector: {
        const bool has_prefix = prefix.kind == InstrKind::kMemory;
        const bool is_changed = is_shared_ || has_prefix;
        const wasm::OpInfo* row = is_changed ? RowOf(instr) : nullptr;
        if (row == nullptr) {
          body.push_back(instr);
        } else {
          call(has_prefix ? prefix.a : 0, has_prefix ? prefix.b : 0, row);
        }
        break;
      }
      case InstrKind::kMemorySize:
        if (is_shared_) {
          add(InstrKind::kGlobalGet, module_.memory_ranges[instr.a].size_global);
          add(InstrKind::kConst, kPageBits);
          add(InstrKind::kOp, 0, 0, Opcode::kShrU);
        } else {
          add(InstrKind::kMemorySize);
        }
        if (is_64_[instr.a]) {
          add(InstrKind::kWide, 0, static_cast<std::uint32_t>(WideOp::kI64ExtendI32U));
        }
        break;
      case InstrKind::kMemoryGrow:
      case InstrKind::kMemoryFill:
      case InstrKind::kMemoryCopy:
        if (is_shared_ || is_single_64) {
          call();
        } else {
          body.push_back(instr);
        }
        break;
      case InstrKind::kMemoryInit:
        if (is_shared_ || is_single_64) {
          call();
        } else {
          body.push_back(instr);
        }
        break;
      case InstrKind::kTableGet:
      case InstrKind::kTableSet:
      case InstrKind::kTableSize:
      case InstrKind::kTableGrow:
      case InstrKind::kTableFill:
      case InstrKind::kTableInit:
      case InstrKind::kTableCopy: {
        const bool copies = instr.kind == InstrKind::kTableCopy;
        if (IndexType(instr.a) == ValueType::kI64 ||
            (copies && IndexType(instr.b) == ValueType::kI64)) {
          call();
        } else {
          body.push_back(instr);
        }
        break;
      }
      case InstrKind::kCallIndirect:
      case InstrKind::kReturnCallIndirect:
        if (IndexType(instr.b) == ValueType::kI64) {
          const Key key{InstrKind::kWide, Opcode::kNop, 0, 0, 0, 0};
          add(InstrKind::kCall, IndexOf(key, {}, nullptr));
        }
        body.push_back(instr);
        break;
      default:
        body.push_back(instr);
    }
    prefix = {};
  }
  module_.functions[function].body = std::move(body);
}

}  // namespace

bool IsAccess(const Instr& instr) { return RowOf(instr) != nullptr; }

bool NeedsAddresses(const Module& module) {
  const auto is_long = [](const auto& item) { return item.extent.is_64; };
  return module.memories.size() > 1 || std::ranges::any_of(module.memories, is_long) ||
         std::ranges::any_of(module.tables, is_long);
}

Result<Module> LowerAddresses(Module module) {
  if (!NeedsAddresses(module)) return module;
  return AddressLowering(std::move(module)).Run();
}

}  // namespace txvm::frontends::wat
