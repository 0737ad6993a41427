#include "neural/triton/lower/tir_peephole.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace txvm::triton {
namespace {

constexpr std::uint64_t kBatch = 5;      // words one pop or hint takes at most
constexpr std::uint64_t kLastSlot = 15;  // deepest slot of swap

TirOp Make(TirCode code, std::uint64_t value) {
  TirOp op;
  op.code = code;
  op.value = value;
  return op;
}

bool Is(const TirOp& op, TirCode code, std::uint64_t value) {
  return op.code == code && op.value == value;
}

void AppendBatches(std::vector<TirOp>& out, TirCode code, std::uint64_t words) {
  for (; words > 0; words -= std::min(words, kBatch)) {
    out.push_back(Make(code, std::min(words, kBatch)));
  }
}

// Replaces runs of `code` by as few operations as possible.
void Merge(std::vector<TirOp>& ops, TirCode code) {
  std::vector<TirOp> out;
  for (std::size_t i = 0; i < ops.size();) {
    if (ops[i].code != code) {
      out.push_back(std::move(ops[i++]));
      continue;
    }
    std::uint64_t words = 0;
    for (; i < ops.size() && ops[i].code == code; ++i) words += ops[i].value;
    AppendBatches(out, code, words);
  }
  ops = std::move(out);
}

// A replacement for the operations [at, at + length), or nullopt.
struct Rewrite {
  std::size_t length = 0;
  std::vector<TirOp> with;
};

template <class Match>
void RewriteAll(std::vector<TirOp>& ops, Match match) {
  std::vector<TirOp> out;
  for (std::size_t i = 0; i < ops.size();) {
    std::optional<Rewrite> rewrite = match(std::as_const(ops), i);
    if (!rewrite) {
      out.push_back(std::move(ops[i++]));
      continue;
    }
    for (TirOp& op : rewrite->with) out.push_back(std::move(op));
    i += rewrite->length;
  }
  ops = std::move(out);
}

constexpr std::size_t kStoreLength = 3;
constexpr std::size_t kLoadLength = 3;

bool IsStore(const std::vector<TirOp>& ops, std::size_t at) {
  return at + kStoreLength <= ops.size() && ops[at].code == TirCode::kPush &&
         Is(ops[at + 1], TirCode::kWriteMem, 1) && Is(ops[at + 2], TirCode::kPop, 1);
}

bool IsLoad(const std::vector<TirOp>& ops, std::size_t at) {
  return at + kLoadLength <= ops.size() && ops[at].code == TirCode::kPush &&
         Is(ops[at + 1], TirCode::kReadMem, 1) && Is(ops[at + 2], TirCode::kPop, 1);
}

// Operations that neither touch RAM nor leave the body: between two stores they cannot see the
// first. A crash between them ends the run, and RAM with it.
bool IsBlindToRam(const TirOp& op) {
  const TirInfo& info = Info(op.code);
  switch (info.kind) {
    case TirKind::kControl:
      return false;
    case TirKind::kDefinition:
      return op.code == TirCode::kComment;
    case TirKind::kDirect:
    case TirKind::kComposed:
      return info.ram == RamAccess::kNone;
  }
  return false;
}

bool IsOverwritten(const std::vector<TirOp>& ops, std::size_t store) {
  const std::uint64_t address = ops[store].value;
  for (std::size_t at = store + kStoreLength; at < ops.size(); ++at) {
    if (IsStore(ops, at) && ops[at].value == address) return true;
    if (!IsBlindToRam(ops[at])) return false;
  }
  return false;
}

std::optional<Rewrite> DeadSpill(const std::vector<TirOp>& ops, std::size_t at) {
  if (!IsStore(ops, at)) return std::nullopt;
  if (IsOverwritten(ops, at)) return Rewrite{kStoreLength, {Make(TirCode::kPop, 1)}};
  const std::size_t next = at + kStoreLength;
  if (!IsLoad(ops, next) || ops[next].value != ops[at].value) return std::nullopt;
  Rewrite rewrite{kStoreLength + kLoadLength, {Make(TirCode::kDup, 0)}};
  for (std::size_t i = 0; i < kStoreLength; ++i) rewrite.with.push_back(ops[at + i]);
  return rewrite;
}

std::optional<Rewrite> DupPop(const std::vector<TirOp>& ops, std::size_t at) {
  if (!Is(ops[at], TirCode::kDup, 0) || at + 1 >= ops.size()) return std::nullopt;
  if (Is(ops[at + 1], TirCode::kPop, 1)) return Rewrite{2, {}};
  if (at + 2 < ops.size() && Is(ops[at + 1], TirCode::kSwap, 1) &&
      Is(ops[at + 2], TirCode::kPop, 1)) {
    return Rewrite{3, {}};
  }
  return std::nullopt;
}

std::optional<Rewrite> SwapPopChain(const std::vector<TirOp>& ops, std::size_t at) {
  if (ops[at].code != TirCode::kDup || ops[at].value == 0 || ops[at].value == kLastSlot) {
    return std::nullopt;
  }
  const std::uint64_t n = ops[at].value + 1;
  if (at + n >= ops.size()) return std::nullopt;
  for (std::size_t i = 0; i < n; ++i) {
    if (!Is(ops[at + i], TirCode::kDup, n - 1)) return std::nullopt;
  }
  // The copies lie in order over the words copied; swap n exchanges two equal words.
  if (!Is(ops[at + n], TirCode::kSwap, n)) return std::nullopt;
  std::uint64_t popped = 0;
  std::size_t end = at + n + 1;
  for (; end < ops.size() && ops[end].code == TirCode::kPop && popped + ops[end].value <= n;
       ++end) {
    popped += ops[end].value;
  }
  if (popped != n) return std::nullopt;
  return Rewrite{end - at, {}};
}

// No rewrite takes more pairs, but for those of depth 1.
constexpr std::size_t kMostPairs = 32;

// The depths d of a run of `swap d; pop 1` pairs from `at`, no more than a rewrite can take.
std::vector<std::uint64_t> EpilogueDepths(const std::vector<TirOp>& ops, std::size_t at) {
  std::vector<std::uint64_t> depths;
  for (; at + 1 < ops.size(); at += 2) {
    const bool pair =
        ops[at].code == TirCode::kSwap && ops[at].value >= 1 && Is(ops[at + 1], TirCode::kPop, 1);
    if (!pair) break;
    if (depths.size() >= kMostPairs && (depths[0] != 1 || ops[at].value != 1)) break;
    depths.push_back(ops[at].value);
  }
  return depths;
}

// c times `swap 1; pop 1`: the top moves c words down.
Rewrite DropUnderOne(std::uint64_t c) {
  Rewrite rewrite{2 * static_cast<std::size_t>(c), {}};
  for (; c > 0; c -= std::min(c, kLastSlot)) {
    const std::uint64_t step = std::min(c, kLastSlot);
    rewrite.with.push_back(Make(TirCode::kSwap, step));
    AppendBatches(rewrite.with, TirCode::kPop, step);
  }
  return rewrite;
}

// c times `swap d; pop 1` with d > 1 and c >= d. Each pair drops the word below the d kept ones and
// puts the top in its place. So the kept words end c slots deeper, rotated by c, and at most two
// swaps bring each of them there.
std::optional<Rewrite> DropUnderMany(std::uint64_t d, std::uint64_t c) {
  const std::uint64_t batches = (c + kBatch - 1) / kBatch;
  if (c < d || d + c - 1 > kLastSlot || 2 * d - 1 + batches >= 2 * c) return std::nullopt;
  Rewrite rewrite{2 * static_cast<std::size_t>(c), {}};
  for (std::uint64_t word = 0; word < d; ++word) {
    if (word > 0) rewrite.with.push_back(Make(TirCode::kSwap, word));
    // Slot c + j holds kept word (c + j) mod d in the end.
    rewrite.with.push_back(Make(TirCode::kSwap, c + (word + d - c % d) % d));
  }
  AppendBatches(rewrite.with, TirCode::kPop, c);
  return rewrite;
}

// swap d; pop 1; swap d-1; pop 1; ..: each pair drops the word that the pair before put down.
Rewrite DropDecreasing(std::uint64_t d, std::uint64_t c) {
  Rewrite rewrite{2 * static_cast<std::size_t>(c), {}};
  AppendBatches(rewrite.with, TirCode::kPop, c - 1);
  rewrite.with.push_back(Make(TirCode::kSwap, d - c + 1));
  rewrite.with.push_back(Make(TirCode::kPop, 1));
  return rewrite;
}

std::optional<Rewrite> Epilogue(const std::vector<TirOp>& ops, std::size_t at) {
  const std::vector<std::uint64_t> depths = EpilogueDepths(ops, at);
  if (depths.size() < 2) return std::nullopt;
  std::size_t same = 1;
  while (same < depths.size() && depths[same] == depths[0]) ++same;
  if (same >= 2 && depths[0] == 1) return DropUnderOne(same);
  if (same >= 2) return DropUnderMany(depths[0], same);
  std::size_t down = 1;
  while (down < depths.size() && depths[down] + 1 == depths[down - 1]) ++down;
  if (down >= 2) return DropDecreasing(depths[0], down);
  return std::nullopt;
}

}  // namespace

void MergeHints(std::vector<TirOp>& ops) { Merge(ops, TirCode::kHint); }

void MergePops(std::vector<TirOp>& ops) { Merge(ops, TirCode::kPop); }

void EliminateNops(std::vector<TirOp>& ops) {
  std::erase_if(ops, [](const TirOp& op) { return Is(op, TirCode::kSwap, 0); });
}

void EliminateDeadSpills(std::vector<TirOp>& ops) { RewriteAll(ops, DeadSpill); }

void EliminateDupPopNops(std::vector<TirOp>& ops) { RewriteAll(ops, DupPop); }

void EliminateDoubleSwaps(std::vector<TirOp>& ops) {
  RewriteAll(ops, [](const std::vector<TirOp>& all, std::size_t at) -> std::optional<Rewrite> {
    if (at + 1 >= all.size() || all[at].code != TirCode::kSwap || !(all[at] == all[at + 1])) {
      return std::nullopt;
    }
    return Rewrite{2, {}};
  });
}

void CollapseSwapPopChains(std::vector<TirOp>& ops) { RewriteAll(ops, SwapPopChain); }

void CollapseEpilogues(std::vector<TirOp>& ops) { RewriteAll(ops, Epilogue); }

void OptimizeBody(std::vector<TirOp>& ops) {
  for (TirOp& op : ops) {
    OptimizeBody(op.body);
    OptimizeBody(op.other);
  }
  // Every pass but the merging ones shortens the body or leaves it alone, and merging is
  // idempotent.
  for (std::size_t before = ops.size() + 1; ops.size() < before;) {
    before = ops.size();
    MergeHints(ops);
    EliminateNops(ops);
    EliminateDeadSpills(ops);
    EliminateDupPopNops(ops);
    EliminateDoubleSwaps(ops);
    CollapseSwapPopChains(ops);
    CollapseEpilogues(ops);
    MergePops(ops);
  }
}

void OptimizeTir(TirModule& module) { OptimizeBody(module.ops); }

}  // namespace txvm::triton
