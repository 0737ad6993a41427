// Float lanes: each goes through the routine of one float, inline.
// Declared in asm/routines/vectors/lanes.h.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "asm/routines/vectors/lanes.h"
#include "isa/support/result.h"

namespace txvm::assembler {
namespace {

using isa::Opcode;
using isa::VectorOperation;
using isa::VectorRoutine;
using isa::Word;

constexpr Word kSignBit = 0x80000000, kMagnitude = 0x7FFFFFFF;

Cells Scalar(std::string_view name, const Cells& operands) {
  const isa::RoutineInfo* info = isa::FindRoutine(name);
  TXVM_ASSERT(info != nullptr);
  return Call(info->id, operands);
}

/// The scalar routine's operation: "add" for kFAdd.
std::string_view NameOf(VectorOperation operation) {
  switch (operation) {
    case VectorOperation::kFSqrt:
      return "sqrt";
    case VectorOperation::kFCeil:
      return "ceil";
    case VectorOperation::kFFloor:
      return "floor";
    case VectorOperation::kFTrunc:
      return "trunc";
    case VectorOperation::kFNearest:
      return "nearest";
    case VectorOperation::kFAdd:
      return "add";
    case VectorOperation::kFSub:
      return "sub";
    case VectorOperation::kFMul:
      return "mul";
    case VectorOperation::kFDiv:
      return "div";
    case VectorOperation::kFMin:
      return "min";
    case VectorOperation::kFMax:
      return "max";
    case VectorOperation::kFEq:
      return "eq";
    case VectorOperation::kFNe:
      return "ne";
    case VectorOperation::kFLt:
    case VectorOperation::kFPmin:
    case VectorOperation::kFPmax:
      return "lt";
    case VectorOperation::kFGt:
      return "gt";
    case VectorOperation::kFLe:
      return "le";
    case VectorOperation::kFGe:
      return "ge";
    default:
      return {};
  }
}

Cells Joined(const Cells& a, const Cells& b) {
  Cells out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

/// With another sign: of a float its last cell's top bit.
Cells Negated(Cells lane) {
  lane.back() = lane.back() ^ kSignBit;
  return lane;
}

/// `condition` ? a : b, of lanes.
Cells SelectLane(Cell condition, const Cells& a, const Cells& b) {
  Cells out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(Select(condition, a[i], b[i]));
  return out;
}

/// One lane of an operation on the same lane of each operand.
Cells Lane(const VectorRoutine& row, const std::vector<Cells>& operands) {
  const std::string type = row.bits == kWordBits ? "f32." : "f64.";
  const Cells& a = operands[0];
  const auto scalar = [&](std::string_view name, const Cells& cells) {
    return Scalar(type + std::string(name), cells);
  };
  switch (row.operation) {
    case VectorOperation::kFAbs: {
      Cells lane = a;
      lane.back() = lane.back() & kMagnitude;
      return lane;
    }
    case VectorOperation::kFNeg:
      return Negated(a);
    case VectorOperation::kMadd:
      return scalar("add", Joined(scalar("mul", Joined(a, operands[1])), operands[2]));
    case VectorOperation::kNmadd:
      return scalar("add", Joined(scalar("mul", Joined(Negated(a), operands[1])), operands[2]));
    case VectorOperation::kFPmin:
      return SelectLane(scalar("lt", Joined(operands[1], a))[0], operands[1], a);
    case VectorOperation::kFPmax:
      return SelectLane(scalar("lt", Joined(a, operands[1]))[0], operands[1], a);
    default:
      break;
  }
  Cells all = a;
  for (std::size_t i = 1; i < operands.size(); ++i) all = Joined(all, operands[i]);
  const Cells result = scalar(NameOf(row.operation), all);
  const bool is_comparison =
      row.operation >= VectorOperation::kFEq && row.operation <= VectorOperation::kFGe;
  if (!is_comparison) return result;
  return Cells(a.size(), Operate(Opcode::kNeg, result[0]));
}

Cells LaneByLane(const VectorRoutine& row, const Cells& in) {
  const std::size_t width = row.bits / kWordBits;
  Cells out;
  for (std::size_t i = 0; i < kVectorCells; i += width) {
    std::vector<Cells> operands;
    for (std::size_t first = i; first < in.size(); first += kVectorCells) {
      const auto begin = in.begin() + static_cast<std::ptrdiff_t>(first);
      operands.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(width));
    }
    out = Joined(out, Lane(row, operands));
  }
  return out;
}

/// A scalar conversion of the first `count` lanes of `width` cells, then zeros.
Cells Converted(const std::string& name, const Cells& in, std::size_t width, std::size_t count) {
  Cells out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = in.begin() + static_cast<std::ptrdiff_t>(i * width);
    out = Joined(out, Scalar(name, Cells(begin, begin + static_cast<std::ptrdiff_t>(width))));
  }
  while (out.size() < kVectorCells) out.push_back(Constant(*in[0].graph, 0));
  return out;
}

}  // namespace

Cells ComposeFloat(const VectorRoutine& row, const Cells& in) {
  const char sign = row.is_signed ? 's' : 'u';
  const std::string type = row.bits == kWordBits ? "f32" : "f64";
  const std::size_t width = row.bits / kWordBits, count = kVectorCells / width;
  switch (row.operation) {
    case VectorOperation::kConvert:
      return Converted(fmt::format("{}.convert_i32_{}", type, sign), in, 1, count);
    case VectorOperation::kTruncSat:
      return Converted(fmt::format("i32.trunc_sat_{}_{}", type, sign), in, width, count);
    case VectorOperation::kDemote:
      return Converted("f32.demote_f64", in, width, count);
    case VectorOperation::kPromote:
      return Converted("f64.promote_f32", in, 1, 2);
    default:
      return LaneByLane(row, in);
  }
}

}  // namespace txvm::assembler
