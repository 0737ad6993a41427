// Locals, memory, and every reason to trap.
// Declared in weights/compiler.h.
#include "isa/trap.h"
#include "weights/compiler.h"

namespace txvm::weights {
namespace {

constexpr std::int32_t kDisable = 1 << 18;  // exceeds any page number: a check that does not apply

/// Bytes i and i + 1 as a number.
template <typename Word>
Linear Half(const Word& word, std::size_t i) {
  return Linear(word[i]) + kByteSize * Linear(word[i + 1]);
}

}  // namespace

void MachineCompiler::ReadLocalsAndMemory() {
  // address + j, j = 1..3: byte i carries when byte 0 wraps and the bytes between are full.
  byte_address_[0] = address_;
  for (std::size_t j = 1; j < kWordBytes; ++j) {
    const std::int32_t step = static_cast<std::int32_t>(j);
    const std::int32_t weight = static_cast<std::int32_t>(kWordBytes);  // > step: a byte below 255
    Linear wraps = address_[0] - (kByteSize - step);
    LinearWord& address = byte_address_[j];
    address = address_;
    address[0] += step;
    for (std::size_t i = 0; i + 1 < kWordBytes; ++i) {
      if (i > 0) wraps += -weight * (kByteHigh - address_[i]);
      const Wire carry = b_.StepLane(Indexed(Indexed("address", j) + ".carry", i), wraps);
      address[i] += -kByteSize * Linear(carry);
      address[i + 1] += carry;
    }
  }
  // All reads of a step that need an address share one layer.
  const int layer = b_.LayerAfter(byte_address_[1][kWordBytes - 1]);
  const HeadWires local = b_.Head(HeadId::kLocal, address_, kWordBytes, true, layer);
  const Wire absent = Mismatch(b_, "absent.local", local, address_);
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    b_.Unit(s_.local_get - Linear(absent), local.values[i], {{result_[i]}});
  }
  constexpr std::array kHeadOfByte = {HeadId::kByte0, HeadId::kByte1, HeadId::kByte2,
                                      HeadId::kByte3};
  std::array<HeadWires, kWordBytes> bytes;
  for (std::size_t j = 0; j < kWordBytes; ++j) {
    bytes[j] = b_.Head(kHeadOfByte[j], byte_address_[j], 1, true, layer);
  }
  LoadBytes(bytes);
}

void MachineCompiler::LoadBytes(const std::array<HeadWires, kWordBytes>& bytes) {
  const std::array<Wire, kWordBytes> loads = {s_.load_1, s_.load_2, s_.load_4, s_.load_4};
  std::array<Wire, kWordBytes> absent;
  for (std::size_t j = 0; j < kWordBytes; ++j) {
    absent[j] = Mismatch(b_, Indexed("absent.byte", j), bytes[j], byte_address_[j]);
    b_.Unit(loads[j] - Linear(absent[j]), bytes[j].values[0], {{result_[j]}});
  }
  // Sign extension fills the bytes above with 255.
  const auto negative = [&](std::size_t j, Wire signal) {
    return bytes[j].values[0] - kSignBit - kByteSize * Linear(absent[j]) -
           kByteSize * (1 - Linear(signal));
  };
  b_.Step(negative(0, s_.load_8_s),
          {{result_[1], kByteHigh}, {result_[2], kByteHigh}, {result_[3], kByteHigh}});
  b_.Step(negative(1, s_.load_16_s), {{result_[2], kByteHigh}, {result_[3], kByteHigh}});
}

// Which operands an opcode may have does not depend on the machine's registers, except for where a
// local lies: those checks come first and the opcode selects among their answers.
void MachineCompiler::CheckOperands() {
  const Linear aux = Linear(aux_[0]) + aux_[1] + aux_[2];
  const Linear upper = Linear(arg_[1]) + arg_[2] + arg_[3];
  const auto any = [&](const char* name, const Linear& sum) { return b_.StepLane(name, sum - 1); };
  host_bit_ = b_.StepLane("host_bit", Linear(arg_[3]) - kSignBit);
  aux_used_ = any("aux.used", aux);
  used_ = any("operand.used", aux + arg_[0] + upper);
  const Wire aux_many = any("aux.many", Linear(aux_[0]) + 2 * (Linear(aux_[1]) + aux_[2]) - 1);
  // aux = 0: a local, checked by its slot; aux = 1: a global, arg < globals; else nothing.
  const Wire low_global = b_.StepLane("globals.low", Half(arg_, 0) - Half(globals_, 0));
  bad_local_ = b_.StepLane("bad.local", Half(arg_, 2) - Half(globals_, 2) + low_global - 1 +
                                            kDisable * (Linear(aux_many) + aux_used_ - 1));
  // Bit 31 of arg is set: aux = 0 and the rest of arg < imports.
  const Wire low_import = b_.StepLane("imports.low", Half(arg_, 0) - Half(imports_, 0));
  bad_import_ = b_.StepLane("bad.import", Half(arg_, 2) - kSignBit * kByteSize * Linear(host_bit_) -
                                              Half(imports_, 2) + low_import - 1 +
                                              kDisable * Linear(aux_used_));
  // aux = 0 and arg is the number of a cause.
  const Wire cause = b_.Lane("cause.wrong", 0, 2);
  b_.Hinge(1 - Linear(arg_[0]), {{cause}});
  b_.Step(Linear(arg_[0]) - static_cast<std::int32_t>(isa::kTrapCount) - 1, {{cause}});
  b_.Step(aux + upper - 1, {{cause}});
  bad_cause_ = any("bad.cause", cause);
}

void MachineCompiler::CheckInstruction() {
  malformed_ = b_.Lane("malformed", 0, 1);
  b_.Hinge(s_.no_operand + Linear(used_) - 1, {{malformed_}});
  b_.Hinge(s_.no_aux + Linear(aux_used_) - 1, {{malformed_}});
  b_.Hinge(s_.trap + Linear(bad_cause_) - 1, {{malformed_}});
  b_.Hinge(s_.local + Linear(bad_local_) - 1, {{malformed_}});
  b_.Hinge(s_.call + Linear(host_bit_) + bad_import_ - 2, {{malformed_}});
}

// locals_base + arg < max_locals, by halves.
void MachineCompiler::CheckSlot() {
  const Wire low = b_.StepLane("slot.low", Half(address_, 0) - Half(max_locals_, 0));
  const Linear high = Half(address_, 2) + kHalfSize * Linear(carry32_) - Half(max_locals_, 2);
  bad_slot_ =
      b_.StepLane("bad.slot", high + low - 1 - kDisable * (1 - Linear(s_.local) + aux_used_));
}

// The last byte's page, (address + last_byte) / 65,536 in 33 bits, must be below the size in pages.
void MachineCompiler::CheckBounds() {
  const Wire crosses = b_.StepLane(
      "access.crosses", address_[0] + kByteSize * address_[1] + s_.last_byte - kHalfSize);
  const Linear page =
      address_[2] + kByteSize * address_[3] + kHalfSize * Linear(carry32_) + crosses;
  out_of_bounds_ =
      b_.StepLane("out_of_bounds", page - pages_ - kDisable * (1 - Linear(s_.memory) + underflow_));
}

void MachineCompiler::CheckCall() {
  // locals_base + aux > max_base, by halves; then the depth.
  const Wire low = b_.StepLane("frame.low", Half(address_, 0) - Half(max_base_, 0) - 1);
  const Linear high = Half(address_, 2) + kHalfSize * Linear(carry32_) - Half(max_base_, 2);
  const Wire too_large = b_.StepLane("frame.too_large", high + low - 1);
  const Wire too_deep = b_.HingeLane("call.too_deep", 1 - Linear(depth_left_));
  call_exhausted_ = b_.Lane("call_exhausted", 0, 1);
  const Linear call = s_.call - Linear(host_call_);
  b_.Hinge(2 * call + too_large + too_deep - 2, {{call_exhausted_}});
  b_.Hinge(2 * call + too_large + too_deep - 3, {{call_exhausted_, -1}});
  push_exhausted_ = b_.HingeLane("push_exhausted", s_.grow_1 - Linear(slots_left_) - underflow_);
}

void MachineCompiler::Trap() {
  const Wire no_code = b_.Lane("no_code", 0, 1);
  b_.Hinge(absent_code_, {{no_code}});
  b_.Hinge(Linear(absent_code_) - 1, {{no_code, -1}});
  no_code_ = no_code;
  const Linear unknown = 1 - no_code_ - s_.valid;
  // An instruction that is not allowed does nothing else, whatever its operands would have led to.
  const Linear malformed = malformed_ + Linear(bad_slot_);
  const Linear trapped = underflow_ + Linear(divide_by_zero_) + overflow_ + out_of_bounds_ +
                         call_exhausted_ + push_exhausted_ + s_.trap;
  const auto code = [](isa::Trap trap) { return static_cast<std::int32_t>(trap); };
  cause_ = b_.Lane("cause", 0, kByteHigh);
  b_.Unit(s_.trap - malformed, arg_[0], {{cause_}});
  b_.Hinge(code(isa::Trap::kInvalidPc) * no_code_ + code(isa::Trap::kInvalidInstruction) * unknown,
           {{cause_}});
  b_.Hinge(malformed, {{cause_, code(isa::Trap::kInvalidInstruction)}});
  b_.Hinge(code(isa::Trap::kStackUnderflow) * Linear(underflow_) +
               code(isa::Trap::kDivideByZero) * Linear(divide_by_zero_) +
               code(isa::Trap::kIntegerOverflow) * Linear(overflow_) +
               code(isa::Trap::kOutOfBounds) * Linear(out_of_bounds_) +
               code(isa::Trap::kExhausted) * (call_exhausted_ + Linear(push_exhausted_)) -
               kByteSize * malformed,
           {{cause_}});
  stopped_ = b_.Lane("stopped", 0, 1);
  b_.Hinge(no_code_ + unknown + malformed, {{stopped_}});
  b_.Hinge(trapped + s_.halt - malformed, {{stopped_}});
  hold_ = b_.Lane("hold", 0, 1);
  b_.Hinge(no_code_ + unknown + malformed, {{hold_}});
  b_.Hinge(trapped + start_ + loop_ - malformed, {{hold_}});
}

}  // namespace txvm::weights
