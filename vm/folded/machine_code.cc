// From the register form to x86-64: the frame of a function, its blocks, entries and exits.
#include "vm/folded/machine_code.h"

#include <xmmintrin.h>

#include "isa/vector_routine.h"
#include "vm/folded/dead_values.h"
#include "vm/folded/processor.h"
#include "vm/folded/value_emitter.h"

namespace txvm::vm::folded {
namespace {

using CodeSignature =
    asmjit::FuncSignatureT<std::int64_t, Context*, Word*, Word*, Frame*, std::int64_t>;

class FunctionEmitter : ValueEmitter {
 public:
  FunctionEmitter(x86::Compiler& cc, const FunctionIr& ir, const std::byte* const* table,
                  const std::byte* leave)
      : ValueEmitter(cc, ir), table_(table), leave_(leave) {}

  asmjit::FuncNode* Emit() {
    asmjit::FuncNode* function = cc_.addFunc(CodeSignature(asmjit::CallConvId::kHost));
    ctx_ = cc_.newUIntPtr();
    locals_ = cc_.newUIntPtr();
    cells_ = cc_.newUIntPtr();
    frame_ = cc_.newUIntPtr();
    fuel_ = cc_.newInt64();
    function->setArg(0, ctx_);
    function->setArg(1, locals_);
    function->setArg(2, cells_);
    function->setArg(3, frame_);
    function->setArg(4, fuel_);
    leave_label_ = cc_.newLabel();
    for (std::size_t b = 0; b < ir_.blocks.size(); ++b) labels_.push_back(cc_.newLabel());
    Start();
    for (std::size_t b = 0; b < ir_.blocks.size(); ++b) EmitBlock(b);
    Dispatch();
    LeavePools();
    EmitCanonicalNans();
    EmitExits();
    EmitLeave();
    cc_.endFunc();
    return function;
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries() const { return entries_; }

 private:
  // ------------------------------------------------------------------------------ start, entries

  bool UsesMemory() const {
    for (const Block& block : ir_.blocks) {
      for (const Node& node : block.nodes) {
        if (node.op == Op::kStore || node.op == Op::kWideStore) return true;
        if ((node.op == Op::kLoad || node.op == Op::kWideLoad) && node.uses != 0) return true;
      }
    }
    return false;
  }
  bool UsesGlobals() const {
    for (const Block& block : ir_.blocks) {
      for (const Node& node : block.nodes) {
        if (node.op == Op::kGlobalSet || (node.op == Op::kGlobalGet && node.uses != 0)) return true;
      }
    }
    return false;
  }

  bool HasLoop() const {
    for (std::size_t b = 0; b < ir_.blocks.size(); ++b) {
      const End& end = ir_.blocks[b].end;
      const bool jumps = end.kind == EndKind::kGoto || end.kind == EndKind::kBranch;
      if (jumps && (end.target <= b || (end.kind == EndKind::kBranch && end.other <= b))) {
        return true;
      }
    }
    return false;
  }

  Gp LoadFloor() {
    const Gp floor = cc_.newUIntPtr();
    cc_.mov(floor, x86::qword_ptr(ctx_, OffsetOf(offsetof(Context, floor))));
    return floor;
  }

  void Start() {
    if (HasLoop()) floor_ = LoadFloor();
    if (UsesMemory()) {
      memory_ = cc_.newUIntPtr();
      cc_.mov(memory_, x86::qword_ptr(ctx_, OffsetOf(offsetof(Context, memory))));
    }
    if (UsesGlobals()) {
      globals_ = cc_.newUIntPtr();
      cc_.mov(globals_, x86::qword_ptr(ctx_, OffsetOf(offsetof(Context, globals))));
    }
    entries_.emplace_back(ir_.blocks.front().first_ip, 0);
    std::uint32_t number = 0;
    for (std::size_t b = 1; b < ir_.blocks.size(); ++b) {
      if (ir_.blocks[b].enters) entries_.emplace_back(ir_.blocks[b].first_ip, ++number);
    }
    dispatch_label_ = cc_.newLabel();
    if (number != 0) {
      cc_.cmp(x86::dword_ptr(ctx_, OffsetOf(offsetof(Context, entry))), 0);
      cc_.jne(dispatch_label_);
    }
    LoadVariables(0);
  }

  // What the blocks find in variables when block `b` is entered from a state.
  void LoadVariables(std::size_t b) {
    const Block& block = ir_.blocks[b];
    std::uint32_t loaded = kNone;  // the wide one
    for (const std::uint32_t local : ir_.live[b]) {
      const Type type = ir_.types[local];
      if (type == Type::kWord) {
        cc_.mov(Variable(local), LocalInSpace(local));
        continue;
      }
      const std::uint32_t base = type == Type::kNothing ? local - 1 : local;
      if (base != loaded) LoadWideVariable(base);
      loaded = base;
    }
    for (std::uint32_t cell = 0; cell < block.height - block.cells_in_space; ++cell) {
      cc_.mov(Variable(ir_.locals + cell), CellInSpace(cell));
    }
  }

  void LoadWideVariable(std::uint32_t local) {
    const Type type = ir_.types[local];
    const Mem place = x86::ptr(locals_, static_cast<std::int32_t>(4 * local), BytesOf(type));
    if (type == Type::kLong) {
      cc_.mov(Variable(local), place);
    } else {
      MoveFloat(type, FloatVariable(local), place);
    }
  }

  // The entries after the first: numbered from 1, found by halving.
  void Dispatch() {
    if (entries_.size() == 1) return;
    cc_.bind(dispatch_label_);
    const Gp number = cc_.newUInt32();
    const Mem entry = x86::dword_ptr(ctx_, OffsetOf(offsetof(Context, entry)));
    cc_.mov(number, entry);
    cc_.mov(entry, 0);
    std::vector<Label> entry_labels;
    std::vector<std::size_t> entry_blocks;
    for (std::size_t b = 1; b < ir_.blocks.size(); ++b) {
      if (!ir_.blocks[b].enters) continue;
      entry_labels.push_back(cc_.newLabel());
      entry_blocks.push_back(b);
    }
    Halve(number, entry_labels, 0, entry_labels.size());
    for (std::size_t i = 0; i < entry_labels.size(); ++i) {
      cc_.bind(entry_labels[i]);
      LoadVariables(entry_blocks[i]);
      cc_.jmp(labels_[entry_blocks[i]]);
    }
  }

  // Jumps to labels[number - 1], which is in first..last-1.
  void Halve(const Gp& number, const std::vector<Label>& labels, std::size_t first,
             std::size_t last) {
    if (last - first == 1) {
      cc_.jmp(labels[first]);
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    const Label upper = cc_.newLabel();
    cc_.cmp(number, Imm(middle + 1));
    cc_.jae(upper);
    Halve(number, labels, first, middle);
    cc_.bind(upper);
    Halve(number, labels, middle, last);
  }
  // -------------------------------------------------------------------------------------- blocks

  void EmitBlock(std::size_t b) {
    block_ = &ir_.blocks[b];
    number_ = b;
    cc_.bind(labels_[b]);
    PlanHomes();
    if (block_->check_exit != kNone) {
      Gp floor = floor_;
      if (!floor.isValid()) floor = LoadFloor();
      Gp fuel = fuel_;
      if (block_->routine_steps != 0) {
        fuel = NewQuad();
        cc_.lea(fuel, x86::ptr(fuel_, -static_cast<std::int32_t>(block_->routine_steps)));
      }
      cc_.cmp(fuel, x86::qword_ptr(floor));
      at_start_ = true;
      cc_.jl(ExitLabel(block_->check_exit));
      at_start_ = false;
    }
    cc_.sub(fuel_, Imm(block_->steps));
    for (Value value = 0; value < block_->nodes.size(); ++value) {
      const Node& node = At(value);
      if ((node.uses == 0 && !HasEffect(node)) || sunk_[value] || put_off_[value]) continue;
      if (IsWideConstant(value)) continue;
      EmitNode(value, node);
    }
    EmitEnd();
  }

  // ---------------------------------------------------------------------------------------- ends

  void EmitEnd() {
    const End& end = block_->end;
    switch (end.kind) {
      case EndKind::kGoto:
        Assign();
        return Goto(end.target);
      case EndKind::kBranch:
        return EmitBranch(end);
      case EndKind::kCall:
        return EmitCall(end);
      case EndKind::kReturn:
        StoreAll(end);
        cc_.mov(x86::dword_ptr(ctx_, OffsetOf(offsetof(Context, return_site))), Imm(end.ip));
        cc_.ret(fuel_);
        return;
      case EndKind::kExit:
        cc_.jmp(ExitLabel(end.exit));
        return;
    }
  }

  bool IsNext(std::uint32_t block) const { return block == number_ + 1; }
  void Goto(std::uint32_t block) {
    if (!IsNext(block)) cc_.jmp(labels_[block]);
  }

  void EmitBranch(const End& end) {
    const CondCode condition = Compare(end.condition);
    Assign();
    if (IsNext(end.target)) {
      cc_.j(x86::negateCond(condition), labels_[end.other]);
      return;
    }
    cc_.j(condition, labels_[end.target]);
    Goto(end.other);
  }

  void StoreAll(const End& end) {
    std::vector<PlannedStore> stores;
    PlanStores(end.cells, cells_, stores);
    PlanStores(end.locals, locals_, stores);
    for (const PlannedStore& store : stores) WriteStored(store);
  }

  // Everything that the callee's exits need of this function is in the state before the call.
  void EmitCall(const End& end) {
    StoreAll(end);
    Assign();
    cc_.cmp(frame_, x86::qword_ptr(ctx_, OffsetOf(offsetof(Context, frame_limit))));
    cc_.jae(ExitLabel(end.exit));
    static_assert(sizeof(Frame) == 8 && offsetof(Frame, return_ip) == 0);
    cc_.mov(x86::dword_ptr(frame_, sizeof(Frame)), Imm(end.ip + 1));
    const Gp locals = NewQuad(), cells = NewQuad(), frame = NewQuad(), table = NewQuad();
    cc_.lea(locals, x86::ptr(locals_, static_cast<std::int32_t>(4 * ir_.locals)));
    cc_.lea(cells, x86::ptr(cells_, static_cast<std::int32_t>(4 * (end.height - end.params))));
    cc_.lea(frame, x86::ptr(frame_, sizeof(Frame)));
    cc_.mov(table, Imm(reinterpret_cast<std::uintptr_t>(table_ + end.callee)));
    asmjit::InvokeNode* call = nullptr;
    cc_.invoke(&call, x86::qword_ptr(table), CodeSignature(asmjit::CallConvId::kHost));
    call->setArg(0, ctx_);
    call->setArg(1, locals);
    call->setArg(2, cells);
    call->setArg(3, frame);
    call->setArg(4, fuel_);
    call->setRet(0, fuel_);
    const Block& after = ir_.blocks[end.target];
    const std::uint32_t in_space = after.cells_in_space;
    for (std::uint32_t i = in_space; i < end.results; ++i) {
      const std::uint32_t cell = end.height - end.params + i;
      cc_.mov(Variable(ir_.locals + cell), CellInSpace(cell));
    }
    Goto(end.target);
  }
  // --------------------------------------------------------------------------------------- exits

  void EmitExits() {
    for (const PlannedExit& planned : planned_) {
      cc_.bind(planned.label);
      for (const PlannedStore& store : planned.stores) WriteStored(store);
      const Exit& exit = ir_.exits[planned.exit];
      if (exit.unmade != 0) cc_.add(fuel_, Imm(exit.unmade));
      cc_.mov(x86::dword_ptr(ctx_, OffsetOf(offsetof(Context, exit))), Imm(planned.exit));
      cc_.jmp(leave_label_);
    }
  }

  // The function that was entered goes back to Thunks::enter as it came, so that the processor
  // foresees this return and all further ones. Others set the machine's stack back.
  void EmitLeave() {
    if (planned_.empty()) return;
    cc_.bind(leave_label_);
    const Gp entered = cc_.newUIntPtr();
    cc_.mov(entered, x86::qword_ptr(ctx_, OffsetOf(offsetof(Context, frame))));
    cc_.mov(x86::qword_ptr(ctx_, OffsetOf(offsetof(Context, fuel))), fuel_);
    cc_.mov(x86::qword_ptr(ctx_, OffsetOf(offsetof(Context, locals))), locals_);
    cc_.mov(x86::qword_ptr(ctx_, OffsetOf(offsetof(Context, cells))), cells_);
    cc_.mov(x86::qword_ptr(ctx_, OffsetOf(offsetof(Context, frame))), frame_);
    cc_.mov(x86::dword_ptr(ctx_, OffsetOf(offsetof(Context, function))), Imm(ir_.index));
    const Label nested = cc_.newLabel();
    cc_.cmp(entered, frame_);
    cc_.jne(nested);
    cc_.mov(x86::dword_ptr(ctx_, OffsetOf(offsetof(Context, left))),
            Imm(static_cast<int>(Left::kExit)));
    cc_.ret(fuel_);
    cc_.bind(nested);
    asmjit::InvokeNode* leave = nullptr;
    cc_.invoke(&leave, Imm(reinterpret_cast<std::uintptr_t>(leave_)),
               asmjit::FuncSignatureT<void, Context*>(asmjit::CallConvId::kHost));
    leave->setArg(0, ctx_);
    cc_.ret(fuel_);  // not reached
  }

  const std::byte* const* table_;
  const std::byte* leave_;
  std::vector<Label> labels_;  // (blocks,)
  Label leave_label_, dispatch_label_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries_;
  Gp floor_;                // where loops keep the address of the floor
  std::size_t number_ = 0;  // of the block being emitted
};

class FirstError final : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error error, const char*, asmjit::BaseEmitter*) override {
    if (error_ == asmjit::kErrorOk) error_ = error;
  }
  bool ok() const { return error_ == asmjit::kErrorOk; }

 private:
  asmjit::Error error_ = asmjit::kErrorOk;
};

const std::byte* PlaceCode(asmjit::CodeHolder& code, CodeRoom& room) {
  if (code.flatten() != asmjit::kErrorOk) return nullptr;
  if (code.resolveUnresolvedLinks() != asmjit::kErrorOk) return nullptr;
  const std::size_t size = code.codeSize();
  return room.Place(size, [&](std::byte* start) {
    return code.relocateToBase(reinterpret_cast<std::uintptr_t>(start)) == asmjit::kErrorOk &&
           code.copyFlattenedData(start, size) == asmjit::kErrorOk;
  });
}

// Of MXCSR: everything but what operations have met; as a thread starts: nearest even, subnormals
// are numbers, nothing raises a signal.
constexpr std::uint32_t kControls = 0xFFC0, kDefaultControls = 0x1F80;

constexpr asmjit::x86::Gp kSaved[] = {x86::rbx, x86::rbp, x86::r12, x86::r13, x86::r14, x86::r15};

}  // namespace

bool CanMakeCode() { return true; }

bool CanCompute(isa::RoutineId id) {
  if (isa::FindVectorRoutine(id) != nullptr) return HasVectorCode();
  const Processor& has = ThisProcessor();
  switch (id) {
    case isa::RoutineId::kF32Ceil:
    case isa::RoutineId::kF32Floor:
    case isa::RoutineId::kF32Trunc:
    case isa::RoutineId::kF32Nearest:
    case isa::RoutineId::kF64Ceil:
    case isa::RoutineId::kF64Floor:
    case isa::RoutineId::kF64Trunc:
    case isa::RoutineId::kF64Nearest:
      return has.sse4_1;
    case isa::RoutineId::kI64Clz:
      return has.lzcnt;
    case isa::RoutineId::kI64Ctz:
      return has.bmi;
    case isa::RoutineId::kI64Popcnt:
      return has.popcnt;
    default:
      return true;
  }
}

DefaultRounding::DefaultRounding() : before_(_mm_getcsr()) {
  if ((before_ & kControls) != kDefaultControls) _mm_setcsr(kDefaultControls);
}
DefaultRounding::~DefaultRounding() {
  if ((before_ & kControls) != kDefaultControls) _mm_setcsr(before_);
}

Thunks MakeThunks(CodeRoom& room) {
  asmjit::CodeHolder code;
  code.init(asmjit::Environment::host());
  x86::Assembler a(&code);
  const auto field = [](const Gp& ctx, std::size_t offset, std::uint32_t size) {
    return x86::ptr(ctx, static_cast<std::int32_t>(offset), size);
  };
  // enter(ctx, code): the context lies on top of the saved registers.
  for (const Gp& saved : kSaved) a.push(saved);
  a.push(x86::rdi);
  a.mov(field(x86::rdi, offsetof(Context, saved_stack), 8), x86::rsp);
  a.mov(x86::rax, x86::rsi);
  a.mov(x86::rsi, field(x86::rdi, offsetof(Context, locals), 8));
  a.mov(x86::rdx, field(x86::rdi, offsetof(Context, cells), 8));
  a.mov(x86::rcx, field(x86::rdi, offsetof(Context, frame), 8));
  a.mov(x86::r8, field(x86::rdi, offsetof(Context, fuel), 8));
  a.call(x86::rax);
  a.mov(x86::rdi, x86::qword_ptr(x86::rsp));
  a.mov(field(x86::rdi, offsetof(Context, fuel), 8), x86::rax);
  const Label out = a.newLabel();
  a.bind(out);
  a.pop(x86::rdi);
  for (std::size_t i = std::size(kSaved); i-- > 0;) a.pop(kSaved[i]);
  a.ret();
  // A callee without code: everything is in the state but its registers.
  const Label unfolded = a.newLabel();
  a.bind(unfolded);
  a.mov(field(x86::rdi, offsetof(Context, locals), 8), x86::rsi);
  a.mov(field(x86::rdi, offsetof(Context, cells), 8), x86::rdx);
  a.mov(field(x86::rdi, offsetof(Context, frame), 8), x86::rcx);
  a.mov(field(x86::rdi, offsetof(Context, fuel), 8), x86::r8);
  a.mov(field(x86::rdi, offsetof(Context, left), 4), Imm(static_cast<int>(Left::kUnfolded)));
  const Label unwind = a.newLabel();
  a.jmp(unwind);
  const Label leave = a.newLabel();
  a.bind(leave);
  a.mov(field(x86::rdi, offsetof(Context, left), 4), Imm(static_cast<int>(Left::kExit)));
  a.bind(unwind);
  a.mov(x86::rsp, field(x86::rdi, offsetof(Context, saved_stack), 8));
  a.jmp(out);
  const std::byte* start = PlaceCode(code, room);
  if (start == nullptr) return {};
  Thunks thunks;
  thunks.enter = reinterpret_cast<void (*)(Context*, const std::byte*)>(
      reinterpret_cast<std::uintptr_t>(start));
  thunks.leave = start + code.labelOffset(leave);
  thunks.unfolded = start + code.labelOffset(unfolded);
  return thunks;
}

FunctionCode MakeCode(const FunctionIr& ir, const std::byte* const* table, const Thunks& thunks,
                      CodeRoom& room) {
  FirstError errors;
  asmjit::CodeHolder code;
  code.init(asmjit::Environment::host());
  code.setErrorHandler(&errors);
  x86::Compiler compiler(&code);
  FunctionEmitter emitter(compiler, ir, table, thunks.leave);
  asmjit::FuncNode* function = emitter.Emit();
  if (!errors.ok() || compiler.finalize() != asmjit::kErrorOk || !errors.ok()) return {};
  FunctionCode made;
  made.start = PlaceCode(code, room);
  made.bytes = code.codeSize();
  const asmjit::FuncFrame& frame = function->frame();
  // Local area, saved registers and the return address.
  made.frame_bytes =
      frame.finalStackSize() + 8 * (static_cast<std::uint32_t>(std::size(kSaved)) + 2);
  made.entries = emitter.entries();
  return made;
}

}  // namespace txvm::vm::folded
