#include "frontends/wasm/atomics.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "frontends/wasm/code_writer.h"
#include "frontends/wasm/wide.h"

namespace txvm::frontends::wat {
namespace {

using isa::Opcode;

// The codes beyond the prefix 0xFE: three of their own, then groups of kWidths accesses.
enum Code : std::uint32_t { kNotify = 0x00, kWait32 = 0x01, kWait64 = 0x02, kFirstAccess = 0x10 };
enum class Group : std::uint8_t { kLoad, kStore, kAdd, kSub, kAnd, kOr, kXor, kXchg, kCmpxchg };

/// What the accesses of one width do, in the order of their codes.
struct Width {
  bool is_wide;
  std::uint32_t bytes;
  Opcode load, store;            // not is_wide
  WideOp wide_load, wide_store;  // is_wide
};

constexpr auto kWidths = std::to_array<Width>({
    {false, 4, Opcode::kLoad, Opcode::kStore, {}, {}},
    {true, 8, {}, {}, WideOp::kI64Load, WideOp::kI64Store},
    {false, 1, Opcode::kLoad8U, Opcode::kStore8, {}, {}},
    {false, 2, Opcode::kLoad16U, Opcode::kStore16, {}, {}},
    {true, 1, {}, {}, WideOp::kI64Load8U, WideOp::kI64Store8},
    {true, 2, {}, {}, WideOp::kI64Load16U, WideOp::kI64Store16},
    {true, 4, {}, {}, WideOp::kI64Load32U, WideOp::kI64Store32},
});

constexpr std::string_view kUnaligned = "unaligned atomic";
constexpr std::string_view kNotShared = "expected shared memory: a wait in a memory of one thread";
constexpr std::string_view kEndless = "a wait without a timeout never ends: there is one thread";

Group GroupOf(std::uint32_t code) {
  return static_cast<Group>((code - kFirstAccess) / kWidths.size());
}
const Width& WidthOf(std::uint32_t code) {
  if (code >= kFirstAccess) return kWidths[(code - kFirstAccess) % kWidths.size()];
  return kWidths[code == kWait64 ? 1 : 0];
}

Instr Load(const Width& width, std::uint32_t offset) {
  if (!width.is_wide) return {InstrKind::kAccess, width.load, offset, 0, 0};
  return {InstrKind::kWide, Opcode::kNop, offset, static_cast<std::uint32_t>(width.wide_load), 0};
}
Instr Store(const Width& width, std::uint32_t offset) {
  if (!width.is_wide) return {InstrKind::kAccess, width.store, offset, 0, 0};
  return {InstrKind::kWide, Opcode::kNop, offset, static_cast<std::uint32_t>(width.wide_store), 0};
}

class AtomicLowering {
 public:
  explicit AtomicLowering(Module& module) : module_(module) {}

  void Run() {
    const std::size_t count = module_.functions.size();
    if (module_.facts != nullptr) {  // so that the same helpers are made every time
      for (const Instr& instr : module_.facts->instrs) {
        if (instr.kind == InstrKind::kAtomic) (void)Replace(instr.b, instr.a);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < module_.functions[i].body.size(); ++k) {
        const Instr instr = module_.functions[i].body[k];
        if (instr.kind != InstrKind::kAtomic) continue;
        Instr with = Replace(instr.b, instr.a);
        with.place = instr.place;
        module_.functions[i].body[k] = with;
      }
    }
  }

 private:
  /// The instruction that does what an atomic one does.
  Instr Replace(std::uint32_t code, std::uint32_t offset) {
    if (code >= kFirstAccess && WidthOf(code).bytes == 1) {  // always aligned
      if (GroupOf(code) == Group::kLoad) return Load(WidthOf(code), offset);
      if (GroupOf(code) == Group::kStore) return Store(WidthOf(code), offset);
    }
    const auto [found, is_new] = known_.try_emplace({code, offset}, CountOf(module_.functions));
    if (is_new) module_.functions.push_back(Make(code, offset));
    return {InstrKind::kCall, Opcode::kNop, found->second, 0, 0};
  }

  std::uint32_t Signed(Signature signature) {
    const auto found = std::ranges::find(added_, signature, &Added::signature);
    if (found != added_.end()) return found->index;
    added_.push_back({signature, CountOf(module_.signatures)});
    module_.signatures.push_back(std::move(signature));
    return added_.back().index;
  }

  void Trap(CodeWriter& code, std::string_view note) {
    auto found = std::ranges::find(module_.trap_notes, note);
    if (found == module_.trap_notes.end()) {
      found = module_.trap_notes.insert(found, std::string(note));
    }
    code.Add(InstrKind::kTrap, static_cast<std::uint32_t>(isa::Trap::kUnreachable),
             static_cast<std::uint32_t>(found - module_.trap_notes.begin()) + 1);
  }

  void Check(CodeWriter& code, std::uint32_t bytes, std::uint32_t offset) {
    if (bytes == 1) return;
    code.Get(0);
    if (offset % bytes != 0) {
      code.Const(offset % bytes);
      code.Op(Opcode::kAdd);
    }
    code.Const(bytes - 1);
    code.Op(Opcode::kAnd);
    code.Add(InstrKind::kIf, Signed({}));
    Trap(code, kUnaligned);
    code.End();
  }

  static void Put(CodeWriter& code, const Instr& instr) {
    code.Add(instr.kind, instr.a, instr.b, instr.op);
  }
  static void Apply(CodeWriter& code, bool is_wide, Opcode op, WideOp wide) {
    if (is_wide) {
      code.Add(InstrKind::kWide, 0, static_cast<std::uint32_t>(wide));
    } else {
      code.Op(op);
    }
  }

  /// Keeps the bytes of the expected value that the memory has.
  static void Wrap(CodeWriter& code, const Width& width) {
    constexpr std::uint32_t kByteBits = 8, kWordBytes = 4;
    const std::uint32_t mask =
        width.bytes >= kWordBytes ? 0xFFFFFFFF : (1u << (width.bytes * kByteBits)) - 1;
    if (width.bytes == (width.is_wide ? 2 * kWordBytes : kWordBytes)) return;
    if (width.is_wide) {
      code.Add(InstrKind::kWideConst, mask, 0);
    } else {
      code.Const(mask);
    }
    Apply(code, width.is_wide, Opcode::kAnd, WideOp::kI64And);
  }

  Function Make(std::uint32_t code, std::uint32_t offset) {
    const Width& width = WidthOf(code);
    const ValueType value = width.is_wide ? ValueType::kI64 : ValueType::kI32;
    CodeWriter out;
    Check(out, width.bytes, offset);
    if (code < kFirstAccess) return MakeWaiting(std::move(out), code, offset, value);
    const Group group = GroupOf(code);
    out.Get(0);
    if (group == Group::kLoad) {
      Put(out, Load(width, offset));
      return std::move(out).Finish("atomic.load", Signed({{ValueType::kI32}, {value}}));
    }
    if (group == Group::kStore) {
      out.Get(1);
      Put(out, Store(width, offset));
      return std::move(out).Finish("atomic.store", Signed({{ValueType::kI32, value}, {}}));
    }
    const bool is_cmpxchg = group == Group::kCmpxchg;
    const std::uint32_t old = out.NewLocal(is_cmpxchg ? 3 : 2, value);
    Put(out, Load(width, offset));
    out.Set(old);
    if (is_cmpxchg) {
      out.Get(old);
      out.Get(1);
      Wrap(out, width);
      Apply(out, width.is_wide, Opcode::kEq, WideOp::kI64Eq);
      out.Add(InstrKind::kIf, Signed({}));
      out.Get(0);
      out.Get(2);
      Put(out, Store(width, offset));
      out.End();
      out.Get(old);
      return std::move(out).Finish("atomic.cmpxchg",
                                   Signed({{ValueType::kI32, value, value}, {value}}));
    }
    out.Get(0);
    if (group != Group::kXchg) out.Get(old);
    out.Get(1);
    Combine(out, group, width.is_wide);
    Put(out, Store(width, offset));
    out.Get(old);
    return std::move(out).Finish("atomic.rmw", Signed({{ValueType::kI32, value}, {value}}));
  }

  static void Combine(CodeWriter& out, Group group, bool is_wide) {
    switch (group) {
      case Group::kAdd:
        return Apply(out, is_wide, Opcode::kAdd, WideOp::kI64Add);
      case Group::kSub:
        return Apply(out, is_wide, Opcode::kSub, WideOp::kI64Sub);
      case Group::kAnd:
        return Apply(out, is_wide, Opcode::kAnd, WideOp::kI64And);
      case Group::kOr:
        return Apply(out, is_wide, Opcode::kOr, WideOp::kI64Or);
      case Group::kXor:
        return Apply(out, is_wide, Opcode::kXor, WideOp::kI64Xor);
      case Group::kLoad:
      case Group::kStore:
      case Group::kXchg:
      case Group::kCmpxchg:
        return;
    }
  }

  /// notify and both waits. No other thread can change the word or wake one that waits.
  Function MakeWaiting(CodeWriter out, std::uint32_t code, std::uint32_t offset, ValueType value) {
    const bool is_wide = value == ValueType::kI64;
    out.Get(0);
    Put(out, Load(WidthOf(code), offset));
    if (code == kNotify) {
      out.Op(Opcode::kPop);
      out.Const(0);
      return std::move(out).Finish("atomic.notify",
                                   Signed({{ValueType::kI32, ValueType::kI32}, {ValueType::kI32}}));
    }
    const std::uint32_t signature =
        Signed({{ValueType::kI32, value, ValueType::kI64}, {ValueType::kI32}});
    out.Get(1);
    Apply(out, is_wide, Opcode::kNe, WideOp::kI64Ne);
    out.Add(InstrKind::kIf, Signed({}));
    if (!module_.memories.front().extent.is_shared) {
      Trap(out, kNotShared);
      out.End();
      Trap(out, kNotShared);
      return std::move(out).Finish("atomic.wait", signature);
    }
    out.Const(1);
    out.Add(InstrKind::kReturn);
    out.End();
    out.Get(2);
    out.Add(InstrKind::kWideConst, 0, 0);
    Apply(out, true, Opcode::kNop, WideOp::kI64LtS);
    out.Add(InstrKind::kIf, Signed({}));
    Trap(out, kEndless);
    out.End();
    constexpr std::uint32_t kTimedOut = 2;
    out.Const(kTimedOut);
    return std::move(out).Finish("atomic.wait", signature);
  }

  struct Added {
    Signature signature;
    std::uint32_t index;
  };

  Module& module_;
  std::vector<Added> added_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;
};

}  // namespace

Module LowerAtomics(Module module) {
  AtomicLowering(module).Run();
  return module;
}

}  // namespace txvm::frontends::wat
