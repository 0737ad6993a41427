#include "tests/support/wasm_vectors.h"

#include <array>
#include <string_view>
#include <vector>

#include "isa/vector_routine.h"

namespace txvm::tests {
namespace {

using isa::VectorOperation;

char NanOf(const isa::VectorRoutine& row) {
  switch (row.operation) {
    case VectorOperation::kFSqrt:
    case VectorOperation::kFCeil:
    case VectorOperation::kFFloor:
    case VectorOperation::kFTrunc:
    case VectorOperation::kFNearest:
    case VectorOperation::kFAdd:
    case VectorOperation::kFSub:
    case VectorOperation::kFMul:
    case VectorOperation::kFDiv:
    case VectorOperation::kFMin:
    case VectorOperation::kFMax:
      return row.bits == 32 ? 'f' : 'd';
    case VectorOperation::kDemote:
      return 'f';
    case VectorOperation::kPromote:
      return 'd';
    default:
      return 0;
  }
}

std::vector<VectorOp> MakeOps() {
  constexpr std::size_t kCells = 4;
  std::vector<VectorOp> ops;
  for (const isa::VectorRoutine& row : isa::kVectorRoutines) {
    const isa::RoutineInfo& info = isa::Info(row.id);
    if (info.name.find("relaxed") != info.name.npos) continue;
    std::string operands(info.cells_in / kCells, 'v');
    if (info.cells_in % kCells != 0) operands += 'i';
    ops.push_back({std::string(info.name), operands, info.cells_out == 1 ? 'i' : 'v', NanOf(row)});
  }
  return ops;
}

struct LaneShape {
  std::string_view text;
  char lane;
  std::uint32_t count;
};
constexpr LaneShape kLaneShapes[] = {{"i8x16", 'i', 16}, {"i16x8", 'i', 8}, {"i32x4", 'i', 4},
                                     {"i64x2", 'l', 2},  {"f32x4", 'f', 4}, {"f64x2", 'd', 2}};

}  // namespace

std::span<const VectorOp> VectorOps() {
  static const std::vector<VectorOp> ops = MakeOps();
  return ops;
}

VectorOp RandomLaneOp(isa::SplitMix64& random) {
  constexpr std::uint32_t kLanes = 16, kSources = 32;
  const std::uint64_t roll = random.Next();
  if (roll % 4 == 0) {
    std::string text = "i8x16.shuffle";
    // A whole rotation is usual in programs; other lanes are anything.
    const bool is_rotation = roll % 8 == 0;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      const std::uint64_t lane = is_rotation ? (roll >> 8) % kLanes + i : random.Next();
      text += " " + std::to_string(lane % kSources);
    }
    return {text, "vv", 'v'};
  }
  const LaneShape& shape = kLaneShapes[(roll >> 8) % std::size(kLaneShapes)];
  const std::string lane = " " + std::to_string((roll >> 16) % shape.count);
  const std::string name(shape.text);
  if (roll % 4 == 1) return {name + ".splat", std::string(1, shape.lane), 'v'};
  if (roll % 4 == 2) return {name + ".replace_lane" + lane, std::string("v") + shape.lane, 'v'};
  const bool is_narrow = shape.count > 4;
  return {name + ".extract_lane" + (is_narrow ? (roll >> 32) % 2 == 0 ? "_s" : "_u" : "") + lane,
          "v", shape.lane};
}

VectorOp RandomVectorAccess(isa::SplitMix64& random, const std::string& offset) {
  constexpr auto kLoads = std::to_array<std::string_view>(
      {"v128.load", "v128.load8x8_s", "v128.load8x8_u", "v128.load16x4_s", "v128.load16x4_u",
       "v128.load32x2_s", "v128.load32x2_u", "v128.load8_splat", "v128.load16_splat",
       "v128.load32_splat", "v128.load64_splat", "v128.load32_zero", "v128.load64_zero"});
  const std::uint64_t roll = random.Next();
  const std::uint32_t log = static_cast<std::uint32_t>(roll >> 8) % 4;  // of a lane's bytes
  const std::string lane = " " + std::to_string((roll >> 16) % (16u >> log));
  const std::string bits = std::to_string(8u << log);
  switch (roll % 6) {
    case 0:
      return {"v128.load" + bits + "_lane" + offset + lane, "iv", 'v'};
    case 1:
      return {"v128.store" + bits + "_lane" + offset + lane, "iv", 0};
    case 2:
    case 3:
      return {"v128.store" + offset, "iv", 0};
    default:
      return {std::string(kLoads[(roll >> 32) % kLoads.size()]) + offset, "i", 'v'};
  }
}

}  // namespace txvm::tests
