// The machine as circuits: every method wires one part of a step into the builder, in the order of
// the data. Words are four byte values; a flag is 0 or 1; [p] is 1 when p holds, else 0.
//
// FACTS  for bytes b_i: [all zero] = relu(1 - sum b_i); [all n are 255] = relu(sum b_i - 255 n +
// 1).
//        for integers: [y >= 0] = relu(y + 1) - relu(y). A gated unit relu(g) * u with g in {0, 1}
//        selects u; with a, b bytes relu(a) * b is their product.
#pragma once

#include <array>

#include "weights/builder.h"

namespace txvm::weights {

inline constexpr std::int32_t kByteSize = 256;
inline constexpr std::int32_t kByteHigh = 255;
inline constexpr std::int32_t kSignBit = 128;      // of a byte
inline constexpr std::int32_t kHalfSize = 65'536;  // of two bytes
inline constexpr std::int32_t kLastMicro =
    33;  // a division's 32 quotient bits are micro-steps 1..32

LinearWord Lanes(const WireWord& word);
/// Two's complement negation of `word`, ready one layer after it.
LinearWord Negation(ModelBuilder& b, const std::string& name, const WireWord& word);
/// A lane that is 0 exactly when the digits of `head`'s key equal `query` and its flag is 1.
Wire Mismatch(ModelBuilder& b, const std::string& name, const HeadWires& head,
              const LinearWord& query);

/// Lanes the decoder sets; one member per row of signals.def.
struct Signals {
#define TXVM_SIGNAL(name, high, value) Wire name;
#include "weights/signals.def"
#undef TXVM_SIGNAL
};

/// Builds the model of CompileModel. Each member is set by the method named above it and read by
/// later ones only.
class MachineCompiler {
 public:
  Model Compile() &&;

 private:
  void EmbedTokens();
  void ReadInstruction();
  void CheckOperands();
  void CountStack();
  void Decode();
  void ReadOperands();
  void Move();
  void Jump();
  void Add();
  void Compare();
  void Negate();
  void Multiply();
  void CarryProduct(const std::array<Wire, kWordBytes>& column);
  void Bits();
  void Logic();
  void CountBits();
  void Shift();
  void ShiftBy(std::size_t count);
  void StartDivision();
  void StepDivision();
  void FinishDivision();
  void ReadLocalsAndMemory();
  void LoadBytes(const std::array<HeadWires, kWordBytes>& bytes);
  void CheckInstruction();
  void CheckSlot();
  void CheckBounds();
  void CheckCall();
  void Trap();
  void NextState();
  void EmitState();
  void WriteFirst();
  void WriteOthers();
  void EmitWrite(std::size_t slot, const std::array<Linear, kSpaceCount>& space,
                 const WireWord& key, std::span<const Wire> values);

  ModelBuilder b_;
  // EmbedTokens
  WireWord ip_, sp_, depth_, base_, top_, max_slots_, max_depth_, max_base_;
  WireWord max_locals_, globals_, imports_;
  WireWord quotient_, remainder_, divisor_;
  Linear pages_;  // 0..65,536
  Wire micro_;
  // ReadInstruction
  HeadWires fetch_, frame_;
  Wire op_;
  std::array<Wire, 3> aux_;
  WireWord arg_;
  Wire absent_code_;    // 0 when the instruction exists
  LinearWord next_ip_;  // ip + 1
  // CheckOperands
  Wire host_bit_, aux_used_, used_;          // [arg names an import], [aux > 0], [aux or arg > 0]
  Wire bad_local_, bad_import_, bad_cause_;  // what a local access, host call or TRAP must not have
  // CountStack
  Wire sp_below_1_, sp_below_2_, sp_below_3_, depth_zero_, top_zero_, top_sign_;
  Wire slots_left_, depth_left_;  // distance to the limit, 0 at it
  Wire loop_, last_;              // micro in 1..32; micro = 33
  LinearWord sp_plus_1_, sp_minus_1_, sp_minus_2_, depth_plus_1_, depth_minus_1_;
  // Decode
  Signals s_;
  // ReadOperands
  HeadWires second_, third_;
  Wire absent_second_, absent_third_;
  WireWord a_;  // second operand, 0 when absent
  Wire a_sign_;
  WireWord result_;  // every circuit adds its result here; one of them is not 0
  Wire underflow_;
  // CheckInstruction: the operands of this opcode are not allowed
  Wire malformed_;
  // Jump
  Wire host_call_, taken_;
  // Add
  LinearWord x_, sum_;
  LinearWord address_;  // sum_ where nothing is subtracted: what memory, locals and calls use
  Wire carry32_, remainder_sign_;
  // Negate
  LinearWord minus_top_;
  // Bits
  static constexpr std::size_t kWordBits = 32;
  std::array<Wire, kWordBits> a_bit_, top_bit_;
  std::array<Wire, kWordBits> count_;  // [shift count = s], minus 1 for s = 0
  Wire popcnt_;
  WireWord leading_, trailing_;  // zero bits of each byte of the top, minus 8
  // StartDivision, StepDivision
  Wire divide_by_zero_, overflow_, start_, negative_a_, negative_top_;
  Wire next_micro_;
  WireWord next_quotient_, next_remainder_, next_divisor_;
  // ReadLocalsAndMemory, CheckBounds, CheckCall
  std::array<LinearWord, kWordBytes> byte_address_;
  Wire bad_slot_;  // of a local access whose operands are allowed
  Wire out_of_bounds_, call_exhausted_, push_exhausted_;
  // Trap
  Linear no_code_;
  Wire stopped_, cause_, hold_;  // hold: registers keep their values, nothing is written
  // NextState
  WireWord step_ip_, step_sp_, step_depth_, step_base_, step_top_;  // what each register changes by
};

}  // namespace txvm::weights
