#include "tests/neural/triton/support/block_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "neural/triton/tir/validate.h"
#include "vm/tensor/goldilocks.h"

namespace txvm::triton {
namespace {

constexpr unsigned kKindShift = 6, kLeftShift = 9, kRightShift = 14, kExternalShift = 19;
constexpr unsigned kFieldsShift = 32;
constexpr std::uint64_t kCodeMask = 63, kReferenceMask = 31;
constexpr std::uint64_t kKnownConstant = std::uint64_t{1} << 63;  // context: the low bits are it
constexpr std::uint64_t kUnknown = 0;

bool IsCut(const TirOp& op) {
  switch (op.code) {
    case TirCode::kCall:
    case TirCode::kReturn:
    case TirCode::kHalt:
    case TirCode::kIfElse:
    case TirCode::kIfOnly:
    case TirCode::kLoop:
    case TirCode::kFnStart:
    case TirCode::kFnEnd:
    case TirCode::kEntry:
    case TirCode::kAsm:
    case TirCode::kProofBlock:
      return true;
    default:
      return false;
  }
}

NodeKind KindOf(const TirOp& op, const StackEffect& effect) {
  const std::int64_t leaves = effect.needs + effect.net;
  switch (op.code) {
    case TirCode::kDup:
    case TirCode::kSwap:
      return NodeKind::kMove;
    case TirCode::kPush:
      return NodeKind::kConstant;
    case TirCode::kEq:
    case TirCode::kLt:
      return NodeKind::kBool;
    case TirCode::kAnd:
    case TirCode::kOr:
    case TirCode::kXor:
    case TirCode::kPopCount:
    case TirCode::kSplit:
    case TirCode::kDivMod:
    case TirCode::kShr:
    case TirCode::kLog2:
      return NodeKind::kWord;
    case TirCode::kReadIo:
    case TirCode::kHint:
    case TirCode::kReadMem:
    case TirCode::kRamRead:
      return NodeKind::kInput;
    default:
      break;
  }
  if (leaves == 0 || op.code == TirCode::kWriteMem || op.code == TirCode::kAssert) {
    return NodeKind::kNothing;
  }
  return effect.needs > 2 || leaves > 2 ? NodeKind::kWide : NodeKind::kField;
}

// A word on the abstract stack: made by a node, or there before the block.
struct Origin {
  bool external = false;
  std::size_t index = 0;  // node, or slot at the start of the block
};

class Encoder {
 public:
  explicit Encoder(const std::array<std::uint64_t, kContextWords>& context) {
    block_.context = context;
    for (std::size_t slot = kContextWords; slot-- > 0;) {
      stack_.push_back({true, slot});
      known_.push_back(context[slot]);
    }
  }

  void Add(const TirOp& op) {
    const StackEffect effect = OwnEffect(op);
    const NodeKind kind = KindOf(op, effect);
    const std::size_t node = block_.size++;
    std::uint64_t word = static_cast<std::uint64_t>(op.code);
    word |= static_cast<std::uint64_t>(kind) << kKindShift;
    const auto needs = static_cast<std::size_t>(effect.needs);
    Deepen(needs);
    word |= Reference(needs >= 2 && kind != NodeKind::kMove ? Slot(op, 1) : kContextWords * 2, node,
                      kLeftShift, 0);
    word |= Reference(needs >= 1 ? Slot(op, 0) : kContextWords * 2, node, kRightShift, 1);
    word |= static_cast<std::uint64_t>(op.count) << kFieldsShift;
    Word(node, 0) = word;
    Word(node, 1) = node;
    Word(node, 2) = node;
    Word(node, 3) = op.value;
    if (Info(op.code).operand == TirOperand::kEvent) block_.names.push_back(op.name);
    Move(op, effect, node);
  }

  EncodedBlock Finish() {
    for (const Origin& origin : stack_) {
      if (!origin.external) Word(origin.index, 2) = kNoReference;
    }
    return block_;
  }

  // What is known of the top 16 words, for the block that continues this one.
  std::array<std::uint64_t, kContextWords> Context() const {
    std::array<std::uint64_t, kContextWords> context{};
    for (std::size_t i = 0; i < std::min(context.size(), known_.size()); ++i) {
      context[i] = known_[known_.size() - 1 - i];
    }
    return context;
  }

 private:
  std::uint64_t& Word(std::size_t node, std::size_t word) {
    return block_.nodes[node * kNodeWords + word];
  }

  // Words below the 16 known slots appear when an operation reaches them.
  void Deepen(std::size_t words) {
    while (stack_.size() < words) {
      stack_.insert(stack_.begin(), {true, next_deep_++});
      known_.insert(known_.begin(), kUnknown);
    }
  }

  static std::size_t Slot(const TirOp& op, std::size_t operand) {
    return op.code == TirCode::kDup && operand == 0 ? static_cast<std::size_t>(op.value) : operand;
  }

  std::uint64_t Reference(std::size_t slot, std::size_t node, unsigned shift, unsigned external) {
    if (slot >= stack_.size()) return kNoReference << shift;
    const Origin& origin = stack_[stack_.size() - 1 - slot];
    if (origin.external) {
      return (origin.index % kNoReference) << shift | std::uint64_t{1}
                                                          << (kExternalShift + external);
    }
    Word(origin.index, 2) = node;
    return static_cast<std::uint64_t>(origin.index) << shift;
  }

  void Move(const TirOp& op, const StackEffect& effect, std::size_t node) {
    const auto n = static_cast<std::size_t>(op.value);
    if (op.code == TirCode::kDup) {
      stack_.push_back(stack_[stack_.size() - 1 - n]);
      known_.push_back(known_[known_.size() - 1 - n]);
      return;
    }
    if (op.code == TirCode::kSwap) {
      std::swap(stack_.back(), stack_[stack_.size() - 1 - n]);
      std::swap(known_.back(), known_[known_.size() - 1 - n]);
      return;
    }
    const auto needs = static_cast<std::size_t>(effect.needs);
    const auto leaves = static_cast<std::size_t>(effect.needs + effect.net);
    stack_.resize(stack_.size() - needs);
    known_.resize(known_.size() - needs);
    for (std::size_t i = 0; i < leaves; ++i) {
      stack_.push_back({false, node});
      const bool constant = op.code == TirCode::kPush && op.value < kKnownConstant;
      known_.push_back(constant ? kKnownConstant | op.value : kUnknown);
    }
  }

  EncodedBlock block_;
  std::vector<Origin> stack_;
  std::vector<std::uint64_t> known_;
  std::size_t next_deep_ = kContextWords;
};

void EncodeBody(std::span<const TirOp> ops, std::vector<std::size_t>& path,
                std::vector<PlacedBlock>& blocks) {
  std::array<std::uint64_t, kContextWords> context{};
  for (std::size_t start = 0; start < ops.size();) {
    if (IsCut(ops[start])) {
      context.fill(kUnknown);
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const std::vector<TirOp>& body = side == 0 ? ops[start].body : ops[start].other;
        path.push_back(start);
        path.push_back(side);
        EncodeBody(body, path, blocks);
        path.resize(path.size() - 2);
      }
      ++start;
      continue;
    }
    Encoder encoder(context);
    std::size_t end = start, taken = 0;
    for (; end < ops.size() && taken < kBlockOps && !IsCut(ops[end]); ++end) {
      if (ops[end].code == TirCode::kComment) continue;  // a comment does not split a block
      encoder.Add(ops[end]);
      ++taken;
    }
    if (taken > 0) blocks.push_back({{path, start, end - start}, encoder.Finish()});
    context = encoder.Context();
    start = end;
  }
}

bool Fits(const TirOp& op) {
  const std::uint64_t value = op.value;
  switch (Info(op.code).operand) {
    case TirOperand::kField:
      return value < vm::goldilocks::kPrime;
    case TirOperand::kCount:
      return value >= 1 && value <= 5;
    case TirOperand::kSlot:
      return value <= 15;
    case TirOperand::kAssert:
      return value == 1 || value == 5;
    case TirOperand::kWidth:
      return value >= 1 && value <= 15;
    case TirOperand::kEvent:
      return op.count >= 0 && op.count <= (op.code == TirCode::kSeal ? 9 : 16) &&
             value < vm::goldilocks::kPrime;
    case TirOperand::kNone:
      return value == 0 && op.count == 0;
    default:
      return false;
  }
}

// A node of the block is named by those behind it only; what lies before the block by any.
isa::Result<void> CheckReferences(std::uint64_t word, std::size_t node) {
  for (const unsigned side : {0u, 1u}) {
    const unsigned shift = side == 0 ? kLeftShift : kRightShift;
    const std::uint64_t reference = word >> shift & kReferenceMask;
    const bool external = (word >> (kExternalShift + side) & 1) != 0;
    if (external || reference == kNoReference || reference < node) continue;
    return isa::Fail(
        isa::ErrorCode::kInvalid,
        fmt::format("node {} takes its {} operand from node {}, which is not before it", node,
                    side == 0 ? "left" : "right", reference));
  }
  return {};
}

}  // namespace

std::vector<PlacedBlock> EncodeBlocks(const TirModule& module) {
  std::vector<PlacedBlock> blocks;
  std::vector<std::size_t> path;
  EncodeBody(module.ops, path, blocks);
  return blocks;
}

isa::Result<std::vector<TirOp>> DecodeBlock(const EncodedBlock& block) {
  if (block.size > kBlockOps) {
    return isa::Fail(
        isa::ErrorCode::kInvalid,
        fmt::format("the block has {} operations, at most {} fit", block.size, kBlockOps));
  }
  std::vector<TirOp> ops;
  std::size_t next_name = 0;
  for (std::size_t node = 0; node < block.size; ++node) {
    const std::uint64_t* words = &block.nodes[node * kNodeWords];
    const std::uint64_t code = words[0] & kCodeMask;
    if (code >= kTirOps) {
      return isa::Fail(
          isa::ErrorCode::kInvalid,
          fmt::format("node {} has opcode {}, the last is {}", node, code, kTirOps - 1));
    }
    TirOp op;
    op.code = static_cast<TirCode>(code);
    op.value = words[3];
    op.count = static_cast<std::int32_t>(words[0] >> kFieldsShift);
    if (Info(op.code).operand == TirOperand::kEvent && next_name < block.names.size()) {
      op.name = block.names[next_name++];
    }
    if (IsCut(op) || !Fits(op)) {
      return isa::Fail(isa::ErrorCode::kInvalid,
                       fmt::format("node {}: {} with immediate {} is no operation of a block", node,
                                   Info(op.code).text, op.value));
    }
    TXVM_CHECK_OK(CheckReferences(words[0], node));
    ops.push_back(std::move(op));
  }
  return ops;
}

}  // namespace txvm::triton
