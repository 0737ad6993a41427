#include "frontends/wasm/vector_code.h"

#include <string_view>
#include <vector>

#include "isa/opcode.h"

namespace txvm::frontends::wat {
namespace {

using isa::Opcode;
using wasm::Op;

constexpr std::uint32_t kWords = 4, kWordBits = 32, kWordBytes = 4, kByteBits = 8;
constexpr std::uint32_t kAllOnes = 0xFFFFFFFF, kByte = 0xFF, kHalf = 0xFFFF;

// Scratch locals: two vectors, an address and the words of a lane.
constexpr std::uint32_t kFirst = 0, kSecond = kFirst + kWords, kAddress = kSecond + kWords,
                        kLaneWord = kAddress + 1;

/// The instruction of WebAssembly 2.0 that a relaxed one is here: the first of the results that it
/// may have (docs/VECTORS.md).
std::string_view StrictText(Op op) {
  switch (op) {
    case Op::kI8X16RelaxedSwizzle:
      return "i8x16.swizzle";
    case Op::kI32X4RelaxedTruncF32X4S:
      return "i32x4.trunc_sat_f32x4_s";
    case Op::kI32X4RelaxedTruncF32X4U:
      return "i32x4.trunc_sat_f32x4_u";
    case Op::kI32X4RelaxedTruncF64X2SZero:
      return "i32x4.trunc_sat_f64x2_s_zero";
    case Op::kI32X4RelaxedTruncF64X2UZero:
      return "i32x4.trunc_sat_f64x2_u_zero";
    case Op::kI8X16RelaxedLaneSelect:
    case Op::kI16X8RelaxedLaneSelect:
    case Op::kI32X4RelaxedLaneSelect:
    case Op::kI64X2RelaxedLaneSelect:
      return "v128.bitselect";
    case Op::kF32X4RelaxedMin:
      return "f32x4.min";
    case Op::kF32X4RelaxedMax:
      return "f32x4.max";
    case Op::kF64X2RelaxedMin:
      return "f64x2.min";
    case Op::kF64X2RelaxedMax:
      return "f64x2.max";
    case Op::kI16X8RelaxedQ15mulrS:
      return "i16x8.q15mulr_sat_s";
    default:
      return wasm::InfoOf(op).text;
  }
}

/// An offset past the end of memory stays one: no memory has the last word of 2^32 + offset.
std::uint32_t OffsetOf(std::uint32_t offset, std::uint32_t bytes) {
  return offset > kAllOnes - bytes ? kAllOnes : offset + bytes;
}

/// Emits the moves.
class VectorMover {
 public:
  VectorMover(WideCode& code, const Instr& instr)
      : code_(code), offset_(instr.a), lane_(LaneOf(instr)) {
    (void)code.Scratch(kLaneWord + 1);  // all of them are there
  }

  /// False: `op` is no move.
  bool Emit(Op op);

 private:
  std::uint32_t Local(std::uint32_t n) { return code_.Scratch(n); }
  /// The words from `from` on, of the vector on the stack, into locals; those below stay.
  void SetWords(std::uint32_t from) {
    for (std::uint32_t i = kWords; i-- > from;) code_.Set(Local(kFirst + i));
  }
  void GetWords(std::uint32_t from) {
    for (std::uint32_t i = from; i < kWords; ++i) code_.Get(Local(kFirst + i));
  }
  void Pops(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) code_.Op(Opcode::kPop);
  }
  void Zeros(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) code_.Push(0u);
  }
  void Access(Opcode op, std::uint32_t bytes = 0) {
    code_.Add(InstrKind::kAccess, OffsetOf(offset_, bytes), 0, op);
  }
  void Masked(std::uint32_t mask) {
    code_.Push(mask);
    code_.Op(Opcode::kAnd);
  }
  void Shifted(Opcode op, std::uint32_t count) {
    if (count == 0) return;
    code_.Push(count);
    code_.Op(op);
  }

  void LoadWords(std::uint32_t count);
  void LoadExtended(std::string_view routine);
  void LoadSplat(std::uint32_t bits);
  void LoadLane(std::uint32_t bits);
  void StoreLane(std::uint32_t bits);
  void Store();
  void Splat(std::uint32_t bits);
  void TakeWord(std::uint32_t word);
  void ExtractLane(std::uint32_t bits, bool is_signed);
  void ReplaceLane(std::uint32_t bits);
  void Merge(std::uint32_t bits);
  std::uint32_t WordOfLane(std::uint32_t bits) const { return lane_ * bits / kWordBits; }
  std::uint32_t BitOfLane(std::uint32_t bits) const { return lane_ * bits % kWordBits; }

  WideCode& code_;
  std::uint32_t offset_, lane_;
};

/// `addr -- words`, from memory that follows each other.
void VectorMover::LoadWords(std::uint32_t count) {
  if (count == 1) return Access(Opcode::kLoad);
  code_.Tee(Local(kAddress));
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i > 0) code_.Get(Local(kAddress));
    Access(Opcode::kLoad, i * kWordBytes);
  }
}

void VectorMover::LoadExtended(std::string_view routine) {
  LoadWords(2);
  Zeros(2);
  code_.CallRoutine(routine);
}

void VectorMover::LoadSplat(std::uint32_t bits) {
  if (bits >= kWordBits) {
    LoadWords(bits / kWordBits);
  } else {
    Access(bits == kByteBits ? Opcode::kLoad8U : Opcode::kLoad16U);
    code_.Push(kAllOnes / (bits == kByteBits ? kByte : kHalf));
    code_.Op(Opcode::kMul);
  }
  Merge(bits);
}

/// Repeats the word or the two words on the stack until there are four.
void VectorMover::Merge(std::uint32_t bits) {
  if (bits > kWordBits) {
    code_.Op(Opcode::kOver);
    return code_.Op(Opcode::kOver);
  }
  for (std::uint32_t i = 1; i < kWords; ++i) code_.Op(Opcode::kDup);
}

void VectorMover::Splat(std::uint32_t bits) {
  if (bits < kWordBits) {
    const std::uint32_t mask = bits == kByteBits ? kByte : kHalf;
    Masked(mask);
    code_.Push(kAllOnes / mask);
    code_.Op(Opcode::kMul);
  }
  Merge(bits);
}

/// The vector on the stack becomes one of its words.
void VectorMover::TakeWord(std::uint32_t word) {
  Pops(kWords - 1 - word);
  if (word == 0) return;
  code_.Set(Local(kLaneWord));
  Pops(word);
  code_.Get(Local(kLaneWord));
}

void VectorMover::ExtractLane(std::uint32_t bits, bool is_signed) {
  const std::uint32_t word = WordOfLane(bits), bit = BitOfLane(bits);
  if (bits > kWordBits) {
    if (word == 0) return Pops(2);
    code_.Set(Local(kFirst + 3));
    code_.Set(Local(kFirst + 2));
    Pops(2);
    return GetWords(2);
  }
  TakeWord(word);
  if (bits == kWordBits) return;
  if (!is_signed) {
    Shifted(Opcode::kShrU, bit);
    if (bit + bits < kWordBits) Masked(bits == kByteBits ? kByte : kHalf);
    return;
  }
  Shifted(Opcode::kShl, kWordBits - bits - bit);
  Shifted(Opcode::kShrS, kWordBits - bits);
}

/// `v128 lane -- v128`; the lane is a word, or two.
void VectorMover::ReplaceLane(std::uint32_t bits) {
  const std::uint32_t word = WordOfLane(bits), bit = BitOfLane(bits);
  const std::uint32_t lane_words = bits > kWordBits ? 2 : 1;
  for (std::uint32_t i = lane_words; i-- > 0;) code_.Set(Local(kLaneWord + i));
  SetWords(word + lane_words);
  if (bits < kWordBits) {
    const std::uint32_t mask = bits == kByteBits ? kByte : kHalf;
    Masked(~(mask << bit));
    code_.Get(Local(kLaneWord));
    Masked(mask);
    Shifted(Opcode::kShl, bit);
    code_.Op(Opcode::kOr);
  } else {
    Pops(lane_words);
    for (std::uint32_t i = 0; i < lane_words; ++i) code_.Get(Local(kLaneWord + i));
  }
  GetWords(word + lane_words);
}

/// `addr v128 -- v128`.
void VectorMover::LoadLane(std::uint32_t bits) {
  SetWords(0);
  if (bits >= kWordBits) {
    LoadWords(bits / kWordBits);
  } else {
    Access(bits == kByteBits ? Opcode::kLoad8U : Opcode::kLoad16U);
  }
  const std::uint32_t word = WordOfLane(bits), bit = BitOfLane(bits);
  const std::uint32_t lane_words = bits > kWordBits ? 2 : 1;
  for (std::uint32_t i = lane_words; i-- > 0;) code_.Set(Local(kLaneWord + i));
  for (std::uint32_t i = 0; i < word; ++i) code_.Get(Local(kFirst + i));
  if (bits < kWordBits) {
    code_.Get(Local(kFirst + word));
    Masked(~((bits == kByteBits ? kByte : kHalf) << bit));
    code_.Get(Local(kLaneWord));
    Shifted(Opcode::kShl, bit);
    code_.Op(Opcode::kOr);
  } else {
    for (std::uint32_t i = 0; i < lane_words; ++i) code_.Get(Local(kLaneWord + i));
  }
  GetWords(word + lane_words);
}

/// `addr v128 --`. Of two words the high one goes first: if it fits, so does the low one, and a
/// trapping store writes nothing.
void VectorMover::StoreLane(std::uint32_t bits) {
  const std::uint32_t word = WordOfLane(bits);
  SetWords(0);
  if (bits > kWordBits) {
    code_.Tee(Local(kAddress));
    code_.Get(Local(kFirst + word + 1));
    Access(Opcode::kStore, kWordBytes);
    code_.Get(Local(kAddress));
  }
  code_.Get(Local(kFirst + word));
  if (bits < kWordBits) Shifted(Opcode::kShrU, BitOfLane(bits));
  Access(bits == kByteBits  ? Opcode::kStore8
         : bits < kWordBits ? Opcode::kStore16
                            : Opcode::kStore);
}

/// The last word goes first, for the same reason.
void VectorMover::Store() {
  SetWords(0);
  code_.Tee(Local(kAddress));
  for (std::uint32_t i = kWords; i-- > 0;) {
    if (i + 1 < kWords) code_.Get(Local(kAddress));
    code_.Get(Local(kFirst + i));
    Access(Opcode::kStore, i * kWordBytes);
  }
}

bool VectorMover::Emit(Op op) {
  switch (op) {
      // clang-format off
    case Op::kV128Load: return LoadWords(kWords), true;
    case Op::kV128Load8X8S: return LoadExtended("i16x8.extend_low_i8x16_s"), true;
    case Op::kV128Load8X8U: return LoadExtended("i16x8.extend_low_i8x16_u"), true;
    case Op::kV128Load16X4S: return LoadExtended("i32x4.extend_low_i16x8_s"), true;
    case Op::kV128Load16X4U: return LoadExtended("i32x4.extend_low_i16x8_u"), true;
    case Op::kV128Load32X2S: return LoadExtended("i64x2.extend_low_i32x4_s"), true;
    case Op::kV128Load32X2U: return LoadExtended("i64x2.extend_low_i32x4_u"), true;
    case Op::kV128Load8Splat: return LoadSplat(8), true;
    case Op::kV128Load16Splat: return LoadSplat(16), true;
    case Op::kV128Load32Splat: return LoadSplat(32), true;
    case Op::kV128Load64Splat: return LoadSplat(64), true;
    case Op::kV128Load32Zero: return LoadWords(1), Zeros(3), true;
    case Op::kV128Load64Zero: return LoadWords(2), Zeros(2), true;
    case Op::kV128Load8Lane: return LoadLane(8), true;
    case Op::kV128Load16Lane: return LoadLane(16), true;
    case Op::kV128Load32Lane: return LoadLane(32), true;
    case Op::kV128Load64Lane: return LoadLane(64), true;
    case Op::kV128Store: return Store(), true;
    case Op::kV128Store8Lane: return StoreLane(8), true;
    case Op::kV128Store16Lane: return StoreLane(16), true;
    case Op::kV128Store32Lane: return StoreLane(32), true;
    case Op::kV128Store64Lane: return StoreLane(64), true;
    case Op::kI8X16Splat: return Splat(8), true;
    case Op::kI16X8Splat: return Splat(16), true;
    case Op::kI32X4Splat:
    case Op::kF32X4Splat: return Splat(32), true;
    case Op::kI64X2Splat:
    case Op::kF64X2Splat: return Splat(64), true;
    case Op::kI8X16ExtractLaneS: return ExtractLane(8, true), true;
    case Op::kI8X16ExtractLaneU: return ExtractLane(8, false), true;
    case Op::kI16X8ExtractLaneS: return ExtractLane(16, true), true;
    case Op::kI16X8ExtractLaneU: return ExtractLane(16, false), true;
    case Op::kI32X4ExtractLane:
    case Op::kF32X4ExtractLane: return ExtractLane(32, false), true;
    case Op::kI64X2ExtractLane:
    case Op::kF64X2ExtractLane: return ExtractLane(64, false), true;
    case Op::kI8X16ReplaceLane: return ReplaceLane(8), true;
    case Op::kI16X8ReplaceLane: return ReplaceLane(16), true;
    case Op::kI32X4ReplaceLane:
    case Op::kF32X4ReplaceLane: return ReplaceLane(32), true;
    case Op::kI64X2ReplaceLane:
    case Op::kF64X2ReplaceLane: return ReplaceLane(64), true;
    // clang-format on
    default:
      return false;
  }
}

/// Bytes of one source word that go to a result word by the same rotation.
struct Piece {
  std::uint32_t source = 0, rotation = 0, mask = 0;  // rotation to the left, then the mask
};

std::uint32_t ByteOf(const std::array<std::uint32_t, kWords>& words, std::uint32_t i) {
  return words[i / kWordBytes] >> (kByteBits * (i % kWordBytes)) & kByte;
}

}  // namespace

void EmitVector(WideCode& code, const Instr& instr) {
  const Op op = VectorOpOf(instr);
  if (VectorMover(code, instr).Emit(op)) return;
  code.CallRoutine(StrictText(op));
}

void EmitShuffle(WideCode& code, const std::array<std::uint32_t, 4>& lanes) {
  (void)code.Scratch(2 * kWords);  // all of them are there
  for (std::uint32_t i = 2 * kWords; i-- > 0;) code.Set(code.Scratch(kFirst + i));
  for (std::uint32_t word = 0; word < kWords; ++word) {
    std::vector<Piece> pieces;
    for (std::uint32_t i = 0; i < kWordBytes; ++i) {
      const std::uint32_t lane = ByteOf(lanes, word * kWordBytes + i);
      const std::uint32_t source = lane / kWordBytes;
      const std::uint32_t rotation = kByteBits * ((i - lane) % kWordBytes);
      auto found = pieces.begin();
      while (found != pieces.end() && (found->source != source || found->rotation != rotation)) {
        ++found;
      }
      if (found == pieces.end()) found = pieces.insert(found, {source, rotation, 0});
      found->mask |= kByte << (kByteBits * i);
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      code.Get(code.Scratch(kFirst + pieces[i].source));
      if (pieces[i].rotation != 0) {
        code.Push(pieces[i].rotation);
        code.Op(Opcode::kRotl);
      }
      if (pieces[i].mask != kAllOnes) {
        code.Push(pieces[i].mask);
        code.Op(Opcode::kAnd);
      }
      if (i > 0) code.Op(Opcode::kOr);
    }
  }
}

}  // namespace txvm::frontends::wat
