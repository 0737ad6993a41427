// Reading: the tokens' lanes, the instruction, the decoder, the operands.
// Declared in weights/compiler.h.
#include "weights/compiler.h"

namespace txvm::weights {
namespace {

namespace sf = state_field;
namespace mf = memory_field;

constexpr std::int32_t kMaxSquare = 4 * kByteHigh * kByteHigh;
// Between two words of bytes, plus absence; the address of an instruction that has none may be -1.
constexpr std::int32_t kMaxDistance = 4 * kByteHigh + 2;

WireWord EmbedWord(ModelBuilder& b, const std::string& name, std::size_t field) {
  WireWord word;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    word[i] = b.Embed(Indexed(name, i), field + i, kByteHigh);
  }
  return word;
}

/// word + 1, the carry out of the last byte dropped (no register reaches it).
LinearWord Increment(ModelBuilder& b, const std::string& name, const WireWord& word) {
  LinearWord next = Lanes(word);
  Linear carry = 1;
  Linear sum = 0;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    next[i] += carry;
    if (i + 1 == kWordBytes) break;
    sum += word[i];
    const std::int32_t full = kByteHigh * static_cast<std::int32_t>(i + 1);
    carry = b.HingeLane(Indexed(name + ".carry", i), sum - full + 1);
    next[i] += -kByteSize * carry;
  }
  return next;
}

/// word - amount, amount 1 or 2: a borrow leaves bytes 0..i when they hold less. The last digit is
/// -1 when the word is less than amount: no key has such a digit.
LinearWord Decrement(ModelBuilder& b, const std::string& name, const WireWord& word,
                     std::int32_t amount) {
  LinearWord next = Lanes(word);
  Linear borrow = amount;
  Linear above = 0;  // amount times the bytes above the first: any of them prevents the borrow
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    next[i] += -1 * borrow;
    if (i + 1 == kWordBytes) break;
    if (i > 0) above += amount * Linear(word[i]);
    const Wire wire = b.Lane(Indexed(name + ".borrow", i), 0, 1);
    b.Step(amount - 1 - Linear(word[0]) - above, {{wire}});
    borrow = wire;
    next[i] += kByteSize * borrow;
  }
  return next;
}

/// Sum over the bytes of |a - b|.
Wire Distance(ModelBuilder& b, const std::string& name, const WireWord& x, const WireWord& y) {
  const Wire wire = b.Lane(name, 0, 4 * kByteHigh);
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    b.Hinge(Linear(x[i]) - y[i], {{wire}});
    b.Hinge(Linear(y[i]) - x[i], {{wire}});
  }
  return wire;
}

}  // namespace

LinearWord Lanes(const WireWord& word) { return {word[0], word[1], word[2], word[3]}; }

Wire Mismatch(ModelBuilder& b, const std::string& name, const HeadWires& head,
              const LinearWord& query) {
  const Wire wire = b.Lane(name, 0, kMaxDistance);
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    b.Hinge(head.key[i] - query[i], {{wire}});
    b.Hinge(query[i] - head.key[i], {{wire}});
  }
  b.Hinge(1 - Linear(head.flag), {{wire}});
  return wire;
}

void MachineCompiler::EmbedTokens() {
  ip_ = EmbedWord(b_, "ip", sf::kIp);
  sp_ = EmbedWord(b_, "sp", sf::kSp);
  depth_ = EmbedWord(b_, "depth", sf::kDepth);
  base_ = EmbedWord(b_, "base", sf::kBase);
  top_ = EmbedWord(b_, "top", sf::kTop);
  Linear scale = 0;
  std::int32_t weight = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int32_t high = i == 2 ? 1 : kByteHigh;
    scale += weight * Linear(b_.Embed(Indexed("pages", i), sf::kPages + i, high));
    weight *= kByteSize;
  }
  pages_ = scale;
  max_slots_ = EmbedWord(b_, "max_slots", sf::kMaxSlots);
  max_depth_ = EmbedWord(b_, "max_depth", sf::kMaxDepth);
  max_base_ = EmbedWord(b_, "max_base", sf::kMaxBase);
  max_locals_ = EmbedWord(b_, "max_locals", sf::kMaxLocals);
  globals_ = EmbedWord(b_, "globals", sf::kGlobals);
  imports_ = EmbedWord(b_, "imports", sf::kImports);
  micro_ = b_.Embed("micro", sf::kMicro, kLastMicro);
  quotient_ = EmbedWord(b_, "quotient", sf::kQuotient);
  remainder_ = EmbedWord(b_, "remainder", sf::kRemainder);
  divisor_ = EmbedWord(b_, "divisor", sf::kDivisor);
  ModelBuilder::MemoryWires memory;
  for (std::size_t i = 0; i < kSpaceCount; ++i) {
    const std::string name = "is_" + std::string(SpaceName(static_cast<Space>(i)));
    memory.space[i] = b_.Embed(name, sf::kCount + mf::kSpace + i, 1);
  }
  memory.key = EmbedWord(b_, "key", sf::kCount + mf::kKey);
  memory.square = b_.Embed("key_square", sf::kCount + mf::kSquare, kMaxSquare);
  for (std::size_t i = 0; i < mf::kValues; ++i) {
    memory.value[i] = b_.Embed(Indexed("value", i), sf::kCount + mf::kValue + i, kByteHigh);
  }
  b_.SetMemory(memory);
}

void MachineCompiler::ReadInstruction() {
  fetch_ = b_.Head(HeadId::kFetch, Lanes(ip_), mf::kValues, true);
  frame_ = b_.Head(HeadId::kFrame, Lanes(depth_), mf::kValues, false);
  op_ = fetch_.values[0];
  for (std::size_t i = 0; i < aux_.size(); ++i) aux_[i] = fetch_.values[1 + i];
  for (std::size_t i = 0; i < kWordBytes; ++i) arg_[i] = fetch_.values[kWordBytes + i];
  absent_code_ = Mismatch(b_, "absent.code", fetch_, Lanes(ip_));
  next_ip_ = Increment(b_, "ip", ip_);
}

void MachineCompiler::CountStack() {
  // [sp < n]: the bytes above the first are scaled so that one of them alone makes it 0.
  const Linear above = Linear(sp_[1]) + sp_[2] + sp_[3];
  sp_below_1_ = b_.HingeLane("sp_below_1", 1 - Linear(sp_[0]) - above);
  sp_below_2_ = b_.StepLane("sp_below_2", 1 - Linear(sp_[0]) - 2 * above);
  sp_below_3_ = b_.StepLane("sp_below_3", 2 - Linear(sp_[0]) - 3 * above);
  depth_zero_ =
      b_.HingeLane("depth_zero", 1 - Linear(depth_[0]) - depth_[1] - depth_[2] - depth_[3]);
  top_zero_ = b_.HingeLane("top_zero", 1 - Linear(top_[0]) - top_[1] - top_[2] - top_[3]);
  top_sign_ = b_.StepLane("top_sign", Linear(top_[3]) - kSignBit);
  loop_ = b_.Lane("loop", 0, 1);
  last_ = b_.Lane("last", 0, 1);
  b_.Hinge(micro_, {{loop_}});
  b_.Hinge(Linear(micro_) - 1, {{loop_, -1}});
  b_.Hinge(Linear(micro_) - kLastMicro + 1, {{loop_, -1}, {last_}});
  slots_left_ = Distance(b_, "slots_left", sp_, max_slots_);
  depth_left_ = Distance(b_, "depth_left", depth_, max_depth_);
  sp_plus_1_ = Increment(b_, "sp", sp_);
  sp_minus_1_ = Decrement(b_, "sp_minus_1", sp_, 1);
  sp_minus_2_ = Decrement(b_, "sp_minus_2", sp_, 2);
  depth_plus_1_ = Increment(b_, "depth", depth_);
  depth_minus_1_ = Decrement(b_, "depth_minus_1", depth_, 1);
}

void MachineCompiler::Decode() {
  std::vector<ModelBuilder::ByteFunction> signals;
  const auto declare = [&](const char* name, std::int32_t high, auto value) {
    ModelBuilder::ByteFunction signal{b_.Lane(name, 0, high), {}};
    for (const isa::OpcodeInfo& op : isa::kOpcodes) {
      signal.table[static_cast<std::size_t>(op.op)] = static_cast<std::int32_t>(value(op));
    }
    signals.push_back(signal);
    return signal.wire;
  };
#define IS(Name) (op.op == isa::Opcode::k##Name)
#define CLASS(Name) (op.op_class == isa::OpClass::Name)
#define TXVM_SIGNAL(name, high, value) \
  s_.name = declare(#name, high, [](const isa::OpcodeInfo& op) { return void(op), (value); });
#include "weights/signals.def"
#undef TXVM_SIGNAL
#undef CLASS
#undef IS
  // An absent instruction pushes the input below every hinge: all signals are 0.
  b_.ByteFunctions(op_ - kByteSize * Linear(absent_code_), signals);
}

void MachineCompiler::ReadOperands() {
  second_ = b_.Head(HeadId::kStackSecond, sp_minus_1_, kWordBytes, true);
  third_ = b_.Head(HeadId::kStackThird, sp_minus_2_, kWordBytes, true);
  absent_second_ = Mismatch(b_, "absent.second", second_, sp_minus_1_);
  absent_third_ = Mismatch(b_, "absent.third", third_, sp_minus_2_);
  a_ = b_.LaneWord("a");
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    b_.Unit(1 - Linear(absent_second_), second_.values[i], {{a_[i]}});
  }
  a_sign_ =
      b_.StepLane("a_sign", second_.values[3] - kSignBit - kByteSize * Linear(absent_second_));
  result_ = b_.LaneWord("result");
  underflow_ = b_.Lane("underflow", 0, 1);
  b_.Hinge(s_.pops_1 + Linear(sp_below_1_) - 1, {{underflow_}});
  b_.Hinge(s_.pops_2 + Linear(sp_below_2_) - 1, {{underflow_}});
  b_.Hinge(s_.pops_3 + Linear(sp_below_3_) - 1, {{underflow_}});
  b_.Hinge(s_.ret + Linear(depth_zero_) - 1, {{underflow_}});
}

void MachineCompiler::Move() {
  const Linear absent_2 = absent_second_;
  const Linear absent_3 = absent_third_;
  LinearWord second, third;
  for (std::size_t i = 0; i < kWordBytes; ++i) {
    second[i] = second_.values[i];
    third[i] = third_.values[i];
  }
  b_.Select(s_.move_arg, Lanes(arg_), result_);
  b_.Select(s_.move_top, Lanes(top_), result_);
  b_.Select(s_.move_second - absent_2, second, result_);
  b_.Select(s_.move_third - absent_3, third, result_);
  // SELECT: a b c -> c ? a : b
  b_.Select(s_.select - Linear(top_zero_) - absent_3, third, result_);
  b_.Select(s_.select + Linear(top_zero_) - 1 - absent_2, second, result_);
}

void MachineCompiler::Jump() {
  host_call_ = b_.HingeLane("host_call", s_.call + Linear(host_bit_) - 1);
  taken_ = b_.Lane("taken", 0, 1);
  b_.Hinge(s_.jz + Linear(top_zero_) - 1, {{taken_}});
  b_.Hinge(s_.jnz - Linear(top_zero_), {{taken_}});
}

}  // namespace txvm::weights
