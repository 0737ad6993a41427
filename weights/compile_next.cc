// Writing: what each register becomes, and up to four memory tokens.
// Declared in weights/compiler.h.
#include "weights/compiler.h"
#include "weights/reduce.h"

namespace txvm::weights {
namespace {

namespace sf = state_field;
namespace mf = memory_field;

LinearWord Minus(const LinearWord& a, const WireWord& b) {
  LinearWord difference;
  for (std::size_t i = 0; i < kWordBytes; ++i) difference[i] = a[i] - b[i];
  return difference;
}

constexpr std::int32_t kMaxSquare = 4 * kByteHigh * kByteHigh;

}  // namespace

// Every register is its old value plus a step; a held register's steps are 0.
void MachineCompiler::NextState() {
  const auto steps = [&](const char* name) {
    WireWord word;
    for (std::size_t i = 0; i < kWordBytes; ++i) {
      word[i] = b_.Lane(Indexed(name, i), -kByteHigh, kByteHigh);
    }
    return word;
  };
  const Linear hold = hold_;
  const Linear call = s_.call - Linear(host_call_);
  LinearWord saved_ip, saved_base;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    saved_ip[i] = frame_.values[i];
    saved_base[i] = frame_.values[kWordBytes + i];
  }
  step_ip_ = steps("step.ip");
  b_.Select(1 - hold - taken_ - call - s_.ret - s_.halt, Minus(next_ip_, ip_), step_ip_);
  b_.Select(taken_ + call - hold, Minus(Lanes(arg_), ip_), step_ip_);
  b_.Select(s_.ret - hold, Minus(saved_ip, ip_), step_ip_);
  step_sp_ = steps("step.sp");
  b_.Select(s_.grow_1 - hold, Minus(sp_plus_1_, sp_), step_sp_);
  b_.Select(s_.drop_1 - hold, Minus(sp_minus_1_, sp_), step_sp_);
  b_.Select(s_.drop_2 - hold, Minus(sp_minus_2_, sp_), step_sp_);
  step_top_ = steps("step.top");
  b_.Select(s_.result - hold, Minus(Lanes(result_), top_), step_top_);
  step_depth_ = steps("step.depth");
  b_.Select(call - hold, Minus(depth_plus_1_, depth_), step_depth_);
  b_.Select(s_.ret - hold, Minus(depth_minus_1_, depth_), step_depth_);
  step_base_ = steps("step.base");
  b_.Select(call - hold, Minus(address_, base_), step_base_);
  b_.Select(s_.ret - hold, Minus(saved_base, base_), step_base_);
}

void MachineCompiler::EmitState() {
  const auto changed = [&](std::size_t field, const WireWord& word, const WireWord& step) {
    for (std::size_t i = 0; i < kWordBytes; ++i) b_.Emit(field + i, Linear(word[i]) + step[i]);
  };
  const auto same = [&](std::size_t field, const WireWord& word) {
    for (std::size_t i = 0; i < kWordBytes; ++i) b_.Emit(field + i, word[i]);
  };
  changed(sf::kIp, ip_, step_ip_);
  changed(sf::kSp, sp_, step_sp_);
  changed(sf::kDepth, depth_, step_depth_);
  changed(sf::kBase, base_, step_base_);
  changed(sf::kTop, top_, step_top_);
  for (std::size_t i = 0; i < pages_.terms.size(); ++i) {
    b_.Emit(sf::kPages + i, Wire{pages_.terms[i].first});
  }
  same(sf::kMaxSlots, max_slots_);
  same(sf::kMaxDepth, max_depth_);
  same(sf::kMaxBase, max_base_);
  same(sf::kMaxLocals, max_locals_);
  same(sf::kGlobals, globals_);
  same(sf::kImports, imports_);
  b_.Emit(sf::kMicro, next_micro_);
  same(sf::kQuotient, next_quotient_);
  same(sf::kRemainder, next_remainder_);
  same(sf::kDivisor, next_divisor_);
  b_.Emit(sf::kOp, op_);
  for (std::size_t i = 0; i < aux_.size(); ++i) b_.Emit(sf::kAux + i, aux_[i]);
  same(sf::kArg, arg_);
  b_.Emit(sf::kStopped, stopped_);
  b_.Emit(sf::kCause, cause_);
  b_.Emit(sf::kHost, b_.HingeLane("host", host_call_ - Linear(malformed_)));
  b_.Emit(sf::kCounted, 1 - no_code_ - start_ - loop_);
}

void MachineCompiler::EmitWrite(std::size_t slot, const std::array<Linear, kSpaceCount>& space,
                                const WireWord& key, std::span<const Wire> values) {
  const std::size_t first = sf::kCount + slot * mf::kCount;
  const Wire square = b_.Lane(Indexed("write", slot) + ".square", 0, kMaxSquare);
  for (std::size_t i = 0; i < kSpaceCount; ++i) b_.Emit(first + mf::kSpace + i, space[i]);
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    b_.Unit(key[i], key[i], {{square}});
    b_.Emit(first + mf::kKey + i, key[i]);
  }
  b_.Emit(first + mf::kSquare, square);
  for (std::size_t i = 0; i < values.size(); ++i) b_.Emit(first + mf::kValue + i, values[i]);
}

// The first write token: the new top to its slot, a local, the first byte of a store, or a frame.
void MachineCompiler::WriteFirst() {
  const Linear hold = hold_;
  const Linear call = s_.call - Linear(host_call_);
  const Wire stack = b_.HingeLane("write.0.stack", s_.write_top - hold);
  const Wire local = b_.HingeLane("write.0.local", s_.write_local - hold);
  const Wire memory = b_.HingeLane("write.0.memory", s_.store_1 - hold);
  const Wire frame = b_.HingeLane("write.0.frame", call - hold);
  const WireWord key = b_.LaneWord("write.0.key");
  b_.Select(s_.grow_1 - hold, sp_plus_1_, key);
  b_.Select(s_.write_same - hold, Lanes(sp_), key);
  b_.Select(s_.write_drop1 - hold, sp_minus_1_, key);
  b_.Select(s_.write_drop2 - hold, sp_minus_2_, key);
  b_.Select(s_.write_local + Linear(s_.store_1) - hold, address_, key);
  b_.Select(call - hold, depth_plus_1_, key);
  std::array<Wire, mf::kValues> values;
  for (std::size_t i = 0; i < mf::kValues; ++i) {
    values[i] = b_.Lane(Indexed("write.0.value", i), 0, kByteHigh);
  }
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    b_.Unit(s_.write_top - hold, result_[i], {{values[i]}});
    b_.Unit(s_.write_local - hold, top_[i], {{values[i]}});
    b_.Unit(call - hold, next_ip_[i], {{values[i]}});
    b_.Unit(call - hold, base_[i], {{values[kWordBytes + i]}});
  }
  b_.Unit(s_.store_1 - hold, top_[0], {{values[0]}});
  EmitWrite(0, {0, stack, local, memory, frame}, key, values);
}

// The others: operands that SWAP and ROT move below the top, and the other bytes of a store.
void MachineCompiler::WriteOthers() {
  const Linear hold = hold_;
  const std::array<Wire, kWordBytes> store = {s_.store_1, s_.store_2, s_.store_4, s_.store_4};
  for (std::size_t slot = 1; slot < kWriteTokens; ++slot) {
    const std::string name = Indexed("write", slot);
    const Wire memory = b_.HingeLane(name + ".memory", store[slot] - hold);
    const WireWord key = b_.LaneWord(name + ".key");
    const WireWord value = b_.LaneWord(name + ".value");
    b_.Select(store[slot] - hold, byte_address_[slot], key);
    b_.Unit(store[slot] - hold, top_[slot], {{value[0]}});
    if (slot + 1 == kWriteTokens) {
      EmitWrite(slot, {0, 0, 0, memory, 0}, key, std::span(value).first(1));
      continue;
    }
    const Wire signal = slot == 1 ? s_.write_old : s_.write_oldest;
    const Wire stack = b_.HingeLane(name + ".stack", signal - hold);
    b_.Select(signal - hold, slot == 1 ? sp_minus_1_ : sp_minus_2_, key);
    b_.Select(signal - hold, slot == 1 ? Lanes(top_) : Lanes(a_), value);
    EmitWrite(slot, {0, stack, 0, memory, 0}, key, value);
  }
}

Model MachineCompiler::Compile() && {
  EmbedTokens();
  ReadInstruction();
  CheckOperands();
  CountStack();
  Decode();
  CheckInstruction();
  ReadOperands();
  Move();
  Jump();
  Add();
  Compare();
  Negate();
  Multiply();
  Bits();
  Logic();
  CountBits();
  Shift();
  StartDivision();
  StepDivision();
  FinishDivision();
  ReadLocalsAndMemory();
  CheckSlot();
  CheckBounds();
  CheckCall();
  Trap();
  NextState();
  WriteFirst();
  WriteOthers();
  EmitState();
  return std::move(b_).Build();
}

Model CompileModel() { return Reduce(MachineCompiler().Compile()); }

}  // namespace txvm::weights
