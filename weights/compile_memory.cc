// Locals, memory, and every reason to trap.
#include "isa/trap.h"
#include "weights/compiler.h"

namespace txvm::weights {
namespace {

constexpr std::int32_t kDisable = 1 << 18;  // exceeds any page number: a check that does not apply

}  // namespace

void MachineCompiler::ReadLocalsAndMemory() {
  // address + j, j = 1..3: byte i carries when byte 0 wraps and the bytes between are full.
  byte_address_[0] = sum_;
  for (std::size_t j = 1; j < kWordBytes; ++j) {
    const std::int32_t step = static_cast<std::int32_t>(j);
    const std::int32_t weight = static_cast<std::int32_t>(kWordBytes);  // > step: a byte below 255
    Linear wraps = sum_[0] - (kByteSize - step);
    LinearWord& address = byte_address_[j];
    address = sum_;
    address[0] += step;
    for (std::size_t i = 0; i + 1 < kWordBytes; ++i) {
      if (i > 0) wraps += -weight * (kByteHigh - sum_[i]);
      const Wire carry = b_.StepLane(Indexed(Indexed("address", j) + ".carry", i), wraps);
      address[i] += -kByteSize * Linear(carry);
      address[i + 1] += carry;
    }
  }
  // All reads of a step that need an address share one layer.
  const int layer = b_.LayerAfter(byte_address_[1][kWordBytes - 1]);
  const HeadWires local = b_.Head(HeadId::kLocal, sum_, kWordBytes, true, layer);
  const Wire absent = Mismatch(b_, "absent.local", local, sum_);
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

// The last byte's page, (address + last_byte) / 65,536 in 33 bits, must be below the size in pages.
void MachineCompiler::CheckBounds() {
  const Wire crosses =
      b_.StepLane("access.crosses", sum_[0] + kByteSize * sum_[1] + s_.last_byte - kHalfSize);
  const Linear page = sum_[2] + kByteSize * sum_[3] + kHalfSize * Linear(carry32_) + crosses;
  out_of_bounds_ =
      b_.StepLane("out_of_bounds", page - pages_ - kDisable * (1 - Linear(s_.memory) + underflow_));
}

void MachineCompiler::CheckCall() {
  // locals_base + aux > max_base, by halves; then the depth.
  const auto half = [](const auto& word, std::size_t i) {
    return Linear(word[i]) + kByteSize * Linear(word[i + 1]);
  };
  const Wire low = b_.StepLane("frame.low", half(sum_, 0) - half(max_base_, 0) - 1);
  const Linear high = half(sum_, 2) + kHalfSize * Linear(carry32_) - half(max_base_, 2);
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
  invalid_ = 1 - no_code_ - s_.valid;
  trapped_ = no_code_ + invalid_ + underflow_ + divide_by_zero_ + overflow_ + out_of_bounds_ +
             call_exhausted_ + push_exhausted_ + s_.trap;
  const auto code = [](isa::Trap trap) { return static_cast<std::int32_t>(trap); };
  cause_ = b_.Lane("cause", 0, kByteHigh);
  b_.Unit(s_.trap, arg_[0], {{cause_}});
  b_.Hinge(code(isa::Trap::kInvalidPc) * no_code_ +
               code(isa::Trap::kInvalidInstruction) * invalid_ +
               code(isa::Trap::kStackUnderflow) * Linear(underflow_) +
               code(isa::Trap::kDivideByZero) * Linear(divide_by_zero_) +
               code(isa::Trap::kIntegerOverflow) * Linear(overflow_) +
               code(isa::Trap::kOutOfBounds) * Linear(out_of_bounds_) +
               code(isa::Trap::kExhausted) * (call_exhausted_ + Linear(push_exhausted_)),
           {{cause_}});
  hold_ = b_.HingeLane("hold", trapped_ + start_ + loop_);
}

}  // namespace txvm::weights
